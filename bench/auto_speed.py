"""How fast a search is: what it finds after how many plans, and how its time grows with the number of layers.

    python -m bench.auto_speed          # writes bench/auto_speed.json, of which `python -m bench.auto --page` makes a section

Seconds are those of one processor, of the whole command: reading, analysis, search, confirmation and writing. What a further plan takes
is the difference between two budgets, in which all but the search is left out.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

ROOT = Path(__file__).resolve().parents[1]
DATA, PARTIR = ROOT / "bench" / "auto_speed.json", ROOT / "build" / "partir"
MESH = "batch=8,model=4"
BUDGETS, LONG = (100, 200, 400), 2500  # plans
SEARCHES = (("gpt24", "tpu_v5e"), ("gpt24", "h100"), ("t32", "tpu_v5e"))
LAYERS = (12, 24, 96)


def search(path: Path, device: str, plans: int) -> dict[str, float]:
    """Seconds of the processor, and of the step that was found; plans that were evaluated on all layers."""
    before = os.times()
    command = [PARTIR, "auto", path, "--mesh", MESH, "--device", device, "--budget", str(plans), "--quiet", "-o", path.with_suffix(".found")]
    subprocess.run(command, check=True)
    after = os.times()
    text = path.with_suffix(".found").read_text()
    value, unit = re.search(r"^# auto .*?: ([\d.]+) (us|ms|s),", text, re.MULTILINE).groups()
    whole = re.search(r"(\d+) of them on all", text)
    return {
        "seconds": after.children_user + after.children_system - before.children_user - before.children_system,
        "step": float(value) * {"us": 1e-6, "ms": 1e-3, "s": 1}[unit],
        "whole": int(whole[1]) if whole else plans,
    }


def measure() -> dict[str, Any]:
    """All searches."""
    from bench import models
    from bench.models.__main__ import export

    rows: dict[str, Any] = {"plans": {}, "layers": {}}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for model in dict(SEARCHES):
            export(models.get(model, False), folder / f"{model}.mlir", False)
        for model, device in SEARCHES:
            budgets = (*BUDGETS, LONG)
            rows["plans"][f"{model} {device}"] = {n: search(folder / f"{model}.mlir", device, n) for n in budgets}
            print(model, device, rows["plans"][f"{model} {device}"], flush=True)
        for layers in LAYERS:
            path = folder / f"layers{layers}.mlir"
            export(models.get("gpt24", False, layers=layers), path, False)
            rows["layers"][layers] = {n: search(path, "tpu_v5e", n) for n in (BUDGETS[0], BUDGETS[-1])}
            print(layers, rows["layers"][layers], flush=True)
    rows["load"] = os.getloadavg()[1] / len(os.sched_getaffinity(0))
    return rows


def section() -> list[str]:
    """For docs/auto.md; nothing if nothing was measured."""
    if not DATA.exists():
        return []
    rows = json.loads(DATA.read_text())
    lines = [
        "## Speed",
        "",
        f"By `python -m bench.auto_speed`, mesh {MESH}. Seconds of one processor for the whole command; above the best: how far what was found is from the",
        f"result of {LONG} plans. Load of each core, by all that ran on the machine at the time: {rows['load']:.1f}; such seconds are longer than those of an idle one.",
        "",
        "| program, device | " + " | ".join(f"{n} plans" for n in BUDGETS) + f" | {LONG} plans |",
        "|---|" + "---|" * (len(BUDGETS) + 1),
    ]
    for name, row in rows["plans"].items():
        best = row[str(LONG)]["step"]
        found = (f"{row[str(n)]['seconds']:.2f} s, {100 * (row[str(n)]['step'] / best - 1):.2f} % above" for n in BUDGETS)
        lines.append(f"| {name} | {' | '.join(found)} | {row[str(LONG)]['seconds']:.1f} s, {1e3 * best:.4g} ms |")
    few, many = str(BUDGETS[0]), str(BUDGETS[-1])
    lines += [
        "",
        "gpt24 with other numbers of layers on tpu_v5e. A further plan: the time between the two budgets, by the plans between them; it has what is",
        "evaluated on all layers in it.",
        "",
        f"| layers | {few} plans | {many} plans | a further plan | evaluated on all layers |",
        "|---:|---:|---:|---:|---:|",
    ]
    for layers, row in rows["layers"].items():
        each = (row[many]["seconds"] - row[few]["seconds"]) / (BUDGETS[-1] - BUDGETS[0])
        lines.append(f"| {layers} | {row[few]['seconds']:.2f} s | {row[many]['seconds']:.2f} s | {1e3 * each:.2f} ms | {row[few]['whole']}, {row[many]['whole']} |")
    return [*lines, ""]


if __name__ == "__main__":
    DATA.write_text(json.dumps(measure(), indent=1) + "\n")
