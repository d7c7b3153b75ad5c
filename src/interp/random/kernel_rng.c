// Random bits: Threefry-2x32 and Philox-4x32, counters laid out as XLA does, bit for bit; and stablehlo.rng, whose
// numbers no specification fixes.
#include "interp/elementwise/elementwise.h"
#include "interp/kernel.h"
#include "interp/movement/index.h"
#include "interp/random/random.h"
#include "interp/tensor/float.h"
#include <math.h>

// ---- Threefry ------------------------------------------------------------------------------------------------------

static uint32_t rotate(uint32_t x, int by) { return x << by | x >> (32 - by); }

// 20 rounds; after every fourth the key is added in.
static void threefry(uint64_t key, uint64_t counter, uint32_t *x) {
    static const int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    uint32_t k[3] = {(uint32_t)key, (uint32_t)(key >> 32), 0};
    k[2] = 0x1BD11BDAu ^ k[0] ^ k[1];
    x[0] = (uint32_t)counter + k[0];
    x[1] = (uint32_t)(counter >> 32) + k[1];
    for (uint32_t block = 0; block < 5; block++) {
        for (int i = 0; i < 4; i++) {
            x[0] += x[1];
            x[1] = rotate(x[1], rotations[block & 1][i]) ^ x[0];
        }
        x[0] += k[(block + 1) % 3];
        x[1] += k[(block + 2) % 3] + block + 1;
    }
}

// Two 32-bit numbers come from one counter. They are neighbours on the first even dimension, or else on the largest.
static int64_t threefry_32(uint64_t key, uint64_t counter, const Tensor *out, uint32_t *to) {
    uint32_t x[2], split = 0;
    if (out->rank == 0) {
        threefry(key, counter, x);
        to[0] = x[0];
        return 1;
    }
    bool even = false;
    for (uint32_t i = 0; i < out->rank && !even; i++) {
        even = out->dims[i] % 2 == 0;
        if (even || out->dims[i] > out->dims[split]) split = i;
    }
    int64_t inner = 1, outer = 1, size = out->dims[split], half = (size + 1) / 2;
    for (uint32_t i = 0; i < split; i++) outer *= out->dims[i];
    for (uint32_t i = split + 1; i < out->rank; i++) inner *= out->dims[i];
    for (int64_t o = 0; o < outer; o++)
        for (int64_t h = 0; h < half; h++)
            for (int64_t i = 0; i < inner; i++) {
                threefry(key, counter + (uint64_t)((o * half + h) * inner + i), x);
                for (int64_t k = 0; k < 2 && 2 * h + k < size; k++) to[(o * size + 2 * h + k) * inner + i] = x[k];
            }
    return outer * half * inner;
}

static int64_t threefry_64(uint64_t key, uint64_t counter, int64_t n, uint64_t *to) {
    for (int64_t i = 0; i < n; i++) {
        uint32_t x[2];
        threefry(key, counter + (uint64_t)i, x);
        to[i] = x[0] | (uint64_t)x[1] << 32;
    }
    return n;
}

// ---- Philox --------------------------------------------------------------------------------------------------------

static void philox(uint64_t key, uint64_t low, uint64_t high, uint32_t *x) {
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    x[0] = (uint32_t)low, x[1] = (uint32_t)(low >> 32), x[2] = (uint32_t)high, x[3] = (uint32_t)(high >> 32);
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)x[0] * 0xD2511F53u, b = (uint64_t)x[2] * 0xCD9E8D57u;
        uint32_t next[4] = {(uint32_t)(b >> 32) ^ x[1] ^ k0, (uint32_t)b, (uint32_t)(a >> 32) ^ x[3] ^ k1, (uint32_t)a};
        memcpy(x, next, sizeof next);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
}

// Fills n 32-bit numbers, four from a counter; returns how many counters were used.
static int64_t philox_fill(uint64_t key, uint64_t low, uint64_t high, int64_t n, uint32_t *to) {
    for (int64_t i = 0; i < n; i += 4) {
        uint32_t x[4];
        uint64_t at = low + (uint64_t)(i / 4);
        philox(key, at, high + (at < low), x);
        for (int64_t k = 0; k < 4 && i + k < n; k++) to[i + k] = x[k];
    }
    return (n + 3) / 4;
}

// ---- rng_bit_generator ---------------------------------------------------------------------------------------------

// The state is ui64: key, then a counter of 64 bits, or of 128 with the low half first. Philox counts with 128 bits:
// where the state has no upper half, XLA takes the key for it.
bool kernel_rng_bit_generator(Exec *e, OpId op) {
    Tensor *state = exec_in(e, op, 0);
    const Type *type = result_type(e->m, op, 1);
    bool is_threefry = span_is(op_attr_text(e->m, op, A_rng_algorithm), "THREE_FRY");
    if (state->elem != EL_UI64 || state->n < 2 || state->n > 3 || (is_threefry && state->n != 2))
        return exec_error(e, op, NULL, "a state of %lld elements of %s is not supported", (long long)state->n,
                          elem_text((Elem)state->elem));
    if (!type_is_static(type)) return exec_error(e, op, NULL, "the result's shape is not static");
    Tensor *next = exec_out(e, op, 0, state->rank, state->dims), *out = exec_out(e, op, 1, type->rank, type->dims);
    uint32_t bits = elem_bits((Elem)out->elem);
    if (bits > 64 || out->elem == EL_I1)
        return exec_error(e, op, NULL, "no random bits of type %s", elem_text((Elem)out->elem));
    uint64_t s[3] = {0}, used;
    memcpy(s, state->data, tensor_bytes(state));
    if (state->n == 2) s[2] = s[0];
    // Narrow types take the low bits of a 32-bit number each.
    void *numbers = exec_scratch_array(e, out->n, bits == 64 ? 8 : 4);
    if (is_threefry)
        used =
            (uint64_t)(bits == 64 ? threefry_64(s[0], s[1], out->n, numbers) : threefry_32(s[0], s[1], out, numbers));
    else
        used = (uint64_t)philox_fill(s[0], s[1], s[2], bits == 64 ? 2 * out->n : out->n, numbers);
    if (bits >= 32) {
        memcpy(out->data, numbers, tensor_bytes(out));
    } else {
        size_t size = elem_bytes((Elem)out->elem);
        for (int64_t i = 0; i < out->n; i++) {
            uint32_t u = ((uint32_t *)numbers)[i] & ((1u << bits) - 1);
            if (elem_class((Elem)out->elem) == CLASS_FLOAT)
                memcpy(out->data + (size_t)i * size, &u, size);
            else
                elem_write_int((Elem)out->elem, out->data + (size_t)i * size, u);
        }
    }
    uint64_t before = s[1];
    s[1] += used;
    if (s[1] < before) s[2]++;
    memcpy(next->data, s, tensor_bytes(state));
    return true;
}

// ---- rng -----------------------------------------------------------------------------------------------------------

bool kernel_rng(Exec *e, OpId op) {
    Tensor *a = exec_in(e, op, 0), *b = exec_in(e, op, 1);
    int64_t dims[MAX_RANK];
    uint32_t rank;
    if (!index_shape(e, op, 2, &rank, dims)) return false;
    Tensor *out = exec_out(e, op, 0, rank, dims);
    Elem elem = (Elem)out->elem;
    bool normal = span_is(op_attr_text(e->m, op, A_rng_distribution), "NORMAL");
    size_t size = elem_bytes(elem);
    if (elem_class(elem) == CLASS_FLOAT) {
        double x = elem_read_float(elem, a->data), y = elem_read_float(elem, b->data);
        for (int64_t i = 0; i < out->n; i++) {
            double r = normal ? x + y * random_normal(&e->rng_state) : x + (y - x) * random_uniform(&e->rng_state);
            elem_write_float(elem, out->data + (size_t)i * size, r);
        }
    } else if (elem_class(elem) != CLASS_COMPLEX && !normal) {
        int64_t low = elem_read_int(elem, a->data);
        uint64_t range = (uint64_t)elem_read_int(elem, b->data) - (uint64_t)low;
        for (int64_t i = 0; i < out->n; i++) {
            uint64_t r = random_next(&e->rng_state);
            elem_write_int(elem, out->data + (size_t)i * size, (int64_t)((uint64_t)low + (range ? r % range : 0)));
        }
    } else {
        return exec_error(e, op, NULL, "not defined for elements of type %s", elem_text(elem));
    }
    return true;
}
