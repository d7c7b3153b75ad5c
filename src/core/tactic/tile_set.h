// Tile sets: tiles a set of named values along one axis, all of them or none, with one propagation from all of them. A search does
// this between a mark and its undo:
//
//     uint32_t mark = state_mark(s), refused;
//     if (tile_set_apply(s, targets, tiles, n, axis, &refused) == ACTION_OK) …        the state is the one after propagation
//     state_undo(s, mark);
#ifndef PARTIR_CORE_TACTIC_TILE_SET_H
#define PARTIR_CORE_TACTIC_TILE_SET_H

#include "core/tactic/tactic.h"

#define TILE_ATOMIC UINT32_MAX

typedef struct PathTile {
    uint32_t path; // of Targets: all values that have it
    uint32_t dim;  // to tile; TILE_ATOMIC: the axis never passes through
} PathTile;

// Whether one tile could be set in the state as it is: ACTION_OK, ACTION_TILED if it changes nothing, or what is in the way.
ActionStatus tile_set_legal(const State *s, const Targets *t, PathTile tile, AxisId axis);
// ACTION_OK, or what is in the way of tiles[*refused]; then nothing has changed. Tiles that are set already are passed over.
ActionStatus tile_set_apply(State *s, const Targets *t, const PathTile *tiles, uint32_t n, AxisId axis, uint32_t *refused);
// "the size does not divide", for messages.
const char *action_text(ActionStatus status);

#endif
