// Reading JSON: one walk over the text with a stack of what is open, so that no depth of nesting recurses.
#include "support/json_read.h"
#include "support/diag.h"
#include <stdlib.h>

enum { JSON_MAX_DEPTH = 1000 };

typedef struct JsonReader {
    Context *ctx;
    Arena *a;
    const Source *source;
    size_t at;
    VEC(JsonValue) values;
    VEC(uint32_t) open; // arrays and objects that have not ended
    VEC(uint32_t) last; // for each, its last item so far
} JsonReader;

static bool json_fail(const JsonReader *r, size_t at, const char *what) {
    return diag_error(r->ctx, r->source, at, "a report as `--json` writes it", "expected %s", what);
}

static char json_peek(const JsonReader *r) { return r->at < r->source->n ? r->source->text[r->at] : 0; }

static void json_space(JsonReader *r) {
    while (r->at < r->source->n && strchr(" \t\r\n", r->source->text[r->at]) && r->source->text[r->at]) r->at++;
}

static bool hex_digits(const JsonReader *r, uint32_t *code) {
    *code = 0;
    for (size_t i = 0; i < 4; i++) {
        char c = r->at + i < r->source->n ? r->source->text[r->at + i] : 0;
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
        if (digit < 0) return false;
        *code = *code * 16 + (uint32_t)digit;
    }
    return true;
}

static void put_utf8(Buffer *b, uint32_t c) {
    if (c < 0x80) {
        buf_char(b, (char)c);
    } else if (c < 0x800) {
        buf_char(b, (char)(0xc0 | c >> 6));
        buf_char(b, (char)(0x80 | (c & 63)));
    } else if (c < 0x10000) {
        buf_char(b, (char)(0xe0 | c >> 12));
        buf_char(b, (char)(0x80 | (c >> 6 & 63)));
        buf_char(b, (char)(0x80 | (c & 63)));
    } else {
        buf_char(b, (char)(0xf0 | c >> 18));
        buf_char(b, (char)(0x80 | (c >> 12 & 63)));
        buf_char(b, (char)(0x80 | (c >> 6 & 63)));
        buf_char(b, (char)(0x80 | (c & 63)));
    }
}

// After a backslash.
static bool read_escape(JsonReader *r, Buffer *b) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = json_peek(r);
    const char *found = c ? strchr(from, c) : NULL;
    r->at++;
    if (found) {
        buf_char(b, to[found - from]);
        return true;
    }
    uint32_t code, low;
    if (c != 'u' || !hex_digits(r, &code)) return json_fail(r, r->at - 1, "an escape of JSON");
    r->at += 4;
    bool high = code >= 0xd800 && code < 0xdc00 && r->at + 1 < r->source->n && r->source->text[r->at] == '\\' &&
                r->source->text[r->at + 1] == 'u';
    if (high) {
        r->at += 2;
        if (!hex_digits(r, &low) || low < 0xdc00 || low > 0xdfff) return json_fail(r, r->at, "the second half of a character");
        r->at += 4;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    put_utf8(b, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
    return true;
}

static bool read_json_string(JsonReader *r, Span *out) {
    size_t start = r->at++;
    Buffer b;
    buf_init(&b, r->a);
    while (r->at < r->source->n && r->source->text[r->at] != '"') {
        if (r->source->text[r->at] == '\\') {
            r->at++;
            if (!read_escape(r, &b)) return false;
        } else {
            buf_char(&b, r->source->text[r->at++]);
        }
    }
    if (r->at >= r->source->n) return json_fail(r, start, "the end of the string");
    r->at++;
    *out = (Span){buf_cstr(&b), b.n};
    return true;
}

static bool read_json_word(JsonReader *r, JsonValue *v) {
    static const char *const words[] = {"null", "false", "true"}; // ORDER JsonKind
    for (int i = 0; i < 3; i++) {
        size_t n = strlen(words[i]);
        if (r->source->n - r->at < n || memcmp(r->source->text + r->at, words[i], n) != 0) continue;
        v->kind = (JsonKind)i;
        r->at += n;
        return true;
    }
    size_t start = r->at;
    while (json_peek(r) && strchr("+-.0123456789eE", json_peek(r))) r->at++;
    v->kind = JSON_NUMBER;
    v->text = (Span){r->source->text + start, r->at - start};
    return r->at > start || json_fail(r, start, "a value");
}

static void add_value(JsonReader *r, JsonValue v) {
    uint32_t id = r->values.n;
    if (r->open.n) {
        uint32_t *last = &r->last.at[r->open.n - 1];
        if (*last == NO_JSON)
            r->values.at[r->open.at[r->open.n - 1]].first = id;
        else
            r->values.at[*last].next = id;
        *last = id;
    }
    vec_push(r->a, &r->values, v);
    if (v.kind != JSON_ARRAY && v.kind != JSON_OBJECT) return;
    vec_push(r->a, &r->open, id);
    vec_push(r->a, &r->last, NO_JSON);
    r->last.n = r->open.n;
}

static bool in_object(const JsonReader *r) {
    return r->open.n && r->values.at[r->open.at[r->open.n - 1]].kind == JSON_OBJECT;
}

// A value, with its key if it is in an object; an array or object is then open.
static bool read_json_value(JsonReader *r) {
    JsonValue v = {.first = NO_JSON, .next = NO_JSON};
    json_space(r);
    if (in_object(r)) {
        if (json_peek(r) != '"') return json_fail(r, r->at, "a key in quotes");
        if (!read_json_string(r, &v.key)) return false;
        json_space(r);
        if (json_peek(r) != ':') return json_fail(r, r->at, "`:` after a key");
        r->at++;
        json_space(r);
    }
    v.offset = (uint32_t)r->at;
    char c = json_peek(r);
    if (c == '{' || c == '[') {
        if (r->open.n == JSON_MAX_DEPTH) return json_fail(r, r->at, "fewer levels");
        v.kind = c == '{' ? JSON_OBJECT : JSON_ARRAY;
        r->at++;
    } else if (c == '"') {
        v.kind = JSON_STRING;
        if (!read_json_string(r, &v.text)) return false;
    } else if (!read_json_word(r, &v)) {
        return false;
    }
    add_value(r, v);
    return true;
}

// Closes what ends here, up to where another item must come. False when all is read, or after an error.
static bool close_ended(JsonReader *r, bool *ok) {
    bool fresh = r->last.n && r->last.at[r->open.n - 1] == NO_JSON; // it may end before its first item
    while (r->open.n) {
        json_space(r);
        char c = json_peek(r);
        if (c == (in_object(r) ? '}' : ']')) {
            r->at++;
            r->open.n--;
            r->last.n = r->open.n;
            fresh = false;
        } else if (fresh) {
            return true;
        } else if (c == ',') {
            r->at++;
            return true;
        } else {
            *ok = json_fail(r, r->at, in_object(r) ? "`,` or `}`" : "`,` or `]`");
            return false;
        }
    }
    return false;
}

bool json_read(Context *ctx, Arena *a, const Source *source, Json *out) {
    JsonReader r = {.ctx = ctx, .a = a, .source = source};
    bool ok = true;
    do {
        if (!read_json_value(&r)) return false;
    } while (close_ended(&r, &ok));
    if (!ok) return false;
    json_space(&r);
    if (r.at < source->n) return json_fail(&r, r.at, "the end of the text");
    *out = (Json){r.values.n, r.values.at};
    return true;
}

uint32_t json_member(const Json *j, uint32_t object, const char *key) {
    if (object == NO_JSON || j->at[object].kind != JSON_OBJECT) return NO_JSON;
    for (uint32_t i = j->at[object].first; i != NO_JSON; i = j->at[i].next)
        if (span_is(j->at[i].key, key)) return i;
    return NO_JSON;
}

Span json_text(const Json *j, uint32_t value) {
    return value != NO_JSON && j->at[value].kind == JSON_STRING ? j->at[value].text : (Span){"", 0};
}

double json_number(const Json *j, uint32_t value) {
    char text[64];
    if (value == NO_JSON || j->at[value].kind != JSON_NUMBER || j->at[value].text.n >= sizeof text) return 0;
    memcpy(text, j->at[value].text.at, j->at[value].text.n);
    text[j->at[value].text.n] = 0;
    return strtod(text, NULL);
}
