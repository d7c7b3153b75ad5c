// Op classes: how ops of each kind fuse, derived from the op table.
#include "sim/fusion/fusion.h"

// From the cost column of the op table.
enum {
    CLASS_elementwise = FUSE_CHEAP,
    CLASS_free = FUSE_NEVER,
    CLASS_collective = FUSE_NEVER,
    CLASS_transcendental = FUSE_COSTLY,
    CLASS_movement = FUSE_MOVE,
    CLASS_control = FUSE_NEVER,
    CLASS_matrix = FUSE_NEVER,
    CLASS_convolution = FUSE_NEVER,
    CLASS_custom_call = FUSE_NEVER,
    CLASS_dot = FUSE_NEVER,
    CLASS_update = FUSE_NEVER,
    CLASS_fft = FUSE_NEVER,
    CLASS_map = FUSE_COSTLY,
    CLASS_reduce = FUSE_NEVER,
    CLASS_window = FUSE_NEVER,
    CLASS_rng = FUSE_NEVER,
    CLASS_scatter = FUSE_NEVER,
    CLASS_sort = FUSE_NEVER
};

#define IS_SHAPE(k) ((k) == OP_reshape || (k) == OP_partir_tag || (k) == OP_optimization_barrier)
#define IS_NEVER(k)                                                                                                    \
    ((k) == OP_gather || (k) == OP_dynamic_gather || (k) == OP_torch_index_select || (k) == OP_concatenate ||          \
     (k) == OP_batch_norm_grad || (k) == OP_batch_norm_inference || (k) == OP_batch_norm_training || (k) == OP_rng)

#define FUSE_CLASS(k, cost)                                                                                            \
    ((k) == OP_constant           ? FUSE_CONSTANT                                                                      \
     : IS_SHAPE(k)                ? FUSE_SHAPE                                                                         \
     : (k) == OP_partir_all_slice ? FUSE_MOVE                                                                          \
     : IS_NEVER(k)                ? FUSE_NEVER                                                                         \
                                  : (FuseClass)CLASS_##cost)

const uint8_t fuse_classes[OP_COUNT] = {
#define OP(id, name, in, out, rg, form, shape, rule, kernel, cost, operands, attrs) FUSE_CLASS(OP_##id, cost),
#include "ir/ops.def"
};

#define IS_HOISTED(k, c) ((c) != FUSE_MOVE && (c) != FUSE_SHAPE && (c) != FUSE_CONSTANT && (k) != OP_iota)
#define HAS_COPIES(k)    (IS_PRODUCT(k) || (k) == OP_select_and_scatter)
#define IS_REMATERIALIZABLE(k, c)                                                                                      \
    (IS_PRODUCT(k) || (k) == OP_concatenate || (k) == OP_reduce || (k) == OP_iota || (c) != FUSE_NEVER)
#define HAS_RULE(k) ((k) == OP_gather || (k) == OP_scatter || (k) == OP_reduce || (k) == OP_convert || (k) == OP_pad)
#define HAS_SCRATCH(k)                                                                                                 \
    (HAS_COPIES(k) || (k) == OP_sort || (k) == OP_chlo_top_k || (k) == OP_partir_all_gather || (k) == OP_partir_all_to_all)
#define TRAITS(k, c)                                                                                                   \
    ((IS_HOISTED(k, c) ? TRAIT_HOISTED : 0) | (HAS_COPIES(k) ? TRAIT_COPIES : 0) |                                     \
     (IS_REMATERIALIZABLE(k, c) ? TRAIT_REMATERIALIZABLE : 0) | (HAS_RULE(k) ? TRAIT_RULE : 0) |                       \
     (HAS_SCRATCH(k) ? TRAIT_SCRATCH : 0) | ((c) == FUSE_CHEAP || (c) == FUSE_COSTLY ? TRAIT_ELEMENTWISE : 0))

const uint8_t op_traits[OP_COUNT] = {
#define OP(id, name, in, out, rg, form, shape, rule, kernel, cost, operands, attrs)                                    \
    TRAITS(OP_##id, FUSE_CLASS(OP_##id, cost)),
#include "ir/ops.def"
};

FuseClass fuse_class_by_rule(const Module *m, const Backend *backend, const Fusion *f, OpId op) {
    OpKind kind = op_kind(m, op);
    bool fused = kind == OP_scatter &&
                 ((backend->scatters_to_selects && scatter_selects(m, op)) || (f->scatter_add && f->scatter_add[op]));
    if (kind == OP_gather && backend->fuses_gathers) return FUSE_MOVE;
    if (kind == OP_reduce && reduces_nothing(m, op)) return FUSE_SHAPE;
    if (kind == OP_pad && backend->strides_in_memory && strided_dims(m, op)) return FUSE_NEVER;
    if (kind == OP_convert && backend->normalizes_bf16 && result_type(m, op, 0)->elem == EL_BF16) return FUSE_COSTLY;
    return fused ? FUSE_CHEAP : (FuseClass)fuse_classes[kind];
}
