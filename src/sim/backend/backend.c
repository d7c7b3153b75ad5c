// Compilers: XLA's backends.
#include "sim/backend/backend.h"
#include <math.h>

static const Compiler cpu = {.reductions_by_library = true,
                             .bf16_as_f32 = true,
                             .breadth_first = true,
                             .dots_in_order = true,
                             .gathers_fused = true,
                             .windows_indexed = true,
                             .sums_together = INFINITY,
                             .copies_donated = true,
                             .barriers_removed = true,
                             .loops_hoisted = true};
static const Compiler tpu = {.least_memory = true,
                             .sums_together = 120 << 20, // its option xla_jf_crs_combiner_threshold_in_bytes
                             .dots_fused = true,
                             .costly_again = true,
                             .arithmetic_once = true,
                             .reductions_write = true,
                             .loops_hoisted = true,
                             .gathers_stay = true,
                             .dots_read_bf16 = true,
                             .sums_in_place = true,
                             .overwrites_sums = true,
                             .scatters_select = true,
                             .scatters_added = true,
                             .products_summed = true,
                             .concatenates_padded = true,
                             .tiled = true,
                             .gathers_kept = 75, // its option xla_tpu_spmd_threshold_for_allgather_cse is 100
                             .updates_gather = true,
                             .scatters_as_written = true,
                             .least_again = 10 << 20, // its option xla_tpu_rematerialization_min_size_in_bytes
                             .fills = 0.81,
                             .constants_in_memory = true,
                             .kernels_on_chip = 16 << 20, // its option xla_tpu_scoped_vmem_limit_kib is 16384
                             .packed_in_time = 0.85};
static const Compiler gpu = {.costly_again = true,
                             .arithmetic_once = true,
                             .windows_fused = true,
                             .gathers_together = 30 << 20, // its option xla_gpu_all_gather_combine_threshold_bytes
                             .sums_in_place = true,
                             .overwrites_sums = true,
                             .loops_hoisted = true};

const Compiler *device_compiler(const Device *d) {
    static const Compiler *const compilers[] = {[COMPILER_GPU] = &gpu, [COMPILER_CPU] = &cpu, [COMPILER_TPU] = &tpu};
    return compilers[d->compiler];
}
