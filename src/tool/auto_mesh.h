// Choosing a mesh: how a number of devices is cut into axes, and in which order they lie on the links.
#ifndef PARTIR_TOOL_AUTO_MESH_H
#define PARTIR_TOOL_AUTO_MESH_H

#include "tool/command.h"

enum { MESH_TEXT = 64 };

// What a search on one mesh is asked, as texts of the command line.
typedef struct AutoQuestion {
    const char *mesh, *budget;
} AutoQuestion;

// What came out of it; `made` is false if there is no plan that fits.
typedef struct AutoFigures {
    bool made;
    double seconds, peak;
} AutoFigures;

// A budget as text, cut down: 5s by 4 is 1250ms, 2000 is 500. False if it is no budget.
bool budget_cut(const char *budget, int64_t by, char *out, size_t n);
// The best mesh of so many devices: all are searched for a short time, the best few longer. A quarter of the budget is left for
// the search on the one that is chosen. With `table`, what each was worth goes to standard error.
typedef AutoFigures SearchMesh(void *user, const AutoQuestion *question);
bool choose_mesh(int64_t n_devices, const char *budget, SearchMesh *search, void *user, bool table, char *mesh);

#endif
