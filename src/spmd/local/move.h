// The movement of one dimension: its pieces, what each chunk sends to which other chunk, and how the parts are assembled to a
// chunk of the result. local_move.c describes the ops in these terms.
#ifndef PARTIR_SPMD_LOCAL_MOVE_H
#define PARTIR_SPMD_LOCAL_MOVE_H

#include "spmd/local/local.h"
#include "spmd/local/move_rounds.h"

// The dimension that moves: the axes that tile it, and its chunks.
typedef struct Move {
    Lowering *l;
    uint32_t dim;
    AxisId axes[MESH_MAX_AXES];
    uint32_t n_axes;
    int64_t chunks;
    ValueId chunk; // this device's
    int64_t size;  // of a chunk of the result
    ValueId fill;  // a scalar
} Move;

// Source index i of a piece is result index i + at; the piece is there from `from` up to `to`.
typedef struct MovePiece {
    ValueId v;
    int64_t size; // of the whole dimension
    int64_t at, from, to;
    bool whole; // on each device
} MovePiece;

// The part of the result that one buffer gives, by chunk: result index t of the chunk, from lo up to hi, is buffer[t + start].
typedef struct MovePart {
    ValueId buffer;
    int64_t *start, *lo, *hi;
} MovePart;

typedef VEC(MovePart) MoveParts;

static inline int64_t larger_of(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t smaller_of(int64_t a, int64_t b) { return a < b ? a : b; }

// A number for each chunk, 0 at first.
static inline int64_t *move_table(const Move *m) { return arena_zalloc(m->l->a, (size_t)m->chunks * sizeof(int64_t)); }

// ---- move_emit.c: single ops along the dimension --------------------------------------------------------------------
int64_t move_size_along(const Move *m, ValueId v);
TypeId move_resized(const Move *m, ValueId v, int64_t size);
ValueId move_take(const Move *m, ValueId v, int64_t start, int64_t limit, int64_t stride);
ValueId move_take_at(const Move *m, ValueId v, ValueId start, int64_t size); // from a start that only the device knows
ValueId move_pad_along(const Move *m, ValueId v, int64_t low, int64_t high, int64_t inner, ValueId fill);
ValueId move_fill(const Move *m, TypeId type);
bool move_same_everywhere(const int64_t *table, int64_t n);
ValueId move_table_entry(Move *m, const int64_t *table); // of this device's chunk, as a scalar

// ---- move_plan.c: which chunk gets what from which ------------------------------------------------------------------
MovePart move_new_part(const Move *m, ValueId buffer);
// Splits a piece that is tiled as the result is: `stays` gets what each chunk keeps, `rounds` what it sends.
void move_place_chunks(const Move *m, const MovePiece *p, MovePart *stays, MoveRounds *rounds);
// The part that a piece gives which each device has whole.
MovePart move_place_whole(const Move *m, const MovePiece *p, ValueId whole);

// ---- move_assemble.c ------------------------------------------------------------------------------------------------
// This device's chunk of a dimension of `size` elements that is made of pieces, with the fill elsewhere.
ValueId move_assemble(Move *m, const MovePiece *pieces, uint32_t n, int64_t size);

#endif
