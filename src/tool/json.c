// JSON strings.
#include "tool/json.h"
#include "support/json.h"
#include <stdio.h>

void json_string(const char *s) {
    char text[JSON_ESCAPE_MAX];
    putchar('"');
    for (; *s; s++) fwrite(text, 1, json_escape((unsigned char)*s, text), stdout);
    putchar('"');
}
