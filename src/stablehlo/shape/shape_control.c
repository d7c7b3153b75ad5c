// Shape rules of control: functions and calls, branches and loops, tuples and tokens, talk with the host.
//
//     stablehlo.while(%i = %0, %x = %1) : tensor<i32>, tensor<4xf32> cond {…} do {…}
//         both regions take what goes in; the body returns it
#include "stablehlo/shape/shape.h"

enum { VALUE = IS_TENSOR_AXIS | IS_TOKEN, ANY_VALUE = VALUE | IS_TUPLE | IS_OPAQUE | IS_UNRANKED | IS_INDEX };

static const char *values_text(Check *c, const ValueId *v, uint32_t n) {
    const char *text = "(";
    for (uint32_t i = 0; i < n && i < 4; i++)
        text = check_format(c, "%s%s%s", text, i ? ", " : "", check_type_text(c, value_type(c->m, v[i])));
    return check_format(c, n > 4 ? "%s, …)" : "%s)", text);
}

// ---- Functions -----------------------------------------------------------------------------------------------------

bool shape_func(Check *c) {
    const Type *f = type_get(c->m, attr_get(c->m, check_attr(c, A_function_type))->type);
    Span name = check_text(c, A_sym_name);
    if (f->kind != TYPE_FUNCTION)
        return check_fail(c, NULL, "function_type is %s, expected a function's type", check_tensor_text(c, f));
    for (uint32_t i = 0; i < f->rank; i++)
        if (!check_value_type(c, f->parts[i], i < f->n_inputs ? "argument" : "result",
                              i < f->n_inputs ? i : i - f->n_inputs))
            return false;
    static const AttrName lists[] = {A_arg_attrs, A_res_attrs};
    for (int i = 0; i < 2; i++) {
        AttrId a = check_attr(c, lists[i]);
        uint32_t want = i ? f->rank - f->n_inputs : f->n_inputs;
        if (a != NO_ID && attr_get(c->m, a)->n != want)
            return check_fail(c, "a dictionary for each argument or result", "%s has %u entries, expected %u",
                              i ? "res_attrs" : "arg_attrs", attr_get(c->m, a)->n, want);
        for (uint32_t k = 0; a != NO_ID && k < want; k++)
            if (attr_get(c->m, attr_get(c->m, a)->items[k])->kind != ATTR_DICT)
                return check_fail(c, "write it as {…}", "entry %u of %s is no dictionary", k,
                                  i ? "res_attrs" : "arg_attrs");
    }
    const Region *body = &c->m->regions.at[c->regions[0]];
    Span visibility = check_text(c, A_sym_visibility);
    if (visibility.n && !span_is(visibility, "public") && !span_is(visibility, "private") &&
        !span_is(visibility, "nested"))
        return check_fail(c, "one of: public private nested", "'%.*s' is no visibility", (int)visibility.n,
                          visibility.at);
    if (body->first == NO_ID) {
        if (span_is(visibility, "private") || span_is(visibility, "nested")) return true;
        return check_fail(c, "give it a body, or make it private", "@%.*s is public, but only declared", (int)name.n,
                          name.at);
    }
    if (body->n_args != f->n_inputs)
        return check_fail(c, "a body has an argument for each input",
                          "@%.*s has type %s, but its body takes %u arguments", (int)name.n, name.at,
                          check_tensor_text(c, f), body->n_args);
    for (uint32_t i = 0; i < f->n_inputs; i++)
        if (value_type(c->m, body->first_arg + i) != f->parts[i])
            return check_fail(c, "a body takes what the function's type says",
                              "argument %u of @%.*s is %s, but its type says %s", i, (int)name.n, name.at,
                              check_type_text(c, value_type(c->m, body->first_arg + i)),
                              check_type_text(c, f->parts[i]));
    return true;
}

// func.return against the type of its function; the other returns are checked by the rule of the op around them.
bool shape_return(Check *c) {
    RegionId region = op_get(c->m, c->op)->parent;
    OpId parent = region < c->m->regions.n ? c->m->regions.at[region].parent : NO_ID;
    OpKind around = parent == NO_ID ? OP_COUNT : op_kind(c->m, parent);
    if (c->kind == OP_func_return && around != OP_func_func)
        return check_fail(c, "use stablehlo.return in regions", "not in a function");
    if (c->kind == OP_sdy_return && around != OP_sdy_manual_computation)
        return check_fail(c, NULL, "not in an sdy.manual_computation");
    if (c->kind == OP_return && !check_operands_in(c, VALUE | IS_OPAQUE)) return false;
    if (around != OP_func_func) return true;

    AttrId type = op_attr(c->m, parent, A_function_type);
    const Type *f =
        type == NO_ID || attr_get(c->m, type)->kind != ATTR_TYPE ? NULL : type_get(c->m, attr_get(c->m, type)->type);
    if (!f || f->kind != TYPE_FUNCTION) return true; // reported with the function
    uint32_t want = f->rank - f->n_inputs;
    if (c->n_operands != want)
        return check_fail(c, "return one value for each result", "%u values, but the function has %u results",
                          c->n_operands, want);
    for (uint32_t i = 0; i < want; i++)
        if (in_id(c, i) != f->parts[f->n_inputs + i])
            return check_fail(c, "return what the function's type says",
                              "value %u is %s, but the function's result is %s", i, check_type_text(c, in_id(c, i)),
                              check_type_text(c, f->parts[f->n_inputs + i]));
    return true;
}

// name ::= letter (letter | digit | _)* ('.' (letter | digit | _ | $)+)+
static bool is_namespaced(Span s) {
    size_t i = 0;
    bool dots = false, empty = true;
    for (; i < s.n; i++) {
        char x = s.at[i];
        bool letter = is_letter(x);
        if (i == 0 && !letter) return false;
        if (x == '.') {
            if (empty) return false;
            dots = empty = true;
            continue;
        }
        if (!letter && !is_digit(x) && x != '_' && !(x == '$' && dots)) return false;
        empty = false;
    }
    return dots && !empty;
}

bool shape_call(Check *c) {
    bool composite = c->kind == OP_composite;
    Span callee = check_text(c, composite ? A_decomposition : A_callee), name = check_text(c, A_name);
    if (composite && !is_namespaced(name))
        return check_fail(c, "write it as namespace.op", "name \"%.*s\" is no name of an op", (int)name.n, name.at);
    OpId op = check_function(c, callee);
    if (op == NO_ID)
        return check_fail(c, "the callee is a func.func of this module", "there is no function @%.*s", (int)callee.n,
                          callee.at);
    AttrId type = op_attr(c->m, op, A_function_type);
    const Type *f = type == NO_ID ? NULL : type_get(c->m, attr_get(c->m, type)->type);
    if (!f || f->kind != TYPE_FUNCTION) return true; // reported with the function
    uint32_t outputs = f->rank - f->n_inputs;
    if (c->n_operands != f->n_inputs || c->n_results != outputs)
        return check_fail(c, "a call has the type of the function",
                          "%u operands and %u results, but @%.*s takes %u and returns %u", c->n_operands, c->n_results,
                          (int)callee.n, callee.at, f->n_inputs, outputs);
    for (uint32_t i = 0; i < c->n_operands; i++)
        if (in_id(c, i) != f->parts[i])
            return check_fail(c, "a call has the type of the function", "operand %u is %s, but @%.*s takes %s", i,
                              check_type_text(c, in_id(c, i)), (int)callee.n, callee.at,
                              check_type_text(c, f->parts[i]));
    for (uint32_t i = 0; i < outputs; i++) {
        TypeId want = f->parts[f->n_inputs + i];
        if (out_id(c, i) != want)
            return check_fail(c, "a call has the type of the function", "result %u is %s, but @%.*s returns %s", i,
                              check_type_text(c, out_id(c, i)), (int)callee.n, callee.at, check_type_text(c, want));
    }
    return true;
}

// ---- Branches and loops --------------------------------------------------------------------------------------------

static bool check_scalar_operand(Check *c, Elem elem) {
    const Type *t = in_type(c, 0);
    if (is_ranked(t) && t->rank == 0 && t->elem == elem) return true;
    return check_fail(c, NULL, "%s is %s, expected tensor<%s>", check_operand_name(c, 0),
                      check_type_text(c, in_id(c, 0)), elem_text(elem));
}

bool shape_branch(Check *c) {
    if (!check_scalar_operand(c, c->kind == OP_if ? EL_I1 : EL_I32) || !check_results_in(c, VALUE)) return false;
    if (!c->n_regions) return check_fail(c, "give it a branch", "no branches");
    const ValueId *first, *returns;
    uint32_t n_first, n;
    if (!check_returns(c, 0, &first, &n_first)) return false;
    for (uint32_t i = 0; i < c->n_regions; i++) {
        if (!check_region_arguments(c, i, 0) || !check_returns(c, i, &returns, &n)) return false;
        bool same = n == n_first;
        for (uint32_t k = 0; same && k < n; k++)
            same = check_compatible_ids(c, value_type(c->m, first[k]), value_type(c->m, returns[k]));
        if (!same)
            return check_fail(c, "all branches return the same types", "branch 0 returns %s, but branch %u returns %s",
                              values_text(c, first, n_first), i, values_text(c, returns, n));
    }
    if (!check_result_count(c, n_first)) return false;
    for (uint32_t k = 0; k < n_first; k++) {
        TypeId id = value_type(c->m, first[k]);
        const Type *x = type_get(c->m, id);
        if (!is_ranked(x) || id == out_id(c, k)) {
            if (!check_result_id(c, k, id)) return false;
            continue;
        }
        int64_t *dims; // a size is known only if all branches know it
        Type t = check_copy(c, x, &dims);
        for (uint32_t i = 1; i < c->n_regions; i++) {
            if (!check_returns(c, i, &returns, &n)) return false;
            const Type *y = value_tensor(c->m, returns[k]);
            for (uint32_t d = 0; is_ranked(y) && d < t.rank; d++)
                if (y->dims[d] == DIM_DYNAMIC) dims[d] = DIM_DYNAMIC;
        }
        if (!check_result(c, k, &t)) return false;
    }
    return true;
}

bool shape_while(Check *c) {
    if (!check_operands_in(c, VALUE | IS_OPAQUE) || !check_result_count(c, c->n_operands)) return false;
    static const char *const names[] = {"the condition", "the body"};
    for (uint32_t i = 0; i < c->n_regions; i++) {
        if (!check_region_arguments(c, i, c->n_operands)) return false;
        for (uint32_t k = 0; k < c->n_operands; k++) {
            TypeId t = value_type(c->m, region_argument(c, i, k));
            if (!check_compatible_ids(c, in_id(c, k), t))
                return check_fail(c, "both regions take the values that go in",
                                  "argument %u of %s is %s, but operand %u is %s", k, names[i & 1],
                                  check_type_text(c, t), k, check_type_text(c, in_id(c, k)));
        }
    }
    if (c->n_regions == 2) {
        const ValueId *returns;
        uint32_t n;
        if (!check_returns(c, 1, &returns, &n)) return false;
        bool same = n == c->n_operands;
        for (uint32_t k = 0; same && k < n; k++)
            same = check_compatible_ids(c, in_id(c, k), value_type(c->m, returns[k]));
        if (!same)
            return check_fail(c, "the body returns the next value of each operand",
                              "the body returns %s, but the operands are %s", values_text(c, returns, n),
                              values_text(c, c->operands, c->n_operands));
        if (!check_returns_bool(c, 0, "the condition")) return false;
    }
    for (uint32_t k = 0; k < c->n_operands; k++)
        if (!check_result_id(c, k, in_id(c, k))) return false;
    return true;
}

// ---- Tuples, tokens, barriers --------------------------------------------------------------------------------------

bool shape_tuple(Check *c) {
    if (!check_operands_in(c, VALUE | IS_TUPLE | IS_OPAQUE)) return false;
    TypeId *parts = check_array(c, TypeId, c->n_operands);
    for (uint32_t i = 0; i < c->n_operands; i++) parts[i] = in_id(c, i);
    const Type *t = out_type(c, 0);
    bool same = t->kind == TYPE_TUPLE && t->rank == c->n_operands &&
                (t->rank == 0 || memcmp(t->parts, parts, t->rank * sizeof *parts) == 0);
    return same || check_fail(c, "a tuple has the types of its values", "the result is %s, but the values are %s",
                              check_type_text(c, out_id(c, 0)), values_text(c, c->operands, c->n_operands));
}

bool shape_tuple_element(Check *c) {
    if (!check_operand_in(c, 0, VALUE | IS_TUPLE | IS_OPAQUE)) return false;
    const Type *t = in_type(c, 0);
    int64_t index = check_int(c, A_index, 0);
    if (t->kind != TYPE_TUPLE) return check_fail(c, NULL, "operand is %s, expected a tuple", check_tensor_text(c, t));
    if (index < 0 || index >= (int64_t)t->rank)
        return check_fail(c, NULL, "index %lld of a tuple of %u", (long long)index, t->rank);
    return check_result_id(c, 0, t->parts[index]);
}

bool shape_token(Check *c) { return check_operands_in(c, IS_TOKEN) && check_result_in(c, 0, IS_TOKEN); }

bool shape_optimization_barrier(Check *c) {
    if (!check_operands_in(c, IS_TENSOR | IS_TOKEN) || !check_result_count(c, c->n_operands)) return false;
    for (uint32_t i = 0; i < c->n_operands; i++) {
        if (out_id(c, i) != in_id(c, i))
            return check_fail(c, "a barrier changes nothing", "result %u is %s, but operand %u is %s", i,
                              check_type_text(c, out_id(c, i)), i, check_type_text(c, in_id(c, i)));
        if (!check_result_id(c, i, in_id(c, i))) return false;
    }
    return true;
}

// ---- The host ------------------------------------------------------------------------------------------------------

enum { DEVICE_TO_DEVICE = 1, DEVICE_TO_HOST = 2, HOST_TO_DEVICE = 3 };

static bool check_channel_type(Check *c, int64_t host) {
    bool transfer = check_flag(c, A_is_host_transfer, false);
    int64_t type = record_int(c->m, check_attr(c, A_channel_handle), RF_CHANNEL_HANDLE_type, 0),
            want = transfer ? host : DEVICE_TO_DEVICE;
    if (type == want) return true;
    return check_fail(c, check_format(c, "use type %lld, or change is_host_transfer", (long long)want),
                      "is_host_transfer is %s, but the channel has type %lld", transfer ? "true" : "false",
                      (long long)type);
}

// Tensors, then a token.
static bool check_sent(Check *c) {
    if (!c->n_operands || !check_operand_in(c, c->n_operands - 1, IS_TOKEN))
        return c->n_operands || check_fail(c, "end with a token", "no operands");
    for (uint32_t i = 0; i + 1 < c->n_operands; i++)
        if (!check_operand_in(c, i, IS_TENSOR_AXIS)) return false;
    return check_result_in(c, 0, IS_TOKEN);
}

static bool check_received(Check *c) {
    if (!check_operand_in(c, 0, IS_TOKEN)) return false;
    if (!c->n_results) return check_fail(c, "end with a token", "no results");
    for (uint32_t i = 0; i + 1 < c->n_results; i++) {
        if (!check_result_in(c, i, IS_TENSOR_AXIS)) return false;
        if (!type_is_static(out_type(c, i)))
            return check_fail(c, NULL, "result %u is %s, expected a static shape", i, check_type_text(c, out_id(c, i)));
    }
    return check_result_in(c, c->n_results - 1, IS_TOKEN);
}

bool shape_outfeed(Check *c) { return check_sent(c); }
bool shape_send(Check *c) { return check_channel_type(c, DEVICE_TO_HOST) && check_sent(c); }
bool shape_recv(Check *c) { return check_channel_type(c, HOST_TO_DEVICE) && check_received(c); }

bool shape_infeed(Check *c) {
    if (!check_received(c)) return false;
    AttrId a = check_attr(c, A_layout);
    if (a == NO_ID) return true;
    const Attr *layouts = attr_get(c->m, a);
    if (layouts->n != c->n_results - 1)
        return check_fail(c, "one for each result but the token", "layout has %u entries, expected %u", layouts->n,
                          c->n_results - 1);
    for (uint32_t i = 0; i < layouts->n; i++) {
        const Attr *layout = attr_get(c->m, layouts->items[i]);
        bool ints = layout->kind == ATTR_ARRAY;
        for (uint32_t k = 0; ints && k < layout->n; k++) ints = attr_get(c->m, layout->items[k])->kind == ATTR_INT;
        if (!ints) return check_fail(c, NULL, "layout %u is no list of integers", i);
    }
    return true;
}

// ---- Async ---------------------------------------------------------------------------------------------------------

static bool may_be_async(OpKind k) {
    return k == OP_all_gather || k == OP_all_reduce || k == OP_all_to_all || k == OP_collective_broadcast ||
           k == OP_collective_permute || k == OP_collective_reduce || k == OP_dynamic_slice ||
           k == OP_dynamic_update_slice || k == OP_reduce_scatter || k == OP_slice;
}

// A future is another dialect's type to us, known by its text: !stablehlo.future<tensor<4xf32>>.
static bool check_future(Check *c, TypeId future, TypeId value) {
    const Type *t = type_get(c->m, future);
    const char *want = check_format(c, "!stablehlo.future<%s>", check_type_text(c, value));
    if (t->kind == TYPE_OPAQUE && (span_is(t->text, want) || t->text.n > 120)) return true;
    return check_fail(c, NULL, "the future is %s, expected %s", check_type_text(c, future), want);
}

bool shape_async(Check *c) {
    if (c->kind == OP_async_done)
        return check_result_count(c, 1) && check_result_in(c, 0, IS_TENSOR) &&
               check_future(c, in_id(c, 0), out_id(c, 0));
    if (!check_operands_in(c, IS_TENSOR) || !check_region_arguments(c, 0, c->n_operands)) return false;
    for (uint32_t i = 0; i < c->n_operands; i++)
        if (value_type(c->m, region_argument(c, 0, i)) != in_id(c, i))
            return check_fail(c, "the body takes the operands", "argument %u of the body is %s, but operand %u is %s",
                              i, check_type_text(c, value_type(c->m, region_argument(c, 0, i))), i,
                              check_type_text(c, in_id(c, i)));
    const ValueId *returns;
    uint32_t n;
    if (!check_returns(c, 0, &returns, &n)) return false;
    const Region *body = &c->m->regions.at[c->regions[0]];
    if (body->first == body->last || op_get(c->m, body->first)->next != body->last ||
        !may_be_async(op_kind(c->m, body->first)))
        return check_fail(c, "one collective or slice, and a return",
                          "the body holds something else than one op that may run on its own");
    if (n != 1) return check_fail(c, NULL, "the body returns %u values, expected 1", n);
    return check_future(c, out_id(c, 0), value_type(c->m, returns[0]));
}

// ---- Other calls ---------------------------------------------------------------------------------------------------

static bool check_layouts(Check *c, AttrName name, const char *what, uint32_t n, const TypeId *types) {
    const Attr *layouts = attr_get(c->m, check_attr(c, name));
    if (layouts->n != n)
        return check_fail(c, check_format(c, "one for each %s", what), "%s_layouts has %u entries, expected %u", what,
                          layouts->n, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t n_layout;
        AttrId item = layouts->items[i];
        const int64_t *layout = attr_to_ints(c->m, item, &n_layout);
        layouts = attr_get(c->m, check_attr(c, name));
        if (!layout) return check_fail(c, NULL, "layout of %s %u holds no integers", what, i);
        const Type *t = type_get(c->m, types[i]);
        if (t->kind == TYPE_TUPLE) return check_fail(c, NULL, "%s %u is a tuple, which has no layout", what, i);
        if (t->kind == TYPE_UNRANKED || (t->kind == TYPE_OPAQUE && n_layout)) continue;
        uint32_t rank = is_ranked(t) ? t->rank : 0;
        bool fits = n_layout == rank && check_duplicate(c, layout, n_layout, 1) == n_layout;
        for (uint32_t k = 0; fits && k < rank; k++) fits = layout[k] >= 0 && layout[k] < rank;
        if (!fits)
            return check_fail(c, "list every dimension once, minor first", "layout %s of %s %u, which is %s",
                              check_ints_text(c, layout, n_layout), what, i, check_tensor_text(c, t));
    }
    return true;
}

static TypeId tuple_part(const Check *c, TypeId t, const int64_t *path, uint32_t n) {
    for (uint32_t i = 0; i < n && t != NO_ID; i++) {
        const Type *tuple = type_get(c->m, t);
        t = tuple->kind == TYPE_TUPLE && path[i] >= 0 && path[i] < (int64_t)tuple->rank ? tuple->parts[path[i]] : NO_ID;
    }
    return t;
}

static bool check_aliases(Check *c) {
    AttrId a = check_attr(c, A_output_operand_aliases);
    for (uint32_t i = 0; a != NO_ID && i < attr_get(c->m, a)->n; i++) {
        AttrId alias = attr_get(c->m, a)->items[i];
        if (attr_get(c->m, alias)->kind != ATTR_RECORD || attr_get(c->m, alias)->sub != RECORD_OUTPUT_OPERAND_ALIAS)
            return check_fail(c, NULL, "output_operand_aliases %u is no output_operand_alias", i);
        if (attr_get(c->m, alias)->n != 3)
            return check_fail(c, "output_tuple_indices, operand_index, operand_tuple_indices", "alias %u lacks a field",
                              i);
        uint32_t n_out, n_in, skip = 0;
        const int64_t *out = record_ints(c->m, alias, RF_OUTPUT_OPERAND_ALIAS_output_tuple_indices, &n_out),
                      *in = record_ints(c->m, alias, RF_OUTPUT_OPERAND_ALIAS_operand_tuple_indices, &n_in);
        int64_t operand = record_int(c->m, alias, RF_OUTPUT_OPERAND_ALIAS_operand_index, 0), result = 0;
        if (operand < 0 || operand >= (int64_t)c->n_operands)
            return check_fail(c, NULL, "alias %u is of operand %lld, but there are %u", i, (long long)operand,
                              c->n_operands);
        if (c->n_results != 1) { // several results are one tuple to an alias
            if (!n_out) return check_fail(c, "name the result first", "alias %u names no result", i);
            result = out[0];
            skip = 1;
        }
        TypeId from = tuple_part(c, in_id(c, (uint32_t)operand), in, n_in);
        TypeId to = result < 0 || result >= (int64_t)c->n_results
                        ? NO_ID
                        : tuple_part(c, out_id(c, (uint32_t)result), out + skip, n_out - skip);
        if (from == NO_ID || to == NO_ID) return check_fail(c, NULL, "alias %u has a tuple index out of range", i);
        if (from != to)
            return check_fail(c, NULL, "alias %u is of %s with %s", i, check_type_text(c, from),
                              check_type_text(c, to));
    }
    return true;
}

bool shape_custom_call(Check *c) {
    if (!check_operands_in(c, (TypeSet)(ANY_VALUE & ~IS_INDEX)) ||
        !check_results_in(c, (TypeSet)(ANY_VALUE & ~IS_INDEX)))
        return false;
    bool in = check_attr(c, A_operand_layouts) != NO_ID, out = check_attr(c, A_result_layouts) != NO_ID;
    if (in != out) return check_fail(c, "give both, or none", "layouts of %s alone", in ? "operands" : "results");
    if (in) {
        TypeId *types = check_array(c, TypeId, (size_t)c->n_operands + c->n_results);
        for (uint32_t i = 0; i < c->n_operands; i++) types[i] = in_id(c, i);
        if (!check_layouts(c, A_operand_layouts, "operand", c->n_operands, types)) return false;
        for (uint32_t i = 0; i < c->n_results; i++) types[i] = out_id(c, i);
        const Type *tuple = c->n_results == 1 ? out_type(c, 0) : NULL;
        bool packed = tuple && tuple->kind == TYPE_TUPLE;
        if (!check_layouts(c, A_result_layouts, "result", packed ? tuple->rank : c->n_results,
                           packed ? tuple->parts : types))
            return false;
    }
    if (!check_aliases(c)) return false;
    AttrId called = check_attr(c, A_called_computations);
    for (uint32_t i = 0; called != NO_ID && i < attr_get(c->m, called)->n; i++)
        if (attr_get(c->m, attr_get(c->m, called)->items[i])->kind != ATTR_SYMBOL)
            return check_fail(c, NULL, "called_computations %u is no symbol", i);
    int64_t version = check_int(c, A_api_version, 1);
    if (version < 0 || version > 4) return check_fail(c, "0 to 4", "api_version is %lld", (long long)version);
    AttrId config = check_attr(c, A_backend_config);
    bool typed = version == 4;
    if (config != NO_ID && attr_get(c->m, config)->kind != (typed ? ATTR_DICT : ATTR_STRING))
        return check_fail(c, "api_version 4 takes a dictionary, all others a string",
                          "backend_config does not go with api_version %lld", (long long)version);
    return true;
}

bool shape_annotation(Check *c) {
    if (c->kind != OP_sdy_manual_computation) return true;
    const ValueId *returns;
    uint32_t n;
    if (!check_region_arguments(c, 0, c->n_operands) || !check_returns(c, 0, &returns, &n)) return false;
    return n == c->n_results ||
           check_fail(c, NULL, "the body returns %u values, but there are %u results", n, c->n_results);
}
