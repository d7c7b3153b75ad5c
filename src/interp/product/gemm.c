// Blocked matrix product. B is packed in panels of NR columns and A in panels of MR rows, so that the inner kernel
// reads both in order and keeps an MR x NR tile of C in registers.
#include "interp/product/gemm.h"
#include "interp/tensor/complex.h"

#if defined(__x86_64__) && defined(__ELF__) && !defined(__SANITIZE_ADDRESS__) && !defined(__COSMOPOLITAN__)
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FOR_EACH_CPU
#endif
#endif
#ifndef FOR_EACH_CPU
#define FOR_EACH_CPU __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#else
#define FOR_EACH_CPU
#endif

enum { MR = 6, NR_BYTES = 64, KC = 256, MC = 16 * MR, NC_BYTES = 64 * NR_BYTES };

// Vectors that need no alignment of their own and fit what the widest clone has.
typedef float F32x8 __attribute__((vector_size(32), aligned(4)));
typedef double F64x4 __attribute__((vector_size(32), aligned(8)));

// NR = two vectors. `a` holds MR values for each p, `b` NR values. Rows beyond `rows` and columns beyond `cols` are not
// stored.
#define KERNEL(name, T, V, LANES)                                                                                      \
    FOR_EACH_CPU static void name(int64_t kc, const T *a, const T *b, T *c, int64_t ldc, int64_t rows, int64_t cols) { \
        V acc[MR][2] = {0};                                                                                            \
        for (int64_t p = 0; p < kc; p++) {                                                                             \
            V b0 = *(const V *)(const void *)b, b1 = *(const V *)(const void *)(b + LANES);                            \
            for (int i = 0; i < MR; i++) {                                                                             \
                acc[i][0] += a[i] * b0;                                                                                \
                acc[i][1] += a[i] * b1;                                                                                \
            }                                                                                                          \
            a += MR;                                                                                                   \
            b += 2 * LANES;                                                                                            \
        }                                                                                                              \
        for (int64_t i = 0; i < rows; i++)                                                                             \
            for (int64_t j = 0; j < cols; j++) c[i * ldc + j] += acc[i][j / LANES][j % LANES];                         \
    }
KERNEL(kernel_f32, float, F32x8, 8)
KERNEL(kernel_f64, double, F64x4, 4)

// Panels are filled up with zeros.
#define BLOCKED(name, T, kernel, NR)                                                                                   \
    static void name##_pack_a(T *to, const T *a, int64_t row, int64_t column, int64_t m, int64_t k) {                  \
        for (int64_t i0 = 0; i0 < m; i0 += MR)                                                                         \
            for (int64_t p = 0; p < k; p++)                                                                            \
                for (int64_t i = 0; i < MR; i++) *to++ = i0 + i < m ? a[(i0 + i) * row + p * column] : 0;              \
    }                                                                                                                  \
    static void name##_pack_b(T *to, const T *b, int64_t row, int64_t column, int64_t k, int64_t n) {                  \
        for (int64_t j0 = 0; j0 < n; j0 += NR)                                                                         \
            for (int64_t p = 0; p < k; p++) {                                                                          \
                const T *from = b + p * row + j0 * column;                                                             \
                int64_t w = n - j0 < NR ? n - j0 : NR;                                                                 \
                if (column == 1)                                                                                       \
                    for (int64_t j = 0; j < w; j++) to[j] = from[j];                                                   \
                else                                                                                                   \
                    for (int64_t j = 0; j < w; j++) to[j] = from[j * column];                                          \
                for (int64_t j = w; j < NR; j++) to[j] = 0;                                                            \
                to += NR;                                                                                              \
            }                                                                                                          \
    }                                                                                                                  \
    static void name(int64_t m, int64_t n, int64_t k, Matrix a, Matrix b, T *c, T *workspace) {                        \
        enum { NC = NC_BYTES / (int)sizeof(T) };                                                                       \
        T *packed_a = workspace, *packed_b = workspace + MC * KC;                                                      \
        for (int64_t j0 = 0; j0 < n; j0 += NC) {                                                                       \
            int64_t nc = n - j0 < NC ? n - j0 : NC;                                                                    \
            for (int64_t p0 = 0; p0 < k; p0 += KC) {                                                                   \
                int64_t kc = k - p0 < KC ? k - p0 : KC;                                                                \
                name##_pack_b(packed_b, (const T *)b.data + p0 * b.row + j0 * b.column, b.row, b.column, kc, nc);      \
                for (int64_t i0 = 0; i0 < m; i0 += MC) {                                                               \
                    int64_t mc = m - i0 < MC ? m - i0 : MC;                                                            \
                    name##_pack_a(packed_a, (const T *)a.data + i0 * a.row + p0 * a.column, a.row, a.column, mc, kc);  \
                    for (int64_t j = 0; j < nc; j += NR)                                                               \
                        for (int64_t i = 0; i < mc; i += MR)                                                           \
                            kernel(kc, packed_a + i * kc, packed_b + j * kc, c + (i0 + i) * n + j0 + j, n,             \
                                   mc - i < MR ? mc - i : MR, nc - j < NR ? nc - j : NR);                              \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }
BLOCKED(gemm_f32, float, kernel_f32, 16)
BLOCKED(gemm_f64, double, kernel_f64, 8)

// Row by row: a(i, p) times row p of B.
#define PLAIN(name, T, multiply_add)                                                                                   \
    FOR_EACH_CPU static void name(int64_t m, int64_t n, int64_t k, Matrix a, Matrix b, T *c) {                         \
        for (int64_t i = 0; i < m; i++)                                                                                \
            for (int64_t p = 0; p < k; p++) {                                                                          \
                T x = ((const T *)a.data)[i * a.row + p * a.column], *to = c + i * n;                                  \
                const T *from = (const T *)b.data + p * b.row;                                                         \
                for (int64_t j = 0; j < n; j++) {                                                                      \
                    T y = from[j * b.column];                                                                          \
                    multiply_add;                                                                                      \
                }                                                                                                      \
            }                                                                                                          \
    }
PLAIN(gemm_i32, uint32_t, to[j] += x * y)
PLAIN(gemm_i64, uint64_t, to[j] += x * y)
PLAIN(gemm_c64, Complex64, (to[j].re += x.re * y.re - x.im * y.im, to[j].im += x.re * y.im + x.im * y.re))
PLAIN(gemm_c128, Complex128, (to[j].re += x.re * y.re - x.im * y.im, to[j].im += x.re * y.im + x.im * y.re))

size_t gemm_workspace(Elem elem) {
    size_t size = elem_bytes(elem);
    return elem == EL_F32 || elem == EL_F64 ? (size_t)MC * KC * size + (size_t)KC * NC_BYTES : 0;
}

void gemm(Elem elem, int64_t m, int64_t n, int64_t k, Matrix a, Matrix b, void *c, void *workspace) {
    switch (elem) {
    case EL_F32: gemm_f32(m, n, k, a, b, c, workspace); break;
    case EL_F64: gemm_f64(m, n, k, a, b, c, workspace); break;
    case EL_C64: gemm_c64(m, n, k, a, b, c); break;
    case EL_C128: gemm_c128(m, n, k, a, b, c); break;
    case EL_I32: gemm_i32(m, n, k, a, b, c); break;
    default: gemm_i64(m, n, k, a, b, c); break;
    }
}
