"""Partitioning of programs that nobody here wrote: `make conformance`.

StableHLO's test programs: the values that @inputs makes become arguments, each dimension of each is tiled in turn on several meshes (by a part of the axis where that divides and the axis does not), and the
interpreter compares the partitioned program with the whole one. The corpus: every training step under BP and Z3, and jaxlib verifies what comes out.
"""

import lzma
import math
import re

import pytest

from mlir_text import as_mlir_prints

pytestmark = pytest.mark.shared

MESHES = ["a=2", "a=4", "a=5", "a=6", "a=8", "a=2, b=2", "a=3, b=2", "a=2, b=4"]

# Roots of argument paths that hold data, and those that hold state.
DATA = {"batch", "x", "y", "labels", "images", "target", "feat", "tokens", "z", "real", "token", "cache", "forcings"}
STATE = {"params", "opt_state", "trainable", "optimizer", "state", "g_params", "d_params", "g_opt", "d_opt", "weights"}


def pytest_generate_tests(metafunc):
    shared = metafunc.config.getoption("--shared")
    if "program" in metafunc.fixturenames:
        found = [] if shared is None else sorted(shared.glob("conformance/stablehlo/*.mlir"))
        metafunc.parametrize("program", found, ids=lambda path: path.stem)
    if "model" in metafunc.fixturenames:
        found = [] if shared is None else sorted(shared.glob("corpus/*.mlir.xz"))
        metafunc.parametrize("model", found, ids=lambda path: path.name.split(".")[0])


def with_arguments(text):
    """The program as a function of its inputs, without its checks; None if it takes none or has dynamic shapes."""
    call = re.search(r"^ *%(\w+)(?::\d+)? = (?:func\.)?call @inputs\(\) : \(\) -> (.*)$", text, re.M)
    if not call or "?" in text or "@main()" not in text:
        return None
    types = re.findall(r"tensor<(?:[^<>]|<[^<>]*>)*>", call[2])
    names = [f"%input{i}" for i in range(len(types))]
    head, main = text.split("@main()", 1)
    end = main.index("\n  }")
    body, rest = main[:end], main[end:]
    body = "\n".join(line for line in body.split("\n") if "@inputs()" not in line and "@expected()" not in line and "check." not in line)
    for i, name in enumerate(names):
        body = re.sub(rf"%{call[1]}#{i}\b", name, body)
    if len(names) == 1:
        body = re.sub(rf"%{call[1]}(?![\w#])", names[0], body)
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types))
    return head + f"@main({arguments})" + body + rest, types


def dims(type_text):
    return [int(d) for d in re.findall(r"(\d+)x", type_text)]


def test_conformance_program(partir, program, tmp_path):
    made = with_arguments(program.read_text())
    if made is None:
        pytest.skip("no inputs to tile")
    text, types = made
    path = tmp_path / "program.mlir"
    path.write_text(text)
    tried = 0
    for mesh in MESHES:
        size = int(re.match(r"a=(\d+)", mesh)[1])
        for i, type_text in enumerate(types):
            for d, n in enumerate(dims(type_text)):
                part = math.gcd(n, size)
                if part == 1 or n == 0:
                    continue
                axis = "a" if part == size else f"a:(1){part}"  # the part of the axis that divides
                second = "tactic B on b { * : first_divisible }\n" if "b=" in mesh else ""
                schedule = tmp_path / "s.schedule"
                schedule.write_text(f"mesh {mesh}\ntactic A on {axis} {{ arg{i} : {d} }}\n{second}")
                run = partir("partition", path, schedule, "--verify", "--quiet")
                if "cannot be partitioned" in run.stderr or "too large to run" in run.stderr:
                    pytest.skip(run.stderr.splitlines()[0])
                assert run.returncode == 0, f"{mesh}, arg{i} : {d}\n{run.stderr}"
                tried += 1
    if not tried:
        pytest.skip("no dimension divides")


def test_corpus_model(partir, model, tmp_path):
    name = model.name.split(".")[0]
    if name == "llama2_7b_train":
        pytest.skip("270 MB of constants: read, checked and printed elsewhere")
    path = tmp_path / f"{name}.mlir"
    path.write_bytes(lzma.decompress(model.read_bytes()))
    lines = (model.parent / f"{name}.names").read_text()
    (tmp_path / f"{name}.names").write_text(lines)
    keys = [line.split("\t")[1] for line in lines.splitlines()]
    roots = sorted({re.split(r"[\[.]", key)[0] for key in keys})

    def patterns(kinds):
        wide = {r for r in roots if any(k != r and re.match(re.escape(r) + r"[\[.]", k) for k in keys)}
        return "".join(f"  {r}{'/**' if r in wide else ''} if rank >= 1 : first_divisible\n" for r in roots if r in kinds)

    schedule = tmp_path / "s.schedule"
    schedule.write_text(
        f"mesh batch=4, model=2\ntactic BP on batch {{\n{patterns(DATA)}}}\ntactic Z3 on batch {{\n{patterns(STATE)}}}\n"
    )
    for after in ("BP", "Z3"):
        out = tmp_path / "out.mlir"
        run = partir("partition", path, schedule, "--after", after, "--quiet", "-o", out)
        assert run.returncode == 0, run.stderr
        as_mlir_prints(out.read_text())
