// The signature of the device-local @main: local types, the distribution of each argument and result as a plain string,
// the name of each argument that has one, and aliases.
//
// `tf.aliasing_output` of the input is no tie: buffers are matched again by equal local type (an alias between unequal
// sizes does not compile); a donated argument that finds no result becomes `jax.buffer_donor`.
#include "ir/type_lists.h"
#include "spmd/lower/lowering.h"
#include <string.h>

typedef struct Signature {
    Lowering *l;
    NameId aliasing, donor, distribution, name;
    const AttrId *old_args, *old_results;   // dictionaries of the source, or NULL
    const TypeId *arg_types, *result_types; // local
    uint32_t n_args, n_results;
    uint32_t *alias;  // by argument: result, NO_ID: none
    struct DistText { // found lately
        const Dist *dist;
        uint32_t rank;
        AttrId text;
    } texts[64];
    bool *donated;
} Signature;

static const AttrId *dictionaries(const Module *m, OpId func, AttrName name) {
    AttrId a = op_attr(m, func, name);
    return a == NO_ID ? NULL : attr_get(m, a)->items;
}

static AttrId find_entry(const Module *m, AttrId dict, const char *name) {
    const Attr *d = attr_get(m, dict);
    for (uint32_t i = 0; d->kind == ATTR_DICT && i < d->n; i++)
        if (span_is(name_get(m, d->entries[i].name), name)) return d->entries[i].value;
    return NO_ID;
}

static void match_aliases(Signature *s) {
    const Module *src = s->l->src;
    bool *taken = arena_zalloc(s->l->a, s->n_results);
    for (uint32_t i = 0; i < s->n_args; i++) { // the original pairs that still fit
        s->alias[i] = NO_ID;
        AttrId old = find_entry(src, s->old_args[i], "tf.aliasing_output");
        s->donated[i] = old != NO_ID || find_entry(src, s->old_args[i], "jax.buffer_donor") != NO_ID;
        int64_t k = old == NO_ID ? -1 : attr_get(src, old)->i;
        if (k < 0 || k >= s->n_results || taken[k] || s->arg_types[i] != s->result_types[k]) continue;
        s->alias[i] = (uint32_t)k;
        taken[k] = true;
    }
    TypeLists left = {0};
    for (uint32_t i = 0; i < s->n_args; i++) { // then any two of one type
        if (!s->donated[i] || s->alias[i] != NO_ID) continue;
        if (!left.first) left = type_lists_build(s->l->out, s->result_types, s->n_results, s->l->a);
        do s->alias[i] = type_lists_take(&left, s->arg_types[i]);
        while (s->alias[i] != NO_ID && taken[s->alias[i]]);
    }
}

static AttrId dist_text(Signature *s, const Dist *d, uint32_t rank) {
    enum { N = sizeof s->texts / sizeof *s->texts };
    struct DistText *t = &s->texts[((uintptr_t)d / 16 + rank) % N];
    if (t->dist == d && t->rank == rank) return t->text;
    Buffer text;
    buf_init(&text, s->l->a);
    dist_print(d, s->l->mesh, rank, &text);
    *t = (struct DistText){d, rank, attr_string(s->l->out, (Span){text.at, text.n})};
    return t->text;
}

// "arg12"
static bool is_called_by_place(const char *name, uint32_t arg) {
    uint32_t unit = 1;
    if (strncmp(name, "arg", 3) != 0) return false;
    for (name += 3; arg / unit >= 10;) unit *= 10;
    for (; unit; unit /= 10)
        if (*name++ != (char)('0' + arg / unit % 10)) return false;
    return *name == 0;
}

// Whether a reader would not find the name of an argument by itself: it is called after its place, or it says.
static bool is_named(const Signature *s, uint32_t arg) {
    const Module *src = s->l->src;
    return !is_called_by_place(src->argument_names[arg], arg) &&
           !(s->old_args && find_entry(src, s->old_args[arg], "partir.name") != NO_ID);
}

// The old entries that still hold, without what says how another system would shard, and ours.
static AttrId new_dictionary(Signature *s, AttrId old, const Dist *d, uint32_t rank, uint32_t arg) {
    Lowering *l = s->l;
    enum { OURS = 3 }; // at most
    const Attr *dict = old == NO_ID ? NULL : attr_get(l->src, old);
    uint32_t most = (dict ? dict->n : 0) + OURS, n = 0;
    NamedAttr few[FEW], *entries = few_or_new(l->a, NamedAttr, few, most);
    for (uint32_t i = 0; dict && i < dict->n; i++) {
        Span name = name_get(l->src, dict->entries[i].name);
        if (span_is(name, "tf.aliasing_output") || span_is(name, "jax.buffer_donor") ||
            span_is(name, "mhlo.sharding") || span_is(name, "sdy.sharding"))
            continue;
        entries[n++] =
            (NamedAttr){import_name(&l->im, dict->entries[i].name), import_attr(&l->im, dict->entries[i].value)};
    }
    if (arg != NO_ID && s->donated[arg] && s->alias[arg] == NO_ID)
        entries[n++] = (NamedAttr){s->donor, attr_bool(l->out, true)};
    entries[n++] = (NamedAttr){s->distribution, dist_text(s, d, rank)};
    if (arg != NO_ID && is_named(s, arg))
        entries[n++] = (NamedAttr){s->name, attr_string(l->out, span_of(l->src->argument_names[arg]))};
    if (arg != NO_ID && s->alias[arg] != NO_ID)
        entries[n++] = (NamedAttr){s->aliasing, attr_int(l->out, s->alias[arg], EL_I32)};
    for (uint32_t i = 1; i < n; i++) { // dictionaries are sorted by name
        NamedAttr e = entries[i];
        uint32_t j = i;
        for (; j > 0; j--) {
            Span a = name_get(l->out, entries[j - 1].name), b = name_get(l->out, e.name);
            int c = memcmp(a.at, b.at, a.n < b.n ? a.n : b.n);
            if (c < 0 || (c == 0 && a.n <= b.n)) break;
            entries[j] = entries[j - 1];
        }
        entries[j] = e;
    }
    return attr_dict(l->out, entries, n);
}

// The same again, if nothing has changed that it says.
static AttrId dictionary(Signature *s, uint32_t index, AttrId old, const Dist *d, uint32_t rank, uint32_t arg) {
    SignatureEntry *entry = s->l->signature ? &s->l->signature[index] : NULL;
    uint32_t alias = arg == NO_ID ? NO_ID : s->alias[arg];
    if (entry && entry->dist == d && entry->alias == alias) return entry->dict;
    AttrId dict = new_dictionary(s, old, d, rank, arg);
    if (entry) *entry = (SignatureEntry){d, alias, dict};
    return dict;
}

static void module_attributes(Lowering *l) {
    Module *out = l->out;
    import_header(&l->im);
    NamedAttr *attrs = arena_new(&out->arena, NamedAttr, l->src->n_module_attrs + 3);
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->src->n_module_attrs; i++) {
        NamedAttr a = l->src->module_attrs[i];
        Span name = name_get(l->src, a.name);
        if (span_is(name, "mhlo.num_partitions") || span_is(name, "mhlo.num_replicas") || span_is(name, "partir.mesh"))
            continue;
        attrs[n++] = (NamedAttr){import_name(&l->im, a.name), import_attr(&l->im, a.value)};
    }
    attrs[n++] = (NamedAttr){name_intern(out, SPAN("mhlo.num_partitions")), attr_int(out, l->mesh->n_devices, EL_I32)};
    attrs[n++] = (NamedAttr){name_intern(out, SPAN("mhlo.num_replicas")), attr_int(out, 1, EL_I32)};
    Buffer mesh;
    buf_init(&mesh, &out->arena);
    mesh_print(l->mesh, &mesh);
    attrs[n++] = (NamedAttr){name_intern(out, SPAN("partir.mesh")), attr_string(out, (Span){mesh.at, mesh.n})};
    out->module_attrs = attrs;
    out->n_module_attrs = n;
}

void lower_signature(Lowering *l, OpId main, OpId out_main, const Dist *const *args, const Dist *const *results) {
    const Module *src = l->src;
    Module *out = l->out;
    Signature s = {.l = l, .n_args = l->g->n_arguments, .n_results = l->g->n_results};
    s.aliasing = name_intern(out, SPAN("tf.aliasing_output"));
    s.donor = name_intern(out, SPAN("jax.buffer_donor"));
    s.distribution = name_intern(out, SPAN("partir.distribution"));
    s.name = name_intern(out, SPAN("partir.name"));
    s.old_args = dictionaries(src, main, A_arg_attrs);
    s.old_results = dictionaries(src, main, A_res_attrs);
    s.alias = arena_new(l->a, uint32_t, s.n_args);
    memset(s.alias, 0xff, s.n_args * sizeof *s.alias);
    s.donated = arena_zalloc(l->a, s.n_args);
    TypeId *parts = arena_new(l->a, TypeId, s.n_args + s.n_results);
    RegionId body = op_region(out, out_main, 0);
    OpId ret = region_terminator(out, body);
    for (uint32_t i = 0; i < s.n_args; i++) parts[i] = value_type(out, out->regions.at[body].first_arg + i);
    for (uint32_t i = 0; i < s.n_results; i++) parts[s.n_args + i] = value_type(out, op_operand(out, ret, i));
    s.arg_types = parts;
    s.result_types = parts + s.n_args;
    if (s.old_args) match_aliases(&s);
    AttrId *dicts = arena_new(l->a, AttrId, s.n_args > s.n_results ? s.n_args : s.n_results);
    Type function = {
        .kind = TYPE_FUNCTION, .rank = s.n_args + s.n_results, .n_inputs = s.n_args, .parts = parts, .encoding = NO_ID};
    if (!l->base) { // its name does not depend on the state
        op_set_attr(out, out_main, A_sym_name, attr_string(out, SPAN("main")));
        op_set_attr(out, out_main, A_sym_visibility, attr_string(out, SPAN("public")));
    }
    op_set_attr(out, out_main, A_function_type, attr_type(out, type_intern(out, &function)));
    for (uint32_t i = 0; i < s.n_args; i++)
        dicts[i] = dictionary(&s, i, s.old_args ? s.old_args[i] : NO_ID, args[i], type_get(out, parts[i])->rank, i);
    op_set_attr(out, out_main, A_arg_attrs, attr_array(out, dicts, s.n_args));
    for (uint32_t i = 0; i < s.n_results; i++)
        dicts[i] = dictionary(&s, s.n_args + i, s.old_results ? s.old_results[i] : NO_ID, results[i],
                              type_get(out, parts[s.n_args + i])->rank, NO_ID);
    op_set_attr(out, out_main, A_res_attrs, attr_array(out, dicts, s.n_results));
    if (!l->base) module_attributes(l); // nor do they
}
