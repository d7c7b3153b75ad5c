// RuleBuilder: what a rule function (rule_X of the op table) writes its factors with. Internal to the rule_*.c files.
//
//     uint8_t i = factor_at(b, FACTOR_PASS, 0, 0);        // a new factor, of the size of dimension 0 of operand 0
//     dim_has(b, result_of(b, 0), 0, i);                  // dimension 0 of the result has it too
//
// A rule reads like its line in docs/rules.md. What the device-local op needs beyond smaller shapes stands beside it as
// "Local:". Soundness comes first: PASS and REDUCE only where the op on the chunks gives exactly the chunk (or part) of
// the result.
#ifndef PARTIR_CORE_RULE_RULE_BUILD_H
#define PARTIR_CORE_RULE_RULE_BUILD_H

#include "core/rule/rule.h"

typedef struct FactorPlace {
    uint32_t tensor, dim;
    uint8_t factor;
} FactorPlace;

typedef struct RuleBuilder {
    const Module *m;
    OpId op;
    Arena *arena;
    const UserRule *user;
    uint32_t n_user;
    UserRuleUse *uses; // by rule of the user's
    VEC(const char *) without_rule; // calls, each once
    bool trust; // sdy.sharding_rule attributes are rules
    uint32_t n_operands, n_results;
    const TypeId *types;          // of all tensors
    const uint32_t *tensor_first; // as in Rule
    uint32_t *dim_count;          // how many factors each dimension has, by tensor_first[tensor] + dim
    uint32_t extra;               // what rule_extra found beyond attributes and types
    Factor factors[RULE_MAX_FACTORS];
    uint32_t n_factors;
    VEC(FactorPlace) places;
    Monoid monoid;
    bool refuse, gave_up;
    const char *note;
} RuleBuilder;

typedef void (*RuleFunction)(RuleBuilder *b);

// Types must have been set (operands, then results); everything else starts empty.
void rule_begin(RuleBuilder *b, const TypeId *types, uint32_t n_operands, uint32_t n_results);
const Rule *rule_finish(RuleBuilder *b);

static inline uint32_t result_of(const RuleBuilder *b, uint32_t i) { return b->n_operands + i; }
static inline uint32_t tensors_of(const RuleBuilder *b) { return b->n_operands + b->n_results; }
static inline const Type *type_of(const RuleBuilder *b, uint32_t tensor) { return type_get(b->m, b->types[tensor]); }
uint32_t rank_of(const RuleBuilder *b, uint32_t tensor); // 0 for what is no tensor
int64_t size_of(const RuleBuilder *b, uint32_t tensor, uint32_t dim);

uint8_t factor_new(RuleBuilder *b, int64_t size, FactorKind kind);
// Appends the factor to the dimension. A factor of size 1 is left out of a dimension that already has one.
void dim_has(RuleBuilder *b, uint32_t tensor, uint32_t dim, uint8_t factor);
uint8_t factor_at(RuleBuilder *b, FactorKind kind, uint32_t tensor, uint32_t dim);
// One factor for dimension `dim` of all tensors but scalars, of the size it has in tensor `like`.
void factor_across(RuleBuilder *b, FactorKind kind, uint32_t like, uint32_t dim);

// Every dimension has a WHOLE factor of its own, and the note says why. Factors so far are dropped.
void rule_give_whole(RuleBuilder *b, const char *note);
void rule_give_refusal(RuleBuilder *b, const char *note); // the same, and Rule.refuse
// For each i, operand i and result i (where they exist) are one value: all dimensions PASS.
void rule_give_identities(RuleBuilder *b);
const char *rule_format(RuleBuilder *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3))); // a note with names in it

// Lists of integers in attributes, whether array<i64: …> or dense.
typedef struct Ints {
    const int64_t *at;
    uint32_t n;
} Ints;
Ints attr_list(const RuleBuilder *b, AttrName name);
Ints field_list(const RuleBuilder *b, AttrName record, RecordField field);
bool ints_have(Ints list, uint32_t dim);
int ints_find(Ints list, uint32_t dim); // position, or -1
static inline int64_t ints_or(Ints list, uint32_t i, int64_t absent) { return i < list.n ? list.at[i] : absent; }

// ---- Pieces shared between families ---------------------------------------------------------------------------------
// The factors of a batched matrix op: leading `batch` dimensions of all tensors PASS, all others WHOLE (the same for
// tensors of one type).
void rule_give_batched(RuleBuilder *b, uint32_t batch);
// Operands and results differ in one dimension alone, which is searched or sorted as a whole.
void rule_give_whole_dim(RuleBuilder *b, uint32_t dim);
const char *rule_give_user(RuleBuilder *b, const UserRule *rule); // rule_user.c; why it does not fit, or NULL
// rule_offer.c: the schedule's line for a custom call, from its sdy.sharding_rule if that can be read (`given`); and the
// rule that such a line is.
const char *rule_offer(RuleBuilder *b, Span target, Span attribute, bool *given);
bool rule_trust(RuleBuilder *b, const char *line);
void rule_give_manual(RuleBuilder *b);                     // rule_manual.c: an op with the attribute `manual`
bool extra_monoid(const RuleBuilder *b, Monoid *out); // the monoid of the op's region, as rule_extra found it

// Every function of the op table's rule column.
#define OP(id, name, in, out, rg, form, shape, rule, kernel, cost, operands, attrs) void rule_##rule(RuleBuilder *b);
#include "ir/ops.def"

#endif
