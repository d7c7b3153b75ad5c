// Rules of ops that compute nothing themselves: control flow, barriers, calls, and ops that a partitioned program cannot
// contain.
//
//     while: ([i, j], [k])->([i, j], [k])                one identity for each carried value
#include "core/rule/rule_build.h"

// while, case, if, return, func: propagation works on each carried value alone (rulebook_identity); this rule is all of
// them at once. Trip counts and branches are the same on all devices, since predicates are scalars and never tiled.
void rule_control(RuleBuilder *b) {
    OpKind kind = op_kind(b->m, b->op);
    if (kind != OP_case && kind != OP_if) {
        rule_give_identities(b);
        return;
    }
    for (uint32_t i = 0; i < b->n_results; i++)
        for (uint32_t d = 0; d < rank_of(b, result_of(b, i)) && !b->gave_up; d++)
            factor_at(b, FACTOR_PASS, result_of(b, i), d);
}

// Never one op: it would couple what rematerialization groups together.
void rule_barrier(RuleBuilder *b) { rule_give_identities(b); }

void rule_inlined(RuleBuilder *b) { rule_give_whole(b, "calls are inlined before partitioning"); }

// Why an op cannot be in a program for several devices; NULL if it can, as a whole on each of them.
static const char *why_refused(OpKind kind) {
    switch (kind) {
    case OP_after_all:
    case OP_create_token:
    case OP_infeed:
    case OP_outfeed:
    case OP_recv:
    case OP_send: return "it talks to the outside, once on each device";
    case OP_async_start:
    case OP_async_done: return "asynchronous ops are made by the compiler, after partitioning";
    case OP_tuple:
    case OP_get_tuple_element: return "tuples have no shape to tile";
    case OP_sdy_mesh: return "it declares a mesh of its own";
    case OP_sdy_manual_computation: return "it is partitioned by hand already";
    case OP_partir_loop:
    case OP_partir_slice:
    case OP_partir_all_slice:
    case OP_partir_all_gather:
    case OP_partir_all_reduce:
    case OP_partir_reduce_scatter:
    case OP_partir_all_to_all:
    case OP_partir_collective_permute:
    case OP_partir_axis_index: return "the program is partitioned already";
    default: return NULL;
    }
}

// Sizes that are not known have been refused before: what is left of the dynamic ops has static types, and sizes among
// its operands.
void rule_refuse(RuleBuilder *b) {
    const char *why = why_refused(op_kind(b->m, b->op));
    if (op_attr(b->m, b->op, A_manual) != NO_ID) {
        rule_give_manual(b);
        return;
    }
    if (why) {
        rule_give_refusal(b, why);
        return;
    }
    switch (op_kind(b->m, b->op)) {
    case OP_check_expect_almost_eq:
    case OP_check_expect_almost_eq_const:
    case OP_check_expect_close:
    case OP_check_expect_eq:
    case OP_check_expect_eq_const: rule_give_whole(b, "each device checks the whole value"); break;
    case OP_chlo_scan: rule_give_whole(b, "its region runs over a dimension in order"); break;
    default: rule_give_whole(b, "its sizes are operands"); break;
    }
}

// Each device is a group of its own: replica_groups = dense<[[0], [1], …]>.
static bool groups_are_singletons(const RuleBuilder *b) {
    AttrId id = op_attr(b->m, b->op, A_replica_groups);
    if (id == NO_ID) return false;
    const Attr *a = attr_get(b->m, id);
    if (a->type == NO_ID) return false;
    const Type *t = type_get(b->m, a->type);
    return t->kind == TYPE_TENSOR && t->rank == 2 && t->dims[0] > 0 && t->dims[1] == 1;
}

// A program that talks to other devices has its own idea of how many there are, and groups that name them by number.
// Among devices that are each alone, these ops are identities. Local: the operand itself.
void rule_collective(RuleBuilder *b) {
    if (op_attr(b->m, b->op, A_manual) != NO_ID) {
        rule_give_manual(b);
        return;
    }
    if (is_group_collective(op_kind(b->m, b->op)) && groups_are_singletons(b))
        rule_give_identities(b);
    else
        rule_give_refusal(b, "the program talks to other devices already");
}
