// Confirmation: runs the full simulator on the whole program for the best plans, with rematerialization, tries orders of
// axes, and chooses the best. It also measures what each part of the answer contributes.
#ifndef PARTIR_AUTO_CONFIRM_H
#define PARTIR_AUTO_CONFIRM_H

#include "auto/search.h"
#include "session/partition.h"

typedef struct Confirmed {
    Plan plan;
    Score score; // of the whole program, as `partir simulate` shows it
    bool start;  // one that the search began with
    uint32_t races;
    double runs; // collectives
    uint32_t conflicts;
    double compute, exposed; // seconds in kernels, and of links while no kernel runs
    AxisId busiest;          // the axis with most communication, or NO_AXIS
} Confirmed;

// The best first; returns how many, at most CONFIRMED_SHOWN. `out` has room for CONFIRMED. The partition's state does not change.
enum { TOO_LARGE = 6, CONFIRMED = FINALISTS + TOO_LARGE + 2, CONFIRMED_SHOWN = 3 };
uint32_t confirm_plans(Partition *p, const Search *s, const Site *sites, const Device *device, Confirmed *out);
// Simulates the state as it is now. False if it cannot be lowered.
bool simulate_now(Partition *p, const Device *device, SimResult *out, Summary *collectives);

#endif
