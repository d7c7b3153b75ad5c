// Runs the C tests: text cases and unit-test programs, several at a time, and prints one closing line with the totals.
//
//     run [--update] [--jobs N] [--partir BUILD/partir] PATH…
//     run --extract FOLDER PATH…
//
// A PATH is a folder (all its *.test files), one *.test file, or a unit-test program. `--partir` says which command the
// cases after it run. A case is one text file that holds everything about it:
//
//     What the case shows, in a line or two.
//     --- cmd
//     partir check m.mlir
//     --- file m.mlir
//     module { … }
//     --- stdout
//     ok
//     --- stderr
//     --- exit
//     0
//
// The command is a shell script that runs in a fresh folder which holds the case's files, with `partir` on the PATH and
// $ROOT naming the top of the tree. An expectation that is left out means: nothing printed, exit status 0. The last line
// of a text ends with a newline unless `\ no newline` follows it. `--update` rewrites the expectations to what happened;
// `--extract` runs nothing and writes the *.mlir files of all cases into a folder, as seeds for fuzzing.
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_SECTIONS = 32, MAX_SLOTS = 64, TIMEOUT_SECONDS = 600 };

typedef struct {
    char *data;
    size_t size;
} Text;

typedef struct {
    const char *header; // e.g. "file m.mlir", points into the case's text
    int header_size;
    Text body;
} Section;

typedef struct {
    char *path;
    const char *partir; // the command for a case; NULL: the path is a unit-test program
} Test;

typedef struct {
    pid_t pid; // 0: the slot is free
    time_t start;
    const Test *test;
    char folder[PATH_MAX];
} Slot;

typedef struct {
    Test *tests;
    size_t count, capacity;
    Slot slots[MAX_SLOTS];
    int jobs;
    bool update;
    int passed, failed, updated;
    char root[PATH_MAX];
} Runner;

static void die(const char *what) {
    fprintf(stderr, "run: %s: %s\n", what, strerror(errno));
    exit(2);
}

static void *grow(void *memory, size_t size) {
    memory = realloc(memory, size);
    if (!memory) die("memory");
    return memory;
}

static char *format(const char *pattern, ...) {
    char buffer[PATH_MAX * 2];
    va_list arguments;
    va_start(arguments, pattern);
    int size = vsnprintf(buffer, sizeof buffer, pattern, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= sizeof buffer) die("name too long");
    return strcpy(grow(NULL, (size_t)size + 1), buffer);
}

// ---- Files ----------------------------------------------------------------------------------------------------------

static Text read_file(const char *path) {
    Text text = {grow(NULL, 1), 0};
    FILE *file = fopen(path, "rb");
    if (!file) return text;
    for (size_t got = 1; got;) {
        text.data = grow(text.data, text.size + 65536 + 1);
        got = fread(text.data + text.size, 1, 65536, file);
        text.size += got;
    }
    text.data[text.size] = 0;
    fclose(file);
    return text;
}

static void write_file(const char *path, Text text) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(text.data, 1, text.size, file) != text.size || fclose(file)) die(path);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk) {
    (void)status, (void)kind, (void)walk;
    return remove(path);
}

static void remove_folder(const char *path) { nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS); }

static Text read_in(const char *folder, const char *name) {
    char *path = format("%s/%s", folder, name);
    Text text = read_file(path);
    free(path);
    return text;
}

// What the sanitizers wrote, if anything: they log to files, so that no pipe in a case's command can hide a finding.
static Text read_findings(const char *folder) {
    Text findings = {grow(NULL, 1), 0};
    DIR *entries = opendir(folder);
    if (!entries) die(folder);
    for (struct dirent *entry; !findings.size && (entry = readdir(entries));)
        if (!strncmp(entry->d_name, "sanitizer.", 10)) {
            free(findings.data);
            findings = read_in(folder, entry->d_name);
        }
    closedir(entries);
    return findings;
}

// ---- Cases as text --------------------------------------------------------------------------------------------------

static bool is_section(const char *line, const char *end) {
    static const char *const names[] = {"cmd", "stdout", "stderr", "exit", "file "};
    if (end - line < 5 || memcmp(line, "--- ", 4) != 0) return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(line + 4, names[i], strlen(names[i]))) return true;
    return false;
}

// Splits a case at its headers; the text before the first one is the comment.
static int split_case(Text text, Section sections[MAX_SECTIONS], Text *comment) {
    static const char no_newline[] = "\\ no newline\n";
    int count = 0;
    *comment = (Text){text.data, 0};
    Text *body = comment;
    for (char *line = text.data, *end = text.data + text.size; line < end;) {
        char *newline = memchr(line, '\n', (size_t)(end - line));
        char *next = newline ? newline + 1 : end;
        if (is_section(line, next) && count < MAX_SECTIONS) {
            Section *section = &sections[count++];
            *section = (Section){line + 4, (int)((newline ? newline : end) - (line + 4)), {next, 0}};
            body = &section->body;
        } else if (count && body->size && (size_t)(next - line) == sizeof no_newline - 1 &&
                   !memcmp(line, no_newline, sizeof no_newline - 1)) {
            body->size--;
        } else {
            body->size += (size_t)(next - line);
        }
        line = next;
    }
    return count;
}

static bool named(const Section *section, const char *name) {
    return section->header_size == (int)strlen(name) && !memcmp(section->header, name, strlen(name));
}

static Text find_section(const Section *sections, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (named(&sections[i], name)) return sections[i].body;
    return (Text){"", 0};
}

static void write_section(FILE *file, const char *header, int header_size, Text body) {
    fprintf(file, "--- %.*s\n", header_size, header);
    fwrite(body.data, 1, body.size, file);
    if (body.size && body.data[body.size - 1] != '\n') fputs("\n\\ no newline\n", file);
}

static void write_case(const char *path, Text comment, const Section *sections, int count, Text out, Text err,
                       int status) {
    FILE *file = fopen(path, "wb");
    if (!file) die(path);
    fwrite(comment.data, 1, comment.size, file);
    for (int i = 0; i < count; i++)
        if (named(&sections[i], "cmd") || !strncmp(sections[i].header, "file ", 5))
            write_section(file, sections[i].header, sections[i].header_size, sections[i].body);
    if (out.size) write_section(file, "stdout", 6, out);
    if (err.size) write_section(file, "stderr", 6, err);
    if (status) fprintf(file, "--- exit\n%d\n", status);
    if (fclose(file)) die(path);
}

// ---- Differences ----------------------------------------------------------------------------------------------------

static size_t line_size(Text text) {
    const char *newline = text.size ? memchr(text.data, '\n', text.size) : NULL;
    return newline ? (size_t)(newline - text.data) + 1 : text.size;
}

static void print_lines(char mark, Text text, int limit) {
    for (; text.size; limit--) {
        if (!limit) {
            printf("  %c …\n", mark);
            return;
        }
        size_t size = line_size(text);
        bool ends = text.data[size - 1] == '\n';
        printf("  %c %.*s%s", mark, (int)(size > 400 ? 400 : size - ends), text.data,
               ends ? "\n" : "\n  \\ no newline\n");
        text = (Text){text.data + size, text.size - size};
    }
}

// Prints the lines in which two texts differ, between their common beginning and their common end.
static bool same(const char *what, Text expected, Text actual) {
    if (expected.size == actual.size && !memcmp(expected.data, actual.data, actual.size)) return true;
    int line = 1;
    for (size_t size; (size = line_size(expected)) && size == line_size(actual); line++) {
        if (memcmp(expected.data, actual.data, size) != 0) break;
        expected = (Text){expected.data + size, expected.size - size};
        actual = (Text){actual.data + size, actual.size - size};
    }
    size_t tail = 0, common = 0; // common: the part of the tail that consists of whole lines
    while (tail < expected.size && tail < actual.size &&
           expected.data[expected.size - tail - 1] == actual.data[actual.size - tail - 1]) {
        if (tail && expected.data[expected.size - tail - 1] == '\n') common = tail;
        tail++;
    }
    if (common) expected.size -= common, actual.size -= common;
    printf("  %s differs at its line %d (- expected, + actual)\n", what, line);
    print_lines('-', expected, 20);
    print_lines('+', actual, 20);
    return false;
}

// ---- Running --------------------------------------------------------------------------------------------------------

static void redirect(const char *path, int flags, int descriptor) {
    int file = open(path, flags, 0644);
    if (file < 0 || dup2(file, descriptor) < 0) _exit(126);
    close(file);
}

// The child: never returns. Output goes to files beside the case's folder, not in it, so that a command sees its own files only.
static void run_child(const Runner *runner, const Slot *slot, const char *command) {
    setpgid(0, 0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setenv("ROOT", runner->root, 1);
    setenv("LC_ALL", "C", 1);
    char *log =
        format("log_path=%s/sanitizer:exitcode=99:print_stacktrace=1:allocator_may_return_null=1", slot->folder);
    setenv("ASAN_OPTIONS", log, 1);
    setenv("UBSAN_OPTIONS", log, 1);
    char *out = format("%s/stdout", slot->folder), *err = format("%s/stderr", slot->folder);
    redirect("/dev/null", O_RDONLY, 0);
    redirect(out, O_WRONLY | O_CREAT | O_TRUNC, 1);
    redirect(err, O_WRONLY | O_CREAT | O_TRUNC, 2);
    if (!slot->test->partir) {
        dup2(1, 2);
        execl(slot->test->path, slot->test->path, (char *)NULL);
        _exit(127);
    }
    char *files = format("%s/files", slot->folder);
    if (chdir(files)) _exit(126);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static void start(Runner *runner, Slot *slot, const Test *test) {
    const char *temporary = getenv("TMPDIR");
    snprintf(slot->folder, sizeof slot->folder, "%s/partir-test-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(slot->folder)) die(slot->folder);
    char *files = format("%s/files", slot->folder);
    if (mkdir(files, 0755)) die(files);
    free(files);

    char *command = NULL;
    if (test->partir) {
        Text text = read_file(test->path), comment;
        Section sections[MAX_SECTIONS];
        int count = split_case(text, sections, &comment);
        for (int i = 0; i < count; i++)
            if (!strncmp(sections[i].header, "file ", 5)) {
                char *path = format("%s/files/%.*s", slot->folder, sections[i].header_size - 5, sections[i].header + 5);
                write_file(path, sections[i].body);
                free(path);
            }
        Text script = find_section(sections, count, "cmd");
        const char *slash = strrchr(test->partir, '/');
        char *path = format("PATH=%.*s:$PATH\n", (int)(slash - test->partir), test->partir);
        command = grow(NULL, strlen(path) + script.size + 1);
        memcpy(command, path, strlen(path));
        memcpy(command + strlen(path), script.data, script.size);
        command[strlen(path) + script.size] = 0;
        free(path);
        free(text.data);
    }
    fflush(stdout);
    slot->test = test;
    slot->start = time(NULL);
    slot->pid = fork();
    if (slot->pid < 0) die("fork");
    if (!slot->pid) run_child(runner, slot, command);
    free(command);
}

static void judge_case(Runner *runner, const Slot *slot, int status) {
    Text text = read_file(slot->test->path), comment;
    Text out = read_in(slot->folder, "stdout"), err = read_in(slot->folder, "stderr");
    Text findings = read_findings(slot->folder);
    Section sections[MAX_SECTIONS];
    int count = split_case(text, sections, &comment);
    Text script = find_section(sections, count, "cmd");
    Text want_out = find_section(sections, count, "stdout"), want_err = find_section(sections, count, "stderr");
    int want_status = atoi(find_section(sections, count, "exit").data);

    if (!script.size) printf("  no `--- cmd` section\n");
    if (findings.size) print_lines('!', findings, 40);
    bool good = script.size && !findings.size;
    if (good && runner->update) {
        bool changed = want_status != status || want_out.size != out.size || want_err.size != err.size ||
                       memcmp(want_out.data, out.data, out.size) != 0 || memcmp(want_err.data, err.data, err.size) != 0;
        if (changed) {
            write_case(slot->test->path, comment, sections, count, out, err, status);
            printf("updated %s\n", slot->test->path);
            runner->updated++;
        }
    } else if (good) {
        good = same("standard output", want_out, out);
        good = same("standard error", want_err, err) && good;
        if (status != want_status) {
            printf("  exit status is %d, expected %d\n", status, want_status);
            good = false;
        }
    }
    if (!good) printf("FAIL %s (with %s)\n", slot->test->path, slot->test->partir);
    *(good ? &runner->passed : &runner->failed) += 1;
    free(text.data), free(out.data), free(err.data), free(findings.data);
}

// A unit-test program ends with "N passed, M failed"; one that does not has crashed.
static void judge_unit(Runner *runner, const Slot *slot, int status) {
    Text out = read_in(slot->folder, "stdout");
    Text findings = read_findings(slot->folder);
    int passed = 0, failed = 0;
    size_t last = out.size;
    while (last > 1 && out.data[last - 2] != '\n') last--;
    bool ended = out.size && sscanf(out.data + last - 1, "%d passed, %d failed", &passed, &failed) == 2;
    if (!ended) failed = 1;
    if (ended && !failed && (status || findings.size)) failed = 1;
    if (failed) {
        print_lines(' ', out, 60);
        print_lines('!', findings, 60);
        printf("FAIL %s (exit status %d)\n", slot->test->path, status);
    }
    runner->passed += passed;
    runner->failed += failed;
    free(out.data), free(findings.data);
}

static void finish(Runner *runner, Slot *slot, int wait_status) {
    // As the shell says it: a signal is 128 + its number.
    int status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
    (slot->test->partir ? judge_case : judge_unit)(runner, slot, status);
    remove_folder(slot->folder);
    slot->pid = 0;
}

static void wait_for_one(Runner *runner) {
    for (;;) {
        int status;
        pid_t pid = waitpid(-1, &status, WNOHANG);
        for (int i = 0; i < runner->jobs && pid > 0; i++)
            if (runner->slots[i].pid == pid) {
                finish(runner, &runner->slots[i], status);
                return;
            }
        for (int i = 0; i < runner->jobs; i++)
            if (runner->slots[i].pid && time(NULL) - runner->slots[i].start > TIMEOUT_SECONDS) {
                printf("  no end after %d seconds\n", TIMEOUT_SECONDS);
                kill(-runner->slots[i].pid, SIGKILL);
                runner->slots[i].start = time(NULL);
            }
        sigset_t child;
        sigemptyset(&child);
        sigaddset(&child, SIGCHLD);
        if (pid <= 0) sigtimedwait(&child, NULL, &(struct timespec){1, 0});
    }
}

static bool any_running(const Runner *runner) {
    for (int i = 0; i < runner->jobs; i++)
        if (runner->slots[i].pid) return true;
    return false;
}

static void run_all(Runner *runner) {
    for (size_t next = 0; next < runner->count || any_running(runner);) {
        Slot *free_slot = NULL;
        for (int i = 0; i < runner->jobs; i++)
            if (!runner->slots[i].pid) free_slot = &runner->slots[i];
        if (free_slot && next < runner->count)
            start(runner, free_slot, &runner->tests[next++]);
        else
            wait_for_one(runner);
    }
}

// ---- Collecting -----------------------------------------------------------------------------------------------------

static void add_test(Runner *runner, const char *path, const char *partir) {
    if (runner->count == runner->capacity) {
        runner->capacity = runner->capacity * 2 + 64;
        runner->tests = grow(runner->tests, runner->capacity * sizeof *runner->tests);
    }
    runner->tests[runner->count++] = (Test){format("%s", path), partir};
}

static bool is_case(const char *path) {
    size_t size = strlen(path);
    return size > 5 && !strcmp(path + size - 5, ".test");
}

static int visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static void add_path(Runner *runner, const char *path, const char *partir) {
    struct stat status;
    if (stat(path, &status)) die(path);
    bool folder = S_ISDIR(status.st_mode);
    if ((folder || is_case(path)) && !partir) {
        fprintf(stderr, "run: %s: a case needs --partir before it\n", path);
        exit(2);
    }
    if (!folder) {
        add_test(runner, path, is_case(path) ? partir : NULL);
        return;
    }
    struct dirent **entries;
    int count = scandir(path, &entries, visible, alphasort);
    if (count < 0) die(path);
    for (int i = 0; i < count; i++) {
        char *child = format("%s/%s", path, entries[i]->d_name);
        if (stat(child, &status)) die(child);
        if (S_ISDIR(status.st_mode) || is_case(child)) add_path(runner, child, partir);
        free(child);
        free(entries[i]);
    }
    free(entries);
}

// Writes the *.mlir files of all cases, numbered, into a folder.
static int extract(const Runner *runner, const char *folder) {
    int written = 0;
    for (size_t t = 0; t < runner->count; t++) {
        Text text = read_file(runner->tests[t].path), comment;
        Section sections[MAX_SECTIONS];
        int count = split_case(text, sections, &comment);
        for (int i = 0; i < count; i++) {
            if (strncmp(sections[i].header, "file ", 5) != 0 ||
                strncmp(sections[i].header + sections[i].header_size - 5, ".mlir", 5) != 0)
                continue;
            char *path = format("%s/%04d.mlir", folder, written++);
            write_file(path, sections[i].body);
            free(path);
        }
        free(text.data);
    }
    printf("%d files written to %s\n", written, folder);
    return 0;
}

int main(int count, char **arguments) {
    static Runner runner;
    char partir[2][PATH_MAX], *current = NULL, *seeds = NULL;
    int partirs = 0;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    runner.jobs = cores < 1 ? 1 : cores > MAX_SLOTS ? MAX_SLOTS : (int)cores;
    if (!getcwd(runner.root, sizeof runner.root)) die("current folder");
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL); // for sigtimedwait

    for (int i = 1; i < count; i++) {
        if (!strcmp(arguments[i], "--update")) {
            runner.update = true;
        } else if (!strcmp(arguments[i], "--jobs") && i + 1 < count) {
            runner.jobs = atoi(arguments[++i]);
            if (runner.jobs < 1 || runner.jobs > MAX_SLOTS) runner.jobs = 1;
        } else if (!strcmp(arguments[i], "--extract") && i + 1 < count) {
            seeds = arguments[++i];
            current = ""; // no command runs
        } else if (!strcmp(arguments[i], "--partir") && i + 1 < count && partirs < 2) {
            current = realpath(arguments[++i], partir[partirs++]);
            if (!current) die(arguments[i]);
        } else {
            add_path(&runner, arguments[i], current);
        }
    }
    if (seeds) return extract(&runner, seeds);
    run_all(&runner);
    if (runner.update) printf("%d updated\n", runner.updated);
    printf("%d passed, %d failed\n", runner.passed, runner.failed);
    return runner.failed != 0;
}
