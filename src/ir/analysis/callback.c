// Callbacks to the host, and the tokens by which JAX orders them: through @main, loops, branches and calls.
//
//     func.func @main(%t: !stablehlo.token, %x: tensor<f32>) -> (!stablehlo.token, tensor<f32>) {
//       %u = stablehlo.custom_call @callback(%t, %x) {has_side_effect = true} : (…) -> !stablehlo.token
//       return %u, %x
//  =>
//     func.func @main(%x: tensor<f32>) -> tensor<f32> {
//       stablehlo.custom_call @callback(%x) {has_side_effect = true} : (tensor<f32>) -> ()
//       return %x
//
// A token has no shape and cannot be partitioned. All callbacks keep the order of the program (spmd/export/callbacks.c), so that
// nothing is lost without them.
#include "ir/analysis/callback.h"
#include "ir/pass/rebuild.h"

bool op_is_callback(const Module *m, OpId op) {
    static const char *const targets[] = {
        "xla_ffi_partitioned_python_cpu_callback",
        "xla_ffi_partitioned_python_gpu_callback",
        "xla_ffi_python_cpu_callback",
        "xla_ffi_python_gpu_callback",
        "xla_python_cpu_callback",
        "xla_python_gpu_callback",
    };
    if (op_kind(m, op) != OP_custom_call) return false;
    Span target = op_attr_text(m, op, A_call_target_name);
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (span_is(target, targets[i])) return true;
    return false;
}

bool op_is_effect(const Module *m, OpId op) {
    return op_is_callback(m, op) && op_attr_bool(m, op, A_has_side_effect, false);
}

static bool is_token(const Module *m, ValueId v) { return value_tensor(m, v)->kind == TYPE_TOKEN; }

// The entries of an array attribute but those of tokens.
static AttrId without(Module *m, AttrId array, const bool *token, uint32_t n, Arena *a) {
    const Attr *old = array == NO_ID ? NULL : attr_get(m, array);
    if (!old || old->kind != ATTR_ARRAY || old->n != n) return array;
    AttrId *items = arena_new(a, AttrId, n);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!token[i]) items[kept++] = old->items[i];
    return attr_array(m, items, kept);
}

// `tf.aliasing_output` counts results, of which the first `tokens` are gone.
static AttrId shifted_aliases(Module *m, AttrId array, uint32_t tokens, Arena *a) {
    const Attr *old = array == NO_ID ? NULL : attr_get(m, array);
    if (!old || old->kind != ATTR_ARRAY || tokens == 0) return array;
    NameId aliasing = name_intern(m, SPAN("tf.aliasing_output"));
    uint32_t n = old->n;
    AttrId *items = arena_new(a, AttrId, n);
    for (uint32_t i = 0; i < n; i++) {
        items[i] = old->items[i];
        const Attr *dict = attr_get(m, items[i]);
        if (dict->kind != ATTR_DICT) continue;
        uint32_t n_entries = dict->n;
        NamedAttr *entries = arena_new(a, NamedAttr, n_entries);
        for (uint32_t k = 0; k < n_entries; k++) {
            entries[k] = dict->entries[k];
            const Attr *value = attr_get(m, entries[k].value);
            if (entries[k].name == aliasing && value->kind == ATTR_INT && value->i >= (int64_t)tokens)
                entries[k].value = attr_int(m, value->i - (int64_t)tokens, EL_I32);
        }
        items[i] = attr_dict(m, entries, n_entries);
    }
    return attr_array(m, items, n);
}

static bool *tokens_among(const Module *m, const TypeId *types, uint32_t n, uint32_t *count, Arena *a) {
    bool *token = arena_zalloc(a, n + 1);
    *count = 0;
    for (uint32_t i = 0; i < n; i++) *count += token[i] = type_get(m, types[i])->kind == TYPE_TOKEN;
    return token;
}

// The type of a function and the dictionaries of its arguments and results.
static void drop_from_function(Module *m, OpId op, Arena *a) {
    AttrId type = op_attr(m, op, A_function_type);
    if (type == NO_ID || attr_get(m, type)->kind != ATTR_TYPE) return;
    Type f = *type_get(m, attr_get(m, type)->type);
    if (f.kind != TYPE_FUNCTION) return;
    uint32_t n_in, n_out, kept = 0, n_args = f.n_inputs, n_parts = f.rank;
    bool *in = tokens_among(m, f.parts, n_args, &n_in, a);
    bool *out = tokens_among(m, f.parts + n_args, n_parts - n_args, &n_out, a);
    TypeId *parts = arena_new(a, TypeId, n_parts);
    for (uint32_t i = 0; i < n_parts; i++)
        if (type_get(m, f.parts[i])->kind != TYPE_TOKEN) parts[kept++] = f.parts[i];
    f.parts = parts;
    f.rank = kept;
    f.n_inputs = n_args - n_in;
    op_set_attr(m, op, A_function_type, attr_type(m, type_intern(m, &f)));
    AttrId args = shifted_aliases(m, without(m, op_attr(m, op, A_arg_attrs), in, n_args, a), n_out, a);
    AttrId results = without(m, op_attr(m, op, A_res_attrs), out, n_parts - n_args, a);
    if (args != NO_ID) op_set_attr(m, op, A_arg_attrs, args);
    if (results != NO_ID) op_set_attr(m, op, A_res_attrs, results);
}

// What a custom call says of each operand and result. Shardings count tokens too, and a callback's are of no use here.
static void drop_from_call(Module *m, OpId made, OpId op, Arena *a) {
    Op o = *op_get(m, op);
    uint32_t n;
    TypeId *types = arena_new(a, TypeId, o.n_operands);
    for (uint32_t i = 0; i < o.n_operands; i++) types[i] = value_type(m, op_operand(m, op, i));
    AttrId layouts = without(m, op_attr(m, op, A_operand_layouts), tokens_among(m, types, o.n_operands, &n, a),
                             o.n_operands, a);
    if (layouts != NO_ID) op_set_attr(m, made, A_operand_layouts, layouts);
    types = arena_new(a, TypeId, o.n_results);
    for (uint32_t i = 0; i < o.n_results; i++) types[i] = value_type(m, o.first_result + i);
    layouts =
        without(m, op_attr(m, op, A_result_layouts), tokens_among(m, types, o.n_results, &n, a), o.n_results, a);
    if (layouts != NO_ID) op_set_attr(m, made, A_result_layouts, layouts);
}

static OpId copy_without_tokens(Module *m, RegionId into, OpId op, ValueId *map, Arena *a) {
    Op o = *op_get(m, op);
    ValueId *operands = arena_new(a, ValueId, o.n_operands);
    TypeId *types = arena_new(a, TypeId, o.n_results);
    OpSpec spec = {.kind = (OpKind)o.kind, .operands = operands, .results = types, .n_regions = o.n_regions};
    spec.loc = o.loc;
    spec.source = o.source;
    NamedAttr *attrs = arena_new(a, NamedAttr, o.n_attrs);
    bool changed = false;
    for (uint32_t i = 0; i < o.n_operands; i++) {
        ValueId v = op_operand(m, op, i);
        if (is_token(m, v))
            changed = true;
        else
            operands[spec.n_operands++] = map[v];
    }
    for (uint32_t i = 0; i < o.n_results; i++) {
        if (is_token(m, o.first_result + i))
            changed = true;
        else
            types[spec.n_results++] = value_type(m, o.first_result + i);
    }
    for (uint32_t i = 0; i < o.n_attrs; i++) {
        NamedAttr attr = m->op_attrs.at[o.first_attr + i];
        if (!changed || !span_is(name_get(m, attr.name), "sdy.sharding")) attrs[spec.n_attrs++] = attr;
    }
    spec.attrs = attrs;
    OpId made = op_new(m, into, &spec);
    ValueId next = op_get(m, made)->first_result;
    for (uint32_t i = 0; i < o.n_results; i++)
        if (!is_token(m, o.first_result + i)) map[o.first_result + i] = next++;
    for (uint32_t k = 0; k < o.n_regions; k++) {
        Region r = m->regions.at[op_region(m, op, k)];
        RegionId to = op_region(m, made, k);
        LocId *locs = r.arg_locs ? arena_new(&m->arena, LocId, r.n_args) : NULL;
        for (uint32_t i = 0; i < r.n_args; i++) {
            if (is_token(m, r.first_arg + i)) continue;
            if (locs) locs[m->regions.at[to].n_args] = r.arg_locs[i];
            map[r.first_arg + i] = region_add_argument(m, to, value_type(m, r.first_arg + i));
        }
        m->regions.at[to].arg_locs = locs;
    }
    if (o.kind == OP_func_func) drop_from_function(m, made, a);
    if (o.kind == OP_custom_call && changed) drop_from_call(m, made, op, a);
    return made;
}

bool has_tokens(const Module *m) {
    OpId main = module_main(m);
    if (main == NO_ID) return false;
    const Region *body = &m->regions.at[op_region(m, main, 0)];
    for (uint32_t i = 0; i < body->n_args; i++)
        if (is_token(m, body->first_arg + i)) return true;
    return false;
}

typedef struct DropTokens {
    Module *m;
    Arena scratch;
} DropTokens;

static OpId drop_tokens(void *arg, Cursor c, ValueId *map) {
    DropTokens *d = arg;
    OpKind kind = op_kind(d->m, c.op);
    if (kind == OP_create_token || kind == OP_after_all) return NO_ID;
    return copy_without_tokens(d->m, c.into, c.op, map, &d->scratch);
}

void pass_drop_tokens(Module *m) {
    if (!has_tokens(m)) return;
    DropTokens d = {.m = m};
    arena_init(&d.scratch, m->ctx);
    rebuild_module(m, drop_tokens, &d);
    arena_free(&d.scratch);
}
