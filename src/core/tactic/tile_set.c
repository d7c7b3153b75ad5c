// Tile sets: tiles every value of every path before anything propagates.
#include "core/tactic/tile_set.h"

// What stands against one value of the path; ACTION_TILED if it is as the tile says.
static ActionStatus value_legal(const State *s, const Target *t, uint32_t dim, AxisId axis) {
    const Type *type = type_get(s->g->m, t->type);
    if (type->kind != TYPE_TENSOR) return ACTION_NO_FACTOR;
    int tiled = state_tiled_dim(s, t->node, t->tensor, axis);
    if (dim == TILE_ATOMIC) {
        if (s->atomic[t->value] >> axis & 1) return ACTION_TILED;
        return tiled < 0 ? ACTION_OK : ACTION_AXIS_USED;
    }
    if (dim >= type->rank) return ACTION_NO_FACTOR;
    if (tiled == (int)dim) return ACTION_TILED;
    if (state_factor(s, t->node, axis) != NO_FACTOR) return ACTION_AXIS_USED;
    return state_legal(s, t->node, axis, state_factor_at(s, t->node, t->tensor, dim));
}

ActionStatus tile_set_legal(const State *s, const Targets *t, PathTile tile, AxisId axis) {
    ActionStatus all = ACTION_TILED;
    for (uint32_t i = t->first_member[tile.path]; i < t->first_member[tile.path + 1]; i++) {
        ActionStatus status = value_legal(s, &t->at[t->members[i]], tile.dim, axis);
        if (status == ACTION_OK)
            all = ACTION_OK;
        else if (status != ACTION_TILED)
            return status;
    }
    return all;
}

// Values of one path may share a node, so that the second finds itself tiled by the first.
static ActionStatus set_tile(State *s, const Targets *t, PathTile tile, AxisId axis) {
    for (uint32_t i = t->first_member[tile.path]; i < t->first_member[tile.path + 1]; i++) {
        const Target *target = &t->at[t->members[i]];
        ActionStatus status = value_legal(s, target, tile.dim, axis);
        if (status == ACTION_TILED) continue;
        if (status != ACTION_OK) return status;
        if (tile.dim == TILE_ATOMIC)
            action_atomic(s, target->value, axis);
        else
            action_tile(s, target->node, target->tensor, tile.dim, axis);
    }
    return ACTION_OK;
}

ActionStatus tile_set_apply(State *s, const Targets *t, const PathTile *tiles, uint32_t n, AxisId axis, uint32_t *refused) {
    uint32_t mark = state_mark(s);
    for (uint32_t i = 0; i < n; i++) {
        ActionStatus status = set_tile(s, t, tiles[i], axis);
        if (status == ACTION_OK) continue;
        *refused = i;
        state_undo(s, mark);
        return status;
    }
    if (state_mark(s) != mark) propagate(s, mark, axis);
    return ACTION_OK;
}

const char *action_text(ActionStatus status) {
    switch (status) {
    case ACTION_OK: return "it can be tiled";
    case ACTION_TILED: return "it is tiled so already";
    case ACTION_NO_FACTOR: return "there is no such dimension";
    case ACTION_AXIS_USED: return "the axis is used already";
    case ACTION_NOT_DIVISIBLE: return "the size does not divide";
    case ACTION_WHOLE: return "the op needs the dimension whole";
    case ACTION_SHIFT: return "the dimension needs its neighbours' edges";
    case ACTION_INNER: return "a reshape splits the dimension elsewhere";
    case ACTION_ATOMIC: return "it is atomic on the axis";
    case ACTION_PARTS: return "the axis is cut into other parts elsewhere";
    case ACTION_ORDER: return "a more minor part of the axis splits the dimension already";
    }
    return "";
}
