// Import: by memo tables from ids of the source to ids of the target. Recursion is as deep as attributes nest, which
// the reader limits.
#include "ir/import.h"

typedef VEC(LocId) LocIdList;

static uint32_t *unmapped(Arena *a, uint32_t n) {
    uint32_t *map = arena_new(a, uint32_t, n);
    memset(map, 0xff, n * sizeof *map);
    return map;
}

void import_init(Import *im, const Module *src, Module *dst, Arena *a) {
    *im = (Import){.src = src, .dst = dst};
    im->types = unmapped(a, src->types.n);
    im->attrs = unmapped(a, src->attrs.n);
    im->names = unmapped(a, src->names.n);
    im->locs = unmapped(a, src->locs.n);
}

NameId import_name(Import *im, NameId n) {
    if (n < A_COUNT || n == NO_ID) return n; // every module starts with these
    if (im->names[n] == NO_ID) im->names[n] = name_intern(im->dst, name_get(im->src, n));
    return im->names[n];
}

TypeId import_type(Import *im, TypeId t) {
    if (t == NO_ID) return t;
    if (im->types[t] != NO_ID) return im->types[t];
    Type type = *type_get(im->src, t);
    if (type.kind == TYPE_TUPLE || type.kind == TYPE_FUNCTION) {
        TypeId *parts = arena_new(&im->dst->arena, TypeId, type.rank);
        for (uint32_t i = 0; i < type.rank; i++) parts[i] = import_type(im, type.parts[i]);
        type.parts = parts;
    }
    if (type.kind == TYPE_TENSOR && type.encoding != NO_ID) type.encoding = import_attr(im, type.encoding);
    if (type.elem == EL_QUANT && (type.kind == TYPE_TENSOR || type.kind == TYPE_UNRANKED || type.kind == TYPE_SCALAR)) {
        // Equal parameters have equal text: look for them before adding.
        const Quant *q = &im->src->quants.at[type.quant];
        uint32_t k = 0;
        while (k < im->dst->quants.n && !span_eq(im->dst->quants.at[k].text, q->text)) k++;
        if (k == im->dst->quants.n) vec_push(&im->dst->arena, &im->dst->quants, *q);
        type.quant = k;
    }
    return im->types[t] = type_intern(im->dst, &type);
}

static void import_entries(Import *im, const NamedAttr *from, uint32_t n, NamedAttr *to) {
    for (uint32_t i = 0; i < n; i++) to[i] = (NamedAttr){import_name(im, from[i].name), import_attr(im, from[i].value)};
}

AttrId import_attr(Import *im, AttrId id) {
    if (id == NO_ID) return id;
    if (im->attrs[id] != NO_ID) return im->attrs[id];
    Attr attr = *attr_get(im->src, id);
    Arena *a = &im->dst->arena;
    attr.type = import_type(im, attr.type);
    if (attr.kind == ATTR_ARRAY) {
        AttrId *items = arena_new(a, AttrId, attr.n);
        for (uint32_t i = 0; i < attr.n; i++) items[i] = import_attr(im, attr.items[i]);
        attr.items = items;
    } else if (attr.kind == ATTR_DICT) {
        NamedAttr *entries = arena_new(a, NamedAttr, attr.n);
        import_entries(im, attr.entries, attr.n, entries);
        attr.entries = entries;
    } else if (attr.kind == ATTR_RECORD) {
        FieldValue *fields = arena_new(a, FieldValue, attr.n);
        for (uint32_t i = 0; i < attr.n; i++) {
            fields[i] = attr.fields[i];
            if (field_info[fields[i].field].kind == FIELD_TYPE) fields[i].i = import_type(im, (TypeId)fields[i].i);
            if (field_info[fields[i].field].kind == FIELD_ATTR) fields[i].i = import_attr(im, (AttrId)fields[i].i);
        }
        attr.fields = fields;
    }
    return im->attrs[id] = attr_intern(im->dst, &attr);
}

// The id in dst, given before what it refers to is carried over: locations refer to each other by aliases, as deep as the text says, and in circles.
static LocId reserve_loc(Import *im, LocId id, LocIdList *work) {
    if (id == NO_ID || im->locs[id] != NO_ID) return id == NO_ID ? id : im->locs[id];
    vec_push(&im->dst->arena, work, id);
    return im->locs[id] = loc_add(im->dst, &im->src->locs.at[id]);
}

LocId import_loc(Import *im, LocId id) {
    if (id == NO_ID || im->locs[id] != NO_ID) return id == NO_ID ? id : im->locs[id];
    LocIdList work = {0};
    LocId made = reserve_loc(im, id, &work);
    while (work.n) {
        LocId next = work.at[--work.n];
        Loc loc = im->src->locs.at[next];
        loc.name = import_name(im, loc.name);
        loc.child = reserve_loc(im, loc.child, &work);
        loc.other = reserve_loc(im, loc.other, &work);
        loc.metadata = import_attr(im, loc.metadata);
        LocId *children = arena_new(&im->dst->arena, LocId, loc.n_children);
        for (uint32_t i = 0; i < loc.n_children; i++) children[i] = reserve_loc(im, loc.children[i], &work);
        loc.children = children;
        im->dst->locs.at[im->locs[next]] = loc;
    }
    return made;
}

void import_attrs(Import *im, OpId op, NamedAttr *out) {
    const Op *o = op_get(im->src, op);
    import_entries(im, im->src->op_attrs.at + o->first_attr, o->n_attrs, out);
}

OpSpec import_spec(Import *im, OpId op, const ValueId *operands, Arena *a) {
    const Op *o = op_get(im->src, op);
    TypeId *results = arena_new(a, TypeId, o->n_results);
    NamedAttr *attrs = arena_new(a, NamedAttr, o->n_attrs);
    for (uint32_t i = 0; i < o->n_results; i++)
        results[i] = import_type(im, value_type(im->src, op_result(im->src, op, i)));
    import_attrs(im, op, attrs);
    return (OpSpec){.kind = (OpKind)o->kind,
                    .operands = operands,
                    .n_operands = o->n_operands,
                    .results = results,
                    .n_results = o->n_results,
                    .attrs = attrs,
                    .n_attrs = o->n_attrs,
                    .n_regions = o->n_regions,
                    .loc = import_loc(im, o->loc),
                    .source = o->source};
}

ValueId *import_operands(const Import *im, OpId op, const ValueId *map, Arena *a) {
    uint32_t n = op_get(im->src, op)->n_operands;
    ValueId *operands = arena_new(a, ValueId, n);
    for (uint32_t i = 0; i < n; i++) operands[i] = map[op_operand(im->src, op, i)];
    return operands;
}

void import_op(Import *im, OpId op, const ValueId *operands, RegionId into, ValueId *map) {
    const Op *o = op_get(im->src, op);
    OpSpec spec = import_spec(im, op, operands, &im->dst->arena);
    OpId copy = op_new(im->dst, into, &spec);
    for (uint32_t i = 0; i < o->n_results; i++) map[op_result(im->src, op, i)] = op_result(im->dst, copy, i);
    for (uint32_t r = 0; r < o->n_regions; r++)
        import_region(im, op_region(im->src, op, r), op_region(im->dst, copy, r), map);
}

static void import_mapped(Import *im, OpId op, RegionId into, ValueId *map) {
    const Op *o = op_get(im->src, op);
    ValueId *operands = arena_new(&im->dst->arena, ValueId, o->n_operands);
    for (uint32_t i = 0; i < o->n_operands; i++) operands[i] = map[op_operand(im->src, op, i)];
    import_op(im, op, operands, into, map);
}

void import_region(Import *im, RegionId from, RegionId into, ValueId *map) {
    const Region *r = &im->src->regions.at[from];
    for (uint32_t i = 0; i < r->n_args; i++)
        map[r->first_arg + i] =
            region_add_argument(im->dst, into, import_type(im, value_type(im->src, r->first_arg + i)));
    for (OpId op = r->first; op != NO_ID; op = op_get(im->src, op)->next) import_mapped(im, op, into, map);
}

void import_named_functions(Import *im, ValueId *map) {
    OpId main = module_main(im->src);
    for (OpId op = im->src->regions.at[0].first; op != NO_ID; op = op_get(im->src, op)->next)
        if (op != main && op_kind(im->src, op) == OP_func_func) import_mapped(im, op, 0, map);
}

void import_header(Import *im) {
    const Module *src = im->src;
    Module *dst = im->dst;
    NamedAttr *attrs = arena_new(&dst->arena, NamedAttr, src->n_module_attrs);
    import_entries(im, src->module_attrs, src->n_module_attrs, attrs);
    struct Resource *resources = arena_new(&dst->arena, struct Resource, src->n_resources);
    for (uint32_t i = 0; i < src->n_resources; i++)
        resources[i] = (struct Resource){import_name(im, src->resources[i].dialect),
                                         import_name(im, src->resources[i].key), src->resources[i].hex};
    dst->module_attrs = attrs;
    dst->n_module_attrs = src->n_module_attrs;
    dst->symbol = import_name(im, src->symbol);
    dst->source = src->source; // for diagnostics, and texts of constants; it stays with the source module
    dst->argument_names = src->argument_names;
    dst->result_names = src->result_names;
    dst->resources = resources;
    dst->n_resources = src->n_resources;
}
