"""The smallest programs found on which Shardy and GSPMD compute wrong numbers on CPU, from input and output shardings alone; ours beside them.

    python -m bench.evaluation.wrong           # prints JSON: the error of each side, relative to the largest element

The first two are what is left of a vision transformer under BP+Z3, whose first moment of the patch kernel is off by 100 %: the weight gradient
of a strided convolution whose image is split by batch, whose cotangent by features (through the head's rows) or height, and whose result by the
height of the kernel, all on one axis. The others are the convolution of a U-Net tiled by height.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("NPROC", "16")
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "python")]

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import partir

AXIS = "batch"
MESH = {AXIS: 4, "other": 2}  # without the second axis, on which nothing is split, the numbers are right
_LAYOUT = ("NHWC", "HWIO", "NHWC")


def _kernel_gradient(kernel: tuple[int, ...], stride: int, padding: str) -> Callable[..., jax.Array]:
    """(image, cotangent) -> gradient of the kernel."""

    def gradient(x: jax.Array, d: jax.Array) -> jax.Array:
        def convolve(k: jax.Array) -> jax.Array:
            return jax.lax.conv_general_dilated(x, k, (stride, stride), padding, dimension_numbers=_LAYOUT)

        return jax.vjp(convolve, jax.numpy.zeros(kernel, x.dtype))[1](d)[0]

    return gradient


# name: (function, shapes of x and d, the dimension of x, d and the result that the axis splits)
CASES: dict[str, tuple[Callable[..., jax.Array], tuple[tuple[int, ...], ...], tuple[int, int, int]]] = {
    "patches: image by batch, cotangent by features, kernel by height": (_kernel_gradient((4, 4, 1, 4), 4, "VALID"), ((4, 8, 8, 1), (4, 2, 2, 4)), (0, 3, 0)),
    "patches: image by batch, cotangent by height, kernel by height": (_kernel_gradient((4, 4, 1, 4), 4, "VALID"), ((4, 16, 16, 1), (4, 4, 4, 4)), (0, 1, 0)),
    "3 x 3: image by height, cotangent by height, kernel by inputs": (_kernel_gradient((3, 3, 4, 4), 1, "SAME"), ((2, 8, 8, 4), (2, 8, 8, 4)), (1, 1, 2)),
    "3 x 3: image by height, cotangent by batch, kernel by outputs": (_kernel_gradient((3, 3, 4, 4), 1, "SAME"), ((4, 8, 8, 4), (4, 8, 8, 4)), (1, 0, 3)),
    "3 x 3, stride 2: image by height, cotangent by height, kernel by inputs": (_kernel_gradient((3, 3, 4, 4), 2, "SAME"), ((2, 16, 16, 4), (2, 8, 8, 4)), (1, 1, 2)),
}


def ours(name: str) -> Any:
    """A case by a schedule."""
    function, _, dims = CASES[name]
    tactic = partir.ManualPartition({"x": dims[0], "d": dims[1], "out": dims[2]}, axis=AXIS, name="T")
    return partir.jit(function, mesh=MESH, schedule=[tactic])


def emitted() -> list[str]:
    """What XLA gets from us: with the version, all that our errors depend on."""
    return [ours(name).lower(*(jax.ShapeDtypeStruct(shape, np.float32) for shape in CASES[name][1])).as_text("stablehlo-cpu") for name in CASES]


def errors(name: str) -> dict[str, Any]:
    """Of each side, or why it failed."""
    function, shapes, dims = CASES[name]
    random = np.random.default_rng(0)
    args = tuple(random.normal(size=shape).astype(np.float32) for shape in shapes)
    want = np.asarray(jax.jit(function)(*args))
    mesh = Mesh(np.array(jax.devices()[:8]).reshape(tuple(MESH.values())), tuple(MESH))
    placed = [NamedSharding(mesh, PartitionSpec(*[None] * dim, AXIS)) for dim in dims]
    found: dict[str, Any] = {}
    for side in ("partir", "shardy", "gspmd"):
        jax.config.update("jax_use_shardy_partitioner", side != "gspmd")
        try:
            if side == "partir":
                step = ours(name)
            else:
                step = jax.jit(lambda *args: function(*args), in_shardings=tuple(placed[:2]), out_shardings=placed[2])
            got = np.asarray(step(*jax.device_put(args, tuple(placed[:2]))))
            found[side] = float(np.abs(got - want).max() / np.abs(want).max())
        except Exception as reason:  # a peer's abort is a result
            found[side] = f"{type(reason).__name__}: {reason}"[:200]
    jax.config.update("jax_use_shardy_partitioner", True)
    return found


if __name__ == "__main__":
    print(json.dumps({name: errors(name) for name in CASES}))
