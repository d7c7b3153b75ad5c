// partir: finds the command, reads its options, shows help and diagnostics.
#include "tool/command.h"
#include "support/nearest.h"
#include "support/platform.h"
#include "support/text.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const Command *const commands[] = {
#define C(name) &command_##name,
    COMMANDS(C)
#undef C
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

// ---- Help -----------------------------------------------------------------------------------------------------------

static void print_usage(FILE *out) {
    fprintf(out, "partir: shard a StableHLO program over a mesh of devices by a schedule of tactics\n\n"
                 "usage: partir COMMAND [OPTION…] FILE…\n\n");
    for (int i = 0; i < N_COMMANDS; i++) fprintf(out, "  %-12s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(
        out,
        "\n  --help       this text; partir COMMAND --help for a command's own\n"
        "  --version    the version\n\n"
        "FILE may be - for standard input. Exit status: 0 done, 1 error in the input, 2 error in the command line.\n");
}

// In columns of a terminal: a character has one byte that is no continuation of UTF-8.
static int columns_of(const Option *o) {
    int n = 2;
    for (const char *p = o->name; *p; p++) n++;
    for (const char *p = o->value ? o->value : ""; *p; p++) n += (*p & 0xc0) != 0x80;
    return n + (o->value != NULL);
}

static void print_command_help(const Command *c) {
    static const Option help = {"--help", NULL, "this text"};
    printf("usage: partir %s [OPTION…] %s\n\n%s\n\n", c->name, c->arguments, c->summary);
    int widest = columns_of(&help);
    for (int i = 0; i < c->n_options; i++)
        if (columns_of(&c->options[i]) > widest) widest = columns_of(&c->options[i]);
    for (int i = 0; i <= c->n_options; i++) {
        const Option *o = i < c->n_options ? &c->options[i] : &help;
        printf("  %s%s%s%*s%s\n", o->name, o->value ? " " : "", o->value ? o->value : "", widest - columns_of(o) + 2, "", o->help);
    }
}

// ---- Messages -------------------------------------------------------------------------------------------------------

void tell(const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = n < 0 ? NULL : malloc((size_t)n + 1);
    if (!text) {
        fputs("partir: out of memory\n", stderr);
        return;
    }
    va_start(args, format);
    vsnprintf(text, (size_t)n + 1, format, args);
    va_end(args);
    text_make_printable(text, (size_t)n, true);
    fputs(text, stderr);
    free(text);
}

// ---- Did you mean ---------------------------------------------------------------------------------------------------

static int unknown(const char *what, const char *word, const char *const *names, int n, const char *help) {
    const char *near = nearest_name(span_of(word), names, (uint32_t)n);
    tell("partir: unknown %s '%s'", what, word);
    if (near) tell("; did you mean '%s'?", near);
    tell("\n    hint: %s\n", help);
    return EXIT_USAGE;
}

// ---- Options --------------------------------------------------------------------------------------------------------

// `word` names the option, wholly or up to a '='.
static bool is_option(const Option *o, const char *word) {
    size_t n = strlen(o->name);
    return strncmp(word, o->name, n) == 0 && (word[n] == 0 || (word[n] == '=' && n > 2));
}

static int unknown_option(const Command *c, const char *word) {
    const char *names[MAX_OPTIONS + 1] = {"--help"};
    char help[64];
    for (int i = 0; i < c->n_options; i++) names[i + 1] = c->options[i].name;
    snprintf(help, sizeof help, "partir %s --help lists the options", c->name);
    return unknown("option", word, names, c->n_options + 1, help);
}

static bool may_repeat(const Option *o) {
    size_t n = o->value ? strlen(o->value) : 0, dots = strlen("…");
    return n > dots && strcmp(o->value + n - dots, "…") == 0;
}

static void add_file(Args *a, const char *file, const Option *option) {
    a->files[a->n_files] = file;
    a->file_option[a->n_files++] = option;
}

// One option at argv[*i]; moves *i past its value.
static int read_option(const Command *c, Args *a, int argc, char **argv, int *i) {
    const char *word = argv[*i];
    int k = 0;
    while (k < c->n_options && !is_option(&c->options[k], word)) k++;
    if (k == c->n_options) return unknown_option(c, word);
    const Option *o = &c->options[k];
    const char *equals = word[strlen(o->name)] == '=' ? word + strlen(o->name) + 1 : NULL;
    if (equals && !o->value) {
        tell("partir: option '%s' takes no value\n", o->name);
        return EXIT_USAGE;
    }
    if (o->value && !equals && *i + 1 == argc) {
        tell("partir: option '%s' needs a value: %s\n", o->name, o->value);
        return EXIT_USAGE;
    }
    a->given[k] = true;
    if (o->value) a->value[k] = equals ? equals : argv[++*i];
    if (may_repeat(o)) add_file(a, a->value[k], o);
    return EXIT_OK;
}

// `files` has room for all of argv.
static int read_args(const Command *c, Args *a, int argc, char **argv) {
    bool options = true;
    for (int i = 0; i < argc; i++) {
        if (options && strcmp(argv[i], "--") == 0) {
            options = false;
        } else if (options && argv[i][0] == '-' && argv[i][1]) {
            int status = read_option(c, a, argc, argv, &i);
            if (status != EXIT_OK) return status;
        } else {
            add_file(a, argv[i], NULL);
        }
    }
    return EXIT_OK;
}

static bool is_output(const Option *o) { return o->value && strcmp(o->value, "OUT") == 0; }

// No two outputs go to one file: the second would silently replace the first.
static int check_outputs(const Command *c, const Args *a) {
    for (int i = 0; i < c->n_options; i++)
        for (int k = 0; k < i; k++)
            if (is_output(&c->options[i]) && is_output(&c->options[k]) && a->given[i] && a->given[k] &&
                platform_same_file(a->value[i], a->value[k])) {
                tell("partir: %s and %s would write the same file: %s\n", c->options[k].name,
                        c->options[i].name, a->value[i]);
                return EXIT_USAGE;
            }
    return EXIT_OK;
}

static int check_files(const Command *c, const Args *a) {
    int plain = 0;
    for (int i = 0; i < a->n_files; i++) plain += !a->file_option[i];
    if (plain >= c->min_files && plain <= c->max_files) return EXIT_OK;
    tell("partir: %s: %s\n    hint: usage: partir %s [OPTION…] %s\n", c->name,
            plain < c->min_files ? "a file is missing" : "too many files", c->name, c->arguments);
    return EXIT_USAGE;
}

// ---- Names ----------------------------------------------------------------------------------------------------------

void put_value_name(FILE *out, const char *name, int width) {
    int n = (int)strlen(name);
    for (int i = 0; i < n;) {
        char part[256 + 4] = "";
        int k = 0;
        while (i < n && (k < 256 || ((unsigned char)name[i] & 0xc0) == 0x80) && k < 259) part[k++] = name[i++];
        text_make_printable(part, (size_t)k, false);
        fputs(part, out);
    }
    fprintf(out, "%*s", width > n ? width - n : 0, "");
}

// ---- Running --------------------------------------------------------------------------------------------------------

typedef struct Console {
    int color;
    Progress progress;
} Console;

static void show_diagnostic(void *user, const partir_diagnostic *d) {
    Console *c = user;
    char text[8192];
    partir_diagnostic_format(d, c->color, text, sizeof text);
    progress_clear(&c->progress);
    fputs(text, stderr);
}

static int show_progress(void *user, const char *what, uint64_t done, uint64_t total) {
    return progress_show(&((Console *)user)->progress, what, done, total);
}

static int run_command(const Command *c, int argc, char **argv) {
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0) {
            print_command_help(c);
            return EXIT_OK;
        }
    bool terminal = platform_is_terminal(2);
    Console console = {terminal && !getenv("NO_COLOR"), {.terminal = terminal}};
    Args a = {.progress = &console.progress, .files = malloc(((size_t)argc + 1) * sizeof *a.files)};
    a.file_option = malloc(((size_t)argc + 1) * sizeof *a.file_option);
    partir_options options = {
        .size = sizeof options, .user = &console, .diagnostic = show_diagnostic, .progress = show_progress};
    partir_context_create(&options, &a.ctx);
    int status = EXIT_ERROR;
    if (a.files && a.file_option && a.ctx) {
        status = read_args(c, &a, argc, argv);
        if (status == EXIT_OK) status = check_files(c, &a);
        if (status == EXIT_OK) status = check_outputs(c, &a);
        if (status == EXIT_OK) status = c->run(&a);
    } else {
        tell("partir: out of memory\n");
    }
    partir_context_destroy(a.ctx);
    free(a.files);
    free(a.file_option);
    return status;
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_usage(stdout);
        return EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("partir %s\n", partir_version());
        return EXIT_OK;
    }
    const char *names[N_COMMANDS];
    for (int i = 0; i < N_COMMANDS; i++) {
        if (strcmp(argv[1], commands[i]->name) == 0) return run_command(commands[i], argc - 2, argv + 2);
        names[i] = commands[i]->name;
    }
    return unknown("command", argv[1], names, N_COMMANDS, "partir --help lists the commands");
}

int main(int argc, char **argv) {
    int status = dispatch(argc, argv);
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    tell("partir: error: cannot write standard output: %s\n", strerror(errno));
    return EXIT_ERROR;
}
