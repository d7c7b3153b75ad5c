"""One cell of the comparison: a small model under a strategy, ours, Shardy and GSPMD on 8 virtual devices, in a process of its own.

    python -m bench.evaluation.sides llama BP+MP [STEPS]       # prints JSON

The peers get the input and output shardings that our schedule ends with; the numbers of each are compared with one device over three steps.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("NPROC", "16")
# Where no times are taken, XLA writes code quickly rather than well: what it sends and holds is the same.
QUICKLY = "" if len(sys.argv) > 3 else " --xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
os.environ.setdefault("XLA_FLAGS", f"--xla_force_host_platform_device_count=8{QUICKLY}")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "python")]

MESH = {"batch": 4, "model": 2}
CHECKED = 3  # steps whose numbers are compared
TOLERANCE = 1e-3  # of the largest element of an array

import jax
import numpy as np

import partir
from bench import models, schedules
from bench.evaluation import hlo


def figures(compiled: Any) -> dict[str, Any]:
    """Of one compiled program: what it sends, its memory and its FLOPs, on each device."""
    memory = compiled.memory_analysis()
    cost = compiled.cost_analysis()
    cost = cost[0] if isinstance(cost, list) else cost
    sent = hlo.collectives(compiled.as_text())
    total = memory.argument_size_in_bytes + memory.output_size_in_bytes - memory.alias_size_in_bytes + memory.temp_size_in_bytes
    return {
        "collectives": {kind.replace("-", "_"): one.count for kind, one in sent.items() if one.count},
        "sent": sum(one.bytes for one in sent.values()),
        "memory": total,
        "flops": cost.get("flops") if cost else None,
    }


def error(got: Any, want: Any) -> float:
    """The largest difference, relative to the largest element of its array."""
    worst = 0.0
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want)):
        a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
        worst = max(worst, float(np.abs(a - b).max(initial=0)) / max(1e-3, float(np.abs(b).max(initial=0))))
    return worst


def run(step: Any, args: tuple[Any, ...], state: int, turns: int) -> tuple[Any, Any]:
    """The state and the other results after some steps."""
    out: Any = ()
    for _ in range(turns):
        out = jax.block_until_ready(step(*args))
        args = (*out[:state], *args[state:]) if state else args
    return args, out


def compare(name: str, strategy: str, steps: int) -> dict[str, Any]:
    """All three sides of a cell."""
    model = models.get(name, small=True)
    state = len(model.donate_argnums) if 0 in model.donate_argnums else 0
    want = run(jax.jit(model.function), model.example(), state, CHECKED)[1]
    ours = partir.jit(model.function, mesh=MESH, schedule=schedules.tactics(name, strategy), donate_argnums=model.donate_argnums)
    start = time.perf_counter()
    lowered = ours.lower(*model.args)
    partition = time.perf_counter() - start
    theirs = {"in_shardings": lowered.in_shardings, "out_shardings": lowered.out_shardings, "donate_argnums": model.donate_argnums}
    found: dict[str, Any] = {}
    programs: dict[str, Any] = {}
    for side in ("partir", "shardy", "gspmd"):
        jax.config.update("jax_use_shardy_partitioner", side != "gspmd")
        start = time.perf_counter()
        try:
            low = lowered if side == "partir" else jax.jit(model.function, **theirs).lower(*model.args)
            programs[side] = low.compile()
            found[side] = figures(programs[side]) | {"compile": time.perf_counter() - start}
            placed = jax.device_put(model.example(), lowered.in_shardings)
            found[side]["error"] = error(run(programs[side], placed, state, CHECKED)[1], want)
        except Exception as reason:  # a peer's abort is a result
            found[side] = {"failed": f"{type(reason).__name__}: {reason}"[:300]}
            programs.pop(side, None)
    jax.config.update("jax_use_shardy_partitioner", True)
    found["partir"]["lower"] = partition
    times(programs, model, lowered, state, steps, found)
    return found


def times(programs: dict[str, Any], model: Any, lowered: Any, state: int, steps: int, found: dict[str, Any]) -> None:
    """Step times of all sides, alternating; with quartiles."""
    if not steps:
        return
    args = {side: jax.device_put(model.example(), lowered.in_shardings) for side in programs}
    seen: dict[str, list[float]] = {side: [] for side in programs}
    for turn in range(steps + 2):
        for side, program in programs.items():
            start = time.perf_counter()
            args[side], _ = run(program, args[side], state, 1) if state else (args[side], jax.block_until_ready(program(*args[side])))
            if turn > 1:
                seen[side].append(time.perf_counter() - start)
    for side, runs in seen.items():
        found[side]["step"] = statistics.median(runs)
        found[side]["step_quartiles"] = list(np.quantile(runs, (0.25, 0.75)))


if __name__ == "__main__":
    print(json.dumps(compare(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 0)))
