// Devices: what one device of a mesh can do, and what links it to the others. Built-in ones are a table; a user's is a
// file:
//
//     device my_chip
//     memory 16GiB                        # of each device
//     vmem 128MiB                         # of the memory beside the matrix unit, which holds tensors that are used soon
//     cores 2                             # that run each kernel together; each has a vmem, and all hold the same
//     bandwidth 819e9                     # of the memory, bytes a second
//     cache 32MiB 200e9                   # what was read or written a little while ago is read at this rate
//     page_fault 32MiB 2e9                # temporaries of more than this are new pages in each step, made at this rate
//     matrix f16 197e12                   # FLOP/s of the matrix unit by element type: f64, f32, f16 (and bf16), f8, i8
//     vector 6e12                         # FLOP/s of everything else
//     strided 7e8                         # elements a second that are read in another order than that of memory; without it order does not matter
//     tile 8 128 128                      # the matrix unit works on blocks of rows x columns x depth
//     units 4                             # matrix units of that size; a product of fewer blocks leaves some of them idle
//     efficiency 0.9                      # of the matrix unit's peak that large products reach
//     transposed_lhs 0.75                 # the share of that which dots of 256 columns reach if the left operand has its depth before its rows
//     overhead 1e-6                       # seconds to start a kernel
//     step 1e-4 1e-6                      # seconds to start a step, and for each of its arguments and results
//     overlap                             # collectives run beside kernels; with kinds (overlap all_gather): those alone
//     flags async_all_reduce              # compiler flags: async_all_gather, async_all_reduce (and reduce_scatter), latency_hiding (all)
//     shared                              # the devices of a mesh take turns on one machine, whose figures these are
//     backend tpu                         # cpu, gpu or tpu, as XLA has them: what it fuses, copies and keeps
//     link ici torus 2 ring 16 devices 256 bandwidth 50e9 latency 1e-6
//     link dcn switch devices 0 bandwidth 3e9 latency 1e-5       # 0 devices: any number
//     link ram memory devices 0 bandwidth 8e9 latency 4e-6       # devices that copy from each other's memory
#ifndef PARTIR_SIM_DEVICE_DEVICE_H
#define PARTIR_SIM_DEVICE_DEVICE_H

#include "core/mesh.h"
#include "ir/type.h"

#define PEAK_CLASSES(P) P(F64, "f64") P(F32, "f32") P(F16, "f16") P(F8, "f8") P(I8, "i8")

typedef enum PeakClass {
#define P(id, text) PEAK_##id,
    PEAK_CLASSES(P)
#undef P
        PEAK_COUNT
} PeakClass;
extern const char *const peak_names[PEAK_COUNT];

typedef struct Link {
    const char *name;
    int64_t torus;    // dimensions of the torus; 0 for a switch and for memory
    int64_t ring;     // sides of a slice whose size is a multiple of this are closed to a ring; of three dimensions, if all are
    int64_t devices;  // that it connects, consecutive in the numbering of the mesh; 0 for any number
    double bandwidth; // bytes a second out of a device: of one link of a torus, of all of them into a switch
    double latency;   // seconds for one message to a neighbour; through memory, for each device to meet another
    bool memory;      // all parts lie in memory that all devices can read
} Link;

#define DEVICE_MAX_LINKS 4
#define MAX_TORUS        6 // dimensions

#define OVERLAP_ALL 31

// Whose way of fusing, ordering and copying memory follows (sim/backend/backend.h).
typedef enum BackendKind { BACKEND_GPU, BACKEND_CPU, BACKEND_TPU } BackendKind;

typedef struct Device {
    const char *name;
    int64_t memory;
    int64_t vmem; // bytes of another one, which holds tensors that are used soon; 0 for none
    double bandwidth;
    int64_t cache; // bytes; 0 for none
    double cache_bandwidth;
    int64_t page_fault; // bytes; 0: no memory is new
    double page_fault_bandwidth;
    double matrix[PEAK_COUNT]; // 0: products of this type run at the vector rate
    double vector;
    double strided;  // elements a second; 0: no slower than others
    int64_t tile[3]; // rows, columns, depth
    double efficiency;
    double transposed_lhs; // 0: products are as fast with a left operand that has its depth before its rows
    double overhead, step, step_buffer;
    uint8_t overlap; // kinds of collectives that run beside kernels: bits by CollectiveKind (spmd/summary/summary.h), or OVERLAP_ALL
    bool shared;  // all devices of a mesh are one machine, and what each does takes as many times as long as there are
                  // of them
    BackendKind backend;
    Link links[DEVICE_MAX_LINKS]; // nearest first; unused ones have no name
    int64_t cores; // 0 is 1. What several make together, as products, is read by all of them: it is in memory
    int64_t units; // matrix units, which share out the blocks of one product: as many as a product may leave idle; 0 is 1
} Device;

uint32_t device_count(void);
const Device *device_at(uint32_t i);  // built-in
const Device *device_find(Span name); // built-in; NULL if there is none of this name
// False with a caret error.
bool device_read(Context *ctx, Arena *a, const Source *source, Device *out);
void device_print(const Device *d, Buffer *out); // in the file form

double device_peak(const Device *d, Elem elem); // FLOP/s of the matrix unit for products of this type
uint32_t device_links(const Device *d);

#endif
