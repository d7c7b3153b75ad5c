// Source: one input text, and where in it an offset lies.
#ifndef PARTIR_SUPPORT_SOURCE_H
#define PARTIR_SUPPORT_SOURCE_H

#include "support/text.h"

typedef struct Source {
    const char *name; // as the user wrote it; "<stdin>" for standard input
    const char *text;
    size_t n;
    // Where each line begins, once source_index was called: for who asks for many places.
    const size_t *lines;
    uint32_t n_lines;
} Source;

// Reads the file into the arena (standard input for "-"). False with a diagnostic when it cannot be read.
bool source_open(Source *s, Arena *a, const char *path);
bool source_open_if_there(Source *s, Arena *a, const char *path, bool *found); // a file that is not there is no error
void source_from_memory(Source *s, const char *name, const char *text, size_t n);

// 1-based line and column (in bytes) of an offset, and the line it is on, without its line end.
typedef struct SourcePlace {
    uint32_t line, column;
    Span text;
} SourcePlace;
void source_index(Source *s, Arena *a);
SourcePlace source_place(const Source *s, size_t offset);

#endif
