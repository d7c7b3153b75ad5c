// Quantized tensors: integers q that stand for (q - zero) * scale.
//
// Arithmetic on them is done on floats: operands are dequantized, the op runs as if it were written for floats, results
// are quantized. Data movement works on the integers themselves.
#ifndef PARTIR_INTERP_ELEMENTWISE_QUANT_H
#define PARTIR_INTERP_ELEMENTWISE_QUANT_H

#include "interp/exec.h"

bool quant_needs_floats(OpKind kind);
bool quant_run(Exec *e, OpId op, KernelFn kernel);
bool quant_quantize(Exec *e, OpId op);   // stablehlo.uniform_quantize, also from one quantized type to another
bool quant_dequantize(Exec *e, OpId op); // stablehlo.uniform_dequantize

#endif
