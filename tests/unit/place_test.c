// Where redistributions are done. Random chains of ops that only move, each op with a nest of its own: the device-local program gives
// the same results, and sends no more than the same chain does with all redistributions where the nests ask for them. Each kind of op
// must have been moved across in both directions, alone and with others. When one nest changes, the chain that is lowered again from
// what it was is the one that is lowered anew.
//
//     place_test [programs [first seed]]        4,000 by default
#include "interp/verify/verify.h"
#include "random_walk.h"
#include "spmd/relower.h"
#include "spmd/summary/summary.h"
#include "spmd/type_check.h"
#include "stablehlo/print/printer.h"
#include "test.h"
#include <stdlib.h>

enum { N_MOVERS = 5, MOST_OPS = 5 };
static const OpKind movers[N_MOVERS] = {OP_convert, OP_broadcast_in_dim, OP_reshape, OP_transpose, OP_slice};
static uint64_t n_programs = 4000, first_seed = 1, n_less;
static uint64_t before[N_MOVERS][2], after[N_MOVERS][2]; // moved across: alone, with others

// ---- The chain ------------------------------------------------------------------------------------------------------

// One more op of `t`, which becomes the type of its result.
static void add_mover(Gen *g, char *x, GenType *t) {
    static const char *const elems[] = {"f32", "bf16", "f64", "i32", "i8"};
    GenType r = *t;
    char text[256] = "", ints[64], *p = text;
    int64_t order[GEN_MAX_RANK];
    const char *op = "convert";
    switch (gen_random(g, N_MOVERS)) {
    case 0: r.elem = elems[gen_random(g, 5)]; break;
    case 1:
        if (t->rank > 3) return;
        r.rank++;
        for (int i = 0, at = (int)gen_random(g, (uint32_t)r.rank); i < r.rank; i++) {
            r.dims[i] = i == at ? gen_size(g) : t->dims[i - (i > at)];
            if (i != at) order[i - (i > at)] = i;
        }
        op = "broadcast_in_dim", sprintf(text, ", dims = %s", gen_list(ints, order, t->rank));
        break;
    case 2:
        op = "reshape", r.rank = 0;
        for (int i = 0; i < t->rank; i++) {
            int64_t part = t->dims[i] % 2 == 0 && gen_chance(g, 3) ? t->dims[i] / 2 : t->dims[i];
            if (r.rank && gen_chance(g, 3)) r.dims[r.rank - 1] *= t->dims[i];
            else if (r.rank < 3 && part != t->dims[i]) r.dims[r.rank++] = t->dims[i] / part, r.dims[r.rank++] = part;
            else r.dims[r.rank++] = t->dims[i];
        }
        break;
    case 3:
        op = "transpose";
        gen_shuffle(g, order, t->rank);
        for (int i = 0; i < t->rank; i++) r.dims[i] = t->dims[order[i]];
        sprintf(text, ", dims = %s", gen_list(ints, order, t->rank));
        break;
    default:
        op = "slice", p += sprintf(p, " [");
        for (int i = 0; i < t->rank; i++) {
            int64_t size = gen_chance(g, 2) ? (t->dims[i] + 1) / 2 : t->dims[i], from = gen_random(g, (uint32_t)(t->dims[i] - size) + 1);
            p += sprintf(p, "%s%" PRId64 ":%" PRId64, i ? ", " : "", from, from + size);
            r.dims[i] = size;
        }
        sprintf(p, "]");
    }
    TYPE(a, *t);
    TYPE(b, r);
    gen_line(g, "    %%%d = stablehlo.%s %s%s : (%s) -> %s", g->next, op, x, text, a, b);
    sprintf(x, "%%%d", g->next++);
    *t = r;
}

static void add_negate(Gen *g, char *x, const GenType *t) {
    TYPE(a, *t);
    gen_line(g, "    %%%d = stablehlo.negate %s : %s", g->next, x, a);
    sprintf(x, "%%%d", g->next++);
}

// `apart`: with two ops between any two movers that no redistribution is moved across.
static void write_chain(Gen *g, bool apart) {
    GenType t = gen_type(g, "f32", 1 + (int)gen_random(g, 3));
    char x[16] = "%arg0", from[128], to[128];
    gen_type_text(&t, from);
    add_negate(g, x, &t);
    for (uint32_t n = 1 + gen_random(g, MOST_OPS); n-- > 0;) {
        if (apart) add_negate(g, x, &t), add_negate(g, x, &t);
        add_mover(g, x, &t);
    }
    if (apart) add_negate(g, x, &t), add_negate(g, x, &t);
    add_negate(g, x, &t);
    gen_type_text(&t, to);
    snprintf(g->text, sizeof g->text, "func.func @main(%%arg0: %s) -> %s {\n%s    return %s : %s\n}\n", from, to, g->body, x, to);
}

// ---- Its nests ------------------------------------------------------------------------------------------------------

static bool is_mover(OpKind kind) {
    for (int i = 0; i < N_MOVERS; i++)
        if (movers[i] == kind) return true;
    return false;
}

static void tile_node(Walk *w, OpId op) {
    NodeId n = w->p.graph.op_node[op];
    uint32_t rank = operand_type(w->m, op, 0)->rank;
    for (int axis = 0; axis < w->n_axes; axis++)
        if (rank && !gen_chance(&w->g, 4)) action_tile(&w->p.state, n, 0, gen_random(&w->g, rank), (AxisId)axis);
}

// A negation beside a mover: as the mover has the tensor.
static void tile_alike(Walk *w, OpId op, OpId like, uint32_t tensor) {
    uint32_t len;
    NodeId n = w->p.graph.op_node[like];
    const NestEntry *nest = state_nest(&w->p.state, n, &len);
    for (uint32_t k = 0; k < len; k++) {
        int dim = rule_factor_dim(w->p.graph.nodes[n].rule, nest[k].factor, tensor);
        if (dim >= 0) action_tile(&w->p.state, w->p.graph.op_node[op], 0, (uint32_t)dim, nest[k].axis);
    }
}

// The first and the last op and each mover have nests of their own, by the same dice in both programs.
static void tile_chain(Walk *w, bool apart) {
    OpId ops[4 * MOST_OPS + 8];
    uint32_t n = 0;
    for (OpId op = w->m->regions.at[w->p.graph.body].first; op != NO_ID; op = op_get(w->m, op)->next)
        if (w->p.graph.op_node[op] != NO_ID && op_get(w->m, op)->n_results) ops[n++] = op;
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || i == n - 1 || is_mover(op_kind(w->m, ops[i]))) tile_node(w, ops[i]);
    for (uint32_t i = 1; apart && i + 1 < n; i++) {
        if (is_mover(op_kind(w->m, ops[i]))) continue;
        bool first = !is_mover(op_kind(w->m, ops[i - 1])) && i > 1; // the second of two: as the next op wants it
        if (i == 1) tile_alike(w, ops[i], ops[0], 1);
        else tile_alike(w, ops[i], ops[first ? i + 1 : i - 1], first ? 0 : 1);
    }
}

// ---- What became of it ----------------------------------------------------------------------------------------------

static double sent_by(const Lowered *l) {
    double sum = 0, bytes;
    CollectiveKind kind;
    AxisSet axes;
    for (OpId op = 0; op < l->m->ops.n; op++)
        if (collective_of(l->m, l->mesh, op, &kind, &axes, &bytes)) sum += bytes;
    return sum;
}

static int64_t count_elements(const Type *t) {
    int64_t n = 1;
    for (uint32_t d = 0; d < t->rank; d++) n *= t->dims[d];
    return n;
}

// Whether an op runs on its operand as its nest says, as far as sizes tell.
static bool as_asked(const Walk *w, const Lowered *l, OpId op) {
    NodeId n = w->p.graph.op_node[l->origin[op]];
    const Rule *r = w->p.graph.nodes[n].rule;
    uint32_t len;
    const NestEntry *nest = state_nest(&w->p.state, n, &len);
    int64_t size = count_elements(operand_type(w->m, l->origin[op], 0));
    for (uint32_t k = 0; k < len; k++)
        if (rule_factor_dim(r, nest[k].factor, 0) >= 0) size /= w->p.state.mesh->axes[nest[k].axis].size;
    return size == count_elements(operand_type(l->m, op, 0));
}

static void count_places(const Walk *w, const Lowered *l) {
    static uint8_t images[4096];
    bool across[N_MOVERS] = {0}, late[N_MOVERS] = {0};
    int n_across = 0, n_late = 0;
    memset(images, 0, sizeof images);
    for (OpId op = 0; op < l->m->ops.n; op++) {
        if (!l->image[op] || l->origin[op] == NO_ID) continue;
        for (int i = 0; i < N_MOVERS; i++) {
            if (op_kind(w->m, l->origin[op]) != movers[i]) continue;
            bool again = images[l->origin[op]]++;
            if (again) across[i] = true, n_across++;
            else if (!as_asked(w, l, op)) late[i] = true, n_late++;
        }
    }
    for (int i = 0; i < N_MOVERS; i++) {
        before[i][n_across > 1] += across[i];
        after[i][n_late > 1] += late[i];
    }
}

static const char *print_lowered(const Lowered *l, Arena *a) {
    Buffer out;
    buf_init(&out, a);
    print_module(l->m, 0, &out);
    return buf_cstr(&out);
}

// One op is tiled further than in the base.
static bool lowers_again(Walk *w) {
    State *s = &w->p.state;
    LowerOptions options = {0};
    Relowering r;
    bool same = relowering_init(&r, s, &options);
    for (int i = 0; i < 6 && same; i++) {
        uint32_t mark = state_mark(s);
        OpId op = gen_random(&w->g, w->m->ops.n);
        if (w->p.graph.op_node[op] == NO_ID || op_get(w->m, op)->n_operands != 1 || !op_get(w->m, op)->n_results) continue;
        tile_node(w, op);
        const Lowered *again = relower(&r, &w->p.scratch);
        Lowered *anew = lower(s, &options, &w->p.scratch);
        same = again && anew && strcmp(print_lowered(again, &w->p.scratch), print_lowered(anew, &w->p.scratch)) == 0;
        lowered_free(anew);
        state_undo(s, mark);
    }
    relowering_free(&r);
    return same;
}

static bool run_chain(Walk *w, uint64_t seed, bool apart, double *sent) {
    static const int64_t choices[] = {2, 3, 2, 4, 2, 2, 4, 3, 1};
    char mesh[64];
    w->g.state = seed * 77777 + 1;
    w->n_axes = gen_mesh(&w->g, choices, w->sizes, mesh);
    gen_init(&w->g, seed, w->sizes, w->n_axes);
    write_chain(&w->g, apart);
    w->m = module_new(w->ctx);
    source_from_memory(&w->m->source, "chain.mlir", w->g.text, strlen(w->g.text));
    if (!read_module(w->m) || !check_module(w->m) || !names_from_module(w->m)) return false;
    size_t n = strlen(mesh) + 1;
    source_from_memory(&w->source, "chain.schedule", memcpy(arena_alloc(&w->m->arena, n), mesh, n), n - 1);
    if (!schedule_read(w->ctx, &w->m->arena, &w->source, &w->schedule) || !partition_init(&w->p, w->m, &w->schedule, NULL)) return false;
    arena_init(&w->p.scratch, w->ctx);
    tile_chain(w, apart);
    w->p.lowered = lower(&w->p.state, &(LowerOptions){0}, &w->p.scratch);
    if (!w->p.lowered || !type_check(w->p.lowered, &w->p.state, &w->p.scratch)) return false;
    *sent = sent_by(w->p.lowered);
    if (apart) return true;
    count_places(w, w->p.lowered);
    return lowers_again(w) && partition_stablehlo(&w->p, EXPORT_FOR_ANY) && verify_partition(&w->p, &(VerifyOptions){.seed = seed, .exact = true}, NULL) == VERIFY_EQUAL;
}

static bool try_chain(uint64_t seed, bool apart, double *sent, char *text) {
    partir_options options = {.size = sizeof options, .diagnostic = keep_diagnostic};
    static Walk w;
    memset(&w, 0, sizeof w);
    volatile bool ok = false;
    partir_context_create(&options, &w.ctx);
    Guard g;
    if (GUARD(w.ctx, &g)) {
        ok = run_chain(&w, seed, apart, sent);
        strcpy(text, w.g.text);
        close_walk(&w);
        if (w.p.scratch.ctx) arena_free(&w.p.scratch);
        guard_close(w.ctx, &g);
    }
    partir_context_destroy(w.ctx);
    return ok;
}

static void chains_keep_their_meaning_and_send_no_more(void) {
    static char text[GEN_TEXT + 16384];
    int shown = 0;
    for (uint64_t i = 0; i < n_programs && shown < 3; i++) {
        uint64_t seed = first_seed + i;
        double sent = 0, asked = 0;
        last_error[0] = 0;
        bool ok = try_chain(seed, true, &asked, text) && try_chain(seed, false, &sent, text);
        n_less += sent < asked;
        if (ok && sent <= asked) continue;
        printf("seed %" PRIu64 ": %s, sent %.0f of %.0f\n%s\n%s", seed, ok ? "equal" : "wrong", sent, asked, last_error, text);
        CHECK(false);
        shown++;
    }
}

static void expect_moved(uint64_t n, OpKind kind, const char *where, bool others) {
    if (n) return;
    printf("%s: nothing was moved %s it%s\n", op_info[kind].name, where, others ? " and others" : "");
    CHECK(false);
}

// Alone, reshapes and transposes make nothing smaller; slices enlarge nothing, broadcasts shrink nothing.
static void every_op_was_moved_across(void) {
    CHECK(n_less > n_programs / 20);
    for (int i = 0; i < N_MOVERS; i++) {
        bool neutral = movers[i] == OP_reshape || movers[i] == OP_transpose;
        expect_moved(before[i][1], movers[i], "before", true);
        expect_moved(after[i][1], movers[i], "behind", true);
        if (neutral || movers[i] == OP_slice) CHECK(!before[i][0]);
        else expect_moved(before[i][0], movers[i], "before", false);
        if (!neutral && movers[i] != OP_broadcast_in_dim) expect_moved(after[i][0], movers[i], "behind", false);
    }
}

int main(int argc, char **argv) {
    if (argc > 1) n_programs = strtoull(argv[1], NULL, 10);
    if (argc > 2) first_seed = strtoull(argv[2], NULL, 10);
    RUN(chains_keep_their_meaning_and_send_no_more);
    if (n_programs >= 4000) RUN(every_op_was_moved_across);
    return test_end();
}
