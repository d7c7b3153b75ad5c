// Kernel work: walks from a kernel's op back through the ops fused into it, and sums their work and reads. Also finds kernels that
// are merged with others.
#include "sim/timeline/kernel_work.h"

// Whether elements change their places in the tiles of the last two dimensions.
static bool moves_in_tiles(const CostWalk *c, OpId op, OpKind kind) {
    const Module *m = c->m;
    if (op_is_elementwise(kind) || !c->f->tiled_layout) return false;
    if (kind == OP_transpose || kind == OP_reverse) return true;
    if (kind != OP_slice && kind != OP_pad && kind != OP_concatenate) return false;
    const Type *in = operand_type(m, op, 0), *out = result_type(m, op, 0);
    for (uint32_t i = out->rank < 2 ? 0 : out->rank - 2; i < out->rank; i++)
        if (in->dims[i] != out->dims[i]) return true;
    return false;
}

// What lies in memory is noted once, of an operand of the kernel.
static void note_input(CostWalk *c, OpId op, ValueId v, double bytes, uint32_t operand) {
    uint32_t *input = &c->moments[v].input;
    if (*input < c->inputs.n && c->inputs.at[*input].value == v) {
        KernelInput *noted = &c->inputs.at[*input];
        if (operand < noted->operand) noted->operand = operand;
        noted->uses++;
        return;
    }
    *input = c->inputs.n;
    if (is_in_vmem(c, op, v)) bytes = 0;
    vec_push(c->a, &c->inputs, ((KernelInput){v, operand, 1, bytes * kept_ratio(c->f, v)}));
}

// What an op computed in the kernel needs: of its first operand a part is read, and what is computed on the way too comes next.
static void look_at_operands(CostWalk *c, OpId kernel, OpId product, OpenOp of, double first_read) {
    const Op *o = op_get(c->m, of.op);
    const ValueId *operands = c->m->operands.at + o->first_operand;
    for (uint32_t i = 0, n = o->n_operands; i < n; i++) {
        ValueId v = c->buffer[operands[i]];
        if (of.op == product) of.operand = i < OPERAND_OF_OTHERS ? i : OPERAND_OF_OTHERS;
        if (c->f->place[v] != PLACE_FUSED) {
            note_input(c, of.op, v, i == 0 ? first_read : value_bytes(c->m, v), of.operand);
            continue;
        }
        OpId from = c->m->values.at[v].owner, *by = &c->fused_by[from];
        if (*by == kernel || *by == IDLE) continue;
        *by = kernel;
        c->open[c->n_open++] = (OpenOp){from, of.operand};
    }
}

static void add_work(CostWalk *c, OpId op, const Cost *cost, double runs, KernelWork *work) {
    double vector = cost->vector + (c->trees ? c->trees->flops[op] : 0);
    work->vector += vector;
    work->strided += cost->strided;
    work->flops += vector + cost->matrix;
    c->out.other_flops += vector * runs;
    work->reduces |= op_kind(c->m, op) == OP_reduce;
    work->moves |= moves_in_tiles(c, op, op_kind(c->m, op));
    if (cost->matrix == 0) return;
    c->out.flops += cost->matrix * runs;
    ValueId was = c->was[product_operand(c->m, op)];
    double peak = device_peak(c->out.d, (Elem)value_tensor(c->program, was)->elem);
    c->out.seconds_at_peak += cost->matrix * runs / peak;
    if (runs_on_vector_unit(c->out.d, cost))
        work->vector += cost->matrix, work->reduces = true;
    else
        work->matrix_seconds += cost->matrix / (peak * matrix_efficiency(c->out.d, cost));
}

static bool reads_idle(const CostWalk *c, OpId op) {
    const ValueId *v = op_operands(c->m, op), *end = v + op_get(c->m, op)->n_operands;
    for (; v < end; v++) {
        ValueId in = c->buffer[*v];
        const Value *val = &c->m->values.at[in];
        if (c->f->place[in] != PLACE_FUSED || val->is_arg || c->fused_by[val->owner] != IDLE) return false;
    }
    return true;
}

void look_at_fused_op(CostWalk *c, OpId op) {
    Cost cost = op_cost(c->m, op);
    FusedOp *fused = &c->fused[op];
    OpKind kind = op_kind(c->m, op);
    bool through = fuse_classes[kind] == FUSE_SHAPE; // what is behind it is read as it is
    c->fused_by[op] = 0;
    *fused = (FusedOp){.product = cost.matrix > 0,
                       .vector = cost.vector + (c->trees ? c->trees->flops[op] : 0),
                       .read = through ? value_bytes(c->m, op_operand(c->m, op, 0)) : cost.read,
                       .strided = cost.strided,
                       .reduces = kind == OP_reduce,
                       .moves = moves_in_tiles(c, op, kind),
                       .reads = through || cost.matrix + cost.vector + cost.read + cost.write > 0};
    bool works = cost.matrix + fused->vector + fused->strided > 0 || fused->reduces || fused->moves;
    if (!works && (!fused->reads || reads_idle(c, op))) c->fused_by[op] = IDLE;
}

// All that is computed in a kernel, and what it reads. `product` is the cost of the kernel's op, then of the first product that is found.
static KernelWork find_kernel_work(CostWalk *c, OpId kernel, Cost *product, double runs) {
    KernelWork work = {0};
    const Cost *cost = product;
    OpId multiplies = cost->matrix > 0 ? kernel : NO_ID;
    c->inputs.n = 0;
    add_work(c, kernel, cost, runs, &work);
    c->fused[kernel] = (FusedOp){.reads = work.flops + cost->read + cost->write > 0, .read = cost->read};
    c->open[0] = (OpenOp){kernel, OPERAND_OF_OTHERS};
    double on_the_way = 0;
    for (c->n_open = 1; c->n_open > 0;) {
        OpenOp next = c->open[--c->n_open];
        const FusedOp *fused = &c->fused[next.op];
        if (fused->product && c->f->kernel[next.op] != kernel) continue; // of that only a mask is read, a bit for each element
        if (fused->product) {
            Cost found = op_cost(c->m, next.op);
            add_work(c, next.op, &found, runs, &work);
            next.operand = OPERAND_OF_OTHERS;
            if (multiplies == NO_ID) multiplies = next.op, *product = found;
        } else {
            on_the_way += fused->vector;
            work.strided += fused->strided;
            work.reduces |= fused->reduces, work.moves |= fused->moves;
        }
        if (fused->reads) look_at_operands(c, kernel, multiplies, next, fused->read);
    }
    work.vector += on_the_way, work.flops += on_the_way;
    c->out.other_flops += on_the_way * runs;
    return work;
}

static bool is_touched_lately(const CostWalk *c, ValueId v, double bytes) {
    return c->near_bytes > 0 && c->moved - c->moments[v].touched + bytes <= c->near_bytes;
}

static void fetch_inputs(CostWalk *c, KernelWork *work, const Cost *product, uint32_t joined) {
    double far[2] = {0, 0}; // of the product: bytes of its operands
    for (uint32_t i = 0; i < c->inputs.n; i++) {
        KernelInput in = c->inputs.at[i];
        if (joined && c->moments[in.value].group == joined) continue;
        bool near = is_touched_lately(c, in.value, in.bytes);
        c->moments[in.value].touched = c->moved += in.bytes;
        if (near)
            work->read_near += in.bytes;
        else if (product->matrix > 0 && in.operand < OPERAND_OF_OTHERS)
            far[in.operand] += in.bytes;
        else
            work->read_far += in.bytes;
    }
    if (product->matrix > 0) read_product(c->out.d, product, far[0], far[1], work);
}

static void write_result(CostWalk *c, OpId op, double bytes, KernelWork *work) {
    if (op_get(c->m, op)->n_results == 0) return;
    ValueId v = op_result(c->m, op, 0);
    bytes *= kept_ratio(c->f, v);
    c->moments[v].touched = c->moved += bytes;
    bool near = 2 * bytes <= c->near_bytes;
    *(near ? &work->read_near : &work->written) += bytes;
}

// ---- Kernels of several results -------------------------------------------------------------------------------------

static bool same_dims(const Type *a, const Type *b) {
    if (a == b) return true;
    if (a->rank != b->rank) return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->dims[i] != b->dims[i]) return false;
    return true;
}

// The elements that a kernel goes over, if others can be one with it; else NULL.
static const Type *goes_over(const CostWalk *c, OpId op) {
    OpKind kind = op_kind(c->m, op);
    if (!device_backend(c->out.d)->multi_output_fusion || op_get(c->m, op)->n_results != 1) return NULL;
    if (kind == OP_reduce) return operand_type(c->m, op, 0);
    return IS_PRODUCT(kind) || op_is_elementwise(kind) ? result_type(c->m, op, 0) : NULL;
}

// The group that the kernel can be part of, for something that both read or that one makes for the other; 0 if it is in none.
static uint32_t find_group(const CostWalk *c, const Type *over) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < c->inputs.n && !found; i++) {
        uint32_t group = c->moments[c->inputs.at[i].value].group;
        if (group && same_dims(c->groups.at[group - 1].over, over)) found = group;
    }
    for (uint32_t i = 0; i < c->inputs.n && found; i++) {
        ValueId v = c->inputs.at[i].value;
        const ValueMoment *moment = &c->moments[v];
        bool inside = moment->group == found && same_dims(value_tensor(c->m, v), over);
        if (moment->made > c->groups.at[found - 1].first_kernel && !inside) return 0;
    }
    return found;
}

// What the group made, and nobody else reads, is not written.
static void read_inside(CostWalk *c, const KernelInput *in, OutputGroup *group) {
    ValueMoment *moment = &c->moments[in->value];
    const uint32_t *users = c->f->users.first;
    moment->inside += in->uses;
    if (moment->made <= group->first_kernel || moment->inside != users[in->value + 1] - users[in->value]) return;
    double bytes = kept_bytes(c->m, c->f, in->value);
    group->work.written -= bytes < group->work.written ? bytes : group->work.written;
}

// Seconds that the kernel adds to those of its group. A kernel without one begins one, of which others may be.
static double group_seconds(CostWalk *c, OpId op, const Type *over, uint32_t joined, const KernelWork *work, bool *by_memory) {
    if (!joined) vec_push(c->a, &c->groups, ((OutputGroup){.over = over, .first_kernel = c->n_kernels}));
    uint32_t id = joined ? joined : c->groups.n;
    OutputGroup *group = &c->groups.at[id - 1];
    for (uint32_t i = 0; i < c->inputs.n; i++) {
        ValueMoment *moment = &c->moments[c->inputs.at[i].value];
        if (moment->group == id)
            read_inside(c, &c->inputs.at[i], group);
        else
            moment->group = id, moment->inside = 0;
    }
    ValueMoment *made = &c->moments[op_result(c->m, op, 0)];
    made->group = id, made->inside = 0;
    double before = group->seconds;
    add_kernel_work(&group->work, work);
    group->seconds = kernel_seconds(c->out.d, &group->work, by_memory);
    return group->seconds > before ? group->seconds - before : 0;
}

void note_made(CostWalk *c, OpId op) {
    const Op *o = op_get(c->m, op);
    c->n_kernels++;
    for (uint32_t i = 0; i < o->n_results; i++) c->moments[o->first_result + i].made = c->n_kernels;
}

void cost_kernel(CostWalk *c, OpId kernel, double runs, KernelCost *out) {
    Cost cost = op_cost(c->m, kernel), product = cost;
    KernelWork work = find_kernel_work(c, kernel, &product, runs);
    const Type *over = goes_over(c, kernel);
    uint32_t group = over ? find_group(c, over) : 0;
    fetch_inputs(c, &work, &product, group);
    if (!stays_in_vmem(c, kernel)) write_result(c, kernel, cost.write, &work);
    if (cost.moved > 0) work.read_far = cost.moved, work.read_near = work.read_blocks = work.written = 0;
    double busy = over ? group_seconds(c, kernel, over, group, &work, &out->bound_by_memory)
                       : kernel_seconds(c->out.d, &work, &out->bound_by_memory);
    out->flops = work.flops;
    out->bytes = work.read_far + work.read_near + work.read_blocks + work.written;
    c->out.bytes += out->bytes * runs;
    if (busy == 0 && !group) return;
    out->kind = COST_KERNEL;
    out->runs = runs;
    out->seconds = c->out.turns * (busy + (group ? 0 : c->out.d->overhead));
    note_made(c, kernel);
}
