// Elements as C numbers, and arrays of small floats to and from the types that they are computed in.
#include "interp/tensor/float.h"
#include "ir/float_format.h"
#include <assert.h>

// ---- One element ---------------------------------------------------------------------------------------------------

int64_t elem_read_int(Elem e, const void *p) {
    switch (elem_bytes(e)) {
    case 1: {
        uint8_t u;
        memcpy(&u, p, 1);
        return elem_class(e) == CLASS_SINT ? (int8_t)u : (int64_t)u;
    }
    case 2: {
        uint16_t u;
        memcpy(&u, p, 2);
        return elem_class(e) == CLASS_SINT ? (int16_t)u : (int64_t)u;
    }
    case 4: {
        uint32_t u;
        memcpy(&u, p, 4);
        return elem_class(e) == CLASS_SINT ? (int32_t)u : (int64_t)u;
    }
    default: {
        int64_t v;
        memcpy(&v, p, 8);
        return v;
    }
    }
}

void elem_write_int(Elem e, void *p, int64_t v) {
    uint64_t u = (uint64_t)v;
    uint32_t bits = elem_bits(e);
    if (e == EL_I1) {
        u = v != 0;
    } else if (bits < 8) {
        u &= (1u << bits) - 1;
        if (elem_class(e) == CLASS_SINT && u >> (bits - 1)) u |= ~(uint64_t)0 << bits;
    }
    uint8_t u8 = (uint8_t)u;
    uint16_t u16 = (uint16_t)u;
    uint32_t u32 = (uint32_t)u;
    switch (elem_bytes(e)) {
    case 1: memcpy(p, &u8, 1); break;
    case 2: memcpy(p, &u16, 2); break;
    case 4: memcpy(p, &u32, 4); break;
    default: memcpy(p, &u, 8); break;
    }
}

static uint64_t read_bits(uint32_t bytes, const void *p) {
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    switch (bytes) {
    case 1: return memcpy(&u8, p, 1), u8;
    case 2: return memcpy(&u16, p, 2), u16;
    case 4: return memcpy(&u32, p, 4), u32;
    default: return memcpy(&u64, p, 8), u64;
    }
}

double elem_read_float(Elem e, const void *p) { return float_to_double(e, read_bits(elem_bytes(e), p)); }

void elem_write_float(Elem e, void *p, double v) {
    uint64_t u = float_from_double(e, v);
    uint8_t u8 = (uint8_t)u;
    uint16_t u16 = (uint16_t)u;
    uint32_t u32 = (uint32_t)u;
    switch (elem_bytes(e)) {
    case 1: memcpy(p, &u8, 1); break;
    case 2: memcpy(p, &u16, 2); break;
    case 4: memcpy(p, &u32, 4); break;
    default: memcpy(p, &u, 8); break;
    }
}

// ---- Arrays --------------------------------------------------------------------------------------------------------

static void bf16_to_f32(const uint16_t *from, float *to, int64_t n) {
    for (int64_t i = 0; i < n; i++) to[i] = f32_from_bits((uint32_t)from[i] << 16);
}

static void f32_to_bf16(const float *from, uint16_t *to, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        uint32_t u = f32_bits(from[i]);
        uint32_t rounded = (u + 0x7fffu + (u >> 16 & 1)) >> 16;
        uint32_t quiet_nan = (u >> 16 & 0x8000u) | 0x7fc0u;
        to[i] = (uint16_t)((u & 0x7fffffffu) > 0x7f800000u ? quiet_nan : rounded);
    }
}

// Shifting the 15 bits of an f16 up to where f32 has them is off by the difference of biases, 2^112, which the
// multiplication puts right for subnormals too; infinity and NaN need the all-ones exponent.
static void f16_to_f32(const uint16_t *from, float *to, int64_t n) {
    const float scale = f32_from_bits((127u + 112u) << 23);
    for (int64_t i = 0; i < n; i++) {
        uint32_t h = from[i], magnitude = h & 0x7fffu;
        uint32_t finite = f32_bits(f32_from_bits(magnitude << 13) * scale);
        uint32_t special = 0x7f800000u | magnitude << 13;
        to[i] = f32_from_bits((magnitude >= 0x7c00u ? special : finite) | (h & 0x8000u) << 16);
    }
}

// Adding a power of two whose ulp is f16's makes the adder round to f16's precision.
static void f32_to_f16(const float *from, uint16_t *to, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        uint32_t u = f32_bits(from[i]), a = u & 0x7fffffffu;
        uint32_t subnormal = f32_bits(f32_from_bits(a) + 0.5f) - f32_bits(0.5f);
        uint32_t normal = (a - (112u << 23) + 0xfffu + (a >> 13 & 1)) >> 13;
        uint32_t code = a < 113u << 23 ? subnormal : a >= 0x477ff000u ? 0x7c00u : normal;
        if (a > 0x7f800000u) code = 0x7e00u;
        to[i] = (uint16_t)(code | (u >> 16 & 0x8000u));
    }
}

void floats_widen(Elem small, Elem wide, const void *from, void *to, int64_t n) {
    assert(wide == EL_F32 || wide == EL_F64);
    if (wide == EL_F32 && small == EL_BF16) {
        bf16_to_f32(from, to, n);
    } else if (wide == EL_F32 && small == EL_F16) {
        f16_to_f32(from, to, n);
    } else {
        uint32_t bytes = elem_bytes(small);
        for (int64_t i = 0; i < n; i++) {
            double x = float_to_double(small, read_bits(bytes, (const char *)from + i * bytes));
            if (wide == EL_F32)
                ((float *)to)[i] = (float)x;
            else
                ((double *)to)[i] = x;
        }
    }
}

void floats_narrow(Elem wide, Elem small, const void *from, void *to, int64_t n) {
    assert(wide == EL_F32 || wide == EL_F64);
    if (wide == EL_F32 && small == EL_BF16) {
        f32_to_bf16(from, to, n);
    } else if (wide == EL_F32 && small == EL_F16) {
        f32_to_f16(from, to, n);
    } else {
        uint32_t bytes = elem_bytes(small);
        for (int64_t i = 0; i < n; i++) {
            double x = wide == EL_F32 ? (double)((const float *)from)[i] : ((const double *)from)[i];
            elem_write_float(small, (char *)to + i * bytes, x);
        }
    }
}
