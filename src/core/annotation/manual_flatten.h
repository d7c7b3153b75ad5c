// What the files that flatten manual computations share.
#ifndef PARTIR_CORE_ANNOTATION_MANUAL_FLATTEN_H
#define PARTIR_CORE_ANNOTATION_MANUAL_FLATTEN_H

#include "core/annotation/manual.h"
#include "core/annotation/sharding.h"
#include "ir/import.h"

typedef struct Flatten {
    const Module *src;
    const Mesh *mesh;
    Arena *a;
    Import im;
    ValueId *map;
    RegionId into;
    OpId at;          // source op being flattened
    AxisSet scope;    // manual axes around it
    ShardingMesh own; // mesh of the computation around it, by which devices are numbered there
    Manual *out;
    VEC(AxisSet) inside;
} Flatten;

#define flatten_error(f, hint, ...)                                                                                    \
    diag_error((f)->src->ctx, &(f)->src->source, op_get((f)->src, (f)->at)->source, hint, __VA_ARGS__)

// ---- manual.c: ops of the flattened program --------------------------------------------------------------------------
ValueId flat_value(Flatten *f, OpKind kind, const ValueId *operands, uint32_t n, TypeId type, const NamedAttr *attrs,
                   uint32_t n_attrs);
NamedAttr manual_attr(Flatten *f, const char *role);
AttrId name_array(Flatten *f, const Span *names, uint32_t n);

// ---- manual_collective.c ----------------------------------------------------------------------------------------------
bool flat_collective(Flatten *f, OpKind kind);
bool flat_permute(Flatten *f);
bool flat_partition_id(Flatten *f);

#endif
