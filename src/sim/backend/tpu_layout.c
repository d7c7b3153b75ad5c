// TPU layouts: propagates layouts forward from the ops that give one, then backward from the ops that need one, then adds padding.
#include "sim/backend/rules.h"
#include "sim/fusion/fusion.h"

enum { ROWS = 8, LANES = 128 };

// Dimensions that may lie innermost, as bits; all where nothing is known.
typedef struct Layout {
    uint64_t lanes, rows;
} Layout;

#define ANY_DIM UINT64_MAX
static const Layout any_layout = {ANY_DIM, ANY_DIM};

typedef struct LayoutPass {
    const Module *m;
    Arena *a;
    Layout *of;      // by value
    uint8_t *fixed;  // by value: an argument or a result of @main
    double *relaid;  // by operand; NULL if none is
    Layout *compact; // by type: the pairs of dimensions that pad the least; no lanes if nobody asked
    double *least;   // by type: what these pad it to; 0 if nobody asked
} LayoutPass;

static bool is_any(Layout l) { return l.lanes == ANY_DIM; } // and so are the rows

static bool is_main_argument(const LayoutPass *pass, ValueId v) { return pass->fixed[v] && pass->m->values.at[v].is_arg; }

static uint64_t bits(const int64_t *dims, uint32_t n) {
    uint64_t found = 0;
    for (uint32_t i = 0; i < n; i++) found |= UINT64_C(1) << dims[i];
    return found;
}

static uint64_t record_bits(const Module *m, OpId op, AttrName record, RecordField field) {
    AttrId id = op_attr(m, op, record);
    uint32_t n = 0;
    const int64_t *dims = id == NO_ID ? NULL : record_ints(m, id, field, &n);
    return bits(dims, n);
}

static uint64_t last_bit(uint64_t set) {
    while (set & (set - 1)) set &= set - 1;
    return set;
}

static uint64_t all_dims(const Type *t) { return t->rank >= 64 ? ANY_DIM : (UINT64_C(1) << t->rank) - 1; }

// ---- Padding -------------------------------------------------------------------------------------------------------

static double rounded(int64_t n, int64_t to) { return (double)((n + to - 1) / to * to) / (double)n; }

// Fewer rows are in tiles of 4, 2 or 1.
static double rows_ratio(int64_t n) { return rounded(n, n > 4 ? ROWS : n > 2 ? 4 : n); }

static double padding(const Type *t, Layout l) {
    double best = 0;
    for (uint32_t i = 0; i < t->rank && best != 1; i++)
        for (uint32_t k = 0; k < t->rank && best != 1; k++) {
            bool allowed = i != k && l.lanes >> i & l.rows >> k & 1;
            if (!allowed || t->dims[i] <= 0 || t->dims[k] <= 0) continue;
            double ratio = rounded(t->dims[i], LANES) * rows_ratio(t->dims[k]);
            if (best == 0 || ratio < best) best = ratio;
        }
    return best == 0 ? 1 : best;
}

double tile_padding(const Type *t) { return padding(t, any_layout); }

static Layout find_compact_layout(const Type *t) {
    Layout found = {0, 0};
    double best = tile_padding(t);
    for (uint32_t i = 0; i < t->rank && i < 64; i++)
        for (uint32_t k = 0; k < t->rank && k < 64; k++) {
            Layout l = {UINT64_C(1) << i, UINT64_C(1) << k};
            if (i != k && padding(t, l) == best) found.lanes |= l.lanes, found.rows |= l.rows;
        }
    return found.lanes ? found : any_layout;
}

static Layout compact_layout(const LayoutPass *pass, TypeId t) {
    Layout *known = &pass->compact[t];
    if (!known->lanes) *known = find_compact_layout(type_get(pass->m, t));
    return *known;
}

// Tiles follow one another from left to right: along the lanes they come to lie between one another; along the rows they do not if
// they are full.
uint32_t tile_moves(const Type *t, uint32_t dim) {
    double best = 0;
    uint32_t lanes = 0, rows = 0;
    for (uint32_t i = t->rank; i-- > 0;)
        for (uint32_t k = t->rank; k-- > 0;) {
            double ratio = i == k || t->dims[i] <= 0 || t->dims[k] <= 0 ? 0 : rounded(t->dims[i], LANES) * rows_ratio(t->dims[k]);
            if (ratio > 0 && (best == 0 || ratio < best)) best = ratio, lanes = i, rows = k;
        }
    if (best == 0) return 0;
    return dim == lanes ? 2 : dim == rows && t->dims[dim] % ROWS ? 1 : 0;
}

double tile_padding_as_written(const Type *t) {
    if (t->rank < 2 || t->dims[t->rank - 1] <= 0 || t->dims[t->rank - 2] <= 0) return 1;
    return rounded(t->dims[t->rank - 1], LANES) * rows_ratio(t->dims[t->rank - 2]);
}

// Seen for 80 and more elements of which one is kept, and not for 65 and fewer.
#define OF_EACH_KEPT 72

bool has_top_k_kernel(const Module *m, OpId op) {
    const Type *t = operand_type(m, op, 0);
    return t->rank == 2 && t->dims[1] >= OF_EACH_KEPT * op_attr_int(m, op, A_k, 1);
}

double top_k_sorts(const Module *m, OpId op) {
    const Type *t = operand_type(m, op, 0);
    return has_top_k_kernel(m, op) ? 0 : (t->bytes + 2.0 * sizeof(int32_t) * t->elements) * tile_padding(t);
}

// ---- What ops ask for and give -------------------------------------------------------------------------------------

// Batch dimensions stay outside, if two others are left.
static Layout outside(const Type *t, uint64_t batch) {
    uint64_t rest = all_dims(t) & ~batch;
    return batch && rest & (rest - 1) ? (Layout){rest, rest} : any_layout;
}

static Layout dot_operand_layout(const Module *m, OpId op, uint32_t operand) {
    RecordField batch = operand == 0 ? RF_DOT_lhs_batching_dimensions : RF_DOT_rhs_batching_dimensions;
    return outside(operand_type(m, op, operand), record_bits(m, op, A_dot_dimension_numbers, batch));
}

// Of more than three dimensions, as of heads, its readers ask for one.
static Layout dot_result(const LayoutPass *pass, OpId op) {
    const Module *m = pass->m;
    uint32_t n = 0;
    AttrId numbers = op_attr(m, op, A_dot_dimension_numbers);
    if (numbers == NO_ID) return any_layout;
    record_ints(m, numbers, RF_DOT_lhs_batching_dimensions, &n);
    if (n == 0 && result_type(m, op, 0)->rank > 3) return any_layout;
    if (n == 0) return compact_layout(pass, value_type(m, op_result(m, op, 0)));
    return outside(result_type(m, op, 0), (UINT64_C(1) << n) - 1);
}

// Rows of a table, one after another: the last dimension of a row is its lanes.
static Layout row_layout(const Type *t, uint64_t row) {
    return row ? (Layout){last_bit(row), all_dims(t) & ~last_bit(row)} : any_layout;
}

static Layout gather_result(const Module *m, OpId op) {
    return row_layout(result_type(m, op, 0), record_bits(m, op, A_dimension_numbers, RF_GATHER_offset_dims));
}

static Layout scatter_operand(const Module *m, OpId op) {
    const Type *t = operand_type(m, op, 0);
    uint64_t gone = record_bits(m, op, A_scatter_dimension_numbers, RF_SCATTER_inserted_window_dims) |
                    record_bits(m, op, A_scatter_dimension_numbers, RF_SCATTER_input_batching_dims);
    return row_layout(t, all_dims(t) & ~gone);
}

static Layout scatter_updates(const Module *m, OpId op) {
    const Type *t = operand_type(m, op, op_get(m, op)->n_operands - 1);
    return row_layout(t, record_bits(m, op, A_scatter_dimension_numbers, RF_SCATTER_update_window_dims));
}

static Layout convolution_side(const Module *m, OpId op, RecordField batch, RecordField feature) {
    AttrId numbers = op_attr(m, op, A_dimension_numbers);
    uint64_t dims = UINT64_C(1) << record_int(m, numbers, batch, 0) | UINT64_C(1) << record_int(m, numbers, feature, 0);
    return (Layout){dims, dims};
}

// What is written one part after another lies outside, where there are others.
static Layout update_layout(const Module *m, OpId op) {
    const Type *t = operand_type(m, op, 0), *part = operand_type(m, op, 1);
    uint64_t whole = 0;
    for (uint32_t i = 0; i < t->rank && i < 64; i++) whole |= t->dims[i] == part->dims[i] ? UINT64_C(1) << i : 0;
    return whole & (whole - 1) ? (Layout){whole, whole} : any_layout;
}

// Dimensions along which a slice or a pad leaves out or puts in elements between others lie outside.
uint64_t strided_dims(const Module *m, OpId op) {
    bool pad = op_kind(m, op) == OP_pad;
    AttrId list = op_attr(m, op, pad ? A_interior_padding : A_strides);
    uint64_t strided = 0;
    for (uint32_t i = 0; list != NO_ID && i < attr_get(m, list)->n && i < 64; i++)
        if (attr_get(m, list)->ints[i] > !pad) strided |= UINT64_C(1) << i;
    return strided;
}

static Layout strided_layout(const Module *m, OpId op) { return outside(operand_type(m, op, 0), strided_dims(m, op)); }

static Layout given(const LayoutPass *pass, OpId op) {
    const Module *m = pass->m;
    switch (op_kind(m, op)) {
    case OP_slice:
    case OP_pad: return strided_layout(m, op);
    case OP_dynamic_update_slice: return update_layout(m, op);
    case OP_dot_general: return dot_result(pass, op);
    case OP_gather: return gather_result(m, op);
    case OP_scatter: return op_get(m, op)->n_results == 1 ? scatter_operand(m, op) : any_layout;
    case OP_convolution:
        return convolution_side(m, op, RF_CONV_output_batch_dimension, RF_CONV_output_feature_dimension);
    default: return any_layout;
    }
}

// Ops that ask for layouts. Those that INSIST read what they are given in a layout of their own only, where products take in a copy.
enum { ASKS = 1, INSISTS };
static const uint8_t layout_asker[OP_COUNT] = {[OP_dot_general] = ASKS, [OP_convolution] = ASKS, [OP_dynamic_update_slice] = ASKS,
                                               [OP_gather] = INSISTS,   [OP_scatter] = INSISTS,  [OP_slice] = INSISTS,
                                               [OP_pad] = INSISTS,      [OP_chlo_top_k] = ASKS};

// The kernel of top_k goes over rows side by side, which are its lanes; what computes the elements of its operand does so for it.
static Layout top_k_layout(const Module *m, OpId op) {
    const Type *t = operand_type(m, op, 0);
    if (!has_top_k_kernel(m, op) || t->dims[0] <= ROWS || !m->values.at[op_operand(m, op, 0)].is_arg) return any_layout;
    return (Layout){1, 2};
}

static Layout asked(const Module *m, OpId op, uint32_t operand) {
    switch (op_kind(m, op)) {
    case OP_slice:
    case OP_pad: return operand == 0 ? strided_layout(m, op) : any_layout;
    case OP_chlo_top_k: return top_k_layout(m, op);
    case OP_dot_general: return dot_operand_layout(m, op, operand);
    case OP_dynamic_update_slice: return operand < 2 ? update_layout(m, op) : any_layout;
    case OP_scatter:
        if (op_get(m, op)->n_results != 1) return any_layout;
        return operand == 0 ? scatter_operand(m, op) : operand == 2 ? scatter_updates(m, op) : any_layout;
    case OP_convolution:
        return operand == 0 ? convolution_side(m, op, RF_CONV_input_batch_dimension, RF_CONV_input_feature_dimension)
                            : any_layout;
    default: return any_layout;
    }
}

// ---- From operand to result and back -------------------------------------------------------------------------------

// Where dimension `d` of the operand is in the result: itself, or -1 if there is none of the same size.
typedef struct DimMap {
    int8_t to[MAX_RANK];
    uint32_t n;
} DimMap;

// Elements stay where they are.
static inline bool keeps_dims(const Module *m, OpId op, uint32_t operand) {
    OpKind k = op_kind(m, op);
    bool keeps = op_is_elementwise(k) || k == OP_pad || k == OP_slice || k == OP_select || k == OP_concatenate;
    return keeps && operand_type(m, op, operand)->rank == result_type(m, op, 0)->rank;
}

// Which dimension of the result each dimension of the operand becomes; false if the op mixes them.
static bool map_dims(const Module *m, OpId op, uint32_t operand, DimMap *map) {
    const Type *from = operand_type(m, op, operand), *to = result_type(m, op, 0);
    bool transpose = op_kind(m, op) == OP_transpose;
    if (!transpose && op_kind(m, op) != OP_broadcast_in_dim) return false;
    AttrId list = op_attr(m, op, transpose ? A_permutation : A_broadcast_dimensions);
    if (from->rank > MAX_RANK || to->rank > MAX_RANK || list == NO_ID || attr_get(m, list)->kind != ATTR_INTS) return false;
    map->n = from->rank;
    for (uint32_t i = 0; i < from->rank; i++) map->to[i] = -1;
    for (uint32_t i = 0; i < attr_get(m, list)->n; i++) {
        int64_t d = attr_get(m, list)->ints[i];
        if (transpose)
            map->to[d] = (int8_t)i;
        else if (from->dims[i] == to->dims[d])
            map->to[i] = (int8_t)d;
    }
    return true;
}

static uint64_t map_bits(uint64_t set, const DimMap *map, bool back) {
    if (set == ANY_DIM) return ANY_DIM;
    uint64_t found = 0;
    for (uint32_t i = 0; i < map->n; i++) {
        if (map->to[i] < 0) continue;
        uint64_t from = UINT64_C(1) << (back ? (uint32_t)map->to[i] : i), to = UINT64_C(1) << (back ? i : (uint32_t)map->to[i]);
        if (set & from) found |= to;
    }
    return found;
}

static Layout map_through(const Module *m, OpId op, uint32_t operand, Layout l, bool back) {
    DimMap map;
    if (!map_dims(m, op, operand, &map)) return any_layout;
    return (Layout){map_bits(l.lanes, &map, back), map_bits(l.rows, &map, back)};
}

// A layout of an operand as one of the result, or `back`; any if the op mixes dimensions.
static inline Layout map_layout(const Module *m, OpId op, uint32_t operand, Layout l, bool back) {
    if (!keeps_dims(m, op, operand)) l = map_through(m, op, operand, l, back);
    return l.lanes && l.rows ? l : any_layout;
}

static void take_over_forwards(LayoutPass *pass, OpId op) {
    const Op *o = op_get(pass->m, op);
    const ValueId *first = pass->m->operands.at + o->first_operand, *v = first, *end = first + o->n_operands;
    Layout *of = pass->of, *out = &of[o->first_result];
    for (; v < end; v++) {
        if (is_any(of[*v])) continue; // as most
        *out = map_layout(pass->m, op, (uint32_t)(v - first), of[*v], false);
        if (!is_any(*out)) return;
    }
}

static bool agree(Layout a, Layout b) { return a.lanes & b.lanes && a.rows & b.rows; }

// Whether an op reads a copy of a value that lies in another layout than it wants. An argument of @main is also copied for products
// and for what computes its elements, if their layout pads more; a convolution takes in the copy if lanes stay what they are.
static bool reads_copy(const LayoutPass *pass, OpKind k, ValueId v, Layout want) {
    const Type *t = value_tensor(pass->m, v);
    if (is_any(want)) return false;
    if (!is_main_argument(pass, v)) return layout_asker[k] == INSISTS && !is_any(pass->of[v]) && !agree(pass->of[v], want);
    bool same_lanes = k == OP_convolution && compact_layout(pass, value_type(pass->m, v)).lanes & want.lanes;
    double *least = &pass->least[value_type(pass->m, v)];
    if (*least == 0) *least = tile_padding(t);
    return !same_lanes && padding(t, want) > *least;
}

static void read_copy(LayoutPass *pass, uint32_t operand, Layout want) {
    const Module *m = pass->m;
    if (!pass->relaid) pass->relaid = arena_zalloc(pass->a, m->operands.n * sizeof *pass->relaid);
    pass->relaid[operand] = padding(value_tensor(m, m->operands.at[operand]), want);
}

static void ask_backwards(LayoutPass *pass, OpId op) {
    const Module *m = pass->m;
    const Op *o = op_get(m, op);
    OpKind kind = (OpKind)o->kind;
    bool hands_on = o->n_results == 1 && !is_any(pass->of[o->first_result]);
    if (!hands_on && !layout_asker[kind]) return;
    for (uint32_t i = 0; i < o->n_operands; i++) {
        ValueId v = op_operand(m, op, i);
        bool argument = is_main_argument(pass, v);
        if (!argument && !is_any(pass->of[v]) && layout_asker[kind] != INSISTS) continue; // whatever it wants
        Layout want = layout_asker[kind] ? asked(m, op, i) : any_layout;
        bool takes_over = !pass->fixed[v] || (argument && keeps_dims(m, op, i));
        if (is_any(want) && hands_on && takes_over) want = map_layout(m, op, i, pass->of[o->first_result], true);
        if (reads_copy(pass, kind, v, want)) read_copy(pass, o->first_operand + i, want);
        if (is_any(pass->of[v]) && !argument) pass->of[v] = want;
    }
}

// ---- The pass ------------------------------------------------------------------------------------------------------

static void fix_ends(LayoutPass *pass) {
    const Module *m = pass->m;
    RegionId body = op_region(m, module_main(m), 0);
    OpId ret = region_terminator(m, body);
    for (uint32_t i = 0; i < m->regions.at[body].n_args; i++) pass->fixed[m->regions.at[body].first_arg + i] = 1;
    for (uint32_t i = 0; i < op_get(m, ret)->n_operands; i++) pass->fixed[op_operand(m, ret, i)] = 1;
}

// Results of @main that an op gives in a layout of its own, which is then copied.
static bool gives_result(OpKind k) {
    return k == OP_transpose || k == OP_reshape || layout_asker[k] == ASKS;
}

TpuLayouts assign_tpu_layouts(const Module *m, const ProgramOrder *written, Arena *a) {
    LayoutPass state = {.m = m,
                        .a = a,
                        .of = arena_new(a, Layout, m->values.n),
                        .fixed = arena_zalloc(a, m->values.n),
                        .compact = arena_zalloc(a, m->types.n * sizeof(Layout)),
                        .least = arena_zalloc(a, m->types.n * sizeof(double))};
    LayoutPass *pass = &state;
    for (uint32_t v = 0; v < m->values.n; v++) pass->of[v] = any_layout;
    fix_ends(pass);
    for (uint32_t p = 0; p < written->n; p++) {
        OpId op = written->at[p];
        const Op *o = op_get(m, op);
        if (o->n_results != 1 || (pass->fixed[o->first_result] && !gives_result((OpKind)o->kind))) continue;
        if (layout_asker[o->kind]) pass->of[o->first_result] = given(pass, op);
        if (is_any(pass->of[o->first_result])) take_over_forwards(pass, op);
    }
    for (uint32_t p = written->n; p-- > 0;) ask_backwards(pass, written->at[p]);
    struct Known { // of a type, in the layout that was met last
        Layout layout;
        double ratio;
    } *known = arena_zalloc(a, m->types.n * sizeof *known);
    double *ratio = arena_new(a, double, m->values.n);
    for (uint32_t v = 0; v < m->values.n; v++) {
        struct Known *k = &known[value_type(m, v)];
        Layout l = pass->of[v];
        if (k->layout.lanes != l.lanes || k->layout.rows != l.rows)
            *k = (struct Known){l, padding(value_tensor(m, v), l)};
        ratio[v] = k->ratio;
    }
    return (TpuLayouts){ratio, pass->relaid};
}
