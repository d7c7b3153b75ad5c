"""What one has to write: lines of a schedule here, lines inside the model there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench import schedules
from bench.evaluation import peers

FOLDER = Path(schedules.__file__).parent


def page(quick: bool) -> str:
    """For each cell of the comparison: lines of schedule, points to annotate, and whether the peer then sends as little."""
    lines = ["| model | strategy | lines of schedule | lines inside the model for Shardy | Shardy with them sends / ours | holds / ours |", "|---|---|---:|---:|---:|---:|"]
    for name, cell in peers.found(quick).items():
        one: dict[str, Any] = cell.get("shardy+", {})
        if "failed" in cell or "failed" in one or not one or "failed" in cell["partir"]:
            continue
        ours = cell["partir"]
        sends = f"{one['sent'] / ours['sent']:.2f}" if ours["sent"] else ""
        model, strategy = name.split()
        lines.append(f"| {model} | {strategy} | {cell['lines']['schedule']} | {cell['lines']['model']} | {sends} | {one['memory'] / ours['memory']:.2f} |")
    files = "".join(f"\n`bench/schedules/{path.name}`:\n\n```\n{path.read_text()}```\n" for path in sorted(FOLDER.glob("*.schedule")))
    return f"""A line inside the model is a `with_sharding_constraint` at a place where an author must name a value
(`bench/models/annotate.py`, `bench/schedules/constraints.py`); the input and output shardings, which a schedule here also replaces, come on top.

{chr(10).join(lines)}

All schedules, whole; a strategy is some of a model's tactics in an order:
{files}"""
