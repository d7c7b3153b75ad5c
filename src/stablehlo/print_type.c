// Types: tensor<4x?xf32, #stablehlo.bounds<?, 8>>, tuple<…>, (tensor<f32>) -> tensor<f32>, !stablehlo.token.
#include "stablehlo/print_state.h"

static void print_elem(const Module *m, const Type *t, Buffer *out) {
    if (t->elem == EL_QUANT)
        buf_span(out, m->quants.at[t->quant].text);
    else
        buf_str(out, elem_text((Elem)t->elem));
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
