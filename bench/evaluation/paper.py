"""Collectives of the paper's models at full size, against its table, cell by cell."""

from __future__ import annotations

import functools
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from bench import peak_memory
from bench.evaluation import cells

MESH = {"T32": "batch=16, model=2", "IT32": "batch=8, model=2", "UNet": "batch=4, model=2", "GNS": "batch=8, model=2"}
KINDS = ("all_gather", "all_reduce", "reduce_scatter", "all_to_all")

# (row of the paper, model, strategy, its counts as recalled, why ours differ)
ROWS: tuple[tuple[str, str, str, str, tuple[int, int, int, int], str], ...] = (
    ("T32", "BP", "t32", "BP", (0, 290, 0, 0), ""),
    ("T32", "BP+MP", "t32", "BP+MP", (0, 418, 0, 0), ""),
    ("T32", "BP+MP+Z2", "t32", "BP+MP+Z2", (129, 289, 129, 0), ""),
    ("T32", "BP+MP+Z3", "t32", "BP+MP+Z3", (259, 289, 129, 0), ""),
    ("T32", "BP+MP+Z3+EMB", "t32", "BP+MP+Z3+EMB", (515, 354, 257, 0), ""),
    ("T32", "MP", "t32", "MP", (0, 128, 0, 0), ""),
    ("T32", "EMB", "t32", "MP+EMB", (256, 193, 128, 0), ""),
    ("IT32", "BP", "it32", "BP", (0, 0, 0, 0), ""),
    ("IT32", "MP", "it32", "MP", (0, 98304, 0, 0), ""),
    ("IT32", "BP+MP", "it32", "BP+MP", (0, 98304, 0, 0), ""),
    ("IT32", "BP+MP+MQ", "it32", "BP+MPQ+MQ", (64, 98304, 0, 98240), ""),
    ("UNet", "BP", "unet", "BP", (0, 503, 0, 0), ""),
    ("UNet", "BP+Z2", "unet", "BP+Z2", (517, 2, 501, 0), "the paper's model is not public; ours has 501 tensors and gathers each updated weight once"),
    ("UNet", "BP+Z3", "unet", "BP+Z3", (799, 2, 501, 0), "as above; a weight is gathered once for each op that uses it, forward and backward"),
    ("GNS", "ES", "gns", "ES", (0, 423, 0, 0), ""),
)


def export(model: str, folder: Path) -> tuple[Path, Any]:
    """A full-size model as files."""
    from bench import models
    from bench.models.__main__ import export as write

    program = folder / f"{model}.mlir"
    it = models.get(model)
    if not program.exists():
        write(it, program, debug_info=False)
    return program, it


def schedule_text(model: str, it: Any, strategy: str, mesh: str, extra: str = "", ties: bool = True) -> str:
    """A strategy as a file, with the ties that donation tells."""
    from bench import schedules

    arguments = list(dict.fromkeys(path.split("[")[0].split(".")[0] for path in it.names()))
    training = 0 in it.donate_argnums and ties
    lines = [f"tie {arguments[i]} -> out/{k}" for k, i in enumerate(it.donate_argnums)] if training else []
    head, *tactics = schedules.text(model, strategy, mesh).splitlines()
    return "\n".join([head, *([extra] if extra else []), *lines, *tactics]) + "\n"


def partition(program: Path, schedule: str, *options: str) -> dict[str, Any]:
    """The report of `partir partition`, or of `partir simulate` where a device is given."""
    file = program.with_suffix(".schedule")
    file.write_text(schedule)
    command = "simulate" if "--device" in options else "partition"
    done = subprocess.run([peak_memory.PARTIR, command, program, file, *options, "--json", "-"], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-400:])
    return json.loads(done.stdout)


@functools.cache
def model_sources() -> str:
    """Of all models."""
    return cells.digest([path.read_text() for path in sorted((peak_memory.ROOT / "bench" / "models").glob("*.py"))])


def rows(quick: bool) -> list[dict[str, Any]]:
    """Each row of the paper with ours beside it."""
    from bench import schedules

    found = []
    with tempfile.TemporaryDirectory() as name:
        for paper, label, model, strategy, counts, why in ROWS:
            if quick and model not in ("t32",):
                continue

            def inputs() -> str:
                return cells.digest(model_sources(), schedules.text(model, strategy, MESH[paper]), cells.library())

            def compute() -> dict[str, Any]:
                program, it = export(model, Path(name))
                report = partition(program, schedule_text(model, it, strategy, MESH[paper]))
                last = report["tactics"][-1]
                return {"counts": [int(last["totals"][kind]) for kind in KINDS], "conflicts": len(last["conflicts"])}

            found.append({"model": paper, "strategy": label, "paper": counts, "why": why, **cells.kept("paper", f"{paper} {label}", inputs, compute)})
    return found


@functools.cache
def page(quick: bool) -> str:
    """The table."""
    lines = ["| model | schedule | | all_gather | all_reduce | reduce_scatter | all_to_all | |", "|---|---|---|---:|---:|---:|---:|---|"]
    equal = 0
    every = rows(quick)
    for row in every:
        if "failed" in row:
            lines.append(f"| {row['model']} | {row['strategy']} | ours | | | | | failed: {row['failed']} |")
            continue
        same = tuple(row["counts"]) == row["paper"]
        equal += same
        cellsof = " | ".join(str(a) if a == b else f"**{a}** ({b})" for a, b in zip(row["counts"], row["paper"]))
        lines.append(f"| {row['model']} | {row['strategy']} | {'equal' if same else 'differs'} | {cellsof} | {'' if same else row['why']} |")
    return f"{equal} of {len(every)} rows are equal; where they differ, the paper's figure stands in brackets.\n\n" + "\n".join(lines)
