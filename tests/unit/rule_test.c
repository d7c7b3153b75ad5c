// Rules: sharing, monoids of regions, user rules, limits. The rule of each op has its line in tests/cases/rules.
#include "core/rule/rule.h"
#include "test.h"

static Context *ctx;
static Module *m;
static Arena arena;

static void begin(void) {
    m = module_new(ctx);
    arena_init(&arena, ctx);
}

static void end(void) {
    arena_free(&arena);
    module_free(m);
}

static TypeId tensor(Elem e, uint32_t rank, const int64_t *dims) { return type_tensor(m, e, rank, dims); }
#define T(e, ...) tensor(e, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__})

// A value out of nowhere: the result of an op without operands.
static ValueId value(TypeId t) {
    OpId op = op_new(m, 0, &(OpSpec){.kind = OP_iota, .results = &t, .n_results = 1, .loc = NO_ID});
    return op_result(m, op, 0);
}

typedef struct Attrs {
    NamedAttr at[4];
    uint32_t n;
} Attrs;

static OpId make(OpKind kind, uint32_t n_in, const TypeId *in, uint32_t n_out, const TypeId *out, Attrs attrs,
                 uint32_t n_regions) {
    ValueId operands[2000];
    for (uint32_t i = 0; i < n_in; i++) operands[i] = value(in[i]);
    return op_new(m, 0,
                  &(OpSpec){.kind = kind,
                            .operands = operands,
                            .n_operands = n_in,
                            .results = out,
                            .n_results = n_out,
                            .attrs = attrs.at,
                            .n_attrs = attrs.n,
                            .n_regions = n_regions,
                            .loc = NO_ID});
}

static const char *text_of(const Rule *r) {
    Buffer b;
    buf_init(&b, &arena);
    rule_print(r, &b);
    return buf_cstr(&b);
}

static const char *rule_text(OpId op) { return text_of(rulebook_rule(rulebook_new(m, &arena, NULL, 0), op)); }

// ---- Sharing --------------------------------------------------------------------------------------------------------

static OpId make_slice(TypeId in, TypeId out, int64_t start) {
    int64_t starts[] = {start, 0}, ends[] = {start + 4, 8}, strides[] = {1, 1};
    Attrs a = {{{A_start_indices, attr_ints(m, starts, 2)},
                {A_limit_indices, attr_ints(m, ends, 2)},
                {A_strides, attr_ints(m, strides, 2)}},
               3};
    return make(OP_slice, 1, &in, 1, &out, a, 0);
}

static void alike_ops_share_a_rule(void) {
    begin();
    RuleBook *book = rulebook_new(m, &arena, NULL, 0);
    TypeId a = T(EL_F32, 4, 8), c = T(EL_F32, 8, 8);
    TypeId aa[] = {a, a}, cc[] = {c, c};
    OpId x = make(OP_add, 2, aa, 1, &a, (Attrs){0}, 0), y = make(OP_add, 2, aa, 1, &a, (Attrs){0}, 0);
    OpId z = make(OP_add, 2, cc, 1, &c, (Attrs){0}, 0), w = make(OP_multiply, 2, aa, 1, &a, (Attrs){0}, 0);
    CHECK(rulebook_rule(book, x) == rulebook_rule(book, x));
    CHECK(rulebook_rule(book, x) == rulebook_rule(book, y));
    CHECK(rulebook_rule(book, x) != rulebook_rule(book, z));
    CHECK(rulebook_rule(book, x) != rulebook_rule(book, w));
    CHECK_STR(text_of(rulebook_rule(book, x)), "([i, j], [i, j])->([i, j]) {i=4, j=8}");

    // Attributes are part of being alike.
    TypeId in = T(EL_F32, 8, 8), out = T(EL_F32, 4, 8);
    OpId s = make_slice(in, out, 0), t = make_slice(in, out, 2);
    CHECK(rulebook_rule(book, s) != rulebook_rule(book, t));
    CHECK_STR(text_of(rulebook_rule(book, s)), "([i, j])->([i, j]) {i=8, j=8} permutation={i}");
    end();
}

static void identities(void) {
    begin();
    RuleBook *book = rulebook_new(m, &arena, NULL, 0);
    TypeId t = T(EL_F32, 4, 8), scalar = tensor(EL_F32, 0, NULL);
    const Rule *r = rulebook_identity(book, t, 2, 1);
    CHECK(r == rulebook_identity(book, t, 2, 1));
    CHECK(r != rulebook_identity(book, t, 1, 2));
    CHECK_STR(text_of(r), "([i, j], [i, j])->([i, j]) {i=4, j=8}");
    CHECK_STR(text_of(rulebook_identity(book, scalar, 1, 1)), "([])->([])");
    CHECK_STR(text_of(rulebook_identity(book, t, 0, 1)), "()->([i, j]) {i=4, j=8}");
    CHECK_INT(rule_factor_dim(r, 1, 2), 1);
    CHECK_INT(rule_rank(r, 0), 2);
    end();
}

// ---- Monoids --------------------------------------------------------------------------------------------------------

static OpId body_op(RegionId r, OpKind kind, uint32_t n, const ValueId *in, TypeId out, Attrs attrs) {
    return op_new(m, r,
                  &(OpSpec){.kind = kind,
                            .operands = in,
                            .n_operands = n,
                            .results = &out,
                            .n_results = kind == OP_return ? 0 : 1,
                            .attrs = attrs.at,
                            .n_attrs = attrs.n,
                            .loc = NO_ID});
}

// A reduce of one 8x4 input over dimension 1 with body `kind(x, y)`.
static OpId make_reduce(Elem e, OpKind kind, int first, int second) {
    TypeId in[] = {T(e, 8, 4), tensor(e, 0, NULL)}, out = T(e, 8), scalar = tensor(e, 0, NULL);
    int64_t dims[] = {1};
    OpId op = make(OP_reduce, 2, in, 1, &out, (Attrs){{{A_dimensions, attr_ints(m, dims, 1)}}, 1}, 1);
    RegionId r = op_region(m, op, 0);
    ValueId args[] = {region_add_argument(m, r, scalar), region_add_argument(m, r, scalar)};
    ValueId operands[] = {args[first], args[second]};
    ValueId sum = op_result(m, body_op(r, kind, 2, operands, scalar, (Attrs){0}), 0);
    body_op(r, OP_return, 1, &sum, scalar, (Attrs){0});
    return op;
}

static void monoids_of_one_op(void) {
    static const struct {
        Elem elem;
        OpKind kind;
        int monoid; // -1: none
    } cases[] = {
        {EL_F32, OP_add, MONOID_ADD},     {EL_F32, OP_multiply, MONOID_MUL}, {EL_F32, OP_maximum, MONOID_MAX},
        {EL_F32, OP_minimum, MONOID_MIN}, {EL_I32, OP_and, MONOID_AND},      {EL_I32, OP_or, MONOID_OR},
        {EL_I32, OP_xor, MONOID_XOR},     {EL_I1, OP_add, MONOID_OR},        {EL_I1, OP_multiply, MONOID_AND},
        {EL_I1, OP_maximum, MONOID_OR},   {EL_I1, OP_minimum, MONOID_AND},   {EL_I1, OP_xor, MONOID_XOR},
        {EL_F32, OP_subtract, -1},        {EL_F32, OP_divide, -1},           {EL_F32, OP_atan2, -1},
    };
    begin();
    RuleBook *book = rulebook_new(m, &arena, NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int swap = 0; swap < 2; swap++) {
            const Rule *r = rulebook_rule(book, make_reduce(cases[i].elem, cases[i].kind, swap, !swap));
            CHECK_STR(text_of(r), cases[i].monoid < 0 ? "([i, j], [])->([i]) {i=8, j=4} need_replication={j}"
                                                      : "([i, j], [])->([i]) {i=8, j=4} reduction={j}");
            if (cases[i].monoid >= 0) CHECK_INT(r->monoid, cases[i].monoid);
        }
    // x + x forgets what was there: no monoid.
    CHECK_STR(rule_text(make_reduce(EL_F32, OP_add, 1, 1)), "([i, j], [])->([i]) {i=8, j=4} need_replication={j}");
    end();
}

static ValueId compare(RegionId r, ValueId a, ValueId b, const char *direction) {
    Attrs attrs = {{{A_comparison_direction, attr_enum(m, ENUM_COMPARISON_DIRECTION, direction)}}, 1};
    return op_result(m, body_op(r, OP_compare, 2, (ValueId[]){a, b}, tensor(EL_I1, 0, NULL), attrs), 0);
}

static ValueId logic(RegionId r, OpKind kind, ValueId a, ValueId b) {
    return op_result(m, body_op(r, kind, 2, (ValueId[]){a, b}, tensor(EL_I1, 0, NULL), (Attrs){0}), 0);
}

// The comparator that JAX writes for argmax (direction GT) and argmin (LT), with room for one change.
typedef struct Comparator {
    const char *better, *tie; // direction of the values, direction of the indices
    bool nan_first;           // a != a also wins
    bool value_first;         // values are component 0
    bool tie_break;           // look at the indices at all
} Comparator;

static OpId make_argmax(Elem e, Comparator c) {
    TypeId scalars[] = {tensor(e, 0, NULL), tensor(EL_I32, 0, NULL)}, bit = tensor(EL_I1, 0, NULL);
    TypeId arrays[] = {T(e, 8, 4), T(EL_I32, 8, 4)}, outs[] = {T(e, 8), T(EL_I32, 8)};
    uint32_t v = c.value_first ? 0 : 1, x = 1 - v;
    TypeId in[] = {arrays[v], arrays[x], scalars[v], scalars[x]}, out[] = {outs[v], outs[x]};
    int64_t dims[] = {1};
    OpId op = make(OP_reduce, 4, in, 2, out, (Attrs){{{A_dimensions, attr_ints(m, dims, 1)}}, 1}, 1);
    RegionId r = op_region(m, op, 0);
    ValueId args[4];
    for (uint32_t i = 0; i < 4; i++) args[i] = region_add_argument(m, r, in[2 + i % 2]);
    ValueId a = args[v], b = args[2 + v], ia = args[x], ib = args[2 + x];
    ValueId wins = compare(r, a, b, c.better);
    if (c.nan_first) wins = logic(r, OP_or, wins, compare(r, a, a, "NE"));
    ValueId index_wins = wins;
    if (c.tie_break)
        index_wins = logic(r, OP_or, wins, logic(r, OP_and, compare(r, a, b, "EQ"), compare(r, ia, ib, c.tie)));
    ValueId chosen[2];
    chosen[v] = op_result(m, body_op(r, OP_select, 3, (ValueId[]){wins, a, b}, scalars[0], (Attrs){0}), 0);
    chosen[x] = op_result(m, body_op(r, OP_select, 3, (ValueId[]){index_wins, ia, ib}, scalars[1], (Attrs){0}), 0);
    body_op(r, OP_return, 2, chosen, bit, (Attrs){0});
    return op;
}

static void comparators(void) {
    const char *yes = "([i, j], [i, j], [], [])->([i], [i]) {i=8, j=4} reduction={j}";
    const char *no = "([i, j], [i, j], [], [])->([i], [i]) {i=8, j=4} need_replication={j}";
    begin();
    RuleBook *book = rulebook_new(m, &arena, NULL, 0);
    const Rule *argmax = rulebook_rule(book, make_argmax(EL_F32, (Comparator){"GT", "LT", true, true, true}));
    CHECK_STR(text_of(argmax), yes);
    CHECK_INT(argmax->monoid, MONOID_BODY);
    CHECK_STR(rule_text(make_argmax(EL_F32, (Comparator){"LT", "LT", true, true, true})), yes); // argmin
    CHECK_STR(rule_text(make_argmax(EL_F32, (Comparator){"GT", "GT", true, true, true})),
              yes); // the last of equal ones
    CHECK_STR(rule_text(make_argmax(EL_F32, (Comparator){"GT", "LT", true, false, true})), yes); // index first
    CHECK_STR(rule_text(make_argmax(EL_I32, (Comparator){"GT", "LT", false, true, true})),
              yes); // no NaN among integers
    CHECK_STR(rule_text(make_argmax(EL_F32, (Comparator){"GT", "LT", false, true, true})),
              no); // NaN loses or wins by its side
    CHECK_STR(rule_text(make_argmax(EL_F32, (Comparator){"GT", "LT", true, true, false})), no); // ties go by side
    CHECK_STR(rule_text(make_argmax(EL_F32, (Comparator){"EQ", "LT", true, true, true})), no);  // no order at all
    CHECK_STR(rule_text(make_argmax(EL_F32, (Comparator){"NE", "LT", true, true, true})), no);
    CHECK_STR(rule_text(make_argmax(EL_I32, (Comparator){"GT", "EQ", false, true, true})), no);
    end();
}

// ---- User rules -----------------------------------------------------------------------------------------------------

static const Rule *user_rule(const UserRule *u, uint32_t n_in, const TypeId *in, TypeId out) {
    Attrs a = {{{A_call_target_name, attr_string(m, SPAN("k"))}}, 1};
    return rulebook_rule(rulebook_new(m, &arena, u, 1), make(OP_custom_call, n_in, in, 1, &out, a, 0));
}

static void user_rules(void) {
    begin();
    TypeId in[] = {T(EL_F32, 2, 8, 16), T(EL_F32, 16, 12)}, out = T(EL_F32, 2, 8, 12);
    Span tensors[] = {SPAN("b s d"), SPAN("d (h k)"), SPAN("b s (h k)")}, d[] = {SPAN("d")},
         hk[] = {SPAN("h"), SPAN("k")};
    UserRule u = {
        .target = SPAN("k"), .n_operands = 2, .n_results = 1, .tensors = tensors, .n_reduction = 1, .reduction = d};
    CHECK_STR(user_rule(&u, 2, in, out)->note,
              "the schedule's rule for @k does not fit: the sizes in a group cannot be told apart");

    tensors[1] = SPAN("d h"), tensors[2] = SPAN("b s h");
    CHECK_STR(text_of(user_rule(&u, 2, in, out)),
              "([i, j, k], [k, l])->([i, j, l]) {i=2, j=8, k=16, l=12} reduction={k}");
    u.n_whole = 1, u.whole = hk;
    CHECK_STR(text_of(user_rule(&u, 2, in, out)),
              "([i, j, k], [k, l])->([i, j, l]) {i=2, j=8, k=16, l=12} reduction={k} need_replication={l}");
    u.whole = d;
    u.n_reduction = 0;
    CHECK(user_rule(&u, 2, in, out)->note == NULL);

    tensors[0] = SPAN("b s");
    CHECK_STR(user_rule(&u, 2, in, out)->note,
              "the schedule's rule for @k does not fit: operand 0 has 2 dimensions in the rule, 3 in the call");
    tensors[0] = SPAN("b h d"), tensors[1] = SPAN("d h");
    u.n_reduction = 1;
    CHECK_STR(user_rule(&u, 2, in, out)->note, "the schedule's rule for @k does not fit: h has two sizes");
    CHECK_STR(user_rule(&u, 1, in, out)->note,
              "the schedule's rule for @k does not fit: it is for 2 operands and 1 results, the call has 1 and 1");

    // A group is solved from the other tensors.
    TypeId flat[] = {T(EL_F32, 6, 4), T(EL_F32, 24)}, square = T(EL_F32, 4, 4);
    Span groups[] = {SPAN("a b"), SPAN("(a b)"), SPAN("b c")}, one[] = {SPAN("a")};
    UserRule g = {
        .target = SPAN("k"), .n_operands = 2, .n_results = 1, .tensors = groups, .n_reduction = 1, .reduction = one};
    CHECK_STR(text_of(user_rule(&g, 2, flat, square)), "([i, j], [ij])->([j, k]) {i=6, j=4, k=4} reduction={i}");
    end();
}

// ---- Limits ---------------------------------------------------------------------------------------------------------

static void too_many_dimensions(void) {
    begin();
    TypeId types[300];
    for (int i = 0; i < 300; i++) types[i] = T(EL_F32, 2, 3);
    RuleBook *book = rulebook_new(m, &arena, NULL, 0);
    const Rule *r = rulebook_rule(book, make(OP_optimization_barrier, 300, types, 300, types, (Attrs){0}, 0));
    CHECK_INT(r->n_factors, 0);
    CHECK_STR(r->note, "it has too many dimensions for one rule");
    uint32_t n;
    rule_dim(r, 7, 1, &n);
    CHECK_INT(n, 0);
    CHECK_INT(rule_rank(r, 599), 2);

    // Beyond the letters.
    int64_t dims[20];
    for (int i = 0; i < 20; i++) dims[i] = 2;
    TypeId deep = tensor(EL_F32, 20, dims);
    const char *text = text_of(rulebook_rule(book, make(OP_negate, 1, &deep, 1, &deep, (Attrs){0}, 0)));
    CHECK(strstr(text, "y, z, z_1, z_2]") != NULL);

    // More dimensions than a rule can number.
    int64_t many[200];
    for (int i = 0; i < 200; i++) many[i] = 1;
    TypeId wide = tensor(EL_F32, 200, many);
    CHECK_INT(rulebook_rule(book, make(OP_negate, 1, &wide, 1, &wide, (Attrs){0}, 0))->n_factors, 0);
    end();
}

static void dynamic_shapes_are_refused(void) {
    begin();
    TypeId t = T(EL_F32, DIM_DYNAMIC, 3);
    const Rule *r = rulebook_rule(rulebook_new(m, &arena, NULL, 0), make(OP_negate, 1, &t, 1, &t, (Attrs){0}, 0));
    CHECK(r->refuse);
    CHECK_STR(r->note, "a size is known only at run time");
    end();
}

int main(void) {
    partir_context_create(NULL, &ctx);
    RUN(alike_ops_share_a_rule);
    RUN(identities);
    RUN(monoids_of_one_op);
    RUN(comparators);
    RUN(user_rules);
    RUN(too_many_dimensions);
    RUN(dynamic_shapes_are_refused);
    partir_context_destroy(ctx);
    return test_end();
}
