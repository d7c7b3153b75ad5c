// Tiles: the best of all pairs of innermost dimensions.
#include "sim/tiles.h"

enum { ROWS = 8, LANES = 128 };

static double rounded(int64_t n, int64_t to) { return (double)((n + to - 1) / to * to) / (double)n; }

// Fewer rows are in tiles of 4, 2 or 1.
static double rows_ratio(int64_t n) { return rounded(n, n > 4 ? ROWS : n > 2 ? 4 : n); }

double tiled_ratio(const Type *t) {
    double best = 0;
    for (uint32_t i = 0; i < t->rank && best != 1; i++)
        for (uint32_t k = 0; k < t->rank && best != 1; k++) {
            if (i == k || t->dims[i] <= 0 || t->dims[k] <= 0) continue;
            double ratio = rounded(t->dims[i], LANES) * rows_ratio(t->dims[k]);
            if (best == 0 || ratio < best) best = ratio;
        }
    return best == 0 ? 1 : best;
}

double tiled_as_written(const Type *t) {
    if (t->rank < 2 || t->dims[t->rank - 1] <= 0 || t->dims[t->rank - 2] <= 0) return 1;
    return rounded(t->dims[t->rank - 1], LANES) * rows_ratio(t->dims[t->rank - 2]);
}
