// Inline: every call becomes the body that it names.
//
//     func.func @main(%x) { %y = call @relu(%x)  return %y }         func.func @main(%x) {
//     func.func private @relu(%a) {                             =>     %0 = stablehlo.constant dense<0.0>
//       %0 = stablehlo.constant dense<0.0>                             %1 = stablehlo.maximum %x, %0
//       %1 = stablehlo.maximum %a, %0  return %1 }                     return %1 }
//
// A function is never inside itself, so one map of values serves all: a second copy of a body overwrites what the first
// one left there.
#include "ir/pass/rebuild.h"

enum { MAX_OPS = 20 * 1000 * 1000 };

// A call whose callee is being looked through, or copied.
typedef struct InlineFrame {
    OpId function; // whose body that is
    Cursor call;   // the call in the body around it
    LocId loc;     // of the call, as it will be; NO_ID without
} InlineFrame;

// What is known of a function before it is inlined, by op.
typedef struct InlinePlan {
    bool active, done; // some frame is in it; its size is known
    bool is_root;
    uint64_t size; // ops that it becomes
} InlinePlan;

typedef struct Inliner {
    Module *m;
    Arena scratch;
    ValueId *map;
    InlinePlan *plan;
    VEC(InlineFrame) frames;
    VEC(OpId) roots; // functions that remain: @main, and what custom calls name
} Inliner;

static bool is_call(OpKind k) { return k == OP_func_call || k == OP_composite; }

static OpId callee_of(const Module *m, OpId call) {
    bool composite = op_kind(m, call) == OP_composite;
    return module_find_function(m, op_attr_text(m, call, composite ? A_decomposition : A_callee));
}

// ---- Looking ahead --------------------------------------------------------------------------------------------------

static bool check_call(const Inliner *in, OpId call, OpId callee) {
    const Module *m = in->m;
    bool composite = op_kind(m, call) == OP_composite;
    Span name = op_attr_text(m, call, composite ? A_decomposition : A_callee);
    uint32_t at = op_get(m, call)->source;
    if (callee == NO_ID)
        return diag_error(m->ctx, &m->source, at, NULL, "there is no function @%.*s", (int)name.n, name.at);
    const Region *body = &m->regions.at[op_region(m, callee, 0)];
    if (body->first == NO_ID)
        return diag_error(m->ctx, &m->source, at, NULL, "function @%.*s has no body to inline", (int)name.n, name.at);
    if (in->plan[callee].active)
        return diag_error(m->ctx, &m->source, at, "a program to partition must not recurse",
                          "function @%.*s calls itself", (int)name.n, name.at);
    if (body->n_args != op_get(m, call)->n_operands || op_get(m, body->last)->n_operands != op_get(m, call)->n_results)
        return diag_error(m->ctx, &m->source, at, NULL, "the call does not fit the type of @%.*s", (int)name.n,
                          name.at);
    return true;
}

// Goes through all that the function calls: everything is there, nothing calls itself, and the size is within reason.
static bool check_calls(Inliner *in, OpId root) {
    Module *m = in->m;
    InlinePlan *plan = in->plan;
    if (plan[root].done) return true;
    in->frames.n = 0;
    vec_push(&in->scratch, &in->frames, ((InlineFrame){.function = root, .call = {.op = NO_ID}}));
    plan[root].active = true;
    OpId op = op_walk(m, root);
    while (in->frames.n) {
        OpId function = in->frames.at[in->frames.n - 1].function, end = op_walk_past(m, function);
        for (; op != end; op = op_walk(m, op)) {
            plan[function].size++;
            if (!is_call(op_kind(m, op))) continue;
            OpId callee = callee_of(m, op);
            if (!check_call(in, op, callee)) return false;
            if (!plan[callee].done) {
                vec_push(&in->scratch, &in->frames, ((InlineFrame){.function = callee, .call = {.op = op}}));
                plan[callee].active = true;
                break;
            }
            plan[function].size += plan[callee].size;
            if (plan[function].size > MAX_OPS)
                return diag_error(m->ctx, &m->source, op_get(m, op)->source, NULL, "inlining makes more than %d ops",
                                  MAX_OPS);
        }
        if (op != end) { // into the callee
            op = op_walk(m, in->frames.at[in->frames.n - 1].function);
            continue;
        }
        plan[function].active = false;
        plan[function].done = true;
        op = in->frames.at[--in->frames.n].call.op; // the call again, now that the size is known
        if (op != NO_ID) plan[in->frames.at[in->frames.n - 1].function].size--;
    }
    return true;
}

// ---- Copying --------------------------------------------------------------------------------------------------------

// An op of an inlined body stands at its own place, called from the place of the call.
static LocId callsite(Inliner *in, LocId own) {
    LocId caller = in->frames.at[in->frames.n - 1].loc;
    if (own == NO_ID || caller == NO_ID || in->frames.n - 1 > MAX_CALLSITE_DEPTH) return own;
    Module *m = in->m;
    const Loc *last = m->locs.n ? &m->locs.at[m->locs.n - 1] : NULL;
    if (last && last->kind == LOC_CALLSITE && last->child == own && last->other == caller) return m->locs.n - 1;
    return loc_add(m, &(Loc){.kind = LOC_CALLSITE, .name = NO_ID, .child = own, .other = caller, .metadata = NO_ID});
}

static void enter_call(Inliner *in, Cursor *c) {
    Module *m = in->m;
    OpId callee = callee_of(m, c->op);
    LocId loc = callsite(in, op_get(m, c->op)->loc);
    vec_push(&in->scratch, &in->frames, ((InlineFrame){callee, *c, loc}));
    const Region *body = &m->regions.at[op_region(m, callee, 0)];
    for (uint32_t i = 0; i < body->n_args; i++) in->map[body->first_arg + i] = in->map[op_operand(m, c->op, i)];
    c->op = body->first;
}

// At the end of a body: the call's results are what the body returns. Back to behind the call.
static void leave_call(Inliner *in, Cursor *c) {
    Module *m = in->m;
    InlineFrame frame = in->frames.at[--in->frames.n];
    const Op *call = op_get(m, frame.call.op);
    for (uint32_t i = 0; i < call->n_results; i++) in->map[call->first_result + i] = in->map[op_operand(m, c->op, i)];
    *c = frame.call;
}

static void add_root(Inliner *in, OpId function) {
    if (in->plan[function].is_root) return;
    in->plan[function].is_root = true;
    vec_push(&in->scratch, &in->roots, function);
}

static bool keep_named_functions(Inliner *in, OpId custom_call) {
    Module *m = in->m;
    AttrId list = op_attr(m, custom_call, A_called_computations);
    if (list == NO_ID || attr_get(m, list)->kind != ATTR_ARRAY) return true;
    for (uint32_t i = 0; i < attr_get(m, list)->n; i++) {
        const Attr *symbol = attr_get(m, attr_get(m, list)->items[i]);
        OpId function = symbol->kind == ATTR_SYMBOL ? module_find_function(m, symbol->text) : NO_ID;
        if (function == NO_ID)
            return diag_error(m->ctx, &m->source, op_get(m, custom_call)->source, NULL, "there is no function @%.*s",
                              (int)symbol->text.n, symbol->text.at);
        add_root(in, function);
    }
    return true;
}

// A copy of the function, outside of the module's body as yet, with all calls inlined. NO_ID after an error.
static OpId inline_function(Inliner *in, OpId function) {
    Module *m = in->m;
    if (!check_calls(in, function)) return NO_ID;
    OpId made = rebuild_shallow(m, NO_ID, function, in->map);
    in->frames.n = 0;
    vec_push(&in->scratch, &in->frames, ((InlineFrame){.function = function, .loc = NO_ID}));
    RegionId top = op_region(m, function, 0);
    Cursor c = {m->regions.at[top].first, op_region(m, made, 0)};
    for (bool more = c.op != NO_ID; more;) {
        OpId copy = NO_ID;
        OpKind kind = op_kind(m, c.op);
        if (is_call(kind)) {
            enter_call(in, &c);
            top = m->ops.at[c.op].parent;
            continue;
        }
        bool returns = kind == OP_func_return && in->frames.n > 1;
        if (!returns) {
            copy = rebuild_shallow(m, c.into, c.op, in->map);
            op_get(m, copy)->loc = callsite(in, op_get(m, c.op)->loc);
            if (kind == OP_custom_call && !keep_named_functions(in, c.op)) return NO_ID;
        }
        while (!(more = cursor_step(m, &c, copy, top)) && in->frames.n > 1) {
            leave_call(in, &c);
            top = op_region(m, in->frames.at[in->frames.n - 1].function, 0);
            copy = NO_ID;
        }
    }
    return made;
}

static bool inline_roots(Inliner *in) {
    Module *m = in->m;
    OpId main = module_main(m);
    if (main == NO_ID)
        return diag_error(m->ctx, &m->source, NO_OFFSET, "name the function to partition @main",
                          "the module has no function @main and not exactly one public function");
    in->map = rebuild_map(m, &in->scratch);
    in->plan = arena_zalloc(&in->scratch, m->ops.n * sizeof *in->plan);
    add_root(in, main);
    VEC(OpId) made = {0};
    for (uint32_t i = 0; i < in->roots.n; i++) { // custom calls add to the roots on the way
        OpId copy = inline_function(in, in->roots.at[i]);
        if (copy == NO_ID) return false;
        vec_push(&in->scratch, &made, copy);
    }
    // The new body: what is no function stays (meshes), then the functions.
    Region *body = &m->regions.at[0];
    OpId old = body->first;
    body->first = body->last = NO_ID;
    for (OpId next; old != NO_ID; old = next) {
        next = op_get(m, old)->next;
        op_get(m, old)->next = NO_ID;
        if (op_kind(m, old) == OP_func_func)
            op_get(m, old)->parent = NO_ID;
        else
            op_append(m, 0, old);
    }
    for (uint32_t i = 0; i < made.n; i++) op_append(m, 0, made.at[i]);
    return true;
}

bool pass_inline(Module *m) {
    Inliner in = {.m = m};
    arena_init(&in.scratch, m->ctx);
    bool ok = inline_roots(&in);
    arena_free(&in.scratch);
    module_compact(m); // after an error too: half a copy must not stay
    return ok;
}
