"""PartIR for JAX: partition a function over a mesh of devices by a schedule that stands beside it.

    mesh = {"batch": 4, "model": 2}                    # or a jax.sharding.Mesh
    BP = partir.ManualPartition({"x": 0, "y": 0}, axis="batch", name="BP")
    step = partir.jit(train_step, mesh=mesh, schedule=[BP], donate_argnums=0)
    print(step.lower(state, x, y).report)
    state, loss = step(state, x, y)
"""

import sys
from typing import Any

from partir._calibrate import calibrate
from partir._export import export
from partir._jit import Jitted, jit
from partir._lowered import Compiled, Lowered
from partir._lib import Diagnostic, PartirError, PartirWarning, devices, version
from partir._report import Report, report
from partir._schedule import Schedule
from partir._tactic import FIRST_DIVISIBLE_DIM, REPLICATED, UNKNOWN, AutomaticPartition, ManualPartition, rule
from partir._tag import tag

__all__ = [
    "FIRST_DIVISIBLE_DIM",
    "REPLICATED",
    "UNKNOWN",
    "AutomaticPartition",
    "Compiled",
    "Diagnostic",
    "Jitted",
    "Lowered",
    "ManualPartition",
    "PartirError",
    "PartirWarning",
    "Report",
    "Schedule",
    "devices",
    "calibrate",
    "export",
    "jit",
    "report",
    "rule",
    "tag",
    "version",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return version()
    raise AttributeError(f"module 'partir' has no attribute {name!r}", name=name, obj=sys.modules[__name__])
