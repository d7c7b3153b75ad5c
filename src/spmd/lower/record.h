// Record: what a lowering made of each source op, so that a later lowering can reuse it (relower.h).
//
//     %3 = dot_general        ops 40..43 of the module, values 71..74, …; it asked for a slice of %1, which later ops share
#ifndef PARTIR_SPMD_LOWER_RECORD_H
#define PARTIR_SPMD_LOWER_RECORD_H

#include "spmd/lower/lowering.h"

// Lengths of the module's arrays, and of the events, at some moment.
typedef struct RecordExtent {
    uint32_t ops, values, operands, attrs, regions, op_regions, events;
} RecordExtent;

// Something was made that later ops share: a use of a source value, or the device's coordinate on an axis.
typedef struct Event {
    uint32_t of; // the source value, or AXIS_EVENT + axis
    CachedUse made;
} Event;

#define AXIS_EVENT (NO_ID - MESH_MAX_AXES)

typedef struct Record {
    Arena *a;
    RecordExtent *from, *to; // by source op
    AxisSet *asked;    // by source op: axes on which it, or something inside, asked for the device's coordinate
    AxisSet asking;    // the same of the op under way
    RegionId *region;  // by source region: its region in the module
    VEC(Event) events;
} Record;

static inline void record_event(Record *r, Event e) { vec_push(r->a, &r->events, e); }
void record_init(Record *r, const Module *src, Arena *a);
bool record_op(Lowering *l, OpId op); // lowers it

#endif
