"""What we print is what MLIR prints. jaxlib parses our text and gives back the same text as for the original; and a text
that jaxlib printed comes out of our reader and printer byte for byte as it went in."""

import re

import jax
import jax.numpy as jnp
import pytest
from conftest import ROOT
from mlir_text import as_mlir_prints, does_not_know, first_difference

FORMS = {"pretty": (), "generic": ("--generic",)}
SAMPLES = sorted([*ROOT.glob("tests/samples/*.mlir"), *ROOT.glob("examples/*.mlir"), *ROOT.glob("tests/fuzz/corpus/*.mlir")])
# MLIR writes #map and #loc aliases for attributes that we keep as they were, and a scalar's slice as it cannot read it.
NOT_THE_SAME_BYTES = {"attributes", "scalar_slice"}
# An op that this jaxlib does not know, and our loops, which have a form of their own.
UNKNOWN_TO_JAXLIB = {"check.expect_close", "stablehlo.collective_reduce", "partir.loop", "partir.slice", "partir.yield"}


@pytest.fixture
def print_text(partir):
    """What `partir print` makes of a text."""

    def run(text, *options):
        done = partir("print", *options, "-", input=text)
        assert done.returncode == 0, done.stderr[:2000]
        return done.stdout

    return run


def check_same_program(print_text, text, form):
    if does_not_know(text):
        pytest.skip("this jaxlib does not know all of its ops")
    printed = print_text(text, *FORMS[form])
    for generic in (False, True) if form == "generic" else (False,):  # the pretty form leaves out what is default
        expected, actual = as_mlir_prints(text, generic), as_mlir_prints(printed, generic)
        assert actual == expected, first_difference(expected, actual)
    assert print_text(printed, *FORMS[form]) == printed


def check_same_bytes(print_text, text, generic=False, locations=False):
    if does_not_know(text):
        pytest.skip("this jaxlib does not know all of its ops")
    expected = as_mlir_prints(text, generic, locations)
    options = ["--generic"] * generic + ["--locations"] * locations
    actual = print_text(expected, *options)
    assert actual == expected, first_difference(expected, actual)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_same_program(print_text, path, form):
    check_same_program(print_text, path.read_text(), form)


@pytest.mark.parametrize("generic", [False, True], ids=["pretty", "generic"])
@pytest.mark.parametrize("path", [p for p in SAMPLES if p.stem not in NOT_THE_SAME_BYTES], ids=lambda path: path.stem)
def test_same_bytes(print_text, path, generic):
    check_same_bytes(print_text, path.read_text(), generic)


@pytest.mark.parametrize("generic", [False, True], ids=["pretty", "generic"])
def test_same_locations(print_text, generic):
    check_same_bytes(print_text, (ROOT / "tests/samples/locations.mlir").read_text(), generic, locations=True)


def case_programs():
    """The programs in the cases that end well: those are right, so MLIR must agree."""
    for path in sorted(ROOT.glob("tests/cases/**/*.test")):
        sections = re.split(r"^--- (.*)\n", path.read_text(errors="replace"), flags=re.M)
        named = dict(zip(sections[1::2], sections[2::2]))
        if "exit" in named or "stderr" in named or "error" in named.get("stdout", ""):
            continue
        for header, body in named.items():
            if header.endswith(".mlir") and not any(op in body for op in UNKNOWN_TO_JAXLIB):
                yield pytest.param(body, id=f"{path.stem}:{header.removeprefix('file ')}")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", list(case_programs()))
def test_case(print_text, text, form):
    check_same_program(print_text, text, form)


def test_samples_have_every_op():
    """Each op of the table is in a sample, so that its form is compared with MLIR's."""
    table = re.findall(r'^OP\([^"]*"([^"]+)"', (ROOT / "src/ir/ops.def").read_text(), flags=re.M)
    samples = "".join(path.read_text() for path in ROOT.glob("tests/samples/*.mlir"))
    missing = [op for op in table if not re.search(rf'(?<![\w.])"?{re.escape(op)}"?(?![\w.-])', samples)]
    assert set(missing) == UNKNOWN_TO_JAXLIB


# ---- Programs that JAX lowers here, with all their locations ----------------------------------------------------------


def mlp_step(params, x, y):
    def loss(p):
        h = x
        for w, b in p[:-1]:
            h = jax.nn.gelu(h @ w + b)
        w, b = p[-1]
        return jnp.mean((h @ w + b - y) ** 2)

    value, grads = jax.value_and_grad(loss)(params)
    return value, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


def scan_and_branch(x, n):
    def body(carry, row):
        carry = jax.lax.cond(jnp.sum(row) > 0, lambda c: c + row, lambda c: jnp.sin(c), carry)
        return carry, jnp.max(carry)

    carry, best = jax.lax.scan(body, jnp.zeros(x.shape[1]), x)
    carry = jax.lax.while_loop(lambda c: jnp.sum(c) < n, lambda c: c * 2 + 1, carry)
    return jax.lax.switch(n.astype(jnp.int32), [jnp.cos, jnp.tanh, jnp.exp], carry), best


def image(x, k):
    y = jax.lax.conv_general_dilated(x, k, (2, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    y = jax.lax.reduce_window(y, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return jax.grad(lambda z: jnp.sum(jax.lax.reduce_window(z, 0.0, jax.lax.add, (1, 2, 2, 1), (1, 1, 1, 1), "SAME") ** 2))(y)


def indexing(x, i):
    y = x[i].at[i % 2].add(1.0)
    z = jax.lax.dynamic_update_slice(x, y[:1], (i[0], 0))
    return jnp.sort(z, axis=1), jnp.argsort(z[:, 0]), jax.lax.top_k(z, 2), jnp.cumsum(z, axis=0), jnp.argmax(z)


def numerics(x, key):
    bits = jax.random.bits(key, (4, 4))
    z = jax.lax.complex(x, x)
    solved = jax.scipy.linalg.solve_triangular(jnp.linalg.cholesky(x @ x.T + jnp.eye(4)), x)
    return bits, jnp.fft.fft2(z), solved, jax.scipy.special.erf(x), jax.lax.convert_element_type(x, jnp.bfloat16), jnp.abs(z)


def matmul(a, b):
    return a.astype(jnp.bfloat16) @ b.astype(jnp.bfloat16), jnp.einsum("bij,bkj->bik", a, b, precision="highest")


def spec(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


PROGRAMS = {
    "mlp_step": (mlp_step, [(spec(8, 16), spec(16)), (spec(16, 4), spec(4))], spec(32, 8), spec(32, 4)),
    "scan_and_branch": (scan_and_branch, spec(6, 4), spec()),
    "image": (image, spec(2, 16, 16, 3), spec(3, 3, 3, 8)),
    "indexing": (indexing, spec(8, 4), spec(3, dtype=jnp.int32)),
    "numerics": (numerics, spec(4, 4), spec(2, dtype=jnp.uint32)),
    "matmul": (matmul, spec(2, 4, 4), spec(2, 4, 4)),
}


@pytest.mark.parametrize("generic", [False, True], ids=["pretty", "generic"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_jax_program(print_text, name, generic):
    function, *arguments = PROGRAMS[name]
    lowered = jax.jit(function).lower(*arguments)
    text = lowered.as_text(debug_info=True)
    assert print_text(text, "--locations") == text
    check_same_bytes(print_text, text, generic)
    if generic:
        with_locations = as_mlir_prints(text, generic=True, locations=True)
        assert print_text(with_locations, "--generic", "--locations") == with_locations
