"""Write docs/predictability.md, its pictures and its rows: what the simulator predicts, and what was measured.

    python -m bench.predictability

All programs are simulated with the build at hand and compared with what the `measure` commands of peak_memory, step_times and
utilisation keep in bench/*.json: nothing is compiled or run. The rows go to bench/predictability.csv.
"""

from __future__ import annotations

import csv
import json
import statistics
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "python")]
PAGE = ROOT / "docs" / "predictability.md"
ROWS = ROOT / "bench" / "predictability.csv"

from bench import gpu, peak_memory, scatter, step_times, tpu, utilisation  # noqa: E402

SETTLED, HELD_OUT = "settled", "held out"


@dataclass(frozen=True)
class Row:
    """A program: bytes of memory, or seconds."""

    quantity: str
    target: str
    half: str
    model: str
    size: str
    strategy: str
    measured: float
    predicted: float

    @property
    def error(self) -> float:
        """Relative to what was measured."""
        return self.predicted / self.measured - 1


def memory(folder: Path) -> Iterable[Row]:
    """Peak memory on each target that was compiled for. On TPU, of programs that fit."""
    tpu_settled = tpu.SETTLED + tuple(name for one in tpu.ROUNDS[:-1] for name in one)
    halves = {
        "cpu": (peak_memory.CPU_SETTLED, peak_memory.CPU_ROUNDS[-1]),
        "v5e:2x4": (tpu_settled, tpu.ROUNDS[-1]),
        "v5p:2x2x2": (tpu_settled, tpu.ROUNDS[-1]),
        gpu.TARGET: (gpu.SETTLED, gpu.HELD_OUT),
    }
    for target, both in halves.items():
        for half, names in zip((SETTLED, HELD_OUT), both):
            for row in peak_memory.rows(target, names, folder):
                if row.theirs <= tpu.MEMORY.get(target, row.theirs):
                    yield Row("memory", target, half, *row.program, row.theirs, row.ours)


def kernels(folder: Path) -> Iterable[Row]:
    """The sum of the TPU compiler's estimates for its kernels."""
    for target, clock in tpu.CLOCK.items():
        for key, found in tpu.measured(target).items():
            p = peak_memory.Program(*key.split())
            if "cycles" in found and p.size != "corpus":
                ours = peak_memory.report(peak_memory.prepare(p, folder), target)["tactics"][-1]["compute"]
                yield Row("kernel time", target, SETTLED, *p, found["cycles"] / clock, ours)


def steps(folder: Path) -> Iterable[Row]:
    """Measured steps on 8 virtual CPU devices."""
    for key, r in step_times.compare(json.loads(step_times.DATA.read_text()), folder).items():
        model, strategy = key.split()
        half = HELD_OUT if model in step_times.HELD_OUT else SETTLED
        yield Row("step time", "cpu", half, model, "steps", strategy, r["measured"], r["predicted"])


def summary(rows: list[Row]) -> str:
    """A line for each quantity, target and half."""
    lines = ["| quantity | target | programs | how many | median error | worst | worst program |", "|---|---|---|---:|---:|---:|---|"]
    for key in dict.fromkeys((r.quantity, r.target, r.half) for r in rows):
        some = [r for r in rows if (r.quantity, r.target, r.half) == key]
        worst = max(some, key=lambda r: abs(r.error))
        middle = statistics.median(abs(r.error) for r in some)
        lines.append(
            f"| {' | '.join(key)} | {len(some)} | {100 * middle:.1f} % | {100 * worst.error:+.1f} % | {worst.model} {worst.strategy} |"
        )
    return "\n".join(lines)


def order(rows: list[Row]) -> str:
    """How many pairs of schedules of one model the prediction orders as the measurement does."""
    apart, right = step_times.pairs({f"{r.model} {r.strategy}": {"measured": r.measured, "predicted": r.predicted} for r in rows})
    return f"Of {apart} pairs of schedules of one model whose steps are more than 10 % apart, {right} are predicted in the right order."


def micro_table() -> str:
    """The micro-suite: small programs of each op family at awkward sizes, and whole training steps. Some are never looked into."""
    from bench.micro.__main__ import HELD_OUT, errors, spread

    lines = ["| target | programs | looked into | memory | kernel time |", "|---|---|---|---|---|"]
    for target in ("v5e:2x4", "v5p:2x2x2"):
        for suite in ("seed 1", "seed 2", "products 1", *HELD_OUT):
            rows = errors(target, suite)
            memory, time = spread([r[2] for r in rows]), spread([r[3] for r in rows if r[3] is not None])
            lines.append(f"| {target} | {suite} | {'no' if suite in HELD_OUT else 'yes'} | {memory} | {time} |")
    return "\n".join(lines)


def main() -> None:
    """Write the rows, the pictures and the page."""
    with tempfile.TemporaryDirectory() as name:
        rows = [*memory(Path(name)), *kernels(Path(name)), *steps(Path(name))]
    with ROWS.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([*(f.name for f in fields(Row)), "error"])
        out.writerows([*astuple(r), f"{r.error:+.4f}"] for r in rows)

    def picture(file: str, quantity: str, unit: str, scale: float, targets: tuple[str, ...]) -> str:
        some = [r for r in rows if r.quantity == quantity and r.target in targets]
        return scatter.draw(file, unit, ((r.half, r.measured / scale, r.predicted / scale) for r in some))

    versions = json.loads(peak_memory.DATA.read_text())
    PAGE.write_text(f"""# What the simulator predicts, and what was measured

{summary(rows)}

{order([r for r in rows if r.quantity == "step time"])}

Rules were made while looking at the programs called "settled"; nothing was made on those "held out". All rows are in
[bench/predictability.csv](../bench/predictability.csv). `python -m bench.predictability` simulates them again and writes this page, from measurements
that are kept in `bench/peak_memory.json` and `bench/step_times.json`; their `measure` commands make those.

## Peak memory

Bytes of one device on a mesh of batch=4, model=2, against arguments + results - donated + temporaries of the compiler: jax {versions["cpu"]["versions"]["jax"]}; for TPU
libtpu {versions["v5e:2x4"]["versions"]["libtpu"]} ahead of time, without a TPU, of programs that fit; programs whose emitted text has changed since they were compiled are left out; for GPU ahead of time too, where XLA cannot try kernels. Sizes: "small" runs anywhere, "real" has widths
as in practice and few layers, "corpus" are programs that others wrote.

XLA on CPU, programs in the form for that compiler ("stablehlo-cpu"); corpus programs without a digest in `bench/peak_memory.json` in the general form:

{picture("peak_memory_cpu", "memory", "peak, MiB", 2**20, ("cpu",))}

TPU v5e and v5p:

{picture("peak_memory_v5e", "memory", "peak, MiB", 2**20, ("v5e:2x4",))}
{picture("peak_memory_v5p", "memory", "peak, MiB", 2**20, ("v5p:2x2x2",))}

H100:

{picture("peak_memory_h100", "memory", "peak, MiB", 2**20, (gpu.TARGET,))}

Some constants of the memory model are fitted to these rows: values are rematerialized above 0.81 of the memory that arguments and results leave,
buffers are packed by time up to 0.85 of the memory, another schedule than the depth-first one is used below 0.9 of its memory, gathers up to 75 ops apart are one,
expression trees reach over 8 ops (`src/sim/backend/`).

## Small programs, and steps of other architectures

`bench/micro` draws small programs from a seed: each op family at awkward sizes, each kind of collective alone, in a loop and beside compute. Rules are
made on seeds 1 and 2; of seed 5 only the summary was looked at. "steps" are whole training steps as users write them, each architecture at a size that no rule was
made on (`bench/micro/steps.py`): vision, language, speech, experts, graphs, convolutions, state spaces, recurrences and denoising, under BP, BP+Z3 and BP+MP.
"products" are large matrix products as steps of large language models have them (`bench/micro/products.py`); rules are made on products 1.

{micro_table()}

## Time

Kernel time is the sum of the compiler's `estimated_cycles`. Step times are the least of many steps on 8 virtual CPU devices, predicted with the machine as
`partir.calibrate` found it just before.

{picture("kernel_times", "kernel time", "kernels, ms", 1e-3, tuple(tpu.CLOCK))}
{picture("step_times", "step time", "step, ms", 1e-3, ("cpu",))}

Not modelled: on CPU, that YNNPACK takes three times as long for images of three channels, and threads that wait for each other. On TPU associative scans
are timed half too long, in part since strided slices and pads are taken to move elements within their tiles.

{utilisation.section()}""")


if __name__ == "__main__":
    main()
