// partir auto: searches for what the automatic tactics of a schedule do, and prints the schedule that was found.
#include "tool/auto_mesh.h"
#include "tool/program.h"
#include <stdlib.h>
#include <string.h>

enum { MESH, DEVICE, AXES, MEMORY, BUDGET, SEED, OBJECTIVE, OUT, PARETO, QUIET };
static const Option options[] = {
    [MESH] = {"--mesh", "M", "use this mesh (batch=4,model=2) instead of the schedule's; a number: choose one of so many devices"},
    [DEVICE] = {"--device", "D", "one of `partir devices`, or a file of that form, instead of the schedule's"},
    [AXES] = {"--axes", "AXES", "axes that the search may use (batch,model); all if not given"},
    [MEMORY] = {"--memory", "BYTES", "most memory on each device (14GiB); the device's own if not given"},
    [BUDGET] = {"--budget", "BUDGET", "how long to search (5s), or how many evaluations (2000); 1s if not given"},
    [SEED] = {"--seed", "N", "another order of trying"},
    [OBJECTIVE] = {"--objective", "WHAT", "what to make small: time (if not given) or memory"},
    [OUT] = {"-o", "OUT", "where the schedule goes; standard output if not given"},
    [PARETO] = {"--pareto", "OUT", "write the plans that none beats in both time and memory, as JSON; `-`: as schedules"},
    [QUIET] = {"--quiet", NULL, "no table of time and memory"},
};

// ---- Text ---------------------------------------------------------------------------------------------------------------

typedef struct Text {
    char *at;
    size_t n;
    bool ok;
} Text;

static void add(Text *t, const char *s) {
    size_t n = strlen(s);
    char *grown = t->ok ? realloc(t->at, t->n + n + 1) : NULL;
    t->ok = grown != NULL;
    if (!grown) return;
    memcpy(grown + t->n, s, n + 1);
    t->at = grown;
    t->n += n;
}

static void add_owned(Text *t, partir_status status, partir_text *from) {
    t->ok = t->ok && status == PARTIR_OK;
    if (from) add(t, partir_text_data(from));
    partir_text_destroy(from);
}

// ---- The schedule to fill in ----------------------------------------------------------------------------------------

// Names of the axes of "batch=4, model=2".
static void add_axes(Text *t, const char *mesh) {
    char word[2] = {0};
    for (bool size = false; *mesh; mesh++) {
        if (*mesh == '=') size = true;
        if (*mesh == ',') size = false;
        if (size || *mesh == ' ') continue;
        word[0] = *mesh;
        add(t, word);
    }
}

static void add_option(Text *t, const char *word, const char *value) {
    if (!value) return;
    add(t, "  ");
    add(t, word);
    add(t, " ");
    add(t, value);
    add(t, "\n");
}

// A tactic that leaves all to the search.
static bool add_tactic(Text *t, const Args *a, const AutoQuestion *question) {
    const char *axes = a->value[AXES];
    if (!axes && !question->mesh) {
        tell("partir auto: no mesh was named\n    hint: give --mesh batch=4,model=2, --mesh 8 to choose one of 8 devices, or a schedule\n");
        return false;
    }
    if (question->mesh && !strchr(question->mesh, '=')) {
        tell("partir auto: --mesh %s: write axes and their sizes, as in batch=4,model=2, or a number of devices\n",
                question->mesh);
        return false;
    }
    add(t, "auto Auto on ");
    if (axes)
        add(t, axes);
    else
        add_axes(t, question->mesh);
    add(t, " {\n");
    add_option(t, "memory", a->value[MEMORY]);
    add_option(t, "budget", question->budget);
    add_option(t, "seed", a->value[SEED]);
    add_option(t, "objective", a->value[OBJECTIVE]);
    add(t, "}\n");
    return true;
}

static bool has_automatic(const partir_schedule *s) {
    partir_tactic_info tactic = {.size = sizeof tactic};
    for (uint32_t i = 0; i < partir_schedule_tactic_count(s); i++)
        if (partir_schedule_tactic(s, i, &tactic) == PARTIR_OK && tactic.automatic) return true;
    return false;
}

// The user's schedule; one without automatic tactics, or none, ends in one for all that is left.
static partir_schedule *read_schedule(const Args *a, const AutoQuestion *question, partir_context *ctx,
                                      const partir_module *m) {
    partir_schedule *s = NULL;
    if (a->n_files > 1 && partir_schedule_read_file(ctx, a->files[1], &s) != PARTIR_OK) return NULL;
    if (s && has_automatic(s)) {
        for (int k = AXES; k <= OBJECTIVE; k++)
            if (a->given[k]) {
                tell("partir auto: the automatic tactics of %s say this themselves: %s\n", a->files[1],
                        options[k].name);
                partir_schedule_destroy(s);
                return NULL;
            }
        return s;
    }
    Text t = {.ok = true};
    partir_text *start;
    partir_status status = s ? partir_schedule_print(s, &start) : partir_module_ties(m, &start);
    add_owned(&t, status, start);
    bool ok = t.ok && add_tactic(&t, a, question) && t.ok;
    partir_schedule_destroy(s);
    s = NULL;
    if (ok) partir_schedule_read_text(ctx, "<auto>", t.at, t.n, &s);
    free(t.at);
    return s;
}

// ---- Running --------------------------------------------------------------------------------------------------------

static bool show_figures(partir_partition *p) {
    partir_text *text;
    if (partir_partition_simulate(p, NULL, PARTIR_SIMULATION_TABLE, &text) != PARTIR_OK) return false;
    bool ok = fputs(partir_text_data(text), stderr) >= 0;
    partir_text_destroy(text);
    return ok;
}

static bool write_front(partir_partition *p, const char *path) {
    partir_text *front;
    return partir_partition_pareto(p, NULL, strcmp(path, "-") != 0, &front) == PARTIR_OK && program_write(front, path);
}

static bool search(const Args *a, Program *p) {
    partir_text *start, *found; // a wrong device shows before any tactic, and rows are found as tactics are applied
    if (partir_partition_simulate(p->partition, NULL, PARTIR_SIMULATION_TABLE, &start) != PARTIR_OK) return false;
    partir_text_destroy(start);
    p->n_tactics = partir_schedule_tactic_count(p->schedule);
    return program_apply(p, a->progress) && partir_partition_schedule(p->partition, &found) == PARTIR_OK &&
           program_write(found, a->value[OUT]) &&
           (!a->given[PARETO] || write_front(p->partition, a->value[PARETO])) &&
           (a->given[QUIET] || show_figures(p->partition));
}

static bool open_question(const Args *a, const AutoQuestion *question, partir_context *ctx, Program *p) {
    partir_partition_options made_with = {
        .size = sizeof made_with, .mesh = question->mesh, .device = a->value[DEVICE]};
    if (partir_module_read_file(ctx, a->files[0], &p->module) == PARTIR_OK)
        p->schedule = read_schedule(a, question, ctx, p->module);
    return p->schedule && partir_partition_create(p->module, p->schedule, &made_with, &p->partition) == PARTIR_OK;
}

// A search on one mesh of several, of which nobody hears.
static AutoFigures search_quietly(void *user, const AutoQuestion *question) {
    const Args *a = user;
    Program p = {0};
    AutoFigures figures = {0};
    partir_cost cost = {.size = sizeof cost};
    partir_context *ctx;
    if (partir_context_create(NULL, &ctx) != PARTIR_OK) return figures;
    bool ok = open_question(a, question, ctx, &p);
    for (uint32_t i = 0; ok && i < partir_schedule_tactic_count(p.schedule); i++)
        ok = partir_partition_apply_next(p.partition) == PARTIR_OK;
    if (ok && partir_partition_cost(p.partition, NULL, &cost) == PARTIR_OK)
        figures = (AutoFigures){true, cost.seconds, cost.peak};
    program_close(&p);
    partir_context_destroy(ctx);
    return figures;
}

// `--mesh 64`: the question with the mesh that was chosen, and what is left of the budget.
static bool choose(const Args *a, int64_t devices, AutoQuestion *question, char *mesh, char *budget) {
    const char *all = a->value[BUDGET] ? a->value[BUDGET] : "1s";
    if (a->n_files > 1 || a->given[AXES]) {
        tell("partir auto: --mesh %s chooses the axes; leave out the schedule and --axes, which name some\n",
                a->value[MESH]);
        return false;
    }
    if (devices < 2 || devices > 1 << 20) {
        tell("partir auto: --mesh %s: from 2 to 1048576 devices\n", a->value[MESH]);
        return false;
    }
    if (!budget_cut(all, 4, budget, MESH_TEXT)) {
        tell("partir auto: --budget %s: write 5s, 500ms, 2min, or a number of evaluations\n", all);
        return false;
    }
    if (!choose_mesh(devices, all, search_quietly, (void *)a, !a->given[QUIET], mesh)) return false;
    *question = (AutoQuestion){mesh, budget};
    return true;
}

static int run(const Args *a) {
    char mesh[MESH_TEXT], budget[MESH_TEXT], *end = NULL;
    AutoQuestion question = {a->value[MESH], a->value[BUDGET]};
    long long devices = question.mesh ? strtoll(question.mesh, &end, 10) : 0;
    bool number = question.mesh && end > question.mesh && !*end;
    if (number && !choose(a, devices, &question, mesh, budget)) return EXIT_ERROR;
    Program p = {0};
    bool ok = open_question(a, &question, a->ctx, &p) && search(a, &p);
    program_close(&p);
    return ok ? EXIT_OK : EXIT_ERROR;
}

const Command command_auto = {"auto", "FILE [SCHEDULE]", "search for what automatic tactics do, and print the schedule",
                              options, sizeof options / sizeof *options, 1, 2, run};
