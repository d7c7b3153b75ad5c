// Report: what each tactic did, as a table for people and as JSON for tools.
#ifndef PARTIR_SESSION_REPORT_H
#define PARTIR_SESSION_REPORT_H

#include "core/propagation/node_print.h"
#include "session/partition.h"
#include "spmd/summary/attribution.h"

void report_table(Partition *p, Buffer *out);
void report_json(Partition *p, Span more, Buffer *out); // `more`: further members, each after a comma
// Its members "arguments" and "results": name, type, shape and distribution of each.
void report_json_values(Partition *p, Buffer *out);
void trips_note(uint32_t n, Buffer *out); // below a table: that n loops have an unknown trip count
// What a collective serves, as members of an object: "tactic", "what", "serves", "path", "place".
void report_json_served(const Partition *p, const Attributed *c, Buffer *out);
// "all_gather on batch of params/layers/*/up/kernel ×24, by Z3, for loc/… at model.py:41", and the groups that are shown of many.
void report_group(const Partition *p, const AttributedGroup *g, Buffer *out);
#define MAX_GROUPS_SHOWN 12
void report_json_axes(const Mesh *mesh, AxisSet axes, Buffer *out);

#endif
