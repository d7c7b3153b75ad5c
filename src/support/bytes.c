// Sizes in bytes: one table of units for all that prints or reads them.
#include "support/bytes.h"
#include "support/decimal.h"
#include <stdio.h>

static const char *const binary_units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

void bytes_text(double bytes, int decimals, char out[32]) {
    uint32_t u = 0;
    while (bytes >= 1024 && u < 5) bytes /= 1024, u++;
    snprintf(out, 32, "%.*f %s", u ? decimals : 0, bytes, binary_units[u]);
}

void buf_bytes(Buffer *b, double bytes, int decimals) {
    char text[32];
    bytes_text(bytes, decimals, text);
    buf_str(b, text);
}

void buf_bytes_exact(Buffer *b, int64_t bytes) {
    uint32_t u = 0;
    for (; u < 4 && bytes > 0 && bytes % 1024 == 0; u++) bytes /= 1024;
    buf_int(b, bytes);
    buf_str(b, binary_units[u]);
}

int64_t byte_unit(Span name) {
    static const struct {
        const char *name;
        int64_t bytes;
    } units[] = {{"B", 1},     {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30},   {"TiB", (int64_t)1 << 40},
                 {"kB", 1000}, {"KB", 1000},     {"MB", 1000000},  {"GB", 1000000000}, {"TB", 1000000000000}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (span_is(name, units[i].name)) return units[i].bytes;
    return 0;
}

bool read_byte_size(Span text, int64_t *out) {
    size_t n = 0;
    while (n < text.n && (is_digit(text.at[n]) || text.at[n] == '.')) n++;
    int64_t unit = n < text.n ? byte_unit((Span){text.at + n, text.n - n}) : 1;
    double v;
    if (!unit || !decimal_to_double((Span){text.at, n}, &v)) return false;
    v *= (double)unit;
    if (!(v >= 1 && v <= 1e18)) return false;
    *out = (int64_t)v;
    return true;
}
