"""One cell of the comparison: a model under a strategy, ours, Shardy and GSPMD on 8 virtual devices.

    python -m bench.evaluation.sides llama BP+MP ours|peers|compile|STEPS   # prints JSON; STEPS: the times of steps of all sides
    python -m bench.evaluation.sides                                    # answers such a line of standard input after the other

The peers get the input and output shardings that our schedule ends with, once as the model is and once with the constraints inside the model
that bench/schedules/constraints.py has for the strategy. Numbers are those of the small size, over three steps, against one device; what is
sent, memory, FLOPs and times are those of a medium size (MEDIUM), where widths are not all alike.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("NPROC", "16")
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "python")]

MESH = {"batch": 4, "model": 2}
REPLICAS = {"replica": 2, "batch": 4}  # for strategies with R; with a third axis on which nothing is tiled, peers would split work on it
CHECKED = 3  # steps whose numbers are compared
COMPILED = 2  # turns of lowering and compiling
SIDES = ("partir", "shardy", "gspmd", "shardy+", "gspmd+")  # +: with constraints inside the model

# Few layers, and widths that differ, so that what is sent and held is told apart.
_DECODER = {"layers": 2, "d_model": 128, "heads": 8, "d_head": 16, "d_ff": 384, "vocab": 512, "batch": 16, "sequence": 64}
_SERVING = {"layers": 2, "d_model": 128, "heads": 8, "d_head": 16, "d_ff": 384, "vocab": 512, "batch": 16, "prompt": 24, "steps": 9}
_MOE = {"layers": 2, "d_model": 128, "heads": 8, "d_head": 16, "d_ff": 256, "experts": 8, "vocab": 512, "batch": 16, "sequence": 64}
MEDIUM: dict[str, dict[str, Any]] = {
    "t32": _DECODER,
    "t32_scan": _DECODER | {"layers": 4},
    "llama": _DECODER | {"kv_heads": 4},
    "llama_scan": _DECODER | {"kv_heads": 4, "layers": 4},
    "gpt2": {"layers": 2, "d_model": 128, "heads": 8, "vocab": 512, "batch": 16, "sequence": 64},
    "vit": {"layers": 2, "d_model": 128, "heads": 8, "d_ff": 512, "image": 64, "patch": 8, "classes": 64, "batch": 16},
    "moe": _MOE,
    "moe_ragged": _MOE,
    "lstm": {"features": 128, "vocab": 512, "batch": 32, "sequence": 16},
    "gns": {"message_steps": 3, "hidden_layers": 2, "width": 128, "latent": 64, "nodes": 256, "edges": 2048, "node_features": 32},
    "convnet": {"batch": 32, "image": 32, "widths": (32, 64, 128), "classes": 64},
    "unet": {},
    "it32": _SERVING,
    "it32_multi_head": _SERVING,
}

import jax
import numpy as np

import partir
from bench import models, schedules
from bench.evaluation import hlo
from bench.models import annotate
from bench.schedules import constraints


def mesh_of(strategy: str) -> dict[str, int]:
    """The mesh on which a strategy is measured."""
    return REPLICAS if "R" in strategy.split("+") else MESH


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


class Cell:
    """A model at one size under a strategy, and its programs by side."""

    def __init__(self, model: models.Model, name: str, strategy: str, mesh: Any = None) -> None:
        self.model = model
        self.specs = constraints.specs(name, strategy)
        self.state = len(model.donate_argnums) if 0 in model.donate_argnums else 0
        ours = partir.jit(model.function, mesh=mesh or mesh_of(strategy), schedule=schedules.schedule(name, strategy), donate_argnums=model.donate_argnums)
        self.lowered = ours.lower(*model.args)
        self.points = 0

    def lower(self, side: str) -> Any:
        """As a `Lowered` of ours or of JAX."""
        if side == "partir":
            return self.lowered
        ins, outs = self.lowered.in_shardings, self.lowered.out_shardings
        given = {"in_shardings": ins, "out_shardings": outs, "donate_argnums": self.model.donate_argnums}
        mesh = jax.tree.leaves(ins)[0].mesh
        jax.config.update("jax_use_shardy_partitioner", not side.startswith("gspmd"))
        with annotate.using(mesh, self.specs) if side.endswith("+") else contextlib.nullcontext() as used:
            found = jax.jit(lambda *args: self.model.function(*args), **given).lower(*self.model.args)
            self.points = len(used) if used is not None else self.points
        return found

    def args(self) -> tuple[Any, ...]:
        return jax.device_put(self.model.example(), self.lowered.in_shardings)


@functools.lru_cache(maxsize=1)
def medium(name: str, strategy: str) -> Cell:
    """The cell at the size whose figures are kept. One is kept at hand: what asks for a cell asks for it several times."""
    return Cell(models.get(name, small=True, **MEDIUM[name]), name, strategy)


def compare(name: str, strategy: str, ours: bool) -> dict[str, Any]:
    """Our side of a cell or the peers', but for the times of steps."""
    small = Cell(models.get(name, small=True), name, strategy)
    large = medium(name, strategy)
    turns = CHECKED if small.state else 1  # a donated cache cannot be given twice
    want = run(jax.jit(small.model.function), small.model.example(), small.state, turns)[1]
    found: dict[str, Any] = {}
    for side in SIDES[:1] if ours else SIDES[1:] if small.specs else SIDES[1:3]:
        try:
            program = large.lower(side).compile()
            found[side] = figures(program) | hlo.largest(program.as_text())
            found[side]["error"] = error(run(small.lower(side).compile(), small.args(), small.state, turns)[1], want)
        except Exception as reason:  # a peer's abort is a result
            found[side] = {"failed": f"{type(reason).__name__}: {reason}"[:300]}
        jax.config.update("jax_use_shardy_partitioner", True)
    return found | {"points": large.points}


def emitted(name: str, strategy: str) -> str:
    """What XLA gets from us: with the versions, all that our figures depend on."""
    return medium(name, strategy).lowered.as_text("stablehlo-cpu")


def given(name: str, strategy: str) -> str:
    """What the peers get: the program with its shardings, and the constraints inside the model."""
    cell = medium(name, strategy)
    return f"{cell.specs}\n{cell.lower('shardy').as_text()}"


def compiling(name: str, strategy: str) -> dict[str, Any]:
    """CPU seconds of lowering (JAX's, and ours with the partitioning) and of XLA, the least of some turns. Every other turn goes through the sides backwards."""
    found: dict[str, dict[str, float]] = {}
    for turn in range(COMPILED):
        jax.clear_caches()
        start = time.process_time()
        cell = Cell(models.get(name, small=True, **MEDIUM[name]), name, strategy)
        partitioned = time.process_time() - start
        every = SIDES if cell.specs else SIDES[:3]
        for side in every[:: -1 if turn % 2 else 1]:
            with contextlib.suppress(Exception):  # `compare` has it
                jax.clear_caches()
                start = time.process_time()
                lowered = cell.lower(side)
                between = time.process_time()
                lowered.compile()
                seconds = {"lower": partitioned if side == "partir" else between - start, "compile": time.process_time() - between}
                found[side] = {key: min(one, found.get(side, seconds)[key]) for key, one in seconds.items()}
            jax.config.update("jax_use_shardy_partitioner", True)
    return found


def times(name: str, strategy: str, steps: int) -> dict[str, Any]:
    """Step times, alternating, with quartiles and the share of the machine that others took meanwhile. A side whose figures are those of one before it is not timed."""
    cell = medium(name, strategy)
    programs: dict[str, Any] = {}
    seen_figures = []
    for side in SIDES if cell.specs else SIDES[:3]:
        with contextlib.suppress(Exception):  # `compare` has it
            program = cell.lower(side).compile()
            if (what := figures(program)) not in seen_figures:
                seen_figures.append(what)
                programs[side] = program
        jax.config.update("jax_use_shardy_partitioner", True)
    args = {side: cell.args() for side in programs}
    seen: dict[str, list[float]] = {side: [] for side in programs}
    before = _busy()
    for turn in range(steps + 2):
        for side, program in programs.items():
            if not cell.state:
                args[side] = cell.args()
            start = time.perf_counter()
            args[side], _ = run(program, args[side], cell.state, 1)
            if turn > 1:
                seen[side].append(time.perf_counter() - start)
    of_each = {side: {"step": statistics.median(runs), "step_quartiles": list(np.quantile(runs, (0.25, 0.75)))} for side, runs in seen.items()}
    machine, own, whole = (b - a for a, b in zip(before, _busy()))
    return of_each | {"steps": steps, "others": max(0.0, machine - own) / whole if machine else None}


def _busy() -> tuple[float, float, float]:
    """Seconds that all processes together ran (0 where nothing says so), that this one did, and that the cores could have."""
    stat = Path("/proc/stat")
    user, nice, system = (int(n) for n in stat.read_text().split(None, 4)[1:4]) if stat.exists() else (0, 0, 0)
    own = os.times()
    return (user + nice + system) / os.sysconf("SC_CLK_TCK"), own.user + own.system, time.monotonic() * (os.cpu_count() or 1)


def answer(name: str, strategy: str, what: str) -> dict[str, Any]:
    """Of a cell: "ours", "peers", "compile", or how many steps to time."""
    if what == "compile":
        return compiling(name, strategy)
    return times(name, strategy, int(what)) if what.isdigit() else compare(name, strategy, ours=what == "ours")


def serve() -> None:
    """A cell on each line of standard input, an answer on each line of standard output."""
    for line in sys.stdin:
        try:
            found = answer(*line.split())
        except Exception as reason:
            found = {"failed": f"{type(reason).__name__}: {reason}"[:400]}
        print(json.dumps(found), flush=True)
        jax.clear_caches()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(answer(*sys.argv[1:])))
    else:
        serve()
