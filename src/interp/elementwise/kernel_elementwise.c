// Elementwise ops on whole tensors.
#include "interp/elementwise/elementwise.h"
#include "interp/elementwise/quant.h"
#include "interp/kernel.h"
#include "interp/tensor/copy.h"
#include "interp/tensor/float.h"
#include <math.h>
#include <stdio.h>

static bool no_kernel(Exec *e, OpId op, Elem elem) {
    return exec_error(e, op, NULL, "not defined for elements of type %s", elem_text(elem));
}

// Applies `f` to operands of one shape; a scalar stands for a tensor of it where bit i of `may_be_scalar` says so.
static bool apply(Exec *e, OpId op, const Elementwise *f, Tensor *const *in, unsigned may_be_scalar) {
    const Tensor *shape = in[0];
    for (uint32_t i = 0; i < f->n_in; i++)
        if (in[i]->rank > shape->rank) shape = in[i];
    const void *data[3];
    unsigned scalar = 0;
    for (uint32_t i = 0; i < f->n_in; i++) {
        data[i] = in[i]->data;
        if (tensor_same_shape(in[i], shape)) continue;
        if (in[i]->rank != 0 || !(may_be_scalar >> i & 1)) return exec_error(e, op, NULL, "operands differ in shape");
        scalar |= 1u << i;
    }
    Tensor *out = exec_out(e, op, 0, shape->rank, shape->dims);
    elementwise_apply_scalars(f, out->data, data, scalar, out->n);
    return true;
}

static bool run_elementwise(Exec *e, OpId op, unsigned may_be_scalar) {
    Tensor *in[3];
    Elem elems[3];
    uint32_t n = op_get(e->m, op)->n_operands;
    for (uint32_t i = 0; i < n; i++) {
        in[i] = exec_in(e, op, i);
        elems[i] = (Elem)in[i]->elem;
    }
    Elementwise f;
    if (!elementwise_find(e->m, op, elems, exec_elem(e, op, 0), &f)) return no_kernel(e, op, elems[n == 3 ? 1 : 0]);
    return apply(e, op, &f, in, may_be_scalar);
}

bool kernel_unary(Exec *e, OpId op) {
    if (op_kind(e->m, op) == OP_uniform_quantize) return quant_quantize(e, op);
    if (op_kind(e->m, op) == OP_uniform_dequantize) return quant_dequantize(e, op);
    return run_elementwise(e, op, 0);
}

bool kernel_binary(Exec *e, OpId op) { return run_elementwise(e, op, 0); }
bool kernel_compare(Exec *e, OpId op) { return run_elementwise(e, op, 0); }
bool kernel_complex(Exec *e, OpId op) { return run_elementwise(e, op, 0); }
bool kernel_select(Exec *e, OpId op) { return run_elementwise(e, op, 1); }
bool kernel_clamp(Exec *e, OpId op) { return run_elementwise(e, op, 1 | 4); }

bool kernel_convert(Exec *e, OpId op) {
    Tensor *x = exec_in(e, op, 0);
    if (x->elem != exec_elem(e, op, 0)) return run_elementwise(e, op, 0);
    exec_set(e, op, 0, exec_take(e, op, 0));
    return true;
}

// ---- chlo.broadcast_* ----------------------------------------------------------------------------------------------

// chlo.broadcast_add computes stablehlo.add.
static OpKind base_kind(const Module *m, OpKind kind) {
    const char *rest = op_info[kind].name + strlen("chlo.broadcast_");
    char name[64];
    snprintf(name, sizeof name, "stablehlo.%s", rest);
    OpKind base = op_from_name(m, span_of(name));
    if (base != OP_COUNT) return base;
    snprintf(name, sizeof name, "chlo.%s", rest);
    return op_from_name(m, span_of(name));
}

// The operand stretched to the result's shape; its dimensions lie at `where`, or at the end.
static Tensor *stretch(Exec *e, Tensor *x, uint32_t rank, const int64_t *dims, const int64_t *where) {
    int64_t strides[MAX_RANK], from[MAX_RANK] = {0};
    shape_strides(x->rank, x->dims, strides);
    for (uint32_t i = 0; i < x->rank; i++) {
        int64_t d = where ? where[i] : (int64_t)(rank - x->rank + i);
        from[d] = x->dims[i] == 1 ? 0 : strides[i];
    }
    Tensor *out = exec_new(e, (Elem)x->elem, rank, dims);
    copy_into_dense(elem_bytes((Elem)x->elem), rank, dims, out->data, x->data, from);
    return out;
}

bool kernel_broadcasting(Exec *e, OpId op) {
    Tensor *in[3];
    Elem elems[3];
    int64_t dims[MAX_RANK];
    uint32_t n = op_get(e->m, op)->n_operands, rank = 0, n_where;
    const int64_t *where = op_attr_ints(e->m, op, A_broadcast_dimensions, &n_where);
    for (uint32_t i = 0; i < n; i++) {
        in[i] = exec_in(e, op, i);
        elems[i] = (Elem)in[i]->elem;
        if (in[i]->rank > rank) rank = in[i]->rank;
    }
    for (uint32_t d = 0; d < rank; d++) dims[d] = 1;
    for (uint32_t i = 0; i < n; i++) {
        bool mapped = where && in[i]->rank < rank && n_where == in[i]->rank;
        for (uint32_t k = 0; k < in[i]->rank; k++) {
            int64_t d = mapped ? where[k] : (int64_t)(rank - in[i]->rank + k);
            if (d < 0 || d >= rank)
                return exec_error(e, op, NULL, "broadcast dimension %lld is out of range", (long long)d);
            if (dims[d] == 1)
                dims[d] = in[i]->dims[k];
            else if (in[i]->dims[k] != 1 && in[i]->dims[k] != dims[d])
                return exec_error(e, op, NULL, "operands of sizes %lld and %lld do not broadcast", (long long)dims[d],
                                  (long long)in[i]->dims[k]);
        }
    }
    for (uint32_t i = 0; i < n; i++)
        in[i] = stretch(e, in[i], rank, dims, where && in[i]->rank < rank && n_where == in[i]->rank ? where : NULL);
    OpKind base = base_kind(e->m, op_kind(e->m, op));
    Elementwise f;
    bool found = base == OP_compare ? elementwise_find(e->m, op, elems, EL_I1, &f)
                                    : elementwise_find_kind(base, n, elems, exec_elem(e, op, 0), &f);
    if (!found) return no_kernel(e, op, elems[0]);
    bool good = apply(e, op, &f, in, 0);
    for (uint32_t i = 0; i < n; i++) tensor_release(&e->heap, in[i]);
    return good;
}

bool kernel_constant_like(Exec *e, OpId op) {
    Tensor *x = exec_in(e, op, 0), *out = exec_out(e, op, 0, x->rank, x->dims);
    const Attr *a = attr_get(e->m, op_attr(e->m, op, A_value));
    Elem elem = (Elem)out->elem;
    size_t size = elem_bytes(elem);
    char one[16] = {0};
    double number = a->kind == ATTR_FLOAT ? a->f : (double)a->i;
    if (elem_class(elem) == CLASS_COMPLEX)
        elem_write_float(elem == EL_C64 ? EL_F32 : EL_F64, one, number);
    else if (elem_class(elem) == CLASS_FLOAT)
        elem_write_float(elem, one, number);
    else
        elem_write_int(elem, one, a->kind == ATTR_FLOAT ? (int64_t)a->f : a->i);
    for (int64_t i = 0; i < out->n; i++) memcpy(out->data + (size_t)i * size, one, size);
    return true;
}

// ---- reduce_precision ----------------------------------------------------------------------------------------------

// Rounds to `m` mantissa bits, to nearest even; then exponents beyond `x` bits become infinity or zero.
static double reduce_precision(double value, int x, int m) {
    if (value != value) return m > 0 ? value : (double)INFINITY;
    uint64_t bits = f64_bits(value), sign = bits & (uint64_t)1 << 63;
    if (m < 52) {
        uint64_t last = (uint64_t)1 << (52 - m);
        bits += (last >> 1) - 1 + ((bits & last) != 0);
        bits &= ~(last - 1);
    }
    int bias = (1 << (x - 1)) - 1, exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    if (x < 11 && exponent > bias) return f64_from_bits(sign | (uint64_t)0x7ff << 52);
    if (x < 11 && exponent <= -bias) return f64_from_bits(sign);
    return f64_from_bits(bits);
}

bool kernel_reduce_precision(Exec *e, OpId op) {
    Tensor *x = exec_in(e, op, 0), *out = exec_out(e, op, 0, x->rank, x->dims);
    int64_t exponent = op_attr_int(e->m, op, A_exponent_bits, 11),
            mantissa = op_attr_int(e->m, op, A_mantissa_bits, 52);
    if (exponent < 1 || mantissa < 0)
        return exec_error(e, op, NULL, "%lld exponent and %lld mantissa bits", (long long)exponent,
                          (long long)mantissa);
    Elem elem = (Elem)x->elem;
    if (elem_class(elem) != CLASS_FLOAT) return no_kernel(e, op, elem);
    size_t size = elem_bytes(elem);
    // As many exponent bits as the type has change nothing, not even its subnormals, which are normal doubles.
    uint32_t own = elem == EL_F64                        ? 11
                   : elem == EL_F16 || elem == EL_F8E5M2 ? 5
                   : elem == EL_F32 || elem == EL_BF16   ? 8
                                                         : 4;
    for (int64_t i = 0; i < x->n; i++) {
        double v = elem_read_float(elem, x->data + (size_t)i * size);
        double r = reduce_precision(v, exponent >= own ? 11 : (int)exponent, mantissa > 52 ? 52 : (int)mantissa);
        elem_write_float(elem, out->data + (size_t)i * size, r);
    }
    return true;
}

// ---- bitcast_convert -----------------------------------------------------------------------------------------------

// The bits of all elements in a row, cut anew: f32[2] -> ui8[2, 4], or i4[2] -> i8.
bool kernel_bitcast_convert(Exec *e, OpId op) {
    Tensor *x = exec_in(e, op, 0);
    Elem from = (Elem)x->elem, to = exec_elem(e, op, 0);
    uint32_t from_bits = elem_bits(from), to_bits = elem_bits(to);
    int64_t dims[MAX_RANK + 1];
    uint32_t rank = x->rank;
    for (uint32_t i = 0; i < rank; i++) dims[i] = x->dims[i];
    if (from_bits > to_bits)
        dims[rank++] = from_bits / to_bits;
    else if (from_bits < to_bits) {
        if (rank == 0 || dims[rank - 1] != (int64_t)(to_bits / from_bits))
            return exec_error(e, op, NULL, "the last dimension must be %u", to_bits / from_bits);
        rank--;
    }
    Tensor *out = exec_out(e, op, 0, rank, dims);
    if (from_bits % 8 == 0 && to_bits % 8 == 0) {
        memcpy(out->data, x->data, tensor_bytes(out));
        return true;
    }
    // Sub-byte elements lie in a byte each: gather the bits of one group, low ones first, then hand them out.
    uint32_t group = from_bits > to_bits ? from_bits : to_bits;
    if (group > 64)
        return exec_error(e, op, NULL, "bit casts between %s and %s are not supported", elem_text(from), elem_text(to));
    int64_t in_at = 0, out_at = 0;
    while (in_at < x->n) {
        uint64_t bits = 0;
        for (uint32_t k = 0; k < group; k += from_bits, in_at++) {
            uint64_t mask = ~(uint64_t)0 >> (64 - from_bits);
            bits |= ((uint64_t)elem_read_int(from, x->data + (size_t)in_at * elem_bytes(from)) & mask) << k;
        }
        for (uint32_t k = 0; k < group; k += to_bits, out_at++)
            elem_write_int(to, out->data + (size_t)out_at * elem_bytes(to), (int64_t)(bits >> k));
    }
    return true;
}
