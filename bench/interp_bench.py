"""How fast the interpreter is: a matrix product against OpenBLAS, and a transformer's training step.

    python bench/interp_bench.py [--partir build/partir]

Both run on one thread, side by side in the same process tree, so that a busy machine slows both.
"""

import argparse
import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy is imported

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
SIZE, ROUNDS = 512, 20


def seconds(command):
    """Processor time of a run."""
    before = os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def product_program(rounds):
    """A chain of products of SIZE x SIZE matrices; the time of one is the difference of two lengths."""
    t = f"tensor<{SIZE}x{SIZE}xf32>"
    lines = [f"%{i + 1} = stablehlo.dot %{i}, %y : ({t}, {t}) -> {t}" for i in range(rounds)]
    return "\n".join(
        [f"func.func @main(%x: {t}, %y: {t}) -> tensor<f32> {{", f"%0 = stablehlo.negate %x : {t}", *lines,
         f"%s = stablehlo.slice %{rounds} [0:1, 0:1] : ({t}) -> tensor<1x1xf32>", "%r = stablehlo.reshape %s : (tensor<1x1xf32>) -> tensor<f32>",
         "return %r : tensor<f32>", "}"]
    )  # fmt: skip


def bench_product(partir, folder):
    times = {}
    for rounds in (1, ROUNDS + 1):
        path = folder / f"product{rounds}.mlir"
        path.write_text(product_program(rounds))
        times[rounds] = min(seconds([partir, "run", path, "--random", "1"]) for _ in range(3))
    ours = (times[ROUNDS + 1] - times[1]) / ROUNDS
    x = np.random.default_rng(0).standard_normal((SIZE, SIZE)).astype(np.float32)
    x @ x
    start = time.process_time()
    for _ in range(ROUNDS):
        x @ x
    theirs = (time.process_time() - start) / ROUNDS
    flops = 2 * SIZE**3
    print(f"dot_general {SIZE}^3, f32: {ours * 1e3:.1f} ms, {flops / ours / 1e9:.1f} GFLOP/s")
    print(f"OpenBLAS, one thread:  {theirs * 1e3:.1f} ms, {flops / theirs / 1e9:.1f} GFLOP/s; ratio {ours / theirs:.2f}")


def bench_transformer(partir, folder):
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax

    from bench import models
    from bench.models import transformer

    c = dataclasses.replace(transformer.SMALL, layers=4, d_model=256, heads=4, d_head=64, d_ff=1024, vocab=1024, batch=8, sequence=128)
    model = models.Model(transformer.make_step(c), transformer.args(c), (0, 1), {"x": c.vocab, "y": c.vocab})
    lowered = model.lower()
    (folder / "step.mlir").write_text(lowered.as_text())
    arguments = jax.tree.leaves(model.example())
    np.savez(folder / "in.npz", **{f"arg{i}": a for i, a in enumerate(arguments)})
    flops = lowered.cost_analysis()["flops"]
    spent = seconds([partir, "run", folder / "step.mlir", "--in", folder / "in.npz", "--out", folder / "out"])
    print(f"training step, 4 layers of 256, batch 8 x 128 ({flops / 1e9:.1f} GFLOP): {spent:.2f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--partir", type=pathlib.Path, default=ROOT / "build" / "partir")
    partir = parser.parse_args().partir
    with tempfile.TemporaryDirectory() as folder:
        bench_product(partir, pathlib.Path(folder))
        bench_transformer(partir, pathlib.Path(folder))


if __name__ == "__main__":
    main()
