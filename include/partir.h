/* partir.h: the public API of PartIR in C, and nothing else.
 *
 * Read a StableHLO module, shard it by a schedule of tactics, look at the collectives after each, emit the device-local program.
 *
 *     partir_context   *ctx = partir_context_create(NULL);
 *     partir_module    *m   = partir_module_read_file(ctx, "step.mlir");
 *     partir_schedule  *s   = partir_schedule_read_file(ctx, "step.schedule");
 *     partir_partition *p   = partir_partition_create(m, s, NULL);
 *     while (partir_partition_applied(p) < partir_schedule_tactic_count(s)) partir_partition_apply_next(p);
 *     puts(partir_text_data(partir_partition_report(p, PARTIR_REPORT_TABLE)));
 *
 * Ownership: a `…_create`, `…_read…` or function that returns `partir_text *` gives the caller an object to destroy with the matching
 * `…_destroy`; everything else is borrowed and lives as long as the object it came from. NULL may be destroyed.
 * Threads: a context and all that was made with it belong to one thread at a time; different contexts are independent.
 * Errors: a function that fails returns NULL or 0 (false) after reporting at least one diagnostic to the context's callback.
 * The library never prints, exits or keeps global state. */
#ifndef PARTIR_H
#define PARTIR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PARTIR_VERSION_MAJOR  0
#define PARTIR_VERSION_MINOR  1
#define PARTIR_VERSION_PATCH  0
#define PARTIR_VERSION_STRING "0.1.0"

#if defined(_WIN32)
#define PARTIR_API
#elif defined(__GNUC__)
#define PARTIR_API __attribute__((visibility("default")))
#else
#define PARTIR_API
#endif

/* The version of the library at run time, e.g. "0.1.0". Static storage. Any thread. */
PARTIR_API const char *partir_version(void);

/* ---- Context ------------------------------------------------------------------------------------------------------------------ */

typedef struct partir_context partir_context;

typedef enum partir_severity { PARTIR_ERROR, PARTIR_WARNING, PARTIR_NOTE } partir_severity;

/* One message to the user. Pointers are valid only during the callback. */
typedef struct partir_diagnostic {
    partir_severity severity;
    const char *file;        /* NULL if the message is about no place */
    uint32_t line, column;   /* 1-based; 0 without a place */
    const char *message;     /* one line, no newline */
    const char *source_line; /* the line of the place (shortened around the column if very long), or NULL */
    uint32_t caret;          /* 0-based byte column of the caret in source_line */
    const char *hint;        /* what would help, or NULL */
} partir_diagnostic;

typedef struct partir_options {
    void *user; /* handed to each callback */
    /* Like realloc with the old size; new_size 0 frees. NULL: the C library's. */
    void *(*reallocate)(void *user, void *old, size_t old_size, size_t new_size);
    void (*diagnostic)(void *user, const partir_diagnostic *d);
    /* Called now and then in long tasks; return 0 to cancel. */
    int (*progress)(void *user, const char *what, uint64_t done, uint64_t total);
} partir_options;

/* NULL options are all defaults. Returns NULL only when memory ends. */
PARTIR_API partir_context *partir_context_create(const partir_options *options);
PARTIR_API void partir_context_destroy(partir_context *ctx);

/* The usual rendering of a diagnostic: "file:line:col: error: …", source line, caret, hint. Writes at most `size` bytes with the NUL;
 * returns the length it wanted, as snprintf does. `color` non-zero adds terminal colours. */
PARTIR_API size_t partir_diagnostic_format(const partir_diagnostic *d, int color, char *out, size_t size);

/* ---- Text --------------------------------------------------------------------------------------------------------------------- */

typedef struct partir_text partir_text; /* owned, NUL-terminated bytes */
PARTIR_API const char *partir_text_data(const partir_text *t);
PARTIR_API size_t partir_text_size(const partir_text *t);
/* Writes the file whole or not at all (a device or pipe directly). */
PARTIR_API int partir_text_write(const partir_text *t, const char *path);
PARTIR_API void partir_text_destroy(partir_text *t);

/* ---- Modules ------------------------------------------------------------------------------------------------------------------ */

typedef struct partir_module partir_module;

/* Reads and checks StableHLO text. The file is read whole; "-" is standard input.
 * A names file beside it (X.names for X.mlir) is read if there. */
PARTIR_API partir_module *partir_module_read_file(partir_context *ctx, const char *path);
/* The text is borrowed and must outlive the module. `name` appears in diagnostics and is copied. */
PARTIR_API partir_module *partir_module_read_text(partir_context *ctx, const char *name, const char *text, size_t size);
PARTIR_API void partir_module_destroy(partir_module *m);

typedef struct partir_value_info {
    const char *name;     /* path such as params/layers/3/mlp/up/kernel; argN or out/N when the module has no names */
    const char *type;     /* element type as StableHLO writes it: f32, bf16, i32, … */
    const int64_t *shape; /* rank entries; -1 where dynamic */
    uint32_t rank;
} partir_value_info;

/* Arguments and results of @main. Borrowed from the module. */
PARTIR_API uint32_t partir_module_argument_count(const partir_module *m);
PARTIR_API uint32_t partir_module_result_count(const partir_module *m);
PARTIR_API partir_value_info partir_module_argument(const partir_module *m, uint32_t index);
PARTIR_API partir_value_info partir_module_result(const partir_module *m, uint32_t index);
/* Names arguments (lines `index<TAB>path`, JAX key strings or plain paths); replaces earlier names. */
PARTIR_API int partir_module_set_argument_names(partir_module *m, const char *text, size_t size);

typedef enum partir_print_flags {
    PARTIR_PRINT_PRETTY = 0,
    PARTIR_PRINT_GENERIC = 1,
    PARTIR_PRINT_LOCATIONS = 2
} partir_print_flags;

PARTIR_API partir_text *partir_module_print(const partir_module *m, unsigned flags);
/* Inlines calls and composites into @main and removes dead code, in place. On failure the module is as it was. */
PARTIR_API int partir_module_inline(partir_module *m);

typedef struct partir_op_count {
    const char *name; /* "stablehlo.add"; static storage */
    uint64_t count;
} partir_op_count;

/* How often each kind of op occurs, the most frequent first. Writes at most `size` entries; returns how many there are. */
PARTIR_API uint32_t partir_module_op_counts(const partir_module *m, partir_op_count *out, uint32_t size);

/* Which dimensions of each op move together, one line an op (docs/rules.md); `json` non-zero: the same as JSON.
 * "stablehlo.dot_general: ([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}" */
PARTIR_API partir_text *partir_module_rules(const partir_module *m, int json);

/* Tie lines for a schedule, as the names of arguments and results suggest them: what lies below `params` comes back below `out/0`. */
PARTIR_API partir_text *partir_module_ties(const partir_module *m);

/* ---- Running ------------------------------------------------------------------------------------------------------------------ */

/* A run of @main in the embedded interpreter, on one device or on a grid of simulated devices in step. Give it all arguments, execute,
 * look at the results; then it may be given other arguments and executed again. */
typedef struct partir_run partir_run;

typedef struct partir_run_options {
    uint32_t devices;    /* replicas times partitions; 0: as the module says (mhlo.num_replicas, mhlo.num_partitions) */
    uint32_t replicas;   /* 0: as the module says. Devices are numbered replica * partitions + partition. */
    uint64_t max_memory; /* bytes of all tensors alive at a time; 0: 4 GiB */
    uint64_t max_steps;  /* ops executed on all devices; 0: 10^8 */
} partir_run_options;

#define PARTIR_ALL_DEVICES UINT32_MAX

/* The module must outlive the run and must not change meanwhile. NULL options are all defaults. */
PARTIR_API partir_run *partir_run_create(partir_module *m, const partir_run_options *options);
PARTIR_API void partir_run_destroy(partir_run *r);
PARTIR_API uint32_t partir_run_device_count(const partir_run *r);

/* Argument `index` on one device, or on all. `shape` may be NULL if the argument's type is static. The elements are copied: row-major,
 * little-endian, a byte each for types of less than 8 bits. */
PARTIR_API int partir_run_set_argument(partir_run *r, uint32_t index, uint32_t device, const int64_t *shape,
                                       const void *elements, size_t size);
/* A .npy file is the next argument that is not set yet; an .npz file holds arguments by name, or by place (arg0 or arr_0). On several
 * devices an array may have one more dimension in front, with a slice for each device; or it is whole, where the module says how
 * arguments lie on its mesh (partir.mesh, partir.distribution). */
PARTIR_API int partir_run_read_arguments(partir_run *r, const char *path);
/* Fills the arguments that are not set: small normal numbers, small integers, the same on every device. Equal seeds, equal numbers. */
PARTIR_API int partir_run_random_arguments(partir_run *r, uint64_t seed);
/* How many arguments are not set on every device. */
PARTIR_API uint32_t partir_run_missing_arguments(const partir_run *r);

/* 0 if a check of the program fails, too, e.g. @check.expect_eq. */
PARTIR_API int partir_run_execute(partir_run *r);

typedef struct partir_array {
    const char *type;     /* element type as StableHLO writes it; NULL if there is no such result */
    const int64_t *shape; /* rank entries */
    uint32_t rank;
    const void *elements; /* as for partir_run_set_argument */
    size_t size;          /* in bytes */
} partir_array;

/* Borrowed until the next execution. */
PARTIR_API partir_array partir_run_result(const partir_run *r, uint32_t index, uint32_t device);
/* Results as text, long ones shortened. */
PARTIR_API partir_text *partir_run_print_results(const partir_run *r);
/* Into a folder, which is made if it is missing: a .npy file for each result, named after it (out.0.npy for out/0); or into one .npz
 * file. On several devices each array has one more dimension in front, unless the module says how results lie on its mesh: then whole. */
PARTIR_API int partir_run_write_results(const partir_run *r, const char *path);

/* ---- Schedules ---------------------------------------------------------------------------------------------------------------- */

/* A mesh, ties, user rules and an ordered list of tactics, apart from the model; docs/schedule.md has the grammar. */
typedef struct partir_schedule partir_schedule;

PARTIR_API partir_schedule *partir_schedule_read_file(partir_context *ctx, const char *path);
/* The text is copied. `name` appears in diagnostics. */
PARTIR_API partir_schedule *partir_schedule_read_text(partir_context *ctx, const char *name, const char *text,
                                                      size_t size);
PARTIR_API void partir_schedule_destroy(partir_schedule *s);
PARTIR_API uint32_t partir_schedule_tactic_count(const partir_schedule *s);
PARTIR_API const char *partir_schedule_tactic_name(const partir_schedule *s, uint32_t index);
PARTIR_API int partir_schedule_tactic_is_automatic(const partir_schedule *s, uint32_t index);
/* What becomes of the shardings that a program carries itself (with_sharding_constraint, Explicit meshes); a schedule says it by
 * `annotations ignore`, and this replaces that. */
typedef enum partir_annotations {
    PARTIR_ANNOTATIONS_APPLY,  /* tactics named "annotations" before the schedule's, one for each axis that they name; the default */
    PARTIR_ANNOTATIONS_IGNORE, /* dropped */
    PARTIR_ANNOTATIONS_ERROR   /* partir_partition_create fails if there are any */
} partir_annotations;
PARTIR_API void partir_schedule_set_annotations(partir_schedule *s, partir_annotations mode);
/* The schedule in its file form. */
PARTIR_API partir_text *partir_schedule_print(const partir_schedule *s);

/* Which of some values the left side of a tactic's line names: a pattern, and filters if it has any (`w* if rank >= 2`). Sets
 * `accepted[i]` to 1 or 0 for `values[i]`. 0 if the text is no pattern or a value has no such type. */
PARTIR_API int partir_pattern_accepts(partir_context *ctx, const char *pattern, const partir_value_info *values,
                                      uint32_t n, unsigned char *accepted);

/* ---- Partitioning ------------------------------------------------------------------------------------------------------------- */

/* A program on its way: tactics are applied one by one, and nothing earlier is undone. */
typedef struct partir_partition partir_partition;

/* Prepares the module in place (calls inlined, dead code removed) for the schedule's mesh, ties and rules; applies no tactic yet
 * but those of the program's own annotations.
 * `mesh` ("batch=4,model=2") replaces the schedule's if not NULL. Module and schedule must outlive the partition, and a module can be
 * partitioned any number of times. */
PARTIR_API partir_partition *partir_partition_create(partir_module *m, const partir_schedule *s, const char *mesh);
PARTIR_API void partir_partition_destroy(partir_partition *p);
/* Applies the schedule's next tactic. 0 on error, and the program is as before. An automatic one is a search, judged on the device of
 * the last simulation or the schedule's; what it found is applied as manual tactics. `progress` hears of it, and may end it early. */
PARTIR_API int partir_partition_apply_next(partir_partition *p);
/* Applies a tactic that is not in the schedule: "tactic BP on batch { x : 0 }". */
PARTIR_API int partir_partition_apply_text(partir_partition *p, const char *tactic);
/* The tactics applied so far as a schedule in its file form; automatic ones as what their search found. */
PARTIR_API partir_text *partir_partition_schedule(const partir_partition *p);
/* Of an automatic tactic that has been applied, by its name (NULL: the last one): the plans that none beats in both time and memory,
 * the fastest first, as tactics; `json` non-zero: [{"seconds": …, "peak": …, "schedule": …}, …]. */
PARTIR_API partir_text *partir_partition_pareto(const partir_partition *p, const char *name, int json);
/* How many tactics have been applied, those of the program's own annotations aside. */
PARTIR_API uint32_t partir_partition_applied(const partir_partition *p);

typedef enum partir_stage {
    PARTIR_STAGE_CORE,         /* the array program, each op inside its loops over mesh axes */
    PARTIR_STAGE_HLO,          /* the device-local program, collectives name mesh axes */
    PARTIR_STAGE_STABLEHLO,    /* the device-local program as XLA runs it */
    PARTIR_STAGE_STABLEHLO_CPU /* as XLA on CPU runs it fastest, with fewer small collectives */
} partir_stage;

/* The program after the tactics applied so far. `flags`: partir_print_flags; with locations, XLA knows its ops by their names. */
PARTIR_API partir_text *partir_partition_emit(partir_partition *p, partir_stage stage, unsigned flags);

typedef enum partir_report_format { PARTIR_REPORT_TABLE, PARTIR_REPORT_JSON } partir_report_format;

/* Collectives, bytes, conflicts after each tactic applied so far. */
PARTIR_API partir_text *partir_partition_report(partir_partition *p, partir_report_format format);

/* Why a collective, a value or a line of the program is distributed as it is: the chain from the line of the schedule through each op.
 * One of the three, or none for a list of all collectives with their numbers. */
typedef struct partir_why_query {
    uint32_t collective; /* its number in the report's order; PARTIR_NO_COLLECTIVE: not asked for */
    const char *value;   /* an argument, result, tag or loc/… path, or a pattern of such; NULL: not asked for */
    const char *line;    /* FILE:LINE as the report has it, or the end of it; NULL: not asked for */
    int full;            /* non-zero: every step, not only the first and the last */
} partir_why_query;
#define PARTIR_NO_COLLECTIVE UINT32_MAX
PARTIR_API partir_text *partir_partition_why(partir_partition *p, const partir_why_query *query);
/* Checks `deny` and `expect` statements of the schedule's language on the program as it is; those of the schedule itself are checked with
 * its last tactic. 0 with a diagnostic for each that does not hold. */
PARTIR_API int partir_partition_demand(partir_partition *p, const char *demands);

typedef enum partir_simulation_format {
    PARTIR_SIMULATION_TABLE,
    PARTIR_SIMULATION_JSON,
    PARTIR_SIMULATION_TRACE /* of the program as it is now, for Perfetto or chrome://tracing */
} partir_simulation_format;

/* Time and memory of a step on a device, one of `partir_devices` or a file of that form; NULL: the device of the last call, or the schedule's.
 * The first call with a device gives one row for the program as it is; each tactic applied after it adds a row. */
PARTIR_API partir_text *partir_partition_simulate(partir_partition *p, const char *device,
                                                  partir_simulation_format format);

/* How an argument or result of @main is spread over the mesh: "[{batch}, {}]", dimension by dimension, major axis first.
 * Borrowed until the next tactic is applied. NULL on error. */
PARTIR_API const char *partir_partition_argument_distribution(partir_partition *p, uint32_t index);
PARTIR_API const char *partir_partition_result_distribution(partir_partition *p, uint32_t index);
/* Runs the array program, PartIR:Core, PartIR:HLO and the StableHLO of each device on the same random inputs in the interpreter and compares.
 * 1: equal. 0: not equal, or too large to run (a diagnostic says which). */
PARTIR_API int partir_partition_verify(partir_partition *p, uint64_t seed);

/* ---- Trials ------------------------------------------------------------------------------------------------------------------- */

/* What a search asks, thousands of times: how long would a step take on this device, and how much memory, if this were tiled too?
 *
 *     partir_trials *t = partir_trials_create(p, "tpu_v5e");
 *     uint32_t mark = partir_trials_mark(t);
 *     if (partir_trials_tile(t, "params/w1", 1, "model") && partir_trials_look(t, best, &out)) …
 *     partir_trials_undo(t, mark);
 *
 * A look lowers only what is new: the rest is taken over from a base, the program as it was when the trials were made or
 * partir_trials_keep was called last. So is what simulation finds of single ops, unless there are loops or the device is a CPU;
 * time and memory of the whole are found for each state that was not met before, and are those of partir_partition_simulate.
 * Until the trials are destroyed, which takes back what they did, no tactic may be applied to the partition; what they found
 * is then applied as one. */
typedef struct partir_trials partir_trials;

/* `device` is as for partir_partition_simulate, but named. The partition must outlive the trials. */
PARTIR_API partir_trials *partir_trials_create(partir_partition *p, const char *device);
PARTIR_API void partir_trials_destroy(partir_trials *t);

/* In place of a dimension: the axis never passes through the value. */
#define PARTIR_ATOMIC UINT32_MAX
/* Tiles a dimension of an argument, a result or a tagged value, by its path, on an axis, and propagates that. 0 if it cannot be tiled so,
 * and nothing has changed; with a diagnostic if there is no such value or axis. */
PARTIR_API int partir_trials_tile(partir_trials *t, const char *value, uint32_t dimension, const char *axis);
/* How much has been done; undoing takes back all that was done since. */
PARTIR_API uint32_t partir_trials_mark(const partir_trials *t);
PARTIR_API void partir_trials_undo(partir_trials *t, uint32_t mark);

typedef struct partir_outcome {
    double seconds; /* of a step; if not complete, at least so many */
    double compute, communication, exposed;
    double peak;  /* bytes on each device */
    int complete; /* 0: it takes longer than was asked for, and its memory was not looked for */
} partir_outcome;

/* The program as it is now. With `longest`, the time of the best so far, slower ones cost less; INFINITY looks for everything. */
PARTIR_API int partir_trials_look(partir_trials *t, double longest, partir_outcome *out);
/* What was done is kept: the program as it is now is the new base, from which the next ones differ little. */
PARTIR_API int partir_trials_keep(partir_trials *t);

/* ---- Devices ------------------------------------------------------------------------------------------------------------------ */

/* A device in its file form, built in or read from a file; NULL: a list of those that are built in. */
PARTIR_API partir_text *partir_devices(partir_context *ctx, const char *name);

#ifdef __cplusplus
}
#endif

#endif
