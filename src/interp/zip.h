// Zip archives: what an .npz is. Members are read stored or deflated, and written stored.
#ifndef PARTIR_INTERP_ZIP_H
#define PARTIR_INTERP_ZIP_H

#include "support/diag.h"

typedef struct ZipMember {
    Span name;
    Span packed; // as it lies in the archive
    uint64_t size;
    uint16_t method; // 0 stored, 8 deflated
} ZipMember;

typedef struct Zip {
    VEC(ZipMember) members;
} Zip;

// The members of an archive in memory; `name` is for diagnostics.
bool zip_open(Zip *z, Arena *a, const char *name, Span bytes);
// A member's bytes, in the archive's memory or in the arena.
bool zip_extract(const ZipMember *m, Arena *a, const char *name, Span *bytes);

// An archive under construction: zip_add for each member, zip_end once.
typedef struct ZipWriter {
    Buffer *out, directory;
    uint32_t n;
    size_t start;
} ZipWriter;
void zip_begin(ZipWriter *w, Buffer *out, Arena *a);
void zip_add(ZipWriter *w, Span name, Span bytes);
void zip_end(ZipWriter *w);

#endif
