// Zip archives: what an .npz is. Members are read stored or deflated, and written stored.
//
// Nothing that an archive says about itself is believed: members lie apart from each other, one is no larger than deflate
// can make it, its bytes have the sum that was written with them, and what they take is asked of a heap that has a cap.
#ifndef PARTIR_INTERP_NPY_ZIP_H
#define PARTIR_INTERP_NPY_ZIP_H

#include "interp/tensor/tensor.h"
#include "support/file.h"

typedef struct ZipMember {
    Span name;
    uint64_t at, end; // its header in the archive, and where the next member begins at the earliest
    uint64_t packed, size;
    uint32_t sum;
    uint16_t method; // 0 stored, 8 deflated
} ZipMember;

typedef struct Zip {
    const FileBytes *file;
    Heap *heap;
    char *directory;
    VEC(ZipMember) members; // in the order of the directory
} Zip;

// All return false, or NULL, after a diagnostic. The arena takes the list of members, the heap all else.
bool zip_open(Zip *z, Arena *a, Heap *heap, const FileBytes *file);
void zip_close(Zip *z);
// The first bytes of a member, at most n: enough to see what it holds before all of it is made. Returns how many.
bool zip_peek(const Zip *z, const ZipMember *m, char *to, size_t n, size_t *got);
// All bytes of a member, checked against their sum. The caller releases them (heap_release).
char *zip_extract(const Zip *z, const ZipMember *m);

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
