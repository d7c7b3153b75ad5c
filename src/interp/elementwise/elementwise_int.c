// Integer and boolean loops. Arithmetic wraps around; x / 0 is all ones and x % 0 is x; a shift by the width or more
// leaves zeros (or copies of the sign). Sub-byte results carry stray high bits: elementwise_apply wraps them.
#include "interp/elementwise/elementwise.h"

// Columns: element type, C type, unsigned type of its width, unsigned type that does not promote to int, bits.
#define SIGNED_TYPES(X)                                                                                                \
    X(I2, int8_t, uint8_t, uint32_t, 2)                                                                                \
    X(I4, int8_t, uint8_t, uint32_t, 4)                                                                                \
    X(I8, int8_t, uint8_t, uint32_t, 8)                                                                                \
    X(I16, int16_t, uint16_t, uint32_t, 16)                                                                            \
    X(I32, int32_t, uint32_t, uint32_t, 32)                                                                            \
    X(I64, int64_t, uint64_t, uint64_t, 64)
#define UNSIGNED_TYPES(X)                                                                                              \
    X(UI2, uint8_t, uint8_t, uint32_t, 2)                                                                              \
    X(UI4, uint8_t, uint8_t, uint32_t, 4)                                                                              \
    X(UI8, uint8_t, uint8_t, uint32_t, 8)                                                                              \
    X(UI16, uint16_t, uint16_t, uint32_t, 16)                                                                          \
    X(UI32, uint32_t, uint32_t, uint32_t, 32)                                                                          \
    X(UI64, uint64_t, uint64_t, uint64_t, 64)
#define BOTH_TYPES(X) SIGNED_TYPES(X) UNSIGNED_TYPES(X)

#define LOOP1(name, id, T, expr)                                                                                       \
    static void name##_##id(void *o, const void *const *in, int64_t n) {                                               \
        T *out = o;                                                                                                    \
        const T *a = in[0];                                                                                            \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            T x = a[i];                                                                                                \
            out[i] = (T)(expr);                                                                                        \
        }                                                                                                              \
    }
#define LOOP2(name, id, T, expr)                                                                                       \
    static void name##_##id(void *o, const void *const *in, int64_t n) {                                               \
        T *out = o;                                                                                                    \
        const T *a = in[0], *b = in[1];                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            T x = a[i], y = b[i];                                                                                      \
            out[i] = (T)(expr);                                                                                        \
        }                                                                                                              \
    }
#define LOOP3(name, id, T, expr)                                                                                       \
    static void name##_##id(void *o, const void *const *in, int64_t n) {                                               \
        T *out = o;                                                                                                    \
        const T *a = in[0], *b = in[1], *c = in[2];                                                                    \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            T x = a[i], y = b[i], z = c[i];                                                                            \
            out[i] = (T)(expr);                                                                                        \
        }                                                                                                              \
    }

// The bits that count, of an element held in a wider C type.
#define MASK(bits)      (~(uint64_t)0 >> (64 - (bits)))
#define LOW(x, U, bits) ((U)((U)(x) & (U)MASK(bits)))

static uint32_t count_ones(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (uint32_t)(x * 0x0101010101010101u >> 56);
}

static uint32_t leading_zeros(uint64_t x, uint32_t bits) {
    for (uint32_t s = 1; s < 64; s *= 2) x |= x >> s;
    return bits - count_ones(x);
}

static uint64_t power_unsigned(uint64_t base, uint64_t exponent) {
    uint64_t result = 1;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) result *= base;
        base *= base;
    }
    return result;
}

static int64_t power_signed(int64_t base, int64_t exponent) {
    if (exponent < 0) return base == 1 ? 1 : base != -1 ? 0 : exponent & 1 ? -1 : 1;
    return (int64_t)power_unsigned((uint64_t)base, (uint64_t)exponent);
}

// The upper half of the product.
static uint64_t mulhi_u64(uint64_t x, uint64_t y) {
    uint64_t xl = x & 0xffffffffu, xh = x >> 32, yl = y & 0xffffffffu, yh = y >> 32;
    uint64_t low = xl * yl, mid = xh * yl + (low >> 32), cross = xl * yh + (mid & 0xffffffffu);
    return xh * yh + (mid >> 32) + (cross >> 32);
}

static int64_t mulhi_s64(int64_t x, int64_t y) {
    uint64_t high = mulhi_u64((uint64_t)x, (uint64_t)y);
    if (x < 0) high -= (uint64_t)y;
    if (y < 0) high -= (uint64_t)x;
    return (int64_t)high;
}

#define DEFINE_BOTH(id, T, U, W, bits)                                                                                 \
    LOOP2(add, id, T, (W)x + (W)y)                                                                                     \
    LOOP2(subtract, id, T, (W)x - (W)y)                                                                                \
    LOOP2(multiply, id, T, (W)x *(W)y)                                                                                 \
    LOOP2(maximum, id, T, x > y ? x : y)                                                                               \
    LOOP2(minimum, id, T, x < y ? x : y)                                                                               \
    LOOP2(and, id, T, (U)x &(U)y)                                                                                      \
    LOOP2(or, id, T, (U)x | (U)y)                                                                                      \
    LOOP2(xor, id, T, (U)x ^ (U)y)                                                                                     \
    LOOP2(shift_left, id, T, LOW(y, U, bits) >= bits ? 0 : (W)x << LOW(y, U, bits))                                    \
    LOOP2(shift_right_logical, id, T, LOW(y, U, bits) >= bits ? 0 : LOW(x, U, bits) >> LOW(y, U, bits))                \
    LOOP3(clamp, id, T, z < (x > y ? x : y) ? z : (x > y ? x : y))                                                     \
    LOOP1(not, id, T, ~(U)x)                                                                                           \
    LOOP1(negate, id, T, (W)0 - (W)x)                                                                                  \
    LOOP1(chlo_square, id, T, (W)x *(W)x)                                                                              \
    LOOP1(popcnt, id, T, count_ones(LOW(x, U, bits)))                                                                  \
    LOOP1(count_leading_zeros, id, T, leading_zeros(LOW(x, U, bits), bits))
BOTH_TYPES(DEFINE_BOTH)

#define DEFINE_SIGNED(id, T, U, W, bits)                                                                               \
    LOOP2(divide, id, T, y == 0 ? -1 : y == -1 ? (T)((W)0 - (W)x) : x / y)                                             \
    LOOP2(remainder, id, T, y == 0 ? x : y == -1 ? 0 : x % y)                                                          \
    LOOP2(power, id, T, power_signed(x, y))                                                                            \
    LOOP2(shift_right_arithmetic, id, T, LOW(y, U, bits) >= bits ? (x < 0 ? -1 : 0) : x >> LOW(y, U, bits))            \
    LOOP1(abs, id, T, x < 0 ? (W)0 - (W)x : (W)x)                                                                      \
    LOOP1(sign, id, T, (x > 0) - (x < 0))
SIGNED_TYPES(DEFINE_SIGNED)

#define DEFINE_UNSIGNED(id, T, U, W, bits)                                                                             \
    LOOP2(divide, id, T, y == 0 ? (T)-1 : x / y)                                                                       \
    LOOP2(remainder, id, T, y == 0 ? x : x % y)                                                                        \
    LOOP2(power, id, T, power_unsigned(x, y))                                                                          \
    LOOP2(shift_right_arithmetic, id, T,                                                                               \
          (x >> (bits - 1) ? ~((U)MASK(bits) >> (y >= bits ? bits - 1 : y)) : 0) | x >> (y >= bits ? bits - 1 : y))    \
    LOOP1(abs, id, T, x)                                                                                               \
    LOOP1(sign, id, T, x != 0)
UNSIGNED_TYPES(DEFINE_UNSIGNED)

LOOP2(chlo_mulhi, I32, int32_t, (int64_t)x *y >> 32)
LOOP2(chlo_mulhi, UI32, uint32_t, (uint64_t)x *y >> 32)
LOOP2(chlo_mulhi, I64, int64_t, mulhi_s64(x, y))
LOOP2(chlo_mulhi, UI64, uint64_t, mulhi_u64(x, y))

LOOP2(and, I1, uint8_t, x &y)
LOOP2(or, I1, uint8_t, x | y)
LOOP2(xor, I1, uint8_t, x ^ y)
LOOP3(clamp, I1, uint8_t, (x | y) & z)
LOOP1(not, I1, uint8_t, !x)

#define COLUMN_(name, id) [EL_##id] = name##_##id,
#define COLUMNS(name)                                                                                                  \
    COLUMN_(name, I2)                                                                                                  \
    COLUMN_(name, I4)                                                                                                  \
    COLUMN_(name, I8)                                                                                                  \
    COLUMN_(name, I16) COLUMN_(name, I32) COLUMN_(name, I64) COLUMN_(name, UI2) COLUMN_(name, UI4) COLUMN_(name, UI8)  \
        COLUMN_(name, UI16) COLUMN_(name, UI32) COLUMN_(name, UI64)

// One row for each op; i1 adds by `or` and multiplies by `and`.
static const struct IntRow {
    OpKind kind;
    ElemFn fn[EL_COUNT];
} rows[] = {
    {OP_abs, {COLUMNS(abs)}},
    {OP_add, {COLUMNS(add)[EL_I1] = or_I1}},
    {OP_and, {COLUMNS(and)[EL_I1] = and_I1}},
    {OP_clamp, {COLUMNS(clamp)[EL_I1] = clamp_I1}},
    {OP_count_leading_zeros, {COLUMNS(count_leading_zeros)}},
    {OP_divide, {COLUMNS(divide)}},
    {OP_maximum, {COLUMNS(maximum)[EL_I1] = or_I1}},
    {OP_minimum, {COLUMNS(minimum)[EL_I1] = and_I1}},
    {OP_multiply, {COLUMNS(multiply)[EL_I1] = and_I1}},
    {OP_negate, {COLUMNS(negate)}},
    {OP_not, {COLUMNS(not)[EL_I1] = not_I1}},
    {OP_or, {COLUMNS(or)[EL_I1] = or_I1}},
    {OP_popcnt, {COLUMNS(popcnt)}},
    {OP_power, {COLUMNS(power)}},
    {OP_remainder, {COLUMNS(remainder)}},
    {OP_shift_left, {COLUMNS(shift_left)}},
    {OP_shift_right_arithmetic, {COLUMNS(shift_right_arithmetic)}},
    {OP_shift_right_logical, {COLUMNS(shift_right_logical)}},
    {OP_sign, {COLUMNS(sign)}},
    {OP_subtract, {COLUMNS(subtract)}},
    {OP_xor, {COLUMNS(xor)[EL_I1] = xor_I1}},
    {OP_chlo_mulhi,
     {COLUMN_(chlo_mulhi, I32) COLUMN_(chlo_mulhi, UI32) COLUMN_(chlo_mulhi, I64) COLUMN_(chlo_mulhi, UI64)}},
    {OP_chlo_square, {COLUMNS(chlo_square)}},
};

ElemFn elementwise_int_fn(OpKind kind, Elem as) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].kind == kind) return rows[i].fn[as];
    return NULL;
}
