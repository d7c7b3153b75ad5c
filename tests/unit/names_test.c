// Paths from JAX's key strings, and the three places that names come from.
#include "ir/names.h"
#include "test.h"

static Context *ctx;
static char last_message[256];

static void on_diagnostic(void *user, const partir_diagnostic *d) {
    (void)user;
    snprintf(last_message, sizeof last_message, "%u:%u: %s", d->line, d->column, d->message);
}

static void key_strings_become_paths(void) {
    static const char *const cases[][2] = {{"x", "x"},
                                           {"state.opt_state[0].mu['w']", "state/opt_state/0/mu/w"},
                                           {"params['transformer']['h']['0']['attn']", "params/transformer/h/0/attn"},
                                           {"params['mlp/~/linear_1']['b']", "params/mlp/~/linear_1/b"},
                                           {"params['blocks.0.fc1.weight']", "params/blocks.0.fc1.weight"},
                                           {"state[<flat index 0>][<flat index 14>]['q']", "state/0/14/q"},
                                           {"d[\"it's\"]", "d/it's"},
                                           {"d['a\\'b\\\\c']", "d/a'b\\c"},
                                           {"d['a]b'][2]", "d/a]b/2"},
                                           {"d[('a', 1)].y", "d/('a', 1)/y"},
                                           {".params['w']", "params/w"},
                                           {"['w'][0]", "w/0"},
                                           {"params/layers.0/kernel", "params/layers.0/kernel"},
                                           {"/a//b/", "a/b"},
                                           {"a['']['b']", "a/b"},
                                           {"", ""},
                                           {"a[", "a"},
                                           {"a['b", "a/b"},
                                           {"a[[1]", "a/[1]"},
                                           {"a.", "a"}};
    Arena a;
    arena_init(&a, ctx);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_STR(names_path(&a, span_of(cases[i][0])), cases[i][1]);
    arena_free(&a);
}

// @main with three arguments and two results.
static Module *make_module(void) {
    Module *m = module_new(ctx);
    TypeId t = type_tensor(m, EL_F32, 0, NULL);
    NamedAttr name = {A_sym_name, attr_string(m, SPAN("main"))};
    OpId f = op_new(m, 0, &(OpSpec){.kind = OP_func_func, .attrs = &name, .n_attrs = 1, .n_regions = 1, .loc = NO_ID});
    RegionId r = op_region(m, f, 0);
    ValueId args[3];
    for (int i = 0; i < 3; i++) args[i] = region_add_argument(m, r, t);
    op_new(m, r, &(OpSpec){.kind = OP_func_return, .operands = args, .n_operands = 2, .loc = NO_ID});
    return m;
}

static void set_attr(Module *m, AttrName list, uint32_t n, uint32_t i, const char *key, const char *value) {
    AttrId dicts[3];
    for (uint32_t k = 0; k < n; k++) dicts[k] = attr_dict(m, NULL, 0);
    NamedAttr entry = {name_intern(m, span_of(key)), attr_string(m, span_of(value))};
    dicts[i] = attr_dict(m, &entry, 1);
    op_set_attr(m, module_main(m), list, attr_array(m, dicts, n));
}

static void set_locations(Module *m, const char *a, const char *b, const char *c) {
    const char *names[] = {a, b, c};
    LocId *locs = arena_new(&m->arena, LocId, 3);
    for (int i = 0; i < 3; i++) {
        Loc l = {.kind = LOC_NAME, .child = NO_ID, .metadata = NO_ID};
        if (names[i])
            l.name = name_intern(m, span_of(names[i]));
        else
            l.kind = LOC_UNKNOWN;
        locs[i] = loc_add(m, &l);
    }
    m->regions.at[op_region(m, module_main(m), 0)].arg_locs = locs;
}

static void names_come_from_attributes_locations_and_positions(void) {
    Module *m = make_module();
    CHECK(names_from_module(m));
    CHECK_STR(m->argument_names[2], "arg2");
    CHECK_STR(m->result_names[1], "out/1");
    set_locations(m, "p['w']", NULL, "y");
    set_attr(m, A_arg_attrs, 3, 2, "partir.name", "batch['y']");
    set_attr(m, A_res_attrs, 2, 0, "jax.result_info", "result[0]['loss']");
    CHECK(names_from_module(m));
    CHECK_STR(m->argument_names[0], "p/w");
    CHECK_STR(m->argument_names[1], "arg1");
    CHECK_STR(m->argument_names[2], "batch/y");
    CHECK_STR(m->result_names[0], "out/0/loss");
    CHECK_STR(m->result_names[1], "out/1");
    set_attr(m, A_res_attrs, 2, 0, "jax.result_info", "result");
    CHECK(names_from_module(m));
    CHECK_STR(m->result_names[0], "out");
    set_attr(m, A_res_attrs, 2, 0, "jax.result_info", "[1].x");
    CHECK(names_from_module(m));
    CHECK_STR(m->result_names[0], "out/1/x");
    module_free(m);
}

static void found_names_that_clash_fall_back_to_positions(void) {
    Module *m = make_module();
    set_locations(m, "p['a/b']", "q", "p['a']['b']");
    CHECK(names_from_module(m));
    CHECK_STR(last_message, "0:0: arguments 0 and 2 are both named 'p/a/b': such arguments go by their position");
    CHECK_STR(m->argument_names[0], "arg0");
    CHECK_STR(m->argument_names[1], "q");
    CHECK_STR(m->argument_names[2], "arg2");
    module_free(m);
}

static bool from_text(Module *m, const char *text) {
    Source s;
    source_from_memory(&s, "m.names", text, strlen(text));
    return names_from_text(m, &s);
}

static void a_names_file_is_checked(void) {
    Module *m = make_module();
    CHECK(from_text(m, "2\tbatch['y']\r\n\n0\tp.w"));
    CHECK_STR(m->argument_names[0], "p/w");
    CHECK_STR(m->argument_names[1], "arg1");
    CHECK_STR(m->argument_names[2], "batch/y");
    static const char *const bad[][2] = {
        {"0\ta\n3\tb\n", "2:1: there is no argument 3: @main has 3"},
        {"0\ta\n0\tb\n", "2:1: argument 0 is named twice"},
        {"0\tp['a/b']\n2\tp['a']['b']", "2:1: arguments 0 and 2 are both named 'p/a/b'"},
        {"1\targ0\n", "1:1: arguments 0 and 1 are both named 'arg0'"},
        {"0 a\n", "1:1: expected the index of an argument and a tab"},
        {"\ta\n", "1:1: expected the index of an argument and a tab"},
        {"1\t\n", "1:3: argument 1 has an empty name"},
        {"99999999999999999999999\ta\n", "1:1: expected the index of an argument and a tab"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(!from_text(m, bad[i][0]));
        CHECK_STR(last_message, bad[i][1]);
    }
    CHECK_STR(m->argument_names[2], "batch/y"); // a bad file leaves the names as they were
    module_free(m);
}

int main(void) {
    partir_context_create(&(partir_options){.size = sizeof(partir_options), .diagnostic = on_diagnostic}, &ctx);
    RUN(key_strings_become_paths);
    RUN(names_come_from_attributes_locations_and_positions);
    RUN(found_names_that_clash_fall_back_to_positions);
    RUN(a_names_file_is_checked);
    partir_context_destroy(ctx);
    return test_end();
}
