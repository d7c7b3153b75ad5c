"""Batch norms that partitioning has written as sums give the numbers of the ops themselves, for each float type and feature."""

import numpy as np
import pytest

SHAPE = (4, 3, 6)
PROGRAM = """
func.func @main(%x: tensor<4x3x6xE>, %s: tensor<FxE>, %o: tensor<FxE>, %g: tensor<4x3x6xE>)
    -> (tensor<4x3x6xE>, tensor<FxE>, tensor<FxE>, tensor<4x3x6xE>, tensor<FxE>, tensor<FxE>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) {epsilon = 0.125 : f32, feature_index = D : i64}
      : (tensor<4x3x6xE>, tensor<FxE>, tensor<FxE>) -> (tensor<4x3x6xE>, tensor<FxE>, tensor<FxE>)
  %1:3 = "stablehlo.batch_norm_grad"(%x, %s, %0#1, %0#2, %g) {epsilon = 0.125 : f32, feature_index = D : i64}
      : (tensor<4x3x6xE>, tensor<FxE>, tensor<FxE>, tensor<FxE>, tensor<4x3x6xE>) -> (tensor<4x3x6xE>, tensor<FxE>, tensor<FxE>)
  return %0#0, %0#1, %0#2, %1#0, %1#1, %1#2
      : tensor<4x3x6xE>, tensor<FxE>, tensor<FxE>, tensor<4x3x6xE>, tensor<FxE>, tensor<FxE>
}
"""


@pytest.mark.parametrize("elem, tolerance", [("f64", 1e-13), ("f32", 3e-6), ("f16", 4e-3), ("bf16", 3e-2)])
@pytest.mark.parametrize("feature", [0, 1, 2])
def test_batch_norm(partir, tmp_path, elem, tolerance, feature):
    program = PROGRAM.replace("E", elem).replace("F", str(SHAPE[feature])).replace("D", str(feature))
    (tmp_path / "m.mlir").write_text(program)
    (tmp_path / "s.schedule").write_text("mesh b=1\ntactic T on b { arg0 : 0 }\n")
    options = ("--quiet", "-o", tmp_path / "local.mlir")
    assert partir("partition", tmp_path / "m.mlir", tmp_path / "s.schedule", *options).returncode == 0
    assert "batch_norm" not in (tmp_path / "local.mlir").read_text()
    results = []
    for name in ("m", "local"):
        run = partir("run", tmp_path / f"{name}.mlir", "--random", 7, "--out", tmp_path / f"{name}.npz")
        assert run.returncode == 0, run.stderr
        results.append(np.load(tmp_path / f"{name}.npz"))
    for whole, local in zip(*(list(r.values()) for r in results)):
        if whole.dtype.kind == "V":  # bf16, as NumPy knows it
            whole, local = (np.left_shift(v.view(np.uint16).astype(np.uint32), 16).view(np.float32) for v in (whole, local))
        np.testing.assert_allclose(local.astype(np.float64), whole.astype(np.float64), rtol=tolerance, atol=tolerance)
