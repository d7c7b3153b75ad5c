// Alike again: the copy of a program that differs little from a base. Ops are numbered as in the base's copy, new ones after
// them. What the edits touch is looked at again, in the order of the program:
//
//     ops that are new, or read something else
//     ops that are part of others, or could be, if another op or another number of ops reads something of theirs
//     ops that read a value of the copy for which another one stands now
//
// All else stands for itself, or for what it repeats, as it did; what moves elements about, and constants, by what they are,
// wherever the first of them stands now. Where arithmetic that is written twice is touched, or so much of the program that it
// would take longer, all is left to be found anew.
#include "sim/transform/program_copy.h"

struct Taken {
    Written written; // of the copy
    Sizes n;         // ops, values and operands of the copy
    uint32_t n_regions;
    // By op of the program: the one of the copy that stands for it; NO_ID if none does, but a value, or its reader.
    OpId *same;
    uint8_t *grouped; // by op of the program: arithmetic that is written twice, or what it repeats
    OpId *first_was;  // by op of the copy: as Copy.was_op
    IdMap moved;      // ops of the copy that move elements, and constants
    IdMap moved_now;  // the same of a trial
    uint32_t *there;  // by op of the copy: the last trial in which it is there
    uint32_t trial;
};

static bool is_moved(const Op *o) { return repeat_traits[o->kind] & REPEAT_MOVED; }

// Of an op of the program, as it would be in the copy, and of one of the copy.
static uint32_t hash_moved(const Module *m, const Op *o, ValueId operand) {
    uint32_t h = hash_u32(o->kind + (value_type(m, o->first_result) << 8), operand);
    return o->n_attrs ? hash_u32(h, m->op_attrs.at[o->first_attr].value) : h;
}

static bool same_attrs(const Module *m, const Op *x, const Op *y) {
    const NamedAttr *p = m->op_attrs.at + x->first_attr, *q = m->op_attrs.at + y->first_attr;
    if (x->n_attrs != y->n_attrs) return false;
    for (uint32_t i = 0; i < x->n_attrs; i++)
        if (p[i].name != q[i].name || p[i].value != q[i].value) return false;
    return true;
}

// An op of the copy that gives what this one of the program gives.
static OpId find_moved(const Copy *z, const IdMap *in, uint32_t hash, const Op *o, ValueId operand) {
    uint32_t at = hash;
    OpId op;
    while ((op = idmap_probe(in, hash, &at)) != IDMAP_END) {
        const Op *y = op_get(z->m, op);
        if (y->kind == o->kind && value_type(z->m, y->first_result) == value_type(z->from, o->first_result) &&
            (!o->n_operands || op_operand(z->m, op, 0) == operand) && same_attrs(z->from, o, y))
            return op;
    }
    return NO_ID;
}

// ---- The base --------------------------------------------------------------------------------------------------------

bool copies_again(const Compiler *compiler) {
    return compiler->costly_again && compiler->arithmetic_once && !compiler->bf16_as_f32 && !compiler->barriers_removed;
}

static void find_same(Copy *z, struct Taken *b, RegionId body) {
    const Module *m = z->from;
    memset(b->same, 0xff, z->sizes.ops * sizeof *b->same);
    for (OpId op = 0; op < z->m->ops.n; op++) b->same[z->was_op[op]] = op;
    for (OpId was = m->regions.at[body].first; was != NO_ID; was = op_get(m, was)->next) {
        const Op *o = op_get(m, was);
        if (!o->n_results || repeat_traits[o->kind] == REPEAT_WHOLE) continue;
        ValueId v = o->first_result, first = first_same(&z->repeats, v), now = z->now[v];
        if (!is_moved(o) && first != v) b->grouped[was] = b->grouped[m->values.at[first].owner] = 1;
        if (now != IN_TREE && !z->m->values.at[now].is_arg) b->same[was] = z->m->values.at[now].owner;
    }
}

static uint32_t with_room(uint32_t n) { return n + n / 4 + 1024; }

Copy *copy_base(const Module *m, const OpId *origin, const Compiler *compiler, Arena *a) {
    Sizes sizes = {with_room(m->ops.n), with_room(m->values.n), with_room(m->operands.n)};
    Copy *z = copy_program(m, origin, compiler, &sizes, with_room(m->regions.n), a);
    struct Taken *b = z->base = arena_zalloc(a, sizeof *b);
    b->written = order_written(z->m, a);
    b->n = (Sizes){z->m->ops.n, z->m->values.n, z->m->operands.n};
    b->n_regions = m->regions.n;
    b->same = arena_new(a, OpId, sizes.ops);
    b->grouped = arena_zalloc(a, sizes.ops);
    b->first_was = memcpy(arena_new(a, OpId, b->n.ops), z->was_op, b->n.ops * sizeof *z->was_op);
    b->there = arena_zalloc(a, sizes.ops * sizeof *b->there);
    find_same(z, b, z->finder.body);
    idmap_init(&b->moved, a);
    idmap_init(&b->moved_now, a);
    for (uint32_t p = 0; p < b->written.n; p++) {
        const Op *o = op_get(z->m, b->written.at[p]);
        if (is_moved(o))
            idmap_add(&b->moved, hash_moved(z->m, o, o->n_operands ? op_operand(z->m, b->written.at[p], 0) : NO_ID),
                      b->written.at[p]);
    }
    return z;
}

const Distinct *copy_distinct(const Copy *z) { return &z->distinct; }
const Sizes *copy_sizes(const Copy *z) { return &z->sizes; }

// ---- What is touched -------------------------------------------------------------------------------------------------

// One program that differs from the base.
typedef struct Trial {
    Copy *z;
    struct Taken *base;
    const Relowered *changes;
    Journal *journal;
    Arena *a;
    uint8_t *open;    // by op of the base: one of the following
    uint8_t *touched; // by value: is in `values`
    VEC(OpId) opened; // a stack
    uint32_t n_opened;
    VEC(ValueId) values;    // that others read now
    VEC(OpId) made, reread; // of the copy, as Edits has them
    VEC(ValueId) read;
    uint64_t new_operands; // at most
    uint64_t compared;     // ops that others were compared with
    OpId end, base_end;    // of @main, if the one is new, and the other gone; else NO_ID
    bool given_up;
} Trial;

enum { OPEN = 1, REREAD = 2 }; // it may be part of another op now, or of none; it reads something else

static void open(Trial *t, OpId op) {
    if (op >= t->changes->first_op || t->changes->is_gone[op] || t->open[op] & OPEN) return;
    if (op_get(t->z->from, op)->parent != t->z->finder.body) return; // no tree is there
    t->open[op] |= OPEN;
    t->n_opened++;
    vec_push(t->a, &t->opened, op);
}

static void open_owner(Trial *t, ValueId v) {
    const Value *val = &t->z->from->values.at[v];
    if (!val->is_arg) open(t, val->owner);
}

static void touch(Trial *t, ValueId v) {
    if (t->touched[v]) return;
    t->touched[v] = 1;
    vec_push(t->a, &t->values, v);
}

static void touch_operands(Trial *t, OpId from, OpId to) {
    const Module *m = t->z->from;
    for (OpId op = from; op < to; op++)
        for (uint32_t i = 0; op != t->end && op != t->base_end && i < op_get(m, op)->n_operands; i++)
            touch(t, op_operand(m, op, i));
}

// Most of what is returned is as it was.
static void touch_results(Trial *t) {
    const Module *m = t->z->from;
    if (t->end == NO_ID) return;
    for (uint32_t i = 0; i < op_get(m, t->end)->n_operands; i++) {
        ValueId v = op_operand(m, t->end, i), was = op_operand(m, t->base_end, i);
        if (v != was) touch(t, v), touch(t, was);
    }
}

static void count_read(Repeats *z, ValueId v, OpId reader, bool gives) {
    if (gives) {
        z->uses[v] |= GIVEN;
        return;
    }
    z->uses[v] |= (uint8_t)(z->uses[v] + 1);
    z->reader[v] = reader;
}

// Those that still read it as they did in the base.
static void count_readers(Trial *t, ValueId v) {
    Repeats *f = &t->z->repeats;
    const Module *m = t->z->from;
    const Relowered *c = t->changes;
    if (v >= c->first_value) return;
    if (f->uses[v] == READ_ONCE) open(t, f->reader[v]);
    journal_set(t->journal, f->uses[v], 0);
    journal_keep(t->journal, &f->reader[v], sizeof *f->reader);
    for (uint32_t u = c->readers->first[v]; u < c->readers->first[v + 1]; u++) {
        const Use *use = &c->readers->at[u];
        if (!c->is_gone[use->op] && op_operand(m, use->op, use->operand) == v)
            count_read(f, v, use->op, op_is_terminator(op_kind(m, use->op)));
    }
}

// Who reads what: of values that others read now.
static void find_readers(Trial *t) {
    const Module *m = t->z->from;
    const Relowered *c = t->changes;
    Repeats *f = &t->z->repeats;
    for (ValueId v = c->first_value; v < m->values.n; v++) f->uses[v] = 0, touch(t, v);
    for (uint32_t i = 0; i < c->n_gone; i++) touch_operands(t, c->gone[i].from, c->gone[i].to);
    touch_operands(t, c->first_op, m->ops.n);
    touch_results(t);
    for (uint32_t i = 0; i < c->n_reread; i++) touch(t, c->reread[i].was), touch(t, m->operands.at[c->reread[i].at]);
    for (uint32_t i = 0; i < t->values.n; i++) count_readers(t, t->values.at[i]);
    for (OpId op = c->first_op; op < m->ops.n; op++)
        for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++)
            if (t->touched[op_operand(m, op, i)])
                count_read(f, op_operand(m, op, i), op, op_is_terminator(op_kind(m, op)));
    for (uint32_t i = 0; i < c->n_reread; i++) {
        OpId op = c->reread[i].op;
        count_read(f, m->operands.at[c->reread[i].at], op, op_is_terminator(op_kind(m, op)));
    }
}

// All ops of which it may be another one that they are part of.
static void open_trees(Trial *t) {
    const Module *m = t->z->from;
    const Repeats *f = &t->z->repeats;
    for (uint32_t i = 0; i < t->changes->n_reread; i++) {
        OpId op = t->changes->reread[i].op;
        open(t, op);
        t->open[op] |= REREAD;
    }
    for (uint32_t i = 0; i < t->values.n; i++) {
        ValueId v = t->values.at[i];
        open_owner(t, v);
        if (f->uses[v] == READ_ONCE) open(t, f->reader[v]);
    }
    while (t->opened.n) {
        OpId op = t->opened.at[--t->opened.n];
        const Op *o = op_get(m, op);
        uint8_t part = tree_parts[o->kind];
        journal_set(t->journal, t->z->finder.reads[op], 0);
        if (part & TREE_BRANCH && f->uses[o->first_result] == READ_ONCE) open(t, f->reader[o->first_result]);
        for (uint32_t i = 0; part & TREE_END && i < o->n_operands; i++) {
            const Value *val = &m->values.at[op_operand(m, op, i)];
            if (!val->is_arg && tree_parts[op_kind(m, val->owner)] & TREE_BRANCH &&
                f->uses[op_operand(m, op, i)] == READ_ONCE)
                open(t, val->owner);
        }
    }
}

// ---- What is written twice -------------------------------------------------------------------------------------------

// Whether two ops of the program read the same, as far as is known.
static bool read_alike(const Copy *z, const Op *x, const Op *y, bool swapped) {
    const ValueId *v = z->from->operands.at + x->first_operand, *w = z->from->operands.at + y->first_operand;
    for (uint32_t i = 0; i < x->n_operands; i++) {
        ValueId other = w[swapped ? 1 - i : i];
        if (v[i] != other && (z->now[v[i]] != z->now[other] || z->now[v[i]] == IN_TREE)) return false;
    }
    return true;
}

static bool may_be_alike(const Copy *z, OpId a, OpId b) {
    const Op *x = op_get(z->from, a), *y = op_get(z->from, b);
    if (a == b || x->kind != y->kind || x->n_operands != y->n_operands || !same_attrs(z->from, x, y)) return false;
    return read_alike(z, x, y, false) ||
           (repeat_traits[x->kind] == REPEAT_COMMUTES && x->n_operands == 2 && read_alike(z, x, y, true));
}

// Of its operands, one that nothing else may stand for; NO_ID if there is none.
static ValueId find_told_apart(const Trial *t, const Op *o) {
    const Module *m = t->z->from;
    for (uint32_t i = 0; i < o->n_operands; i++) {
        ValueId v = m->operands.at[o->first_operand + i];
        const Value *val = &m->values.at[v];
        if (val->is_arg) return v;
        if (repeat_traits[op_kind(m, val->owner)] & (REPEAT_MOVED | REPEAT_WHOLE)) continue;
        if (val->owner >= t->changes->first_op || !t->base->grouped[val->owner]) return v;
    }
    return NO_ID;
}

// The same of an op that is never part of another, by ops of the copy.
static bool is_in_copy(const Trial *t, OpId was, OpId op) {
    const Copy *z = t->z;
    const Op *x = op_get(z->from, was), *y = op_get(z->m, op);
    if (x->kind != y->kind || x->n_operands != y->n_operands || !same_attrs(z->from, x, y)) return false;
    OpId first = op < t->base->n.ops ? t->base->first_was[op] : z->was_op[op];
    if (first == was || (first < t->changes->first_op && t->changes->is_gone[first])) return false;
    for (uint32_t i = 0; i < x->n_operands; i++)
        if (z->now[op_operand(z->from, was, i)] != op_operand(z->m, op, i)) return false;
    return true;
}

static bool has_another(const Trial *t, OpId was) {
    if (tree_parts[op_kind(t->z->from, was)] || repeat_traits[op_kind(t->z->from, was)] == REPEAT_COMMUTES) return true;
    for (uint32_t p = 0; p < t->base->written.n; p++)
        if (is_in_copy(t, was, t->base->written.at[p])) return true;
    for (uint32_t i = 0; i < t->made.n; i++)
        if (is_in_copy(t, was, t->made.at[i])) return true;
    return false;
}

#define MOST_COMPARED 8 // times the ops of the base: a small part of what it takes to find all of them anew

// Whether an op that is looked at again may give the same as another one, or it takes too long to tell.
static bool may_be_repeated(Trial *t, OpId was) {
    const Copy *z = t->z;
    const Module *m = z->from;
    const Relowered *c = t->changes;
    const Op *o = op_get(m, was);
    if (o->n_results == 0 || repeat_traits[o->kind] & (REPEAT_AGAIN | REPEAT_MOVED)) return false;
    if (was < c->first_op && t->base->grouped[was]) return true;
    ValueId v = find_told_apart(t, o);
    uint32_t first = v < c->first_value ? c->readers->first[v] : 0,
             end = v < c->first_value ? c->readers->first[v + 1] : 0;
    t->compared += v == NO_ID ? t->base->written.n + t->made.n : end - first + m->ops.n - c->first_op + c->n_reread;
    if (t->compared > MOST_COMPARED * (uint64_t)t->base->written.n) return true;
    if (v == NO_ID) return has_another(t, was);
    for (uint32_t u = first; u < end; u++)
        if (!c->is_gone[c->readers->at[u].op] && may_be_alike(z, was, c->readers->at[u].op)) return true;
    for (OpId op = c->first_op; op < m->ops.n; op++)
        if (may_be_alike(z, was, op)) return true;
    for (uint32_t i = 0; i < c->n_reread; i++)
        if (may_be_alike(z, was, c->reread[i].op)) return true;
    return false;
}

// Of reducers and the like that are new: what is written twice in them has not been looked for.
static bool has_plain_regions(const Module *m, const Op *o) {
    for (uint32_t i = 0; i < o->n_regions; i++) {
        const Region *r = &m->regions.at[m->op_regions.at[o->first_region + i]];
        if (r->first != r->last && op_get(m, r->first)->next != r->last) return false;
        if (op_get(m, r->first)->n_regions) return false;
    }
    return true;
}

static void copy_plain_region(Copy *z, RegionId r, OpId parent) {
    const Region *from = &z->from->regions.at[r];
    Region *to = &z->m->regions.at[r];
    *to = *from;
    to->parent = parent;
    to->first_arg = z->m->values.n;
    for (uint32_t i = 0; i < from->n_args; i++) copy_value(z, from->first_arg + i, r);
    OpId *link = &to->first;
    for (OpId was = from->first; was != NO_ID; was = op_get(z->from, was)->next) {
        *link = to->last = copy_op(z, was);
        link = &z->m->ops.at[to->last].next;
    }
    *link = NO_ID;
}

// ---- The copy --------------------------------------------------------------------------------------------------------

static void read_other(Trial *t, OpId op) {
    const Module *m = t->z->m;
    for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++) vec_push(t->a, &t->read, op_operand(m, op, i));
}

static void read_another(Trial *t, ValueId *operand, ValueId v) {
    vec_push(t->a, &t->read, *operand);
    vec_push(t->a, &t->read, v);
    journal_set(t->journal, *operand, v);
}

// The op of the copy that stands for one of the base reads what that reads now.
static void rewrite(Trial *t, OpId was, OpId op) {
    Copy *z = t->z;
    Module *m = z->m;
    Op *o = op_get(m, op);
    ValueId *to = m->operands.at + m->operands.n, *at = m->operands.at + o->first_operand;
    uint32_t n = op_get(z->from, was)->n_operands;
    bool tree = z->trees && z->finder.reads[was], same;
    uint8_t *depth = z->trees ? z->trees->depth + m->operands.n : NULL;
    double flops = tree ? z->trees->flops[op] : 0;
    if (z->trees) journal_set(t->journal, z->trees->flops[op], 0);
    if (tree)
        n = copy_tree(z, was, op, to);
    else
        for (uint32_t i = 0; i < n; i++) to[i] = z->now[op_operand(z->from, was, i)];
    same = n == o->n_operands && (!z->trees || memcmp(depth, z->trees->depth + o->first_operand, n) == 0);
    if (same && z->trees) same = flops == z->trees->flops[op];
    if (same) {
        uint32_t n_read = t->read.n;
        for (uint32_t i = 0; i < n; i++)
            if (at[i] != to[i]) read_another(t, &at[i], to[i]);
        if (tree) memset(depth, 0, n);
        if (t->read.n > n_read) vec_push(t->a, &t->reread, op);
        return;
    }
    read_other(t, op);
    journal_keep(t->journal, o, sizeof *o);
    o->first_operand = m->operands.n;
    o->n_operands = n;
    m->operands.n += n;
    read_other(t, op);
    vec_push(t->a, &t->made, op);
}

// Another value of the copy stands for one of the base: those that read it, or the ops that they are part of, come later.
static void reread(Trial *t, ValueId v) {
    Copy *z = t->z;
    const Relowered *c = t->changes;
    for (uint32_t u = c->readers->first[v]; u < c->readers->first[v + 1]; u++) {
        OpId op = c->readers->at[u].op;
        while (op < c->first_op && !c->is_gone[op] && !(t->open[op] & REREAD)) {
            const Op *o = op_get(z->from, op);
            t->open[op] |= REREAD;
            if (o->n_results == 1 && z->now[o->first_result] == IN_TREE) op = z->repeats.reader[o->first_result];
        }
    }
}

// What moves elements about, and constants: the op of the copy that gives the same, or one that is new.
static OpId find_moved_again(Trial *t, OpId was) {
    Copy *z = t->z;
    struct Taken *b = t->base;
    const Op *o = op_get(z->from, was);
    ValueId operand = o->n_operands ? z->now[op_operand(z->from, was, 0)] : NO_ID;
    uint32_t hash = hash_moved(z->from, o, operand);
    OpId op = find_moved(z, &b->moved, hash, o, operand);
    if (op == NO_ID) op = find_moved(z, &b->moved_now, hash, o, operand);
    if (op != NO_ID) {
        z->now[o->first_result] = op_result(z->m, op, 0);
    } else {
        op = copy_op(z, was);
        idmap_add(&b->moved_now, hash, op);
        vec_push(t->a, &t->made, op);
        read_other(t, op);
    }
    return op;
}

static OpId find_arithmetic_again(Trial *t, OpId was, OpId own) {
    Copy *z = t->z;
    const Op *o = op_get(z->from, was);
    bool of_base = was < t->changes->first_op, other = !of_base || t->open[was] & REREAD;
    bool grouped = of_base && t->base->grouped[was];
    bool part = of_base && o->n_results && z->now[o->first_result] == IN_TREE;
    if (other) t->given_up = may_be_repeated(t, was) || !has_plain_regions(z->from, o);
    if (t->given_up) return NO_ID;
    if (grouped && !part && t->base->first_was[own] != was) return own;
    bool joins = !of_base || t->open[was] & OPEN ? is_in_tree(&z->finder, was) : part;
    t->given_up = grouped && joins != part; // what it repeats, or repeats it, is told from whether it is there
    if (joins) {
        z->now[o->first_result] = IN_TREE;
        return NO_ID;
    }
    if (own != NO_ID) {
        rewrite(t, was, own);
        return own;
    }
    OpId op = copy_op(z, was);
    vec_push(t->a, &t->made, op);
    read_other(t, op);
    for (uint32_t i = 0; i < o->n_regions; i++) copy_plain_region(z, op_region(z->from, was, i), op);
    return op;
}

// What stands for an op that is new, or was opened; NO_ID if nothing does.
static OpId find_again(Trial *t, OpId was) {
    Copy *z = t->z;
    const Op *o = op_get(z->from, was);
    OpId *same = t->base->same;
    bool of_base = was < t->changes->first_op;
    OpId own = of_base ? same[was] : was == t->end ? same[t->base_end] : NO_ID;
    ValueId result = o->n_results ? z->now[o->first_result] : NO_ID;
    if (of_base) {
        journal_keep(t->journal, &same[was], sizeof *same);
        journal_keep(t->journal, z->now + o->first_result, o->n_results * sizeof *z->now);
    }
    if (repeat_traits[o->kind] == REPEAT_WHOLE && gives_its_operands(&z->repeats, was)) {
        z->now[o->first_result] = z->now[op_operand(z->from, was, 0)];
        same[was] = NO_ID;
    } else {
        same[was] = is_moved(o) ? find_moved_again(t, was) : find_arithmetic_again(t, was, own);
    }
    if (of_base && o->n_results && z->now[o->first_result] != result) reread(t, o->first_result);
    return same[was];
}

// Whether there is room for one more op of the copy, and for all that are new.
static bool has_room(const Trial *t, OpId was) {
    const Copy *z = t->z;
    const Module *m = z->m, *from = z->from;
    const Op *o = op_get(from, was);
    uint64_t operands = (uint64_t)m->operands.n + t->new_operands + o->n_operands + MOST_READ;
    return m->ops.n + (from->ops.n - t->changes->first_op) < z->sizes.ops && operands <= z->sizes.operands &&
           (uint64_t)m->values.n + (from->values.n - t->changes->first_value) + o->n_results <= z->sizes.values;
}

// The copy is as it was in the base, in a module that may lie elsewhere.
static void begin_trial(Copy *z, const OpId *origin) {
    Module *m = z->m, own = *m;
    if (z->trees) memset(z->trees->depth + z->base->n.operands, 0, m->operands.n - z->base->n.operands);
    *m = *z->from;
    m->ops = own.ops, m->values = own.values, m->operands = own.operands, m->function_map = own.function_map;
    m->regions.at = own.regions.at;
    m->ops.n = z->base->n.ops, m->values.n = z->base->n.values, m->operands.n = z->base->n.operands;
    z->finder.origin = origin;
    z->base->trial++;
    idmap_clear(&z->base->moved_now);
}

// As the program has them now.
static void set_arguments(Copy *z, RegionId body) {
    const Region *to = &z->m->regions.at[body], *from = &z->from->regions.at[body];
    for (uint32_t i = 0; i < from->n_args; i++)
        z->m->values.at[to->first_arg + i].type = value_type(z->from, from->first_arg + i);
}

// The ops of the copy, in the order of the program. False if they are to be found from scratch.
static bool write_again(Trial *t, RegionId body, Written *w) {
    Copy *z = t->z;
    struct Taken *b = t->base;
    Module *m = z->m;
    OpId *link = &m->regions.at[body].first;
    for (OpId was = z->from->regions.at[body].first; was != NO_ID; was = op_get(z->from, was)->next) {
        bool again = was >= t->changes->first_op || t->open[was];
        if (again && !has_room(t, was)) return false;
        OpId op = again ? find_again(t, was) : b->same[was];
        if (t->given_up) return false;
        if (op == NO_ID || b->there[op] == b->trial) continue;
        bool repeated = !again && b->grouped[was] && b->first_was[op] != was; // in the base, so that nobody has asked
        if (repeated && is_in_tree(&z->finder, was)) return false;
        Op *o = op_get(m, op);
        b->there[op] = b->trial;
        z->was_op[op] = was;
        for (uint32_t i = 0; i < o->n_results; i++) z->was_value[o->first_result + i] = op_result(z->from, was, i);
        if (op < b->n.ops && b->first_was[op] != was && was != t->end) read_other(t, op); // it stands elsewhere
        *link = m->regions.at[body].last = op;
        link = &o->next;
        w->count[o->kind]++;
        w->at[w->n++] = op;
    }
    *link = NO_ID;
    return true;
}

const Distinct *copy_again(Copy *z, const OpId *origin, const Relowered *changes, Written *written, Edits *e,
                           Arena *a) {
    const struct Taken *b = z->base;
    const Module *from = z->from;
    RegionId body = z->finder.body;
    begin_trial(z, origin);
    if (from->ops.n > z->sizes.ops || from->values.n > z->sizes.values || from->regions.n > z->n_regions) return NULL;
    Trial t = {.z = z,
               .base = z->base,
               .changes = changes,
               .journal = e->journal,
               .a = a,
               .open = arena_zalloc(a, changes->first_op),
               .touched = arena_zalloc(a, from->values.n)};
    for (ValueId v = changes->first_value; v < from->values.n; v++) z->now[v] = IN_TREE; // until they are met
    for (OpId op = changes->first_op; op < from->ops.n; op++) {
        z->finder.reads[op] = 0;
        t.new_operands += op_get(from, op)->n_operands + MOST_READ;
    }
    for (RegionId r = b->n_regions; r < from->regions.n; r++)
        z->m->regions.at[r] = (Region){.parent = NO_ID, .first = NO_ID, .last = NO_ID};
    OpId end = region_terminator(from, body);
    t.end = end >= changes->first_op ? end : NO_ID;
    t.base_end = t.end == NO_ID ? NO_ID : b->first_was[b->written.at[b->written.n - 1]];
    find_readers(&t);
    open_trees(&t);
    set_arguments(z, body);
    *written = (Written){.at = arena_new(a, OpId, z->sizes.ops), .count = arena_zalloc(a, OP_COUNT * sizeof(uint32_t))};
    if (!write_again(&t, body, written)) return NULL;
    for (uint32_t p = 0; p < b->written.n; p++)
        if (b->there[b->written.at[p]] != b->trial) read_other(&t, b->written.at[p]);
    e->made = t.made.at, e->n_made = t.made.n;
    e->reread = t.reread.at, e->n_reread = t.reread.n;
    e->read = t.read.at, e->n_read = t.read.n;
    return &z->distinct;
}
