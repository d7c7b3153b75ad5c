// Inflate: the decompression of zip members (RFC 1951).
#ifndef PARTIR_INTERP_NPY_INFLATE_H
#define PARTIR_INTERP_NPY_INFLATE_H

#include <stdbool.h>
#include <stddef.h>

// Fills `out` whole; false if the data is malformed or gives more or fewer bytes.
bool inflate_bytes(const unsigned char *in, size_t n_in, unsigned char *out, size_t n_out);
// The first bytes of what comes out, until `out` is full, the data ends or is malformed. Returns how many.
size_t inflate_first(const unsigned char *in, size_t n_in, unsigned char *out, size_t n_out);

#endif
