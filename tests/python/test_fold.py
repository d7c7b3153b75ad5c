"""Transposes that preparing has folded into their products give the numbers of the two ops, and only those that may be are folded."""

import itertools

import numpy as np
import pytest

# Ranks of the two sides, their contracting and their batch dimensions. All sizes are equal, so that a wrong permutation shows in the
# numbers and not in the types.
CASES = {
    "matrices": (2, 2, [1], [0], [], []),
    "both first": (2, 2, [0], [0], [], []),
    "free dimensions": (3, 2, [1], [0], [], []),
    "batch": (3, 3, [2], [1], [0], [0]),
    "batch behind": (3, 4, [0], [2], [2], [1]),
}


@pytest.mark.parametrize("case", CASES)
def test_product_and_transpose(partir, tmp_path, case):
    left, right, contract_left, contract_right, batch_left, batch_right = CASES[case]
    batch = len(batch_left)
    middle, rank = left - 1, left + right - 2 - batch  # of the result: where the right side's dimensions begin
    a, b, out = (f"tensor<{'3x' * n}f64>" for n in (left, right, rank))
    dims = f"batching_dims = {batch_left} x {batch_right}, " if batch else ""
    dims += f"contracting_dims = {contract_left} x {contract_right}"
    body, folded = [], 0
    permutations = list(itertools.permutations(range(rank)))
    for i, order in enumerate(permutations):
        body.append(f"%p{i} = stablehlo.dot_general %a, %b, {dims}, precision = [HIGH, DEFAULT] : ({a}, {b}) -> {out}")
        body.append(f"%t{i} = stablehlo.transpose %p{i}, dims = {list(order)} : ({out}) -> {out}")
        folded += order == (*range(batch), *range(middle, rank), *range(batch, middle))
    names = ", ".join(f"%t{i}" for i in range(len(permutations)))
    types = ", ".join([out] * len(permutations))
    lines = "\n  ".join(body)
    program = f"func.func @main(%a: {a}, %b: {b}) -> ({types}) {{\n  {lines}\n  return {names} : {types}\n}}\n"
    (tmp_path / "m.mlir").write_text(program)
    (tmp_path / "s.schedule").write_text("mesh b=1\ntactic T on b { arg0 : 0 }\n")
    made = partir("partition", tmp_path / "m.mlir", tmp_path / "s.schedule", "--quiet", "-o", tmp_path / "local.mlir")
    assert made.returncode == 0, made.stderr
    text = (tmp_path / "local.mlir").read_text()
    assert text.count("stablehlo.transpose") == len(permutations) - folded
    assert text.count("[DEFAULT, HIGH]") == folded == 1
    results = []
    for name in ("m", "local"):
        run = partir("run", tmp_path / f"{name}.mlir", "--random", 7, "--out", tmp_path / f"{name}.npz")
        assert run.returncode == 0, run.stderr
        results.append(list(np.load(tmp_path / f"{name}.npz").values()))
    assert len(results[0]) == len(permutations)
    for whole, local in zip(*results):
        np.testing.assert_array_equal(local, whole)
