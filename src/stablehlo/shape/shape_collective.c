// Shape rules of ops that talk to other devices. How many devices there are is not known here: sizes are checked as far
// as the groups tell.
//
//     all_gather_dim = 0, replica_groups = dense<[[0, 1], [2, 3]]>      (tensor<4x8xf32>) -> tensor<8x8xf32>
#include "stablehlo/shape/shape.h"

// ---- Replica groups ------------------------------------------------------------------------------------------------

enum { EQUAL_GROUPS = 1, ANY_GROUPS = 2, DISTINCT_IDS = 4 };

static bool verify_groups(Check *c, int mode, const int64_t *ids, uint32_t n) {
    static const char each[] =
        "every id from 0 on stands once in the groups; -1 fills up a group that is shorter than others";
    if (mode == DISTINCT_IDS) {
        for (uint32_t i = 0; i < n; i++)
            if (ids[i] < 0) return check_fail(c, "ids count from 0", "replica_groups holds %lld", (long long)ids[i]);
        uint32_t twice = check_duplicate(c, ids, n, 1);
        return twice == n || check_fail(c, each, "replica_groups holds id %lld twice", (long long)ids[twice]);
    }
    uint8_t *seen = check_array(c, uint8_t, n);
    uint32_t count = 0;
    if (n) memset(seen, 0, n);
    for (uint32_t i = 0; i < n; i++) {
        if (ids[i] == -1 && mode == ANY_GROUPS) continue;
        if (ids[i] == -1) return check_fail(c, "this collective needs groups of equal size", "replica_groups holds -1");
        if (ids[i] < 0 || ids[i] >= (int64_t)n)
            return check_fail(c, each, "replica_groups holds id %lld among %u", (long long)ids[i], n);
        if (seen[ids[i]]) return check_fail(c, each, "replica_groups holds id %lld twice", (long long)ids[i]);
        seen[ids[i]] = 1;
        count++;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!seen[i]) return check_fail(c, each, "replica_groups does not hold id %u", i);
    return true;
}

// #stablehlo.replica_group_mesh_axes<mesh = @name, axes = …> is text to us: of it we know that the mesh must exist.
static bool check_mesh_axes(Check *c, Span text) {
    const char *at = text.n ? memchr(text.at, '@', text.n) : NULL;
    if (!at) return true;
    Span name = {at + 1, 0};
    while (name.at + name.n < text.at + text.n && !strchr(" ,>\n", name.at[name.n])) name.n++;
    return check_symbol(c, name) ||
           check_fail(c, "define it with sdy.mesh", "there is no mesh @%.*s", (int)name.n, name.at);
}

// `size`, unless NULL, gets the size of a group, 0 if not known. One attribute often serves hundreds of collectives: its ids are read
// once.
static bool check_replica_groups(Check *c, int mode, int64_t *size) {
    AttrId a = check_attr(c, A_replica_groups);
    if (size) *size = 0;
    if (attr_get(c->m, a)->kind != ATTR_DENSE) return check_mesh_axes(c, attr_get(c->m, a)->text);
    const Type *t = type_get(c->m, attr_get(c->m, a)->type);
    if (!is_ranked(t) || t->rank != 2)
        return check_fail(c, "a row for each group", "replica_groups is %s, expected two dimensions",
                          check_tensor_text(c, t));
    if (size) *size = t->dims[1];
    bool global = check_flag(c, A_use_global_device_ids, false);
    if (global && (t->dims[0] == 0 || t->dims[1] == 0))
        return check_fail(c, "list the devices", "use_global_device_ids is given, but replica_groups is empty");
    if (a < c->n_groups && c->groups[a] & mode) return true;
    uint32_t n;
    const int64_t *ids = attr_to_ints(c->m, a, &n);
    if (!ids) return check_fail(c, NULL, "replica_groups holds no integers");
    if (!verify_groups(c, mode, ids, n)) return false;
    if (a < c->n_groups) c->groups[a] |= (uint8_t)mode;
    return true;
}

static int64_t channel_attr(Check *c) {
    AttrId a = check_attr(c, A_channel_handle);
    return a == NO_ID ? 0 : record_int(c->m, a, RF_CHANNEL_HANDLE_handle, 0);
}

static bool check_channel(Check *c, int64_t lowest) {
    if (!check_flag(c, A_use_global_device_ids, false) || channel_attr(c) >= lowest) return true;
    return check_fail(c, "give it a channel_handle with a positive handle",
                      "use_global_device_ids is given, but the channel is %lld", (long long)channel_attr(c));
}

// ---- Rules ---------------------------------------------------------------------------------------------------------

bool shape_all_gather(Check *c) {
    int64_t dim = check_int(c, A_all_gather_dim, 0);
    if (!check_operands_in(c, IS_TENSOR) || !check_result_count(c, c->n_operands) ||
        !check_replica_groups(c, EQUAL_GROUPS, NULL) || !check_channel(c, 0))
        return false;
    for (uint32_t i = 0; i < c->n_operands; i++) {
        int64_t *dims;
        Type t = check_copy(c, in_type(c, i), &dims);
        if (!check_dim(c, "all_gather_dim", dim, t.rank, check_operand_name(c, i))) return false;
        if (dims[dim] == 0) return check_fail(c, NULL, "%s has size 0 along all_gather_dim", check_operand_name(c, i));
        int64_t part = dims[dim];
        t.encoding = NO_ID;
        const Type *y = out_type(c, i);
        int64_t whole = is_ranked(y) && y->rank == t.rank ? y->dims[dim] : DIM_DYNAMIC;
        if (part != DIM_DYNAMIC && whole != DIM_DYNAMIC && whole % part)
            return check_fail(c, "a gather puts whole parts together",
                              "result %u has size %lld along all_gather_dim, expected a multiple of %lld", i,
                              (long long)whole, (long long)part);
        dims[dim] = whole;
        if (!check_result(c, i, &t)) return false;
    }
    return true;
}

// The last operand may hold the root of each tensor instead of being reduced or broadcast itself.
static bool data_operands(Check *c, uint32_t *n) {
    *n = c->n_operands;
    if (!check_flag(c, A_has_dynamic_root, false)) return *n || check_fail(c, NULL, "no operands");
    if (*n < 2) return check_fail(c, "tensors, then their roots", "has_dynamic_root needs two operands or more");
    --*n;
    const Type *root = in_type(c, *n);
    if (is_ranked(root) && root->rank == 1 && root->elem == EL_I32 && root->dims[0] == (int64_t)*n) return true;
    return check_fail(c, "the root of each tensor", "the last operand is %s, expected tensor<%uxi32>",
                      check_tensor_text(c, root), *n);
}

static bool check_computation(Check *c, const Type *x) {
    Type start = scalar_of(x);
    const Type *inputs[] = {x}, *inits[] = {&start};
    return check_reducer(c, 0, 1, inputs, inits, NULL, 0);
}

bool shape_all_reduce(Check *c) {
    uint32_t n;
    if (!check_operands_in(c, IS_TENSOR) || !check_replica_groups(c, ANY_GROUPS, NULL) || !check_channel(c, 1))
        return false;
    if (c->kind == OP_all_reduce)
        n = c->n_operands;
    else if (!data_operands(c, &n))
        return false;
    if (!check_result_count(c, n)) return false;
    for (uint32_t i = 0; i < n; i++) {
        if (!check_computation(c, in_type(c, i))) return false;
        Type t = check_accumulator(c, 0, 0, in_type(c, i));
        if (!check_result(c, i, &t)) return false;
    }
    return true;
}

bool shape_reduce_scatter(Check *c) {
    int64_t dim = check_int(c, A_scatter_dimension, 0), *dims;
    if (!check_operand_in(c, 0, IS_TENSOR) || !check_replica_groups(c, EQUAL_GROUPS, NULL) || !check_channel(c, 1))
        return false;
    if (!check_computation(c, in_type(c, 0))) return false;
    Type sum = check_accumulator(c, 0, 0, in_type(c, 0)), t = check_copy(c, &sum, &dims);
    if (!check_dim(c, "scatter_dimension", dim, t.rank, "operand")) return false;
    int64_t whole = dims[dim];
    t.encoding = NO_ID;
    const Type *y = out_type(c, 0);
    int64_t part = is_ranked(y) && y->rank == t.rank ? y->dims[dim] : DIM_DYNAMIC;
    if (part != DIM_DYNAMIC && whole != DIM_DYNAMIC && (part == 0 || whole == 0 || whole % part))
        return check_fail(c, "a scatter deals out equal parts, none of them empty",
                          "result 0 has size %lld along scatter_dimension, but operand has %lld", (long long)part,
                          (long long)whole);
    dims[dim] = part;
    return check_result(c, 0, &t);
}

bool shape_all_to_all(Check *c) {
    int64_t size, split = check_int(c, A_split_dimension, 0), concat = check_int(c, A_concat_dimension, 0),
                  count = check_int(c, A_split_count, 1);
    if (!check_operands_in(c, IS_TENSOR) || !check_result_count(c, c->n_operands)) return false;
    if (count < 1) return check_fail(c, NULL, "split_count %lld is not positive", (long long)count);
    if (!check_replica_groups(c, EQUAL_GROUPS, &size)) return false;
    if (attr_get(c->m, check_attr(c, A_replica_groups))->kind == ATTR_DENSE && size != count)
        return check_fail(c, "each device of a group gets one part",
                          "split_count is %lld, but groups have %lld devices", (long long)count, (long long)size);
    for (uint32_t i = 0; i < c->n_operands; i++) {
        int64_t *dims;
        Type t = check_copy(c, in_type(c, i), &dims);
        const char *name = check_operand_name(c, i);
        if (!check_dim(c, "split_dimension", split, t.rank, name) ||
            !check_dim(c, "concat_dimension", concat, t.rank, name))
            return false;
        if (dims[split] != DIM_DYNAMIC && dims[split] % count)
            return check_fail(c, NULL, "split dimension %lld of size %lld does not divide into %lld parts",
                              (long long)split, (long long)dims[split], (long long)count);
        if (dims[split] != DIM_DYNAMIC) dims[split] /= count;
        if (dims[concat] != DIM_DYNAMIC && __builtin_mul_overflow(dims[concat], count, &dims[concat]))
            return check_fail(c, NULL, "concat dimension %lld is too large", (long long)concat);
        const int64_t *from = check_bounds(c, &t);
        int64_t *bounds = from ? check_array(c, int64_t, t.rank) : NULL;
        for (uint32_t k = 0; from && k < t.rank; k++) bounds[k] = from[k];
        if (from && bounds[split] != DIM_DYNAMIC) bounds[split] /= count;
        if (from && bounds[concat] != DIM_DYNAMIC && __builtin_mul_overflow(bounds[concat], count, &bounds[concat]))
            bounds[concat] = DIM_DYNAMIC;
        t.encoding = check_encoding(c, t.encoding, bounds, t.rank);
        if (!check_result(c, i, &t)) return false;
    }
    return true;
}

static bool check_source_target_pairs(Check *c) {
    uint32_t n;
    const Type *t = NULL;
    const int64_t *pairs = check_dense(c, A_source_target_pairs, &t, &n);
    if (check_attr(c, A_source_target_pairs) == NO_ID) return true;
    if (!t || !is_ranked(t) || t->rank != 2 || t->dims[1] != 2)
        return check_fail(c, "a source and a target in each row",
                          "source_target_pairs is %s, expected dimensions [N, 2]",
                          t ? check_tensor_text(c, t) : "no list");
    if (!pairs) return check_fail(c, NULL, "source_target_pairs holds no integers");
    for (uint32_t i = 0; i < n; i++)
        if (pairs[i] < 0)
            return check_fail(c, "ids count from 0", "source_target_pairs holds %lld", (long long)pairs[i]);
    uint32_t source = check_duplicate(c, pairs, n / 2, 2), target = check_duplicate(c, pairs + (n > 1), n / 2, 2);
    if (source < n / 2)
        return check_fail(c, "a device sends to one other", "device %lld is a source twice",
                          (long long)pairs[2 * source]);
    if (target < n / 2)
        return check_fail(c, "a device hears from one other", "device %lld is a target twice",
                          (long long)pairs[2 * target + 1]);
    return true;
}

bool shape_collective_same(Check *c) {
    uint32_t n = c->n_operands;
    if (!check_operands_in(c, IS_TENSOR)) return false;
    if (c->kind == OP_collective_permute && !check_source_target_pairs(c)) return false;
    if (c->kind == OP_collective_broadcast && (!data_operands(c, &n) || !check_replica_groups(c, DISTINCT_IDS, NULL)))
        return false;
    if (!check_result_count(c, n)) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!check_result_id(c, i, in_id(c, i))) return false;
    return true;
}

bool shape_device_id(Check *c) {
    Type t = {.kind = TYPE_TENSOR, .elem = EL_UI32, .encoding = NO_ID};
    return check_result(c, 0, &t);
}
