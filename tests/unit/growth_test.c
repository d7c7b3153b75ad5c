// Partitioning and simulation take time in proportion to the program: four times as many ops take at most eight times as long,
// where what is quadratic takes sixteen. These are the forms that once did; tests/growth.py tries those of every op.
#include "api/handles.h"
#include "support/platform.h"
#include "test.h"

#define T "tensor<8x8xf32>"
static const char schedule_text[] = "mesh batch=2\ntactic T on batch { arg0 : 0 }\n";
#ifdef __SANITIZE_ADDRESS__ // there it is to touch memory, not to be timed
enum { FEW = 500 };
#else
enum { FEW = 2000 };
#endif
enum { MANY = 4 * FEW };

typedef enum Form {
    CHAIN, // each reads the one before
    TAPPED, // so too, and a kernel of its own reads each
    FAN,   // all read one, and are added up
    WIDE   // a concatenate reads them all
} Form;

typedef struct Shape {
    const char *name;
    Form form;
    const char *op; // with `#` for its number and `@` for the value before it
} Shape;

// The text of one op, with every `#` its number and every `@` the value that it reads.
static void print_op(Buffer *out, const char *op, uint32_t number, const char *reads) {
    for (; *op; op++) {
        if (*op == '#')
            buf_format(out, "%u", number);
        else if (*op == '@')
            buf_str(out, reads);
        else
            buf_char(out, *op);
    }
}

#define DOT "dot_general @, %x, contracting_dims = [1] x [0] : (" T ", " T ") -> " T
#define IF(op)                                                                                                         \
    "  %v# = \"stablehlo.if\"(%p) ({\n    %a# = stablehlo." op "\n    stablehlo.return %a# : " T                         \
    "\n  }, {\n    stablehlo.return @ : " T "\n  }) : (tensor<i1>) -> " T "\n"

static const Shape shapes[] = {
    {"optimization_barrier", CHAIN, "  %v# = stablehlo.optimization_barrier @ : " T "\n"},
    {"if", CHAIN, IF("tanh @ : " T)},
    {"tanh", CHAIN, "  %v# = stablehlo.tanh @ : " T "\n"},
    {"dot", CHAIN, "  %v# = stablehlo." DOT "\n"},
    {"dots of one value", FAN, "  %v# = stablehlo." DOT "\n"},
    {"ifs that hold a collective", FAN, IF(DOT)},
    {"what dots share", TAPPED, "  %v# = stablehlo.tanh @ : " T "\n"},
    {"aliases that dots read", TAPPED, "  %v# = stablehlo.reshape @ : (" T ") -> " T "\n"},
    {"concatenate of many", WIDE, "  %v# = stablehlo.tanh @ : " T "\n"},
};

static void print_program(Buffer *out, const Shape *s, uint32_t n) {
    char reads[32] = "%x", type[64] = T;
    if (s->form == WIDE) snprintf(type, sizeof type, "tensor<%ux8xf32>", 8 * n);
    buf_format(out, "func.func @main(%%x: " T ", %%p: tensor<i1>) -> %s {\n", type);
    for (uint32_t i = 0; i < n; i++) {
        print_op(out, s->op, i, reads);
        if (s->form == CHAIN || s->form == TAPPED) snprintf(reads, sizeof reads, "%%v%u", i);
    }
    for (uint32_t i = 0; s->form == TAPPED && i < n; i++)
        buf_format(out, "  %%t%u = stablehlo.dot_general %%v%u, %%x, contracting_dims = [1] x [0] : (" T ", " T ") -> " T "\n", i, i);
    for (uint32_t i = 0; (s->form == FAN || s->form == TAPPED) && i < n; i++) {
        buf_format(out, "  %%s%u = stablehlo.add %s, %%%c%u : " T "\n", i, reads, s->form == FAN ? 'v' : 't', i);
        snprintf(reads, sizeof reads, "%%s%u", i);
    }
    for (uint32_t i = 0; s->form == WIDE && i < n; i++) buf_format(out, "%s%%v%u", i ? ", " : "  %c = stablehlo.concatenate ", i);
    for (uint32_t i = 0; s->form == WIDE && i < n; i++) buf_str(out, i ? ", " T : ", dim = 0 : (" T);
    if (s->form == WIDE) buf_format(out, ") -> %s\n", type);
    buf_format(out, "  return %s : %s\n}\n", s->form == WIDE ? "%c" : reads, type);
}

// Processor seconds of one tactic and a simulation, the best of some partitions, as each keeps what it found.
static double seconds_of(const Shape *s, uint32_t n, const char *device, int rounds) {
    partir_context *ctx;
    partir_context_create(NULL, &ctx);
    Arena a;
    Buffer text;
    arena_init(&a, ctx);
    buf_init(&text, &a);
    print_program(&text, s, n);
    double best = 0;
    partir_module *m;
    partir_schedule *schedule;
    partir_module_read_text(ctx, "m.mlir", text.at, text.n, &m);
    partir_schedule_read_text(ctx, "s", schedule_text, strlen(schedule_text), &schedule);
    CHECK(m && schedule);
    for (int round = 0; m && schedule && round < rounds; round++) {
        partir_partition *p;
        partir_text *out;
        partir_partition_create(m, schedule, NULL, &p);
        double start = platform_cpu_seconds();
        CHECK(partir_partition_apply_next(p) == PARTIR_OK);
        CHECK(partir_partition_simulate(p, device, PARTIR_SIMULATION_TABLE, &out) == PARTIR_OK);
        double seconds = platform_cpu_seconds() - start;
        partir_text_destroy(out);
        partir_partition_destroy(p);
        if (round == 0 || seconds < best) best = seconds;
    }
    partir_schedule_destroy(schedule);
    partir_module_destroy(m);
    arena_free(&a);
    partir_context_destroy(ctx);
    return best;
}

static void time_is_linear(void) {
    static const char *const devices[] = {"tpu_v5e", "h100", "host"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int d = 0; d < 3; d++) {
            bool linear = false;
            double few = 0, many = 0;
            for (int rounds = 1; !linear && rounds <= 4; rounds += 3) { // more if there is a doubt
                few = seconds_of(&shapes[i], FEW, devices[d], rounds);
                many = seconds_of(&shapes[i], MANY, devices[d], rounds);
                linear = many <= 8 * few + 0.02;
            }
            if (!linear) printf("%s on %s: %g s, then %g s\n", shapes[i].name, devices[d], few, many);
            CHECK(linear);
        }
}

int main(void) {
    RUN(time_is_linear);
    return test_end();
}
