// State: how far the program is tiled. Each node has a nest, an ordered list of (axis, factor), outermost first; from
// it the loops, the slice of each operand and the action of each result all follow. Actions change the state through a
// trail, so that undoing restores it bit for bit. The axis of an entry may be a part of a named one (core/mesh.h). A nest
// never holds parts that overlap, and all parts in use fit each other, so that a mesh can be cut at their borders.
//
//     uint32_t mark = state_mark(s);
//     if (action_tile(s, node, tensor, dim, axis) == ACTION_OK) propagate(s, mark, axis);
//     state_undo(s, mark);
#ifndef PARTIR_CORE_PROPAGATION_STATE_H
#define PARTIR_CORE_PROPAGATION_STATE_H

#include "core/propagation/graph.h"
#include "core/mesh.h"

typedef struct NestEntry {
    AxisId axis;
    uint8_t factor;
} NestEntry;

// Why an entry is there: an action of a tactic, or the neighbour from which the tiling came.
typedef struct Cause {
    NodeId node;     // the neighbour; NO_ID: the tactic's own action
    uint16_t tactic; // number of the tactic that was being applied
    uint8_t forward; // came from an operand (1) or from a use (0)
} Cause;

// Two or more candidates met on an axis. A race: the node was set in this tactic and then offered another factor.
typedef struct Conflict {
    NodeId node;
    AxisId axis; // what was offered
    bool race;
    uint32_t trail;    // length of the trail when it was found
    uint8_t factor[2]; // of a race: the one it has, and the one it was offered
    Cause cause[2];
} Conflict;

// 128 bits that tell states apart, kept up to date by each change: the sum of what each entry adds.
typedef struct StateHash {
    uint64_t a, b;
} StateHash;

static inline bool same_state(StateHash x, StateHash y) { return x.a == y.a && x.b == y.b; }

typedef struct State {
    const Graph *g;
    Mesh *mesh; // parts of axes are added as they come up
    Arena *arena;
    uint16_t tactic;        // number of the tactic being applied
    VEC(Span) tactic_names; // by number, for messages
    uint32_t depth;         // the most entries that a nest can have
    NestEntry *nest;        // [node * depth + k]; zero from nest_n on
    Cause *cause;           // beside nest
    uint8_t *nest_n;        // by node
    AxisSet *atomic;        // by value: axes that never pass through it
    uint32_t *uses;         // by axis id: how many entries have it; counted for parts alone
    VEC(struct TrailEntry {
        uint32_t id; // node, or value with `atomic`
        AxisId axis;
        bool atomic;
    })
    trail;
    VEC(Conflict) conflicts;
    StateHash nests, atomics; // of all nests, from which lowering follows; of all atomic values
    // Scratch of propagation, valid where epoch matches. The candidates of a round stand behind the node's nest, at
    // nest_n and after, until they are taken or dropped.
    uint32_t epoch;
    struct Candidate {
        uint32_t epoch;
        uint8_t n; // entries behind the nest
        bool conflict, queued;
    } * candidates;
    VEC(NodeId) frontier, touched;
} State;

void state_init(State *s, const Graph *g, Mesh *mesh, Arena *a);
static inline uint32_t state_mark(const State *s) { return s->trail.n; }
void state_undo(State *s, uint32_t mark); // conflicts found since are forgotten too
// The same state, changed apart from the other; it shares graph and mesh.
State state_copy(const State *s, Arena *a);
// The state as it was after the first `tactics` tactics, for lowering alone; it shares all but the lengths of its nests.
State state_after(const State *s, uint32_t tactics, Arena *a);

static inline const NestEntry *state_nest(const State *s, NodeId n, uint32_t *len) {
    *len = s->nest_n[n];
    return s->nest + (size_t)n * s->depth;
}
// Of the first entry that has the axis, or a part of it: its factor (NO_FACTOR if there is none), and its cause.
uint8_t state_factor(const State *s, NodeId n, AxisId axis);
const Cause *state_cause(const State *s, NodeId n, AxisId axis);
// The dimension of a node's tensor that the axis tiles; -1 if none.
int state_tiled_dim(const State *s, NodeId n, uint32_t tensor, AxisId axis);
// What is left of a factor after the nest.
int64_t state_local_size(const State *s, NodeId n, uint8_t factor);

typedef enum ActionStatus {
    ACTION_OK,
    ACTION_TILED,         // so already
    ACTION_NO_FACTOR,     // the dimension takes no part in the op
    ACTION_AXIS_USED,     // the axis is in the nest already
    ACTION_NOT_DIVISIBLE, // the chunk does not divide by the axis
    ACTION_WHOLE,         // the op needs this dimension whole
    ACTION_SHIFT,         // would need the neighbours' edges
    ACTION_INNER,         // an outer part of the dimension is not used up
    ACTION_ATOMIC,        // the value is atomic on the axis
    ACTION_PARTS,         // the axis is cut into other parts elsewhere
    ACTION_ORDER          // a more minor part of the axis splits the dimension already
} ActionStatus;

// The factor that a new tile of the dimension would go through; NO_FACTOR if it has none.
uint8_t state_factor_at(const State *s, NodeId n, uint32_t tensor, uint32_t dim);
ActionStatus state_legal(const State *s, NodeId n, AxisId axis, uint8_t factor);
// Parts of axes that are in use; 0 as a rule.
AxisSet state_parts(const State *s);
// The same state on a mesh whose axes are cut at the borders of all parts in use, so that no two axes overlap, and at `more`.
State *state_cut(const State *s, const AxisBorder *more, uint32_t n_more, Arena *a);

ActionStatus action_tile(State *s, NodeId n, uint32_t tensor, uint32_t dim, AxisId axis);
void action_atomic(State *s, ValueId v, AxisId axis);
// The greedy fixed point, from all that was done since `mark`.
void propagate(State *s, uint32_t mark, AxisId axis);

#endif
