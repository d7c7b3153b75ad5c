"""StableHLO's own test programs in the interpreter: `make conformance`.

Most make their inputs and check their outputs themselves. Those with dynamic shapes take arguments: there the dimensions are
chosen here, and XLA, which runs the program after its shapes have been refined, says what must come out.
"""

import re

import numpy as np
import pytest

pytestmark = pytest.mark.shared

REFUSED_BY_XLA = {"conv_general_dilated_1d_stride_2_even_dynamic": "two strides for one dimension in space"}

DIM = 3  # every dynamic dimension


def pytest_generate_tests(metafunc):
    shared = metafunc.config.getoption("--shared")
    found = [] if shared is None else sorted(shared.glob("conformance/stablehlo/*.mlir"))
    metafunc.parametrize("program", found, ids=lambda path: path.stem)


def main_arguments(text):
    """The types of @main's arguments: [("f32", [3, 4]), …], None for a dynamic dimension."""
    signature = re.search(r"func\.func (?:public )?@main\((.*?)\) ->", text, re.S)
    if not signature:
        return []
    types = re.findall(r"%\w+: tensor<((?:[\d?]+x)*)(complex<f\d+>|\w+)>", signature.group(1))
    return [(elem, [None if d == "?" else int(d) for d in dims.split("x") if d]) for dims, elem in types]


NUMPY = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "i1": np.bool_,
    "complex<f32>": np.complex64,
    "complex<f64>": np.complex128,
    **{f"i{n}": getattr(np, f"int{n}") for n in (8, 16, 32, 64)},
    **{f"ui{n}": getattr(np, f"uint{n}") for n in (8, 16, 32, 64)},
}


def make_argument(rng, elem, shape):
    import ml_dtypes

    dtype = NUMPY.get(elem) or np.dtype(ml_dtypes.bfloat16)
    shape = [DIM if d is None else d for d in shape]
    if np.issubdtype(dtype, np.integer):
        # An i64 scalar is the size of a dimension; other integers are indices, and 0 is always a valid one.
        return np.full(shape, DIM if not shape and dtype == np.int64 else 0, dtype)
    if dtype == np.bool_:
        return rng.random(shape) < 0.5
    values = rng.standard_normal(shape)
    if np.issubdtype(dtype, np.complexfloating):
        values = values + 1j * rng.standard_normal(shape)
    return np.asarray(values).astype(dtype)


def static_program(text, arguments):
    """A @main of static shapes that calls the dynamic one; scalars become constants, so that XLA can refine shapes."""
    text = re.sub(r"func\.func (?:public )?@main\(", "func.func private @dynamic(", text)
    signature = re.search(r"@dynamic\((.*?)\) -> (.*?) \{\n", text, re.S)
    formal = re.findall(r"%\w+: (tensor<(?:[^<>]|<[^<>]*>)*>)", signature.group(1))
    results = re.findall(r"tensor<(?:[^<>]|<[^<>]*>)*>", signature.group(2))
    parameters, body, names = [], [], []
    for i, (value, dynamic) in enumerate(zip(arguments, formal)):
        static = re.sub(r"\?", str(DIM), dynamic)
        if value.ndim == 0 and np.issubdtype(value.dtype, np.integer):
            body.append(f"%c{i} = stablehlo.constant dense<{value}> : {static}")
        else:
            parameters.append(f"%p{i}: {static}")
            body.append(f"%c{i} = stablehlo.convert %p{i} : ({static}) -> {dynamic}")
        names.append(f"%c{i}")
    many = f":{len(results)}" if len(results) > 1 else ""
    yielded = ", ".join(f"%r#{i}" for i in range(len(results))) if many else "%r"
    body.append(f"%r{many} = func.call @dynamic({', '.join(names)}) : ({', '.join(formal)}) -> ({', '.join(results)})")
    main = f"func.func public @main({', '.join(parameters)}) -> ({', '.join(results)}) {{\n" + "\n".join(body)
    main += f"\nreturn {yielded} : {', '.join(results)}\n}}\n"
    end = text.rindex("}")
    return text[:end] + main + text[end:]


def run_on_xla(text, arguments):
    import jax
    from jax._src import compiler
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jax._src.lib.mlir import ir

    with jax.enable_x64(True), mlir.make_ir_context():
        module = mlir.refine_polymorphic_shapes(ir.Module.parse(static_program(text, arguments)))
        device = jax.devices()[0]
        options = xla_client.CompileOptions()
        devices = xla_client.DeviceList((device,))
        loaded = compiler.backend_compile_and_load(device.client, module, devices, options, [])
        given = [a for a in arguments if a.ndim or not np.issubdtype(a.dtype, np.integer)]
        return [np.asarray(r) for r in loaded.execute([jax.device_put(a, device) for a in given])]


def tolerance(dtype):
    if np.issubdtype(dtype, np.complexfloating):
        return 1e-4 if dtype == np.complex64 else 1e-10
    if dtype.kind in "biu":
        return 0
    return {2: 2e-2, 4: 1e-5, 8: 1e-12}[dtype.itemsize]


def test_program(partir, tmp_path, program):
    text = program.read_text()
    signature = main_arguments(text.split("// -----")[-1])
    if not signature:
        result = partir("run", program)
        assert result.returncode == 0, result.stderr
        return

    rng = np.random.default_rng(1)
    arguments = [make_argument(rng, elem, shape) for elem, shape in signature]
    files = []
    for i, value in enumerate(arguments):
        files.append(tmp_path / f"{i}.npy")
        np.save(files[-1], value)
    result = partir("run", program, "--out", tmp_path / "out", *(word for f in files for word in ("--in", f)))
    assert result.returncode == 0, result.stderr
    if program.stem in REFUSED_BY_XLA:
        return
    expected = run_on_xla(text, arguments)
    for i, want in enumerate(expected):
        got = np.load(tmp_path / "out" / f"out.{i}.npy")
        if got.dtype.kind == "V":
            got = got.view(want.dtype)
        if want.dtype.itemsize == 2 and want.dtype.kind in "Vf":
            got, want = got.astype(np.float32), want.astype(np.float32)
            np.testing.assert_allclose(got, want, rtol=2e-2, atol=2e-2)
        else:
            np.testing.assert_allclose(got, want, rtol=tolerance(want.dtype), atol=tolerance(want.dtype))
