// Donation: as JAX marks it.
#include "sim/donation.h"

int64_t donated_to(const Module *m, uint32_t argument) {
    AttrId attrs = op_attr(m, module_main(m), A_arg_attrs);
    const Attr *all = attrs == NO_ID ? NULL : attr_get(m, attrs);
    if (!all || argument >= all->n) return NOT_DONATED;
    const Attr *a = attr_get(m, all->items[argument]);
    for (uint32_t i = 0; a->kind == ATTR_DICT && i < a->n; i++) {
        Span name = name_get(m, a->entries[i].name);
        if (span_is(name, "tf.aliasing_output")) return attr_get(m, a->entries[i].value)->i;
        if (span_is(name, "jax.buffer_donor")) return DONATED_TO_ANY;
    }
    return NOT_DONATED;
}
