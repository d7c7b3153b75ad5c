// Random programs × random meshes × random tilings: the array program, its Core form and the device-local program give
// the same results, and undoing restores the state bit for bit. What was tiled is counted for each op, kind of factor
// and axis size; an op that is never tiled in a way its rule allows is a failure. Then mutations: with a rule or an
// offset made wrong, some program must come out wrong.
//
//     partition_property_test [programs [first seed]]        30,000 by default
#include "core/tactic/tactic.h"
#include "spmd/type_check.h"
#include "interp/verify/verify.h"
#include "ir/names.h"
#include "random_program.h"
#include "spmd/core_program.h"
#include "spmd/export/one_hot.h"
#include "stablehlo/check.h"
#include "stablehlo/print/printer.h"
#include "stablehlo/read/reader.h"
#include "test.h"
#include <stdlib.h>

enum { N_SIZES = 7 };
enum { N_KINDS = FACTOR_MOVE + 1 };
static uint64_t offered[OP_COUNT][N_KINDS], tiled[OP_COUNT][N_KINDS][13], tiled_by_part[OP_COUNT][N_KINDS];
static char last_error[4096];

static void keep_diagnostic(void *user, const partir_diagnostic *d) {
    (void)user;
    if (d->severity == PARTIR_ERROR) partir_diagnostic_format(d, 0, last_error, sizeof last_error);
}

// A rule or the lowering made wrong on purpose.
typedef enum Mutation { MUTATE_NOTHING, MUTATE_FACTOR, MUTATE_OFFSETS, MUTATE_REDUCTIONS, MUTATE_MOVES } Mutation;

typedef struct Trial {
    Context *ctx;
    Module *m;
    Partition p;
    Schedule schedule;
    Source schedule_source;
    Gen g;
    int64_t sizes[3];
    int n_axes;
    Mutation mutation;
    OpKind mutated_op;
    uint32_t mutated_factor;
    bool did_mutate;
} Trial;

static void choose_mesh(Trial *t, uint64_t seed, char *text) {
    static const int64_t choices[] = {2, 3, 2, 4, 5, 6, 8, 3, 1};
    t->g.state = seed * 77777 + 1;
    gen_random(&t->g, 2);
    t->n_axes = gen_mesh(&t->g, choices, t->sizes, text);
}

static bool open_trial(Trial *t, uint64_t seed, Maker maker) {
    char mesh[64];
    choose_mesh(t, seed, mesh);
    gen_init(&t->g, seed, t->sizes, t->n_axes);
    gen_program(&t->g, maker);
    t->m = module_new(t->ctx);
    source_from_memory(&t->m->source, "random.mlir", t->g.text, strlen(t->g.text));
    if (!read_module(t->m) || !check_module(t->m) || !names_from_module(t->m)) return false;
    size_t n = strlen(mesh) + 1;
    source_from_memory(&t->schedule_source, "random.schedule", memcpy(arena_alloc(&t->m->arena, n), mesh, n), n - 1);
    return schedule_read(t->ctx, &t->m->arena, &t->schedule_source, &t->schedule) &&
           partition_init(&t->p, t->m, &t->schedule, NULL);
}

// An axis, or half of the times a part of it.
static AxisId random_axis(Trial *t) {
    AxisId axis = (AxisId)gen_random(&t->g, (uint32_t)t->n_axes);
    int64_t size = t->sizes[axis], before, part;
    if (!gen_chance(&t->g, 2)) return axis;
    do before = 1 + gen_random(&t->g, (uint32_t)size);
    while (size % before != 0);
    do part = 1 + gen_random(&t->g, (uint32_t)(size / before));
    while (size / before % part != 0);
    return part == 1 ? axis : mesh_part(t->p.state.mesh, axis, before, part);
}

// One to four rounds of tiles (and now and then an atomic) on random arguments and results.
static void tile_at_random(Trial *t) {
    State *s = &t->p.state;
    uint32_t rounds = 1 + gen_random(&t->g, 4);
    for (uint32_t r = 0; r < rounds; r++) {
        AxisId axis = random_axis(t);
        uint32_t mark = state_mark(s), tries = 1 + gen_random(&t->g, 3);
        s->tactic = (uint16_t)r;
        for (uint32_t i = 0; i < tries; i++) {
            const Target *target = &t->p.targets.at[gen_random(&t->g, t->p.targets.n)];
            const Type *type = type_get(t->m, target->type);
            if (type->kind != TYPE_TENSOR || type->rank == 0) continue;
            if (gen_chance(&t->g, 12)) {
                if (state_tiled_dim(s, target->node, target->tensor, axis) < 0) action_atomic(s, target->value, axis);
            } else {
                action_tile(s, target->node, target->tensor, gen_random(&t->g, type->rank), axis);
            }
        }
        propagate(s, mark, axis);
    }
}

static uint64_t state_hash(const State *s) {
    uint64_t h = 1469598103934665603u;
    const unsigned char *parts[] = {(const unsigned char *)s->nest, s->nest_n, (const unsigned char *)s->atomic,
                                    (const unsigned char *)s->cause};
    size_t sizes[] = {(size_t)s->g->n_nodes * s->depth * sizeof *s->nest, s->g->n_nodes,
                      s->g->n_values * sizeof *s->atomic, (size_t)s->g->n_nodes * s->depth * sizeof *s->cause};
    for (int p = 0; p < 4; p++)
        for (size_t i = 0; i < sizes[p]; i++) h = (h ^ parts[p][i]) * 1099511628211u;
    return h ^ s->conflicts.n;
}

static void count_coverage(const Trial *t) {
    const State *s = &t->p.state;
    for (NodeId n = 0; n < s->g->n_nodes; n++) {
        const Node *node = &s->g->nodes[n];
        if (node->kind != NODE_OP) continue;
        OpKind kind = op_kind(t->m, node->op);
        for (uint32_t f = 0; f < node->rule->n_factors; f++)
            if (factor_chunks(&node->rule->factors[f]) > 1)
                offered[kind][node->rule->factors[f].kind]++;
        uint32_t len;
        const NestEntry *nest = state_nest(s, n, &len);
        for (uint32_t k = 0; k < len; k++) {
            const Axis *axis = &s->mesh->axes[nest[k].axis];
            FactorKind factor = node->rule->factors[nest[k].factor].kind;
            tiled[kind][factor][axis->size]++;
            tiled_by_part[kind][factor] += axis_is_part(axis);
        }
    }
}

// What moved in the program that was lowered: an edge (less than a chunk of operand or result), a whole chunk, or all chunks by
// a gather; for an op that is tiled by a whole axis, or by a part of one. And on which meshes.
typedef enum Moved { MOVED_EDGE, MOVED_PIECE, MOVED_ALL, N_MOVED } Moved;
static uint64_t moved[OP_COUNT][2][N_MOVED];
static const char *const meshes[] = {"2", "3", "4", "6", "8", "2x3", "2x2x2"};
enum { N_MESHES = sizeof meshes / sizeof *meshes };
static uint64_t moved_on[OP_COUNT][N_MESHES];

// Which of the meshes above this is, by its axes in order of size; N_MESHES if none.
static size_t mesh_number(const Trial *t) {
    char text[64], *p = text;
    for (int64_t size = 2; size <= 12; size++)
        for (int i = 0; i < t->n_axes; i++)
            if (t->sizes[i] == size) p += sprintf(p, "%s%" PRId64, p == text ? "" : "x", size);
    size_t i = 0;
    while (i < N_MESHES && (p == text || strcmp(meshes[i], text) != 0)) i++;
    return i;
}

static int64_t elements(const Module *m, TypeId type) {
    int64_t n = 1;
    for (uint32_t d = 0; d < type_get(m, type)->rank; d++) n *= type_get(m, type)->dims[d];
    return n;
}

// Gathers emitted as sums and scatters emitted as selects: of whole arrays, and of chunks.
static uint64_t one_hots[OP_COUNT][2];

static void count_one_hots(const Trial *t, ExportTarget target) {
    const Module *m = t->p.lowered->m;
    for (OpId op = 0; op < m->ops.n; op++) {
        OpKind kind = op_kind(m, op);
        bool sum = target == EXPORT_FOR_TPU && kind == OP_gather && reads_one_hot(m, op);
        bool select = target == EXPORT_FOR_CPU && kind == OP_scatter && is_one_hot(m, op);
        OpId whole = t->p.lowered->origin[op];
        if ((!sum && !select) || whole == NO_ID) continue;
        int64_t of_all = elements(t->m, value_type(t->m, op_operand(t->m, whole, 0)));
        one_hots[kind][elements(m, value_type(m, op_operand(m, op, 0))) != of_all]++;
    }
}

// Of a chunk of a node's first result.
static int64_t local_elements(const Trial *t, NodeId n) {
    const Rule *r = t->p.graph.nodes[n].rule;
    uint32_t len;
    const NestEntry *nest = state_nest(&t->p.state, n, &len);
    int64_t size = elements(t->m, value_type(t->m, node_value(&t->p.graph, n, r->n_operands)));
    for (uint32_t k = 0; k < len; k++)
        if (rule_factor_dim(r, nest[k].factor, r->n_operands) >= 0) size /= t->p.state.mesh->axes[nest[k].axis].size;
    return size;
}

static uint64_t lookups[2]; // in chunks of the rows of a table, of its columns
static uint64_t products[2]; // in chunks of what a product sums over, of its result

// Whether a product was lowered with another nest than it has: an operand is not tiled as that says.
static void count_product(const Trial *t, OpId op) {
    const Lowered *l = t->p.lowered;
    NodeId n = t->p.graph.op_node[l->origin[op]];
    const Rule *r = t->p.graph.nodes[n].rule;
    uint32_t len;
    const NestEntry *nest = state_nest(&t->p.state, n, &len);
    for (uint32_t k = 0; k < len && l->mesh->n_axes == t->p.state.mesh->n_axes; k++)
        for (uint32_t i = 0; i < 2; i++) {
            int dim = rule_factor_dim(r, nest[k].factor, i);
            const Dist *d = l->dist[op_operand(l->m, op, i)];
            if (dim < 0 || t->p.state.mesh->axes[nest[k].axis].size == 1 || dist_dim_of(d, nest[k].axis) == dim) continue;
            products[!(l->dist[op_result(l->m, op, 0)]->pending >> nest[k].axis & 1)]++;
            return;
        }
}

static void count_moves(const Trial *t) {
    const Lowered *l = t->p.lowered;
    for (OpId op = 0; op < l->m->ops.n; op++) {
        OpKind kind = op_kind(l->m, op);
        if (kind == OP_dot_general && l->image[op]) count_product(t, op);
        if (l->origin[op] != NO_ID && op_kind(t->m, l->origin[op]) == OP_gather) {
            lookups[0] += kind == OP_partir_reduce_scatter;
            lookups[1] += kind == OP_partir_all_to_all;
        }
        NodeId n = l->origin[op] == NO_ID ? NO_ID : t->p.graph.op_node[l->origin[op]];
        if (n == NO_ID || (kind != OP_partir_collective_permute && kind != OP_partir_all_gather)) continue;
        if (kind == OP_partir_collective_permute && op_attr(l->m, op, A_axes) == NO_ID) continue; // of a redistribution
        uint32_t len, by = 2;
        const NestEntry *nest = state_nest(&t->p.state, n, &len);
        for (uint32_t k = 0; k < len; k++)
            if (t->p.graph.nodes[n].rule->factors[nest[k].factor].kind == FACTOR_MOVE)
                by = axis_is_part(&t->p.state.mesh->axes[nest[k].axis]);
        if (by == 2) continue;
        const Value *v = &l->m->values.at[op_operand(l->m, op, 0)];
        OpKind cut = v->is_arg ? OP_COUNT : op_kind(l->m, v->owner);
        bool edge = (cut == OP_slice || cut == OP_dynamic_slice) && l->origin[v->owner] == l->origin[op] &&
                    local_elements(t, n) != elements(l->m, v->type);
        if (mesh_number(t) < N_MESHES) moved_on[op_kind(t->m, l->origin[op])][mesh_number(t)]++;
        moved[op_kind(t->m, l->origin[op])][by]
             [kind == OP_partir_all_gather ? MOVED_ALL
              : edge                       ? MOVED_EDGE
                                           : MOVED_PIECE]++;
    }
}

// Flips the kind of one factor of the mutated op: what must be whole passes, what is summed passes, what passes is
// summed.
static void mutate_rules(Trial *t) {
    for (NodeId n = 0; n < t->p.graph.n_nodes; n++) {
        const Node *node = &t->p.graph.nodes[n];
        if (node->kind != NODE_OP || op_kind(t->m, node->op) != t->mutated_op ||
            node->rule->n_factors <= t->mutated_factor)
            continue;
        Factor *f = (Factor *)(uintptr_t)&node->rule->factors[t->mutated_factor];
        if (f->size == 1) continue;
        f->kind = f->kind == FACTOR_PASS ? FACTOR_REDUCE : FACTOR_PASS;
        t->did_mutate = true;
        return;
    }
}

// Makes every device believe that it is the first, or leaves reductions or moves out.
static void mutate_local(Trial *t, Module *local) {
    for (OpId op = 0; op < local->ops.n; op++) {
        Op *o = op_get(local, op);
        if (t->mutation == MUTATE_OFFSETS && o->kind == OP_partition_id) {
            Attr zero = {
                .kind = ATTR_DENSE, .sub = DENSE_TEXT, .type = value_type(local, o->first_result), .text = SPAN("0")};
            AttrId attr = attr_intern(local, &zero);
            op_get(local, op)->kind = OP_constant;
            op_set_attr(local, op, A_value, attr);
            t->did_mutate = true;
        } else if (t->mutation == MUTATE_MOVES && o->kind == OP_collective_permute) {
            o->kind = OP_optimization_barrier; // each device keeps what it should have sent
            o->n_attrs = 0;
            t->did_mutate = true;
        } else if (t->mutation == MUTATE_REDUCTIONS && o->kind == OP_all_reduce && operand_type(local, op, 0)->rank) {
            o->kind = OP_optimization_barrier;
            o->n_attrs = 0;
            o->n_regions = 0;
            t->did_mutate = true;
        }
    }
}

typedef enum Outcome { EQUAL, WRONG, UNREADABLE } Outcome;

// Lowers in a way that partitioning itself seldom chooses: axes in the opposite order, gathers of each policy.
static bool lower_otherwise(Trial *t, GatherPolicy gathers) {
    AxisId order[MESH_MAX_AXES];
    for (int i = 0; i < MESH_MAX_AXES; i++) order[i] = (AxisId)(MESH_MAX_AXES - 1 - i);
    LowerOptions options = {.axis_order = order, .gathers = gathers};
    t->p.lowered = lower(&t->p.state, &options, &t->p.scratch);
    return t->p.lowered && type_check(t->p.lowered, &t->p.state, &t->p.scratch);
}

static Outcome run_trial(Trial *t, uint64_t seed, Maker maker) {
    last_error[0] = 0;
    if (!open_trial(t, seed, maker)) return UNREADABLE;
    if (t->mutation == MUTATE_FACTOR) mutate_rules(t);
    arena_init(&t->p.scratch, t->ctx);
    uint64_t before = state_hash(&t->p.state);
    uint64_t dice = t->g.state;
    tile_at_random(t);
    if (t->mutation == MUTATE_NOTHING && seed % 4 == 0) {
        state_undo(&t->p.state, 0);
        CHECK(state_hash(&t->p.state) == before);
        t->g.state = dice;
        tile_at_random(t);
    }
    if (t->mutation == MUTATE_NOTHING) count_coverage(t);
    bool product = maker == make_dot_general;
    bool otherwise = t->mutation == MUTATE_NOTHING && (product || seed % 3 == 0);
    GatherPolicy gathers = product ? GATHERS_LEAST : (GatherPolicy)(seed / 3 % N_GATHER_POLICIES);
    ExportTarget target = t->mutation == MUTATE_NOTHING ? (ExportTarget)(seed % EXPORT_TARGETS) : EXPORT_FOR_ANY;
    bool lowered =
        (!otherwise || lower_otherwise(t, gathers)) && partition_lowered(&t->p) && partition_stablehlo(&t->p, target);
    if (lowered && t->mutation == MUTATE_NOTHING) count_moves(t), count_one_hots(t, target);
    if (lowered && t->mutation >= MUTATE_OFFSETS) mutate_local(t, t->p.stablehlo[0]);
    VerifyStatus status = lowered
                              ? verify_partition(&t->p, &(VerifyOptions){.seed = seed,
                                                                         .exact = t->g.exact,
                                                                         .target = target,
                                                                         .skip_core = t->mutation >= MUTATE_OFFSETS}, NULL)
                              : VERIFY_ERROR;
    if (status != VERIFY_EQUAL && t->mutation == MUTATE_NOTHING && t->p.lowered) { // the evidence
        Buffer out;
        buf_init(&out, &t->p.scratch);
        print_module(core_program(&t->p.state, &t->p.scratch), 0, &out);
        print_module(t->p.lowered->m, 0, &out);
        printf("%s\n%.*s", t->schedule_source.text, (int)out.n, out.at);
    }
    return status == VERIFY_EQUAL ? EQUAL : WRONG;
}

static void close_trial(Trial *t) {
    if (t->p.arena.ctx) partition_free(&t->p);
    if (t->p.scratch.ctx) arena_free(&t->p.scratch);
    if (t->m) module_free(t->m);
}

static Outcome try_one(Trial *t, uint64_t seed, Maker maker) {
    partir_options options = {.size = sizeof options, .diagnostic = keep_diagnostic};
    volatile Outcome outcome = WRONG;
    partir_context_create(&options, &t->ctx);
    Guard g;
    if (GUARD(t->ctx, &g)) {
        outcome = run_trial(t, seed, maker);
        close_trial(t);
        guard_close(t->ctx, &g);
    }
    partir_context_destroy(t->ctx);
    return outcome;
}

static uint64_t n_programs = 30000, first_seed = 1;

// Programs around ops of all makers, or of one.
static void check_programs(uint64_t n, Maker only) {
    int shown = 0;
    for (uint64_t i = 0; i < n && shown < 5; i++) {
        static Trial t;
        memset(&t, 0, sizeof t);
        uint64_t seed = first_seed + i;
        if (try_one(&t, seed, only ? only : makers[seed % N_MAKERS]) == EQUAL) continue;
        printf("seed %" PRIu64 ", %s:\n%s\n%s", seed, t.schedule_source.text ? "wrong" : "unreadable", last_error,
               t.g.text);
        CHECK(false); // a program lost its meaning
        shown++;
    }
}

static void programs_keep_their_meaning(void) { check_programs(n_programs, NULL); }

// Those in chunks of a weight are seldom among the others.
static void products_keep_their_meaning(void) { check_programs(n_programs / 4, make_dot_general); }

static void every_rule_was_exercised(void) {
    static const char *const kinds[N_KINDS] = {"pass", "reduce", NULL, NULL, "moved"};
    for (int op = 0; op < OP_COUNT; op++)
        for (int kind = 0; kind < N_KINDS; kind++) {
            if (!kinds[kind]) continue; // never tiled
            if (offered[op][kind] > n_programs / 60 && !tiled_by_part[op][kind]) {
                printf("%s: a %s factor was never tiled by a part of an axis\n", op_info[op].name, kinds[kind]);
                CHECK(false); // not covered
            }
            for (int size = 2; size < N_SIZES && offered[op][kind] > n_programs / 150; size++) {
                if (tiled[op][kind][size]) continue;
                printf("%s: a %s factor was never tiled by %d\n", op_info[op].name, kinds[kind], size);
                CHECK(false); // not covered
            }
        }
}

static void every_move_was_exercised(void) {
    CHECK(lookups[0] && lookups[1]);
    CHECK(products[0] && products[1]);
    static const OpKind ops[] = {OP_slice, OP_pad, OP_concatenate, OP_reverse};
    static const char *const what[N_MOVED] = {"edge", "piece", "whole operand"};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        for (int by = 0; by < 2; by++)
            for (int k = 0; k < N_MOVED; k++) {
                if (ops[i] == OP_reverse && k != MOVED_PIECE) continue; // whole chunks change places
                if (moved[ops[i]][by][k]) continue;
                printf("%s: no %s was moved along %s\n", op_info[ops[i]].name, what[k], by ? "a part of an axis" : "an axis");
                CHECK(false); // not covered
            }
        for (size_t k = 0; k < N_MESHES; k++) {
            if (moved_on[ops[i]][k]) continue;
            printf("%s: nothing was moved on %s\n", op_info[ops[i]].name, meshes[k]);
            CHECK(false); // not covered
        }
    }
}

static void every_one_hot_was_emitted(void) {
    CHECK(one_hots[OP_gather][0] && one_hots[OP_gather][1]);
    CHECK(one_hots[OP_scatter][0] && one_hots[OP_scatter][1]);
}

// Some program of its maker must come out wrong within so many tries.
static bool bites(Mutation mutation, OpKind op, uint32_t factor, Maker maker, bool *applies) {
    *applies = false;
    for (uint64_t seed = 1; seed < 400; seed++) {
        static Trial t;
        memset(&t, 0, sizeof t);
        t.mutation = mutation;
        t.mutated_op = op;
        t.mutated_factor = factor;
        Outcome o = try_one(&t, seed, maker);
        *applies |= t.did_mutate;
        if (o == WRONG && t.did_mutate) return true;
    }
    return false;
}

static void mutations_are_seen(void) {
    static const struct {
        OpKind op;
        Maker maker;
        uint32_t factors;
    } targets[] = {{OP_dot_general, make_dot_general, 4},
                   {OP_transpose, make_transpose, 2},
                   {OP_reduce, make_reduce, 2},
                   {OP_gather, make_gather, 3},
                   {OP_scatter, make_scatter, 3},
                   {OP_dynamic_slice, make_dynamic_slice, 2},
                   {OP_dynamic_update_slice, make_dynamic_update_slice, 2},
                   {OP_convolution, make_convolution, 4},
                   {OP_concatenate, make_concatenate, 2},
                   {OP_sort, make_sort, 2},
                   {OP_fft, make_fft, 2},
                   {OP_reshape, make_reshape, 2},
                   {OP_broadcast_in_dim, make_broadcast_in_dim, 2},
                   {OP_slice, make_slice, 2},
                   {OP_pad, make_pad, 2},
                   {OP_reverse, make_reverse, 2},
                   {OP_add, make_binary, 1},
                   {OP_select, make_compare_select, 1},
                   {OP_reduce_window, make_reduce_window, 2},
                   {OP_triangular_solve, make_triangular_solve, 1},
                   {OP_batch_norm_inference, make_batch_norm, 3}};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        for (uint32_t f = 0; f < targets[i].factors; f++) {
            bool applies, seen = bites(MUTATE_FACTOR, targets[i].op, f, targets[i].maker, &applies);
            if (applies && !seen)
                printf("%s: nobody notices that factor %u has another kind\n", op_info[targets[i].op].name, f);
            CHECK(seen || !applies);
        }
    static const Maker offsets[] = {make_gather,        make_scatter,     make_dynamic_slice, make_dynamic_update_slice,
                                    make_iota_constant, make_index_select};
    bool applies;
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        CHECK(bites(MUTATE_OFFSETS, OP_COUNT, 0, offsets[i], &applies));
    static const Maker movers[] = {make_moved_slice, make_moved_pad, make_reverse, make_moved_concatenate, make_roll};
    for (size_t i = 0; i < sizeof movers / sizeof *movers; i++) {
        CHECK(bites(MUTATE_MOVES, OP_COUNT, 0, movers[i], &applies));
        CHECK(bites(MUTATE_OFFSETS, OP_COUNT, 0, movers[i], &applies));
    }
    CHECK(bites(MUTATE_REDUCTIONS, OP_COUNT, 0, make_dot_general, &applies));
    CHECK(bites(MUTATE_REDUCTIONS, OP_COUNT, 0, make_reduce, &applies));
}

int main(int argc, char **argv) {
    if (argc > 1) n_programs = strtoull(argv[1], NULL, 10);
    if (argc > 2) first_seed = strtoull(argv[2], NULL, 10);
    RUN(programs_keep_their_meaning);
    RUN(products_keep_their_meaning);
    if (n_programs >= 20000) RUN(every_rule_was_exercised);
    if (n_programs >= 20000) RUN(every_move_was_exercised);
    if (n_programs >= 20000) RUN(every_one_hot_was_emitted);
    if (argc <= 2) RUN(mutations_are_seen);
    return test_end();
}
