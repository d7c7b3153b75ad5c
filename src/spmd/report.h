// Report: what each tactic did, as a table for people and as JSON for tools.
#ifndef PARTIR_SPMD_REPORT_H
#define PARTIR_SPMD_REPORT_H

#include "spmd/attribution.h"
#include "spmd/partition.h"

void report_table(Partition *p, Buffer *out);
void report_json(Partition *p, Buffer *out);
// Its members "arguments" and "results": name, type, shape and distribution of each.
void report_json_values(Partition *p, Buffer *out);
// What a collective serves, as members of an object: "tactic", "what", "serves", "path", "place".
void report_json_served(const Partition *p, const Attributed *c, Buffer *out);
void report_json_axes(const Mesh *mesh, AxisSet axes, Buffer *out);

// Where the user wrote an op: the innermost file and line of its location, else its place in the module's text.
void place_print(const Module *m, OpId op, Buffer *out);
// A node in the user's words: "stablehlo.add at model.py:12", "argument params/w", "result out/0".
void node_print(const Graph *g, NodeId n, Buffer *out);

#endif
