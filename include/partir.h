/* partir.h: the public API of PartIR in C, and nothing else.
 *
 * Read a StableHLO module, shard it by a schedule of tactics, look at the collectives after each, emit the device-local program.
 * examples/embed.c does all of it; in short:
 *
 *     partir_context *ctx;      partir_context_create(NULL, &ctx);
 *     partir_module *m;         partir_module_read_file(ctx, "step.mlir", &m);
 *     partir_schedule *s;       partir_schedule_read_file(ctx, "step.schedule", &s);
 *     partir_partition *p;      partir_partition_create(m, s, NULL, &p);
 *     for (uint32_t i = 0; i < partir_schedule_tactic_count(s); i++)
 *         if (partir_partition_apply_next(p) != PARTIR_OK) return 1;
 *     partir_text *report;      partir_partition_report(p, PARTIR_REPORT_TABLE, &report);
 *     puts(partir_text_data(report));
 *
 * Errors: every call that can fail returns a partir_status. If it is not PARTIR_OK, the call has given at least one diagnostic to the
 * context's callback. The exception is a call on NULL, which has no context: it returns PARTIR_MISUSE and gives no diagnostic. A call that
 * fails does not change its objects, and sets an object that it would have made to NULL.
 * Ownership: an object that a call returns through an out-parameter belongs to the caller, who destroys it with the matching `…_destroy`;
 * NULL may be destroyed. Fields of a struct that are pointers are borrowed: they are valid until the next call on the same object, unless
 * a comment says more. An object must be destroyed before those that it was made from.
 * Structs that a caller fills or receives begin with their size, so that later versions can add fields at the end:
 * `partir_value_info v = {.size = sizeof v};`. A field that is zero stands for the default.
 * Threads: a context and all that was made with it belong to one thread at a time; different contexts are independent.
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

/* On Windows define PARTIR_BUILD_DLL to build the library as a DLL and PARTIR_USE_DLL to use it as one. */
#if defined(_WIN32) && defined(PARTIR_BUILD_DLL)
#define PARTIR_API __declspec(dllexport)
#elif defined(_WIN32) && defined(PARTIR_USE_DLL)
#define PARTIR_API __declspec(dllimport)
#elif defined(__GNUC__) && !defined(_WIN32)
#define PARTIR_API __attribute__((visibility("default")))
#else
#define PARTIR_API
#endif

/* The version of the library at run time, e.g. "0.1.0". Static storage. Any thread. */
PARTIR_API const char *partir_version(void);

/* ---- Status ------------------------------------------------------------------------------------------------------------------- */

typedef enum partir_status {
    PARTIR_OK,
    PARTIR_INVALID,       /* a text or file is wrong: a program, a schedule, a device, an array */
    PARTIR_ILLEGAL,       /* the request is well-formed, but this program does not allow it: a tile, a tactic, an op */
    PARTIR_NOT_FOUND,     /* there is no such file, value, axis, device, tactic or index */
    PARTIR_OUT_OF_MEMORY, /* the allocator returned NULL */
    PARTIR_CANCELLED,     /* the progress callback returned 0 */
    PARTIR_MISUSE,        /* the call is not allowed now, or not with these arguments */
    PARTIR_TOO_LARGE      /* the work would take more memory or steps than its limits allow */
} partir_status;

/* "ok", "invalid", "illegal", "not found", … Static storage. */
PARTIR_API const char *partir_status_name(partir_status status);

/* No value, op, tactic, dimension. */
#define PARTIR_NONE UINT32_MAX

/* ---- Context ------------------------------------------------------------------------------------------------------------------ */

typedef struct partir_context partir_context;

typedef enum partir_severity { PARTIR_ERROR, PARTIR_WARNING, PARTIR_NOTE } partir_severity;

/* One message to the user. Pointers are valid only during the callback. */
typedef struct partir_diagnostic {
    size_t size;
    partir_severity severity;
    const char *file;        /* NULL if the message is about no place */
    uint32_t line, column;   /* 1-based; 0 without a place */
    const char *message;     /* one line, no newline */
    const char *source_line; /* the line of the place (shortened around the column if very long), or NULL */
    uint32_t caret;          /* 0-based byte column of the caret in source_line */
    const char *hint;        /* what would help, or NULL */
} partir_diagnostic;

typedef struct partir_options {
    size_t size;
    void *user; /* handed to each callback */
    /* Like realloc with the old size; new_size 0 frees. NULL: the C library's. */
    void *(*reallocate)(void *user, void *old, size_t old_size, size_t new_size);
    void (*diagnostic)(void *user, const partir_diagnostic *d);
    /* Called now and then in long tasks; return 0 to cancel. */
    int (*progress)(void *user, const char *what, uint64_t done, uint64_t total);
} partir_options;

/* NULL options are all defaults. This call has no callback yet, so it fails without a diagnostic. */
PARTIR_API partir_status partir_context_create(const partir_options *options, partir_context **out);
PARTIR_API void partir_context_destroy(partir_context *ctx);

/* The usual rendering of a diagnostic: "file:line:col: error: …", source line, caret, hint. Writes at most `size` bytes with the NUL;
 * returns the length it wanted, as snprintf does. `color` non-zero adds terminal colours. */
PARTIR_API size_t partir_diagnostic_format(const partir_diagnostic *d, int color, char *out, size_t size);

/* ---- Text --------------------------------------------------------------------------------------------------------------------- */

typedef struct partir_text partir_text; /* owned, NUL-terminated bytes */
PARTIR_API const char *partir_text_data(const partir_text *t);
PARTIR_API size_t partir_text_size(const partir_text *t);
/* Writes the file whole or not at all (a device or pipe directly). */
PARTIR_API partir_status partir_text_write(const partir_text *t, const char *path);
PARTIR_API void partir_text_destroy(partir_text *t);

/* ---- Modules ------------------------------------------------------------------------------------------------------------------ */

typedef struct partir_module partir_module;

/* Reads and checks StableHLO text. The file is read whole; "-" is standard input.
 * If there is a names file beside it (X.names for X.mlir), it is read too. */
PARTIR_API partir_status partir_module_read_file(partir_context *ctx, const char *path, partir_module **out);
/* The text is borrowed and must outlive the module. `name` appears in diagnostics and is copied. */
PARTIR_API partir_status partir_module_read_text(partir_context *ctx, const char *name, const char *text, size_t size,
                                                 partir_module **out);
PARTIR_API void partir_module_destroy(partir_module *m);

typedef enum partir_value_kind {
    PARTIR_VALUE_ARGUMENT,
    PARTIR_VALUE_RESULT,
    PARTIR_VALUE_TAG,     /* a value inside the program that the user named */
    PARTIR_VALUE_LOCATION /* a value that is named by its debug location: loc/decoder/1/q/mul */
} partir_value_kind;

typedef struct partir_value_info {
    size_t size;
    const char *name;     /* path such as params/layers/3/mlp/up/kernel; argN or out/N when the module has no names */
    const char *type;     /* element type as StableHLO writes it: f32, bf16, i32, … */
    const int64_t *shape; /* rank entries; -1 where dynamic */
    uint32_t rank;
    partir_value_kind kind;
    uint32_t index; /* of the argument or result; PARTIR_NONE for the others */
    uint32_t count; /* how many values have this path: more than one only for tags and locations */
} partir_value_info;

/* Arguments and results of @main. Borrowed until the module changes. */
PARTIR_API uint32_t partir_module_argument_count(const partir_module *m);
PARTIR_API uint32_t partir_module_result_count(const partir_module *m);
PARTIR_API partir_status partir_module_argument(const partir_module *m, uint32_t index, partir_value_info *out);
PARTIR_API partir_status partir_module_result(const partir_module *m, uint32_t index, partir_value_info *out);
/* Names arguments (lines `index<TAB>path`, JAX key strings or plain paths); replaces earlier names. */
PARTIR_API partir_status partir_module_set_argument_names(partir_module *m, const char *text, size_t size);

typedef enum partir_print_flags {
    PARTIR_PRINT_PRETTY = 0,
    PARTIR_PRINT_GENERIC = 1,
    PARTIR_PRINT_LOCATIONS = 2
} partir_print_flags;

PARTIR_API partir_status partir_module_print(const partir_module *m, unsigned flags, partir_text **out);
/* Inlines calls and composites into @main and removes dead code, in place. */
PARTIR_API partir_status partir_module_inline(partir_module *m);

typedef struct partir_op_count {
    size_t size;
    const char *name; /* "stablehlo.add"; static storage */
    uint64_t count;
} partir_op_count;

/* How often each kind of op occurs, the most frequent first. */
PARTIR_API uint32_t partir_module_op_kinds(const partir_module *m);
PARTIR_API partir_status partir_module_op_count(const partir_module *m, uint32_t index, partir_op_count *out);

/* Which dimensions of each op move together, one line an op (docs/rules.md); `json` non-zero: the same as JSON.
 * "stablehlo.dot_general: ([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}" */
PARTIR_API partir_status partir_module_rules(const partir_module *m, int json, partir_text **out);
/* Tie lines for a schedule, as the names of arguments and results suggest them: what lies below `params` comes back below `out/0`. */
PARTIR_API partir_status partir_module_ties(const partir_module *m, partir_text **out);

/* ---- Running ------------------------------------------------------------------------------------------------------------------ */

/* A run of @main in the embedded interpreter, on one device or on a grid of simulated devices in lock-step. Set all arguments, execute,
 * read the results; then set other arguments and execute again. */
typedef struct partir_run partir_run;

typedef struct partir_run_options {
    size_t size;
    uint32_t devices;    /* replicas times partitions; 0: as the module says (mhlo.num_replicas, mhlo.num_partitions) */
    uint32_t replicas;   /* 0: as the module says. Devices are numbered replica * partitions + partition. */
    uint64_t max_memory; /* bytes of all tensors alive at a time; 0: 4 GiB */
    uint64_t max_steps;  /* ops executed on all devices; 0: 10^8 */
} partir_run_options;

#define PARTIR_ALL_DEVICES UINT32_MAX

/* The module must outlive the run and must not change meanwhile. NULL options are all defaults. */
PARTIR_API partir_status partir_run_create(partir_module *m, const partir_run_options *options, partir_run **out);
PARTIR_API void partir_run_destroy(partir_run *r);
PARTIR_API uint32_t partir_run_device_count(const partir_run *r);

/* Argument `index` on one device, or on all. `shape` may be NULL if the argument's type is static. The elements are copied: row-major,
 * little-endian, a byte each for types of less than 8 bits. */
PARTIR_API partir_status partir_run_set_argument(partir_run *r, uint32_t index, uint32_t device, const int64_t *shape,
                                                 const void *elements, size_t bytes);
/* A .npy file gives the next argument that is not set yet; an .npz file gives arguments by name, or by position (arg0 or arr_0). On
 * several devices an array may have one more dimension in front, with a slice for each device. If the module states how its arguments
 * are distributed (partir.mesh, partir.distribution), the array is whole. */
PARTIR_API partir_status partir_run_read_arguments(partir_run *r, const char *path);
/* Fills the arguments that are not set with small normal numbers or small integers, the same on every device and for equal seeds. */
PARTIR_API partir_status partir_run_random_arguments(partir_run *r, uint64_t seed);
/* How many arguments are not set on every device. */
PARTIR_API uint32_t partir_run_missing_arguments(const partir_run *r);

/* It also returns PARTIR_INVALID if a check of the program fails, e.g. @check.expect_eq. */
PARTIR_API partir_status partir_run_execute(partir_run *r);

typedef struct partir_array {
    size_t size;
    const char *type;     /* element type as StableHLO writes it */
    const int64_t *shape; /* rank entries */
    uint32_t rank;
    const void *elements; /* as for partir_run_set_argument */
    size_t bytes;
} partir_array;

/* Borrowed until the next execution. */
PARTIR_API partir_status partir_run_result(const partir_run *r, uint32_t index, uint32_t device, partir_array *out);
/* Results as text, long ones shortened. */
PARTIR_API partir_status partir_run_print_results(const partir_run *r, partir_text **out);
/* Writes a .npy file for each result, named after it (out.0.npy for out/0), into a folder, which is created if it is missing; or all of
 * them into one .npz file. On several devices each array has one more dimension in front. If the module states how its results are
 * distributed, arrays are whole. */
PARTIR_API partir_status partir_run_write_results(const partir_run *r, const char *path);

/* ---- Schedules ---------------------------------------------------------------------------------------------------------------- */

/* A mesh, ties, user rules and an ordered list of tactics, apart from the model; docs/schedule.md has the grammar. */
typedef struct partir_schedule partir_schedule;

PARTIR_API partir_status partir_schedule_read_file(partir_context *ctx, const char *path, partir_schedule **out);
/* The text is copied. `name` appears in diagnostics. */
PARTIR_API partir_status partir_schedule_read_text(partir_context *ctx, const char *name, const char *text, size_t size,
                                                   partir_schedule **out);
PARTIR_API void partir_schedule_destroy(partir_schedule *s);

typedef struct partir_schedule_info {
    size_t size;
    uint32_t axes;      /* of the mesh line; 0: none */
    const char *device; /* NULL: none */
    const char *gathers; /* per_use, shared, weights_per_use, whole_tables or least */
    uint32_t ties, rules, tactics, demands; /* how many */
    const char *annotations; /* apply, ignore or error */
    int trust_rules;         /* of custom calls themselves */
} partir_schedule_info;

typedef struct partir_axis_info {
    size_t size;
    const char *name;
    int64_t devices; /* along it */
} partir_axis_info;

typedef struct partir_tie_info {
    size_t size;
    const char *argument, *result; /* paths */
} partir_tie_info;

typedef struct partir_tactic_info {
    size_t size;
    const char *name, *axis; /* several axes as the schedule writes them: "data, model" */
    int automatic;
    const char *text; /* in the file form */
    uint32_t line;    /* where it stands in the text that was read, from 1 on; 0 if it was not read */
} partir_tactic_info;

/* What a schedule says, piece by piece. Borrowed until it is destroyed. */
PARTIR_API partir_status partir_schedule_describe(const partir_schedule *s, partir_schedule_info *out);
PARTIR_API partir_status partir_schedule_axis(const partir_schedule *s, uint32_t index, partir_axis_info *out);
PARTIR_API partir_status partir_schedule_tie(const partir_schedule *s, uint32_t index, partir_tie_info *out);
/* `"my_kernel" : (i j, j k) -> (i k) reduction(j)` */
PARTIR_API partir_status partir_schedule_rule(const partir_schedule *s, uint32_t index, const char **out);
/* `deny all_gather on model above 1MiB` */
PARTIR_API partir_status partir_schedule_demand(const partir_schedule *s, uint32_t index, const char **out);
PARTIR_API uint32_t partir_schedule_tactic_count(const partir_schedule *s);
PARTIR_API partir_status partir_schedule_tactic(const partir_schedule *s, uint32_t index, partir_tactic_info *out);
/* The schedule in its file form. */
PARTIR_API partir_status partir_schedule_print(const partir_schedule *s, partir_text **out);

/* Tells which values the left side of a tactic's line names: a pattern, with filters if there are any (`w* if rank >= 2`). Sets
 * `accepted[i]` to 1 or 0 for `values[i]`. The size of the first struct holds for all of them. */
PARTIR_API partir_status partir_pattern_accepts(partir_context *ctx, const char *pattern,
                                                const partir_value_info *values, uint32_t n, unsigned char *accepted);

/* ---- Partitioning ------------------------------------------------------------------------------------------------------------- */

/* A program that is being partitioned: tactics are applied one by one, and none undoes an earlier one. */
typedef struct partir_partition partir_partition;

/* What to do with the shardings that a program itself contains (with_sharding_constraint, Explicit meshes). */
typedef enum partir_annotations {
    PARTIR_ANNOTATIONS_AS_SCHEDULED, /* as the schedule says (`annotations ignore`); if it does not say, they are applied */
    PARTIR_ANNOTATIONS_APPLY,        /* tactics named "annotations" before the schedule's, one for each axis that they name */
    PARTIR_ANNOTATIONS_IGNORE,       /* dropped */
    PARTIR_ANNOTATIONS_ERROR         /* partir_partition_create fails if there are any */
} partir_annotations;

typedef struct partir_partition_options {
    size_t size;
    const char *mesh;   /* "batch=4,model=2" instead of the schedule's */
    const char *device; /* instead of the schedule's: for simulation and for automatic tactics */
    partir_annotations annotations;
    int ignore_demands;   /* non-zero: `deny` and `expect` of the schedule are not checked */
} partir_partition_options;

/* Prepares the module in place (calls inlined, dead code removed) for the schedule's mesh, ties and rules. It applies only the tactics
 * of the program's own annotations.
 * Module and schedule must outlive the partition, and a module can be partitioned any number of times. NULL options are all defaults. */
PARTIR_API partir_status partir_partition_create(partir_module *m, const partir_schedule *s,
                                                 const partir_partition_options *options, partir_partition **out);
PARTIR_API void partir_partition_destroy(partir_partition *p);

/* Applies the schedule's next tactic. For an automatic one it searches, with costs for the partition's device, and applies the manual
 * tactics that it finds. `progress` is called meanwhile, and may end the search early. */
PARTIR_API partir_status partir_partition_apply_next(partir_partition *p);
/* Applies a tactic that is not in the schedule: "tactic BP on batch { x : 0 }". */
PARTIR_API partir_status partir_partition_apply_text(partir_partition *p, const char *tactic);
/* The Pareto front of an automatic tactic that has been applied, by its name (NULL: the last one): the plans that no other plan beats in
 * both time and memory, the fastest first, as tactics; `json` non-zero: [{"seconds": …, "peak": …, "schedule": …}, …]. */
PARTIR_API partir_status partir_partition_pareto(const partir_partition *p, const char *name, int json,
                                                 partir_text **out);
/* How many tactics have been applied, those of the program's own annotations aside. */
PARTIR_API uint32_t partir_partition_applied(const partir_partition *p);
/* The index-th tactic that has been applied. */
PARTIR_API partir_status partir_partition_tactic(partir_partition *p, uint32_t index, partir_tactic_info *out);
/* The tactics applied so far as a schedule in its file form; automatic ones as what their search found. */
PARTIR_API partir_status partir_partition_schedule(const partir_partition *p, partir_text **out);

typedef enum partir_stage {
    PARTIR_STAGE_CORE,          /* the array program, each op inside its loops over mesh axes */
    PARTIR_STAGE_HLO,           /* the device-local program, collectives name mesh axes */
    PARTIR_STAGE_STABLEHLO,     /* the device-local program as XLA runs it */
    PARTIR_STAGE_STABLEHLO_CPU, /* the form that XLA on CPU runs fastest, with fewer small collectives */
    PARTIR_STAGE_STABLEHLO_TPU  /* the form for which the TPU compiler needs the least memory */
} partir_stage;

/* The program after the tactics applied so far. `flags`: partir_print_flags; with locations, XLA knows its ops by their names. */
PARTIR_API partir_status partir_partition_emit(partir_partition *p, partir_stage stage, unsigned flags,
                                               partir_text **out);

typedef enum partir_report_format { PARTIR_REPORT_TABLE, PARTIR_REPORT_JSON } partir_report_format;

/* Collectives, bytes, conflicts after each tactic applied so far. */
PARTIR_API partir_status partir_partition_report(partir_partition *p, partir_report_format format, partir_text **out);

/* Runs the array program, PartIR:Core, PartIR:HLO and the StableHLO of each device on the same random inputs in the interpreter and
 * compares their results. PARTIR_OK: `*equal` is 1, or it is 0 and an error says what differs. PARTIR_TOO_LARGE: they were not compared.
 * Results that depend on single bits of sums are not compared: a warning says how many these are. */
PARTIR_API partir_status partir_partition_verify(partir_partition *p, uint64_t seed, int *equal);

typedef struct partir_verification {
    size_t size;
    int equal;
    uint32_t results, compared; /* how many the program has; how many of them were compared */
} partir_verification;

/* The same, with the number of results that were compared. If `equal` is 1 but `compared` is 0, nothing is known. */
PARTIR_API partir_status partir_partition_verification(partir_partition *p, uint64_t seed, partir_verification *out);

/* ---- Axes, values and tactics by calls ------------------------------------------------------------------------------------------ */

/* Axes of the mesh are numbered in its order. A part of an axis (model:(1)2) gets a number behind them when it is first asked for. */
PARTIR_API uint32_t partir_partition_axis_count(const partir_partition *p);
PARTIR_API partir_status partir_partition_axis(partir_partition *p, uint32_t axis, partir_axis_info *out);
PARTIR_API partir_status partir_partition_find_axis(partir_partition *p, const char *name, uint32_t *out);

/* What a line of a schedule can name: the arguments, then the results (each by its index), then tags, then the values that debug
 * locations name. All tags or locations with the same path are one value: a call applies to all of them. A number is valid as long as
 * the partition exists. */
typedef uint32_t partir_value;

/* How many values there are; without `locations`, not counting the last kind. */
PARTIR_API partir_status partir_partition_value_count(partir_partition *p, int locations, uint32_t *out);
PARTIR_API partir_status partir_partition_value(partir_partition *p, partir_value value, partir_value_info *out);
PARTIR_API partir_status partir_partition_find_value(partir_partition *p, const char *path, partir_value *out);

/* How a value is spread over the mesh: the axes that split dimension d are axes[first[d]] … axes[first[d + 1] - 1], major first. A part
 * of an axis has the name that it has in a schedule: model:(1)2. */
typedef struct partir_distribution {
    size_t size;
    uint32_t rank;
    const uint32_t *first; /* rank + 1 entries */
    const char *const *axes;
} partir_distribution;

/* The distribution after the tactics applied so far: of an argument or result as it is stored, of a value inside the program as it is
 * computed. */
PARTIR_API partir_status partir_partition_distribution(partir_partition *p, partir_value value,
                                                       partir_distribution *out);

typedef enum partir_legality {
    PARTIR_LEGAL,
    PARTIR_NO_DIMENSION,  /* the value has no such dimension, or it takes no part in the op */
    PARTIR_AXIS_USED,     /* the axis is on another dimension, or on a factor of the op */
    PARTIR_NOT_DIVISIBLE, /* the axis does not divide the chunk of the dimension */
    PARTIR_WHOLE,         /* the op needs this dimension whole */
    PARTIR_SHIFTED,       /* it would need the neighbours' edges */
    PARTIR_INNER,         /* an outer part of the dimension is not used up */
    PARTIR_MADE_ATOMIC,   /* the value is atomic on the axis */
    PARTIR_TILED_ALREADY, /* by this axis on this dimension; doing it again changes nothing and is no error */
    PARTIR_OTHER_PARTS,   /* the axis is cut into other parts elsewhere */
    PARTIR_PART_ORDER     /* a more minor part of the axis splits the dimension already */
} partir_legality;

/* Instead of a dimension: the value is atomic, so the axis never passes through it. */
#define PARTIR_ATOMIC UINT32_MAX

/* Whether an axis could tile a dimension of a value now. If it cannot, this is an answer and not an error. */
PARTIR_API partir_status partir_partition_legality(partir_partition *p, partir_value value, uint32_t dimension,
                                                   uint32_t axis, partir_legality *out);

/* A tactic by calls: all its values are tiled first, and end_tactic propagates once.
 *
 *     partir_partition_begin_tactic(p, "BP", "batch");
 *     partir_partition_tile(p, x, 0);
 *     partir_partition_tile(p, y, 0);
 *     partir_partition_end_tactic(p);
 *
 * `axis` is what a schedule has between `on` and `{`. The last decision on a value counts. After end_tactic the tactic is over, whatever it
 * returns; if it fails, nothing has changed. */
PARTIR_API partir_status partir_partition_begin_tactic(partir_partition *p, const char *name, const char *axis);
PARTIR_API partir_status partir_partition_tile(partir_partition *p, partir_value value, uint32_t dimension);
PARTIR_API partir_status partir_partition_atomic(partir_partition *p, partir_value value);
PARTIR_API partir_status partir_partition_end_tactic(partir_partition *p);

/* A hash of 128 bits of the program's state: equal for equal tiles in equal order. */
PARTIR_API void partir_partition_state(const partir_partition *p, uint64_t out[2]);

/* ---- What tactics did ----------------------------------------------------------------------------------------------------------- */

/* The nodes of propagation: ops, arguments and results of @main, values that loops carry, sums. A number is valid as long as the partition
 * exists. */
typedef struct partir_op_info {
    size_t size;
    const char *name;        /* by the user's names: "stablehlo.add at model.py:12", "argument params/w", "result out/0" */
    const char *kind;        /* "stablehlo.add", "argument", "result" */
    const char *place;       /* "model.py:12"; of an argument or result, its path */
    const char *rule;        /* "([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}" */
    uint32_t operands, results;
    uint32_t loops; /* around it */
} partir_op_info;

PARTIR_API uint32_t partir_partition_op_count(const partir_partition *p);
PARTIR_API partir_status partir_partition_op(partir_partition *p, uint32_t op, partir_op_info *out);

/* One loop of an op over a mesh axis, and why it is there. */
typedef struct partir_loop_info {
    size_t size;
    const char *axis;           /* or a part of one */
    const uint32_t *dimensions; /* the dimension of each operand, then of each result, that is cut; or PARTIR_NONE */
    int sum;                    /* the results are pending on the axis */
    uint32_t tactic;            /* that added it; PARTIR_NONE: the program's own annotations */
    uint32_t from;              /* the op from which it was propagated; PARTIR_NONE: the tactic tiled this value itself */
    int forward;                /* it was propagated from an operand; otherwise from a use */
} partir_loop_info;

/* Outermost first. */
PARTIR_API partir_status partir_partition_loop(partir_partition *p, uint32_t op, uint32_t index, partir_loop_info *out);

typedef struct partir_collective_info {
    size_t size;
    const char *kind; /* all_gather, all_reduce, reduce_scatter, all_to_all, collective_permute */
    const char *const *axes; /* or parts of them */
    uint32_t axis_count;
    double bytes;       /* sent by each device in one step */
    double runs;        /* in one step */
    const char *serves; /* what it moves: "params/layers/3/up/kernel", a tag, or "dot_general at model.py:12" */
    const char *op;     /* the op of the array program that needs it: "stablehlo.dot_general"; NULL: a result needs it */
    const char *path;   /* of that op: "loc/layers/3/up/dot_general"; empty if the program has no name stacks */
    const char *place;  /* of that op, in the user's own code: "model.py:12" */
    const char *tactic; /* the tactic that caused it, or NULL */
} partir_collective_info;

/* The collectives of the present device-local program, in program order. */
PARTIR_API partir_status partir_partition_collective_count(partir_partition *p, uint32_t *out);
PARTIR_API partir_status partir_partition_collective(partir_partition *p, uint32_t index, partir_collective_info *out);

/* Why a collective, a value or a line of the program is distributed as it is: the chain from the line of the schedule through each op.
 * At most one of the three questions; without any, the answer is a list of all collectives with their numbers. */
typedef struct partir_why_query {
    size_t size;
    uint32_t collective; /* its number in the report's order; PARTIR_NONE: not asked for */
    const char *value;   /* an argument, result, tag or loc/… path, or a pattern of such; NULL: not asked for */
    const char *line;    /* FILE:LINE as the report has it, or the end of it; NULL: not asked for */
    int full;            /* non-zero: every step, not only the first and the last */
} partir_why_query;
PARTIR_API partir_status partir_partition_why(partir_partition *p, const partir_why_query *query, partir_text **out);

/* Changes to the schedule that remove a collective, a conflict or a race, or that tile an op which every device runs whole. Each is tried
 * on the whole program, and comes with the bytes that a step sends and, with a device, its time and memory. The question is as above;
 * without one, it is about the largest collective, conflicts, and the largest op that is whole. The partition does not change. */
typedef struct partir_fix_query {
    size_t size;
    uint32_t collective; /* PARTIR_NONE: not asked for */
    const char *value, *line;
    const char *device; /* as for partir_partition_simulate; NULL: the partition's, if it has one */
    uint32_t tries;     /* at most so many different programs for each problem; 0: 200 */
    int json;           /* non-zero: as JSON, with whole schedules; otherwise text with lines to paste */
} partir_fix_query;
PARTIR_API partir_status partir_partition_fixes(partir_partition *p, const partir_fix_query *query, partir_text **out);

/* Checks `deny` and `expect` statements of the schedule's language on the present program; those of the schedule itself are checked with
 * its last tactic. PARTIR_ILLEGAL, with a diagnostic for each statement that does not hold. */
PARTIR_API partir_status partir_partition_demand(partir_partition *p, const char *demands);

/* Checks that the program has the collectives of an earlier report: equal in kind, axes, tactic, path, what they serve, runs and bytes;
 * numbers of layers and lines do not count. `text` is the report's JSON, or NULL for the file of that name. PARTIR_ILLEGAL, with a
 * diagnostic of all collectives that came, went or changed, and why the first is there. */
PARTIR_API partir_status partir_partition_expect(partir_partition *p, const char *name, const char *text);
/* The collectives that came, went and changed between two reports in JSON, and how that changes a step; `*differs` says whether there are
 * any. For a text that is NULL, the file of that name is read. */
PARTIR_API partir_status partir_report_diff(partir_context *ctx, const char *name_a, const char *text_a, const char *name_b,
                                            const char *text_b, int *differs, partir_text **out);

/* ---- Simulation ----------------------------------------------------------------------------------------------------------------- */

typedef enum partir_simulation_format {
    PARTIR_SIMULATION_TABLE,
    PARTIR_SIMULATION_JSON,
    PARTIR_SIMULATION_TRACE /* of the present program, for Perfetto or chrome://tracing */
} partir_simulation_format;

/* Time and memory of a step on a device, one of `partir_devices` or a file of that form; NULL: the partition's. There is a row for the
 * program before all tactics, and one after each applied tactic. */
PARTIR_API partir_status partir_partition_simulate(partir_partition *p, const char *device,
                                                   partir_simulation_format format, partir_text **out);

/* The simulator's program after some of its passes, as text for people. `passes`: names from `partir_simulation_pass`, with commas between
 * them. The form of the text is not part of the stable interface. */
PARTIR_API partir_status partir_partition_dump(partir_partition *p, const char *device, const char *passes,
                                               partir_text **out);
/* The name of a pass, in the order in which they run; NULL after the last. */
PARTIR_API const char *partir_simulation_pass(uint32_t index);

typedef struct partir_cost {
    size_t size;
    double seconds; /* of a step; a lower bound if not complete */
    double compute, communication, exposed;
    double peak;  /* bytes on each device */
    int complete; /* 0: a step takes longer than the given limit, and its memory was not computed */
    double peak_most; /* bytes, if the compiler gives temporaries the default layout, in padded tiles */
} partir_cost;

/* The cost of the present program. */
PARTIR_API partir_status partir_partition_cost(partir_partition *p, const char *device, partir_cost *out);

/* ---- Trials --------------------------------------------------------------------------------------------------------------------- */

/* For a search, which asks thousands of times: which time and memory would a step take on this device, if this were tiled too?
 *
 *     partir_trials *t;
 *     partir_trials_create(p, "tpu_v5e", &t);
 *     uint32_t mark = partir_trials_mark(t);
 *     if (partir_trials_tile(t, w1, 1, model) == PARTIR_OK && partir_trials_evaluate(t, best, &cost) == PARTIR_OK) …
 *     partir_trials_undo(t, mark);
 *     partir_trials_commit(t, "MP");
 *
 * An evaluation lowers only the ops that differ from a base, the program at partir_trials_create or at the last partir_trials_rebase. The
 * figures are those of partir_partition_cost.
 * Until the trials are destroyed the partition takes no other tactic (PARTIR_MISUSE), and its reports show the tried program. Destroying
 * them undoes what they did since the last commit. */
typedef struct partir_trials partir_trials;

/* `device` is as for partir_partition_simulate. A partition has at most one set of trials at a time. */
PARTIR_API partir_status partir_trials_create(partir_partition *p, const char *device, partir_trials **out);
PARTIR_API void partir_trials_destroy(partir_trials *t);

/* Tiles a dimension of a value on an axis, and propagates. PARTIR_ILLEGAL: it cannot be tiled in this way, and nothing has changed;
 * partir_partition_legality answers the same without a diagnostic. */
PARTIR_API partir_status partir_trials_tile(partir_trials *t, partir_value value, uint32_t dimension, uint32_t axis);
PARTIR_API partir_status partir_trials_atomic(partir_trials *t, partir_value value, uint32_t axis);
/* A set of values, each on its dimension (or PARTIR_ATOMIC), with one propagation; all of them or none. */
PARTIR_API partir_status partir_trials_tile_set(partir_trials *t, const partir_value *values,
                                                const uint32_t *dimensions, uint32_t count, uint32_t axis);
/* The present state as a mark; partir_trials_undo returns to it. */
PARTIR_API uint32_t partir_trials_mark(const partir_trials *t);
PARTIR_API void partir_trials_undo(partir_trials *t, uint32_t mark);

/* The cost of the present program. If a step takes more seconds than `longest` (the time of the best plan so far), its memory is not
 * computed; with INFINITY it always is. */
PARTIR_API partir_status partir_trials_evaluate(partir_trials *t, double longest, partir_cost *out);
/* Makes the present program the base. */
PARTIR_API partir_status partir_trials_rebase(partir_trials *t);
/* Makes what was done a tactic of this name, as if it had been applied; partir_partition_tactic has its text. If one propagation does not
 * lead to the same state as several, it becomes several tactics, called NAME, NAME_2, … */
PARTIR_API partir_status partir_trials_commit(partir_trials *t, const char *name);

/* ---- Devices -------------------------------------------------------------------------------------------------------------------- */

typedef struct partir_device_info {
    size_t size;
    const char *name;
    double memory;    /* bytes */
    double bandwidth; /* of it, bytes a second */
    double peak;      /* FLOP/s of 16-bit matrix products */
} partir_device_info;

/* Devices that are built in. Static storage. */
PARTIR_API uint32_t partir_device_count(void);
PARTIR_API partir_status partir_device(partir_context *ctx, uint32_t index, partir_device_info *out);
/* A device in its file form, built in or read from a file; NULL: a table of those that are built in. */
PARTIR_API partir_status partir_devices(partir_context *ctx, const char *name, partir_text **out);

#ifdef __cplusplus
}
#endif

#endif
