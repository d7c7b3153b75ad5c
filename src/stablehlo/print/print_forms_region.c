// Pretty forms of ops with regions, of functions and calls, and of sharding annotations.
//
//     %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (…) -> tensor<4xf32>
//     %1:2 = stablehlo.while(%iterArg = %a, %iterArg_0 = %b) : tensor<i32>, tensor<4xf32>
//     cond { … } do { … }
//     %2 = call @f(%1#0) : (tensor<i32>) -> tensor<f32>
#include "stablehlo/print/print_forms.h"

static void put_operands_in_parens(Printer *p, OpId op) {
    PUT(p, "(");
    put_values(p, op_operands(p->m, op), op_get(p->m, op)->n_operands);
    PUT(p, ")");
}

// ---- reduce ---------------------------------------------------------------------------------------------------------

// The type of a scalar with the element type of the first input.
static bool is_element_of_input(const Module *m, OpId op, TypeId type) {
    const Type *input = operand_type(m, op, 0), *t = type_get(m, type);
    return t->kind == TYPE_TENSOR && t->rank == 0 && t->elem == input->elem && t->encoding == NO_ID &&
           (t->elem != EL_QUANT || t->quant == input->quant);
}

// A region { %2 = op %0, %1; return %2 } of one commutative op on scalars of the input's element type.
bool reduce_is_short(const Module *m, OpId op) {
    if (op_get(m, op)->n_operands == 0) return false;
    const Region *r = &m->regions.at[op_region(m, op, 0)];
    OpId inner = r->first;
    if (inner == NO_ID || r->n_args != 2 || m->ops.at[inner].next != r->last || inner == r->last) return false;
    const Op *o = op_get(m, inner), *end = op_get(m, r->last);
    if (!op_is_commutative((OpKind)o->kind) || o->n_operands != 2 || o->n_results != 1 || o->n_attrs) return false;
    if (end->kind != OP_return || end->n_operands != 1 || end->n_attrs) return false;
    TypeId t = value_type(m, o->first_result);
    return op_operand(m, inner, 0) == r->first_arg && op_operand(m, inner, 1) == r->first_arg + 1 &&
           op_operand(m, r->last, 0) == o->first_result && value_type(m, r->first_arg) == t &&
           value_type(m, r->first_arg + 1) == t && is_element_of_input(m, op, t);
}

void print_form_reduce(Printer *p, OpId op) {
    const Module *m = p->m;
    RegionId body = op_region(m, op, 0);
    uint32_t n = op_get(m, op)->n_operands / 2, n_dims;
    bool is_short = reduce_is_short(m, op);
    for (uint32_t i = 0; i < n; i++) {
        buf_str(p->out, i ? ", (" : "(");
        put_value(p, op_operand(m, op, i));
        PUT(p, " init: ");
        put_value(p, op_operand(m, op, i + n));
        PUT(p, ")");
    }
    if (is_short) {
        PUT(p, " applies ");
        buf_str(p->out, op_info[op_kind(m, m->regions.at[body].first)].name);
    }
    PUT(p, " across dimensions = [");
    const int64_t *dims = op_attr_ints(m, op, A_dimensions, &n_dims);
    print_ints(dims, n_dims, p->out);
    PUT(p, "]");
    put_attr_dict(p, op, NAMES(A_dimensions));
    put_colon_functional_type(p, op);
    if (is_short) return;
    put_newline(p);
    PUT(p, " reducer");
    uint32_t half = m->regions.at[body].n_args / 2;
    for (uint32_t i = 0; i < half; i++) {
        PUT(p, "(");
        put_argument(p, body, i);
        PUT(p, ", ");
        put_argument(p, body, i + half);
        PUT(p, ") ");
    }
    PUT(p, " ");
    put_region(p, body, false);
}

// ---- Control flow ---------------------------------------------------------------------------------------------------

static void put_dict_after_keyword(Printer *p, OpId op, const AttrName *but) {
    size_t before = p->out->n;
    PUT(p, " attributes");
    size_t start = p->out->n;
    put_attr_dict(p, op, but);
    if (p->out->n == start) p->out->n = before; // nothing came
}

void print_form_while(Printer *p, OpId op) {
    const Module *m = p->m;
    RegionId body = op_region(m, op, 1);
    uint32_t n = op_get(m, op)->n_operands;
    PUT(p, "(");
    for (uint32_t i = 0; i < n; i++) {
        if (i) PUT(p, ", ");
        put_value(p, m->regions.at[body].first_arg + i);
        PUT(p, " = ");
        put_value(p, op_operand(m, op, i));
    }
    PUT(p, ")");
    if (n) {
        PUT(p, " : ");
        put_value_types(p, op_operands(m, op), n);
    }
    put_dict_after_keyword(p, op, NO_NAMES);
    put_newline(p);
    PUT(p, "cond ");
    put_region(p, op_region(m, op, 0), false);
    PUT(p, " do ");
    put_region(p, body, false);
}

uint32_t scan_inputs(const Module *m, OpId op) {
    uint32_t n;
    const int64_t *sizes = op_attr_ints(m, op, A_operandSegmentSizes, &n);
    return n == 2 && sizes[0] >= 0 && sizes[0] <= op_get(m, op)->n_operands ? (uint32_t)sizes[0] : 0;
}

void print_form_scan(Printer *p, OpId op) {
    const Module *m = p->m;
    uint32_t n_inputs = scan_inputs(m, op);
    PUT(p, "(");
    put_values(p, op_operands(m, op), n_inputs);
    PUT(p, ") inits (");
    put_values(p, op_operands(m, op) + n_inputs, op_get(m, op)->n_operands - n_inputs);
    PUT(p, ") dimension=");
    buf_int(p->out, op_attr_int(m, op, A_dimension, 0));
    PUT(p, " ");
    put_dict_after_keyword(p, op, NAMES(A_dimension, A_operandSegmentSizes, A_resultSegmentSizes));
    PUT(p, " ");
    put_region(p, op_region(m, op, 0), true);
    put_colon_functional_type(p, op);
}

// `stablehlo.return` has its attributes after the operands, `return` and `sdy.return` before them.
void print_form_return(Printer *p, OpId op) {
    const Module *m = p->m;
    uint32_t n = op_get(m, op)->n_operands;
    bool dict_last = op_kind(m, op) == OP_return;
    if (!dict_last) put_attr_dict(p, op, NO_NAMES);
    if (n || dict_last) PUT(p, " ");
    put_values(p, op_operands(m, op), n);
    if (dict_last) put_attr_dict(p, op, NO_NAMES);
    if (!n) return;
    PUT(p, " : ");
    put_value_types(p, op_operands(m, op), n);
}

// ---- Calls ----------------------------------------------------------------------------------------------------------

void print_form_call(Printer *p, OpId op) {
    PUT(p, " ");
    put_attr(p, op_attr(p->m, op, A_callee));
    put_operands_in_parens(p, op);
    put_attr_dict(p, op, NAMES(A_callee));
    put_colon_functional_type(p, op);
}

void print_form_custom_call(Printer *p, OpId op) {
    PUT(p, " ");
    print_symbol(op_attr_text(p->m, op, A_call_target_name), p->out);
    put_operands_in_parens(p, op);
    put_attr_dict(p, op, NAMES(A_call_target_name));
    put_colon_functional_type(p, op);
}

void print_form_composite(Printer *p, OpId op) {
    const Op *o = op_get(p->m, op);
    PUT(p, " ");
    print_string(op_attr_text(p->m, op, A_name), p->out);
    PUT(p, " ");
    put_values(p, op_operands(p->m, op), o->n_operands);
    for (uint32_t i = 0; i < o->n_regions; i++) {
        buf_str(p->out, i ? ", " : " (");
        put_region(p, op_region(p->m, op, i), true);
    }
    if (o->n_regions) PUT(p, ")");
    put_attr_dict(p, op, NAMES(A_name));
    put_colon_functional_type(p, op);
}

// ---- Functions ------------------------------------------------------------------------------------------------------

// ` {a = b}` for the i-th dictionary of arg_attrs or res_attrs, if it has one with something in it.
static void put_item_dict(Printer *p, AttrId list, uint32_t i) {
    if (list == NO_ID || i >= attr_get(p->m, list)->n) return;
    AttrId dict = attr_get(p->m, list)->items[i];
    if (attr_get(p->m, dict)->kind != ATTR_DICT || attr_get(p->m, dict)->n == 0) return;
    PUT(p, " ");
    put_attr(p, dict);
}

static void put_parameters(Printer *p, OpId op, const Type *t) {
    AttrId attrs = op_attr(p->m, op, A_arg_attrs);
    RegionId body = op_region(p->m, op, 0);
    bool is_declaration = p->m->regions.at[body].first == NO_ID;
    PUT(p, "(");
    for (uint32_t i = 0; i < t->n_inputs; i++) {
        if (i) PUT(p, ", ");
        if (!is_declaration) {
            put_value(p, p->m->regions.at[body].first_arg + i);
            PUT(p, ": ");
        }
        put_type(p, t->parts[i]);
        put_item_dict(p, attrs, i);
        if (!is_declaration) put_argument_loc(p, body, i);
    }
    PUT(p, ")");
}

static void put_result_list(Printer *p, OpId op, const Type *t) {
    uint32_t n = t->rank - t->n_inputs;
    const TypeId *types = t->parts + t->n_inputs;
    AttrId attrs = op_attr(p->m, op, A_res_attrs);
    if (!n) return;
    PUT(p, " -> ");
    bool has_dict =
        attrs != NO_ID && n == 1 && attr_get(p->m, attrs)->n && attr_get(p->m, attr_get(p->m, attrs)->items[0])->n;
    bool bare = n == 1 && !has_dict && type_get(p->m, types[0])->kind != TYPE_FUNCTION;
    if (!bare) PUT(p, "(");
    for (uint32_t i = 0; i < n; i++) {
        if (i) PUT(p, ", ");
        put_type(p, types[i]);
        put_item_dict(p, attrs, i);
    }
    if (!bare) PUT(p, ")");
}

void print_form_func(Printer *p, OpId op) {
    const Module *m = p->m;
    const Type *t = type_get(m, attr_get(m, op_attr(m, op, A_function_type))->type);
    RegionId body = op_region(m, op, 0);
    Span visibility = op_attr_text(m, op, A_sym_visibility);
    PUT(p, " ");
    if (visibility.n) {
        put_span(p, visibility);
        PUT(p, " ");
    }
    print_symbol(op_attr_text(m, op, A_sym_name), p->out);
    put_parameters(p, op, t);
    put_result_list(p, op, t);
    put_dict_after_keyword(p, op, NAMES(A_sym_name, A_sym_visibility, A_function_type, A_arg_attrs, A_res_attrs));
    if (m->regions.at[body].first == NO_ID) return;
    PUT(p, " ");
    put_region(p, body, false);
}

// ---- Sharding annotations -------------------------------------------------------------------------------------------

// An attribute without the name that the place implies: `<@mesh, [{"x"}]>` of #sdy.sharding<@mesh, [{"x"}]>.
static void put_stripped(Printer *p, AttrId id, Span before, Span after) {
    Buffer text;
    buf_init(&text, p->scratch);
    print_attr(p->m, id, &text);
    Span s = {text.at, text.n};
    if (s.n >= before.n + after.n && memcmp(s.at, before.at, before.n) == 0 &&
        memcmp(s.at + s.n - after.n, after.at, after.n) == 0)
        s = (Span){s.at + before.n, s.n - before.n - after.n};
    put_span(p, s);
}

void print_form_sdy_mesh(Printer *p, OpId op) {
    PUT(p, " ");
    print_symbol(op_attr_text(p->m, op, A_sym_name), p->out);
    PUT(p, " = ");
    put_stripped(p, op_attr(p->m, op, A_mesh), SPAN("#sdy.mesh"), SPAN(""));
    put_attr_dict(p, op, NAMES(A_sym_name, A_mesh));
}

void print_form_sharding_constraint(Printer *p, OpId op) {
    PUT(p, " ");
    put_value(p, op_operand(p->m, op, 0));
    PUT(p, " ");
    put_stripped(p, op_attr(p->m, op, A_sharding), SPAN("#sdy.sharding"), SPAN(""));
    put_attr_dict(p, op, NAMES(A_sharding));
    PUT(p, " : ");
    put_type(p, value_type(p->m, op_result(p->m, op, 0)));
}

void print_form_sharding_group(Printer *p, OpId op) {
    PUT(p, " ");
    put_value(p, op_operand(p->m, op, 0));
    PUT(p, " group_id=");
    buf_int(p->out, op_attr_int(p->m, op, A_group_id, 0));
    put_attr_dict(p, op, NAMES(A_group_id));
    PUT(p, " : ");
    put_type(p, value_type(p->m, op_operand(p->m, op, 0)));
}

void print_form_propagation_barrier(Printer *p, OpId op) {
    static const char *const directions[] = {"NONE", "FORWARD", "BACKWARD", "BOTH"};
    PUT(p, " ");
    put_value(p, op_operand(p->m, op, 0));
    PUT(p, " allowed_direction=");
    buf_str(p->out, directions[op_attr_int(p->m, op, A_allowed_direction, 0)]);
    put_attr_dict(p, op, NAMES(A_allowed_direction));
    PUT(p, " : ");
    put_type(p, value_type(p->m, op_result(p->m, op, 0)));
}

void print_form_manual_computation(Printer *p, OpId op) {
    const Module *m = p->m;
    RegionId body = op_region(m, op, 0);
    put_operands_in_parens(p, op);
    PUT(p, " in_shardings=");
    put_stripped(p, op_attr(m, op, A_in_shardings), SPAN("#sdy.sharding_per_value<"), SPAN(">"));
    PUT(p, " out_shardings=");
    put_stripped(p, op_attr(m, op, A_out_shardings), SPAN("#sdy.sharding_per_value<"), SPAN(">"));
    PUT(p, " manual_axes=");
    put_stripped(p, op_attr(m, op, A_manual_axes), SPAN("#sdy<manual_axes"), SPAN(">"));
    PUT(p, " (");
    for (uint32_t i = 0; i < m->regions.at[body].n_args; i++) {
        if (i) PUT(p, ", ");
        put_argument(p, body, i);
    }
    PUT(p, ") ");
    put_region(p, body, false);
    put_attr_dict(p, op, NAMES(A_in_shardings, A_out_shardings, A_manual_axes));
    put_colon_functional_type(p, op);
}
