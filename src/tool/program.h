// What the commands on a program and its schedule share.
#ifndef PARTIR_TOOL_PROGRAM_H
#define PARTIR_TOOL_PROGRAM_H

#include "tool/command.h"

typedef struct Program {
    partir_module *module;
    partir_schedule *schedule;
    partir_partition *partition;
    uint32_t n_tactics; // to apply
} Program;

// Reads files[0] and the schedule files[1]; no tactic is applied yet. `after` names the last one to apply, or is NULL.
bool program_open(Program *p, const Args *a, const char *command, const partir_partition_options *options,
                  const char *after);
void program_close(Program *p);
bool program_apply(Program *p, Progress *progress); // all tactics up to n_tactics
// To a file, or to standard output for NULL and "-"; destroys the text.
bool program_write(partir_text *text, const char *path);

#endif
