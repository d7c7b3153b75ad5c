// What the files of relowering share: the program that was lowered before, and what a trial changed in it.
#ifndef PARTIR_SPMD_RELOWER_BASE_H
#define PARTIR_SPMD_RELOWER_BASE_H

#include "spmd/lower/record.h"

typedef struct OldLink { // of one of the module's arrays, as it is in the base
    uint32_t at, was;
} OldLink;

typedef struct Base {
    Arena arena;
    State at;      // its nests; the rest is that of the state it is one of
    AxisSet parts; // of axes that it uses: all trials cut the mesh in the same way
    uint32_t n_trials;
    uint32_t n_lowered; // source ops that the last trial lowered, not kept
    bool has_borders;  // its redistributions would send less with axes cut
    Lowered *from_new; // the last trial, if that was lowered without the base
    Lowering base;
    Lowered *result;
    Record record;
    Uses uses;    // of the source program
    Uses readers; // of the base
    RecordExtent size; // of the base
    Region body;  // of @main, in the base
    OpId func;    // @main
    uint32_t n_permutes;
    // A trial: how it differs from the base at the present op, and which ops were touched.
    CachedUse *cached; // by source value: of the base, at the op under way
    CachedUse axis[MESH_MAX_AXES];
    uint8_t *changed; // by source value: whether it differs, and whether its users were touched
    AxisSet axes_changed;
    uint8_t *touched;     // by source op: of it, or of something inside
    ValueId *now;         // by value of the base: itself, or what stands for it; NO_ID if nothing does yet
    RegionId *now_region; // by region of the base: itself, or what stands for it
    OpId first, last;     // of the run of ops that are kept; NO_ID without
    VEC(OldLink) relinked;   // by op: its next
    VEC(struct Reread {
        uint32_t at; // the place in Module.operands
        ValueId was; // what stands there in the base
    })
    reread; // operands that were replaced
    VEC(RecordExtent) gone; // ranges of ops that are lowered again: begin and end of each
    VEC(RegionId) made; // regions of the base that others stand for
    uint8_t *is_gone;   // by op of the base
    Lowering trial;
} Base;

// ---- relower_changed.c ---------------------------------------------------------------------------------------------
void relower_touch(Base *r, const State *s, const Pending *now); // marks the ops that the state as it is now concerns
bool relower_can_keep(const Base *r, OpId op);
// Compare the new program with the base after `v`, or the coordinates of devices, were made or used in it.
void relower_compare(Base *r, const Lowering *l, ValueId v);
void relower_compare_axes(Base *r, const Lowering *l);
// Unchanged values are entered into the new lowering only when something uses them.
void relower_refresh(Base *r, Lowering *l, ValueId v);
void relower_refresh_axes(const Base *r, Lowering *l);
void relower_replay(Base *r, uint32_t from, uint32_t to); // moves the base on over these ops

#endif
