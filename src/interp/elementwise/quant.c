// Quantization: to and from integers, and arithmetic through floats.
#include "interp/elementwise/quant.h"
#include "interp/elementwise/elementwise.h"
#include "interp/kernel.h"
#include "interp/tensor/float.h"
#include <math.h>

bool quant_needs_floats(OpKind kind) {
    static const KernelFn arithmetic[] = {kernel_unary,      kernel_binary,      kernel_compare, kernel_clamp,
                                          kernel_convert,    kernel_dot_general, kernel_einsum,  kernel_convolution,
                                          kernel_batch_norm, kernel_broadcasting};
    if (kind == OP_uniform_quantize || kind == OP_uniform_dequantize) return false;
    for (size_t i = 0; i < sizeof arithmetic / sizeof *arithmetic; i++)
        if (kernel_of(kind) == arithmetic[i]) return true;
    return false;
}

// How far apart elements of neighbouring scales are, for parameters along an axis.
static int64_t scale_run(const Quant *q, const Tensor *t) {
    int64_t run = 1;
    if (q->axis < 0) return t->n ? t->n : 1;
    for (uint32_t i = (uint32_t)q->axis + 1; i < t->rank; i++) run *= t->dims[i];
    return run ? run : 1;
}

static uint32_t scale_index(const Quant *q, int64_t run, int64_t i) {
    return q->axis < 0 ? 0 : (uint32_t)(i / run % q->n);
}

// (q - zero) * scale, in f32 for all but f64.
static Tensor *dequantized(Exec *e, const Quant *q, const Tensor *t) {
    Tensor *out = exec_new(e, q->expressed, t->rank, t->dims);
    int64_t run = scale_run(q, t);
    size_t size = elem_bytes(q->storage), out_size = elem_bytes(q->expressed);
    for (int64_t i = 0; i < t->n; i++) {
        uint32_t k = scale_index(q, run, i);
        double value = (double)(elem_read_int(q->storage, t->data + (size_t)i * size) - q->zeros[k]);
        double x = q->expressed == EL_F64 ? value * q->scales[k] : (double)((float)value * (float)q->scales[k]);
        elem_write_float(q->expressed, out->data + (size_t)i * out_size, x);
    }
    return out;
}

// x / scale to the nearest integer, ties to even; plus zero; NaN as 0; kept within the storage range.
static Tensor *quantized(Exec *e, const Quant *q, const Tensor *t) {
    Tensor *out = exec_new(e, q->storage, t->rank, t->dims);
    int64_t run = scale_run(q, t);
    size_t size = elem_bytes((Elem)t->elem), out_size = elem_bytes(q->storage);
    for (int64_t i = 0; i < t->n; i++) {
        uint32_t k = scale_index(q, run, i);
        double x = elem_read_float((Elem)t->elem, t->data + (size_t)i * size);
        double steps = q->expressed == EL_F64 ? x / q->scales[k] : (double)((float)x / (float)q->scales[k]);
        double value = rint(steps) + (double)q->zeros[k];
        if (value != value) value = 0;
        int64_t v = value <= (double)q->storage_min   ? q->storage_min
                    : value >= (double)q->storage_max ? q->storage_max
                                                      : (int64_t)value;
        elem_write_int(q->storage, out->data + (size_t)i * out_size, v);
    }
    return out;
}

static const Quant *quant_of(const Module *m, ValueId v) {
    const Type *t = value_tensor(m, v);
    return t->elem == EL_QUANT ? &m->quants.at[t->quant] : NULL;
}

bool quant_quantize(Exec *e, OpId op) {
    const Quant *from = quant_of(e->m, op_operand(e->m, op, 0)), *to = quant_of(e->m, op_result(e->m, op, 0));
    Tensor *x = from ? dequantized(e, from, exec_in(e, op, 0)) : tensor_retain(exec_in(e, op, 0));
    if (elem_class((Elem)x->elem) != CLASS_FLOAT)
        return exec_error(e, op, NULL, "not defined for elements of type %s", elem_text((Elem)x->elem));
    exec_set(e, op, 0, quantized(e, to, x));
    tensor_release(&e->heap, x);
    return true;
}

bool quant_dequantize(Exec *e, OpId op) {
    exec_set(e, op, 0, dequantized(e, quant_of(e->m, op_operand(e->m, op, 0)), exec_in(e, op, 0)));
    return true;
}

// The operands' floats stand in the environment while the kernel runs.
bool quant_run(Exec *e, OpId op, KernelFn kernel) {
    const Op *o = op_get(e->m, op);
    Tensor **stored = exec_scratch(e, o->n_operands * sizeof *stored);
    for (uint32_t i = 0; i < o->n_operands; i++) {
        ValueId v = op_operand(e->m, op, i);
        const Quant *q = quant_of(e->m, v);
        Tensor *t = exec_get(e, e->device, v);
        stored[i] = NULL;
        if (!q || elem_class((Elem)t->elem) == CLASS_FLOAT) continue; // an earlier operand was the same value
        stored[i] = tensor_retain(t);
        exec_put(e, e->device, v, dequantized(e, q, t));
    }
    e->dequantized = true;
    bool good = kernel(e, op);
    e->dequantized = false;
    if (!good) return false;
    for (uint32_t i = 0; i < o->n_operands; i++)
        if (stored[i]) exec_put(e, e->device, op_operand(e->m, op, i), stored[i]);
    for (uint32_t i = 0; i < o->n_results; i++) {
        const Quant *q = quant_of(e->m, op_result(e->m, op, i));
        if (q) exec_set(e, op, i, quantized(e, q, exec_get(e, e->device, op_result(e->m, op, i))));
    }
    return true;
}
