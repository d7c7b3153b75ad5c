// The module as text: its frame, regions, and ops in generic form. The pretty forms stand in print_forms*.c.
//
//     module @m attributes {mhlo.num_partitions = 1 : i32} {
//       func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
//         %0 = "stablehlo.case"(%arg1) ({ … }, { … }) : (tensor<i32>) -> tensor<4xf32>
//         return %0 : tensor<4xf32>
//       }
//     }
#include "stablehlo/print/print_state.h"

enum { STEP = 2 }; // columns of indentation

void put_newline(Printer *p) {
    static const char spaces[] = "                                                                ";
    PUT(p, "\n");
    for (uint32_t left = p->indent; left;) {
        uint32_t n = left < sizeof spaces - 1 ? left : (uint32_t)sizeof spaces - 1;
        put(p, spaces, n);
        left -= n;
    }
}

// ---- Attributes of an op --------------------------------------------------------------------------------------------

// Attributes that MLIR leaves out of a dictionary when they have the value that absence means.
static bool has_default(const Module *m, OpKind kind, NameId name, AttrId value) {
    const Attr *a = attr_get(m, value);
    switch (name) {
    case A_result_accuracy: {
        if (a->kind != ATTR_RECORD || a->n != 1 || a->fields[0].field != RF_RESULT_ACCURACY_mode) return false;
        return span_is(attr_get(m, (AttrId)a->fields[0].i)->text, "DEFAULT");
    }
    case A_has_side_effect: return kind == OP_custom_call && a->kind == ATTR_BOOL && !a->i;
    case A_api_version: return kind == OP_custom_call && a->kind == ATTR_INT && a->i == 1;
    case A_called_computations:
    case A_output_operand_aliases: return kind == OP_custom_call && a->kind == ATTR_ARRAY && a->n == 0;
    case A_composite_attributes: return kind == OP_composite && a->kind == ATTR_DICT && a->n == 0;
    case A_version: return kind == OP_composite && a->kind == ATTR_INT && a->i == 0;
    default: return false;
    }
}

static bool is_among(const AttrName *names, NameId name) {
    for (; *names != A_COUNT; names++)
        if (*names == name) return true;
    return false;
}

enum { FEW = 16 };

void put_attr_dict(Printer *p, OpId id, const AttrName *but) {
    const Op *op = op_get(p->m, id);
    if (!op->n_attrs) return;
    NamedAttr few[FEW], *left = op->n_attrs <= FEW ? few : arena_new(p->scratch, NamedAttr, op->n_attrs);
    uint32_t n = 0;
    for (uint32_t i = 0; i < op->n_attrs; i++) {
        NamedAttr a = p->m->op_attrs.at[op->first_attr + i];
        if (!is_among(but, a.name) && !has_default(p->m, (OpKind)op->kind, a.name, a.value)) left[n++] = a;
    }
    if (!n) return;
    PUT(p, " {");
    put_named_attrs(p, left, n);
    PUT(p, "}");
}

// ---- Regions --------------------------------------------------------------------------------------------------------

void put_argument(Printer *p, RegionId r, uint32_t index) {
    ValueId v = p->m->regions.at[r].first_arg + index;
    put_value(p, v);
    PUT(p, ": ");
    put_type(p, value_type(p->m, v));
    put_argument_loc(p, r, index);
}

static void put_op(Printer *p, OpId op);

static void put_ops(Printer *p, RegionId r) {
    p->indent += STEP;
    for (OpId op = p->m->regions.at[r].first; op != NO_ID; op = p->m->ops.at[op].next) {
        put_newline(p);
        put_op(p, op);
    }
    p->indent -= STEP;
    put_newline(p);
}

void put_region(Printer *p, RegionId id, bool with_arguments) {
    const Region *r = &p->m->regions.at[id];
    bool outer = p->in_function;
    p->in_function = !p->generic && r->parent != NO_ID && op_kind(p->m, r->parent) == OP_func_func;
    PUT(p, "{");
    if (with_arguments && r->n_args) {
        put_newline(p);
        PUT(p, "^bb0(");
        for (uint32_t i = 0; i < r->n_args; i++) {
            if (i) PUT(p, ", ");
            put_argument(p, id, i);
        }
        PUT(p, "):");
    } else if (id == 0 && r->first == NO_ID && p->generic) { // an empty module still has its block
        put_newline(p);
        PUT(p, "^bb0:");
    }
    put_ops(p, id);
    PUT(p, "}");
    p->in_function = outer;
}

// ---- Generic form ---------------------------------------------------------------------------------------------------

// The attributes that the op's row has, or the others.
static void put_attrs_of_row(Printer *p, OpId id, bool in_row, const char *before, const char *after) {
    const Op *op = op_get(p->m, id);
    if (!op->n_attrs) return;
    NamedAttr few[FEW], *chosen = op->n_attrs <= FEW ? few : arena_new(p->scratch, NamedAttr, op->n_attrs);
    uint32_t n = 0;
    for (uint32_t i = 0; i < op->n_attrs; i++) {
        NamedAttr a = p->m->op_attrs.at[op->first_attr + i];
        if ((row_attr(&op_info[op->kind], a.name) != NULL) == in_row) chosen[n++] = a;
    }
    if (!n) return;
    buf_str(p->out, before);
    put_named_attrs(p, chosen, n);
    buf_str(p->out, after);
}

// What follows the name: (operands) <{attributes of the row}> ({regions}) {other attributes} : type
void put_generic(Printer *p, OpId id) {
    const Op *op = op_get(p->m, id);
    PUT(p, "(");
    put_values(p, op_operands(p->m, id), op->n_operands);
    PUT(p, ")");
    put_attrs_of_row(p, id, true, " <{", "}>");
    for (uint32_t i = 0; i < op->n_regions; i++) {
        buf_str(p->out, i ? ", " : " (");
        put_region(p, op_region(p->m, id, i), true);
    }
    if (op->n_regions) PUT(p, ")");
    put_attrs_of_row(p, id, false, " {", "}");
    PUT(p, " : ");
    put_functional_type(p, id);
}

static void put_op(Printer *p, OpId id) {
    const Op *op = op_get(p->m, id);
    const char *name = op_info[op->kind].name;
    put_results(p, id);
    if (!p->generic && op_fits_form(p->m, id)) {
        bool bare = p->in_function && (op->kind == OP_func_call || op->kind == OP_func_return);
        buf_str(p->out, bare ? name + sizeof "func." - 1 : name);
        print_forms[op->kind](p, id);
    } else {
        PUT(p, "\"");
        buf_str(p->out, name);
        PUT(p, "\"");
        put_generic(p, id);
    }
    put_op_loc(p, op->loc);
}

// ---- The module -----------------------------------------------------------------------------------------------------

static NamedAttr *copy_module_attrs(Printer *p) {
    uint32_t n = p->m->n_module_attrs;
    NamedAttr *copy = arena_new(p->scratch, NamedAttr, n);
    if (n) memcpy(copy, p->m->module_attrs, n * sizeof *copy);
    return copy;
}

static void put_pretty_module(Printer *p) {
    const Module *m = p->m;
    PUT(p, "module");
    if (m->symbol != NO_ID) {
        PUT(p, " ");
        print_symbol(name_get(m, m->symbol), p->out);
    }
    if (m->n_module_attrs) {
        PUT(p, " attributes {");
        put_named_attrs(p, copy_module_attrs(p), m->n_module_attrs);
        PUT(p, "}");
    }
    PUT(p, " ");
    put_region(p, 0, false);
}

static void put_generic_module(Printer *p) {
    const Module *m = p->m;
    PUT(p, "\"builtin.module\"()");
    if (m->symbol != NO_ID) {
        PUT(p, " <{sym_name = ");
        print_string(name_get(m, m->symbol), p->out);
        PUT(p, "}>");
    }
    PUT(p, " (");
    put_region(p, 0, false);
    PUT(p, ")");
    if (m->n_module_attrs) {
        PUT(p, " {");
        put_named_attrs(p, copy_module_attrs(p), m->n_module_attrs);
        PUT(p, "}");
    }
    PUT(p, " : () -> ()");
}

// {-# dialect_resources: { builtin: { key: "0x…" } } #-}
static void put_resources(Printer *p) {
    const Module *m = p->m;
    if (!m->n_resources) return;
    PUT(p, "\n{-#\n  dialect_resources: {\n");
    for (uint32_t i = 0; i < m->n_resources; i++) {
        const struct Resource *r = &m->resources[i];
        bool first = i == 0 || r[-1].dialect != r->dialect,
             last = i + 1 == m->n_resources || r[1].dialect != r->dialect;
        if (first) {
            PUT(p, "    ");
            print_word(name_get(m, r->dialect), p->out);
            PUT(p, ": {\n");
        }
        PUT(p, "      ");
        print_word(name_get(m, r->key), p->out);
        PUT(p, ": \"0x");
        put_span(p, r->hex);
        PUT(p, "\"");
        if (!last) PUT(p, ",");
        PUT(p, "\n");
        if (last) buf_str(p->out, i + 1 == m->n_resources ? "    }\n" : "    },\n");
    }
    PUT(p, "  }\n#-}\n");
}

void print_module(const Module *m, unsigned flags, Buffer *out) {
    Arena scratch;
    arena_init(&scratch, m->ctx);
    Printer p = {.m = m,
                 .out = out,
                 .scratch = &scratch,
                 .generic = flags & PARTIR_PRINT_GENERIC,
                 .locations = flags & PARTIR_PRINT_LOCATIONS,
                 .names = value_names(m, flags, &scratch),
                 .type_text = arena_zalloc(&scratch, (m->types.n + 1) * sizeof(Span))};
    aliases_find(&p);
    if (p.locations) {
        locations_name(&p);
        locations_define(&p, false);
    }
    if (p.generic)
        put_generic_module(&p);
    else
        put_pretty_module(&p);
    put_op_loc(&p, m->loc);
    PUT(&p, "\n");
    if (p.locations) locations_define(&p, true);
    put_resources(&p);
    arena_free(&scratch);
}
