// Whole arrays and the parts of them that the devices of a run hold.
#ifndef PARTIR_API_RUN_PARTS_H
#define PARTIR_API_RUN_PARTS_H

#include "api/handles.h"

typedef struct PartsEntry {
    AxisId axis;
    uint8_t dim;
    int64_t before, size; // what of the axis: 1 and its size if all
} PartsEntry;

typedef struct ArrayParts {
    uint32_t n;
    PartsEntry at[MESH_MAX_AXES]; // by dimension, major axis first
    int64_t chunks[MAX_RANK];    // into how many parts each dimension is split
} ArrayParts;

// The mesh that the module names, if it has as many devices as the run. False with a diagnostic if it is none.
bool run_read_mesh(partir_run *r);
// How argument or result `index` (A_arg_attrs, A_res_attrs) of this rank is split. False if the module does not say.
bool run_parts(const partir_run *r, AttrName dicts, uint32_t index, uint32_t rank, ArrayParts *p);
// The shape of the whole array, given the type of a part. False if it has none, or a size that no integer holds.
bool parts_whole_dims(const ArrayParts *p, const Type *t, int64_t *dims);
// Gives each device its part of an argument; `whole` is released.
bool run_put_parts(partir_run *r, uint32_t index, const ArrayParts *p, Tensor *whole);
// Fills `whole` from the parts of all devices.
void run_join_parts(const partir_run *r, const ArrayParts *p, const Tensor *const *parts, Tensor *whole);

#endif
