"""Rules are sound: an op on the chunks of its operands gives the chunks, or the parts, of its results. XLA is the judge.

For each op below and each factor of the rule that `partir rules --json` prints, the operands are cut up as the rule says,
the op runs on each device's chunks with its types made local, and the pieces are put together again. Nothing of our own
lowering takes part: what a local op needs beyond smaller shapes (src/core/rule, "Local:") is done here a second time.
"""

import itertools
import json
from dataclasses import dataclass, field
from typing import Callable

import numpy as np
import pytest

from partir import _xla

TYPES = {"f32": np.float32, "i32": np.int32, "i1": np.bool_, "ui16": np.uint16, "ui32": np.uint32, "complex<f32>": np.complex64}
COMBINE = {"sum": np.add, "product": np.multiply, "max": np.maximum, "min": np.minimum,
           "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
IDENTITY = {"sum": 0, "product": 1, "max": -np.inf, "min": np.inf, "and": -1, "or": 0, "xor": 0}


def tensor(shape, dtype="f32"):
    return tuple(shape), dtype


def type_text(t):
    return f"tensor<{''.join(f'{d}x' for d in t[0])}{t[1]}>"


@dataclass
class Op:
    name: str
    operands: list
    results: list
    attrs: Callable[[list, list], str] | str = ""  # of the local operand and result types
    region: str = ""
    high: dict = field(default_factory=dict)  # operand: random values below this, e.g. indices
    local: str = ""  # which recipe beside "nothing but smaller shapes"
    label: str = ""
    exact: bool = True

    def text(self, operands, results):
        attrs = self.attrs(operands, results) if callable(self.attrs) else self.attrs
        names = [f"%a{i}" for i in range(len(operands))]
        arguments = ", ".join(f"{n}: {type_text(t)}" for n, t in zip(names, operands))
        types = ", ".join(map(type_text, results))
        values = [f"%r#{i}" for i in range(len(results))] if len(results) > 1 else ["%r"]
        return f"""func.func public @main({arguments}) -> ({types}) {{
  %r{f":{len(results)}" if len(results) > 1 else ""} = "{self.name}"({", ".join(names)}) {self.region} {{{attrs}}} : ({", ".join(map(type_text, operands))}) -> ({types})
  return {", ".join(values)} : {types}
}}
"""


def binary(op, elem="f32"):
    t = f"tensor<{elem}>"
    return f"({{\n ^bb0(%x: {t}, %y: {t}):\n %z = stablehlo.{op} %x, %y : {t}\n stablehlo.return %z : {t}\n}})"


COMPARE = """%c = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
 stablehlo.return %c : tensor<i1>"""
SORT = f"({{\n ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n {COMPARE}\n}})"
ARGMAX = """({
 ^bb0(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %j: tensor<i32>):
  %l = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %m = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %n = stablehlo.or %l, %m : tensor<i1>
  %o = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %q = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r = stablehlo.and %o, %q : tensor<i1>
  %s = stablehlo.or %n, %r : tensor<i1>
  %t = stablehlo.select %n, %a, %b : tensor<i1>, tensor<f32>
  %u = stablehlo.select %s, %i, %j : tensor<i1>, tensor<i32>
  stablehlo.return %t, %u : tensor<f32>, tensor<i32>
})"""
# 2 x + y: parts of it do not add up.
HORNER = """({
 ^bb0(%x: tensor<f32>, %y: tensor<f32>):
  %d = stablehlo.add %x, %x : tensor<f32>
  %z = stablehlo.add %d, %y : tensor<f32>
  stablehlo.return %z : tensor<f32>
})"""
SELECT_ADD = f"({{\n ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n {COMPARE}\n}}, {binary('add')[1:]}"


def dims(name, *values):
    return f"{name} = array<i64: {', '.join(map(str, values))}>" if values else f"{name} = array<i64>"


def dot(left, right, out, batch, contract):
    numbers = f"""dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = {batch[0]}, rhs_batching_dimensions = {batch[1]},
      lhs_contracting_dimensions = {contract[0]}, rhs_contracting_dimensions = {contract[1]}>"""
    return Op("stablehlo.dot_general", [tensor(left), tensor(right)], [tensor(out)], numbers)


def conv(left, right, out, stride, pad, groups=(1, 1), reverse=(0, 0), label=""):
    """Groups are (feature, batch); their tiles shrink the counts, as local shapes tell."""

    def attrs(operands, results):
        features, batches = groups
        if features > 1:
            features = operands[0][0][3] // operands[1][0][2]
        if batches > 1:
            batches = operands[0][0][0] // results[0][0][0]
        return f"""{dims("window_strides", *stride)}, padding = dense<{pad}> : tensor<2x2xi64>, window_reversal = array<i1: {", ".join("true" if r else "false" for r in reverse)}>,
    dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>,
    feature_group_count = {features} : i64, batch_group_count = {batches} : i64"""

    return Op("stablehlo.convolution", [tensor(left), tensor(right)], [tensor(out)], attrs, label=label)


def window(size, stride, pad=None):
    padding = f", padding = dense<{pad}> : tensor<{len(pad)}x2xi64>" if pad else ""
    return f"{dims('window_dimensions', *size)}, {dims('window_strides', *stride)}{padding}"


def gather(operand, indices, out, numbers, sizes, dtype="f32", label=""):
    def attrs(operands, results):
        local = [l if s == g else s for s, g, l in zip(sizes, operand, operands[0][0])]
        return f"dimension_numbers = #stablehlo.gather<{numbers}>, {dims('slice_sizes', *local)}"

    # Some indices are out of range, to be clamped.
    return Op("stablehlo.gather", [tensor(operand, dtype), tensor(indices, "i32")], [tensor(out, dtype)], attrs,
              high={1: max(operand) + 2}, local="gather", label=label)


def scatter(operand, indices, updates, numbers, op="add", label=""):
    return Op("stablehlo.scatter", [tensor(operand), tensor(indices, "i32"), tensor(updates)], [tensor(operand)],
              f"scatter_dimension_numbers = #stablehlo.scatter<{numbers}>", binary(op), high={1: max(operand) + 2},
              local="scatter", label=label or op)


def dynamic_slice(operand, sizes):
    def attrs(operands, results):
        return dims("slice_sizes", *(l if s == g else s for s, g, l in zip(sizes, operand, operands[0][0])))

    return Op("stablehlo.dynamic_slice", [tensor(operand)] + [tensor((), "i32")] * len(operand), [tensor(sizes)], attrs,
              high={i + 1: max(operand) + 2 for i in range(len(operand))}, local="dynamic_slice")


def dynamic_update_slice(operand, update):
    return Op("stablehlo.dynamic_update_slice", [tensor(operand), tensor(update)] + [tensor((), "i32")] * len(operand),
              [tensor(operand)], high={i + 2: max(operand) + 2 for i in range(len(operand))}, local="dynamic_update_slice")


def unary(name, *types, attrs=""):
    return Op(name, [types[0]], [types[-1]], attrs)


def slice_attrs(start, limit, stride, whole):
    def attrs(operands, results):
        ends = [l if w else e for e, w, l in zip(limit, whole, operands[0][0])]
        return f"{dims('start_indices', *start)}, {dims('limit_indices', *ends)}, {dims('strides', *stride)}"

    return attrs


OPS = [
    Op("stablehlo.add", [tensor((4, 6))] * 2, [tensor((4, 6))]),
    Op("stablehlo.select", [tensor((), "i1"), tensor((4, 6)), tensor((4, 6))], [tensor((4, 6))]),
    Op("stablehlo.clamp", [tensor(()), tensor((4, 6)), tensor(())], [tensor((4, 6))]),
    Op("stablehlo.map", [tensor((4, 6))] * 2, [tensor((4, 6))], dims("dimensions", 0, 1), binary("subtract")),
    unary("stablehlo.broadcast_in_dim", tensor((4, 1, 6)), tensor((4, 2, 3, 6)), attrs=dims("broadcast_dimensions", 0, 2, 3)),
    unary("stablehlo.transpose", tensor((2, 4, 6)), tensor((6, 2, 4)), attrs=dims("permutation", 2, 0, 1)),
    unary("stablehlo.bitcast_convert", tensor((4, 2), "ui32"), tensor((4, 2, 2), "ui16")),
    unary("stablehlo.bitcast_convert", tensor((4, 2, 2), "ui16"), tensor((4, 2), "ui32")),
    *(unary("stablehlo.reshape", tensor(a), tensor(b)) for a, b in (
        ((2, 4), (8,)), ((48,), (3, 4, 4)), ((8, 4, 5), (2, 16, 5)), ((6, 4), (4, 6)), ((1, 8, 4), (8, 1, 4, 1)),
        ((3, 2, 6), (2, 3, 6)), ((4, 6), (8, 3)), ((4, 7, 5, 8), (14, 10, 8)), ((2, 3, 8), (2, 24)), ((12, 2), (4, 6)))),
    Op("stablehlo.slice", [tensor((4, 6))], [tensor((4, 2))], slice_attrs((0, 1), (4, 5), (1, 2), (1, 0))),
    Op("stablehlo.pad", [tensor((4, 6)), tensor(())], [tensor((4, 8))],
       "edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 0, 1>, interior_padding = array<i64: 0, 0>"),
    Op("stablehlo.concatenate", [tensor((4, 6)), tensor((4, 2))], [tensor((4, 8))], "dimension = 1 : i64"),
    unary("stablehlo.reverse", tensor((4, 6)), attrs=dims("dimensions", 1)),
    dot((4, 6), (6, 8), (4, 8), ([], []), ([1], [0])),
    dot((4, 2, 6), (4, 6, 8), (4, 2, 8), ([0], [0]), ([2], [1])),
    dot((2, 4, 3, 2, 6, 4), (6, 4, 6, 4, 2), (2, 4, 3, 2, 6), ([0, 1], [4, 3]), ([5, 4], [1, 2])),
    *(Op("stablehlo.reduce", [tensor((2, 6, 4), e), tensor((), e)], [tensor((2, 4), e)], dims("dimensions", 1), binary(op, e),
         local="reduce", label=f"{op}-{e}")
      for op, e in (("add", "f32"), ("maximum", "f32"), ("minimum", "f32"), ("multiply", "f32"), ("and", "i32"), ("or", "i32"),
                    ("xor", "i32"), ("add", "i1"), ("multiply", "i1"), ("maximum", "i1"))),
    Op("stablehlo.reduce", [tensor((2, 6, 4)), tensor(())], [tensor((2, 4))], dims("dimensions", 1), HORNER, local="reduce",
       label="no-monoid"),
    Op("stablehlo.reduce", [tensor((6, 4)), tensor((6, 4), "i32"), tensor(()), tensor((), "i32")],
       [tensor((6,)), tensor((6,), "i32")], dims("dimensions", 1), ARGMAX, local="argmax", label="argmax"),
    Op("stablehlo.sort", [tensor((4, 6))], [tensor((4, 6))], "dimension = 1 : i64, is_stable = true", SORT),
    Op("chlo.top_k", [tensor((4, 6))], [tensor((4, 2)), tensor((4, 2), "i32")], "k = 2 : i64"),
    Op("stablehlo.fft", [tensor((4, 2, 8), "complex<f32>")], [tensor((4, 2, 8), "complex<f32>")],
       f"fft_type = #stablehlo<fft_type FFT>, {dims('fft_length', 8)}", exact=False),
    Op("stablehlo.cholesky", [tensor((4, 3, 3))], [tensor((4, 3, 3))], "lower = true", local="positive", exact=False),
    Op("stablehlo.triangular_solve", [tensor((4, 3, 3)), tensor((4, 3, 2))], [tensor((4, 3, 2))],
       "left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>", exact=False),
    Op("stablehlo.batch_norm_inference", [tensor((4, 6, 2))] + [tensor((6,))] * 4, [tensor((4, 6, 2))],
       "epsilon = 0.001 : f32, feature_index = 1 : i64", local="positive", exact=False),
    Op("stablehlo.batch_norm_training", [tensor((4, 6, 2))] + [tensor((6,))] * 2,
       [tensor((4, 6, 2)), tensor((6,)), tensor((6,))], "epsilon = 0.001 : f32, feature_index = 1 : i64", exact=False),
    Op("stablehlo.batch_norm_grad", [tensor((4, 6, 2))] + [tensor((6,))] * 3 + [tensor((4, 6, 2))],
       [tensor((4, 6, 2)), tensor((6,)), tensor((6,))], "epsilon = 0.001 : f32, feature_index = 1 : i64", local="positive", exact=False),
    Op("stablehlo.reduce_window", [tensor((8, 6, 2)), tensor(())], [tensor((4, 2, 2))], window((2, 3, 1), (2, 3, 1)),
       binary("maximum"), label="apart"),
    Op("stablehlo.reduce_window", [tensor((8, 6, 2)), tensor(())], [tensor((4, 6, 2))],
       window((3, 1, 1), (2, 1, 1), [[1, 0], [0, 0], [0, 0]]), binary("add"), label="overlap"),
    # As many windows as would fit side by side, and yet they overlap.
    Op("stablehlo.reduce_window", [tensor((6, 4)), tensor(())], [tensor((2, 4))], window((3, 1), (2, 1)), binary("add"),
       label="two-overlap"),
    Op("stablehlo.select_and_scatter", [tensor((6, 4)), tensor((2, 4)), tensor(())], [tensor((6, 4))],
       window((3, 1), (2, 1)), SELECT_ADD, label="two-overlap"),
    Op("stablehlo.select_and_scatter", [tensor((8, 6, 2)), tensor((4, 3, 2)), tensor(())], [tensor((8, 6, 2))],
       window((2, 2, 1), (2, 2, 1)), SELECT_ADD, label="apart"),
    Op("stablehlo.select_and_scatter", [tensor((8, 7, 2)), tensor((4, 3, 2)), tensor(())], [tensor((8, 7, 2))],
       window((2, 3, 1), (2, 2, 1)), SELECT_ADD, label="overlap"),
    conv((4, 6, 6, 4), (3, 3, 4, 6), (4, 6, 6, 6), (1, 1), "[[1, 1], [1, 1]]", label="same"),
    conv((4, 6, 8, 4), (1, 1, 4, 6), (4, 6, 8, 6), (1, 1), "0", label="pointwise"),
    conv((4, 6, 8, 4), (3, 2, 4, 6), (4, 2, 4, 6), (3, 2), "0", label="patches"),
    conv((4, 6, 8, 4), (3, 2, 4, 6), (4, 2, 4, 6), (2, 2), "0", label="two-overlap"),
    conv((4, 6, 8, 4), (3, 2, 4, 6), (4, 2, 4, 6), (3, 2), "0", reverse=(1, 0), label="reversed"),
    conv((2, 6, 4, 4), (6, 4, 4, 2), (2, 1, 1, 2), (6, 1), "0", label="one-window"),
    conv((4, 4, 4, 8), (3, 3, 2, 12), (4, 4, 4, 12), (1, 1), "[[1, 1], [1, 1]]", groups=(4, 1), label="feature-groups"),
    conv((4, 4, 4, 6), (3, 3, 1, 6), (4, 4, 4, 6), (1, 1), "[[1, 1], [1, 1]]", groups=(6, 1), label="depthwise"),
    conv((8, 4, 4, 3), (3, 3, 3, 12), (2, 4, 4, 12), (1, 1), "[[1, 1], [1, 1]]", groups=(1, 4), label="batch-groups"),
    conv((4, 4, 4, 3), (3, 3, 3, 12), (1, 4, 4, 12), (1, 1), "[[1, 1], [1, 1]]", groups=(1, 4), label="all-batch-groups"),
    gather((6, 4), (4, 3, 1), (4, 3, 4), "offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2", (1, 4), label="embedding"),
    gather((6, 4), (4, 3, 1), (4, 3, 4), "offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2", (1, 4), "i1", label="booleans"),
    gather((3, 4, 2, 6), (2, 3, 3), (2, 3, 2, 2, 1), "offset_dims = [2, 3, 4], collapsed_slice_dims = [0], start_index_map = [1, 0, 3], index_vector_dim = 2", (1, 2, 2, 1), label="partial"),
    gather((6, 4), (4, 1), (4, 1, 4), "offset_dims = [1, 2], start_index_map = [1], index_vector_dim = 1", (1, 4), label="full-at-index"),
    gather((6, 4), (4, 1), (4, 4), "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [1], index_vector_dim = 1", (1, 4), label="collapsed-at-no-index"),
    gather((6, 4, 4), (4, 1), (4, 1, 4), "offset_dims = [1, 2], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1", (1, 1, 4), label="one-at-no-index"),
    gather((4, 3, 2, 4), (2, 4, 3, 2), (2, 4, 3, 2), "offset_dims = [3], collapsed_slice_dims = [1], operand_batching_dims = [0, 2], start_indices_batching_dims = [1, 0], start_index_map = [1, 3], index_vector_dim = 3", (1, 1, 1, 2), label="batching"),
    scatter((6, 4), (4, 1), (4, 4), "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1"),
    scatter((6, 4), (4, 1), (4, 4), "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1", "maximum"),
    scatter((6, 4), (4, 1), (4, 4), "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1", label="full-at-index"),
    scatter((6, 4, 2), (3, 1), (3, 2), "update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1", label="inserted-at-no-index"),
    scatter((3, 4, 2), (2, 3, 2), (2, 3, 2, 2), "update_window_dims = [2, 3], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 2", label="partial"),
    scatter((4, 3, 2, 4), (2, 4, 3, 2), (2, 4, 3, 2), "update_window_dims = [3], inserted_window_dims = [1], input_batching_dims = [0, 2], scatter_indices_batching_dims = [1, 0], scatter_dims_to_operand_dims = [1, 3], index_vector_dim = 3", label="batching"),
    dynamic_slice((6, 4, 8), (6, 1, 3)),
    dynamic_update_slice((6, 4, 8), (6, 1, 3)),
]


# ---- Cutting up, by the rule alone ----------------------------------------------------------------------------------


@dataclass
class Rule:
    factors: dict  # name: (size, kind)
    tensors: list  # operands, then results: for each dimension its factors
    n_operands: int
    monoid: str

    def dim(self, tensor, factor):
        """The dimension of the tensor that has the factor, or None."""
        return next((d for d, names in enumerate(self.tensors[tensor]) if factor in names), None)

    def majors(self, factor):
        """Factors that stand before this one in a dimension, and before those: all must be used up first, in this order."""
        before = [names[: names.index(factor)] for t in self.tensors for names in t if factor in names]
        found = []
        for f in itertools.chain(*before):
            if self.factors[f][0] > 1:
                found += [*self.majors(f), f]
        return list(dict.fromkeys(found))


def rule_of(partir, tmp_path, op):
    path = tmp_path / "op.mlir"
    path.write_text(op.text(op.operands, op.results))
    done = partir("rules", "--json", path)
    assert done.returncode == 0, done.stderr
    found = next(r for r in json.loads(done.stdout)["rules"] if r["op"] == op.name)
    factors = {f["name"]: (f["size"], f["kind"]) for f in found["factors"]}
    return Rule(factors, found["operands"] + found["results"], len(found["operands"]), found.get("monoid", "sum"))


def nests(rule):
    """Ways to cut up one factor after what must be cut up before it: lists of (factor, number of chunks)."""
    for name, (size, kind) in rule.factors.items():
        majors = rule.majors(name)
        if kind not in ("pass", "reduce") or any(rule.factors[f][1] not in ("pass", "reduce") for f in majors):
            continue
        for n in (2, 3):
            if size > 0 and size % n == 0:
                yield [(f, rule.factors[f][0]) for f in majors] + [(name, n)]


def cut(array, rule, tensor, nest, device):
    """The chunk of the tensor that a device (one coordinate for each entry of the nest) holds, and its offset in each dimension."""
    offset = [0] * array.ndim
    for (factor, n), c in zip(nest, device):
        d = rule.dim(tensor, factor)
        if d is not None:
            size = array.shape[d] // n
            offset[d] += c * size
            array = np.take(array, range(c * size, (c + 1) * size), axis=d)
    return array, offset


def local_type(t, rule, tensor, nest):
    shape = list(t[0])
    for factor, n in nest:
        d = rule.dim(tensor, factor)
        if d is not None:
            shape[d] //= n
    return tuple(shape), t[1]


def random(op, seed):
    """Small whole numbers, so that sums are exact in any order; distinct signs, ties and repeated indices occur."""
    draw = np.random.default_rng(seed)
    arrays = []
    for i, (shape, dtype) in enumerate(op.operands):
        if dtype == "i1":
            a = draw.integers(0, 2, shape)
        elif i in op.high:
            a = draw.integers(-2, op.high[i], shape)
        elif dtype.startswith("ui"):
            a = draw.integers(0, 2**16, shape)
        else:
            a = draw.integers(-3, 4, shape)
        a = np.asarray(a).astype(TYPES[dtype])
        if op.local == "argmax" and dtype == "f32":
            a = np.where(a == 2, np.float32(np.nan), np.where(a == -2, np.float32(-np.inf), a))
        if op.local == "positive" and dtype == "f32":
            a = np.abs(a) + 1
            if op.name == "stablehlo.cholesky":
                a = a @ a.swapaxes(-1, -2) + 9 * np.eye(a.shape[-1], dtype=np.float32)
        arrays.append(a)
    return arrays


def compiled(op, operands, results):
    run = _xla.compile_local(op.text(operands, results), 1)
    return lambda arrays: [np.asarray(parts[0]) for parts in run([[np.ascontiguousarray(a)] for a in arrays])]


# ---- What local ops need beside smaller shapes ------------------------------------------------------------------------


def record(op, name):
    text = op.text(op.operands, op.results)
    at = text.find(name + " = [")
    inside = text[at + len(name) + 4 : text.index("]", at)] if at >= 0 else ""
    return [int(x) for x in inside.split(",") if x.strip()]


def index_columns(op, indices):
    """Views of each component of the index vectors."""
    text = op.text(op.operands, op.results)
    at = text.index("index_vector_dim = ") + len("index_vector_dim = ")
    dim = int(text[at])
    if dim == indices.ndim:
        return [indices], dim
    return [np.take(indices, [k], axis=dim) for k in range(indices.shape[dim])], dim


def local_gather(op, rule, whole, chunks, offsets, run):
    columns, vector_dim = index_columns(op, chunks[1].astype(np.int64))
    masks = []
    for k, d in enumerate(record(op, "start_index_map")):
        size, chunk = whole[0].shape[d], chunks[0].shape[d]
        reduced = any(rule.factors[f][1] == "reduce" for f in rule.tensors[0][d])
        if chunk == size or not reduced:
            continue
        shifted = np.clip(columns[k], 0, size - 1) - offsets[0][d]
        masks.append((shifted >= 0) & (shifted < chunk))
        columns[k] = shifted
    for d, (size, chunk) in enumerate(zip(whole[0].shape, chunks[0].shape)):  # at no index: in the first chunk
        reduced = any(rule.factors[f][1] == "reduce" for f in rule.tensors[0][d])
        if chunk < size and reduced and d not in record(op, "start_index_map"):
            masks.append(np.full(columns[0].shape, offsets[0][d] == 0))
    indices = columns[0] if vector_dim == chunks[1].ndim else np.concatenate(columns, axis=vector_dim)
    (result,) = run([chunks[0], indices.astype(np.int32)])
    if not masks:
        return [result]
    mask = np.logical_and.reduce(masks)
    if vector_dim < chunks[1].ndim:
        mask = mask.squeeze(vector_dim)
    shape = [1] * result.ndim
    batch = [d for d in range(result.ndim) if d not in record(op, "offset_dims")]
    for d, n in zip(batch, mask.shape):
        shape[d] = n
    return [np.where(mask.reshape(shape), result, np.zeros((), result.dtype))]


def local_scatter(op, rule, whole, chunks, offsets, run):
    columns, vector_dim = index_columns(op, chunks[1].astype(np.int64))
    for k, d in enumerate(record(op, "scatter_dims_to_operand_dims")):
        columns[k] = columns[k] - offsets[0][d]
    for d in record(op, "inserted_window_dims"):  # at no index: in the first chunk
        if d not in record(op, "scatter_dims_to_operand_dims") and offsets[0][d] > 0:
            columns[0] = np.full_like(columns[0], max(whole[0].shape))
    indices = columns[0] if vector_dim == chunks[1].ndim else np.concatenate(columns, axis=vector_dim)
    return run([chunks[0], indices.astype(np.int32), chunks[2]])


def local_dynamic_slice(op, rule, whole, chunks, offsets, run):
    starts, inside = [], True
    for d, start in enumerate(chunks[1:]):
        size, chunk, slice_size = whole[0].shape[d], chunks[0].shape[d], op.results[0][0][d]
        start = int(np.clip(start, 0, size - slice_size))
        if chunk < size and slice_size < size:
            start -= offsets[0][d]
            inside = inside and 0 <= start < chunk
        starts.append(np.asarray(start, np.int32))
    (result,) = run([chunks[0], *starts])
    return [result if inside else np.zeros_like(result)]


def local_dynamic_update_slice(op, rule, whole, chunks, offsets, run):
    """The padded way, which is right for updates of any size. It changes the shape, so that numpy updates."""
    operand, update = chunks[:2]
    pad = [(u, u) if u < n else (0, 0) for u, n in zip(whole[1].shape, whole[0].shape)]
    padded = np.pad(operand, pad)
    at = []
    for d, start in enumerate(chunks[2:]):
        full = whole[1].shape[d] == whole[0].shape[d]
        start = 0 if full else int(np.clip(start, 0, whole[0].shape[d] - update.shape[d])) - offsets[0][d] + pad[d][0]
        start = int(np.clip(start, 0, padded.shape[d] - update.shape[d]))
        at.append(slice(start, start + update.shape[d]))
    padded[tuple(at)] = update
    return [padded[tuple(slice(p, n - p) for (p, _), n in zip(pad, padded.shape))]]


LOCAL = {"gather": local_gather, "scatter": local_scatter, "dynamic_slice": local_dynamic_slice,
         "dynamic_update_slice": local_dynamic_update_slice}


def identity(monoid, dtype):
    if dtype == np.bool_:
        return np.asarray(monoid in ("and",), dtype)
    value = IDENTITY[monoid]
    if np.issubdtype(dtype, np.integer) and not np.isfinite(value):
        value = np.iinfo(dtype).min if value < 0 else np.iinfo(dtype).max
    return np.asarray(value).astype(dtype)


def run_device(op, rule, whole, nest, device, run):
    chunks, offsets = map(list, zip(*(cut(a, rule, t, nest, device) for t, a in enumerate(whole))))
    reduced = [c for (f, _), c in zip(nest, device) if rule.factors[f][1] == "reduce"]
    if op.local == "reduce" and reduced:
        chunks[1] = identity(rule.monoid, chunks[1].dtype)
    if op.local == "scatter" and any(reduced) and rule.monoid == "sum":
        chunks[0] = np.zeros_like(chunks[0])  # the operand enters once
    if op.local in LOCAL:
        return LOCAL[op.local](op, rule, whole, chunks, offsets, run)
    return run(chunks)


def put_together(op, rule, whole, nest, parts):
    """Pieces by device coordinates, innermost entry of the nest first."""
    for depth in reversed(range(len(nest))):
        factor, n = nest[depth]
        merged = {}
        for device in {d[:depth] for d in parts}:
            pieces = [parts[device + (c,)] for c in range(n)]
            merged[device] = [merge(op, rule, whole, i, factor, pieces) for i in range(len(op.results))]
        parts = merged
    results = parts[()]
    if op.local == "reduce" and any(rule.factors[f][1] == "reduce" for f, _ in nest):
        results = [COMBINE[rule.monoid](results[0], whole[1])]
    return results


def merge(op, rule, whole, result, factor, devices):
    pieces = [d[result] for d in devices]
    d = rule.dim(rule.n_operands + result, factor)
    if d is not None:
        return np.concatenate(pieces, axis=d)
    if rule.factors[factor][1] == "reduce" and rule.monoid == "body":
        # The pieces are gathered on a new dimension and reduced by the op itself.
        stacked = [np.stack([p[i] for p in devices], axis=1) for i in range(len(op.results))]
        types = [(a.shape, t[1]) for a, t in zip(stacked, op.results)]
        again = compiled(op, types + op.operands[len(types) :], op.results)
        return again(stacked + whole[len(types) :])[result]
    if rule.factors[factor][1] == "reduce":
        total = pieces[0]
        for p in pieces[1:]:
            total = COMBINE[rule.monoid](total, p)
        return total
    for p in pieces[1:]:
        np.testing.assert_array_equal(p, pieces[0])  # a result without the factor is the same on every device
    return pieces[0]


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name + ("-" + op.label if op.label else ""))
def test_op_on_chunks(partir, tmp_path, op):
    rule = rule_of(partir, tmp_path, op)
    whole_op = compiled(op, op.operands, op.results)
    inputs = [random(op, seed) for seed in range(3)]
    outputs = [whole_op(arrays) for arrays in inputs]
    tried = 0
    for nest in nests(rule):
        types = [local_type(t, rule, i, nest) for i, t in enumerate(op.operands + op.results)]
        local_op = None if op.local == "dynamic_update_slice" else compiled(op, types[: rule.n_operands], types[rule.n_operands :])
        for arrays, expected in zip(inputs, outputs):
            devices = itertools.product(*(range(n) for _, n in nest))
            parts = {d: run_device(op, rule, arrays, nest, d, local_op) for d in devices}
            results = put_together(op, rule, arrays, nest, parts)
            for got, want in zip(results, expected):
                if op.exact:
                    np.testing.assert_array_equal(got, want, err_msg=str(nest))
                else:
                    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4, err_msg=str(nest))
        tried += 1
    assert tried > 0, "no factor could be cut up"
