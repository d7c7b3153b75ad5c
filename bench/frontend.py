"""What partir.jit costs and what it gives, next to jax.jit.

    python -m bench.frontend added [gpt24]     time that partir.jit adds to JAX's lowering and XLA's compilation
    python -m bench.frontend steps             step times next to Shardy's, same input shardings, in one alternating run

On virtual CPU devices. `added` is one process's wall-clock time, dominated by XLA; `steps` gives the ratio of medians with
its 95 % interval, of wall-clock time and of the processor time of all threads, which other work on the machine disturbs
less.
"""

from __future__ import annotations

import os

DEVICES = 8
os.environ.setdefault("XLA_FLAGS", f"--xla_force_host_platform_device_count={DEVICES}")
os.environ.setdefault("NPROC", str(2 * DEVICES))
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

import jax
import numpy as np

import partir
from bench import models, schedules
from partir import _swapped

MESH = {"batch": 4, "model": 2}
TRANSFORMER = {"d_model": 128, "d_head": 32, "d_ff": 512, "vocab": 256, "sequence": 128}
# Model, its small form at these sizes, strategies. A step takes tens of milliseconds on two cores: there is work in it, and
# it can be measured many times. With the small sizes as they are, it is all waiting for eight threads to meet. Z3 gathers
# parameters again for the backward pass, to keep less in memory, and Shardy does not: "shared" is like for like.
STEPS: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("gpt4", TRANSFORMER, ("BP", "BP+MP", "BP+MP+Z3", "BP+MP+Z3 shared")),
    ("t32_scan", TRANSFORMER, ("BP+MP", "BP+MP+Z3", "BP+MP+Z3 shared")),
    ("t32_mixed", TRANSFORMER, ("BP+MP",)),
    ("t32_microbatch", TRANSFORMER, ("BP+MP+Z3",)),
    ("mlp", {"widths": (256, 1024, 1024, 64), "batch": 512}, ("BP", "BP+MP+Z2", "BP+MP+Z3", "BP+MP+Z3 shared")),
    ("gns", {"width": 64, "latent": 64, "nodes": 512, "edges": 4096}, ("ES",)),
    ("convnet", {"batch": 64, "image": 32, "widths": (16, 32)}, ("BP", "BP+Z3")),
    ("lstm", {"features": 256, "vocab": 512, "batch": 32, "sequence": 32}, ("BP+MP", "BP+MP+Z3")),
    ("moe", {"d_model": 128, "d_head": 32, "d_ff": 256, "vocab": 256, "sequence": 64}, ("BP+EP",)),
]


def timed(function: Callable[[], Any]) -> tuple[Any, float]:
    """What a function returns, and how long it took."""
    start = time.perf_counter()
    result = function()
    return result, time.perf_counter() - start


def jitted(name: str, model: models.Model, strategy: str) -> partir.Jitted:
    """A model partitioned by one of its strategies; "shared" after it: with each parameter gathered once for all uses."""
    strategy, _, shared = strategy.partition(" ")
    schedule = partir.Schedule(schedules.tactics(name, strategy), gathers="shared" if shared == "shared" else "per_use")
    return partir.jit(model.function, mesh=MESH, schedule=schedule, donate_argnums=model.donate_argnums)


def added(name: str, strategy: str, small: bool) -> None:
    """Print how long each part of lowering and compiling takes, and what share is ours. Each but XLA's: median of 5."""
    parts: list[tuple[float, ...]] = []
    models.get(name, small).lower()  # what JAX does once in a process is nobody's cost
    for _ in range(5):
        model = models.get(name, small)  # a new function each time: JAX keeps what it has traced
        step, inner = jitted(name, model, strategy), []
        lower = step._traced._lower
        step._traced._lower = lambda *args: inner.append(timed(lambda: lower(*args))) or inner[0][0]
        lowered, whole = timed(lambda: step.lower(*model.args))
        text, emit = timed(lowered._text_for_xla)
        arguments = (
            tuple(lowered._in_types),
            lowered._out_types,
            tuple(lowered._flat_in_shardings),
            lowered._flat_out_shardings,
        )
        _, swap = timed(lambda: _swapped.swap(text, *arguments))
        parts.append((inner[0][1], whole - inner[0][1], emit, swap))
    by_jax, partition, emit, swap = map(statistics.median, zip(*parts))
    _, compile_ = timed(lowered.compile)
    ours, xla = partition + emit + swap, compile_ - emit - swap
    share = 100 * ours / (by_jax + xla)
    print(f"{name} {strategy}: jax lower {by_jax:.2f} s, partition {partition:.3f} s, emit {emit:.3f} s, ")
    print(f"  hand over {swap:.3f} s, XLA compile {xla:.2f} s: partir adds {ours:.3f} s, {share:.1f} % of lower + compile")


@dataclass
class Side:
    """One of two programs that take turns, its arguments, and how long its steps took: on the clock, and of all threads."""

    step: Callable[..., Any]
    args: tuple[Any, ...]
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def run(self, state: int) -> None:
        """One step. Its first `state` results are the first arguments of the next."""
        cpu = time.process_time()
        out, wall = timed(lambda: jax.block_until_ready(self.step(*self.args)))
        self.wall.append(wall)
        self.cpu.append(time.process_time() - cpu)
        self.args = (*out[:state], *self.args[state:])


class Ratio(NamedTuple):
    """A ratio of medians, and where it lies with 95 % of certainty."""

    middle: float
    low: float
    high: float

    @staticmethod
    def of(a: list[float], b: list[float]) -> Ratio:
        """By drawing the measurements again, a thousand times."""
        again = np.random.default_rng(0).integers(0, len(a), (1000, len(a)))
        ratios = np.median(np.array(a)[again], 1) / np.median(np.array(b)[again], 1)
        return Ratio(statistics.median(a) / statistics.median(b), *map(float, np.quantile(ratios, (0.025, 0.975))))

    def __str__(self) -> str:
        return f"{self.middle:.2f} ({self.low:.2f} to {self.high:.2f})"


def steps(seconds: float, chosen: list[str]) -> None:
    """Print the step time of each case next to Shardy's. Steps are taken until the ratio is known to 0.03, or time is up."""
    worse, walls, cpus = [], [], []
    cases = [(name, sizes, s) for name, sizes, all_of_them in STEPS if name in chosen or not chosen for s in all_of_them]
    for name, sizes, strategy in cases:
        model = models.get(name, small=True, **sizes)
        ours = jitted(name, model, strategy)
        lowered = ours.lower(*model.args)
        state = len(model.donate_argnums)
        theirs = jax.jit(
            model.function,
            in_shardings=lowered.in_shardings,
            out_shardings=(*lowered.in_shardings[:state], None),
            donate_argnums=model.donate_argnums,
        )
        sides = [Side(f, jax.device_put(model.example(), lowered.in_shardings)) for f in (ours, theirs)]
        for side in (*sides, *sides):  # compiles, and runs once
            side.run(state)
        for side in sides:
            side.wall.clear(), side.cpu.clear()
        end, wall = time.perf_counter() + seconds, Ratio(1, 0, 2)
        while time.perf_counter() < end and wall.high - wall.low > 0.06:
            for turn in range(20):
                for side in sides if turn % 2 else reversed(sides):
                    side.run(state)
            wall = Ratio.of(*(side.wall for side in sides))
        cpu = Ratio.of(*(side.cpu for side in sides))
        a, b = (1e3 * statistics.median(side.wall) for side in sides)
        walls.append(wall.middle)
        cpus.append(cpu.middle)
        worse += [f"{name} {strategy}"] if wall.low > 1 else []
        print(f"{name:10} {strategy:15} partir {a:7.2f} ms  shardy {b:7.2f} ms  ratio {wall}, of cpu time {cpu}", flush=True)
    means = [statistics.geometric_mean(ratios) for ratios in (walls, cpus)]
    print(f"geometric means of the ratios: {means[0]:.2f}, of cpu time {means[1]:.2f}")
    print(f"worse with 95 % of certainty: {', '.join(worse) or 'none'}")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.frontend", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("added", help="time that partir.jit adds")
    one.add_argument("name", nargs="?", default="gpt24")
    one.add_argument("--strategy", default="BP+MP+Z3")
    one.add_argument("--small", action="store_true")
    two = commands.add_parser("steps", help="step times next to Shardy's")
    two.add_argument("names", nargs="*", help="models; by default all")
    two.add_argument("--seconds", type=float, default=60, help="at most so long for each case")
    options = parser.parse_args()
    if options.command == "added":
        added(options.name, options.strategy, options.small)
    else:
        steps(options.seconds, options.names)


if __name__ == "__main__":
    main()
