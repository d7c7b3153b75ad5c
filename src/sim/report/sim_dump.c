// Dumps: a line for each op, kernel, buffer or slice. Values are numbered as in the program that the passes see.
#include "sim/report/sim_report.h"
#include "sim/backend/rules.h"
#include "sim/memory/buffers.h"
#include "stablehlo/print/printer.h"

static void dump_values(const char *before, const ValueId *v, uint32_t n, Buffer *out) {
    for (uint32_t i = 0; i < n; i++) buf_format(out, "%s%%%u", i ? ", " : before, v[i]);
}

// The first result stands for an op.
static void dump_op_name(const Module *m, OpId op, Buffer *out) {
    if (op_get(m, op)->n_results)
        buf_format(out, "%%%u", op_get(m, op)->first_result);
    else
        buf_str(out, op_info[op_kind(m, op)].name);
}

static void dump_other(const SimRun *r, const char *what, OpId op, Buffer *out) {
    buf_format(out, "; %s ", what);
    dump_op_name(r->program.m, op, out);
}

static void dump_place(const SimRun *r, OpId op, Buffer *out) {
    const Module *m = r->program.m;
    const Fusion *f = &r->fusion;
    const Op *o = op_get(m, op);
    if (!o->n_results) return;
    ValueId v = o->first_result;
    if (f->place[v] == PLACE_FUSED && f->kernel[op] != op)
        dump_other(r, "fused into", f->kernel[op], out);
    else if (f->place[v] == PLACE_ALIAS && o->n_operands)
        buf_format(out, "; alias of %%%u", op_operand(m, op, 0));
    else if (f->place[v] == PLACE_BUFFER)
        buf_str(out, "; buffer");
    if (f->copies[op] > 1) buf_format(out, ", %u times", f->copies[op]);
    if (f->duplicated[v]) buf_str(out, ", duplicated into consumers");
}

// What the passes so far know of the op.
static void dump_notes(const SimRun *r, OpId op, Buffer *out) {
    const Fusion *f = &r->fusion;
    const Op *o = op_get(r->program.m, op);
    ValueId v = o->first_result;
    if (r->program.trees && r->program.trees->flops[op] > 0)
        buf_format(out, "; tree of %.0f FLOP more", r->program.trees->flops[op]);
    if (o->n_results && f->loops && f->loops[v]) buf_format(out, "; invariant in %u loops", f->loops[v]);
    if (o->n_results && f->stored_bf16 && f->stored_bf16[v]) buf_str(out, "; stored as bf16");
    if (o->n_results && f->tiled_layout && f->tiled_layout[v] != 1)
        buf_format(out, "; padded to %.3g times its bytes", f->tiled_layout[v]);
    for (uint32_t i = 0; f->copied && i < o->n_operands; i++)
        if (f->copied[o->first_operand + i]) buf_format(out, "; copies operand %u", i);
    if (f->library && f->library[op] != NO_ID) dump_other(r, "in the library kernel of", f->library[op], out);
    if (f->merged && f->merged[op] != NO_ID) dump_other(r, "the same as", f->merged[op], out);
    if (f->scatter_add && f->scatter_add[op]) buf_str(out, "; scatter-add");
    if (f->accumulation && f->accumulation[op])
        buf_str(out, f->accumulation[op] == ACCUMULATES ? "; accumulates in place" : "; accumulated in place");
    if (f->place) dump_place(r, op, out);
    if (r->combined && r->combined[op] != NO_ID) dump_other(r, "combined with", r->combined[op], out);
}

static void dump_op(const SimRun *r, OpId op, Buffer *out) {
    const Module *m = r->program.m;
    const Op *o = op_get(m, op);
    if (o->n_results) buf_format(out, "%%%u", o->first_result);
    if (o->n_results > 1) buf_format(out, ":%u", o->n_results);
    if (o->n_results) buf_str(out, " = ");
    buf_str(out, op_info[o->kind].name);
    dump_values(" ", op_operands(m, op), o->n_operands, out);
    for (uint32_t i = 0; i < o->n_results; i++) {
        buf_str(out, i ? ", " : " : ");
        print_type(m, value_type(m, o->first_result + i), out);
    }
    dump_notes(r, op, out);
    buf_char(out, '\n');
}

static void dump_region(const SimRun *r, RegionId region, int depth, Buffer *out) {
    const Module *m = r->program.m;
    const Region *g = &m->regions.at[region];
    for (uint32_t i = 0; i < g->n_args; i++) {
        buf_format(out, "%*s%%%u: ", 2 * depth, "", g->first_arg + i);
        print_type(m, value_type(m, g->first_arg + i), out);
        buf_char(out, '\n');
    }
    for (OpId op = g->first; op != NO_ID; op = op_get(m, op)->next) {
        buf_format(out, "%*s", 2 * depth, "");
        dump_op(r, op, out);
        for (uint32_t i = 0; runs_regions(op_kind(m, op)) && i < op_get(m, op)->n_regions; i++) {
            buf_format(out, "%*sregion %u\n", 2 * depth, "", i);
            dump_region(r, op_region(m, op, i), depth + 1, out);
        }
    }
}

void dump_program(const SimRun *r, Buffer *out) {
    dump_region(r, op_region(r->program.m, module_main(r->program.m), 0), 0, out);
}

void dump_kernels(const SimRun *r, Buffer *out) {
    const KernelGraph *k = &r->graph;
    for (uint32_t i = 0; i < k->n; i++) {
        buf_format(out, "kernel %u: ", i);
        buf_str(out, op_info[op_kind(r->program.m, k->op[i])].name);
        for (uint32_t at = k->first_read[i]; at < k->first_read[i + 1]; at++)
            buf_format(out, "%s%%%u", at == k->first_read[i] ? " reads " : ", ", k->read[at].value);
        dump_values(" writes ", k->written + k->first_written[i], k->first_written[i + 1] - k->first_written[i], out);
        buf_char(out, '\n');
    }
}

// Before it is known of all ops: of kernels, those of regions inside before.
void dump_schedule(const SimRun *r, Buffer *out) {
    const OpSchedule *s = &r->schedule;
    for (uint32_t p = 0; !s->n && r->kernels && p < r->graph.n; p++) {
        buf_format(out, "kernel %u: ", r->kernels[p]);
        dump_op(r, r->graph.op[r->kernels[p]], out);
    }
    for (uint32_t p = 0; p < s->n; p++) {
        buf_format(out, "%u: %s", p, is_operand_copy(s, p) ? "copy for " : "");
        dump_op(r, s->at[p], out);
    }
}

void dump_buffers(const SimRun *r, Buffer *out) {
    const Liveness *l = r->liveness;
    for (uint32_t i = 0; i < l->all.n; i++) {
        const Alive *b = &l->all.at[i];
        buf_format(out, "buffer %u: %.0f bytes of %%%u, %u to %u", i, b->bytes, b->value, b->start / 2, b->end / 2);
        if (b->bytes == 0 && r->vmem > 0) buf_str(out, ", in VMEM");
        if (b->kept) buf_str(out, ", kept");
        if (b->home != NO_ID) buf_format(out, ", in place of buffer %u", b->home);
        if (b->rematerializable) buf_str(out, ", rematerializable");
        buf_char(out, '\n');
    }
    const MemoryUse *use = &r->out->memory;
    if (use->peak > 0) buf_format(out, "peak %.0f bytes, %.0f of them between buffers\n", use->peak, use->gaps);
}

void dump_costs(const SimRun *r, Buffer *out) {
    for (uint32_t p = 0; p < r->written.n; p++) {
        const KernelCost *k = &r->costs.of[r->written.at[p]];
        if (k->kind == COST_NONE) continue;
        buf_format(out, "%.3f us, %.0f FLOP, %.0f bytes, %.0f runs: ", k->seconds * 1e6, k->flops, k->bytes, k->runs);
        dump_op(r, r->written.at[p], out);
    }
}

void dump_timeline(const SimRun *r, Buffer *out) {
    for (uint32_t i = 0; i < r->timeline.n_slices; i++) {
        const Slice *s = &r->timeline.slices[i];
        buf_format(out, "%.3f us, %.3f us: ", s->start * 1e6, s->seconds * 1e6);
        dump_op(r, s->op, out);
    }
}
