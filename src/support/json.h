// JSON: strings as they must be written.
#ifndef PARTIR_SUPPORT_JSON_H
#define PARTIR_SUPPORT_JSON_H

#include "support/text.h"

// Takes a character off the front of `rest` and gives it as it stands in a JSON string: itself, \", \\, or \u001b for what a terminal
// would obey; U+FFFD for a byte that is no UTF-8, since JSON is. How many bytes that is.
#define JSON_ESCAPE_MAX 7
size_t json_escape(Span *rest, char out[JSON_ESCAPE_MAX]);
void buf_json_string(Buffer *b, Span s); // with quotes

#endif
