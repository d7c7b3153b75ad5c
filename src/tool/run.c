// partir run: executes @main in the interpreter, on arguments from NumPy files or at random, on one device or many.
//
//     partir run step.mlir --in params.npz --in x.npy --out results        results/out.0.npy, …
//     partir run step.mlir --random 1 --devices 8                          the results as text
#include "tool/command.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { IN, RANDOM, OUT, DEVICES, MAX_MEMORY, MAX_STEPS };
static const Option options[] = {
    [IN] = {"--in", "FILE…", "arguments: .npy files in order, or .npz files by name"},
    [RANDOM] = {"--random", "SEED", "small random numbers for the arguments that are not given"},
    [OUT] = {"--out", "OUT", "write results as .npy files into this folder, or into this .npz file"},
    [DEVICES] = {"--devices", "N", "simulate N devices (RxN: R replicas of N); the default is what the module says"},
    [MAX_MEMORY] = {"--max-memory", "BYTES", "stop when tensors take more (K, M, G at the end; default 4G)"},
    [MAX_STEPS] = {"--max-steps", "N", "stop after so many ops (default 100000000)"},
};

// The digits at *text, which moves behind them. False if there are none, or if they are more than `most`.
static bool read_digits(const char **text, uint64_t most, uint64_t *n) {
    const char *start = *text;
    for (*n = 0; **text >= '0' && **text <= '9'; ++*text) {
        uint64_t digit = (uint64_t)(**text - '0');
        if (*n > (most - digit) / 10) return false;
        *n = *n * 10 + digit;
    }
    return *text > start;
}

// A whole number, `least` or more, with an optional K, M or G.
static bool read_number(const char *name, const char *text, uint64_t least, uint64_t *n) {
    const char *end = text;
    bool good = read_digits(&end, UINT64_MAX, n);
    int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    if (!good || end[shift != 0] || *n > UINT64_MAX >> shift || *n < least) {
        tell("partir: option '%s' needs a number%s below 2^64 such as 100 or 4G, not '%s'\n", name,
             least ? " above 0 and" : "", text);
        return false;
    }
    *n <<= shift;
    return true;
}

enum { MAX_DEVICES = 65536 };

// 8, or 2x4.
static bool read_devices(const char *text, partir_run_options *o) {
    const char *end = text;
    uint64_t first = 0, second = 1;
    bool good = read_digits(&end, MAX_DEVICES, &first), grid = good && *end == 'x';
    if (grid) {
        end++;
        good = read_digits(&end, MAX_DEVICES, &second);
    }
    if (!good || *end || first * second < 1 || first * second > MAX_DEVICES) {
        tell("partir: option '--devices' needs a number or RxN, 1 to %d in all, not '%s'\n", MAX_DEVICES,
                text);
        return false;
    }
    o->devices = (uint32_t)(first * second);
    o->replicas = grid ? (uint32_t)first : 0;
    return true;
}

static bool is_array_file(const char *name) {
    size_t n = strlen(name);
    return n > 4 && (strcmp(name + n - 4, ".npy") == 0 || strcmp(name + n - 4, ".npz") == 0);
}

static void list_arguments(const char *file, const partir_module *m) {
    uint32_t n = partir_module_argument_count(m);
    tell("partir: %s needs %" PRIu32 " argument%s:\n", file, n, n == 1 ? "" : "s");
    for (uint32_t i = 0; i < n; i++) {
        partir_value_info v = {.size = sizeof v};
        partir_module_argument(m, i, &v);
        tell("  %" PRIu32 "  ", i);
        put_value_name(stderr, v.name, 0);
        tell("  ");
        for (uint32_t d = 0; d < v.rank; d++) {
            if (v.shape[d] < 0)
                tell("?x");
            else
                tell("%" PRId64 "x", v.shape[d]);
        }
        tell("%s\n", v.type);
    }
    tell("    hint: give them with --in x.npy …, --in args.npz or --random SEED\n");
}

static int execute(const Args *a, const char *file, partir_module *m, partir_run *r) {
    for (int i = 0; i < a->n_files; i++)
        if (a->files[i] != file && partir_run_read_arguments(r, a->files[i]) != PARTIR_OK) return EXIT_ERROR;
    if (a->given[RANDOM]) {
        uint64_t seed;
        if (!read_number("--random", a->value[RANDOM], 0, &seed)) return EXIT_USAGE;
        if (partir_run_random_arguments(r, seed) != PARTIR_OK) return EXIT_ERROR;
    }
    if (partir_run_missing_arguments(r)) {
        list_arguments(file, m);
        return EXIT_USAGE;
    }
    progress_begin(a->progress, false);
    partir_status status = partir_run_execute(r);
    progress_end(a->progress);
    if (status != PARTIR_OK) return EXIT_ERROR;
    if (a->given[OUT]) return partir_run_write_results(r, a->value[OUT]) == PARTIR_OK ? EXIT_OK : EXIT_ERROR;
    partir_text *text;
    if (partir_run_print_results(r, &text) == PARTIR_OK)
        fwrite(partir_text_data(text), 1, partir_text_size(text), stdout);
    partir_text_destroy(text);
    return text ? EXIT_OK : EXIT_ERROR;
}

static int run_module(const Args *a, const char *file, const partir_run_options *o, partir_module *m) {
    partir_run *r = NULL;
    int status = m && partir_run_create(m, o, &r) == PARTIR_OK ? execute(a, file, m, r) : EXIT_ERROR;
    partir_run_destroy(r);
    partir_module_destroy(m);
    return status;
}

// ---- Files of several modules ---------------------------------------------------------------------------------------

static const char divider[] = "// -----";

// The line after the next divider, or NULL.
static char *next_part(char *text) {
    for (char *p = text; (p = strstr(p, divider)); p++)
        if (p == text || p[-1] == '\n') {
            *p = 0;
            char *end = strchr(p + 1, '\n');
            return end ? end + 1 : NULL;
        }
    return NULL;
}

// The whole file with a NUL at its end; NULL if it cannot be read as one.
static char *read_whole(const char *file) {
    FILE *f = strcmp(file, "-") == 0 ? NULL : fopen(file, "rb");
    char *text = NULL;
    long size = 0;
    if (f && fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0) {
        text = malloc((size_t)size + 1);
        if (text) text[fread(text, 1, (size_t)size, f)] = 0;
    }
    if (f) fclose(f);
    return text;
}

// Test programs of StableHLO hold several modules in a file, with a divider between them. Each is read behind as many
// empty lines as stand before it, so that messages name the right line.
static int run_parts(const Args *a, const char *file, const partir_run_options *o, char *text) {
    int status = EXIT_OK;
    size_t lines = 0;
    for (char *part = text, *next; part && status == EXIT_OK; part = next) {
        size_t before = lines, n;
        next = next_part(part);
        n = strlen(part);
        for (const char *p = part; p < (next ? next : part + n); p++) lines += *p == '\n';
        char *padded = malloc(before + n + 1);
        if (!padded) return EXIT_ERROR;
        memset(padded, '\n', before);
        memcpy(padded + before, part, n + 1);
        partir_module *m;
        partir_module_read_text(a->ctx, file, padded, before + n, &m);
        status = run_module(a, file, o, m);
        free(padded);
    }
    return status;
}

static int run(const Args *a) {
    partir_run_options o = {.size = sizeof o};
    const char *file = NULL;
    for (int i = 0; i < a->n_files; i++) {
        if (a->file_option[i] || is_array_file(a->files[i])) continue;
        if (file) {
            tell("partir: run: one program at a time, not '%s' and '%s'\n", file, a->files[i]);
            return EXIT_USAGE;
        }
        file = a->files[i];
    }
    if (!file) {
        tell("partir: run: a program is missing\n    hint: usage: partir run [OPTION…] FILE\n");
        return EXIT_USAGE;
    }
    if (a->given[DEVICES] && !read_devices(a->value[DEVICES], &o)) return EXIT_USAGE;
    if (a->given[MAX_MEMORY] && !read_number("--max-memory", a->value[MAX_MEMORY], 1, &o.max_memory)) return EXIT_USAGE;
    if (a->given[MAX_STEPS] && !read_number("--max-steps", a->value[MAX_STEPS], 1, &o.max_steps)) return EXIT_USAGE;
    char *text = read_whole(file);
    int status;
    if (text && strstr(text, divider)) {
        status = run_parts(a, file, &o, text);
    } else {
        partir_module *m;
        partir_module_read_file(a->ctx, file, &m);
        status = run_module(a, file, &o, m);
    }
    free(text);
    return status;
}

const Command command_run = {
    "run", "FILE", "execute a module in the interpreter, on simulated devices", options, 6, 1, ANY_NUMBER, run};
