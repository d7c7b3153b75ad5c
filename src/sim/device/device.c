// Devices: the built-in ones, and how mesh axes lie on their links.
//
// Where the figures come from. Latencies, efficiencies and kernel overheads are not published: they are assumptions of ours, of the
// order that microbenchmarks in the literature show, and `partir devices NAME > my.device` is the way to other ones.
//   tpu_v2, tpu_v3   Jouppi et al., "A domain-specific supercomputer for training deep neural networks", CACM 63(7), 2020, https://doi.org/10.1145/3360307, table 3: per chip
//                    46 / 123 TFLOP/s bf16, 16 / 32 GB at 700 / 900 GB/s, 4 links of 496 / 656 Gbit/s; pods of 256 / 1024 chips, 2D torus, also in
//                    https://cloud.google.com/tpu/docs/v3, whose 340 TB/s of all-reduce are 1024 chips x 4 links x 83 GB/s one way. A device is one of the two cores of a chip: half of each. Vector
//                    unit: 128 lanes x 8 sublanes x 2 units at 700 / 940 MHz.
//   tpu_*, rings     "How to scale your model", https://jax-ml.github.io/scaling-book/tpus: slices of v5e and v6e are closed along sides of 16 chips, of v4,
//                    v5p and 7x if they are made of whole cubes of 4x4x4. Of v2 and v3 we take it that only a whole side of the pod is closed, 16 and 32 chips of two cores.
//   tpu_v4           Jouppi et al., "TPU v4", ISCA 2023, https://arxiv.org/abs/2304.01433, table 4, and https://cloud.google.com/tpu/docs/v4: 275 TFLOP/s bf16 and i8, 32 GiB at
//                    1200 GB/s, 3D torus of up to 4096, 6 links of 50 GB/s.
//   tpu_v5e          https://docs.cloud.google.com/tpu/docs/v5e: 197 TFLOP/s bf16, 393 TOP/s i8, 16 GB at 819 GB/s, 400 GB/s both ways over 4 links, 2D torus
//                    of 256; two ports of 100 Gbit/s for a host of 8 chips.
//   tpu_v5p          https://docs.cloud.google.com/tpu/docs/v5p: 459 TFLOP/s bf16 and f8, 95 GiB at 2765 GB/s, 1200 GB/s both ways over 6 links, 3D torus of
//                    8960, 50 Gbit/s of network for a chip. 918 TOP/s i8: "How to scale your model", as above.
//   tpu_v6e          https://docs.cloud.google.com/tpu/docs/v6e: 918 TFLOP/s bf16, 1836 TOP/s i8, 32 GB at 1638 GB/s, 800 GB/s both ways over 4 links, 2D torus
//                    of 256, 100 Gbit/s of network for a chip; matrix units of 256x256.
//   tpu_7x           https://docs.cloud.google.com/tpu/docs/tpu7x: per chip 2307 TFLOP/s bf16, 4614 f8, 192 GiB at 7380 GB/s, 1200 GB/s both ways over 6 links, 3D torus of
//                    9216, 100 Gbit/s of network. A device is one of the two chiplets of a chip: half of each.
//   TPU, on chip     128 MiB of v5e and v6e, 64 MiB for each of the two cores of v5p and 7x, of which those of v5p hold the same: VMEM in jax/_src/pallas/mosaic/tpu_info.py of
//                    https://github.com/jax-ml/jax, where v4 and v5p are megacores: two cores that share out each kernel. Of v2, v3 and v4 it is 16 MiB, all of which kernels use themselves.
//   TPU, units       1, 2, 4 and 4 matrix units of 128x128 a core of v2, v3, v4 and v5p, 4 of v5e, 2 of 256x256 of v6e: the pages above; of 7x, as many as its peak needs at
//                    about 2 GHz. A unit has 128 (256) rows of weights loaded while it multiplies 128 (256) rows by those before: https://jax-ml.github.io/scaling-book/tpus.
//   TPU, efficiency  one for all: 0.95 is what products reach in the TPU compiler's estimates for v5e with an operand on the chip; operands that are read
//                    again for each block of the result are in their time (src/sim/cost/kernel_rate.c).
//   TPU, overlap     with default flags the compiler (libtpu 0.0.42) makes permutes asynchronous, gathers on v5e and not on v5p, and no reduction; v6e, a torus
//                    of two dimensions too, is taken to be as v5e, all others as v5p.
//   TPU, network     where the documentation gives none, that of v5e. TPU, f32: products of f32 run as one bf16 pass, JAX's default precision.
//   a100             https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a100/pdf/nvidia-a100-datasheet-us-nvidia-1758950-r4-web.pdf: tf32 156, bf16 312 TFLOP/s, i8 624 TOP/s, f64 19.5, f32 19.5; 40 GB at 1555, 80 GB at 2039 GB/s; NVLink
//                    600 GB/s both ways; DGX A100 user guide: 8 GPUs to a node, a 200 Gbit/s port for each.
//   h100, h200       https://www.nvidia.com/en-us/data-center/h100/ (SXM) and .../h200/, without sparsity: tf32 494, bf16 989, f8 1979 TFLOP/s, i8 1979 TOP/s, f64 67, f32 67; 80 GB at
//                    3350, 141 GB at 4800 GB/s; NVLink 900 GB/s both ways; 8 ports of 400 Gbit/s for 8 GPUs:
//                    https://docs.nvidia.com/dgx-basepod/reference-architecture-infrastructure-foundation-enterprise-ai/latest/core-components.html.
//   b200             https://www.nvidia.com/en-us/data-center/dgx-b200/, an eighth, without sparsity: f8 4500, bf16 2250, tf32 1125 TFLOP/s, i8 4500 TOP/s, f64 37, f32 75; 180 GB at
//                    8000 GB/s; NVLink 1800 GB/s both ways; 8 ports of 400 Gbit/s for 8 GPUs: the same page.
//   gb200            https://www.nvidia.com/en-us/data-center/gb200-nvl72/, a 72nd, without sparsity: f8 5000, bf16 2500, tf32 1250 TFLOP/s, i8 5000 TOP/s, f64 40, f32 80; 186 GB
//                    at 8000 GB/s; NVLink 1800 GB/s both ways between 72; a port of 400 Gbit/s for each:
//                    https://docs.nvidia.com/dgx/dgxgb200-user-guide/hardware.html.
//   GPU, f32         products of f32 run as tf32, XLA's default.
//   host             one virtual device of a small machine: round figures, not measured; `partir.calibrate()` writes measured ones.
#include "sim/device/device.h"
#include "spmd/summary/summary.h"

#define GATHERS (1 << COLLECTIVE_ALL_GATHER)
#define PERMUTES (1 << COLLECTIVE_PERMUTE)
#define GIB                                                  (INT64_C(1) << 30)
#define MIB                                                  (INT64_C(1) << 20)
#define GB                                                   INT64_C(1000000000)
#define TORUS(name, dims, ring, devices, bandwidth, latency) {name, dims, ring, devices, bandwidth, latency, false}
#define SWITCH(name, devices, bandwidth, latency)            {name, 0, 0, devices, bandwidth, latency, false}
#define DCN SWITCH("dcn", 0, 3.125e9, 20e-6) /* 200 Gbit/s for a host of 8 devices */

// clang-format off
static const Device devices[] = {
    // name        memory     vmem       bytes/s, cache, page_fault FLOP/s: f64, f32, f16, f8, i8                    vector, strided  tile           eff. transposed_lhs, overhead, step; overlap, shared, compiler; links
    {"tpu_v2",     8 * GIB,   0,         350e9,   0, 0, 0, 0, {0, 23e12, 23e12, 0, 0},                          1.4e12, 0, {8, 128, 128}, 0.95, 0, 1e-6, 0, 0, PERMUTES, false, BACKEND_TPU, {TORUS("ici", 2, 32, 512, 31e9, 1e-6), DCN}, 1, 1},
    {"tpu_v3",     16 * GIB,  0,         450e9,   0, 0, 0, 0, {0, 61.5e12, 61.5e12, 0, 0},                      1.9e12, 0, {8, 128, 128}, 0.95, 0, 1e-6, 0, 0, PERMUTES, false, BACKEND_TPU, {TORUS("ici", 2, 64, 2048, 41e9, 1e-6), DCN}, 1, 2},
    {"tpu_v4",     32 * GIB,  0,         1200e9,  0, 0, 0, 0, {0, 275e12, 275e12, 0, 275e12},                   4.3e12, 0, {8, 128, 128}, 0.95, 0, 1e-6, 0, 0, PERMUTES, false, BACKEND_TPU, {TORUS("ici", 3, 4, 4096, 50e9, 1e-6), DCN}, 2, 8},
    {"tpu_v5e",    16 * GIB,  128 * MIB, 819e9,   0, 0, 0, 0, {0, 197e12, 197e12, 0, 393e12},                   6.1e12, 0, {8, 128, 128}, 0.95, 0, 1e-6, 0, 0, GATHERS | PERMUTES, false, BACKEND_TPU, {TORUS("ici", 2, 16, 256, 50e9, 1e-6), DCN}, 1, 4},
    {"tpu_v5p",    95 * GIB,  64 * MIB,  2765e9,  0, 0, 0, 0, {0, 459e12, 459e12, 0, 918e12},                   14e12,  0, {8, 128, 128}, 0.95, 0, 1e-6, 0, 0, PERMUTES, false, BACKEND_TPU, {TORUS("ici", 3, 4, 8960, 100e9, 1e-6), SWITCH("dcn", 0, 6.25e9, 20e-6)}, 2, 8},
    {"tpu_v6e",    32 * GIB,  128 * MIB, 1638e9,  0, 0, 0, 0, {0, 918e12, 918e12, 0, 1836e12},                  14e12,  0, {8, 256, 256}, 0.95, 0, 1e-6, 0, 0, GATHERS | PERMUTES, false, BACKEND_TPU, {TORUS("ici", 2, 16, 256, 100e9, 1e-6), SWITCH("dcn", 0, 12.5e9, 20e-6)}, 1, 2},
    {"tpu_7x",     96 * GIB,  64 * MIB,  3690e9,  0, 0, 0, 0, {0, 1153.5e12, 1153.5e12, 2307e12, 0},            7.8e12, 0, {8, 256, 256}, 0.95, 0, 1e-6, 0, 0, PERMUTES, false, BACKEND_TPU, {TORUS("ici", 3, 4, 18432, 50e9, 1e-6), SWITCH("dcn", 0, 6.25e9, 20e-6)}, 1, 4},
    {"a100_40gb",  40 * GB,   0,         1555e9,  0, 0, 0, 0, {19.5e12, 156e12, 312e12, 0, 624e12},             19.5e12, 0, {64, 64, 32}, 0.75, 0, 3e-6, 0, 0, OVERLAP_ALL, false, BACKEND_GPU, {SWITCH("nvlink", 8, 300e9, 2e-6), SWITCH("network", 0, 25e9, 5e-6)}, 1, 0},
    {"a100_80gb",  80 * GB,   0,         2039e9,  0, 0, 0, 0, {19.5e12, 156e12, 312e12, 0, 624e12},             19.5e12, 0, {64, 64, 32}, 0.75, 0, 3e-6, 0, 0, OVERLAP_ALL, false, BACKEND_GPU, {SWITCH("nvlink", 8, 300e9, 2e-6), SWITCH("network", 0, 25e9, 5e-6)}, 1, 0},
    {"h100",       80 * GB,   0,         3350e9,  0, 0, 0, 0, {67e12, 494e12, 989e12, 1979e12, 1979e12},        67e12,  0, {64, 128, 32}, 0.75, 0, 3e-6, 0, 0, OVERLAP_ALL, false, BACKEND_GPU, {SWITCH("nvlink", 8, 450e9, 2e-6), SWITCH("network", 0, 50e9, 5e-6)}, 1, 0},
    {"h200",       141 * GB,  0,         4800e9,  0, 0, 0, 0, {67e12, 494e12, 989e12, 1979e12, 1979e12},        67e12,  0, {64, 128, 32}, 0.75, 0, 3e-6, 0, 0, OVERLAP_ALL, false, BACKEND_GPU, {SWITCH("nvlink", 8, 450e9, 2e-6), SWITCH("network", 0, 50e9, 5e-6)}, 1, 0},
    {"b200",       180 * GB,  0,         8000e9,  0, 0, 0, 0, {37e12, 1125e12, 2250e12, 4500e12, 4500e12},      75e12,  0, {128, 128, 32}, 0.75, 0, 3e-6, 0, 0, OVERLAP_ALL, false, BACKEND_GPU, {SWITCH("nvlink", 8, 900e9, 2e-6), SWITCH("network", 0, 50e9, 5e-6)}, 1, 0},
    {"gb200",      186 * GB,  0,         8000e9,  0, 0, 0, 0, {40e12, 1250e12, 2500e12, 5000e12, 5000e12},      80e12,  0, {128, 128, 32}, 0.75, 0, 3e-6, 0, 0, OVERLAP_ALL, false, BACKEND_GPU, {SWITCH("nvlink", 72, 900e9, 2e-6), SWITCH("network", 0, 50e9, 5e-6)}, 1, 0},
    {"host",       8 * GIB,   0,         10e9,    0, 0, 0, 0, {10e9, 20e9, 5e9, 1e9, 1e9},                      4e9,    0, {4, 16, 1},    0.8, 0, 5e-6, 0, 0, 0, false, BACKEND_CPU, {{"ram", 0, 0, 0, 5e9, 5e-6, true}}, 1, 0},
};
// clang-format on

uint32_t device_count(void) { return sizeof devices / sizeof *devices; }

const Device *device_at(uint32_t i) { return &devices[i]; }

const Device *device_find(Span name) {
    for (uint32_t i = 0; i < device_count(); i++)
        if (span_is(name, devices[i].name)) return &devices[i];
    return NULL;
}

double device_peak(const Device *d, Elem elem) {
    PeakClass c = PEAK_F32;
    uint32_t bits = elem_bits(elem);
    ElemClass cls = elem_class(elem);
    if (cls == CLASS_COMPLEX)
        c = bits > 64 ? PEAK_F64 : PEAK_F32;
    else if (cls == CLASS_FLOAT)
        c = bits > 32 ? PEAK_F64 : bits > 16 ? PEAK_F32 : bits > 8 ? PEAK_F16 : PEAK_F8;
    else if (bits <= 8)
        c = PEAK_I8;
    else
        return d->vector;
    // A type that the unit does not know is widened to the next one that it does.
    if (d->matrix[c] == 0 && (c == PEAK_F8 || c == PEAK_I8)) c = PEAK_F16;
    return d->matrix[c] > 0 ? d->matrix[c] : d->vector;
}

uint32_t device_links(const Device *d) {
    uint32_t n = 0;
    while (n < DEVICE_MAX_LINKS && d->links[n].name) n++;
    return n;
}
