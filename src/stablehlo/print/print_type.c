// Types: tensor<4x?xf32, #stablehlo.bounds<?, 8>>, tuple<…>, (tensor<f32>) -> tensor<f32>, !stablehlo.token.
#include "ir/float_format.h"
#include "stablehlo/print/print_state.h"

// !quant.uniform<i8<-127:127>:f32:1, {1.000000e+00:3,2.500000e-01}>
static void print_quant(const Quant *q, Buffer *out) {
    bool is_unsigned = elem_class(q->storage) == CLASS_UINT;
    uint32_t bits = elem_bits(q->storage);
    int64_t min = is_unsigned ? 0 : -(INT64_C(1) << (bits - 1)), max = min + (INT64_C(1) << bits) - 1;
    buf_str(out, "!quant.uniform<");
    buf_char(out, is_unsigned ? 'u' : 'i');
    buf_uint(out, bits);
    if (q->storage_min != min || q->storage_max != max) {
        buf_char(out, '<');
        buf_int(out, q->storage_min);
        buf_char(out, ':');
        buf_int(out, q->storage_max);
        buf_char(out, '>');
    }
    buf_char(out, ':');
    buf_str(out, elem_text(q->expressed));
    if (q->axis >= 0) {
        buf_char(out, ':');
        buf_int(out, q->axis);
    }
    buf_str(out, q->axis >= 0 ? ", {" : ", ");
    for (uint32_t i = 0; i < q->n; i++) {
        if (i) buf_char(out, ',');
        print_float(EL_F64, float_from_double(EL_F64, q->scales[i]), out);
        if (!q->zeros[i]) continue;
        buf_char(out, ':');
        buf_int(out, q->zeros[i]);
    }
    buf_str(out, q->axis >= 0 ? "}>" : ">");
}

static void print_elem(const Module *m, const Type *t, Buffer *out) {
    if (t->elem != EL_QUANT) {
        buf_str(out, elem_text((Elem)t->elem));
        return;
    }
    const Quant *q = &m->quants.at[t->quant];
    if (q->n)
        print_quant(q, out);
    else
        buf_span(out, q->text); // blockwise scales are kept as text alone
}

static void print_tensor(const Module *m, const Type *t, Buffer *out) {
    buf_str(out, "tensor<");
    for (uint32_t i = 0; i < t->rank; i++) {
        if (t->dims[i] == DIM_DYNAMIC)
            buf_char(out, '?');
        else
            buf_int(out, t->dims[i]);
        buf_char(out, 'x');
    }
    print_elem(m, t, out);
    if (t->encoding != NO_ID) {
        buf_str(out, ", ");
        print_attr(m, t->encoding, out);
    }
    buf_char(out, '>');
}

static void print_types(const Module *m, const TypeId *types, uint32_t n, Buffer *out) {
    for (uint32_t i = 0; i < n; i++) {
        if (i) buf_str(out, ", ");
        print_type(m, types[i], out);
    }
}

static void print_function_type(const Module *m, const Type *t, Buffer *out) {
    uint32_t n_results = t->rank - t->n_inputs;
    const TypeId *results = t->parts + t->n_inputs;
    buf_char(out, '(');
    print_types(m, t->parts, t->n_inputs, out);
    buf_str(out, ") -> ");
    bool bare = n_results == 1 && type_get(m, results[0])->kind != TYPE_FUNCTION;
    if (!bare) buf_char(out, '(');
    print_types(m, results, n_results, out);
    if (!bare) buf_char(out, ')');
}

void print_type(const Module *m, TypeId id, Buffer *out) {
    const Type *t = type_get(m, id);
    switch ((TypeKind)t->kind) {
    case TYPE_TENSOR: print_tensor(m, t, out); break;
    case TYPE_UNRANKED:
        buf_str(out, "tensor<*x");
        print_elem(m, t, out);
        buf_char(out, '>');
        break;
    case TYPE_SCALAR: print_elem(m, t, out); break;
    case TYPE_TOKEN: buf_str(out, "!stablehlo.token"); break;
    case TYPE_TUPLE:
        buf_str(out, "tuple<");
        print_types(m, t->parts, t->rank, out);
        buf_char(out, '>');
        break;
    case TYPE_FUNCTION: print_function_type(m, t, out); break;
    case TYPE_NONE: buf_str(out, "none"); break;
    case TYPE_OPAQUE: buf_span(out, t->text); break;
    }
}

// A program has few types and writes them often: each is laid out once.
void put_type(Printer *p, TypeId t) {
    Span *text = &p->type_text[t];
    if (!text->at) {
        Buffer b;
        buf_init(&b, p->scratch);
        print_type(p->m, t, &b);
        *text = (Span){b.at, b.n};
    }
    put_span(p, *text);
}

void put_value_types(Printer *p, const ValueId *v, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (i) PUT(p, ", ");
        put_type(p, value_type(p->m, v[i]));
    }
}

void put_functional_type(Printer *p, OpId id) {
    const Module *m = p->m;
    const Op *op = op_get(m, id);
    PUT(p, "(");
    put_value_types(p, op_operands(m, id), op->n_operands);
    PUT(p, ") -> ");
    bool bare = op->n_results == 1 && result_type(m, id, 0)->kind != TYPE_FUNCTION;
    if (!bare) PUT(p, "(");
    for (uint32_t i = 0; i < op->n_results; i++) {
        if (i) PUT(p, ", ");
        put_type(p, value_type(m, op->first_result + i));
    }
    if (!bare) PUT(p, ")");
}
