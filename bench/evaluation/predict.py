"""Predicted against what XLA, the TPU compiler and measurement say, for the cells of the comparison."""

from __future__ import annotations

import itertools
import statistics
import tempfile
from pathlib import Path
from typing import Any

from bench.evaluation import cells, paper, peers, picture, tpu


def predictions(quick: bool) -> dict[str, dict[str, Any]]:
    """Time and memory on the `host` device, and what is sent, of each cell."""
    from bench import models
    from bench.evaluation import sides
    from bench.models.__main__ import export

    result = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in peers.found(quick):
            model, strategy = name.split()

            def schedule(it: Any) -> str:
                return paper.schedule_text(model, it, strategy, ", ".join(f"{axis}={size}" for axis, size in sides.mesh_of(strategy).items()))

            def compute() -> dict[str, Any]:
                it = models.get(model, small=True, **sides.MEDIUM[model])
                program = Path(folder) / f"{model}.mlir"
                if not program.exists():
                    export(it, program, debug_info=False)
                last = paper.partition(program, schedule(it), "--device", "host")["tactics"][-1]
                return {"seconds": last["seconds"], "memory": last["peak_memory"]}

            def inputs() -> str:
                return cells.digest(peers.ours_key(model, strategy), cells.library("sim"))

            result[name] = cells.kept("predicted", name, inputs, compute)
    return result


def tpu_table(quick: bool) -> str:
    """Memory on tpu_v5e against the TPU compiler's, for its cells."""
    from bench import models
    from bench.models.__main__ import export

    lines = ["| program | schedule | predicted, MB | TPU compiler, MB | error |", "|---|---|---:|---:|---:|"]
    errors = []
    with tempfile.TemporaryDirectory() as folder:
        for name, sides in tpu.found(quick).items():
            it, ours = tpu.CELLS[name], sides.get("partir", {})
            if "memory" not in ours or it.options:
                continue

            def compute() -> dict[str, Any]:
                model = models.get(it.model, **it.size)
                export(model, program := Path(folder) / "program.mlir", debug_info=False)
                mesh = ", ".join(f"{axis}={size}" for axis, size in it.mesh.items())
                last = paper.partition(program, paper.schedule_text(it.model, model, it.strategy, mesh), "--device", "tpu_v5e")["tactics"][-1]
                return {"memory": last["peak_memory"]}

            one = cells.kept("predicted_tpu", f"{name} {it.strategy}", lambda: cells.digest(ours["inputs"], cells.library("sim")), compute)
            if "memory" in one:
                errors.append(one["memory"] / ours["memory"] - 1)
                lines.append(f"| {name} | {it.strategy} | {one['memory'] / 1e6:,.0f} | {ours['memory'] / 1e6:,.0f} | {100 * errors[-1]:+.1f} % |")
    if not errors:
        return ""
    sizes = [abs(error) for error in errors]
    text = f"For the TPU compiler: median error {100 * statistics.median(sizes):.1f} %, worst {100 * max(sizes):.1f} % of {len(sizes)} programs."
    return f"\n\n{text}\n\n" + "\n".join(lines)


def page(quick: bool) -> str:
    """Memory against XLA's, step times by their order."""
    predicted, seen = predictions(quick), peers.found(quick)
    lines = ["| model | schedule | memory predicted, KB | XLA, KB | error | step predicted, ms | measured, ms |", "|---|---|---:|---:|---:|---:|---:|"]
    points, errors = [], []
    times: dict[str, list[tuple[float, float]]] = {}
    for name, one in predicted.items():
        ours = seen[name].get("partir", {})
        if cells.NOT_MEASURED in (one.get("failed"), seen[name].get("failed")):
            continue
        if "failed" in one or "memory" not in ours:
            lines.append(f"| {name.replace(' ', ' | ')} | failed | | | | |")
            continue
        model, _ = name.split()
        errors.append(one["memory"] / ours["memory"] - 1)
        points.append((model, ours["memory"] / 1e3, one["memory"] / 1e3))
        if "step" in ours:
            times.setdefault(model, []).append((one["seconds"], ours["step"]))
        step = f"{1e3 * one['seconds']:.1f} | {1e3 * ours['step']:.1f}" if "step" in ours else " | "
        lines.append(f"| {name.replace(' ', ' | ')} | {one['memory'] / 1e3:,.0f} | {ours['memory'] / 1e3:,.0f} | {100 * errors[-1]:+.1f} % | {step} |")
    pairs = [(a, b) for some in times.values() for a, b in itertools.combinations(some, 2) if abs(a[1] - b[1]) > 0.05 * b[1]]
    ordered = sum((a[0] - b[0]) * (a[1] - b[1]) > 0 for a, b in pairs)
    sizes = [abs(error) for error in errors]
    text = f"Memory: median error {100 * statistics.median(sizes):.1f} %, worst {100 * max(sizes):.1f} % of {len(sizes)} cells. " if sizes else ""
    text += f"Step times of one model under two schedules that differ by more than 5 %: {ordered} of {len(pairs)} pairs in order; the built-in `host` is not calibrated to this machine, so only the order counts."
    drawn = "" if quick or not points else picture.scatter("evaluation_memory", "memory by XLA against memory predicted", "by XLA, KB", "predicted, KB", points) + "\n\n"
    return f"{text}\n\n{drawn}" + "\n".join(lines) + tpu_table(quick)
