// The passes over region trees, on programs built by hand: calls in regions, carried values, effects, memory that ends.
#include "ir/pass/rebuild.h"
#include "test.h"

static Context *ctx;
static char last_message[256];

static void on_diagnostic(void *user, const partir_diagnostic *d) {
    (void)user;
    snprintf(last_message, sizeof last_message, "%s", d->message);
}

static TypeId scalar(Module *m) { return type_tensor(m, EL_F32, 0, NULL); }

static OpId function(Module *m, const char *name, uint32_t n_args) {
    NamedAttr attrs[] = {{A_sym_name, attr_string(m, span_of(name))}};
    OpId f = op_new(m, 0, &(OpSpec){.kind = OP_func_func, .attrs = attrs, .n_attrs = 1, .n_regions = 1, .loc = NO_ID});
    for (uint32_t i = 0; i < n_args; i++) region_add_argument(m, op_region(m, f, 0), scalar(m));
    return f;
}

static ValueId arg(Module *m, RegionId r, uint32_t i) { return m->regions.at[r].first_arg + i; }

// Up to two operands (NO_ID: none), `n_results` scalars.
static OpId emit(Module *m, RegionId r, OpKind kind, ValueId a, ValueId b, uint32_t n_results) {
    ValueId operands[] = {a, b};
    TypeId types[] = {scalar(m), scalar(m)};
    OpSpec s = {.kind = kind,
                .operands = operands,
                .n_operands = (a != NO_ID ? 1u : 0) + (b != NO_ID ? 1u : 0),
                .results = types,
                .n_results = n_results,
                .loc = NO_ID};
    if (kind == OP_while) s.n_regions = 2;
    return op_new(m, r, &s);
}

static ValueId emit1(Module *m, RegionId r, OpKind kind, ValueId a, ValueId b) {
    return op_result(m, emit(m, r, kind, a, b, 1), 0);
}

static OpId call(Module *m, RegionId r, const char *callee, ValueId a) {
    OpId op = emit(m, r, OP_func_call, a, NO_ID, 1);
    op_set_attr(m, op, A_callee, attr_symbol(m, span_of(callee)));
    return op;
}

// The program in one line: "main(abs add{abs return} return)"; each op with its operands as numbers in program order.
static const char *show(const Module *m) {
    static char out[4096];
    size_t n = 0;
    uint32_t depth = 0;
    for (OpId op = module_first(m); op != NO_ID; op = op_walk(m, op)) {
        uint32_t level = 0;
        for (RegionId r = op_get(m, op)->parent; r != 0; r = op_get(m, m->regions.at[r].parent)->parent) level++;
        while (depth > level) out[n++] = '}', depth--;
        while (depth < level) out[n++] = '{', depth++;
        const char *name = strchr(op_info[op_kind(m, op)].name, '.') + 1;
        if (n && out[n - 1] != '{') out[n++] = ' ';
        n += (size_t)sprintf(out + n, "%s", name);
        for (uint32_t i = 0; i < op_get(m, op)->n_operands; i++)
            n += (size_t)sprintf(out + n, "%c%u", i ? ',' : ':', op_operand(m, op, i));
    }
    while (depth) out[n++] = '}', depth--;
    out[n] = 0;
    return out;
}

// @twice(x) = square(square(x)), @square(x) = x * x, @main loops `twice`.
static Module *nested_calls(void) {
    Module *m = module_new(ctx);
    OpId main = function(m, "main", 1);
    RegionId body = op_region(m, main, 0);
    OpId loop = emit(m, body, OP_while, arg(m, body, 0), NO_ID, 1);
    for (uint32_t i = 0; i < 2; i++) {
        RegionId r = op_region(m, loop, i);
        region_add_argument(m, r, scalar(m));
        emit(m, r, OP_return, op_result(m, call(m, r, "twice", arg(m, r, 0)), 0), NO_ID, 0);
    }
    emit(m, body, OP_func_return, op_result(m, loop, 0), NO_ID, 0);
    OpId twice = function(m, "twice", 1);
    RegionId r = op_region(m, twice, 0);
    ValueId once = op_result(m, call(m, r, "square", arg(m, r, 0)), 0);
    emit(m, r, OP_func_return, op_result(m, call(m, r, "square", once), 0), NO_ID, 0);
    OpId square = function(m, "square", 1);
    r = op_region(m, square, 0);
    emit(m, r, OP_func_return, emit1(m, r, OP_multiply, arg(m, r, 0), arg(m, r, 0)), NO_ID, 0);
    function(m, "unused", 0);
    return m;
}

static void calls_are_inlined_inside_regions(void) {
    Module *m = nested_calls();
    CHECK(pass_inline(m));
    CHECK_STR(show(m), "func{while:0{multiply:2,2 multiply:4,4 return:5 multiply:3,3 multiply:6,6 return:7} return:1}");
    CHECK_INT(m->ops.n, 9);
    CHECK_INT(m->regions.n, 4);
    CHECK(module_main(m) == 0 && module_find_function(m, SPAN("square")) == NO_ID);
    CHECK_INT(m->regions.at[op_region(m, 0, 0)].n_args, 1);
    module_free(m);
}

static void recursion_and_missing_callees_are_errors(void) {
    Module *m = nested_calls();
    RegionId r = op_region(m, module_find_function(m, SPAN("unused")), 0);
    emit(m, r, OP_func_return, NO_ID, NO_ID, 0);
    OpId square = module_find_function(m, SPAN("square"));
    RegionId body = op_region(m, square, 0);
    OpId self = call(m, NO_ID, "twice", arg(m, body, 0));
    op_get(m, self)->parent = body;
    op_get(m, self)->next = m->regions.at[body].first;
    m->regions.at[body].first = self;
    size_t before = strlen(show(m));
    CHECK(!pass_inline(m));
    CHECK_STR(last_message, "function @twice calls itself");
    CHECK_INT(strlen(show(m)), before); // left as it was, if renumbered
    op_set_attr(m, m->regions.at[op_region(m, module_find_function(m, SPAN("square")), 0)].first, A_callee,
                attr_symbol(m, SPAN("nobody")));
    CHECK(!pass_inline(m));
    CHECK_STR(last_message, "there is no function @nobody");
    module_free(m);
}

static void a_program_that_doubles_without_end_is_refused(void) {
    Module *m = module_new(ctx);
    char name[16], callee[16];
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, i ? "f%d" : "main", i);
        snprintf(callee, sizeof callee, "f%d", i + 1);
        RegionId r = op_region(m, function(m, name, 1), 0);
        ValueId x = arg(m, r, 0);
        for (int k = 0; k < 2; k++)
            x = i == 39 ? emit1(m, r, OP_abs, x, NO_ID) : op_result(m, call(m, r, callee, x), 0);
        emit(m, r, OP_func_return, x, NO_ID, 0);
    }
    CHECK(!pass_inline(m));
    CHECK_STR(last_message, "inlining makes more than 20000000 ops");
    module_free(m);
}

static void what_nobody_reads_is_dropped(void) {
    Module *m = module_new(ctx);
    RegionId body = op_region(m, function(m, "main", 2), 0);
    ValueId x = arg(m, body, 0), y = arg(m, body, 1);
    emit1(m, body, OP_abs, emit1(m, body, OP_negate, x, NO_ID), NO_ID);
    OpId effect = emit(m, body, OP_custom_call, emit1(m, body, OP_sine, y, NO_ID), NO_ID, 1);
    op_set_attr(m, effect, A_has_side_effect, attr_bool(m, true));
    emit(m, body, OP_custom_call, x, NO_ID, 1);
    // The second carried value only feeds itself.
    OpId loop = emit(m, body, OP_while, x, y, 2);
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t k = 0; k < 2; k++) region_add_argument(m, op_region(m, loop, i), scalar(m));
    RegionId cond = op_region(m, loop, 0), step = op_region(m, loop, 1);
    emit(m, cond, OP_return, emit1(m, cond, OP_floor, arg(m, cond, 0), NO_ID), NO_ID, 0);
    ValueId next = emit1(m, step, OP_abs, arg(m, step, 0), NO_ID),
            unread = emit1(m, step, OP_cosine, arg(m, step, 1), NO_ID);
    emit(m, step, OP_return, next, unread, 0);
    emit(m, body, OP_func_return, op_result(m, loop, 0), NO_ID, 0);
    CHECK(pass_dead_code(m));
    CHECK_STR(show(m), "func{sine:1 custom_call:2 while:0{floor:5 return:7 abs:6 return:8} return:4}");
    module_free(m);
}

static void a_carried_value_that_decides_the_loop_stays(void) {
    Module *m = module_new(ctx);
    RegionId body = op_region(m, function(m, "main", 2), 0);
    OpId loop = emit(m, body, OP_while, arg(m, body, 0), arg(m, body, 1), 2);
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t k = 0; k < 2; k++) region_add_argument(m, op_region(m, loop, i), scalar(m));
    RegionId cond = op_region(m, loop, 0), step = op_region(m, loop, 1);
    emit(m, cond, OP_return, arg(m, cond, 1), NO_ID, 0);
    emit1(m, step, OP_sine, emit1(m, step, OP_cosine, arg(m, step, 0), NO_ID), NO_ID); // nobody reads them
    emit(m, step, OP_return, arg(m, step, 0), emit1(m, step, OP_abs, arg(m, step, 1), NO_ID), 0);
    emit(m, body, OP_func_return, op_result(m, loop, 0), NO_ID, 0);
    CHECK(pass_dead_code(m));
    CHECK_STR(show(m), "func{while:0,1{return:5 abs:7 return:6,8} return:2}");
    module_free(m);
}

static void uses_are_in_program_order(void) {
    Module *m = nested_calls();
    CHECK(pass_inline(m));
    Arena a;
    arena_init(&a, ctx);
    Uses u = uses_build(m, &a);
    CHECK_INT(u.first[3] - u.first[2], 2); // the argument of the condition is squared: used twice by one op
    CHECK(u.at[u.first[2]].op == u.at[u.first[2] + 1].op && u.at[u.first[2] + 1].operand == 1);
    CHECK_INT(u.first[m->values.n], m->operands.n);
    arena_free(&a);
    module_free(m);
}

int main(void) {
    partir_context_create(&(partir_options){.size = sizeof(partir_options), .diagnostic = on_diagnostic}, &ctx);
    RUN(calls_are_inlined_inside_regions);
    RUN(recursion_and_missing_callees_are_errors);
    RUN(a_program_that_doubles_without_end_is_refused);
    RUN(what_nobody_reads_is_dropped);
    RUN(a_carried_value_that_decides_the_loop_stays);
    RUN(uses_are_in_program_order);
    partir_context_destroy(ctx);
    return test_end();
}
