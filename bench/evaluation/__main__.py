"""Fill in the cells that are not kept, then write docs/evaluation.md.

    python -m bench.evaluation [--quick] [--only SECTION]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "python")]

from bench import peak_memory  # first: sets the environment for jax
from bench.evaluation import cells, paper

PAGE = ROOT / "docs" / "evaluation.md"

# Models and strategies next to the peers, at sizes that run on virtual devices.
COMPARED: dict[str, tuple[str, ...]] = {
    "vit": ("BP", "BP+MP", "BP+Z3"),
    "llama": ("BP", "BP+MP", "BP+MP+Z3"),
    "llama_scan": ("BP+MP+Z3",),
    "gpt2": ("BP+MP", "BP+CP"),
    "t32": ("BP", "BP+MP", "BP+MP+Z2", "BP+MP+Z3"),
    "moe": ("BP", "BP+EP"),
    "lstm": ("BP", "BP+MP"),
    "gns": ("ES",),
    "unet": ("BP", "BP+Z3"),
    "it32": ("BP", "BP+MP"),
}
QUICK = {"vit": ("BP+Z3",), "llama": ("BP+MP",)}
STEPS = 50


# ---- Peers ----------------------------------------------------------------------------------------------------------


def sides(quick: bool) -> dict[str, dict[str, Any]]:
    """Each cell, in a process of its own."""
    versions = peer_versions()
    found = {}
    for model, strategies in (QUICK if quick else COMPARED).items():
        for strategy in strategies:
            inputs = cells.digest(emitted(model, strategy), versions, quick)
            command = [sys.executable, "-m", "bench.evaluation.sides", model, strategy, *([] if quick else [str(STEPS)])]

            def compute() -> dict[str, Any]:
                done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1800)
                if done.returncode:
                    raise RuntimeError(done.stderr[-400:])
                return json.loads(done.stdout.splitlines()[-1])

            found[f"{model} {strategy}"] = cells.kept("peers", f"{model} {strategy}", inputs, compute)
    return found


def emitted(model: str, strategy: str) -> str:
    """What XLA gets from us: with the versions, all that a cell depends on."""
    import partir
    from bench import models, schedules

    it = models.get(model, small=True)
    mesh = {"batch": 4, "model": 2}
    step = partir.jit(it.function, mesh=mesh, schedule=schedules.tactics(model, strategy), donate_argnums=it.donate_argnums)
    return step.lower(*it.args).as_text("stablehlo-cpu")


def peer_versions() -> dict[str, str]:
    import jax
    import jaxlib

    return {"jax": jax.__version__, "jaxlib": jaxlib.__version__}


def peers_page(quick: bool) -> str:
    """For each cell one row a side; where ours is worse than the better correct peer by more than 2 %, in bold."""
    head = "| model | schedule | side | collectives | sent, KB | memory, KB | MFLOP | step, ms | compile, s | numbers |"
    lines = [head, "|---|---|---|---|---:|---:|---:|---:|---:|---|"]
    wrong, worse = [], []
    for name, cell in sides(quick).items():
        model, strategy = name.split()
        if "failed" in cell:
            lines.append(f"| {model} | {strategy} | all | failed: {cell['failed']} | | | | | | |")
            continue
        right = {side: cell[side] for side in ("shardy", "gspmd") if cell[side].get("error", 1) <= 1e-3}
        for side in ("partir", "shardy", "gspmd"):
            one = cell[side]
            if "failed" in one:
                lines.append(f"| {model} | {strategy} | {side} | failed: {one['failed'][:80]} | | | | | | |")
                continue
            if one["error"] > 1e-3:
                wrong.append(f"{side} on {name} (off by {100 * one['error']:.0f} %)")
            lost = [k for k in ("sent", "memory", "flops") if side == "partir" and right and (one[k] or 0) > 1.02 * min(r[k] or 0 for r in right.values())]
            worse += [f"{name}: {k}" for k in lost]
            kinds = ", ".join(f"{n} {kind}" for kind, n in one["collectives"].items()) or "none"

            def figure(key: str, scale: float) -> str:
                text = f"{one[key] / scale:,.0f}" if one.get(key) is not None else ""
                return f"**{text}**" if key in lost else text

            step = f"{1e3 * one['step']:.2f}" if "step" in one else ""
            numbers = "right" if one["error"] <= 1e-3 else f"**wrong**, {100 * one['error']:.0f} %"
            lines.append(
                f"| {model} | {strategy} | {side} | {kinds} | {figure('sent', 1e3)} | {figure('memory', 1e3)} | {figure('flops', 1e6)} "
                f"| {step} | {one['compile']:.1f} | {numbers} |"
            )
    text = f"Wrong numbers: {'; '.join(wrong) or 'none'}.\n\nOurs worse than the better correct peer by more than 2 %: {'; '.join(worse) or 'nowhere'}.\n\n"
    return text + "\n".join(lines)


# ---- Ablation -------------------------------------------------------------------------------------------------------


def ablation_page(quick: bool) -> str:
    """T32 at full size, simulated for TPU v5e on batch=16, model=2, with one thing changed at a time."""
    mesh, strategy = "batch=16, model=2", "BP+MP+Z3"
    lines = ["| | all_gather | all_reduce | reduce_scatter | other | conflicts | time, ms | memory, GiB |", "|---|---:|---:|---:|---:|---:|---:|---:|"]
    with tempfile.TemporaryDirectory() as folder:
        program, it = paper.export("t32", Path(folder))
        as_is = paper.schedule_text("t32", it, strategy, mesh)
        variants = {
            "BP+MP+Z2": paper.schedule_text("t32", it, "BP+MP+Z2", mesh),
            "BP+MP+Z2, no ties": paper.schedule_text("t32", it, "BP+MP+Z2", mesh, ties=False),
            "BP+MP+Z3": as_is,
            "BP+MP+Z3, no ties": paper.schedule_text("t32", it, strategy, mesh, ties=False),
            "BP+MP+Z3, gathers shared": paper.schedule_text("t32", it, strategy, mesh, "gathers shared"),
            "BP+MP+Z3, BP and Z3 in one tactic": one_tactic(as_is),
        }
        for name, text in variants.items():

            def compute() -> dict[str, Any]:
                last = paper.partition(program, text, "--device", "tpu_v5e")["tactics"][-1]
                counts = paper.partition(program, text)["tactics"][-1]
                return {"totals": counts["totals"], "conflicts": len(counts["conflicts"]), "time": last["seconds"], "memory": last["peak_memory"]}

            cell = cells.kept("ablation", name, cells.digest(text, cells.library()), compute)
            if "failed" in cell:
                lines.append(f"| {name} | failed: {cell['failed']} | | | | | | |")
                continue
            totals = cell["totals"]
            other = totals["all_to_all"] + totals["collective_permute"]
            kinds = " | ".join(str(int(totals[k])) for k in ("all_gather", "all_reduce", "reduce_scatter"))
            lines.append(f"| {name} | {kinds} | {int(other)} | {cell['conflicts']} | {1e3 * cell['time']:.0f} | {cell['memory'] / 2**30:.1f} |")
    return "\n".join(lines)


def one_tactic(text: str) -> str:
    """BP and Z3, which are on the same axis, as one tactic: nothing says any more that the batch comes first."""
    lines = text.splitlines()
    z3 = next(line for line in lines if line.startswith("tactic Z3"))
    inner = z3[z3.index("{") + 1 : z3.rindex("}")]
    merged = [line[: line.rindex("}")] + inner + "}" if line.startswith("tactic BP") else line for line in lines if line != z3]
    return "\n".join(merged) + "\n"


# ---- The page -------------------------------------------------------------------------------------------------------


def page(quick: bool, only: str | None) -> str:
    parts = {
        "paper": ("Collectives against the paper's table", paper.page),
        "peers": ("Shardy and GSPMD side by side", peers_page),
        "ablation": ("What each part brings", ablation_page),
    }
    versions = ", ".join(f"{name} {version}" for name, version in peer_versions().items())
    text = f"""# Evaluation

Written by `make eval{" QUICK=1" if quick else ""}`; {versions}, Python {platform.python_version()}, {os.cpu_count()} cores. Nothing here is typed in by hand: each figure is in a
file of `bench/evaluation/results`, under the hash of what went into it.
"""
    for name, (title, write) in parts.items():
        if only in (None, name):
            text += f"\n## {title}\n\n{write(quick)}\n"
    return text


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.evaluation", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few small cells, within ten minutes")
    parser.add_argument("--only", choices=("paper", "peers", "ablation"), help="this section alone, to standard output")
    options = parser.parse_args()
    text = page(options.quick, options.only)
    if options.only:
        print(text)
    else:
        PAGE.write_text(text)
        print(f"wrote {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
