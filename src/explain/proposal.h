// Proposals: a schedule's tactics with one change, for a fix to try.
//
//     params/down : 0 added to MP           BP moved behind MP           `params/** : 1` of Z3 made a tactic of its own
#ifndef PARTIR_EXPLAIN_PROPOSAL_H
#define PARTIR_EXPLAIN_PROPOSAL_H

#include "core/schedule/schedule.h"

typedef struct Proposal {
    uint32_t n;
    const Tactic *tactics;
    uint32_t same; // so many of the first are unchanged
    GatherPolicy gathers;
    const char *says;
} Proposal;

// What is changed: the tactics as they were applied.
typedef struct Edited {
    Arena *a;
    uint32_t n;
    const Tactic *tactics;
    GatherPolicy gathers;
} Edited;

// Line `line` of tactic k gets another value.
Proposal propose_value(const Edited *e, uint32_t k, uint32_t line, LineValue value, int64_t dim);
Proposal propose_without_line(const Edited *e, uint32_t k, uint32_t line);
Proposal propose_line(const Edited *e, uint32_t k, const TacticLine *line); // at the end of tactic k
Proposal propose_tactic(const Edited *e, uint32_t at, Span axis, const TacticLine *line);
Proposal propose_move(const Edited *e, uint32_t from, uint32_t to); // tactic `from` becomes tactic `to`
// A line of tactic k becomes tactic `to` of the schedule; the rest of k keeps its order with the others.
Proposal propose_split(const Edited *e, uint32_t k, uint32_t line, uint32_t to);
Proposal propose_gathers(const Edited *e, GatherPolicy gathers);
// The changed tactics as text to paste, with a comment that says where.
void proposal_print(const Proposal *x, const Edited *e, int indent, Buffer *out);

#endif
