// Compact: ops, values and regions numbered anew in program order. What is not reachable from the module's body is
// gone.
//
//     an op's results, then the arguments of its regions, then what is inside them
#include "ir/module.h"

// The arrays of the module as they will be.
typedef struct Fresh {
    Op *ops;
    Value *values;
    ValueId *operands;
    NamedAttr *op_attrs;
    Region *regions;
    RegionId *op_regions;
    uint32_t n_ops, n_values, n_operands, n_op_attrs, n_regions, n_op_regions;
} Fresh;

static void number_values(const Module *m, ValueId *map) {
    uint32_t next = 0;
    for (OpId op = module_first(m); op != NO_ID; op = op_walk(m, op)) {
        const Op *o = op_get(m, op);
        for (uint32_t i = 0; i < o->n_results; i++) map[o->first_result + i] = next++;
        for (uint32_t i = 0; i < o->n_regions; i++) {
            const Region *r = &m->regions.at[op_region(m, op, i)];
            for (uint32_t k = 0; k < r->n_args; k++) map[r->first_arg + k] = next++;
        }
    }
}

static void move_region(const Module *m, Fresh *f, RegionId from, OpId parent) {
    Region r = m->regions.at[from];
    uint32_t first = r.first_arg;
    r.parent = parent;
    if (r.n_args) r.first_arg = f->n_values;
    for (uint32_t k = 0; k < r.n_args; k++) {
        Value v = m->values.at[first + k];
        v.owner = f->n_regions;
        f->values[f->n_values++] = v;
    }
    r.first = r.last = NO_ID;
    f->regions[f->n_regions++] = r;
}

// Appends the op to its region. `region_of` says where each old region went.
static void move_op(const Module *m, Fresh *f, OpId from, const ValueId *map, RegionId *region_of) {
    Op o = m->ops.at[from];
    OpId id = f->n_ops++;
    for (uint32_t i = 0; i < o.n_operands; i++)
        f->operands[f->n_operands + i] = map[m->operands.at[o.first_operand + i]];
    for (uint32_t i = 0; i < o.n_attrs; i++) f->op_attrs[f->n_op_attrs + i] = m->op_attrs.at[o.first_attr + i];
    for (uint32_t i = 0; i < o.n_results; i++) {
        Value v = m->values.at[o.first_result + i];
        v.owner = id;
        f->values[f->n_values + i] = v;
    }
    o.first_operand = f->n_operands;
    o.first_attr = f->n_op_attrs;
    o.first_result = f->n_values;
    f->n_operands += o.n_operands;
    f->n_op_attrs += o.n_attrs;
    f->n_values += o.n_results;
    uint32_t old_regions = o.first_region;
    o.first_region = f->n_op_regions;
    for (uint32_t i = 0; i < o.n_regions; i++) {
        RegionId old = m->op_regions.at[old_regions + i];
        region_of[old] = f->n_regions;
        f->op_regions[f->n_op_regions++] = f->n_regions;
        move_region(m, f, old, id);
    }
    o.parent = region_of[o.parent];
    o.next = NO_ID;
    Region *r = &f->regions[o.parent];
    if (r->last == NO_ID)
        r->first = id;
    else
        f->ops[r->last].next = id;
    r->last = id;
    f->ops[id] = o;
}

#define TAKE(m, f, field)                                                                                              \
    do {                                                                                                               \
        if ((f).n_##field) memcpy((m)->field.at, (f).field, (f).n_##field * sizeof *(f).field);                        \
        (m)->field.n = (f).n_##field;                                                                                  \
    } while (0)

void module_compact(Module *m) {
    Arena scratch;
    arena_init(&scratch, m->ctx);
    ValueId *map = arena_new(&scratch, ValueId, m->values.n);
    RegionId *region_of = arena_new(&scratch, RegionId, m->regions.n);
    Fresh f = {.ops = arena_new(&scratch, Op, m->ops.n),
               .values = arena_new(&scratch, Value, m->values.n),
               .operands = arena_new(&scratch, ValueId, m->operands.n),
               .op_attrs = arena_new(&scratch, NamedAttr, m->op_attrs.n),
               .regions = arena_new(&scratch, Region, m->regions.n),
               .op_regions = arena_new(&scratch, RegionId, m->op_regions.n)};
    number_values(m, map);
    region_of[0] = 0;
    move_region(m, &f, 0, NO_ID);
    for (OpId op = module_first(m); op != NO_ID; op = op_walk(m, op)) move_op(m, &f, op, map, region_of);
    TAKE(m, f, ops);
    TAKE(m, f, values);
    TAKE(m, f, operands);
    TAKE(m, f, op_attrs);
    TAKE(m, f, regions);
    TAKE(m, f, op_regions);
    arena_free(&scratch);
    idmap_clear(&m->function_map);
    for (OpId op = module_first(m); op != NO_ID; op = op_get(m, op)->next)
        if (op_kind(m, op) == OP_func_func) idmap_add(&m->function_map, span_hash(op_attr_text(m, op, A_sym_name)), op);
}
