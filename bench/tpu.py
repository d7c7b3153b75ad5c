"""The page's part on TPU: what the TPU compiler says ahead of time against the simulator, memory and time.

`python -m bench.peak_memory measure --target v5e:2x4` keeps the compiler's figures in bench/peak_memory.json. For time it writes cycles
beside the kernels that it compiled, not beside collectives; so what they are compared with is the time of the simulated kernels.
"""

from __future__ import annotations

import json
import re
import statistics
import tempfile
from pathlib import Path
from typing import Any

from bench import peak_memory, scatter
from bench.peak_memory import HELD_OUT, SETTLED, Program, Row

CLOCK = {"v5e:2x4": 1.5e9, "v5p:2x2x2": 1.75e9}  # cycles a second, as the compiler has them for its targets
# Of other people's programs those that were held out here, chosen before they were measured.
CORPUS = ("haiku_lstm_lm_train",)
LIMIT = 16 * 2**30  # the memory of a v5e


def cycles(text: str) -> int:
    """Of a compiled program: the sum over its kernels, those of loops times their trips."""
    bodies: dict[str, list[str]] = {}
    entry = name = ""
    for line in text.splitlines():
        opened = re.match(r"(ENTRY )?%?([\w.\-]+) \(.*\{$", line)
        if opened:
            name = opened[2]
            entry = name if opened[1] else entry
            bodies[name] = []
        elif line.startswith("}"):
            name = ""
        elif name:
            bodies[name].append(line)

    def of(computation: str) -> int:
        sum_ = 0
        for line in bodies[computation]:
            loop = re.search(r" while\(.*condition=%?([\w.\-]+), body=%?([\w.\-]+)", line)
            found = re.search(r'"estimated_cycles":"(\d+)"', line)
            sum_ += trips(bodies[loop[1]]) * of(loop[2]) if loop else int(found[1]) if found else 0
        return sum_

    return of(entry)


def trips(condition: list[str]) -> int:
    """How often a loop runs: the number that its condition compares with."""
    return max((int(n) for n in re.findall(r"s32\[\][^ ]* constant\((\d+)\)", "\n".join(condition))), default=1)


# ---- The page -------------------------------------------------------------------------------------------------------


def measured(target: str) -> dict[str, Any]:
    """What is kept, by program."""
    return json.loads(peak_memory.DATA.read_text()).get(target, {"measured": {}})["measured"]


def halves(target: str, folder: Path) -> str:
    """Memory, in two tables."""
    text, points = "", []
    for title, names in (("settled", SETTLED), ("only looked at afterwards", (*HELD_OUT, *CORPUS))):
        found = peak_memory.rows(target, names, folder)
        if not found:
            continue
        if title == "settled":
            text += f"Models on which the rules were settled: {peak_memory.summary(found)}.\n\n{peak_memory.table(found)}\n\n"
        else:
            text += f"Models that were only looked at afterwards, with the error at the first look and now:\n\n{first_looks(target, found)}\n\n"
        points += [(row.program.model, row.theirs / 2**20, row.ours / 2**20) for row in found]
    return f"{scatter.draw('peak_memory_' + target.split(':')[0], 'peak, MiB', points)}\n\n{text}"


def first_looks(target: str, found: list[Row]) -> str:
    """A table with the error of the rules as they were when a program was first compared."""
    kept = measured(target)
    lines = ["| model | size | strategy | XLA, bytes | simulated, bytes | error | at first |", "|---|---|---|---:|---:|---:|---:|"]
    first = []
    for row in found:
        first.append(kept[" ".join(row.program)]["first_look"] / row.theirs - 1)
        lines.append(f"| {' | '.join(row.program)} | {row.theirs:,} | {row.ours:,} | {100 * row.error:+.1f} % | {100 * first[-1]:+.1f} % |")
    sizes = [abs(error) for error in first]
    at_first = f"At first: median error {100 * statistics.median(sizes):.1f} %, worst {100 * max(sizes):.1f} %; now {peak_memory.summary(found)}."
    return "\n".join([at_first, "", *lines])


def fits(target: str, folder: Path) -> str:
    """Programs near the size of the memory, and whether they fit."""
    lines = ["| model | size | strategy | the compiler | simulated |", "|---|---|---|---|---|"]
    for key, sizes in measured(target).items():
        p = Program(*key.split())
        if p.size != "edge":
            continue
        theirs = "does not fit" if "out_of_memory" in sizes else f"fits, {sizes['total']:,}"
        ours = peak_memory.simulate(peak_memory.prepare(p, folder), target)
        lines.append(f"| {' | '.join(p)} | {theirs} | {'fits' if ours <= LIMIT else 'does not fit'}, {ours:,} |")
    return "\n".join(lines)


def times(folder: Path) -> str:
    """The compiler's estimates of kernels beside ours."""
    lines, errors = [], []
    for target, clock in CLOCK.items():
        for key, found in measured(target).items():
            p = Program(*key.split())
            if "cycles" not in found or p.size == "corpus":
                continue
            theirs = found["cycles"] / clock
            ours = peak_memory.report(peak_memory.prepare(p, folder), target)["tactics"][-1]["compute"]
            errors.append(ours / theirs - 1)
            lines.append(f"| {target} | {' | '.join(p)} | {1e3 * theirs:.1f} | {1e3 * ours:.1f} | {100 * errors[-1]:+.0f} % |")
    sizes = [abs(error) for error in errors]
    summary = f"{len(errors)} programs: median error {100 * statistics.median(sizes):.0f} %, worst {100 * max(sizes):.0f} %."
    head = ["| target | model | size | strategy | compiler, ms | simulated, ms | error |", "|---|---|---|---|---:|---:|---:|"]
    return "\n".join([summary, "", *head, *lines])


def section() -> str:
    """This part of the page."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        v5e, v5p, edge, kernels = halves("v5e:2x4", folder), halves("v5p:2x2x2", folder), fits("v5e:2x4", folder), times(folder)
    data = json.loads(peak_memory.DATA.read_text())["v5e:2x4"]
    versions = data["versions"]
    return f"""## TPU: the compiler, ahead of time

jax {versions["jax"]}, libtpu {versions["libtpu"]}, by `{data["command"]} --size large`, and the same with `--target v5p:2x2x2`. No TPU is needed.

### Peak memory

"Total bytes" of the compiler's memory report, of one device. The rules were settled on the models of the first tables; gns and lstm were
first compared with earlier rules, and one error of lstm led to a rule since; the programs of others were first compared with these. Of those that were chosen (haiku_lstm_lm_train, torchax_resnet50_train,
torchax_timm_mixer_train, unet) only the first was compiled: the second took more than 15 minutes, the others were not reached. Z3 of t32 and moe
was compiled when transposes of gradients still stood behind their sums, which changed little for mlp (1,923 MB before, 1,922 MB now).

#### v5e:2x4

{v5e}#### v5p:2x2x2

{v5p}What the rules are, as seen in the compiler's dumps: what only products read is bf16, also when a loop stacks it up for another; a scatter of one
element to each row is a comparison; what is made of one tensor is computed again rather than kept; what no product needs any more (gradients of
weights, their sums, updates, the loss) runs last; sums run together up to 120 MiB; the next weight is gathered while the one before is used,
and one that is gathered again soon is kept; buffers get their places in the order of time, which leaves gaps of up to a third of them.

What remains: which of the gradients are computed early, to hide gathers behind them (Z3), follows from the compiler's own timing and is not modelled;
up to 128 MiB in on-chip memory count for nothing here; near the limit of the memory the compiler computes values again, so that more fits.
Tiles of 8 x 128 are not counted: in the dumps that were looked at the compiler had laid small dimensions so that hardly anything was padded.

#### Which strategy fits into 16 GiB

{edge}

### Kernels

The compiler writes `estimated_cycles` beside the fusions and copies of the program that it compiled, though not beside gathers, scatters and
collectives. Here is their sum, loops times their trips, at the clocks that it has for its targets (1.5 GHz for v5e, 1.75 GHz for v5p), against the
simulated time of all kernels on the built-in device. Nothing was fitted to it. lstm is far off since the compiler keeps the weights' gradients of
a loop on the chip, while here each trip reads and writes them. `cost_analysis()` gives no usable time: its `optimal_seconds` is negative.

{kernels}
"""
