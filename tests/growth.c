// Partitioning and simulation take work in proportion to the program: four times as many ops take at most six times the work,
// where what is quadratic takes up to sixteen. These are the forms that once did; tests/growth.py tries those of every op.
//
// Work is counted, not timed, so that a busy machine changes nothing: the library is compiled with -fsanitize-coverage=trace-pc, which
// calls a function for every basic block that runs, and copies and clears bytes through the functions below (the Makefile's build/count).
#include "partir.h"
#include "unit/test.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

static uint64_t work;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
    work++;
}

enum { BYTES_A_BLOCK = 16 }; // copied or cleared in about the time of a basic block

void *work_memset(void *to, int value, size_t n);
void *work_memset(void *to, int value, size_t n) {
    work += n / BYTES_A_BLOCK;
    return memset(to, value, n);
}

void *work_memcpy(void *to, const void *from, size_t n);
void *work_memcpy(void *to, const void *from, size_t n) {
    work += n / BYTES_A_BLOCK;
    return memcpy(to, from, n);
}

void *work_memmove(void *to, const void *from, size_t n);
void *work_memmove(void *to, const void *from, size_t n) {
    work += n / BYTES_A_BLOCK;
    return memmove(to, from, n);
}

#define T "tensor<8x8xf32>"
static const char schedule_text[] = "mesh batch=2\ntactic T on batch { arg0 : 0 }\n";
enum { FEW = 2000, MANY = 4 * FEW, MOST = 6 };

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

typedef struct Text {
    char *at;
    size_t n, room;
} Text;

static void print(Text *out, const char *format, ...) {
    va_list args;
    for (;;) {
        va_start(args, format);
        int n = vsnprintf(out->at + out->n, out->room - out->n, format, args);
        va_end(args);
        if (out->n + (size_t)n < out->room) {
            out->n += (size_t)n;
            return;
        }
        out->room = 2 * out->room + (size_t)n;
        out->at = realloc(out->at, out->room);
        if (!out->at) exit(1);
    }
}

// The text of one op, with every `#` its number and every `@` the value that it reads.
static void print_op(Text *out, const char *op, uint32_t number, const char *reads) {
    for (; *op; op++) {
        if (*op == '#')
            print(out, "%u", number);
        else if (*op == '@')
            print(out, "%s", reads);
        else
            print(out, "%c", *op);
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

static void print_program(Text *out, const Shape *s, uint32_t n) {
    char reads[32] = "%x", type[64] = T;
    if (s->form == WIDE) snprintf(type, sizeof type, "tensor<%ux8xf32>", 8 * n);
    print(out, "func.func @main(%%x: " T ", %%p: tensor<i1>) -> %s {\n", type);
    for (uint32_t i = 0; i < n; i++) {
        print_op(out, s->op, i, reads);
        if (s->form == CHAIN || s->form == TAPPED) snprintf(reads, sizeof reads, "%%v%u", i);
    }
    for (uint32_t i = 0; s->form == TAPPED && i < n; i++)
        print(out, "  %%t%u = stablehlo.dot_general %%v%u, %%x, contracting_dims = [1] x [0] : (" T ", " T ") -> " T "\n", i, i);
    for (uint32_t i = 0; (s->form == FAN || s->form == TAPPED) && i < n; i++) {
        print(out, "  %%s%u = stablehlo.add %s, %%%c%u : " T "\n", i, reads, s->form == FAN ? 'v' : 't', i);
        snprintf(reads, sizeof reads, "%%s%u", i);
    }
    for (uint32_t i = 0; s->form == WIDE && i < n; i++) print(out, "%s%%v%u", i ? ", " : "  %c = stablehlo.concatenate ", i);
    for (uint32_t i = 0; s->form == WIDE && i < n; i++) print(out, "%s", i ? ", " T : ", dim = 0 : (" T);
    if (s->form == WIDE) print(out, ") -> %s\n", type);
    print(out, "  return %s : %s\n}\n", s->form == WIDE ? "%c" : reads, type);
}

// Basic blocks of one tactic and a simulation.
static uint64_t work_of(const Shape *s, uint32_t n, const char *device) {
    partir_context *ctx;
    partir_module *m;
    partir_schedule *schedule;
    partir_partition *p;
    partir_text *table;
    Text text = {malloc(1 << 20), 0, 1 << 20};
    if (!text.at) exit(1);
    print_program(&text, s, n);
    partir_context_create(NULL, &ctx);
    CHECK(partir_module_read_text(ctx, "m.mlir", text.at, text.n, &m) == PARTIR_OK);
    CHECK(partir_schedule_read_text(ctx, "s", schedule_text, strlen(schedule_text), &schedule) == PARTIR_OK);
    CHECK(partir_partition_create(m, schedule, NULL, &p) == PARTIR_OK);
    uint64_t start = work;
    CHECK(partir_partition_apply_next(p) == PARTIR_OK);
    CHECK(partir_partition_simulate(p, device, PARTIR_SIMULATION_TABLE, &table) == PARTIR_OK);
    uint64_t done = work - start;
    partir_text_destroy(table);
    partir_partition_destroy(p);
    partir_schedule_destroy(schedule);
    partir_module_destroy(m);
    partir_context_destroy(ctx);
    free(text.at);
    return done;
}

static void work_is_linear(void) {
    static const char *const devices[] = {"tpu_v5e", "h100", "host"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int d = 0; d < 3; d++) {
            uint64_t few = work_of(&shapes[i], FEW, devices[d]), many = work_of(&shapes[i], MANY, devices[d]);
            bool linear = few > 0 && many <= MOST * few;
            if (!linear)
                printf("%s on %s: %" PRIu64 " basic blocks, then %" PRIu64 "\n", shapes[i].name, devices[d], few, many);
            CHECK(linear);
        }
}

int main(void) {
    RUN(work_is_linear);
    return test_end();
}
