// Reading JSON: values and their order, escapes, and every prefix of a text, which is an error and nothing worse.
#include "support/json_read.h"
#include "support/context.h"
#include "test.h"
#include <stdlib.h>

static partir_context *context;

static bool read_text(const char *text, size_t n, Arena *a, Json *out) {
    char *copy = malloc(n ? n : 1); // not a byte more than it has
    memcpy(copy, text, n);
    Source s;
    source_from_memory(&s, "t.json", copy, n);
    Guard g;
    bool ok = false;
    if (GUARD(context, &g)) {
        ok = json_read(context, a, &s, out);
        guard_close(context, &g);
    }
    free(copy);
    return ok;
}

static const char whole[] = "{\"a\": [1, -2.5e3, {}, []], \"b\\u0041\\n\": \"x\\u00e9\\ud83d\\ude00\\\"\", \"c\": {\"d\": null, \"e\": true}}";

static void values(void) {
    Arena a;
    arena_init(&a, context);
    Json j;
    CHECK(read_text(whole, sizeof whole - 1, &a, &j));
    uint32_t list = json_member(&j, 0, "a");
    CHECK_INT(j.at[list].kind, JSON_ARRAY);
    CHECK_INT(j.at[j.at[j.at[list].first].next].kind, JSON_NUMBER);
    uint32_t object = j.at[j.at[j.at[list].first].next].next;
    CHECK_INT(j.at[object].kind, JSON_OBJECT);
    CHECK_INT(j.at[object].first, NO_JSON);
    CHECK_INT(j.at[j.at[object].next].kind, JSON_ARRAY);
    CHECK_INT(j.at[j.at[object].next].next, NO_JSON);
    Span text = json_text(&j, json_member(&j, 0, "bA\n"));
    CHECK(span_is(text, "x\xc3\xa9\xf0\x9f\x98\x80\""));
    CHECK_INT(j.at[json_member(&j, json_member(&j, 0, "c"), "e")].kind, JSON_TRUE);
    CHECK_INT(json_member(&j, 0, "d"), NO_JSON);
    arena_free(&a);
}

static void errors(void) {
    static const char *const wrong[] = {"",     "[",      "[1,]",      "{\"a\" 1}", "{1: 2}",   "[1 2]",      "\"\\x\"",
                                        "tru",  "[1]]",   "{\"a\":}",  "\"abc",     "[\"\\ud83d\\u0041\"]", "{\"a\": 1,}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Arena a;
        arena_init(&a, context);
        Json j;
        if (read_text(wrong[i], strlen(wrong[i]), &a, &j)) printf("%s was read\n", wrong[i]), test_bad++;
        arena_free(&a);
    }
    for (size_t n = 0; n < sizeof whole - 1; n++) {
        Arena a;
        arena_init(&a, context);
        Json j;
        CHECK(!read_text(whole, n, &a, &j));
        arena_free(&a);
    }
}

static void depth(void) {
    enum { DEEP = 100000 };
    char *text = malloc(DEEP);
    memset(text, '[', DEEP);
    Arena a;
    arena_init(&a, context);
    Json j;
    CHECK(!read_text(text, DEEP, &a, &j));
    arena_free(&a);
    free(text);
}

int main(void) {
    if (partir_context_create(NULL, &context) != PARTIR_OK) return 1;
    RUN(values);
    RUN(errors);
    RUN(depth);
    partir_context_destroy(context);
    return test_end();
}
