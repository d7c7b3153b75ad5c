// Backends: XLA's options and passes for CPU, TPU and GPU.
#include "sim/backend/backend.h"
#include <math.h>

static const Backend cpu = {.library_fusion = true,
                            .normalizes_bf16 = true,
                            .bfs = true,
                            .gets_cpu_order = true,
                            .scatters_to_selects = true,
                            .fuses_gathers = true,
                            .relays_dot_operands = true,
                            .indexes_windows = true,
                            .all_reduce_combine_bytes = INFINITY,
                            .removes_barriers = true,
                            .hoists_invariants = true};
static const Backend tpu = {.min_memory = true,
                            .all_reduce_combine_bytes = 120 << 20, // its option xla_jf_crs_combiner_threshold_in_bytes
                            .fuses_dot_producers = true,
                            .fuses_products = true,
                            .duplicates_expensive = true,
                            .eliminates_arithmetic = true,
                            .reductions_write_producers = true,
                            .hoists_invariants = true,
                            .keeps_gathers_in_loops = true,
                            .stores_bf16 = true,
                            .all_reduces_in_place = true,
                            .overwrites_only_sums = true,
                            .scatters_to_selects = true,
                            .sorts_places = true,
                            .fuses_scatter_adds = true,
                            .gathers_to_sums = true,
                            .accumulates_in_place = true,
                            .tiled_layout = true,
                            .strides_in_memory = true,
                            .multi_output_fusion = true,
                            .gather_cse_distance = 75,   // its option xla_tpu_spmd_threshold_for_allgather_cse is 100
                            .remat_min_bytes = 10 << 20, // its option xla_tpu_rematerialization_min_size_in_bytes
                            .remat_fill = 0.81,
                            .stores_constants = true,
                            .vmem_reserved = 16 << 20, // its option xla_tpu_scoped_vmem_limit_kib is 16384
                            .pack_by_time_fill = 0.85};
static const Backend gpu = {.duplicates_expensive = true,
                            .eliminates_arithmetic = true,
                            .fuses_window_producers = true,
                            // its option xla_gpu_all_gather_combine_threshold_bytes
                            .all_gather_combine_bytes = 30 << 20,
                            .all_reduces_in_place = true,
                            .overwrites_only_sums = true,
                            .hoists_invariants = true};

const Backend *device_backend(const Device *d) {
    static const Backend *const compilers[] = {[BACKEND_GPU] = &gpu, [BACKEND_CPU] = &cpu, [BACKEND_TPU] = &tpu};
    return compilers[d->backend];
}
