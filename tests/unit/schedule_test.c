// The schedule language: what is read, how it prints, and where each mistake is shown.
#include "core/schedule/schedule.h"
#include "test.h"

static char said[1000]; // the last diagnostic: "line:column: message | hint"

static void remember(void *user, const partir_diagnostic *d) {
    (void)user;
    snprintf(said, sizeof said, "%u:%u: %s%s%s", d->line, d->column, d->message, d->hint ? " | " : "",
             d->hint ? d->hint : "");
}

static Context *ctx;
static Arena arena;

static bool read(const char *text, Schedule *s) {
    Source *source = arena_new(&arena, Source, 1);
    source_from_memory(source, "s.schedule", text, strlen(text));
    said[0] = 0;
    return schedule_read(ctx, &arena, source, s);
}

// Reads and prints; and what is printed reads and prints the same.
static void check_text(const char *text, const char *expected) {
    for (int i = 0; i < 2; i++) {
        Schedule s;
        if (!read(i == 0 ? text : expected, &s)) {
            printf("%s\n", said);
            test_bad++;
            return;
        }
        Buffer b;
        buf_init(&b, &arena);
        schedule_print(&s, &b);
        CHECK_STR(buf_cstr(&b), expected);
    }
}

static void check_error(const char *text, const char *expected) {
    Schedule s;
    CHECK(!read(text, &s));
    CHECK_STR(said, expected);
}

static void the_whole_language(void) {
    check_text("# what a schedule may hold\n"
               "mesh batch=4, // four\n model=2\n"
               "device tpu_v3\n"
               "tie params -> out/0\n"
               "rule \"my_kernel\" : (b h s d, b (h k) , ) -> (b h\n s d) # scalar last\n reduction(k) whole(d, s)\n"
               "tactic BP on batch { x : 0 }\n"
               "tactic MP on model { params/*/attn/{q,k,v}/kernel : 1   params/*/mlp/up/kernel : -1 }\n"
               "tactic Z3 on batch {\n"
               "  params/** if rank >= 2 and bytes >= 1MiB : first_divisible\n"
               "  opt/** if dtype != bf16 and name == **/mu/** : first_divisible\n"
               "  params/embed : replicated  \"a b:c\" : unknown }\n"
               "auto Rest on model, batch { budget 1500ms memory 16GiB seed 7 }",
               "mesh batch=4, model=2\n"
               "device tpu_v3\n"
               "tie params -> out/0\n"
               "rule \"my_kernel\" : (b h s d, b (h k), ) -> (b h s d) reduction(k) whole(d, s)\n"
               "tactic BP on batch {\n  x : 0\n}\n"
               "tactic MP on model {\n  params/*/attn/{q,k,v}/kernel : 1\n  params/*/mlp/up/kernel : -1\n}\n"
               "tactic Z3 on batch {\n"
               "  params/** if rank >= 2 and bytes >= 1MiB : first_divisible\n"
               "  opt/** if dtype != bf16 and name == **/mu/** : first_divisible\n"
               "  params/embed : replicated\n"
               "  \"a b:c\" : unknown\n}\n"
               "auto Rest on model, batch {\n  budget 1500ms\n  memory 16GiB\n  seed 7\n}\n");
    check_text("", "");
    check_text("auto A on x { }", "auto A on x {\n}\n");
    check_text("auto A on x { leave params/** objective memory budget 2000 leave y }",
               "auto A on x {\n  budget 2000\n  objective memory\n  leave params/**\n  leave y\n}\n");
    check_text("tactic T on x{a:0 b:1}", "tactic T on x {\n  a : 0\n  b : 1\n}\n");
    check_text("auto A on x{ memory 1000MB budget 2min }", "auto A on x {\n  budget 120s\n  memory 1000000000B\n}\n");
}

static void what_is_read(void) {
    Schedule s;
    CHECK(read("mesh a=3\ntactic T on a { w* : 1 }", &s));
    CHECK_INT(s.n_axes, 1);
    CHECK_INT(s.axes[0].size, 3);
    CHECK_INT(s.n_tactics, 1);
    CHECK_INT(s.tactics[0].name.offset, 16);
    CHECK_INT(s.tactics[0].axes[0].offset, 21);
    CHECK_INT(s.tactics[0].lines[0].pattern.offset, 25);
    CHECK_INT(s.tactics[0].lines[0].value_offset, 30);
    CHECK(!s.tactics[0].automatic);
}

static void what_a_line_accepts(void) {
    int64_t dims[] = {512, 1024};
    Module *m = module_new(ctx);
    const Type *matrix = type_get(m, type_tensor(m, EL_BF16, 2, dims));
    const Type *vector = type_get(m, type_tensor(m, EL_F32, 1, dims));
    Schedule s;
    CHECK(read(
        "tactic T on a { p/** if rank >= 2 : 0  p/** if bytes < 1MiB : 0  p/** if dtype == bf16 : 0  ** if name != p/a : 0 "
        "p/a if rank == 2 and bytes == 1MiB : 0 }",
        &s));
    const TacticLine *l = s.tactics[0].lines;
    matrix = type_get(m, type_tensor(m, EL_BF16, 2, dims));
    CHECK(line_accepts(&l[0], "p/a", matrix) && !line_accepts(&l[0], "p/a", vector) &&
          !line_accepts(&l[0], "q/a", matrix));
    CHECK(!line_accepts(&l[1], "p/a", matrix) && line_accepts(&l[1], "p/a", vector));
    CHECK(line_accepts(&l[2], "p/a", matrix) && !line_accepts(&l[2], "p/a", vector));
    CHECK(!line_accepts(&l[3], "p/a", matrix) && line_accepts(&l[3], "p/b", matrix));
    CHECK(line_accepts(&l[4], "p/a", matrix) && !line_accepts(&l[4], "p/a", vector));
    module_free(m);
}

static void mistakes(void) {
    check_error("tactc T on a { }", "1:1: expected a statement, found 'tactc' | did you mean tactic?");
    check_error(
        "mesh a=2\n  ???",
        "2:3: expected a statement, found '?' | a schedule is made of mesh, device, annotations, gathers, rules, tie, rule, tactic, auto, deny and expect");
    check_error("mesh 4", "1:6: expected the name of an axis, found '4'");
    check_error("mesh a 4", "1:8: expected '=', found '4' | a mesh is written batch=4, model=2");
    check_error("gathers often",
                "1:9: expected 'per_use', 'shared', 'weights_per_use', 'whole_tables' or 'least', found 'often' | per_use: a gather "
                "for each use; shared: one for all uses, which keeps the whole value between them; weights_per_use: per_use for arguments, "
                "shared for computed values; whole_tables: per_use, also for lookups; least: per_use, but no gather where a product in chunks "
                "of the weight sends less");
    check_error("mesh a=2 b=3", "1:10: expected ',' before another axis | a mesh is written batch=4, model=2");
    check_error("mesh a=0", "1:8: an axis has at least one device");
    check_error("mesh a=2, a=3", "1:11: axis a is in the mesh twice");
    check_error("mesh a=1024, b=2048", "1:16: the mesh has more than 1048576 devices");
    check_error("mesh a=99999999999999999999", "1:8: this number is too large");
    check_error("mesh a=2\nmesh b=2", "2:1: a second mesh line");
    check_error(
        "tie a/* -> b",
        "1:7: a tie takes no pattern | a tie names the roots of two subtrees; all below them with equal tails is tied");
    check_error("tie a b", "1:7: expected '->', found 'b' | a tie is written: tie params -> out/0");
    check_error("tactic T { }", "1:10: expected 'on', found '{' | a tactic is written: tactic BP on batch { x : 0 }");
    check_error("annotations maybe", "1:13: expected 'apply', 'ignore' or 'error', found 'maybe' | apply: they are "
                                     "tactics before the schedule's; ignore: they are dropped");
    check_error("tactic T on a, a { }", "1:16: axis a is named twice");
    check_error("tactic T on a { x : 0", "1:15: this { is never closed");
    check_error("tactic T on a { x 0 }", "1:19: expected ':', found '0' | a line is written: pattern : value");
    check_error("tactic T on a { x : all }",
                "1:21: expected a value, found 'all' | a dimension, first_divisible, replicated or unknown");
    check_error("tactic T on a { x/{q, k} : 0 }",
                "1:17: a { of this pattern is never closed | write {a,b} without spaces, or quote the pattern");
    check_error("tactic T on a { \"x{\" : 0 }", "1:19: this is no pattern: this { is never closed");
    check_error("tactic T on a { \"x : 0 }", "1:17: this quote is never closed");
    check_error("tactic T on a { x if depth > 2 : 0 }",
                "1:22: expected rank, bytes, dtype or name after 'if', found 'depth'");
    check_error("tactic T on a { x if rank 2 : 0 }", "1:27: expected one of == != < <= > >=, found '2'");
    check_error("tactic T on a { x if bytes > 2 : 0 }",
                "1:31: expected a unit after the number, found none | one of B, KiB, MiB, GiB, TiB, kB, MB, GB, TB");
    check_error("tactic T on a { x if dtype < f32 : 0 }", "1:28: a name can be compared with == or != alone");
    check_error("tactic T on a { x if dtype == float : 0 }",
                "1:31: there is no element type float | e.g. f32, bf16, i32");
    check_error("tactic T on a { }\ntactic T on b { }",
                "2:8: a second tactic T | reports name tactics: give each its own");
    check_error("auto A on a { budget 1h }",
                "1:23: expected a unit after the number, found another | one of ms, s, min");
    check_error("auto A on a { time 1s }", "1:15: expected budget, memory, seed, objective or leave, found 'time'");
    check_error("auto A on a { budget 0s }",
                "1:22: a search needs a budget above 0 | budget 1s, or a number of evaluations");
    check_error("auto A on a { budget 0 }",
                "1:22: a search needs a budget above 0 | budget 1s, or a number of evaluations");
    check_error("auto A on a { objective speed }", "1:25: expected time or memory, found 'speed'");
    check_error("auto A on a { objective time objective time }", "1:30: this is said twice");
    check_error("auto A on a { budget 1s budget 2s }", "1:25: this is said twice");
    check_error("rule f : (a) -> (a)", "1:6: expected a name in quotes, found 'f'");
    check_error("rule \"f\" : (a a) -> (a)", "1:15: a is twice in one tensor");
    check_error("rule \"f\" : (a (b (c))) -> (a)", "1:18: a group within a group");
    check_error("rule \"f\" : (a (b, c) -> (a)", "1:17: expected ')', found ','");
    check_error(
        "rule \"f\" : (a b) -> (a)",
        "1:15: b is in no result | say reduction(…) if results on chunks of it add up, whole(…) if it may not be cut");
    check_error("rule \"f\" : (a b) -> (a) reduction(a)", "1:35: a is in a result, so that it is not reduced");
    check_error("rule \"f\" : (a b) -> (a) reduction(c)", "1:35: c is in no operand");
    check_error("rule \"f\" : (a b) -> (a) reduction(b) whole(b)", "1:35: b cannot be both reduced and whole");
    check_error("rule \"f\" : (a) -> (a) whole(c)", "1:29: c is in no tensor");
    check_error("rule \"f\" : (a) -> (a) rule \"f\" : (a) -> (a)", "1:29: a second rule for f");
    check_error(
        "mesh a=2 \x01",
        "1:10: expected a statement, found byte 0x01 | a schedule is made of mesh, device, annotations, gathers, rules, tie, rule, tactic, auto, deny and expect");
}

static void demands_are_printed_in_their_units(void) {
    static const char *const texts[] = {"deny replicated above 3GFLOP", "deny replicated above 1500MFLOP",
                                        "deny replicated above 7FLOP", "deny all_gather above 1MiB"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Schedule s;
        Buffer b;
        CHECK(read(texts[i], &s));
        buf_init(&b, &arena);
        demand_print(&s.demands[0], &b);
        CHECK_STR(buf_cstr(&b), texts[i]);
    }
}

// Every prefix of a schedule is read or refused with a message: no crash, no silence.
static void every_prefix(void) {
    const char *text =
        "mesh a=2,b=3 device d gathers weights_per_use tie p -> out/0 rule \"f\" : (a (b c), ) -> (a) reduction(b, c) "
        "tactic T on a { \"x\" if rank >= 2 and name == {p,q}/** : -1 } auto A on a, b { budget 1s memory 2GiB seed 3 } "
        "deny all_gather on a, b in loc/** above 1MiB deny replicated above 1GFLOP deny conflict expect all_reduce 4";
    for (size_t n = 0; n <= strlen(text); n++) {
        char part[400];
        memcpy(part, text, n);
        part[n] = 0;
        Schedule s;
        CHECK(read(part, &s) == (said[0] == 0));
    }
}

int main(void) {
    partir_options options = {.size = sizeof options, .diagnostic = remember};
    partir_context_create(&options, &ctx);
    arena_init(&arena, ctx);
    RUN(the_whole_language);
    RUN(what_is_read);
    RUN(what_a_line_accepts);
    RUN(mistakes);
    RUN(demands_are_printed_in_their_units);
    RUN(every_prefix);
    arena_free(&arena);
    partir_context_destroy(ctx);
    return test_end();
}
