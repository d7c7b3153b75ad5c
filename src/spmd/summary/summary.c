// Summary: one walk over the ops, which multiplies loops by their trip counts.
#include "spmd/summary/summary.h"
#include "ir/analysis/trip.h"

// ORDER CollectiveKind
const char *const collective_names[COLLECTIVE_COUNT] = {"all_gather", "all_reduce", "reduce_scatter", "all_to_all",
                                                        "collective_permute"};

static AxisSet axes_in(const Module *m, const Mesh *mesh, AttrId id) {
    const Attr *a = attr_get(m, id);
    AxisId axes[MESH_MAX_AXES];
    AxisSet set = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        const Attr *item = attr_get(m, a->items[i]);
        if (item->kind == ATTR_ARRAY)
            set |= axes_in(m, mesh, a->items[i]);
        else
            for (uint32_t n = mesh_axes_of(mesh, item->text, axes); n-- > 0;) set |= (AxisSet)1 << axes[n];
    }
    return set;
}

const uint8_t collective_kinds[OP_COUNT] = {
    [OP_partir_all_gather] = COLLECTIVE_ALL_GATHER + 1,
    [OP_partir_all_reduce] = COLLECTIVE_ALL_REDUCE + 1,
    [OP_partir_reduce_scatter] = COLLECTIVE_REDUCE_SCATTER + 1,
    [OP_partir_all_to_all] = COLLECTIVE_ALL_TO_ALL + 1,
    [OP_partir_collective_permute] = COLLECTIVE_PERMUTE + 1,
    [OP_collective_permute] = COLLECTIVE_PERMUTE + 1, // in a manual computation, if it has axes
};

bool collective_of(const Module *m, const Mesh *mesh, OpId op, CollectiveKind *kind, AxisSet *axes, double *bytes) {
    OpKind k = op_kind(m, op);
    if (!collective_kinds[k]) return false; // as most
    *kind = (CollectiveKind)(collective_kinds[k] - 1);
    AttrName name = A_axes;
    if (*kind == COLLECTIVE_PERMUTE && op_attr(m, op, A_axes) == NO_ID) {
        if (k == OP_collective_permute) return false;
        name = A_from;
    }
    *axes = axes_in(m, mesh, op_attr(m, op, name));
    double group = 1;
    for (uint32_t a = 0; a < mesh->n_axes; a++)
        if (*axes >> a & 1) group *= (double)mesh->axes[a].size;
    double size = operand_type(m, op, 0)->bytes;
    switch (*kind) {
    case COLLECTIVE_ALL_GATHER: *bytes = size * (group - 1); break;
    case COLLECTIVE_ALL_REDUCE: *bytes = 2 * size * (group - 1) / group; break;
    case COLLECTIVE_PERMUTE: *bytes = size; break;
    default: *bytes = size * (group - 1) / group; break;
    }
    return true;
}

typedef struct SummaryWalk {
    const Lowered *l;
    Arena *a;
    VEC(CollectiveRow) rows;
    Summary *out;
} SummaryWalk;

static void summarise_op(void *arg, OpId op, double times) {
    SummaryWalk *w = arg;
    if (op_kind(w->l->m, op) == OP_while && trip_count(w->l->m, op) < 0) w->out->unknown_trips++;
    CollectiveKind kind;
    AxisSet axes;
    double bytes;
    if (!collective_of(w->l->m, w->l->mesh, op, &kind, &axes, &bytes)) return;
    uint32_t i = 0;
    while (i < w->rows.n && (w->rows.at[i].kind != kind || w->rows.at[i].axes != axes)) i++;
    if (i == w->rows.n) {
        AxisId list[MESH_MAX_AXES];
        Buffer names;
        buf_init(&names, w->a);
        mesh_json_axes(w->l->mesh, list, axes_of_set(w->l->mesh, axes, list), &names);
        vec_push(w->a, &w->rows, ((CollectiveRow){.kind = kind, .axes = axes, .axes_json = {names.at, names.n}}));
    }
    w->rows.at[i].ops++;
    w->rows.at[i].runs += times;
    w->rows.at[i].bytes += bytes * times;
    w->out->runs[kind] += times;
    w->out->bytes += bytes * times;
}

static void sort_rows(CollectiveRow *rows, uint32_t n) {
    for (uint32_t i = 1; i < n; i++) {
        CollectiveRow r = rows[i];
        uint32_t j = i;
        for (; j > 0 && (rows[j - 1].kind > r.kind || (rows[j - 1].kind == r.kind && rows[j - 1].axes > r.axes)); j--)
            rows[j] = rows[j - 1];
        rows[j] = r;
    }
}

static int64_t total_bytes(const Module *m, const ValueId *values, uint32_t n) {
    int64_t total = 0, bytes;
    for (uint32_t i = 0; i < n; i++)
        if (type_bytes(value_tensor(m, values[i]), &bytes)) total += bytes;
    return total;
}

Summary summarise(const Lowered *l, Arena *a) {
    Summary s = {0};
    SummaryWalk w = {.l = l, .a = a, .out = &s};
    const Module *m = l->m;
    RegionId body = op_region(m, module_main(m), 0);
    visit_runs(m, summarise_op, &w, a);
    sort_rows(w.rows.at, w.rows.n);
    s.rows = w.rows.at;
    s.n = w.rows.n;
    OpId ret = region_terminator(m, body);
    ValueId *args = arena_new(a, ValueId, m->regions.at[body].n_args);
    for (uint32_t i = 0; i < m->regions.at[body].n_args; i++) args[i] = m->regions.at[body].first_arg + i;
    s.argument_bytes = total_bytes(m, args, m->regions.at[body].n_args);
    s.result_bytes = total_bytes(m, op_operands(m, ret), op_get(m, ret)->n_operands);
    return s;
}
