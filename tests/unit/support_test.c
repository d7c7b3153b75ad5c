// The small things that there is one of each: heap, big integers, byte sizes, edit distance, common divisors, JSON strings.
#include "support/big.h"
#include "support/bytes.h"
#include "support/heap.h"
#include "support/integer.h"
#include "support/json.h"
#include "support/nearest.h"
#include "test.h"
#include <partir.h>
#include <stdlib.h>

typedef struct Job {
    uint32_t cost, number;
} Job;

static bool is_cheaper(const Job *x, const Job *y) {
    return x->cost != y->cost ? x->cost < y->cost : x->number < y->number;
}

DEFINE_HEAP(jobs, Job, is_cheaper)

// Pushes and pops in any order: what comes out is the least of what is in.
static void a_heap_gives_the_first(void) {
    enum { MOST = 200 };
    Job heap[MOST];
    bool is_in[MOST];
    uint32_t cost[MOST], n = 0, pushed = 0, seed = 1;
    for (int step = 0; step < 2 * MOST; step++) {
        seed = seed * 1664525 + 1013904223;
        if (pushed < MOST && (n == 0 || seed >> 30)) {
            cost[pushed] = seed >> 8 & 15;
            is_in[pushed] = true;
            jobs_push(heap, &n, (Job){cost[pushed], pushed});
            pushed++;
        } else if (n) {
            Job first = jobs_pop(heap, &n);
            for (uint32_t i = 0; i < pushed; i++)
                if (is_in[i]) CHECK(!is_cheaper(&(Job){cost[i], i}, &first));
            CHECK(is_in[first.number]);
            is_in[first.number] = false;
        }
    }
    CHECK_INT(pushed, MOST);
}

static const char *text_of_bytes(partir_context *ctx, double bytes, int64_t exact) {
    static char text[64];
    Arena a;
    arena_init(&a, ctx);
    Buffer b;
    buf_init(&b, &a);
    buf_bytes(&b, bytes, 1);
    buf_char(&b, ' ');
    buf_bytes_exact(&b, exact);
    snprintf(text, sizeof text, "%s", buf_cstr(&b));
    arena_free(&a);
    return text;
}

static void sizes_are_written_and_read(void) {
    partir_context *ctx;
    partir_context_create(NULL, &ctx);
    CHECK_STR(text_of_bytes(ctx, 1023, 1023), "1023 B 1023B");
    CHECK_STR(text_of_bytes(ctx, 1536, 1536), "1.5 KiB 1536B");
    CHECK_STR(text_of_bytes(ctx, 0x1p60, (int64_t)3 << 40), "1024.0 PiB 3TiB");
    partir_context_destroy(ctx);
    static const struct {
        const char *text;
        int64_t bytes; // 0: no size
    } sizes[] = {{"16GiB", (int64_t)16 << 30},
                 {"80GB", 80000000000},
                 {"1.5KiB", 1536},
                 {"4096", 4096},
                 {"12B", 12},
                 {"2TiB", (int64_t)2 << 40},
                 {"3kB", 3000},
                 {"3KB", 3000},
                 {"GiB", 0},
                 {"1 GiB", 0},
                 {"1gib", 0},
                 {"", 0},
                 {"0", 0},
                 {"-1", 0},
                 {"9e9", 0},
                 {"4000000TiB", 0}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int64_t got = 0;
        CHECK(read_byte_size(span_of(sizes[i].text), &got) == (sizes[i].bytes != 0));
        CHECK_INT(got, sizes[i].bytes);
    }
}

static void names_are_near_or_not(void) {
    CHECK_INT(edit_distance(SPAN("kitten"), SPAN("sitting"), 5), 3);
    CHECK_INT(edit_distance(SPAN("kitten"), SPAN("sitting"), 2), 3); // more than 2
    CHECK_INT(edit_distance(SPAN(""), SPAN("abc"), 5), 3);
    CHECK_INT(edit_distance(SPAN("abc"), SPAN("abc"), 0), 0);
}

static void big_integers_are_exact(void) {
    Big b, c;
    big_set(&b, 1);
    big_multiply_power_of_5(&b, 100);
    big_shift_left(&b, 100);
    big_set(&c, 1);
    for (int i = 0; i < 100; i++) big_multiply_add(&c, 10, 0);
    CHECK_INT(big_compare(&b, &c), 0);
    CHECK_INT(big_bits(&c), 333); // 10^100 lies between 2^332 and 2^333
    big_multiply_add(&c, 1, 7);
    CHECK_INT(big_compare(&b, &c), -1);
    CHECK_INT(big_divide(&c, 1000), 7);
    for (int i = 0; i < 97; i++) CHECK_INT(big_divide(&c, 10), 0);
    CHECK(c.n == 1 && c.limbs[0] == 1);
}

static void divisors(void) {
    CHECK_INT(gcd(12, 18), 6);
    CHECK_INT(gcd(0, 5), 5);
    CHECK_INT(gcd(5, 0), 5);
}

// JSON is UTF-8, whatever the bytes: overlong forms, surrogates, cut characters and stray bytes are none.
static void strings_are_json(void) {
    static const struct {
        const char *text, *json;
    } rows[] = {
        {"", "\"\""},
        {"a\"\\\n\x7f", "\"a\\\"\\\\\\u000a\\u007f\""},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""},
        {"\xc2\x9b" "31m", "\"\\u009b31m\""}, // as ESC [ to a terminal
        {"\xe2\x80\xae", "\"\\u202e\""},       // from right to left
        {"x\xffy", "\"x\\ufffdy\""},
        {"\x80", "\"\\ufffd\""},
        {"\xc3", "\"\\ufffd\""},
        {"\xe2\x82", "\"\\ufffd\\ufffd\""},
        {"\xe2\"", "\"\\ufffd\\\"\""},
        {"\xc0\xaf", "\"\\ufffd\\ufffd\""},
        {"\xe0\x80\xaf", "\"\\ufffd\\ufffd\\ufffd\""},
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
        {"\xf0\x80\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
        {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
    };
    partir_context *ctx;
    partir_context_create(NULL, &ctx);
    Arena a;
    arena_init(&a, ctx);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Buffer out;
        buf_init(&out, &a);
        buf_json_string(&out, span_of(rows[i].text));
        CHECK_STR(buf_cstr(&out), rows[i].json);
    }
    arena_free(&a);
    partir_context_destroy(ctx);
}

int main(void) {
    RUN(a_heap_gives_the_first);
    RUN(sizes_are_written_and_read);
    RUN(names_are_near_or_not);
    RUN(big_integers_are_exact);
    RUN(divisors);
    RUN(strings_are_json);
    return test_end();
}
