// JSON: one escape for all that is written.
#include "support/json.h"
#include <stdio.h>

// The number of a character of up to three bytes.
static unsigned character_number(const char *text, size_t size) {
    const unsigned char *s = (const unsigned char *)text;
    if (size == 1) return s[0];
    return size == 2 ? (s[0] & 0x1fu) << 6 | (s[1] & 0x3fu) : (s[0] & 0xfu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);
}

size_t json_escape(Span *rest, char out[JSON_ESCAPE_MAX]) {
    unsigned char c = (unsigned char)rest->at[0];
    size_t taken = utf8_size(rest->at, rest->n), n = 0;
    if (taken == 0) {
        memcpy(out, "\\ufffd", n = 6);
    } else if (c < 0x20 || !text_is_printable(rest->at, taken, false)) {
        n = (size_t)snprintf(out, JSON_ESCAPE_MAX, "\\u%04x", character_number(rest->at, taken));
    } else {
        if (c == '"' || c == '\\') out[n++] = '\\';
        memcpy(out + n, rest->at, taken);
        n += taken;
    }
    taken += taken == 0;
    *rest = (Span){rest->at + taken, rest->n - taken};
    return n;
}

void buf_json_string(Buffer *b, Span s) {
    buf_char(b, '"');
    char text[JSON_ESCAPE_MAX];
    while (s.n > 0) buf_put(b, text, json_escape(&s, text));
    buf_char(b, '"');
}
