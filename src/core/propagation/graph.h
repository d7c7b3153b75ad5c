// Graph: the program as propagation sees it. A node is a set of factors that are tiled together; values connect nodes.
//
// Most ops are one node. Some are several, since nothing couples their parts: a `while` is one identity for each
// carried value (init, body argument, condition argument, body result and loop result agree), `case`/`if` one for each
// result, optimization_barrier one for each operand. Arguments and results of @main are identities too; a tied pair
// (next state of an argument) is one. Where an op can leave a pending sum, an identity stands between it and its uses:
// it says how the sum is stored (tiled: reduce_scatter; whole: all_reduce).
//
// Constants, iota and broadcasts of scalar constants have no node: each use takes the chunk it wants, so they never
// couple unrelated ops.
#ifndef PARTIR_CORE_PROPAGATION_GRAPH_H
#define PARTIR_CORE_PROPAGATION_GRAPH_H

#include "core/rule/rule.h"

typedef uint32_t NodeId;

typedef enum NodeKind {
    NODE_OP,
    NODE_SUM,      // operand: result of an op that may be pending; result: the same value as its uses see it
    NODE_CARRY,    // sub = index of the carried value. operands: init, body result; results: body argument, condition
                   // argument, loop result
    NODE_BRANCH,   // sub = index of the result. operands: each branch's result; result: the op's
    NODE_BARRIER,  // sub = index of the operand
    NODE_ARGUMENT, // sub = index. result: the argument. Tied: operand: the returned value
    NODE_RESULT    // sub = index. operand: the returned value
} NodeKind;

typedef struct Node {
    uint8_t kind;
    OpId op;       // NO_ID for arguments and results
    uint32_t sub;
    const Rule *rule;
    uint32_t first;       // into Graph.tensors: operands, then results
    uint32_t tied_result; // NODE_ARGUMENT: index of the result tied to it, or NO_ID
} Node;

// Where a value meets a node: tensor `tensor` of node `node`.
typedef struct Port {
    NodeId node;
    uint32_t tensor;
} Port;

typedef struct Graph {
    const Module *m;
    uint32_t n_nodes;
    Node *nodes;
    ValueId *tensors;    // values of the nodes' tensors; values at or above n_values are the far sides of NODE_SUM
    uint32_t n_values;   // module values, then one virtual value for each NODE_SUM (the pending side)
    Port *producer;      // by value; node NO_ID for sources and values outside the graph
    uint32_t *first_use; // by value: uses are use_ports[first_use[v] .. first_use[v + 1])
    Port *use_ports;
    NodeId *op_node;                     // by op: its NODE_OP, or the first node of several, or NO_ID
    NodeId *value_sum;                   // by value: its NODE_SUM or NO_ID
    NodeId *argument_node, *result_node; // by index; a tied result has its argument's node
    uint32_t n_arguments, n_results;
    RegionId body; // of @main
} Graph;

// A result that is the next state of an argument.
typedef struct TiedPair {
    uint32_t argument, result;
} TiedPair;

// `m` is inlined and prepared (core/prepare.h).
void graph_build(Graph *g, const Module *m, RuleBook *book, const TiedPair *ties, uint32_t n_ties, Arena *a);

// Constants, iota, and broadcasts of scalar constants.
bool value_is_source(const Module *m, ValueId v);
static inline ValueId node_value(const Graph *g, NodeId n, uint32_t tensor) {
    return g->tensors[g->nodes[n].first + tensor];
}

#endif
