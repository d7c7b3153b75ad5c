// Sizes in bytes as text.
#ifndef PARTIR_SUPPORT_BYTES_H
#define PARTIR_SUPPORT_BYTES_H

#include "support/text.h"

void bytes_text(double bytes, int decimals, char out[32]); // for people: 12 B, 1.5 GiB
void buf_bytes(Buffer *b, double bytes, int decimals);
void buf_bytes_exact(Buffer *b, int64_t bytes); // to be read again: 1536MiB, the largest unit that divides

// What "KiB" or "GB" stands for; 0 if it is no unit.
int64_t byte_unit(Span name);
#define BYTE_UNITS "B, KiB, MiB, GiB, TiB, kB, MB, GB, TB"
// A number and a unit without space between them, or a number alone: 16GiB, 1.5GB, 4096. False if it is anything else, or
// below 1, or too large.
bool read_byte_size(Span text, int64_t *out);

#endif
