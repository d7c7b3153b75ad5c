// The forms of PartIR:Core: loops over mesh axes and slices.
#include "stablehlo/print/print_forms.h"

void print_form_loop(Printer *p, OpId op) {
    const Module *m = p->m;
    RegionId body = op_region(m, op, 0);
    PUT(p, " \"");
    buf_span(p->out, op_attr_text(m, op, A_axis));
    PUT(p, "\" [");
    const Attr *actions = attr_get(m, op_attr(m, op, A_actions));
    for (uint32_t i = 0; i < actions->n; i++) {
        if (i) PUT(p, ", ");
        buf_span(p->out, attr_get(m, actions->items[i])->text);
    }
    PUT(p, "] (");
    put_value(p, m->regions.at[body].first_arg);
    PUT(p, " : range<");
    buf_int(p->out, op_attr_int(m, op, A_size, 0));
    PUT(p, ">) -> (");
    ValueId first = op_get(m, op)->first_result;
    for (uint32_t i = 0; i < op_get(m, op)->n_results; i++) {
        if (i) PUT(p, ", ");
        put_type(p, value_type(m, first + i));
    }
    PUT(p, ") ");
    put_region(p, body, false);
}

void print_form_loop_slice(Printer *p, OpId op) {
    const Module *m = p->m;
    PUT(p, " ");
    buf_int(p->out, op_attr_int(m, op, A_dimension, 0));
    PUT(p, " ");
    put_value(p, op_operand(m, op, 0));
    PUT(p, "[");
    put_value(p, op_operand(m, op, 1));
    PUT(p, "] : ");
    put_type(p, value_type(m, op_operand(m, op, 0)));
    PUT(p, " -> ");
    put_type(p, value_type(m, op_result(m, op, 0)));
}
