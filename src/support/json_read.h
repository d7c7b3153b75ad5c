// JSON that was read: values by number, in the order of the text.
//
//     {"a": [1, 2]}        0 object; its member "a" is 1, an array; its items are 2 and 3
#ifndef PARTIR_SUPPORT_JSON_READ_H
#define PARTIR_SUPPORT_JSON_READ_H

#include "support/source.h"

#define NO_JSON UINT32_MAX

typedef enum JsonKind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } JsonKind;

typedef struct JsonValue {
    JsonKind kind;
    Span key;             // of a member of an object
    Span text;            // of a string, without quotes and escapes; of a number, as it stands
    uint32_t first, next; // of an array or object: its first item; the item after this one; NO_JSON
    uint32_t offset;      // in the source
} JsonValue;

typedef struct Json {
    uint32_t n;
    const JsonValue *at; // 0 is the whole
} Json;

// False with one caret error.
bool json_read(Context *ctx, Arena *a, const Source *source, Json *out);
uint32_t json_member(const Json *j, uint32_t object, const char *key); // NO_JSON if there is none
Span json_text(const Json *j, uint32_t value);                         // empty if it is no string
double json_number(const Json *j, uint32_t value);                     // 0 if it is none

#endif
