"""Small programs that together use most ops, and random small changes to their text: a dimension, an attribute, a type, an op."""

import re

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

F = np.float32


def _shape(*dims, dtype=F):
    return jax.ShapeDtypeStruct(dims, dtype)


def _loop(x):
    return lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 2.0), (0, x))[1]


PROGRAMS = {
    "elementwise": (lambda x, y: jnp.where(x > y, jnp.tanh(x) + y, -x * y) / 2, [_shape(4, 8), _shape(4, 8)]),
    "integers": (lambda i, j: (i & j) | (i << 2) ^ lax.population_count(j), [_shape(4, dtype=np.int32)] * 2),
    "complex": (lambda x, y: jnp.abs(lax.complex(x, y) * 2) + jnp.real(lax.complex(x, y)), [_shape(3), _shape(3)]),
    "convert": (lambda x: lax.bitcast_convert_type(x, np.int32).astype(jnp.bfloat16), [_shape(4, 3)]),
    "clamp": (lambda x: jnp.clip(lax.reduce_precision(x, 5, 10), 0.0, 1.0), [_shape(7)]),
    "dot": (lambda x, y: jnp.einsum("bij,bjk->bik", x, y), [_shape(2, 3, 4), _shape(2, 4, 5)]),
    "data": (lambda x: jnp.pad(x.T.reshape(2, 4, 3)[:, 1:3, ::2], ((1, 0), (0, 2), (1, 1))), [_shape(4, 6)]),
    "concatenate": (lambda x, y: jnp.flip(jnp.concatenate([x, y, x], axis=1), 0), [_shape(2, 3), _shape(2, 5)]),
    "broadcast": (lambda x, y: x[:, None, :] + jnp.broadcast_to(y, (4, 2, 3)), [_shape(4, 3), _shape(2, 1)]),
    "slices": (
        lambda x, i: lax.dynamic_update_slice(x, lax.dynamic_slice(x, (i, 0), (2, 3)), (0, i)),
        [_shape(4, 8), _shape(dtype=np.int32)],
    ),
    "gather": (lambda x, i: x[i] + jnp.take_along_axis(x, i[:, None], axis=1)[0], [_shape(5, 6), _shape(5, dtype=np.int32)]),
    "scatter": (lambda x, i, u: x.at[i].add(u).at[:, 0].set(1.0), [_shape(5, 6), _shape(3, dtype=np.int32), _shape(3, 6)]),
    "reduce": (lambda x: x.max(axis=(0, 2)) + jnp.argmax(x, axis=0)[0, 0], [_shape(3, 4, 5)]),
    "window": (lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 3), (1, 2), "SAME"), [_shape(4, 9)]),
    "pool_gradient": (
        lambda x: jax.grad(lambda z: lax.reduce_window(z, -np.inf, lax.max, (2, 2), (2, 2), "VALID").sum())(x),
        [_shape(4, 6)],
    ),
    "convolution": (
        lambda x, k: lax.conv_general_dilated(
            x, k, (2, 1), ((1, 1), (0, 2)), (1, 1), (1, 2), ("NHWC", "HWIO", "NHWC"), feature_group_count=2
        ),
        [_shape(2, 8, 9, 4), _shape(3, 3, 2, 6)],
    ),
    "sort": (lambda x, y: lax.sort((x, y), dimension=1, num_keys=1), [_shape(3, 4), _shape(3, 4)]),
    "top_k": (lambda x: lax.top_k(x, 3), [_shape(2, 7)]),
    "cumulative": (lambda x: jnp.cumsum(x, axis=0) + lax.cummax(x, axis=1), [_shape(3, 4)]),
    "linalg": (
        lambda a, b: lax.linalg.triangular_solve(lax.linalg.cholesky(a), b, left_side=True, lower=True),
        [_shape(2, 3, 3), _shape(2, 3, 4)],
    ),
    "fft": (lambda x: jnp.fft.irfft(jnp.fft.rfft(x, axis=-1), axis=-1), [_shape(3, 16)]),
    "loop": (_loop, [_shape(3)]),
    "branch": (lambda i, x: lax.switch(i, [lambda z: z, lambda z: z * 2, jnp.sin], x), [_shape(dtype=np.int32), _shape(3)]),
    "scan": (lambda x: lax.scan(lambda c, v: (c + v, c * v), jnp.zeros(4), x), [_shape(5, 4)]),
    "random": (lambda k: jax.random.normal(jax.random.wrap_key_data(k), (3, 2)), [_shape(2, dtype=np.uint32)]),
    "special": (lambda x: lax.erf_inv(x) + lax.lgamma(x) + lax.expm1(x), [_shape(4)]),
}

COLLECTIVES = '''
func.func @main(%x: tensor<4x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  %1 = "stablehlo.all_reduce"(%0) <{replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = "stablehlo.reduce_scatter"(%1) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x8xf32>) -> tensor<8x2xf32>
  %3 = "stablehlo.all_to_all"(%y) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<8x8xf32>) -> tensor<4x16xf32>
  %4 = "stablehlo.collective_permute"(%y) <{source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}
'''

OTHERS = '''
func.func @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %i: tensor<i32>, %t: !stablehlo.token) -> tensor<2x3x4xf32> {
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  %1:3 = "stablehlo.batch_norm_training"(%x, %s, %s) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  %2 = stablehlo.tuple %x, %s : tuple<tensor<2x3x4xf32>, tensor<3xf32>>
  %3 = stablehlo.get_tuple_element %2[1] : (tuple<tensor<2x3x4xf32>, tensor<3xf32>>) -> tensor<3xf32>
  %4 = stablehlo.after_all %t, %t : !stablehlo.token
  %5 = stablehlo.set_dimension_size %s, %i, dim = 0 : (tensor<3xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<3>>
  %6 = stablehlo.get_dimension_size %x, dim = 2 : (tensor<2x3x4xf32>) -> tensor<i32>
  %7 = "stablehlo.map"(%s, %3) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %8 = stablehlo.custom_call @f(%x, %s) {api_version = 2 : i32, operand_layouts = [dense<[2, 1, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x3x4xf32>, tensor<3xf32>) -> tensor<2x2xf32>
  %9:2 = stablehlo.optimization_barrier %x, %s : tensor<2x3x4xf32>, tensor<3xf32>
  %10 = stablehlo.constant dense<1> : tensor<2xui64>
  %state, %bits = stablehlo.rng_bit_generator %10, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  %11 = call @g(%s) : (tensor<3xf32>) -> tensor<3xf32>
  %12 = stablehlo.composite "my.op" %s {decomposition = @g} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<2x3x4xf32>
}
func.func private @g(%s: tensor<3xf32>) -> tensor<3xf32> {
  return %s : tensor<3xf32>
}
'''

DYNAMIC = '''
func.func @main(%x: tensor<?x4xf32>, %n: tensor<2xi32>, %y: tensor<4xf32>) -> tensor<?x4xf32> {
  %0 = stablehlo.dynamic_broadcast_in_dim %y, %n, dims = [1] : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  %1 = stablehlo.add %0, %x : tensor<?x4xf32>
  %2 = stablehlo.dynamic_reshape %1, %n : (tensor<?x4xf32>, tensor<2xi32>) -> tensor<2x?xf32>
  %3 = stablehlo.dynamic_iota %n, dim = 1 : (tensor<2xi32>) -> tensor<?x?xi32>
  %c = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  %v = stablehlo.constant dense<0.0> : tensor<f32>
  %4 = stablehlo.dynamic_pad %x, %v, %c, %c, %c : (tensor<?x4xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x9xf32>
  %5 = stablehlo.real_dynamic_slice %x, %c, %n, %c : (tensor<?x4xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %6 = stablehlo.concatenate %x, %x, dim = 1 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x8xf32>
  %7 = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x4xf32>) -> tensor<4x?xf32>
  %8 = stablehlo.dot_general %7, %x, contracting_dims = [1] x [0] : (tensor<4x?xf32>, tensor<?x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<?x4xf32>
}
'''


def sources():
    """Name and text of each program, in the pretty and in the generic form."""
    texts = {"collectives": COLLECTIVES, "others": OTHERS, "dynamic": DYNAMIC}
    for name, (function, arguments) in PROGRAMS.items():
        lowered = jax.jit(function).lower(*arguments)
        texts[name] = lowered.as_text()
        texts[name + "_generic"] = lowered.compiler_ir().operation.get_asm(print_generic_op_form=True)
    return texts


ELEMENTS = ["i1", "i8", "i32", "i64", "ui32", "bf16", "f16", "f32", "f64", "complex<f32>"]
OPS = re.compile(r"stablehlo\.(add|subtract|multiply|maximum|and|or|divide|power|remainder|atan2|negate|abs|sign|not|sqrt|floor|popcnt|exponential)\b")
NUMBER = re.compile(r"(?<![\w.%#\"-])-?\d+(?![\w.])")
IN_TENSOR = re.compile(r"(?<=[<x])\d+(?=x)")
ELEMENT = re.compile(r"(?<=[<x])(?:i1|i8|i32|i64|ui32|bf16|f16|f32|f64)(?=>)")
VALUE = re.compile(r"(?<=[ (])%\w+(?=[,) ])")
ENTRY = re.compile(r"-?\d+, (?=-?\d+)")


def mutate(text, rng):
    """One random change. Declared types and attributes are changed alone, so that most changes break the program."""
    kind = rng.choice(["number", "dim", "dim", "element", "value", "op", "drop", "repeat", "attribute"])
    pattern = {"number": NUMBER, "dim": IN_TENSOR, "element": ELEMENT, "value": VALUE, "op": OPS, "drop": ENTRY, "repeat": ENTRY}
    if kind == "attribute":
        found = list(re.finditer(r"\b\w+ = [^,<>{}\[\]=]+, |, \w+ = [^,<>{}\[\]=]+(?=[}>])", text))
    else:
        found = list(pattern[kind].finditer(text))
    if not found:
        return None
    at = rng.choice(found)
    old = at.group()
    if kind in ("number", "dim"):
        n = int(old)
        new = str(rng.choice([n + 1, n - 1, n * 2, 0, 1, n + 7] + ([-1] if kind == "number" else ["?"])))
        new = new if kind == "number" or not new.startswith("-") else "1"
    elif kind == "element":
        new = rng.choice(ELEMENTS)
    elif kind == "value":
        new = rng.choice(found).group()
    elif kind == "op":
        new = "stablehlo." + rng.choice(["add", "and", "divide", "atan2", "shift_left", "negate", "not", "floor", "popcnt", "is_finite"])
    elif kind == "repeat":
        new = old + old
    else:
        new = ""
    return None if new == old else text[: at.start()] + new + text[at.end() :]
