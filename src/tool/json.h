// JSON on standard output.
#ifndef PARTIR_TOOL_JSON_H
#define PARTIR_TOOL_JSON_H

void json_string(const char *s); // with quotes and escapes

#endif
