// Source: one input text, mapped not copied, and where in it an offset lies.
#ifndef PARTIR_SUPPORT_SOURCE_H
#define PARTIR_SUPPORT_SOURCE_H

#include "support/text.h"

typedef struct Source {
    const char *name; // as the user wrote it; "<stdin>" for standard input
    const char *text;
    size_t n;
    bool mapped; // text belongs to the platform's file mapping
} Source;

// Maps the file (or reads standard input for "-"). False with a diagnostic when it cannot be read.
bool source_open(Source *s, Arena *a, const char *path);
bool source_open_if_there(Source *s, Arena *a, const char *path, bool *found); // a file that is not there is no error
void source_from_memory(Source *s, const char *name, const char *text, size_t n);
void source_close(Source *s);

// 1-based line and column (in bytes) of an offset, and the line it is on, without its line end.
typedef struct SourcePlace {
    uint32_t line, column;
    Span text;
} SourcePlace;
SourcePlace source_place(const Source *s, size_t offset);

#endif
