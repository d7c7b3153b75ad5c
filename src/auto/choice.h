// Choices: the actions of the search. Each one is a set of tiles with one propagation.
//
//     ffn on model       every argument that has the ffn dimension of some layer is tiled there
//     store 3 on batch   all state is stored in chunks: weights and what the optimizer keeps
//     store 2 on batch   what the optimizer keeps is stored in chunks; weights stay whole
//     inner on model     values inside the program that have the sequence in two dimensions are tiled in one of them
//
// Colours that hold the same dimensions of equal arguments are one class, so that repeated layers are decided once.
#ifndef PARTIR_AUTO_CHOICE_H
#define PARTIR_AUTO_CHOICE_H

#include "auto/colour.h"
#include "auto/role.h"
#include "core/tactic/tactic.h"

enum { SEED_FIRST = -1, SEED_ATOMIC = -2 }; // instead of a dimension: the first that the axis divides; atomic

typedef struct Seed {
    uint32_t target;
    int16_t dim;
} Seed;

typedef struct Class {
    uint32_t n, first; // seeds, in Choices.seeds
    uint32_t n_colours, first_colour; // in Choices.colours
    bool data, weight; // some of its dimensions are of data, of weights
    double bytes;      // of weights with its dimensions
    double data_bytes; // of data with its dimensions
    int16_t data_dim;  // the outermost dimension of data that it has
    int64_t data_size; // of that
} Class;

// Numbers below CHOICE_TACTIC are how starts count what they store: nothing, store 2, store 3.
typedef enum ChoiceKind { CHOICE_CLASS, CHOICE_STORE_2, CHOICE_STORE_3, CHOICE_TACTIC, CHOICE_INNER } ChoiceKind;

// Which state is stored in chunks: all but scales, biases and other small values, whose gathers cost more than they save; or all.
enum { STATE_TENSORS, STATE_ALL };

typedef struct Choice {
    ChoiceKind kind;
    AxisId axis;
    bool strict;        // a tactic that a user wrote: a tile that cannot be made is an error
    uint32_t n_more;    // axes that split the same dimensions further
    const AxisId *more; // of such a tactic
    uint32_t of;        // class; of inner values: that of the dimension; of state: STATE_TENSORS, STATE_ALL
    uint32_t n, first; // seeds
} Choice;

typedef struct Choices {
    VEC(Class) classes; // the largest first
    VEC(Choice) at;
    VEC(Seed) seeds;
    VEC(uint32_t) colours;
} Choices;

// `left_alone`: by target, what no action may name. `axes`: those that may be used.
Choices choices_find(const Graph *g, const Targets *targets, const bool *left_alone, AxisSet axes, Arena *a);
// A manual tactic as a choice; `axes` are its own.
Choice choice_of_tactic(Choices *c, const Graph *g, const Targets *targets, const AxisId *axes, const Tactic *t,
                        Arena *a);

// The same on another axis; NO_ID if there is none.
uint32_t choice_on_axis(const Choices *c, uint32_t choice, AxisId axis);

// The place of a target in a program; `node` is NO_ID if the program does not have it.
typedef struct Site {
    NodeId node;
    uint32_t tensor;
    ValueId value;
    uint64_t indexed;
} Site;

// What was done to a target.
typedef struct Done {
    uint32_t target;
    int16_t dim; // or SEED_ATOMIC
} Done;
typedef VEC(Done) DoneList;

typedef enum Taken { TAKEN, TAKEN_NOTHING, TAKEN_ILLEGAL } Taken;
// Performs the choice and propagates it. With `done`, also lists what it did, in the arena.
Taken choice_take(State *s, const Site *sites, const Choices *c, const Choice *choice, DoneList *done, Arena *a);

#endif
