// Donation: reads the attributes by which JAX marks it.
#include "sim/memory/donation.h"

const int64_t *find_donated(const Module *m, RegionId body, Arena *a) {
    const Region *r = &m->regions.at[body];
    AttrId attrs = op_attr(m, r->parent, A_arg_attrs);
    const Attr *all = attrs == NO_ID ? NULL : attr_get(m, attrs);
    NameId aliasing = name_find(m, SPAN("tf.aliasing_output")), donor = name_find(m, SPAN("jax.buffer_donor"));
    int64_t *donated = arena_new(a, int64_t, r->n_args);
    for (uint32_t i = 0; i < r->n_args; i++) {
        const Attr *one = all && i < all->n ? attr_get(m, all->items[i]) : NULL;
        uint32_t n = one && one->kind == ATTR_DICT ? one->n : 0, k = 0;
        while (k < n && one->entries[k].name != aliasing && one->entries[k].name != donor) k++;
        donated[i] = k == n                          ? NOT_DONATED
                     : one->entries[k].name == donor ? DONATED_TO_ANY
                                                     : attr_get(m, one->entries[k].value)->i;
    }
    return donated;
}

TypeLists results_by_type(const Module *m, RegionId body, Arena *a) {
    OpId end = region_terminator(m, body);
    uint32_t n = op_get(m, end)->n_operands;
    TypeId *types = arena_new(a, TypeId, n);
    for (uint32_t i = 0; i < n; i++) types[i] = value_type(m, op_operand(m, end, i));
    return type_lists_build(m, types, n, a);
}
