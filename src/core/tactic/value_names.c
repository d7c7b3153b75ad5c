// Names of values: found forward from arguments and tags, and backward from results. The name of an op is its location.
#include "core/tactic/value_names.h"
#include "ir/analysis/roots.h"

const char *const role_names[] = {"argument", "result", "tag", "activation"}; // ORDER ValueRole

static void find_elementwise(bool *is_elementwise) { // by kind
    static const char *const rules[] = {
#define OP(id, name, in, out, rg, form, shape, rule, kernel, cost, operands, attrs) #rule,
#include "ir/ops.def"
    };
    for (uint32_t kind = 0; kind < OP_COUNT; kind++) is_elementwise[kind] = strcmp(rules[kind], "elementwise") == 0;
}

// A tag names what it is given too, and all forms of it.
static void find_tags(ValueNames *names) {
    const Module *m = names->m;
    for (OpId op = module_first(m); op != NO_ID; op = op_walk(m, op)) {
        OpKind kind = op_kind(m, op);
        if (!op_moves(kind)) continue;
        ValueId from = op_operand(m, op, 0), to = op_result(m, op, 0);
        if (kind == OP_partir_tag) {
            names->tagged[to] = to;
            if (names->tagged[from] == NO_ID) names->tagged[from] = to;
        } else if (names->tagged[to] == NO_ID) {
            names->tagged[to] = names->tagged[from];
        }
    }
}

static void goes_into(ValueNames *names, ValueId v, uint32_t result) {
    if (result < names->result[v]) names->result[v] = result;
}

// What a region returns goes where its op's results go.
static void follow_return(ValueNames *names, OpId op) {
    const Module *m = names->m;
    OpId owner = m->regions.at[op_get(m, op)->parent].parent;
    OpKind kind = op_kind(m, owner);
    if (kind != OP_func_func && !runs_regions(kind)) return;
    if (kind == OP_while && op_get(m, op)->parent != op_region(m, owner, 1)) return;
    for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++)
        goes_into(names, op_operand(m, op, i), kind == OP_func_func ? i : names->result[op_result(m, owner, i)]);
}

static void follow_results(ValueNames *names) {
    const Module *m = names->m;
    OpId main = module_main(m), end = op_walk_past(m, main);
    bool is_elementwise[OP_COUNT];
    find_elementwise(is_elementwise);
    VEC(OpId) ops = {0};
    vec_reserve(names->arena, &ops, m->ops.n);
    for (OpId op = op_walk(m, main); op != end; op = op_walk(m, op)) vec_push(names->arena, &ops, op);
    for (uint32_t k = ops.n; k-- > 0;) {
        OpId op = ops.at[k];
        OpKind kind = op_kind(m, op);
        if (op_is_terminator(kind)) follow_return(names, op);
        bool update = kind == OP_dynamic_update_slice;
        if (!update && !is_elementwise[kind] && !op_moves(kind)) continue;
        uint32_t into = op_get(m, op)->n_results == 1 ? names->result[op_result(m, op, 0)] : NO_ID;
        int64_t all, n;
        if (into == NO_ID || !type_elements(result_type(m, op, 0), &all)) continue;
        for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++)
            if (type_elements(operand_type(m, op, i), &n) && (n == all || (update && i == 1)))
                goes_into(names, op_operand(m, op, i), into);
    }
}

ValueNames name_values(const Module *m, Arena *a) {
    ValueNames names = {.m = m, .arena = a, .root = roots_find(m, a)};
    names.tagged = arena_new(a, ValueId, m->values.n);
    names.result = arena_new(a, uint32_t, m->values.n);
    memset(names.tagged, 0xff, m->values.n * sizeof *names.tagged);
    memset(names.result, 0xff, m->values.n * sizeof *names.result);
    find_tags(&names);
    follow_results(&names);
    return names;
}

static const Value *as_argument(const ValueNames *names, ValueId v) {
    const Value *root = &names->m->values.at[names->root[v]];
    return root->is_arg && names->m->regions.at[root->owner].parent == module_main(names->m) ? root : NULL;
}

// Without a name stack: by the argument that it reads, else by its place.
static const char *name_of_op(const ValueNames *names, OpId op) {
    const Module *m = names->m;
    const char *kind = op_info[op_kind(m, op)].name, *dot = strchr(kind, '.');
    Buffer b;
    buf_init(&b, names->arena);
    buf_str(&b, dot ? dot + 1 : kind);
    for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) {
        const Value *argument = as_argument(names, op_operand(m, op, i));
        if (!argument || operand_type(m, op, i)->rank == 0) continue;
        buf_str(&b, " with ");
        buf_str(&b, m->argument_names[argument->index]);
        return buf_cstr(&b);
    }
    buf_str(&b, " at ");
    frame_print(m, op, &b);
    return buf_cstr(&b);
}

const char *value_name(const ValueNames *names, ValueId v, ValueRole *role) {
    const Module *m = names->m;
    const Value *root = &m->values.at[names->root[v]];
    Buffer b;
    buf_init(&b, names->arena);
    if (as_argument(names, v)) {
        *role = ROLE_ARGUMENT;
        return m->argument_names[root->index];
    }
    if (names->tagged[v] != NO_ID) {
        *role = ROLE_TAG;
        buf_name(&b, op_attr_text(m, m->values.at[names->tagged[v]].owner, A_name));
        return buf_cstr(&b);
    }
    if (names->result[v] != NO_ID) {
        *role = ROLE_RESULT;
        return m->result_names[names->result[v]];
    }
    *role = ROLE_ACTIVATION;
    if (root->is_arg) {
        OpId loop = m->regions.at[root->owner].parent;
        buf_format(&b, "carried value %u of while at ", root->index);
        frame_print(m, loop, &b);
        return buf_cstr(&b);
    }
    const char *path = location_path(m, root->owner, names->arena);
    return path ? path : name_of_op(names, root->owner);
}

// ---- Locations ------------------------------------------------------------------------------------------------------

// A part of a name stack was transposed: it is of the backward pass.
static bool is_transposed(const char *part, size_t n) {
    static const char word[] = "transpose(";
    for (size_t i = 0; i + sizeof word - 1 <= n; i++)
        if ((i == 0 || part[i - 1] == '(') && memcmp(part + i, word, sizeof word - 1) == 0) return true;
    return false;
}

enum { DEEPEST_LOC = 1000 };

static const Loc *behind_aliases(const Module *m, LocId loc) {
    for (int depth = 0; loc != NO_ID && depth < DEEPEST_LOC; depth++) {
        if (m->locs.at[loc].kind != LOC_ALIAS) return &m->locs.at[loc];
        loc = m->locs.at[loc].child;
    }
    return NULL;
}

static bool is_jitted(Span name) { return name.n > 4 && memcmp(name.at, "jit(", 4) == 0; }

// The name stack of an op: in a function that was inlined, that of the call and then its own. A frame of a traceback is a name
// too, right around its file; a stack of such is none. Empty without one.
static Span name_stack(const Module *m, LocId id, Arena *a) {
    Span parts[MAX_CALLSITE_DEPTH + 2];
    uint32_t n = 0;
    const Loc *loc = behind_aliases(m, id);
    bool called = loc && loc->kind == LOC_CALLSITE;
    for (int depth = 0; loc && loc->kind == LOC_CALLSITE && depth <= MAX_CALLSITE_DEPTH;
         loc = behind_aliases(m, loc->other), depth++) {
        const Loc *own = behind_aliases(m, loc->child);
        if (!own || own->kind != LOC_NAME) continue;
        parts[n++] = name_get(m, own->name);
        if (is_jitted(parts[n - 1])) break; // from the program's begin, as older JAX writes it
    }
    if (!n || !is_jitted(parts[n - 1])) {
        if (!loc || loc->kind != LOC_NAME) return (Span){"", 0};
        Span outermost = name_get(m, loc->name);
        const Loc *file = behind_aliases(m, loc->child);
        if (called && !is_jitted(outermost) && file && file->kind == LOC_FILE) return (Span){"", 0};
        parts[n++] = outermost;
    }
    if (n == 1) return parts[0];
    Buffer all;
    buf_init(&all, a);
    while (n-- > 0) {
        buf_span(&all, parts[n]);
        if (n) buf_char(&all, '/');
    }
    return (Span){all.at, all.n};
}

const char *location_path(const Module *m, OpId op, Arena *a) {
    Span name = name_stack(m, op_get(m, op)->loc, a);
    if (!name.n) return NULL;
    Buffer b;
    buf_init(&b, a);
    buf_str(&b, "loc");
    bool backward = false;
    size_t last = 0; // where the last part begins
    for (size_t i = 0; i < name.n;) {
        size_t end = i, start = i, open = 0;
        while (end < name.n && name.at[end] != '/') end++;
        for (size_t k = i; k < end; k++)
            if (name.at[k] == '(') start = k + 1, open++;
        size_t stop = end;
        while (open && stop > start && name.at[stop - 1] == ')') stop--, open--;
        bool wrapper = i == 0 && is_jitted((Span){name.at, end}); // the function itself
        backward |= is_transposed(name.at + i, end - i);
        if (!wrapper && stop > start) {
            buf_char(&b, '/');
            last = b.n;
            buf_name(&b, (Span){name.at + start, stop - start});
        }
        i = end + 1;
    }
    if (!backward || !last) return buf_cstr(&b);
    Buffer whole;
    buf_init(&whole, a);
    buf_put(&whole, b.at, last);
    buf_format(&whole, "transpose(%.*s)", (int)(b.n - last), b.at + last);
    return buf_cstr(&whole);
}

static bool holds(Span text, const char *part) {
    size_t n = strlen(part);
    for (size_t i = 0; i + n <= text.n; i++)
        if (memcmp(text.at + i, part, n) == 0) return true;
    return false;
}

static bool is_of_library(Span file) {
    return file.n == 0 || file.at[0] == '<' || holds(file, "site-packages/") || holds(file, "dist-packages/") ||
           holds(file, "/lib/python3");
}

// One level in: what a name, a fused location or a call was made for; NO_ID if it has none.
static LocId inner_loc(const Loc *l) {
    switch (l->kind) {
    case LOC_NAME:
    case LOC_ALIAS:
    case LOC_CALLSITE: return l->child;
    case LOC_FUSED: return l->n_children ? l->children[0] : NO_ID;
    default: return NO_ID;
    }
}

static const Loc *innermost_file(const Module *m, LocId loc) {
    for (int depth = 0; loc != NO_ID && depth < DEEPEST_LOC; depth++) {
        const Loc *l = &m->locs.at[loc];
        if (l->kind == LOC_FILE) return l;
        loc = inner_loc(l);
    }
    return NULL;
}

void frame_print(const Module *m, OpId op, Buffer *out) {
    const Loc *innermost = innermost_file(m, op_get(m, op)->loc), *user = NULL;
    LocId loc = op_get(m, op)->loc;
    for (int depth = 0; loc != NO_ID && !user && depth < DEEPEST_LOC; depth++) { // from call to caller
        const Loc *l = &m->locs.at[loc], *file = NULL;
        if (l->kind == LOC_FILE)
            file = l, loc = NO_ID;
        else if (l->kind == LOC_CALLSITE)
            file = innermost_file(m, l->child), loc = l->other;
        else
            loc = inner_loc(l);
        if (file && !is_of_library(name_get(m, file->name))) user = file;
    }
    if (!user) user = innermost;
    if (user)
        buf_name(out, name_get(m, user->name));
    else
        buf_name(out, span_of(m->source.name ? m->source.name : "module"));
    buf_char(out, ':');
    buf_uint(out, user ? user->line : source_place(&m->source, op_get(m, op)->source).line);
}
