// Monoids of regions. A plain monoid is recognised by its one op. A comparator of argmax or argmin is recognised by what it
// does: the region is run for every order that two (value, index) pairs can have, and must choose as a maximum or minimum
// would.
//
//     select(a > b or a != a, a, b), select(a > b or a != a or (a == b and i < j), i, j)      ->  MONOID_BODY
#include "core/monoid.h"

const char *monoid_name(Monoid m) {
    static const char *const names[] = {"sum", "product", "max", "min", "and", "or", "xor", "body"};
    return names[m];
}

bool monoid_named(Span name, Monoid *out) {
    for (Monoid m = MONOID_ADD; m < MONOID_BODY; m++)
        if (span_is(name, monoid_name(m))) return *out = m, true;
    return false;
}

OpKind monoid_op(Monoid m, Elem e) {
    switch (monoid_on(m, e)) {
    case MONOID_ADD: return OP_add;
    case MONOID_MUL: return OP_multiply;
    case MONOID_MAX: return OP_maximum;
    case MONOID_MIN: return OP_minimum;
    case MONOID_AND: return OP_and;
    case MONOID_OR: return OP_or;
    default: return OP_xor;
    }
}

Monoid monoid_on(Monoid m, Elem elem) {
    if (elem != EL_I1) return m;
    switch (m) {
    case MONOID_ADD:
    case MONOID_MAX: return MONOID_OR;
    case MONOID_MUL:
    case MONOID_MIN: return MONOID_AND;
    default: return m;
    }
}

// ---- One op ---------------------------------------------------------------------------------------------------------

static bool monoid_of_op(OpKind kind, Monoid *out) {
    switch (kind) {
    case OP_add: *out = MONOID_ADD; return true;
    case OP_multiply: *out = MONOID_MUL; return true;
    case OP_maximum: *out = MONOID_MAX; return true;
    case OP_minimum: *out = MONOID_MIN; return true;
    case OP_and: *out = MONOID_AND; return true;
    case OP_or: *out = MONOID_OR; return true;
    case OP_xor: *out = MONOID_XOR; return true;
    default: return false;
    }
}

// Each result i is the same op on a[i] and b[i], and nothing else stands in the region.
static bool region_is_one_op(const Module *m, const Region *r, uint32_t n, Monoid *out) {
    OpId end = r->last;
    uint32_t n_ops = 0;
    for (OpId op = r->first; op != end; op = op_get(m, op)->next) n_ops++;
    if (n_ops != n) return false;
    for (uint32_t i = 0; i < n; i++) {
        const Value *v = &m->values.at[op_operand(m, end, i)];
        Monoid here;
        if (v->is_arg || op_get(m, v->owner)->parent != op_get(m, end)->parent) return false;
        if (!monoid_of_op(op_kind(m, v->owner), &here)) return false;
        ValueId x = op_operand(m, v->owner, 0), y = op_operand(m, v->owner, 1);
        ValueId a = r->first_arg + i, b = r->first_arg + n + i;
        if (!((x == a && y == b) || (x == b && y == a))) return false;
        here = monoid_on(here, (Elem)value_tensor(m, a)->elem);
        if (i > 0 && here != *out) return false;
        *out = here;
    }
    return true;
}

// ---- Comparators ----------------------------------------------------------------------------------------------------

// How two things compare. NaN cases exist for floating-point values alone.
typedef enum Order { LESS, EQUAL, GREATER, A_NAN, B_NAN, BOTH_NAN } Order;

// What a value of the region is in one case: an argument, or a known boolean.
typedef struct KnownBody {
    ValueId value;
    bool is_bool, truth;
    ValueId argument;
} KnownBody;

enum { MAX_BODY = 64 };

typedef struct Case {
    const Module *m;
    ValueId first_arg; // a0, a1, b0, b1
    Order order[2];    // of each component
    KnownBody known[MAX_BODY + 4];
    uint32_t n;
} Case;

static const KnownBody *case_find(const Case *c, ValueId v) {
    for (uint32_t i = 0; i < c->n; i++)
        if (c->known[i].value == v) return &c->known[i];
    return NULL;
}

// How argument x compares with argument y of the same component.
static Order case_order(const Case *c, ValueId x, ValueId y) {
    Order o = c->order[(x - c->first_arg) % 2];
    bool x_is_b = x - c->first_arg >= 2;
    if (x == y) {
        bool is_nan = o == BOTH_NAN || o == (x_is_b ? B_NAN : A_NAN);
        return is_nan ? BOTH_NAN : EQUAL;
    }
    if (!x_is_b) return o;
    switch (o) {
    case LESS: return GREATER;
    case GREATER: return LESS;
    case A_NAN: return B_NAN;
    case B_NAN: return A_NAN;
    default: return o;
    }
}

static bool case_compare(const Case *c, OpId op, KnownBody *out) {
    const KnownBody *x = case_find(c, op_operand(c->m, op, 0)), *y = case_find(c, op_operand(c->m, op, 1));
    if (!x || !y || x->is_bool || y->is_bool) return false;
    if ((x->argument - c->first_arg) % 2 != (y->argument - c->first_arg) % 2) return false;
    if (span_is(op_attr_text(c->m, op, A_compare_type), "TOTALORDER")) return false;
    Order o = case_order(c, x->argument, y->argument);
    Span d = op_attr_text(c->m, op, A_comparison_direction);
    out->is_bool = true;
    if (span_is(d, "EQ"))
        out->truth = o == EQUAL;
    else if (span_is(d, "NE"))
        out->truth = o != EQUAL;
    else if (span_is(d, "LT"))
        out->truth = o == LESS;
    else if (span_is(d, "LE"))
        out->truth = o == LESS || o == EQUAL;
    else if (span_is(d, "GT"))
        out->truth = o == GREATER;
    else if (span_is(d, "GE"))
        out->truth = o == GREATER || o == EQUAL;
    else
        return false;
    return true;
}

static bool case_logic(const Case *c, OpId op, KnownBody *out) {
    const KnownBody *x = case_find(c, op_operand(c->m, op, 0));
    const KnownBody *y = op_kind(c->m, op) == OP_not ? x : case_find(c, op_operand(c->m, op, 1));
    if (!x || !y || !x->is_bool || !y->is_bool) return false;
    out->is_bool = true;
    switch (op_kind(c->m, op)) {
    case OP_and: out->truth = x->truth && y->truth; return true;
    case OP_or: out->truth = x->truth || y->truth; return true;
    case OP_xor: out->truth = x->truth != y->truth; return true;
    case OP_not: out->truth = !x->truth; return true;
    default: return false;
    }
}

static bool case_run(Case *c, const Region *r) {
    for (OpId op = r->first; op != r->last; op = op_get(c->m, op)->next) {
        KnownBody k = {.value = op_result(c->m, op, 0)};
        switch (op_kind(c->m, op)) {
        case OP_compare:
            if (!case_compare(c, op, &k)) return false;
            break;
        case OP_and:
        case OP_or:
        case OP_xor:
        case OP_not:
            if (!case_logic(c, op, &k)) return false;
            break;
        case OP_select: {
            const KnownBody *p = case_find(c, op_operand(c->m, op, 0));
            if (!p || !p->is_bool) return false;
            const KnownBody *chosen = case_find(c, op_operand(c->m, op, p->truth ? 1 : 2));
            if (!chosen) return false;
            k = *chosen;
            k.value = op_result(c->m, op, 0);
            break;
        }
        default: return false;
        }
        c->known[c->n++] = k;
    }
    return true;
}

// Runs the region on one way to compare; which side (0 = a, 1 = b) each result takes.
static bool case_choose(const Module *m, const Region *r, const Order order[2], uint32_t side[2]) {
    Case c = {.m = m, .first_arg = r->first_arg, .order = {order[0], order[1]}};
    for (uint32_t i = 0; i < 4; i++) {
        c.known[i] = (KnownBody){.value = r->first_arg + i, .argument = r->first_arg + i};
        // A boolean argument is a value like any other here: only comparisons make truths.
        c.n++;
    }
    if (!case_run(&c, r)) return false;
    for (uint32_t i = 0; i < 2; i++) {
        const KnownBody *k = case_find(&c, op_operand(m, r->last, i));
        if (!k || k->is_bool || (k->argument - c.first_arg) % 2 != i) return false;
        side[i] = k->argument - c.first_arg >= 2;
    }
    return true;
}

// Component `v` holds the values, the other the indices. The choice must be that of a total order: the better value
// with its index whichever side it is on, the same index of two equal values, and of a NaN and a number always the same
// one. Two NaNs may go by position: partial results are combined in order.
static bool chooses_by_order(const Module *m, const Region *r, uint32_t v) {
    uint32_t x = 1 - v;
    ElemClass values = elem_class((Elem)value_tensor(m, r->first_arg + v)->elem);
    ElemClass indices = elem_class((Elem)value_tensor(m, r->first_arg + x)->elem);
    if (indices != CLASS_SINT && indices != CLASS_UINT) return false;
    if (values != CLASS_SINT && values != CLASS_UINT && values != CLASS_FLOAT) return false;
    uint32_t better[2], number[2],
        tie[2]; // sides taken for LESS/GREATER, A_NAN/B_NAN, and for equal values with LESS/GREATER indices
    for (int o = LESS; o <= (values == CLASS_FLOAT ? BOTH_NAN : GREATER); o++) {
        for (int i = LESS; i <= GREATER; i++) {
            Order order[2];
            order[v] = (Order)o;
            order[x] = (Order)i;
            uint32_t side[2];
            if (!case_choose(m, r, order, side)) return false;
            if (o == EQUAL && i != EQUAL) tie[i == GREATER] = side[x];
            if (o == EQUAL || o == BOTH_NAN) continue;
            if (side[0] != side[1]) return false;
            uint32_t *taken = o == LESS || o == GREATER ? &better[o == GREATER] : &number[o == B_NAN];
            if (i == LESS)
                *taken = side[0];
            else if (*taken != side[0])
                return false;
        }
    }
    if (better[0] == better[1] || tie[0] == tie[1]) return false;
    return values != CLASS_FLOAT || number[0] != number[1];
}

static bool region_is_comparator(const Module *m, const Region *r) {
    uint32_t n_ops = 0;
    for (OpId op = r->first; op != r->last; op = op_get(m, op)->next)
        if (++n_ops > MAX_BODY || op_get(m, op)->n_results != 1) return false;
    return chooses_by_order(m, r, 0) || chooses_by_order(m, r, 1);
}

bool monoid_of_region(const Module *m, RegionId region, Monoid *out) {
    const Region *r = &m->regions.at[region];
    if (r->first == NO_ID || op_kind(m, r->last) != OP_return) return false;
    uint32_t n = op_get(m, r->last)->n_operands;
    if (n == 0 || r->n_args != 2 * n) return false;
    if (region_is_one_op(m, r, n, out)) return true;
    if (n != 2 || !region_is_comparator(m, r)) return false;
    *out = MONOID_BODY;
    return true;
}
