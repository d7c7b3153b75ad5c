// A program and its schedule, for the commands that partition.
#include "tool/program.h"
#include <string.h>

bool program_write(partir_text *text, const char *path) {
    bool ok = text != NULL;
    if (ok && (!path || strcmp(path, "-") == 0))
        ok = fwrite(partir_text_data(text), 1, partir_text_size(text), stdout) == partir_text_size(text);
    else if (ok)
        ok = partir_text_write(text, path) == PARTIR_OK;
    partir_text_destroy(text);
    return ok;
}

static const char *tactic_name(const partir_schedule *s, uint32_t i) {
    partir_tactic_info tactic = {.size = sizeof tactic};
    return partir_schedule_tactic(s, i, &tactic) == PARTIR_OK ? tactic.name : "";
}

// How many tactics to apply; false if there is none of that name.
static bool tactics_up_to(Program *p, const char *command, const char *name) {
    const partir_schedule *s = p->schedule;
    uint32_t n = p->n_tactics = partir_schedule_tactic_count(s);
    if (!name) return true;
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(tactic_name(s, i), name) == 0) return p->n_tactics = i + 1, true;
    tell("partir %s: the schedule has no tactic '%s'; it has", command, name);
    for (uint32_t i = 0; i < n; i++) tell("%s %s", i ? "," : "", tactic_name(s, i));
    fputc('\n', stderr);
    return false;
}

bool program_open(Program *p, const Args *a, const char *command, const partir_partition_options *options,
                  const char *after) {
    *p = (Program){0};
    return partir_module_read_file(a->ctx, a->files[0], &p->module) == PARTIR_OK &&
           partir_schedule_read_file(a->ctx, a->files[1], &p->schedule) == PARTIR_OK &&
           tactics_up_to(p, command, after) &&
           partir_partition_create(p->module, p->schedule, options, &p->partition) == PARTIR_OK;
}

void program_close(Program *p) {
    partir_partition_destroy(p->partition);
    partir_schedule_destroy(p->schedule);
    partir_module_destroy(p->module);
}

bool program_apply(Program *p, Progress *progress) {
    bool ok = true;
    for (uint32_t i = 0; ok && i < p->n_tactics; i++) { // an automatic one may become several
        progress_begin(progress, true);
        ok = partir_partition_apply_next(p->partition) == PARTIR_OK;
        progress_end(progress);
    }
    return ok;
}
