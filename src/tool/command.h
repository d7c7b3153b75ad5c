// Commands of `partir`: one file each, one row in COMMANDS. They use the public header alone, as any program would.
//
//     enum { TWICE, OUT };
//     static const Option options[] = {[TWICE] = {"--twice", NULL, "do it twice"}, [OUT] = {"-o", "FILE", "where to"}};
//     static int run(const Args *a) { if (a->given[TWICE]) … a->value[OUT] … a->files[0] … return EXIT_OK; }
//     const Command command_dance = {"dance", "FILE", "dance the module", options, 2, 1, 1, run};
#ifndef PARTIR_TOOL_COMMAND_H
#define PARTIR_TOOL_COMMAND_H

#include "partir.h"
#include "tool/progress.h"
#include <stdbool.h>
#include <stdio.h>

enum { EXIT_OK = 0, EXIT_ERROR = 1, EXIT_USAGE = 2, MAX_OPTIONS = 32, ANY_NUMBER = 1 << 30 };

typedef struct Option {
    const char *name;
    const char *value; // what its value is called in the help; NULL for a switch; FILE… if it may be given again; OUT if
                       // it is a file that is written
    const char *help;
} Option;

typedef struct Args {
    partir_context *ctx; // reports to standard error
    Progress *progress;  // begun and ended around what may take long
    bool given[MAX_OPTIONS];
    const char *value[MAX_OPTIONS]; // of the last one, by the option's place in the table
    const char **files;             // what is no option, and values of options that may be given again
    const Option **file_option;     // for each of them: NULL, or the option
    int n_files;
} Args;

typedef struct Command {
    const char *name;
    const char *arguments; // as the help shows them
    const char *summary;
    const Option *options;
    int n_options;
    int min_files, max_files;
    int (*run)(const Args *a); // returns the exit status
} Command;

// A message to standard error. What it quotes may hold anything: what a terminal would obey is left out.
void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
// A name of the program's, or of a file, which may hold anything: what a terminal would obey is left out.
void put_value_name(FILE *out, const char *name, int width);

#define COMMANDS(C)                                                                                                    \
    C(auto)                                                                                                            \
    C(check)                                                                                                           \
    C(devices)                                                                                                         \
    C(diff)                                                                                                            \
    C(ops)                                                                                                             \
    C(partition)                                                                                                       \
    C(print)                                                                                                           \
    C(rules)                                                                                                           \
    C(run)                                                                                                             \
    C(simulate)                                                                                                        \
    C(why)

#define ANNOTATIONS_OPTION                                                                                             \
    {"--annotations", "MODE",                                                                                          \
     "shardings in the program: apply (before the schedule's tactics; the default), ignore or error"}
bool find_annotations(const char *word, partir_annotations *out); // false after a message

#define C(name) extern const Command command_##name;
COMMANDS(C)
#undef C

#endif
