// Collectives that name their groups by replica, partition or flattened device ids, as StableHLO does.
#include "interp/collective/collective.h"
#include "interp/kernel.h"
#include "interp/movement/index.h"
#include "interp/tensor/float.h"

typedef struct ReplicaGroups {
    uint32_t n;
    Devices *at;
} ReplicaGroups;

// How the numbers in replica_groups are meant.
typedef enum Mode {
    CROSS_REPLICA,               // replicas, for each partition
    CROSS_PARTITION,             // partitions, for each replica
    CROSS_REPLICA_AND_PARTITION, // replicas, with all their partitions
    FLATTENED                    // replica * number of partitions + partition
} Mode;

static int64_t channel_of(const Exec *e, OpId op) {
    AttrId handle = op_attr(e->m, op, A_channel_handle);
    return handle == NO_ID ? 0 : record_int(e->m, handle, RF_CHANNEL_HANDLE_handle, 0);
}

static Mode reduction_mode(const Exec *e, OpId op) {
    if (channel_of(e, op) <= 0) return CROSS_REPLICA;
    return op_attr_bool(e->m, op, A_use_global_device_ids, false) ? FLATTENED : CROSS_REPLICA_AND_PARTITION;
}

static Mode exchange_mode(const Exec *e, OpId op) { return channel_of(e, op) <= 0 ? CROSS_REPLICA : CROSS_PARTITION; }

static uint32_t mode_limit(const Exec *e, Mode mode) {
    return mode == CROSS_PARTITION ? e->n_partitions : mode == FLATTENED ? e->n_devices : e->n_replicas;
}

static uint32_t device_of_process(const Exec *e, int64_t replica, int64_t partition) {
    return (uint32_t)replica * e->n_partitions + (uint32_t)partition;
}

// One row of replica_groups as groups of devices. Rows may be filled up with -1.
static void add_replica_group(Exec *e, ReplicaGroups *g, Mode mode, const int64_t *ids, uint32_t n) {
    while (n && ids[n - 1] < 0) n--;
    uint32_t copies = mode == CROSS_REPLICA ? e->n_partitions : mode == CROSS_PARTITION ? e->n_replicas : 1;
    uint32_t size = mode == CROSS_REPLICA_AND_PARTITION ? n * e->n_partitions : n;
    for (uint32_t c = 0; c < copies; c++) {
        uint32_t *at = exec_scratch(e, size * sizeof *at), k = 0;
        if (mode == CROSS_REPLICA_AND_PARTITION) {
            for (uint32_t p = 0; p < e->n_partitions; p++)
                for (uint32_t i = 0; i < n; i++) at[k++] = device_of_process(e, ids[i], p);
        } else {
            for (uint32_t i = 0; i < n; i++)
                at[k++] = mode == CROSS_REPLICA     ? device_of_process(e, ids[i], c)
                          : mode == CROSS_PARTITION ? device_of_process(e, c, ids[i])
                                                    : (uint32_t)ids[i];
        }
        if (size) g->at[g->n++] = (Devices){size, at};
    }
}

static bool check_ids(Exec *e, OpId op, const int64_t *ids, uint32_t n, uint32_t limit) {
    uint8_t *seen = exec_scratch(e, limit);
    memset(seen, 0, limit);
    for (uint32_t i = 0; i < n; i++) {
        if (ids[i] < 0) continue;
        if (ids[i] >= limit)
            return exec_error(e, op, "run it on as many devices as it was made for (--devices)",
                              "the groups name device %lld of %u", (long long)ids[i], limit);
        if (seen[ids[i]]) return exec_error(e, op, NULL, "device %lld is in two groups", (long long)ids[i]);
        seen[ids[i]] = 1;
    }
    return true;
}

static bool read_groups(Exec *e, OpId op, Mode mode, ReplicaGroups *g) {
    AttrId attr = op_attr(e->m, op, A_replica_groups);
    const Attr *a = attr_get(e->m, attr);
    uint32_t n = 0, limit = mode_limit(e, mode), width;
    const int64_t *ids = attr_to_ints(e->m, attr, &n);
    if (!ids && n) return exec_error(e, op, NULL, "these replica groups cannot be read");
    const Type *t = a->type == NO_ID ? NULL : type_get(e->m, a->type);
    width = t && t->rank == 2 ? (uint32_t)t->dims[1] : n;
    *g = (ReplicaGroups){0};
    if (n == 0) { // all in one group
        int64_t *all = exec_scratch(e, limit * sizeof *all);
        for (uint32_t i = 0; i < limit; i++) all[i] = i;
        ids = all, n = width = limit;
    }
    if (!check_ids(e, op, ids, n, limit)) return false;
    g->at = exec_scratch(e, (uint64_t)(n / width + 1) * e->n_devices * sizeof *g->at);
    for (uint32_t i = 0; i + width <= n; i += width) add_replica_group(e, g, mode, ids + i, width);
    return true;
}

static bool every_device_has_result(Exec *e, OpId op) {
    for (uint32_t k = 0; k < e->active.n; k++)
        if (!exec_get(e, e->active.at[k], op_result(e->m, op, 0))) {
            e->device = e->active.at[k];
            return exec_error(e, op, NULL, "this device is in no group");
        }
    return true;
}

// Results of an earlier iteration of a loop are gone by now, but for those nothing uses.
static void clear_results(Exec *e, OpId op) {
    for (uint32_t k = 0; k < e->active.n; k++)
        for (uint32_t i = 0; i < op_get(e->m, op)->n_results; i++)
            exec_put(e, e->active.at[k], op_result(e->m, op, i), NULL);
}

static void give_all(Exec *e, OpId op, uint32_t result, Devices group, Tensor *t) {
    for (uint32_t k = 0; k < group.n; k++) exec_put(e, group.at[k], op_result(e->m, op, result), tensor_retain(t));
    tensor_release(&e->heap, t);
}

static Tensor *zeros_like(Exec *e, const Tensor *x) {
    Tensor *t = exec_new(e, (Elem)x->elem, x->rank, x->dims);
    memset(t->data, 0, tensor_bytes(t));
    return t;
}

// What a collective does in a group of devices, for one of its results.
typedef bool GroupKernel(Exec *e, OpId op, Devices group, uint32_t k);

static bool in_each_group(Exec *e, OpId op, Mode mode, GroupKernel *kernel) {
    ReplicaGroups g = {0};
    if (!read_groups(e, op, mode, &g)) return false;
    clear_results(e, op);
    for (uint32_t i = 0; i < g.n; i++) {
        bool present;
        if (!collective_arrived(e, op, g.at[i], &present)) return false;
        for (uint32_t k = 0; present && k < op_get(e->m, op)->n_results; k++)
            if (!kernel(e, op, g.at[i], k)) return false;
    }
    return true;
}

// ---- Reductions ----------------------------------------------------------------------------------------------------

static Tensor *combine_group(Exec *e, OpId op, Devices group, uint32_t k) {
    RegionId body = op_get(e->m, op)->n_regions ? op_region(e->m, op, 0) : NO_ID;
    e->device = group.at[0];
    return collective_combine(e, op, body, group, op_operand(e->m, op, k));
}

static bool all_reduce_group(Exec *e, OpId op, Devices group, uint32_t k) {
    Tensor *sum = combine_group(e, op, group, k);
    if (sum) give_all(e, op, k, group, sum);
    return sum;
}

bool kernel_all_reduce(Exec *e, OpId op) {
    return in_each_group(e, op, reduction_mode(e, op), all_reduce_group) && every_device_has_result(e, op);
}

static bool reduce_scatter_group(Exec *e, OpId op, Devices group, uint32_t result) {
    int64_t dim = op_attr_int(e->m, op, A_scatter_dimension, 0);
    Tensor *sum = combine_group(e, op, group, result);
    if (!sum) return false;
    for (uint32_t k = 0; k < group.n; k++) {
        Tensor *part = collective_part(e, op, sum, dim, k, group.n);
        if (!part) return false;
        exec_put(e, group.at[k], op_result(e->m, op, result), part);
    }
    tensor_release(&e->heap, sum);
    return true;
}

bool kernel_reduce_scatter(Exec *e, OpId op) {
    return in_each_group(e, op, reduction_mode(e, op), reduce_scatter_group) && every_device_has_result(e, op);
}

// The place in the group that the last operand names for result k, or the first.
static uint32_t root_device(Exec *e, OpId op, Devices group, uint32_t k) {
    if (!op_attr_bool(e->m, op, A_has_dynamic_root, false)) return 0;
    const Tensor *roots = exec_get(e, group.at[0], op_operand(e->m, op, op_get(e->m, op)->n_operands - 1));
    int64_t root = index_value(roots, k);
    return root < 0 || root >= group.n ? 0 : (uint32_t)root;
}

// The combination on the root, zeros elsewhere.
static bool reduce_to_root(Exec *e, OpId op, Devices group, uint32_t k) {
    Tensor *sum = combine_group(e, op, group, k);
    if (!sum) return false;
    give_all(e, op, k, group, zeros_like(e, sum));
    exec_put(e, group.at[root_device(e, op, group, k)], op_result(e->m, op, k), sum);
    return true;
}

bool kernel_collective_reduce(Exec *e, OpId op) {
    return in_each_group(e, op, reduction_mode(e, op), reduce_to_root) && every_device_has_result(e, op);
}

// ---- Exchanges -----------------------------------------------------------------------------------------------------

static bool all_gather_group(Exec *e, OpId op, Devices group, uint32_t k) {
    int64_t dim = op_attr_int(e->m, op, A_all_gather_dim, 0);
    Tensor *all = collective_concatenate(e, op, group, op_operand(e->m, op, k), dim);
    if (all) give_all(e, op, k, group, all);
    return all;
}

bool kernel_all_gather(Exec *e, OpId op) {
    return in_each_group(e, op, reduction_mode(e, op), all_gather_group) && every_device_has_result(e, op);
}

// Parts of the group's operands that belong to member `to`, joined. The result's value slots serve as the place of the
// parts.
static bool all_to_all_group(Exec *e, OpId op, Devices group, uint32_t operand) {
    if (op_attr_int(e->m, op, A_split_count, group.n) != group.n)
        return exec_error(e, op, NULL, "a group of %u devices does not fit split_count", group.n);
    int64_t split = op_attr_int(e->m, op, A_split_dimension, 0), concat = op_attr_int(e->m, op, A_concat_dimension, 0);
    ValueId v = op_operand(e->m, op, operand), result = op_result(e->m, op, operand);
    Tensor **joined = exec_scratch(e, group.n * sizeof *joined);
    for (uint32_t to = 0; to < group.n; to++) {
        for (uint32_t from = 0; from < group.n; from++) {
            Tensor *part = collective_part(e, op, exec_get(e, group.at[from], v), split, to, group.n);
            if (!part) return false;
            exec_put(e, group.at[from], result, part);
        }
        joined[to] = collective_concatenate(e, op, group, result, concat);
        if (!joined[to]) return false;
    }
    for (uint32_t to = 0; to < group.n; to++) exec_put(e, group.at[to], result, joined[to]);
    return true;
}

bool kernel_all_to_all(Exec *e, OpId op) {
    return in_each_group(e, op, exchange_mode(e, op), all_to_all_group) && every_device_has_result(e, op);
}

// A device that nobody sends to gets zeros.
bool kernel_collective_permute(Exec *e, OpId op) {
    Mode mode = exchange_mode(e, op);
    uint32_t n = 0, limit = mode_limit(e, mode);
    const int64_t *pairs = attr_to_ints(e->m, op_attr(e->m, op, A_source_target_pairs), &n);
    ValueId v = op_operand(e->m, op, 0), result = op_result(e->m, op, 0);
    clear_results(e, op);
    ReplicaGroups g = {.at = exec_scratch(e, (uint64_t)e->n_devices * sizeof *g.at)};
    for (uint32_t i = 0; i + 2 <= n; i += 2) {
        if (pairs[i] < 0 || pairs[i] >= limit || pairs[i + 1] < 0 || pairs[i + 1] >= limit)
            return exec_error(e, op, "run it on as many devices as it was made for (--devices)",
                              "pair (%lld, %lld) with %u devices", (long long)pairs[i], (long long)pairs[i + 1], limit);
        g.n = 0;
        add_replica_group(e, &g, mode, pairs + i, 2);
        for (uint32_t k = 0; k < g.n; k++) {
            bool present;
            if (!collective_arrived(e, op, g.at[k], &present)) return false;
            if (present) exec_put(e, g.at[k].at[1], result, tensor_retain(exec_get(e, g.at[k].at[0], v)));
        }
    }
    for (uint32_t k = 0; k < e->active.n; k++)
        if (!exec_get(e, e->active.at[k], result))
            exec_put(e, e->active.at[k], result, zeros_like(e, exec_get(e, e->active.at[k], v)));
    return true;
}

static bool broadcast_group(Exec *e, OpId op, Devices group, uint32_t k) {
    uint32_t root = group.at[root_device(e, op, group, k)];
    give_all(e, op, k, group, tensor_retain(exec_get(e, root, op_operand(e->m, op, k))));
    return true;
}

bool kernel_collective_broadcast(Exec *e, OpId op) {
    if (!in_each_group(e, op, exchange_mode(e, op), broadcast_group)) return false;
    uint32_t n = op_get(e->m, op)->n_results;
    for (uint32_t k = 0; k < e->active.n; k++)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t device = e->active.at[k];
            if (!exec_get(e, device, op_result(e->m, op, i)))
                exec_put(e, device, op_result(e->m, op, i),
                         zeros_like(e, exec_get(e, device, op_operand(e->m, op, i))));
        }
    return true;
}

bool kernel_device_id(Exec *e, OpId op) {
    Tensor *out = exec_out(e, op, 0, 0, NULL);
    uint32_t id = op_kind(e->m, op) == OP_replica_id ? e->device / e->n_partitions : e->device % e->n_partitions;
    elem_write_int((Elem)out->elem, out->data, id);
    return true;
}
