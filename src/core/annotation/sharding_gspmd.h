// Shardings in GSPMD's notation (`mhlo.sharding`, @Sharding), converted to shardings that name the axes of a mesh.
#ifndef PARTIR_CORE_ANNOTATION_SHARDING_GSPMD_H
#define PARTIR_CORE_ANNOTATION_SHARDING_GSPMD_H

#include "core/mesh.h"
#include "core/annotation/sharding.h"

typedef enum GspmdAnswer {
    GSPMD_READ,
    GSPMD_SAYS_NOTHING, // of how the value is tiled: one device, manual, a tuple
    GSPMD_OTHER_MESH    // no axes of this mesh lie so
} GspmdAnswer;

GspmdAnswer sharding_read_gspmd(Span text, const Mesh *mesh, uint32_t rank, Arena *a, Sharding *out);
// "unspecified_dims=[1]" of a @Sharding call: these dimensions are open.
void sharding_open_gspmd(Span config, Sharding *s, Arena *a);

#endif
