// Bodies: the small regions that reduce, scatter, sort, map and all_reduce apply to scalars, applied to arrays at once.
//
//     ^bb0(%a: tensor<f32>, %b: tensor<f32>):
//       %0 = stablehlo.add %a, %b : tensor<f32>          body_call(e, b, {acc, x}, {acc}, n):
//       stablehlo.return %0 : tensor<f32>                    acc[i] = acc[i] + x[i] for all i
//
// A region of elementwise ops becomes a list of array calls; any other is evaluated element by element.
#ifndef PARTIR_INTERP_REDUCE_BODY_H
#define PARTIR_INTERP_REDUCE_BODY_H

#include "core/monoid.h"
#include "interp/exec.h"

// The body as one binary op (add, maximum, …) on its two arguments. False if it is more than that.
bool body_monoid(Exec *e, RegionId r, Monoid *monoid);

typedef struct Body Body;
// Lives until the current op is done.
Body *body_prepare(Exec *e, RegionId r);
// results[k][i] = the body's k-th result for args[…][i]. A result array may be an argument array, no other overlap.
bool body_call(Exec *e, Body *b, const void *const *args, void *const *results, int64_t n);

#endif
