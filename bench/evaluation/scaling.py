"""How time grows: with ops, layers, axes and devices. CPU time of one run on this machine; ratios between rows of a column are what counts."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

from bench import peak_memory, speed
from bench.evaluation import cells, paper, picture

OPS = (1_000, 10_000, 100_000, 1_000_000)
AXES = (1, 2, 3, 4, 5)
DEVICES = (64, 1_024, 16_384, 65_536)
LAYERS = (12, 48, 192, 1_000)
PLANS = 20  # of a search over programs of many ops; over a training step it is LAYER_PLANS
LAYER_PLANS = 200
_PARTS = ("read", "prepare", "tactics", "lower", "simulate", "emit", "search")
_TWO = "tactic BP on batch { arg0 : 0 }\ntactic MP on model { arg1 : 1 }"


def rows(quick: bool) -> dict[str, dict[str, Any]]:
    """Milliseconds of each part."""
    result: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        program, schedule = Path(folder) / "program.mlir", Path(folder) / "schedule"

        def row(name: str, text: str, mesh: str, tactics: str) -> None:
            def compute() -> dict[str, Any]:
                program.write_text(text)
                schedule.write_text(f"mesh {mesh}\n{tactics}\n")
                return speed.parts(program, schedule) | {"search": searched(program, Path(folder), mesh)}

            result[name] = cells.kept("scaling", name, lambda: cells.digest(text, mesh, tactics, PLANS, cells.library("sim", "auto")), compute)

        for ops in OPS[:2] if quick else OPS:
            row(f"{ops:,} ops", speed.tower(ops), "batch=4, model=2", _TWO)
        for axes in AXES[:2] if quick else AXES:
            names = [f"a{i}" for i in range(axes)]
            lines = "\n".join(f"tactic T{i} on {a} {{ arg0 : 0 }}" for i, a in enumerate(names))
            row(f"{axes} axes, 20,000 ops", speed.tower(20_000), ", ".join(f"{a}=2" for a in names), lines)
        for devices in DEVICES[:2] if quick else DEVICES:
            row(f"{devices:,} devices, 20,000 ops", speed.tower(20_000).replace("64", "65536"), f"batch={devices // 8}, model=8", _TWO)
    return result


def searched(program: Path, folder: Path, mesh: str) -> float:
    """Milliseconds of a search over all axes, without reading the program."""

    def seconds(plans: int) -> float:
        options = ("--mesh", mesh.replace(" ", ""), "--device", "tpu_v5e", "--memory", "1000TiB", "--budget", str(plans))
        return cells.run(peak_memory.PARTIR, "auto", program, *options, "--quiet", "-o", folder / "found.schedule")[1]

    return 1e3 * (seconds(PLANS + 1) - seconds(1))


def layers(quick: bool) -> dict[str, dict[str, Any]]:
    """A training step of more and more layers: partition, simulate and search, as whole commands."""
    from bench import models
    from bench.models.__main__ import export

    result = {}
    with tempfile.TemporaryDirectory() as folder:
        program, schedule = Path(folder) / "gpt.mlir", Path(folder) / "schedule"
        for count in LAYERS[:1] if quick else LAYERS:

            def compute() -> dict[str, Any]:
                export(models.get("gpt24", layers=count), program, debug_info=False)
                schedule.write_text(speed.BP_MP + speed.Z3)
                search = Path(folder) / "auto.schedule"
                search.write_text(f"mesh batch=8, model=4\ntie params -> out/0\ntie opt -> out/1\nauto A on batch, model {{ budget {LAYER_PLANS}   memory 1000TiB }}\n")
                commands = {
                    "partition": ["partition", program, schedule, "--quiet", "-o", Path(folder) / "out.mlir"],
                    "simulate": ["simulate", program, schedule, "--device", "tpu_v5e"],
                    "search": ["auto", program, search, "--device", "tpu_v5e", "--quiet", "-o", Path(folder) / "found"],
                }
                seen: dict[str, Any] = {"lines": program.read_text().count("\n")}
                return seen | {name: cells.run(peak_memory.PARTIR, *command)[1] for name, command in commands.items()}

            result[f"{count} layers"] = cells.kept("scaling", f"{count} layers", lambda: cells.digest(count, LAYER_PLANS, paper.model_sources(), cells.library("sim", "auto")), compute)
    return result


def page(quick: bool) -> str:
    """Two tables."""
    head = ["| | ops | read, ms | prepare | tactics | lower | simulate | emit | search | ns an op (tactics + lower) |", "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    lines, points = [], []
    for name, p in rows(quick).items():
        if p.get("failed") == cells.NOT_MEASURED:
            continue
        if "failed" in p:
            lines.append(f"| {name} | failed: {p['failed']} | | | | | | | | |")
            continue
        if re.fullmatch(r"[\d,]+ ops", name):
            points += [(key, p["ops"], p[key]) for key in _PARTS if p.get(key)]
        figures = " | ".join(f"{p[key]:,.1f}" if key in p else "" for key in _PARTS)
        lines.append(f"| {name} | {p['ops']:,.0f} | {figures} | {(p['tactics'] + p['lower']) * 1e6 / p['ops']:,.0f} |")
    second = [f"| training step, whole commands | lines | partition, s | simulate, s | search of {LAYER_PLANS} plans, s |", "|---|---:|---:|---:|---:|"]
    missing = []
    for name, one in layers(quick).items():
        if one.get("failed") == cells.NOT_MEASURED:
            missing.append(name)
            continue
        if "failed" in one:
            second.append(f"| {name} | failed: {one['failed']} | | | |")
            continue
        shown = " | ".join(f"{one[key]:.2f}" for key in ("partition", "simulate", "search"))
        second.append(f"| {name} | {one['lines']:,} | {shown} |")
    drawn = "" if quick or not points else picture.scatter("evaluation_growth", "milliseconds of each part against ops", "ops", "ms", points, joined=True)
    first = f"CPU time. search: of {PLANS} plans over all axes, without reading the program."
    return "\n".join([first, "", *head, *lines, "", drawn, "", *second]) + (f"\n\nNot measured: {', '.join(missing)}." if missing else "")
