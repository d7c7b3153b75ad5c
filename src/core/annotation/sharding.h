// Shardings: how a program itself distributes its values over its own mesh, in Shardy's notation.
//
//     #sdy.sharding<@mesh, [{"data", "fsdp"}, {}, {?}], replicated={"model"}>
//
// Each dimension has its axes, major first; it is closed, or open (?) to more.
#ifndef PARTIR_CORE_ANNOTATION_SHARDING_H
#define PARTIR_CORE_ANNOTATION_SHARDING_H

#include "ir/module.h"

typedef struct ShardingAxis {
    Span name;
    bool part; // "x":(1)2, a part of the axis
} ShardingAxis;

typedef struct ShardingDim {
    uint32_t n;
    const ShardingAxis *axes;
    bool open;
} ShardingDim;

typedef struct Sharding {
    Span mesh; // the symbol without its @; empty for a mesh that is written out
    uint32_t rank;
    const ShardingDim *dims;
    uint32_t n_replicated;
    const ShardingAxis *replicated;
} Sharding;

typedef struct ShardingMesh {
    uint32_t n;
    const Span *names;
    const int64_t *sizes;
    bool permuted; // device_ids=[…]: not numbered row-major
} ShardingMesh;

// Each false if the text is none of that form.
bool sharding_read(Span text, Arena *a, Sharding *out);                                  // #sdy.sharding<…>
bool shardings_read(Span text, Arena *a, uint32_t *n, const Sharding **out);             // #sdy.sharding_per_value<[…]>
bool sharding_axes_read(Span text, Arena *a, uint32_t *n, const ShardingAxis **out);     // #sdy<manual_axes{…}>
bool sharding_mesh_read(const Module *m, Span symbol, Arena *a, ShardingMesh *out);      // of that name in the module

#endif
