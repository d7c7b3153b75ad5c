"""jaxlib's MLIR parses what we print, and prints it to the same text as the original: nothing is lost, added or reordered."""

import lzma
import re

import pytest
from conftest import ROOT
from jax._src.interpreters import mlir
from jaxlib.mlir import ir

FORMS = {"pretty": (), "generic": ("--generic",), "locations": ("--locations",)}


def as_mlir_prints(text, locations):
    """The text after jaxlib's parser and printer."""
    with mlir.make_ir_context() as context:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(text)
        module.operation.verify()
        return module.operation.get_asm(enable_debug_info=locations)


def check_prints(partir, path, text, form):
    printed = partir("print", *FORMS[form], path)
    assert printed.returncode == 0, printed.stderr[:2000]
    locations = form == "locations"
    assert as_mlir_prints(printed.stdout, locations) == as_mlir_prints(text, locations)
    again = partir("print", *FORMS[form], "-", input=printed.stdout)
    assert again.stdout == printed.stdout, again.stderr[:2000]


def case_programs():
    """The programs in the cases that end well: those are right, so MLIR must agree."""
    for path in sorted(ROOT.glob("tests/cases/**/*.test")):
        sections = re.split(r"^--- (.*)\n", path.read_text(errors="replace"), flags=re.M)
        named = dict(zip(sections[1::2], sections[2::2]))
        if "exit" in named or "stderr" in named:
            continue
        for header, body in named.items():
            if header.endswith(".mlir"):
                yield pytest.param(body, id=f"{path.stem}:{header.removeprefix('file ')}")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", case_programs())
def test_case(partir, tmp_path, text, form):
    path = tmp_path / "m.mlir"
    path.write_text(text)
    check_prints(partir, path, text, form)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("path", [*ROOT.glob("examples/*.mlir"), *ROOT.glob("tests/fuzz/corpus/*.mlir")], ids=lambda p: p.stem)
def test_sample(partir, path, form):
    check_prints(partir, path, path.read_text(), form)


def pytest_generate_tests(metafunc):
    shared = metafunc.config.getoption("--shared")
    if "shared_path" in metafunc.fixturenames:
        found = [] if shared is None else [*shared.glob("conformance/stablehlo/*.mlir"), *shared.glob("corpus/*.mlir.xz")]
        metafunc.parametrize("shared_path", sorted(found), ids=lambda path: path.name.split(".")[0])


@pytest.mark.shared
@pytest.mark.parametrize("form", ["pretty", "generic"])
def test_shared(partir, tmp_path, shared_path, form):
    path = shared_path
    if path.suffix == ".xz":
        path = tmp_path / "m.mlir"
        path.write_bytes(lzma.decompress(shared_path.read_bytes()))
    check_prints(partir, path, path.read_text(), form)
