// JSON strings.
#include "tool/json.h"
#include "support/json.h"
#include <stdio.h>

void json_string(const char *s) {
    char text[JSON_ESCAPE_MAX];
    putchar('"');
    for (Span rest = span_of(s); rest.n > 0;) fwrite(text, 1, json_escape(&rest, text), stdout);
    putchar('"');
}
