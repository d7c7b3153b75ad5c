// JSON: strings as they must be written.
#ifndef PARTIR_SUPPORT_JSON_H
#define PARTIR_SUPPORT_JSON_H

#include "support/text.h"

// A byte as it stands in a JSON string: itself, \", \\ or \u001f. How many characters that is.
#define JSON_ESCAPE_MAX 7
size_t json_escape(unsigned char c, char out[JSON_ESCAPE_MAX]);
void buf_json_string(Buffer *b, Span s); // with quotes

#endif
