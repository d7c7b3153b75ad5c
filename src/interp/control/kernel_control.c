// Control flow, calls, tuples and tokens. Devices may take different ways: each branch runs for the devices that chose
// it, and a loop goes on for those whose condition still holds. A collective that then misses a device says so.
#include "interp/kernel.h"
#include "interp/movement/index.h"

// ---- Loops and branches --------------------------------------------------------------------------------------------

// The devices of `from` for which pick[k] == which; ids in `to`.
static Devices choose(Devices from, const int64_t *pick, int64_t which, uint32_t *to) {
    Devices d = {0, to};
    for (uint32_t k = 0; k < from.n; k++)
        if (pick[k] == which) to[d.n++] = from.at[k];
    return d;
}

bool kernel_while(Exec *e, OpId op) {
    const Module *m = e->m;
    uint32_t n = op_get(m, op)->n_operands;
    RegionId cond = op_region(m, op, 0), body = op_region(m, op, 1);
    Devices all = e->active;
    Tensor **carried = exec_scratch(e, (uint64_t)all.n * n * sizeof *carried); // [device of the loop][value]
    uint32_t *ids = exec_scratch(e, all.n * sizeof *ids), *index = exec_scratch(e, e->n_devices * sizeof *index);
    for (uint32_t k = 0; k < all.n; k++) {
        e->device = ids[k] = all.at[k];
        index[ids[k]] = k;
        for (uint32_t i = 0; i < n; i++) carried[k * n + i] = exec_take(e, op, i);
    }
    Devices going = {all.n, ids};
    while (going.n) {
        for (uint32_t k = 0; k < going.n; k++)
            for (uint32_t i = 0; i < n; i++)
                exec_bind(e, ids[k], cond, i, tensor_retain(carried[index[ids[k]] * n + i]));
        if (!exec_region(e, cond, going)) return false;
        uint32_t left = 0;
        for (uint32_t k = 0; k < going.n; k++) {
            Tensor *go;
            exec_yield(e, ids[k], cond, &go);
            if (index_value(go, 0)) ids[left++] = ids[k];
            tensor_release(&e->heap, go);
        }
        going.n = left;
        for (uint32_t k = 0; k < going.n; k++)
            for (uint32_t i = 0; i < n; i++) exec_bind(e, ids[k], body, i, carried[index[ids[k]] * n + i]);
        if (going.n && !exec_region(e, body, going)) return false;
        for (uint32_t k = 0; k < going.n; k++) exec_yield(e, ids[k], body, carried + index[ids[k]] * n);
    }
    for (uint32_t k = 0; k < all.n; k++)
        for (uint32_t i = 0; i < n; i++) exec_put(e, all.at[k], op_result(m, op, i), carried[k * n + i]);
    return true;
}

static bool run_branches(Exec *e, OpId op, const int64_t *pick) {
    const Op *o = op_get(e->m, op);
    Devices all = e->active;
    uint32_t *ids = exec_scratch(e, all.n * sizeof *ids);
    Tensor **results = exec_scratch(e, o->n_results * sizeof *results);
    for (uint32_t b = 0; b < o->n_regions; b++) {
        RegionId r = op_region(e->m, op, b);
        Devices some = choose(all, pick, b, ids);
        if (some.n && !exec_region(e, r, some)) return false;
        for (uint32_t k = 0; k < some.n; k++) {
            exec_yield(e, some.at[k], r, results);
            for (uint32_t i = 0; i < o->n_results; i++) exec_put(e, some.at[k], op_result(e->m, op, i), results[i]);
        }
    }
    return true;
}

bool kernel_if(Exec *e, OpId op) {
    int64_t *pick = exec_scratch(e, e->active.n * sizeof *pick);
    for (uint32_t k = 0; k < e->active.n; k++)
        pick[k] = index_value(exec_get(e, e->active.at[k], op_operand(e->m, op, 0)), 0) ? 0 : 1;
    return run_branches(e, op, pick);
}

// An index out of range takes the last branch.
bool kernel_case(Exec *e, OpId op) {
    int64_t *pick = exec_scratch(e, e->active.n * sizeof *pick), n = op_get(e->m, op)->n_regions;
    for (uint32_t k = 0; k < e->active.n; k++) {
        int64_t index = index_value(exec_get(e, e->active.at[k], op_operand(e->m, op, 0)), 0);
        pick[k] = index < 0 || index >= n ? n - 1 : index;
    }
    return run_branches(e, op, pick);
}

// ---- Calls ---------------------------------------------------------------------------------------------------------

static bool call_region(Exec *e, OpId op, RegionId body) {
    const Op *o = op_get(e->m, op);
    Devices all = e->active;
    if (e->m->regions.at[body].n_args != o->n_operands)
        return exec_error(e, op, NULL, "%u operands for %u arguments", o->n_operands, e->m->regions.at[body].n_args);
    for (uint32_t k = 0; k < all.n; k++) {
        e->device = all.at[k];
        for (uint32_t i = 0; i < o->n_operands; i++) exec_bind(e, all.at[k], body, i, exec_take(e, op, i));
    }
    if (!exec_region(e, body, all)) return false;
    uint32_t n = op_get(e->m, region_terminator(e->m, body))->n_operands;
    Tensor **results = exec_scratch(e, n * sizeof *results);
    for (uint32_t k = 0; k < all.n; k++) {
        exec_yield(e, all.at[k], body, results);
        for (uint32_t i = 0; i < n; i++) {
            if (i < o->n_results)
                exec_put(e, all.at[k], op_result(e->m, op, i), results[i]);
            else
                tensor_release(&e->heap, results[i]);
        }
    }
    return true;
}

bool kernel_call(Exec *e, OpId op) {
    Span name = op_attr_text(e->m, op, op_kind(e->m, op) == OP_composite ? A_decomposition : A_callee);
    OpId function = module_find_function(e->m, name);
    if (function == NO_ID) return exec_error(e, op, NULL, "there is no function @%.*s", (int)name.n, name.at);
    RegionId body = op_region(e->m, function, 0);
    if (e->m->regions.at[body].last == NO_ID) return exec_error(e, op, NULL, "@%.*s has no body", (int)name.n, name.at);
    // The values of a function have one place in the environment.
    if (e->plan.running[body])
        return exec_error(e, op, NULL, "@%.*s calls itself; recursion is not supported", (int)name.n, name.at);
    e->plan.running[body] = true;
    bool good = call_region(e, op, body);
    e->plan.running[body] = false;
    return good;
}

bool kernel_func(Exec *e, OpId op) { return exec_error(e, op, NULL, "functions do not nest"); }
bool kernel_return(Exec *e, OpId op) { return exec_error(e, op, NULL, "a return must end its region"); }

// async_start holds the call in a region; what it yields is a tuple that async_done unpacks. Nothing runs at the same
// time.
bool kernel_async(Exec *e, OpId op) {
    const Op *o = op_get(e->m, op);
    Devices all = e->active;
    if (op_kind(e->m, op) == OP_async_done) {
        for (uint32_t k = 0; k < all.n; k++) {
            Tensor *t = exec_get(e, all.at[k], op_operand(e->m, op, 0));
            if (t->kind != TENSOR_TUPLE || t->n != o->n_results)
                return exec_error(e, op, NULL, "the operand is no future of %u values", o->n_results);
            for (uint32_t i = 0; i < o->n_results; i++)
                exec_put(e, all.at[k], op_result(e->m, op, i), tensor_retain(((Tensor **)(void *)t->data)[i]));
        }
        return true;
    }
    RegionId r = op_region(e->m, op, 0);
    for (uint32_t k = 0; k < all.n; k++) {
        e->device = all.at[k];
        for (uint32_t i = 0; i < e->m->regions.at[r].n_args && i < o->n_operands; i++)
            exec_bind(e, all.at[k], r, i, exec_take(e, op, i));
    }
    if (!exec_region(e, r, all)) return false;
    uint32_t n = op_get(e->m, region_terminator(e->m, r))->n_operands;
    Tensor **results = exec_scratch(e, n * sizeof *results);
    for (uint32_t k = 0; k < all.n; k++) {
        exec_yield(e, all.at[k], r, results);
        exec_put(e, all.at[k], op_result(e->m, op, 0), exec_tuple(e, n, results));
        for (uint32_t i = 0; i < n; i++) tensor_release(&e->heap, results[i]);
    }
    return true;
}

// ---- Barriers, tuples, tokens --------------------------------------------------------------------------------------

bool kernel_optimization_barrier(Exec *e, OpId op) {
    for (uint32_t i = 0; i < op_get(e->m, op)->n_results; i++) exec_set(e, op, i, tensor_retain(exec_in(e, op, i)));
    return true;
}

bool kernel_token(Exec *e, OpId op) {
    exec_set(e, op, 0, exec_token(e));
    return true;
}

bool kernel_tuple(Exec *e, OpId op) {
    uint32_t n = op_get(e->m, op)->n_operands;
    Tensor **parts = exec_scratch(e, n * sizeof *parts);
    for (uint32_t i = 0; i < n; i++) parts[i] = exec_in(e, op, i);
    exec_set(e, op, 0, exec_tuple(e, n, parts));
    return true;
}

bool kernel_tuple_element(Exec *e, OpId op) {
    Tensor *t = exec_in(e, op, 0);
    int64_t i = op_attr_int(e->m, op, A_index, 0);
    if (t->kind != TENSOR_TUPLE || i < 0 || i >= t->n)
        return exec_error(e, op, NULL, "there is no element %lld", (long long)i);
    exec_set(e, op, 0, tensor_retain(((Tensor **)(void *)t->data)[i]));
    return true;
}

bool kernel_refuse(Exec *e, OpId op) {
    return exec_error(e, op, "only programs that compute without a host can be run",
                      "not supported by the interpreter");
}
