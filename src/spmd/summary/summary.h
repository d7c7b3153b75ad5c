// Summary: counts the collectives of a device-local program by kind and axes, and the bytes that they move.
#ifndef PARTIR_SPMD_SUMMARY_SUMMARY_H
#define PARTIR_SPMD_SUMMARY_SUMMARY_H

#include "spmd/lower/lower.h"

typedef enum CollectiveKind {
    COLLECTIVE_ALL_GATHER,
    COLLECTIVE_ALL_REDUCE,
    COLLECTIVE_REDUCE_SCATTER,
    COLLECTIVE_ALL_TO_ALL,
    COLLECTIVE_PERMUTE,
    COLLECTIVE_COUNT
} CollectiveKind;
extern const char *const collective_names[COLLECTIVE_COUNT];

typedef struct CollectiveRow {
    CollectiveKind kind;
    AxisSet axes;   // of the mesh of the program it was found in
    Span axes_json; // their names: ["batch", "model:(1)2"]
    uint32_t ops;   // in the text
    double runs;  // with loops multiplied by their trip counts
    double bytes; // sent by each device in one step
} CollectiveRow;

typedef struct Summary {
    uint32_t n;
    const CollectiveRow *rows; // by kind, then axes
    double runs[COLLECTIVE_COUNT];
    double bytes;
    int64_t argument_bytes, result_bytes; // on each device
    uint32_t unknown_trips;               // loops whose trip count is not known, counted as one
} Summary;

Summary summarise(const Lowered *l, Arena *a);
extern const uint8_t collective_kinds[OP_COUNT]; // plus 1; 0 of all that cannot be a collective
// The kind and axes of one op; false if it is no collective. `bytes` sent by each device when it runs once.
bool collective_of(const Module *m, const Mesh *mesh, OpId op, CollectiveKind *kind, AxisSet *axes, double *bytes);

#endif
