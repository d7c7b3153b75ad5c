// Lanes: places in memory, from the lowest on. Most blocks have one of few sizes, so that many lie at the same place one
// after another, in a lane.
#ifndef PARTIR_SIM_LANES_H
#define PARTIR_SIM_LANES_H

#include "sim/calendar.h"

#define IN_A_ROW 8

// A lane, or all lanes of a row. When a row is taken is said by those of its lanes that are taken for long. The others do
// not count: they lie in the same places as these, or are the first of the row and end at `after`.
typedef struct Lane {
    double from, to;
    double first_to;     // of the first lane
    uint64_t any;        // parts in which one of them is taken
    uint32_t start, end; // all are free before and after
    // Of those that are taken for long:
    double after;                  // the first lanes, which are not, end here
    double solid, hole;            // from where on they lie, and the largest hole between two of them
    Parts each;                    // in which all of them are taken
    uint32_t busy_from, busy_till; // all are taken in between: the first is later than the second if that is not known
    uint32_t in;                   // the row; or one of the blocks of a lane
} Lane;

typedef struct Row {
    uint32_t n;
    Lane at[IN_A_ROW];
} Row;

typedef struct Lanes {
    Calendar *calendar;
    Row *rows;
    uint32_t n_rows, top, height; // the row of all, and how many rows of rows there are below
} Lanes;

Lanes lanes_new(Calendar *c, uint32_t n_blocks, Arena *a);
// Where the block fits most tightly among those that live at the same time; above all of them if it fits nowhere else.
double lanes_best_place(const Lanes *l, const Block *b, Parts parts);
void lanes_put(Lanes *l, uint32_t block, double from, Parts parts);

#endif
