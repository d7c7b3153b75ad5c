"""jaxlib's MLIR as the judge of what we print: its parser, verifier and printer."""

import functools
import re

import jaxlib.version
from conftest import ROOT
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo


@functools.cache
def _any_artifact():
    with mlir.make_ir_context():
        return stablehlo.serialize_portable_artifact(ir.Module.parse("func.func @f() { return }"), stablehlo.get_current_version())


def make_context():
    """All dialects of StableHLO. Quantized types are JAX's to leave out, but reading an artifact brings them in."""
    # A new one each time: names of resources are unique in a context, and JAX hands out one several times.
    context = getattr(mlir, "_create_ir_context", mlir.make_ir_context)()
    context.allow_unregistered_dialects = True
    with context:
        stablehlo.deserialize_portable_artifact(context, _any_artifact())
    return context


def does_not_know(text):
    """Whether an older jaxlib than the first of requirements-test.txt cannot read a text: newer StableHLO has more ops."""
    pinned = re.search(r"^jaxlib==([\d.]+)", (ROOT / "requirements-test.txt").read_text(), flags=re.M).group(1)
    if tuple(map(int, pinned.split("."))) <= jaxlib.version.__version_info__:
        return False
    try:
        as_mlir_prints(text)
    except ir.MLIRError:
        return True
    return False


def as_mlir_prints(text, generic=False, locations=False):
    """The text after jaxlib's parser, verifier and printer."""
    with make_context():
        module = ir.Module.parse(text)
        return module.operation.get_asm(print_generic_op_form=generic, enable_debug_info=locations)


def first_difference(expected, actual):
    """The first line that differs, cut around the place, for a message that can be read."""
    ours, theirs = actual.splitlines(), expected.splitlines()
    for number, (a, b) in enumerate(zip(ours, theirs), 1):
        if a != b:
            at = max(0, next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b))) - 40)
            return f"line {number}: …{a[at : at + 160]}\n   expected: …{b[at : at + 160]}"
    return f"{len(ours)} lines, expected {len(theirs)}"
