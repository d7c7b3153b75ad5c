"""Programs as files, for the `partir` command: StableHLO text, and the names of its arguments beside it.

    partir.export(train_step, state, batch, path="step.mlir")          # writes step.mlir and step.names
    $ partir partition step.mlir step.schedule
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import jax

from partir import _jax
from partir._check import PATH, TEXT, check
from partir._jit import Jitted
from partir._traced import Traced


def export(
    function: Callable[..., Any],
    *args: Any,
    path: str | PathLike[str],
    donate_argnums: int | Sequence[int] | None = None,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: str | Sequence[str] | None = None,
    platform: str | None = None,
    **kwargs: Any,
) -> Path:
    """Write the unpartitioned program of `function` for arguments of these types (arrays or `jax.ShapeDtypeStruct`s).

    A function that `partir.jit` returned keeps its own donated and static arguments. `platform` is what JAX lowers
    for: cpu, cuda or tpu; by default the one that is there.
    """
    check("path", path, PATH)
    check("platform", platform, TEXT, optional=True)
    if isinstance(function, Jitted):
        traced, platform = function._traced, platform or function._axes.platform
    else:
        traced = Traced(function, donate_argnums, None, static_argnums, static_argnames)
    lowered, _, names, _ = traced.lower(platform or jax.default_backend(), args, kwargs, mark_kernels=False)
    path = Path(path)
    path.write_bytes(_jax.printed(lowered))
    path.with_suffix(".names").write_text("".join(f"{i}\t{name}\n" for i, name in enumerate(names)))
    return path


def convert(source: str | PathLike[str], path: str | PathLike[str]) -> Path:
    """Write what `jax.export` serialized in the file `source` as text, which has the arguments' names in it."""
    exported = jax.export.deserialize(bytearray(Path(source).read_bytes()))
    path = Path(path)
    path.write_text(exported.mlir_module())
    return path
