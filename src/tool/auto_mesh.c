// Choosing a mesh: successive halving over the ways to write the number of devices as an ordered product.
//
//     8 devices: a=8   a=2,b=4   a=4,b=2   a=2,b=2,c=2
#include "tool/auto_mesh.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_AXES = 3, MOST_MESHES = 64, LONGER = 3 };

typedef struct MeshCandidate {
    char text[MESH_TEXT];
    AutoFigures figures;
} MeshCandidate;

typedef struct MeshChoice {
    uint32_t n;
    MeshCandidate at[MOST_MESHES];
} MeshChoice;

bool budget_cut(const char *budget, int64_t by, char *out, size_t n) {
    char *unit;
    double value = strtod(budget, &unit);
    double ms = strcmp(unit, "ms") == 0    ? 1
                : strcmp(unit, "s") == 0   ? 1e3
                : strcmp(unit, "min") == 0 ? 60e3
                                           : 0;
    if (unit == budget || !(value > 0) || (ms == 0 && *unit)) return false;
    double part = ceil((*unit ? value * ms : value) / (double)by);
    return snprintf(out, n, "%.0f%s", part, *unit ? "ms" : "") < (int)n;
}

// All ways to go on from the axes that are there; `left` devices are to be given out.
static void add_meshes(MeshChoice *c, const int64_t *sizes, uint32_t n, int64_t left) {
    if (left == 1) {
        if (c->n == MOST_MESHES) return;
        char *text = c->at[c->n++].text;
        int at = 0;
        for (uint32_t i = 0; i < n; i++)
            at += snprintf(text + at, MESH_TEXT - (size_t)at, "%s%c=%lld", i ? "," : "", (char)('a' + i), (long long)sizes[i]);
        return;
    }
    int64_t more[MOST_AXES];
    if (n == MOST_AXES) return;
    memcpy(more, sizes, n * sizeof *sizes);
    for (int64_t size = 2; size <= left; size++) {
        if (left % size != 0 || (n + 1 == MOST_AXES && size != left)) continue;
        more[n] = size;
        add_meshes(c, more, n + 1, left / size);
    }
}

static int better_mesh_first(const void *a, const void *b) {
    const AutoFigures *x = &((const MeshCandidate *)a)->figures, *y = &((const MeshCandidate *)b)->figures;
    if (x->made != y->made) return x->made ? -1 : 1;
    if (x->seconds != y->seconds) return x->seconds < y->seconds ? -1 : 1;
    return strcmp(((const MeshCandidate *)a)->text, ((const MeshCandidate *)b)->text);
}

// Searches on the first `n` candidates, each with this part of the budget, and sorts all by what came out.
static bool search_meshes(MeshChoice *c, uint32_t n, const char *budget, int64_t part, SearchMesh *search, void *user) {
    char each[MESH_TEXT];
    if (!budget_cut(budget, part, each, sizeof each)) return false;
    for (uint32_t i = 0; i < n; i++) {
        AutoFigures found = search(user, &(AutoQuestion){c->at[i].text, each}), *known = &c->at[i].figures;
        if (found.made && (!known->made || found.seconds < known->seconds)) *known = found;
    }
    qsort(c->at, c->n, sizeof *c->at, better_mesh_first);
    return true;
}

bool choose_mesh(int64_t n_devices, const char *budget, SearchMesh *search, void *user, bool table, char *mesh) {
    MeshChoice *c = calloc(1, sizeof *c);
    int64_t none[1] = {0};
    if (!c) return false;
    add_meshes(c, none, 0, n_devices);
    uint32_t few = c->n < LONGER ? c->n : LONGER;
    bool ok = c->n > 0 && search_meshes(c, c->n, budget, 2 * (int64_t)c->n, search, user) &&
              search_meshes(c, few, budget, 4 * (int64_t)few, search, user);
    for (uint32_t i = 0; ok && table && i < c->n; i++) {
        const AutoFigures *f = &c->at[i].figures;
        if (f->made)
            fprintf(stderr, "mesh %-24s %10.3f ms %8.2f GiB\n", c->at[i].text, f->seconds * 1e3, f->peak / 0x1p30);
        else
            fprintf(stderr, "mesh %-24s no plan fits\n", c->at[i].text);
    }
    if (ok) memcpy(mesh, c->at[0].text, MESH_TEXT);
    free(c);
    return ok;
}
