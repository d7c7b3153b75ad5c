// Trip counts of the loops that JAX makes of scan and fori_loop:
//
//     while(%i = 0, …) cond { compare LT, %i, 12 } do { … %i' = add %i, 1 … return %i', … }
#include "ir/analysis/trip.h"

static bool constant_int(const Module *m, ValueId v, int64_t *out) {
    const Value *val = &m->values.at[v];
    if (val->is_arg || op_kind(m, val->owner) != OP_constant) return false;
    return attr_splat_int(m, attr_get(m, op_attr(m, val->owner, A_value)), out);
}

// The carried value that a region's value is an argument for, or that nothing changes on the way into the loop.
static bool is_argument(const Module *m, ValueId v, RegionId r, uint32_t *index) {
    const Value *val = &m->values.at[v];
    if (!val->is_arg || val->owner != r) return false;
    *index = val->index;
    return true;
}

// A bound that is a constant in the condition, or a carried value that the body hands on unchanged and that starts as a
// constant.
static bool bound_of(const Module *m, OpId loop, ValueId v, int64_t *out) {
    uint32_t i;
    if (constant_int(m, v, out)) return true;
    if (!is_argument(m, v, op_region(m, loop, 0), &i)) return false;
    RegionId body = op_region(m, loop, 1);
    if (op_operand(m, region_terminator(m, body), i) != m->regions.at[body].first_arg + i) return false;
    return constant_int(m, op_operand(m, loop, i), out);
}

// How many steps of a stride lead from `low` to `high`, at most INT64_MAX. The distance of two int64_t fits in a uint64_t.
static int64_t turns(int64_t low, int64_t high, bool inclusive, int64_t stride) {
    if (low > high || (low == high && !inclusive)) return 0;
    uint64_t distance = (uint64_t)high - (uint64_t)low;
    if (!inclusive) distance--;
    uint64_t steps = distance / (uint64_t)stride;
    return steps >= INT64_MAX ? INT64_MAX : (int64_t)steps + 1;
}

int64_t trip_count(const Module *m, OpId loop) {
    RegionId cond = op_region(m, loop, 0), body = op_region(m, loop, 1);
    ValueId pred = op_operand(m, region_terminator(m, cond), 0);
    const Value *val = &m->values.at[pred];
    if (val->is_arg || op_kind(m, val->owner) != OP_compare) return -1;
    OpId compare = val->owner;
    Span direction = op_attr_text(m, compare, A_comparison_direction);
    int64_t bound, start, step;
    uint32_t i;
    if (!is_argument(m, op_operand(m, compare, 0), cond, &i) || !bound_of(m, loop, op_operand(m, compare, 1), &bound))
        return -1;
    if (!constant_int(m, op_operand(m, loop, i), &start)) return -1;
    const Value *next = &m->values.at[op_operand(m, region_terminator(m, body), i)];
    if (next->is_arg) return -1;
    OpKind kind = op_kind(m, next->owner);
    if (kind != OP_add && kind != OP_subtract) return -1;
    uint32_t from;
    ValueId a = op_operand(m, next->owner, 0), b = op_operand(m, next->owner, 1);
    if (!(is_argument(m, a, body, &from) && from == i && constant_int(m, b, &step)) &&
        !(kind == OP_add && is_argument(m, b, body, &from) && from == i && constant_int(m, a, &step)))
        return -1;
    if (step == INT64_MIN) return -1;
    if (kind == OP_subtract) step = -step;
    bool up = span_is(direction, "LT") || span_is(direction, "LE"),
         down = span_is(direction, "GT") || span_is(direction, "GE");
    if ((!up && !down) || (up && step <= 0) || (down && step >= 0)) return -1;
    bool inclusive = span_is(direction, "LE") || span_is(direction, "GE");
    return turns(up ? start : bound, up ? bound : start, inclusive, up ? step : -step);
}

typedef struct RunsFrame {
    OpId op;
    uint32_t region; // of it, to be visited next
    double outside, inside;
} RunsFrame;

void visit_runs(const Module *m, VisitOp *visit, void *arg, Arena *a) {
    VEC(RunsFrame) stack = {0};
    OpId op = m->regions.at[op_region(m, module_main(m), 0)].first;
    for (double runs = 1;;) {
        if (op == NO_ID) { // the end of a region
            if (!stack.n) return;
            RunsFrame *f = &stack.at[stack.n - 1];
            bool more = f->region < op_get(m, f->op)->n_regions;
            runs = more ? f->inside : f->outside;
            op = more ? m->regions.at[op_region(m, f->op, f->region++)].first : op_get(m, f->op)->next;
            if (!more) stack.n--;
            continue;
        }
        visit(arg, op, runs);
        OpKind kind = op_kind(m, op);
        if (runs_regions(kind)) {
            int64_t trips = kind == OP_while ? trip_count(m, op) : 1;
            vec_push(a, &stack, ((RunsFrame){op, 0, runs, runs_in_loop(runs, trips)}));
            op = NO_ID;
        } else {
            op = op_get(m, op)->next;
        }
    }
}
