// Rules: for each op its factors, the independent index variables it is made of, as in an einsum.
//
//     dot_general: ([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}
//
// Tensors are numbered operands first, then results. Each dimension of each tensor is made of factors, major first: one
// as a rule, several in a reshape, none only where a rule gave up (see note). The sizes of a dimension's factors
// multiply to its size, except for factors that are never tiled (WHOLE, SHIFT) and those that move (MOVE), which may stand
// for dimensions of different sizes (a pad's operand and result).
#ifndef PARTIR_CORE_RULE_RULE_H
#define PARTIR_CORE_RULE_RULE_H

#include "core/monoid.h"

#define NO_FACTOR UINT8_MAX // no factor: the nest has none on the axis, or the rule has given up

typedef enum FactorKind {
    FACTOR_PASS,   // tile the operands and results that have it
    FACTOR_REDUCE, // tile the operands that have it; each device then holds a part of the result, to be combined by the
                   // rule's monoid
    FACTOR_WHOLE,  // may not be tiled: the op needs it whole         (need_replication)
    FACTOR_SHIFT,  // tiled only by exchanging edges with neighbours (permutation); not tiled yet
    FACTOR_MOVE    // passes, and what crosses a chunk's border moves between devices (permutation)
} FactorKind;

typedef struct Factor {
    int64_t size;
    FactorKind kind;
    int64_t common; // FACTOR_MOVE: divides all dimensions that have it, of whatever sizes
} Factor;

// What an axis must divide to tile the factor.
static inline int64_t factor_chunks(const Factor *f) { return f->kind == FACTOR_MOVE ? f->common : f->size; }

#define RULE_MAX_FACTORS 255

// Immutable once built; equal ops share one rule.
typedef struct Rule {
    uint8_t n_factors;
    uint8_t monoid; // of the FACTOR_REDUCE factors
    bool refuse;    // the op means nothing in a program that runs on several devices: note says why
    bool elementwise; // every tensor has the same dimensions, each a factor of its own; an identity is so too
    bool moves;       // some factor is a FACTOR_MOVE
    bool compound;    // some dimension is made of several factors
    uint32_t n_operands, n_results;
    const Factor *factors;
    // Dimension d of tensor t is made of dim_factors[dim_first[tensor_first[t] + d] .. dim_first[tensor_first[t] + d +
    // 1])
    const uint32_t *tensor_first; // n_operands + n_results + 1 entries
    const uint32_t *dim_first;
    const uint8_t *dim_factors;
    // For each factor and each tensor: the dimension that has it, or -1. A factor is in at most one dimension of a
    // tensor.
    const int8_t *factor_dim; // [factor * n_tensors + tensor]
    const char *note;         // why nothing can be tiled (an unknown custom call, …) or NULL
} Rule;

static inline uint32_t rule_tensors(const Rule *r) { return r->n_operands + r->n_results; }
static inline uint32_t rule_rank(const Rule *r, uint32_t tensor) {
    return r->tensor_first[tensor + 1] - r->tensor_first[tensor];
}
static inline const uint8_t *rule_dim(const Rule *r, uint32_t tensor, uint32_t dim, uint32_t *n) {
    uint32_t d = r->tensor_first[tensor] + dim;
    *n = r->dim_first[d + 1] - r->dim_first[d];
    return r->dim_factors + r->dim_first[d];
}
static inline int rule_factor_dim(const Rule *r, uint32_t factor, uint32_t tensor) {
    return r->factor_dim[factor * rule_tensors(r) + tensor];
}

// A rule the user wrote for a custom call: `rule "my_kernel" : (b h s d, b h s d) -> (b h s d) reduction(…) whole(…)`.
typedef struct UserRule {
    Span target; // custom call target name
    uint32_t offset; // in the schedule
    // Factor names of each dimension, e.g. "b h s d"; parsed when the schedule is read.
    uint32_t n_operands, n_results;
    const Span
        *tensors; // n_operands + n_results strings of space-separated factor names, compound in parentheses: "b (h k)"
    uint32_t n_reduction, n_whole;
    const Span *reduction, *whole;
} UserRule;

// Where an op takes an operand from: of a concatenate or a pad, what was sliced, if the slice's size divides worse than that
// (the slices of a roll have n - k and k elements of n). The slice is then part of the op.
ValueId rule_unsliced_operand(const Module *m, OpId op, uint32_t operand);
static inline ValueId rule_operand(const Module *m, OpId op, uint32_t operand) {
    OpKind kind = op_kind(m, op);
    return kind == OP_concatenate || kind == OP_pad ? rule_unsliced_operand(m, op, operand) : op_operand(m, op, operand);
}

// What became of a rule of the user's.
typedef struct UserRuleUse {
    bool called;         // the program has a call that it is for
    const char *problem; // why it does not fit such a call; NULL: it does
} UserRuleUse;

typedef struct RuleBook RuleBook; // builds and shares the rules of one module
RuleBook *rulebook_new(const Module *m, Arena *a, const UserRule *user, uint32_t n_user);
// Of each rule of the user's, once the rules of all ops were asked for; and the calls that have no rule, by name.
const UserRuleUse *rulebook_uses(const RuleBook *b);
const char *const *rulebook_calls_without_rule(const RuleBook *b, uint32_t *n);
void rulebook_trust(RuleBook *b); // what custom calls say of themselves (sdy.sharding_rule) is taken for their rule
// Never NULL: an op nobody knows has only FACTOR_WHOLE factors and a note.
const Rule *rulebook_rule(RuleBook *b, OpId op);
// One identity for one value: one FACTOR_PASS for each dimension, `n_operands` operands and `n_results` results of that
// type. (arguments, carried values of while/case/if, optimization_barrier)
const Rule *rulebook_identity(RuleBook *b, TypeId type, uint32_t n_operands, uint32_t n_results);

// "([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}": Shardy's notation.
void rule_print(const Rule *r, Buffer *out);
void rule_factor_name(uint32_t factor, Buffer *out); // its letter there
// One line for each op of each function, in program order: "stablehlo.dot_general: ([i, k], …". As JSON:
// {"version": 1, "rules": [{"op": …, "line": …, …}, …]}.
void rules_print(const Module *m, Arena *a, bool json, Buffer *out);

#endif
