// The kernel column of the op table.
#include "interp/kernel.h"

static const KernelFn kernels[OP_COUNT] = {
#define OP(id, name, in, out, rg, form, shape, rule, kernel, cost, operands, attrs) [OP_##id] = kernel_##kernel,
#include "ir/ops.def"
};

KernelFn kernel_of(OpKind kind) { return kernels[kind]; }

bool kernel_is_lockstep(OpKind kind) {
    static const KernelFn together[] = {
        kernel_while,
        kernel_if,
        kernel_case,
        kernel_call,
        kernel_async,
        kernel_all_gather,
        kernel_all_reduce,
        kernel_reduce_scatter,
        kernel_all_to_all,
        kernel_collective_permute,
        kernel_collective_broadcast,
        kernel_collective_reduce,
        kernel_partir_collective,
        kernel_loop,
    };
    for (size_t i = 0; i < sizeof together / sizeof *together; i++)
        if (kernels[kind] == together[i]) return true;
    return false;
}

bool kernel_is_pure(OpKind kind) {
    return kind != OP_partition_id && kind != OP_replica_id && kind != OP_partir_axis_index && kind != OP_rng &&
           kind != OP_custom_call;
}
