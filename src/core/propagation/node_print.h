// Prints nodes and source places by the names that the user wrote, for reports and explanations.
#ifndef PARTIR_CORE_PROPAGATION_NODE_PRINT_H
#define PARTIR_CORE_PROPAGATION_NODE_PRINT_H

#include "core/propagation/graph.h"

// Where the user wrote an op: the innermost file and line of its location, else its place in the module's text.
void place_print(const Module *m, OpId op, Buffer *out);
// A node in the user's words: "stablehlo.add at model.py:12", "argument params/w", "result out/0".
void node_print(const Graph *g, NodeId n, Buffer *out);

#endif
