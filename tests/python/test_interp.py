"""The interpreter against XLA on the CPU: ops by family, over element types and awkward shapes, and whole training steps.

Each test is one program with many results, since a compilation by XLA costs more than all it computes.
"""

import functools
import itertools

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax

from bench import models
from conftest import jaxlib_is

FLOATS = ("float64", "float32", "float16", "bfloat16")
SMALL_FLOATS = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2fnuz")
INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
SUB_BYTE = ("int4", "uint4", "int2", "uint2")
COMPLEX = ("complex64", "complex128")
SHAPES = ((), (0,), (1, 1), (7,), (2, 0, 3), (3, 1, 5))


@pytest.fixture(autouse=True)
def wide_types():
    with jax.enable_x64(True):
        yield


def dtype_of(name):
    return np.dtype(getattr(ml_dtypes, name, None) or getattr(np, name))


def sample(name, shape=(5, 7), seed=0, low=-3.0, high=3.0):
    """Numbers that exercise both signs; complex ones both parts; integers near zero and at both ends."""
    rng, dtype = np.random.default_rng(seed), dtype_of(name)
    if name in COMPLEX:
        return (rng.uniform(low, high, shape) + 1j * rng.uniform(low, high, shape)).astype(dtype)
    if name in INTS:
        info = np.iinfo(dtype)
        values = rng.integers(max(info.min, -40), min(info.max, 40), shape, endpoint=True).astype(dtype)
        if values.size > 4:
            values.flat[:4] = [info.min, info.max, 0, 1]
        return values
    if name in SUB_BYTE:
        info = ml_dtypes.iinfo(dtype)
        return np.asarray(rng.integers(info.min, info.max, shape, endpoint=True)).astype(dtype)
    if name == "bool":
        return rng.random(shape) < 0.5
    return np.asarray(rng.uniform(low, high, shape)).astype(dtype)


def special(name):
    """Zeros of both signs, infinities, NaN, ties of rounding, very large and very small, against each other."""
    values = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan, 1e4, -1e4, 1e-3]
    return np.array(values).astype(dtype_of(name))


def tolerance(dtype):
    dtype = np.dtype(dtype)
    if dtype.kind in "biu" or dtype.name in SUB_BYTE:
        return 0.0
    if dtype.name in COMPLEX:
        return {"complex64": 2e-5, "complex128": 1e-11}[dtype.name]
    return {"float64": 1e-11, "float32": 1e-5, "float16": 2e-3, "bfloat16": 1.6e-2}.get(dtype.name, 0.26)


def load(path, like):
    value = np.load(path)
    return value.view(like.dtype) if value.dtype.kind == "V" else value


def agree(label, got, want, slack=1.0):
    assert got.shape == want.shape, f"{label}: shape {got.shape}, expected {want.shape}"
    assert got.dtype == want.dtype, f"{label}: {got.dtype}, expected {want.dtype}"
    limit = tolerance(want.dtype) * slack
    if limit == 0:
        np.testing.assert_array_equal(got.astype(object), want.astype(object), err_msg=label)
        return
    wide = np.complex128 if want.dtype.name in COMPLEX else np.float64
    np.testing.assert_allclose(got.astype(wide), want.astype(wide), rtol=limit, atol=limit, err_msg=label)


class Runner:
    """Runs programs here and on XLA."""

    def __init__(self, partir, folder):
        self.partir, self.folder, self.count = partir, folder, 0

    def interpret(self, text, arguments, *options):
        self.count += 1
        base = self.folder / str(self.count)
        base.mkdir()
        (base / "m.mlir").write_text(text)
        np.savez(base / "in.npz", **{f"arg{i}": np.asarray(a) for i, a in enumerate(arguments)})
        inputs = ("--in", base / "in.npz") if arguments else ()
        result = self.partir("run", base / "m.mlir", "--out", base / "out", *inputs, *options)
        assert result.returncode == 0, result.stderr
        return base / "out"

    def compare_all(self, cases, slack=1.0):
        """Cases are (label, function, arguments); all of them are one program."""
        labels, functions, arguments = zip(*cases)

        def together(*groups):
            return [jnp.asarray(f(*group)) for f, group in zip(functions, groups)]

        lowered = jax.jit(together, keep_unused=True).lower(*arguments)
        text = lowered.as_text().replace("jax.result_info", "unused.result_info")
        want = [np.asarray(x) for x in lowered.compile()(*arguments)]
        out = self.interpret(text, jax.tree.leaves(arguments))
        for i, (label, w) in enumerate(zip(labels, want)):
            agree(label, load(out / f"out.{i}.npy", w), w, slack)

    def compare_text(self, text, *arguments, slack=1.0):
        """A program as text: what no function of JAX is lowered to."""
        from jax._src import compiler
        from jax._src.interpreters import mlir
        from jax._src.lib import xla_client
        from jax._src.lib.mlir import ir

        device = jax.devices()[0]
        with mlir.make_ir_context():
            module = ir.Module.parse("module @test {" + text + "}")
            loaded = compiler.backend_compile_and_load(
                device.client, module, xla_client.DeviceList((device,)), xla_client.CompileOptions(), []
            )
        want = [np.asarray(x) for x in loaded.execute([jax.device_put(a, device) for a in arguments])]
        out = self.interpret(text, arguments)
        for i, w in enumerate(want):
            agree(f"result {i}", load(out / f"out.{i}.npy", w), w, slack)


@pytest.fixture
def runner(partir, tmp_path):
    return Runner(partir, tmp_path)


# ---- Elementwise ----------------------------------------------------------------------------------------------------


UNARY = {
    "abs": lax.abs, "ceil": lax.ceil, "cbrt": lax.cbrt, "cos": lax.cos, "cosh": lax.cosh, "erf": lax.erf, "erfc": lax.erfc,
    "exp": lax.exp, "expm1": lax.expm1, "floor": lax.floor, "is_finite": lax.is_finite, "log": lax.log, "log1p": lax.log1p,
    "logistic": lax.logistic, "neg": lax.neg, "round": functools.partial(lax.round, rounding_method=lax.RoundingMethod.AWAY_FROM_ZERO),
    "round_even": functools.partial(lax.round, rounding_method=lax.RoundingMethod.TO_NEAREST_EVEN), "rsqrt": lax.rsqrt,
    "sign": lax.sign, "sin": lax.sin, "sinh": lax.sinh, "sqrt": lax.sqrt, "square": lax.square, "tan": lax.tan, "tanh": lax.tanh,
    "asin": lax.asin, "acos": lax.acos, "atan": lax.atan, "asinh": lax.asinh, "acosh": lax.acosh, "atanh": lax.atanh,
    "erf_inv": lax.erf_inv, "lgamma": lax.lgamma, "digamma": lax.digamma, "bessel_i1e": lax.bessel_i1e, "bessel_i0e": lax.bessel_i0e,
    "to_bf16_and_back": lambda x: lax.reduce_precision(x, 8, 7), "to_f16_range": lambda x: lax.reduce_precision(x, 5, 10),
}  # fmt: skip

# Where the compiler's own approximation is far from the function.
APPROXIMATED = {("special", "digamma"), ("special", "lgamma"), ("special", "to_f16_range")}


@pytest.mark.parametrize("name", FLOATS)
def test_unary_floats(runner, name):
    cases = [(f"{op} of {name}", f, (sample(name),)) for op, f in UNARY.items()]
    unit = sample(name, low=-0.9, high=0.9, seed=1)
    cases += [(f"{op} of {name} below 1", UNARY[op], (unit,)) for op in ("asin", "acos", "atanh", "erf_inv", "expm1", "log1p")]
    cases += [(f"{op} of special {name}", f, (special(name),)) for op, f in UNARY.items() if ("special", op) not in APPROXIMATED]
    cases += [(f"exp of {name} {s}", lax.exp, (sample(name, s),)) for s in SHAPES]
    runner.compare_all(cases, slack=4 if name == "float32" else 10)


def test_unary_complex(runner):
    functions = ("abs", "cos", "cosh", "exp", "expm1", "log", "log1p", "logistic", "neg", "rsqrt", "sign", "sin", "sinh", "sqrt", "square",
                 "tan", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh")  # fmt: skip
    cases = [(f"{op} of {name}", UNARY[op], (sample(name),)) for op in functions for name in COMPLEX]
    cases += [(f"{f.__name__} of {name}", f, (sample(name, s),)) for f in (lax.real, lax.imag, lax.conj) for name in COMPLEX for s in SHAPES]
    runner.compare_all(cases, slack=10)


BINARY = {
    "add": lax.add, "atan2": lax.atan2, "div": lax.div, "max": lax.max, "min": lax.min, "mul": lax.mul, "pow": lax.pow, "rem": lax.rem,
    "sub": lax.sub, "nextafter": lax.nextafter, "eq": lax.eq, "ne": lax.ne, "ge": lax.ge, "gt": lax.gt, "le": lax.le, "lt": lax.lt,
}  # fmt: skip


@pytest.mark.parametrize("name", FLOATS)
def test_binary_floats(runner, name):
    x, y = sample(name, seed=1), sample(name, seed=2)
    a, b = (v.ravel() for v in np.meshgrid(special(name), special(name)))
    cases = []
    for op, f in BINARY.items():
        if op == "nextafter" and name in ("float16", "bfloat16"):
            continue
        cases.append((f"{op} of {name}", f, (abs(x) if op == "pow" else x, y)))
        cases.append((f"{op} of special {name}", f, (a, b)))
    cases += [(f"add of {name} {s}", lax.add, (sample(name, s), sample(name, s, seed=3))) for s in SHAPES]
    cases += [(f"zeta of {name}", lax.zeta, (abs(x) + 2, abs(y) + 1)), (f"igamma-free polygamma of {name}", lax.polygamma, (np.round(abs(x)), abs(y) + 1))]
    cases.append((f"clamp of {name}", lambda x: lax.clamp(x.dtype.type(-1), x, x.dtype.type(1)), (x,)))
    runner.compare_all(cases, slack=10)


def test_small_floats(runner):
    cases = []
    for name in SMALL_FLOATS:
        x, y = sample(name, seed=1), sample(name, seed=2)
        for op in ("add", "mul", "sub", "max", "min", "lt", "eq"):
            cases.append((f"{op} of {name}", BINARY[op], (x, y)))
        cases.append((f"{name} to f32", lambda v: v.astype(jnp.float32), (x,)))
        wide = sample("float32", (1000,), seed=3, low=-600, high=600)
        cases.append((f"f32 to {name}", lambda v, name=name: v.astype(name).astype(jnp.float32), (wide,)))
        cases.append((f"small f32 to {name}", lambda v, name=name: v.astype(name).astype(jnp.float32), (wide / 300,)))
        cases.append((f"dot of {name}", lambda a, b: lax.dot(a, b.T, preferred_element_type=jnp.float32), (x, y)))
    runner.compare_all(cases)


@pytest.mark.parametrize("name", INTS)
def test_ints(runner, name):
    x, y = sample(name, (40,), seed=1), sample(name, (40,), seed=2)
    y[5:9] = 0
    x[:4], y[:4] = [np.iinfo(x.dtype).min, np.iinfo(x.dtype).max, 3, 0], [np.iinfo(x.dtype).max, 1, 0, 0]
    if name.startswith("int"):
        x[9], y[9] = np.iinfo(x.dtype).min, -1
    bits = np.iinfo(x.dtype).bits
    shift = np.arange(40).astype(x.dtype) % (2 * bits)
    cases = [(f"{op} of {name}", f, (x, y)) for op, f in BINARY.items() if op not in ("atan2", "nextafter", "pow")]
    cases += [(f"{f.__name__} of {name}", f, (x, y)) for f in (lax.bitwise_and, lax.bitwise_or, lax.bitwise_xor)]
    shifts = (lax.shift_left, lax.shift_right_logical, lax.shift_right_arithmetic)
    cases += [(f"{f.__name__} of {name}", f, (x, shift)) for f in shifts]
    cases += [(f"{f.__name__} of {name}", f, (x,)) for f in (lax.bitwise_not, lax.population_count, lax.clz, lax.neg, lax.sign)]
    if name.startswith("int"):
        cases.append((f"abs of {name}", lax.abs, (x,)))
    cases.append((f"integer_pow of {name}", lambda v: lax.integer_pow(v, 5), (x,)))
    cases += [(f"sum of {name} {s}", lambda v: jnp.sum(v, dtype=v.dtype), (sample(name, s),)) for s in SHAPES]
    runner.compare_all(cases)


def test_sub_byte_ints(runner):
    cases = []
    for name in SUB_BYTE:
        x, y = sample(name, (64,), seed=1), sample(name, (64,), seed=2)
        for op in ("add", "mul", "sub", "max", "min", "lt", "eq"):
            cases.append((f"{op} of {name}", BINARY[op], (x, y)))
        cases += [(f"{f.__name__} of {name}", f, (x, y)) for f in (lax.bitwise_and, lax.bitwise_or, lax.bitwise_xor)]
        cases.append((f"{name} to i32", lambda v: v.astype(jnp.int32), (x,)))
        cases.append((f"i32 to {name}", lambda v, name=name: v.astype(name), (sample("int32", (64,)),)))
    runner.compare_all(cases)


def test_bools(runner):
    x, y = sample("bool", (20,), 1), sample("bool", (20,), 2)
    functions = (lax.bitwise_and, lax.bitwise_or, lax.bitwise_xor, lax.eq, lax.ne, lax.max, lax.min)
    cases = [(f.__name__, f, (x, y)) for f in functions]
    cases += [("not", lax.bitwise_not, (x,)), ("any", jnp.any, (x,)), ("all", jnp.all, (x,)), ("count", jnp.count_nonzero, (x,))]
    cases += [("select", lax.select, (x, np.arange(20.0), -np.arange(20.0))), ("dot", jnp.dot, (x, y))]
    runner.compare_all(cases)


@pytest.mark.parametrize("target", (*FLOATS, "int8", "int32", "int64", "uint8", "uint32", "uint64", "bool", *COMPLEX))
def test_convert(runner, target):
    sources = [*FLOATS, *INTS, "bool", *(COMPLEX if target in COMPLEX else ())]
    cases = []
    for name in sources:
        x = sample(name, (200,), seed=4, low=-300, high=300)
        # What lies outside an integer's range, and NaN, is each compiler's own; XLA on CPUs saturates.
        cases.append((f"{name} to {target}", lambda v: lax.convert_element_type(v, target), (x,)))
        if name in FLOATS and target in INTS:
            cases.append((f"special {name} to {target}", lambda v: lax.convert_element_type(v, target), (special(name),)))
    runner.compare_all(cases)


# ---- Movement, indexing ---------------------------------------------------------------------------------------------


def test_movement(runner):
    cases = []
    for name in ("float32", "bfloat16", "int8", "complex128", "bool"):
        x = sample(name, (3, 4, 5))
        pad = np.zeros((), x.dtype)
        cases += [
            (f"transpose {name}", lambda v: lax.transpose(v, (2, 0, 1)), (x,)),
            (f"reshape {name}", lambda v: lax.reshape(v, (5, 12), (2, 0, 1)), (x,)),
            (f"broadcast {name}", lambda v: lax.broadcast_in_dim(v, (3, 2, 4, 5), (0, 2, 3)), (x,)),
            (f"expand {name}", lambda v: lax.broadcast_in_dim(v[:, :1], (3, 6, 5), (0, 1, 2)), (x,)),
            (f"reverse {name}", lambda v: lax.rev(v, (0, 2)), (x,)),
            (f"slice {name}", lambda v: lax.slice(v, (1, 0, 1), (3, 4, 5), (1, 3, 2)), (x,)),
            (f"pad {name}", lambda v, p: lax.pad(v, p, ((1, 2, 0), (-1, -2, 0), (0, 1, 2))), (x, pad)),
            (f"crop dilated {name}", lambda v, p: lax.pad(v, p, ((-1, 0, 1), (0, -3, 3), (2, -4, 1))), (x, pad)),
            (f"concatenate {name}", lambda v: lax.concatenate([v, v[:, :0], v[:, 1:3]], 1), (x,)),
            (f"dynamic_slice {name}", lambda v, i: lax.dynamic_slice(v, (i, i + 7, -i), (2, 2, 3)), (x, np.int32(1))),
            (f"dynamic_update {name}", lambda v, i: lax.dynamic_update_slice(v, v[1:, :2, ::2], (i, i, i)), (x, np.int8(3))),
            (f"tile {name}", lambda v: jnp.tile(v, (2, 1, 3)), (x,)),
        ]
    for name in (*FLOATS, *INTS, *COMPLEX):
        cases.append((f"iota {name}", lambda name=name: lax.broadcasted_iota(name, (3, 4, 2), 1), ()))
    cases += [(f"empty {s}", lambda v: lax.rev(jnp.concatenate([v, v], -1), (0,)), (sample("float32", s),)) for s in ((0, 3), (2, 0), (0, 0))]
    runner.compare_all(cases)


def test_bitcast(runner):
    x = sample("float32", (3, 4))
    pairs = (("float32", "uint32"), ("float32", "uint8"), ("float64", "int32"), ("complex64", "float32"), ("bfloat16", "int16"))
    cases = [(f"{a} as {b}", lambda v, b=b: lax.bitcast_convert_type(v, b), (x.astype(a),)) for a, b in pairs if a != "complex64"]
    cases.append(("u8 as f32", lambda v: lax.bitcast_convert_type(v, "float32"), (x.view(np.uint8).reshape(3, 4, 4),)))
    runner.compare_all(cases)


def test_gather(runner):
    x = sample("float32", (6, 5, 4))
    i = np.array([[0, 5, 99], [-3, 2, 2]], np.int32)
    cases = [
        ("take clip", lambda v, i: jnp.take(v, i, 0, mode="clip"), (x, i)),
        ("take fill", lambda v, i: jnp.take(v, i, 1, mode="fill", fill_value=7), (x, i)),
        ("take wrap", lambda v, i: jnp.take(v, i, 2, mode="wrap"), (x, i)),
        ("fancy", lambda v, i: v[i % 6, :, i % 4], (x, i)),
        ("along", lambda v, i: jnp.take_along_axis(v, i, 0), (x, (np.abs(sample("int32", (2, 5, 4))) % 6).astype(np.int32))),
        ("slices", lambda v, i: jax.vmap(lambda k: lax.dynamic_slice(v, (k, np.int32(0), k), (2, 5, 2)))(i.ravel()), (x, i)),
        ("batched", jax.vmap(lambda v, k: v[k]), (x, np.arange(6, dtype=np.int32) % 5)),
        ("empty", lambda v, i: v[i], (x, np.zeros((0,), np.int32))),
        ("unsigned", lambda v, i: v[i], (x, np.array([4, 250], np.uint8))),
    ]
    runner.compare_all(cases)


def test_scatter(runner):
    x, u = sample("float32", (6, 5)), sample("float32", (4, 5), seed=9)
    i = np.array([1, 5, 1, 77], np.int32)
    n = sample("int32", (6, 5))
    cases = [
        ("add", lambda v, i, u: v.at[i].add(u), (x, i, u)),
        ("set", lambda v, i, u: v.at[i[1:3]].set(u[:2]), (x, i, u)),
        ("mul", lambda v, i, u: v.at[i].mul(u), (x, i, u)),
        ("min", lambda v, i, u: v.at[:, i % 5].min(u.T[:1]), (x, i, u)),
        ("max drop", lambda v, i, u: v.at[i].max(u, mode="drop"), (x, i, u)),
        ("ints", lambda v, i: v.at[i].add(3), (n, i)),
        ("apply", lambda v, i: v.at[i].apply(jnp.sin), (x, i[:2])),
        ("window", lambda v: lax.dynamic_update_slice(v, v[:2, :2] * 2, (3, 3)), (x,)),
        ("segment_sum", lambda u, s: jax.ops.segment_sum(u, s, 5), (u, np.array([0, 3, 3, 4]))),
        ("segment_max", lambda u, s: jax.ops.segment_max(u, s, 5), (u, np.array([0, 3, 3, 4]))),
        ("batched", jax.vmap(lambda v, k, w: v.at[k].add(w)), (x, np.arange(6) % 5, sample("float32", (6,)))),
        ("scalar", lambda v: v.at[2, 3].set(1.5), (x,)),
        ("empty", lambda v, i: v.at[i].add(1), (x, np.zeros((0,), np.int32))),
        ("bf16", lambda v, i, u: v.at[i].add(u), (x.astype(ml_dtypes.bfloat16), i, u.astype(ml_dtypes.bfloat16))),
    ]
    runner.compare_all(cases, slack=3)


# ---- Products -------------------------------------------------------------------------------------------------------


def dots():
    shapes = [
        ((4, 5), (5, 6), ((1,), (0,)), ((), ())),
        ((5, 4), (6, 5), ((0,), (1,)), ((), ())),
        ((2, 3, 4), (2, 4, 5), ((2,), (1,)), ((0,), (0,))),
        ((3, 2, 4, 5), (4, 7, 2, 5), ((2, 3), (0, 3)), ((1,), (2,))),
        ((4,), (4,), ((0,), (0,)), ((), ())),
        ((3, 0), (0, 2), ((1,), (0,)), ((), ())),
        ((0, 3), (3, 2), ((1,), (0,)), ((), ())),
        ((2, 3), (4, 5), ((), ()), ((), ())),
        ((70, 300), (300, 90), ((1,), (0,)), ((), ())),
    ]
    return shapes


@pytest.mark.parametrize("name", (*FLOATS, *COMPLEX, "int8", "int32", "uint64"))
def test_dot_general(runner, name):
    cases = []
    for a, b, contract, batch in dots():
        f = functools.partial(lax.dot_general, dimension_numbers=(contract, batch))
        x, y = sample(name, a, seed=1), sample(name, b, seed=2)
        cases.append((f"{name} {a} x {b}", f, (x, y)))
        if name in ("float16", "bfloat16", "int8"):
            wide = "int32" if name == "int8" else "float32"
            cases.append((f"{name} {a} x {b} to {wide}", functools.partial(f, preferred_element_type=wide), (x, y)))
    runner.compare_all(cases, slack=20)


CONVOLUTIONS = [
    # input, kernel, strides, padding, input dilation, kernel dilation, layouts, feature groups, batch groups
    ((2, 9, 10, 3), (3, 4, 3, 6), (1, 1), "SAME", None, None, ("NHWC", "HWIO", "NHWC"), 1, 1),
    ((2, 3, 9, 10), (6, 3, 4, 5), (2, 1), ((1, 2), (0, 0)), None, (2, 1), ("NCHW", "OIHW", "NCHW"), 1, 1),
    ((2, 9, 10, 4), (2, 3, 2, 6), (1, 2), ((0, 0), (0, 0)), (2, 1), None, ("NHWC", "HWIO", "NHWC"), 2, 1),
    ((4, 7, 8), (3, 8, 6), (1,), ((-1, 2),), (3,), (2,), ("NHC", "HIO", "NHC"), 1, 2),
    ((1, 6, 5), (3, 1, 10), (1,), "SAME", None, None, ("NHC", "HIO", "NHC"), 5, 1),
    ((3, 4), (4, 5), (), (), None, None, ("NC", "IO", "NC"), 1, 1),
    ((1, 3, 4, 5, 2), (2, 2, 2, 2, 3), (1, 1, 1), "SAME", None, None, ("NDHWC", "DHWIO", "NDHWC"), 1, 1),
]


@pytest.mark.parametrize("name", ("float32", "bfloat16", "float64"))
def test_convolution(runner, name):
    cases = []
    for x, k, strides, padding, lhs, rhs, layout, features, batches in CONVOLUTIONS:
        f = functools.partial(lax.conv_general_dilated, window_strides=strides, padding=padding, lhs_dilation=lhs, rhs_dilation=rhs,
                              dimension_numbers=layout, feature_group_count=features, batch_group_count=batches)  # fmt: skip
        a, b = sample(name, x, seed=1), sample(name, k, seed=2)
        cases.append((f"{name} {x} * {k}", f, (a, b)))
        if name == "float32" and batches == 1 and len(x) > 2:
            loss = lambda u, v, f=f: jnp.sum(jnp.sin(f(u, v)))
            cases += [(f"gradient {i} of {x} * {k}", jax.grad(loss, i), (a, b)) for i in (0, 1)]
    runner.compare_all(cases, slack=20)


def test_ragged_dot(runner):
    x, w, sizes = sample("float32", (9, 4)), sample("float32", (3, 4, 5)), np.array([2, 0, 5], np.int32)
    loss = lambda x, w: jnp.sum(jnp.sin(lax.ragged_dot(x, w, sizes)))
    cases = [("rows", lax.ragged_dot, (x, w, sizes)), ("input gradient", jax.grad(loss, 0), (x, w)), ("weight gradient", jax.grad(loss, 1), (x, w))]
    runner.compare_all(cases, slack=5)


# ---- Reductions, windows, sorting -----------------------------------------------------------------------------------


def test_reduce(runner):
    cases = []
    for name in ("float32", "bfloat16", "int16", "complex64"):
        x = sample(name, (4, 5, 6))
        for axes in ((0,), (2,), (1,), (0, 2), (0, 1, 2), ()):
            cases.append((f"sum {name} {axes}", lambda v, a=axes: lax.reduce_sum_p.bind(v, axes=a, out_sharding=None), (x,)))
            if name != "complex64":
                cases.append((f"max {name} {axes}", lambda v, a=axes: lax.reduce_max_p.bind(v, axes=a, out_sharding=None), (x,)))
                cases.append((f"prod {name} {axes}", lambda v, a=axes: lax.reduce_prod_p.bind(v, axes=a), (x,)))
    x = special("float32").reshape(3, 5)
    cases += [(f"{f.__name__} of special", functools.partial(f, axis=1), (x,)) for f in (jnp.max, jnp.min, jnp.argmax, jnp.argmin, jnp.sum)]
    cases += [(f"{f.__name__} {s}", f, (sample("float32", s),)) for f in (jnp.sum, jnp.prod) for s in SHAPES]
    cases += [("argmax", functools.partial(jnp.argmax, axis=0), (sample("int32", (7, 3)),)), ("long sum", jnp.sum, (sample("float32", (100_003,)),))]
    pair = lambda v, i: lax.reduce((v, i), (np.float32(-1e9), np.int32(0)), lambda a, b: (lax.max(a[0], b[0]), a[1] + b[1]), (1,))[1]
    cases.append(("two results", pair, (sample("float32", (3, 4)), sample("int32", (3, 4)))))
    cases.append(("own init", lambda v: lax.reduce(v, np.float32(3), lax.add, (0,)), (sample("float32", (4, 2)),)))
    runner.compare_all(cases, slack=20)


def test_windows(runner):
    x = sample("float32", (2, 9, 10, 3))
    pools = [
        lambda v: lax.reduce_window(v, -np.inf, lax.max, (1, 2, 3, 1), (1, 2, 1, 1), "SAME"),
        lambda v: lax.reduce_window(v, 0.0, lax.add, (1, 3, 2, 1), (1, 1, 2, 1), "VALID"),
        lambda v: lax.reduce_window(v, 0.0, lax.add, (1, 2, 2, 1), (1, 1, 1, 1), ((0, 0), (1, 2), (0, 3), (0, 0)), (1, 2, 3, 1), (1, 1, 2, 1)),
        lambda v: lax.cumsum(v, 1), lambda v: lax.cumprod(v, 2, reverse=True), lambda v: lax.cummax(v, 1), lambda v: lax.cumlogsumexp(v, 3),
    ]  # fmt: skip
    cases = [(f"window {i}", f, (x,)) for i, f in enumerate(pools)]
    cases += [(f"gradient of window {i}", jax.grad(lambda v, f=f: jnp.sum(jnp.sin(f(v)))), (x,)) for i, f in enumerate(pools[:3])]
    cases += [("empty window", lambda v: lax.reduce_window(v, 0.0, lax.add, (1, 3), (1, 1), "VALID"), (sample("float32", (2, 2)),))]
    runner.compare_all(cases, slack=5)


def test_sort(runner):
    keys = np.array([3, 1, 3, 2, 1, 3, 0], np.int32)
    s = special("float32")
    cases = [(f"sort {n}", functools.partial(jnp.sort, axis=0), (sample(n, (17, 2)),)) for n in ("float32", "bfloat16", "int8", "uint64", "bool")]
    cases += [
        ("special", jnp.sort, (s,)), ("descending", lambda v: -jnp.sort(-v), (keys,)), ("argsort", jnp.argsort, (keys,)),
        ("argsort stable", functools.partial(jnp.argsort, stable=True, axis=1), (np.stack([keys, keys[::-1]]),)),
        ("two keys", lambda k, v: jnp.stack(lax.sort((k, v, jnp.arange(7)), num_keys=2)), (keys, np.arange(7, dtype=np.int32) % 3)),
        ("top_k", lambda v: lax.top_k(v, 3)[0], (sample("float32", (4, 9)),)), ("top_k places", lambda v: lax.top_k(v, 3)[1], (keys.astype(np.float32),)),
        ("approx_max_k", lambda v: lax.approx_max_k(v, 2)[1], (sample("float32", (4, 9)),)),
        ("approx_min_k", lambda v: lax.approx_min_k(v, 2, reduction_dimension=0)[0], (sample("float32", (4, 9)),)),
        ("unique", lambda v: jnp.unique(v, size=5), (keys,)), ("complex", jnp.sort, (sample("complex64", (9,)),)),
        ("empty", jnp.sort, (sample("float32", (0,)),)), ("median", jnp.median, (sample("float32", (3, 4)),)),
    ]  # fmt: skip
    runner.compare_all(cases)


# ---- Transforms, linear algebra, random bits ------------------------------------------------------------------------


def test_fft(runner):
    cases = []
    for real, complex_ in (("float32", "complex64"), ("float64", "complex128")):
        x, z = sample(real, (2, 6, 15)), sample(complex_, (2, 6, 15))
        for f in (jnp.fft.fft, jnp.fft.ifft, jnp.fft.fft2, jnp.fft.ifft2):
            cases.append((f"{f.__name__} {complex_}", f, (z,)))
        for n in (1, 2, 7, 16, 30):
            cases.append((f"rfft {n}", lambda v, n=n: jnp.fft.rfft(v, n), (x,)))
            cases.append((f"irfft {n}", lambda v, n=n: jnp.fft.irfft(jnp.fft.rfft(v, n), n), (x,)))
        cases += [("rfftn", jnp.fft.rfftn, (x,)), ("irfft2", lambda v: jnp.fft.irfft2(jnp.fft.rfft2(v), s=(6, 15)), (x,))]
        cases.append(("fft of 97", jnp.fft.fft, (sample(complex_, (97,)),)))
    runner.compare_all(cases, slack=50)


@pytest.mark.parametrize("name", ("float32", "float64"))
def test_fft_to_the_last_bit(runner, name):
    """Lengths with each factor, and several dimensions: their order and the order of sums are those of jaxlib 0.10."""
    complex_ = {"float32": "complex64", "float64": "complex128"}[name]
    cases = []
    for n in (1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17, 24, 30, 36, 44, 49, 64):
        z = sample(complex_, (3, n))
        cases += [(f"fft {n}", jnp.fft.fft, (z,)), (f"ifft {n}", jnp.fft.ifft, (z,))]
        cases.append((f"rfft {n}", jnp.fft.rfft, (sample(name, (3, n)),)))
        cases.append((f"irfft {n}", lambda v, n=n: jnp.fft.irfft(v, n), (sample(complex_, (3, n // 2 + 1)),)))
    for kind, last in (("FFT", 15), ("IFFT", 15), ("RFFT", 15), ("IRFFT", 8)):
        x = sample(name if kind == "RFFT" else complex_, (2, 6, 7, last))
        cases.append((f"{kind} of three", lambda v, k=kind: lax.fft(v, k, (6, 7, 15)), (x,)))
    runner.compare_all(cases, slack=0 if jaxlib_is("0.10") else 50)


@pytest.mark.parametrize("name", ("float32", "float64", "complex64", "complex128"))
def test_linear_algebra(runner, name):
    a = sample(name, (2, 5, 5)) + 4 * np.eye(5, dtype=dtype_of(name))
    spd = (a @ np.conj(np.swapaxes(a, -1, -2))).astype(a.dtype)
    b, tall, wide = sample(name, (2, 5, 3)), sample(name, (6, 4)), sample(name, (2, 3, 5))
    ordered = lambda w: jnp.sort(jnp.abs(w), axis=-1)
    rebuilt = lambda v: (lambda u, s, vh: (u * s[..., None, :].astype(u.dtype)) @ vh)(*jnp.linalg.svd(v, full_matrices=False))
    cases = [
        ("cholesky", jnp.linalg.cholesky, (spd,)), ("upper cholesky", lambda v: jnp.linalg.cholesky(v, upper=True), (spd,)),
        ("not positive", jnp.linalg.cholesky, (-spd,)), ("lu", lambda v: lax.linalg.lu(v)[0], (tall,)), ("pivots", lambda v: lax.linalg.lu(v)[1], (a,)),
        ("solve", jnp.linalg.solve, (a, b)), ("inverse", jnp.linalg.inv, (a,)), ("determinant", jnp.linalg.det, (a,)),
        ("q", lambda v: jnp.linalg.qr(v)[0], (tall,)), ("r", lambda v: jnp.linalg.qr(v)[1], (wide,)),
        ("complete q", lambda v: jnp.linalg.qr(v, mode="complete")[0], (tall,)),
        ("eigenvalues", lambda v: jnp.linalg.eigh(v)[0], (spd,)),
        ("eigenvectors", lambda v: (lambda w, q: (q * w[..., None, :].astype(q.dtype)) @ jnp.conj(jnp.swapaxes(q, -1, -2)))(*jnp.linalg.eigh(v)), (spd,)),
        ("singular values", lambda v: jnp.linalg.svd(v, compute_uv=False), (tall,)), ("svd", rebuilt, (wide,)), ("tall svd", rebuilt, (tall,)),
        ("orthogonal", lambda v: (lambda u: jnp.abs(jnp.conj(u.T) @ u))(jnp.linalg.svd(v)[0]), (tall,)),
        ("hessenberg", lambda v: lax.linalg.hessenberg(v)[0], (a,)), ("reflectors", lambda v: lax.linalg.hessenberg(v)[1], (a,)),
        ("tridiagonal", lambda v: lax.linalg.tridiagonal(v)[1], (spd,)), ("subdiagonal", lambda v: lax.linalg.tridiagonal(v)[2], (spd,)),
        ("tridiagonal_solve", lambda v, w: lax.linalg.tridiagonal_solve(v[:, 0], v[:, 1] * 0.1, v[:, 2], w), (a, b)),
        ("general eigenvalues", lambda v: ordered(jnp.linalg.eigvals(v)), (a,)),
        ("eigen equation", lambda v: (lambda w, q: v @ q - q * w[..., None, :])(*jnp.linalg.eig(v)), (a,)),
    ]  # fmt: skip
    for left, lower, transpose in itertools.product((False, True), (False, True), (False, True)):
        f = functools.partial(lax.linalg.triangular_solve, left_side=left, lower=lower, transpose_a=transpose)
        cases.append((f"triangular {left} {lower} {transpose}", f, (a, b if left else np.swapaxes(b, -1, -2).copy())))
    runner.compare_all(cases, slack=50)


def test_random_bits(runner):
    key = np.array([1, 2, 0xFFFFFFFD, 0xFFFFFFFF], np.uint32)
    cases = []
    for shape, dtype in [*itertools.product(((), (3,), (4, 5), (3, 5, 7), (2, 0)), (jnp.uint32, jnp.uint64)), ((5, 3), jnp.uint8), ((6,), jnp.uint16)]:
        for algorithm in (lax.RandomAlgorithm.RNG_THREE_FRY, lax.RandomAlgorithm.RNG_PHILOX, lax.RandomAlgorithm.RNG_DEFAULT):
            f = functools.partial(lax.rng_bit_generator, shape=shape, dtype=dtype, algorithm=algorithm)
            both = lambda k, f=f: (lambda state, bits: jnp.concatenate([state.astype(jnp.uint64), bits.astype(jnp.uint64).ravel()]))(*f(k))
            cases.append((f"{algorithm} {dtype.__name__} {shape}", both, (key,)))
    runner.compare_all(cases)


def test_random_numbers(runner):
    draws = {
        "uniform": lambda k: jax.random.uniform(k, (3, 5)), "normal": lambda k: jax.random.normal(k, (7,), jnp.float32),
        "randint": lambda k: jax.random.randint(k, (9,), -5, 100), "permutation": lambda k: jax.random.permutation(k, 11),
        "bernoulli": lambda k: jax.random.bernoulli(k, 0.3, (20,)), "bits": lambda k: jax.random.bits(k, (4,), jnp.uint64),
        "split": lambda k: jax.random.key_data(jax.random.split(k, 5)), "categorical": lambda k: jax.random.categorical(k, jnp.zeros((4, 6))),
    }  # fmt: skip
    runner.compare_all([(name, lambda seed, f=f: f(jax.random.key(seed)), (np.int32(7),)) for name, f in draws.items()])


# ---- Control flow, and ops that JAX does not print ------------------------------------------------------------------


def test_control_flow(runner):
    def fib(n):
        return lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[2], s[1] + s[2]), (0, 0, 1))[1]

    def collatz(n):
        return lax.while_loop(lambda s: s[0] != 1, lambda s: (jnp.where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1), (n, 0))[1]

    x = sample("float32", (6, 3))
    cases = [
        ("while", fib, (np.int32(20),)), ("nested", lambda n: lax.fori_loop(1, n, lambda i, s: s + collatz(i), 0), (np.int32(12),)),
        ("no turns", fib, (np.int32(0),)), ("cond", lambda p, v: lax.cond(p, jnp.sin, jnp.cos, v), (np.True_, x)),
        ("switch", lambda i, v: lax.switch(i, [jnp.sin, jnp.cos, jnp.exp], v), (np.int32(9), x)),
        ("scan", lambda v: lax.scan(lambda c, r: (c * 0.5 + r, c), jnp.zeros(3, jnp.float32), v)[1], (x,)),
        ("reverse scan", lambda v: lax.scan(lambda c, r: (c + r, c * r), jnp.zeros(3, jnp.float32), v, reverse=True)[1], (x,)),
        ("scan gradient", jax.grad(lambda v: jnp.sum(lax.scan(lambda c, r: (jnp.sin(c + r), c), jnp.zeros(3, jnp.float32), v)[0])), (x,)),
        ("associative_scan", lambda v: lax.associative_scan(jnp.maximum, v), (x,)),
        ("map", lambda v: lax.map(lambda r: jnp.dot(r, r), v), (x,)),
    ]  # fmt: skip
    runner.compare_all(cases, slack=3)


def test_batch_norm(runner):
    text = """
    func.func @main(%x: tensor<4x3x5xf32>, %scale: tensor<3xf32>, %offset: tensor<3xf32>, %g: tensor<4x3x5xf32>)
        -> (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x5xf32>, tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>) {
      %0:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) {epsilon = 0.01 : f32, feature_index = 1 : i64}
        : (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>)
      %1 = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %0#1, %0#2) {epsilon = 0.01 : f32, feature_index = 1 : i64}
        : (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3x5xf32>
      %2:3 = "stablehlo.batch_norm_grad"(%x, %scale, %0#1, %0#2, %g) {epsilon = 0.01 : f32, feature_index = 1 : i64}
        : (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x5xf32>) -> (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>)
      return %0#0, %0#1, %0#2, %1, %2#0, %2#1, %2#2
        : tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x5xf32>, tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>
    }"""
    x, g = sample("float32", (4, 3, 5)), sample("float32", (4, 3, 5), seed=2)
    runner.compare_text(text, x, np.array([1, 2, 0.5], np.float32), np.array([0, 1, -1], np.float32), g, slack=5)


def test_other_ops(runner):
    text = """
    func.func @main(%x: tensor<4x4xf32>, %i: tensor<3xi32>, %b: tensor<4x2xf32>)
        -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x2xf32>, tensor<2x4xf32>, tensor<3x4xf32>, tensor<4x4xf32>, tensor<ui32>) {
      %0 = "stablehlo.map"(%x, %x) ({
        ^bb0(%a: tensor<f32>, %c: tensor<f32>):
          %p = stablehlo.compare LT, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %m = stablehlo.multiply %a, %c : tensor<f32>
          %s = stablehlo.select %p, %a, %m : tensor<i1>, tensor<f32>
          stablehlo.return %s : tensor<f32>
      }) {dimensions = array<i64: 0, 1>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %spd = stablehlo.dot %x, %t : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %1 = stablehlo.cholesky %spd, lower = true : tensor<4x4xf32>
      %zero = stablehlo.constant dense<0.0> : tensor<4x4xf32>
      %rows = stablehlo.iota dim = 0 : tensor<4x4xi32>
      %columns = stablehlo.iota dim = 1 : tensor<4x4xi32>
      %below = stablehlo.compare GE, %rows, %columns : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
      %lower = stablehlo.select %below, %1, %zero : tensor<4x4xi1>, tensor<4x4xf32>
      %2 = stablehlo.reduce_precision %x, format = e4m3 : tensor<4x4xf32>
      %3 = "stablehlo.triangular_solve"(%lower, %b) {left_side = true, lower = true, unit_diagonal = false,
        transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
      %c2 = stablehlo.constant dense<2> : tensor<i32>
      %4 = stablehlo.dynamic_slice %x, %c2, %c2, sizes = [2, 4] : (tensor<4x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
      %5 = "stablehlo.torch_index_select"(%x, %i) {dim = 0 : i64, batch_dims = 0 : i64} : (tensor<4x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
      %6:2 = stablehlo.optimization_barrier %x, %x : tensor<4x4xf32>, tensor<4x4xf32>
      %id = stablehlo.replica_id : tensor<ui32>
      return %0, %lower, %2, %3, %4, %5, %6#1, %id
        : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x2xf32>, tensor<2x4xf32>, tensor<3x4xf32>, tensor<4x4xf32>, tensor<ui32>
    }"""
    x = sample("float32", (4, 4)) + 3 * np.eye(4, dtype=np.float32)
    runner.compare_text(text, x, np.array([2, 0, 3], np.int32), sample("float32", (4, 2)), slack=20)


@pytest.mark.parametrize("elem", ("f32", "f64", "complex<f32>", "complex<f64>"))
def test_triangular_solve(runner, elem):
    """Every side, half and transposition, of batches; 11 is more than the eight terms that are summed apart."""
    name = {"f32": "float32", "f64": "float64", "complex<f32>": "complex64", "complex<f64>": "complex128"}[elem]
    a, b, solves, types = f"tensor<2x11x11x{elem}>", f"tensor<2x11x3x{elem}>", [], []
    for transpose in ("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"):
        for left, lower, unit in itertools.product(("true", "false"), repeat=3):
            types.append(b if left == "true" else f"tensor<2x3x11x{elem}>")
            solves.append(
                f'%{len(solves)} = "stablehlo.triangular_solve"(%a, {"%b" if left == "true" else "%t"}) '
                f"{{left_side = {left}, lower = {lower}, unit_diagonal = {unit}, "
                f"transpose_a = #stablehlo<transpose {transpose}>}} : ({a}, {types[-1]}) -> {types[-1]}"
            )
    names = ", ".join(f"%{i}" for i in range(len(solves)))
    text = f"""func.func @main(%a: {a}, %b: {b}) -> ({", ".join(types)}) {{
      %t = stablehlo.transpose %b, dims = [0, 2, 1] : ({b}) -> tensor<2x3x11x{elem}>
      {chr(10).join(solves)}
      return {names} : {", ".join(types)} }}"""
    matrix = sample(name, (2, 11, 11)) / 4 + 2 * np.eye(11, dtype=dtype_of(name))
    runner.compare_text(text, matrix, sample(name, (2, 11, 3)), slack=20)


# ---- Models ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ("mlp", "t32", "t32_scan", "t32_mixed", "convnet", "unet", "gns", "lstm", "moe", "it32"))
def test_model(runner, name):
    """One step of each small model: MLP, transformer with Adam, U-Net, graph network, LSTM, mixture of experts, serving loop."""
    with jax.enable_x64(False):
        model = models.get(name, small=True)
        arguments = model.example()
        cheap = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
        lowered = jax.jit(model.function, keep_unused=True).lower(*arguments)
        want = [np.asarray(x) for x in jax.tree.leaves(lowered.compile(compiler_options=cheap)(*arguments))]
    text = lowered.as_text().replace("jax.result_info", "unused.result_info")
    out = runner.interpret(text, jax.tree.leaves(arguments))
    limit = 2e-2 if name == "t32_mixed" else 2e-4  # mixed: activations in bf16
    for i, w in enumerate(want):
        got = load(out / f"out.{i}.npy", w)
        if w.dtype.kind == "f":
            scale = max(float(np.max(np.abs(w), initial=0)), 1e-6)
            np.testing.assert_allclose(got / scale, w / scale, rtol=limit, atol=limit, err_msg=f"result {i}")
        else:
            agree(f"result {i}", got, w)
