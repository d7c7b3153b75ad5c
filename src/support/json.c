// JSON: one escape for all that is written.
#include "support/json.h"
#include <stdio.h>

size_t json_escape(unsigned char c, char out[JSON_ESCAPE_MAX]) {
    if (c < 0x20 || c == 0x7f) return (size_t)snprintf(out, JSON_ESCAPE_MAX, "\\u%04x", c);
    size_t n = 0;
    if (c == '"' || c == '\\') out[n++] = '\\';
    out[n++] = (char)c;
    return n;
}

void buf_json_string(Buffer *b, Span s) {
    buf_char(b, '"');
    for (size_t i = 0; i < s.n; i++) {
        char text[JSON_ESCAPE_MAX];
        buf_put(b, text, json_escape((unsigned char)s.at[i], text));
    }
    buf_char(b, '"');
}
