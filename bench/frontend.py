"""What partir.jit costs and what it gives, next to jax.jit.

    python -m bench.frontend added [gpt24]     time that partir.jit adds to JAX's lowering and XLA's compilation
    python -m bench.frontend steps             step times next to Shardy's, same input shardings, in one alternating run

On virtual CPU devices. `added` is one process's wall-clock time, dominated by XLA; `steps` gives the ratio of medians.
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
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

import jax

import partir
from bench import models, strategies
from partir import _xla

MESH = partir.Mesh({"batch": 4, "model": 2})
# Model, its small form at these sizes, strategies. A step takes tens of milliseconds on two cores: there is work in it, and
# it can be measured many times. With the small sizes as they are, it is all waiting for eight threads to meet.
STEPS: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("gpt4", {"d_model": 128, "d_head": 32, "d_ff": 512, "vocab": 256, "sequence": 128}, ("BP", "BP+MP", "BP+MP+Z3")),
    ("t32_scan", {"d_model": 128, "d_head": 32, "d_ff": 512, "vocab": 256, "sequence": 128}, ("BP+MP", "BP+MP+Z3")),
    ("t32_mixed", {"d_model": 128, "d_head": 32, "d_ff": 512, "vocab": 256, "sequence": 128}, ("BP+MP",)),
    ("mlp", {"widths": (256, 1024, 1024, 64), "batch": 512}, ("BP", "BP+MP+Z2", "BP+MP+Z3")),
    ("gns", {"width": 64, "latent": 64, "nodes": 512, "edges": 4096}, ("ES",)),
    ("convnet", {"batch": 64, "image": 32, "widths": (16, 32)}, ("BP",)),
    ("lstm", {"features": 256, "vocab": 512, "batch": 32, "sequence": 32}, ("BP+MP",)),
    ("moe", {"d_model": 128, "d_head": 32, "d_ff": 256, "vocab": 256, "sequence": 64}, ("BP+EP",)),
]


def timed(function: Callable[[], Any]) -> tuple[Any, float]:
    """What a function returns, and how long it took."""
    start = time.perf_counter()
    result = function()
    return result, time.perf_counter() - start


def jitted(name: str, model: models.Model, strategy: str) -> partir.Jitted:
    """A model partitioned by one of its strategies."""
    tactics = strategies.schedule(name, strategy)
    return partir.jit(model.function, mesh=MESH, schedule=tactics, donate_argnums=model.donate_argnums)


def added(name: str, strategy: str, small: bool) -> None:
    """Print how long each part of lowering and compiling takes, and the share of what is ours. Each but XLA's: median of 5."""
    parts: list[tuple[float, ...]] = []
    models.get(name, small).lower()  # what JAX does once in a process is nobody's cost
    for _ in range(5):
        model = models.get(name, small)  # a new function each time: JAX keeps what it has traced
        step, inner = jitted(name, model, strategy), []
        lower = step._traced._lower
        step._traced._lower = lambda *args: inner.append(timed(lambda: lower(*args))) or inner[0][0]
        lowered, whole = timed(lambda: step.lower(*model.args))
        text, emit = timed(lowered.as_text)
        arguments = (
            tuple(lowered._in_types),
            lowered._out_types,
            tuple(lowered._flat_in_shardings),
            lowered._flat_out_shardings,
        )
        _, swap = timed(lambda: _xla.swap(text, *arguments))
        parts.append((inner[0][1], whole - inner[0][1], emit, swap))
    by_jax, partition, emit, swap = map(statistics.median, zip(*parts))
    _, compile_ = timed(lowered.compile)
    ours, xla = partition + emit + swap, compile_ - emit - swap
    share = 100 * ours / (by_jax + xla)
    print(f"{name} {strategy}: jax lower {by_jax:.2f} s, partition {partition:.3f} s, emit {emit:.3f} s, ")
    print(f"  hand over {swap:.3f} s, XLA compile {xla:.2f} s: partir adds {ours:.3f} s, {share:.1f} % of lower + compile")


def steps(rounds: int, chosen: list[str]) -> None:
    """Print the step time of each case next to Shardy's."""
    ratios = []
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
        sides = [[f, jax.device_put(model.example(), lowered.in_shardings), []] for f in (ours, theirs)]
        for turn in range(rounds + 2):
            for side in sides if turn % 2 else reversed(sides):
                step, args, times = side

                def once() -> Any:
                    return jax.block_until_ready(step(*args))

                out, seconds = timed(once)
                side[1] = (*out[:state], *args[state:])
                times.append(seconds)
        a, b = (1e3 * statistics.median(times[2:]) for _, _, times in sides)
        ratios.append(a / b)
        print(f"{name:12} {strategy:10} partir {a:8.2f} ms   shardy {b:8.2f} ms   ratio {a / b:.2f}", flush=True)
    print(f"geometric mean of ratios {statistics.geometric_mean(ratios):.2f}")


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
    two.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    if options.command == "added":
        added(options.name, options.strategy, options.small)
    else:
        steps(options.rounds, options.names)


if __name__ == "__main__":
    main()
