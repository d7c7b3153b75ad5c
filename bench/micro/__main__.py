"""What compilers say of the micro-programs, and how far the simulator is from it.

    python -m bench.micro measure --target v5e:2x4 --seed 1     # needs libtpu, no TPU; goes on where it stopped
    python -m bench.micro compare --target v5e:2x4 --seed 1     # simulate, and list the errors
    python -m bench.micro compare --target v5e:2x4 --products 1 # of large matrix products (bench/micro/products.py)
    python -m bench.micro compare --target v5e:2x4 --steps      # of whole training steps (bench/micro/steps.py)

`measure` keeps the compiler's figures in bench/micro/TARGET.json: total bytes of a device, and cycles of its kernels.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import peak_memory, tpu, tpu_compile  # first: they set the environment for jax
from bench.micro import products, steps
from bench.micro.programs import Micro, programs

HELD_OUT = ("seed 5", "steps", "products 2")  # nobody looks into these


def data_file(target: str) -> Path:
    return Path(__file__).parent / f"{target.split(':')[0]}.json"


def members(suite: str) -> Iterator[Micro]:
    """The programs of "steps", of "products N", or of "seed N"."""
    if suite == "steps":
        return steps.programs()
    kind, seed = suite.split()
    return (products.programs if kind == "products" else programs)(int(seed))


def prepare(program: Micro, folder: Path) -> tuple[Path, Path]:
    """The program and its schedule as files."""
    import jax

    text, schedule = folder / f"{program.name}.mlir", folder / f"{program.name}.schedule"
    jitted = jax.jit(program.function, keep_unused=True, donate_argnums=program.donated)
    text.write_text(jitted.lower(*program.arguments).as_text(debug_info=True))
    schedule.write_text(program.schedule)
    return text, schedule


def ask(text: str, target: str, cycles: bool, seconds: float) -> dict[str, int]:
    """The compiler's figures for a device-local program."""
    if target == "cpu":
        return peak_memory.ask_cpu(text)
    if target.startswith("h100"):
        from bench import gpu

        return gpu.ask(text)
    return tpu_compile.ask(text, target, cycles, seconds)


def measure(target: str, suite: str, cycles: bool, seconds: float) -> None:
    """Compile what is not kept yet."""
    path = data_file(target)
    kept = json.loads(path.read_text()) if path.exists() else {}
    found = kept.setdefault(suite, {})
    for program in members(suite):
        if program.name in found:
            continue
        with tempfile.TemporaryDirectory() as name:
            try:
                found[program.name] = ask(peak_memory.local_text(prepare(program, Path(name)), target), target, cycles, seconds)
            except (subprocess.CalledProcessError, RuntimeError) as error:
                print(f"{program.name}: {getattr(error, 'stderr', None) or error}"[:600], file=sys.stderr, flush=True)
                continue
        print(f"{program.name:20} {target} {found[program.name]}", flush=True)
        path.write_text(json.dumps(kept, indent=1) + "\n")


# Ops beside whose kernels the compiler writes no cycles, and what else is no kernel: collectives, and loops around kernels.
NO_CYCLES = ("sort", "gather", "scatter", "top_k", "custom_call", "partir.", "stablehlo.while", "stablehlo.case", "stablehlo.if")


def kernel_seconds(files: tuple[Path, Path], target: str) -> float:
    """Of the simulated kernels for which the compiler writes cycles."""
    text, schedule = files
    trace = text.with_suffix(".trace")
    command = [peak_memory.PARTIR, "simulate", text, schedule, "--device", peak_memory.DEVICES[target], "--quiet", "--trace", trace]
    subprocess.run(command, check=True)
    slices = [e for e in json.loads(trace.read_text())["traceEvents"] if e["ph"] == "X"]
    return sum(e["dur"] for e in slices if not any(word in e["args"]["op"] for word in NO_CYCLES)) / 1e6


def errors(target: str, suite: str) -> list[tuple[str, dict[str, Any], float, float | None]]:
    """Of each program that fits: its name, the compiler's figures, the relative error of memory, and of kernel time where cycles are kept."""
    found = json.loads(data_file(target).read_text()).get(suite, {})
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for program in members(suite):
            theirs = found.get(program.name, {})
            if "total" not in theirs:
                continue
            files = prepare(program, Path(name))
            ours = peak_memory.report(files, target)["tactics"][-1]
            time = kernel_seconds(files, target) / (theirs["cycles"] / tpu.CLOCK[target]) - 1 if theirs.get("cycles") else None
            rows.append((program.name, theirs, ours["peak_memory"] / theirs["total"] - 1, time))
    return rows


def quantile(values: list[float], part: float) -> float:
    ordered = sorted(abs(v) for v in values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def spread(values: list[float]) -> str:
    if not values:
        return "no figures"
    return (
        f"{len(values)} programs, median {100 * statistics.median(map(abs, values)):.1f} %, "
        f"95th percentile {100 * quantile(values, 0.95):.1f} %, worst {100 * quantile(values, 1):.1f} %"
    )


def summary(rows: list[tuple[str, dict[str, Any], float, float | None]]) -> str:
    """Two lines."""
    memory, time = [row[2] for row in rows], [row[3] for row in rows if row[3] is not None]
    return f"memory: {spread(memory)}\nkernel time: {spread(time)}"


def compare(target: str, suite: str) -> None:
    """List the errors; of what is held out the summary alone."""
    rows = errors(target, suite)
    for name, theirs, memory, time in rows if suite not in HELD_OUT else ():
        print(f"{name:20} {theirs['total']:>14,} {100 * memory:+7.1f} %" + ("" if time is None else f" {100 * time:+7.0f} % time"))
    print(summary(rows))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.micro", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, what in (("measure", "compile and keep what the compiler says"), ("compare", "simulate and list the errors")):
        one = commands.add_parser(name, help=what)
        one.add_argument("--target", choices=peak_memory.DEVICES, default="v5e:2x4")
        suite = one.add_mutually_exclusive_group()
        suite.add_argument("--seed", dest="suite", type="seed {}".format, default="seed 1")
        suite.add_argument("--products", dest="suite", type="products {}".format, help="large matrix products of a seed")
        suite.add_argument("--steps", dest="suite", action="store_const", const="steps", help="whole training steps")
        if name == "measure":
            one.add_argument("--memory-only", action="store_true", help="do not wait for code and its cycles")
            one.add_argument("--seconds", type=float, default=120, help="the longest time for a program")
    options = parser.parse_args()
    if options.command == "measure":
        measure(options.target, options.suite, not options.memory_only, options.seconds)
    else:
        compare(options.target, options.suite)


if __name__ == "__main__":
    main()
