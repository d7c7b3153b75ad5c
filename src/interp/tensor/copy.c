// Strided copies: dimensions that continue each other are merged, then a loop over all but the last two runs a typed
// kernel.
#include "interp/tensor/copy.h"
#include "interp/tensor/tensor.h"
#include <stdlib.h>

typedef struct StridedWalk {
    uint32_t rank;
    int64_t dims[MAX_RANK], to[MAX_RANK], from[MAX_RANK];
} StridedWalk;

// Drops dimensions of size 1 and merges d with d + 1 where stepping d once is stepping through all of d + 1.
static void simplify(StridedWalk *w, uint32_t rank, const int64_t *dims, const int64_t *to, const int64_t *from) {
    w->rank = 0;
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] == 1) continue;
        if (w->rank) {
            uint32_t k = w->rank - 1;
            if (w->to[k] == to[i] * dims[i] && w->from[k] == from[i] * dims[i]) {
                w->dims[k] *= dims[i];
                w->to[k] = to[i];
                w->from[k] = from[i];
                continue;
            }
        }
        w->dims[w->rank] = dims[i];
        w->to[w->rank] = to[i];
        w->from[w->rank++] = from[i];
    }
}

// The source may be an array in a file, at any address: these are loaded from any.
#define ANYWHERE __attribute__((aligned(1), may_alias))
typedef uint8_t Anywhere8 ANYWHERE;
typedef uint16_t Anywhere16 ANYWHERE;
typedef uint32_t Anywhere32 ANYWHERE;
typedef uint64_t Anywhere64 ANYWHERE;
typedef struct AnywhereBytes16 {
    Anywhere64 part[2];
} AnywhereBytes16;

enum { TILE = 16 };

// Two dimensions: rows x columns. When reading along the rows is the contiguous way, tiles keep both sides in cache.
#define PLANE(name, T, Source)                                                                                         \
    static void name(char *to_, int64_t to_row, int64_t to_col, const char *from_, int64_t from_row, int64_t from_col, \
                     int64_t rows, int64_t cols) {                                                                     \
        T *to = (T *)(void *)to_;                                                                                      \
        const Source *from = (const Source *)(const void *)from_;                                                      \
        if (to_col == 1 && from_col == 1) {                                                                            \
            for (int64_t r = 0; r < rows; r++) memcpy(to + r * to_row, from + r * from_row, (size_t)cols * sizeof(T)); \
        } else if (to_col == 1 && from_col == 0) {                                                                     \
            for (int64_t r = 0; r < rows; r++) {                                                                       \
                T x = from[r * from_row], *row = to + r * to_row;                                                      \
                for (int64_t c = 0; c < cols; c++) row[c] = x;                                                         \
            }                                                                                                          \
        } else if (llabs(from_row) < llabs(from_col) && rows > 1) {                                                    \
            for (int64_t r0 = 0; r0 < rows; r0 += TILE)                                                                \
                for (int64_t c0 = 0; c0 < cols; c0 += TILE) {                                                          \
                    int64_t r1 = r0 + TILE < rows ? r0 + TILE : rows, c1 = c0 + TILE < cols ? c0 + TILE : cols;        \
                    for (int64_t r = r0; r < r1; r++)                                                                  \
                        for (int64_t c = c0; c < c1; c++)                                                              \
                            to[r * to_row + c * to_col] = from[r * from_row + c * from_col];                           \
                }                                                                                                      \
        } else {                                                                                                       \
            for (int64_t r = 0; r < rows; r++)                                                                         \
                for (int64_t c = 0; c < cols; c++) to[r * to_row + c * to_col] = from[r * from_row + c * from_col];    \
        }                                                                                                              \
    }
PLANE(plane_1, uint8_t, Anywhere8)
PLANE(plane_2, uint16_t, Anywhere16)
PLANE(plane_4, uint32_t, Anywhere32)
PLANE(plane_8, uint64_t, Anywhere64)
PLANE(plane_16, AnywhereBytes16, AnywhereBytes16)

typedef void (*PlaneFn)(char *, int64_t, int64_t, const char *, int64_t, int64_t, int64_t, int64_t);

// For a transposing copy the plane should be (the dimension contiguous in the source) x (the last one).
static void bring_contiguous_next_to_last(StridedWalk *w) {
    uint32_t last = w->rank - 1, best = last;
    if (w->rank < 3 || w->from[last] == 0) return;
    for (uint32_t i = 0; i < last; i++)
        if (w->from[i] != 0 && llabs(w->from[i]) < llabs(w->from[best])) best = i;
    if (best == last || best == last - 1) return;
    int64_t dim = w->dims[best], to = w->to[best], from = w->from[best];
    for (uint32_t i = best; i + 1 < last; i++) {
        w->dims[i] = w->dims[i + 1];
        w->to[i] = w->to[i + 1];
        w->from[i] = w->from[i + 1];
    }
    w->dims[last - 1] = dim;
    w->to[last - 1] = to;
    w->from[last - 1] = from;
}

void copy_strided(size_t size, uint32_t rank, const int64_t *dims, void *to, const int64_t *to_strides,
                  const void *from, const int64_t *from_strides) {
    for (uint32_t i = 0; i < rank; i++)
        if (dims[i] == 0) return;
    StridedWalk w;
    simplify(&w, rank, dims, to_strides, from_strides);
    if (w.rank == 0) {
        memcpy(to, from, size);
        return;
    }
    bring_contiguous_next_to_last(&w);
    PlaneFn plane = size == 1 ? plane_1 : size == 2 ? plane_2 : size == 4 ? plane_4 : size == 8 ? plane_8 : plane_16;
    uint32_t last = w.rank - 1, outer = w.rank > 1 ? w.rank - 2 : 0;
    int64_t rows = w.rank > 1 ? w.dims[last - 1] : 1, to_row = w.rank > 1 ? w.to[last - 1] : 0,
            from_row = w.rank > 1 ? w.from[last - 1] : 0;
    int64_t index[MAX_RANK] = {0};
    int64_t to_at = 0, from_at = 0;
    for (;;) {
        plane((char *)to + to_at * (int64_t)size, to_row, w.to[last], (const char *)from + from_at * (int64_t)size,
              from_row, w.from[last], rows, w.dims[last]);
        uint32_t i = outer;
        for (; i-- > 0;) {
            to_at += w.to[i];
            from_at += w.from[i];
            if (++index[i] < w.dims[i]) break;
            to_at -= w.to[i] * w.dims[i];
            from_at -= w.from[i] * w.dims[i];
            index[i] = 0;
        }
        if (i == UINT32_MAX) return;
    }
}

void copy_into_dense(size_t size, uint32_t rank, const int64_t *dims, void *to, const void *from,
                     const int64_t *from_strides) {
    int64_t strides[MAX_RANK];
    shape_strides(rank, dims, strides);
    copy_strided(size, rank, dims, to, strides, from, from_strides);
}

void copy_splat(size_t size, void *to, const void *one, int64_t n) {
    if (n <= 0) return;
    int64_t dims[1] = {n}, to_strides[1] = {1}, from_strides[1] = {0};
    copy_strided(size, 1, dims, to, to_strides, one, from_strides);
}
