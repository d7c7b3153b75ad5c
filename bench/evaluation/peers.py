"""Ours, Shardy and GSPMD on the same programs with the same input and output shardings, each cell in a process of its own."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.evaluation import cells, picture

ROOT = Path(__file__).resolve().parents[2]

COMPARED: dict[str, tuple[str, ...]] = {
    "t32": ("BP", "BP+MP", "BP+MP+Z2", "BP+MP+Z3", "BP+MP+SP+Z3", "BP+MP+EMB", "R+BP+Z3"),
    "llama": ("BP", "BP+MP", "BP+MP+Z3", "BP+MP+SP"),
    "llama_scan": ("BP+MP", "BP+MP+Z3"),
    "gpt2": ("BP+MP", "BP+MP+VOC", "BP+MP+Z3", "BP+CP"),
    "vit": ("BP", "BP+MP", "BP+Z3"),
    "moe": ("BP", "BP+EP", "TOK+BP+EPB"),
    "moe_ragged": ("BP+Z3",),
    "lstm": ("BP", "BP+MP"),
    "gns": ("ES", "ES+Z2"),
    "unet": ("BP", "BP+Z3"),
    "it32": ("BP+MP", "BP+MPQ+MQ"),
    "it32_multi_head": ("BP+MP", "BP+MP+Z3", "VOC+BP+MP+Z3"),
}
QUICK = {"vit": ("BP+Z3",), "llama": ("BP+MP",)}
STEPS = 50
RIGHT = 1e-3  # error below which numbers count as right, of the largest element of an array
WORSE = 1.02
MEASURES = {"sent": ("sent, KB", 1e3), "memory": ("memory, KB", 1e3), "flops": ("MFLOP", 1e6)}
NAMES = {"partir": "ours", "shardy": "Shardy", "gspmd": "GSPMD", "shardy+": "Shardy, constraints inside", "gspmd+": "GSPMD, constraints inside"}


@functools.cache
def versions() -> dict[str, str]:
    import jax
    import jaxlib

    return {"jax": jax.__version__, "jaxlib": jaxlib.__version__}


@functools.cache
def found(quick: bool) -> dict[str, dict[str, Any]]:
    """Every cell by "model strategy"."""
    from bench import schedules
    from bench.evaluation import sides

    result = {}
    for model, strategies in (QUICK if quick else COMPARED).items():
        for strategy in strategies:
            name = f"{model} {strategy}"

            def compute(what: str) -> dict[str, Any]:
                return ask(model, strategy, what)

            ours = cells.kept("ours", name, functools.cache(lambda: cells.digest(emitted(model, strategy), versions(), cells.source("hlo.py"))), lambda: compute("ours"))
            theirs = cells.kept("peers", name, lambda: cells.digest(sides.given(model, strategy), versions(), cells.source("hlo.py")), lambda: compute("peers"))
            times = {} if quick else cells.kept("times", name, lambda: cells.digest(ours["inputs"], theirs["inputs"]), lambda: compute(str(STEPS)))
            result[name] = joined(ours, theirs, times)
            if "points" in result[name]:
                result[name]["lines"] = {"schedule": len(schedules.text(model, strategy, "").splitlines()) - 1, "model": result[name]["points"]}
    return result


def joined(ours: dict[str, Any], theirs: dict[str, Any], times: dict[str, Any]) -> dict[str, Any]:
    """A cell of all sides with the times of their steps. What is kept of these may be of an earlier program of ours."""
    failed = next((one for one in (ours, theirs) if "failed" in one), None)
    if failed:
        return failed
    earlier = {"earlier": True} if times.get("inputs") != cells.digest(ours["inputs"], theirs["inputs"]) else {}
    every = {side: one for side, one in (ours | theirs).items() if side in NAMES}
    return {side: one if "failed" in one else one | times.get(side, {}) | earlier for side, one in every.items()} | {"points": theirs["points"], "old": ours.get("old", False)}


def ask(model: str, strategy: str, what: str) -> dict[str, Any]:
    """Our side of a cell, the peers', or the times of all."""
    command = [sys.executable, "-m", "bench.evaluation.sides", model, strategy, what]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1800)
    if done.returncode:
        raise RuntimeError(done.stderr[-400:])
    return json.loads(done.stdout.splitlines()[-1])


def emitted(model: str, strategy: str) -> str:
    """What XLA gets from us, and the constraints that the peers get: with the versions, all that a cell depends on."""
    import partir
    from bench import models, schedules
    from bench.evaluation import sides
    from bench.schedules import constraints

    it = models.get(model, small=True, **sides.MEDIUM[model])
    step = partir.jit(it.function, mesh=sides.mesh_of(strategy), schedule=schedules.schedule(model, strategy), donate_argnums=it.donate_argnums)
    return f"{constraints.specs(model, strategy)}\n{step.lower(*it.args).as_text('stablehlo-cpu')}"


def best_peer(cell: dict[str, Any], plain: bool = True) -> dict[str, float]:
    """Of each measure the least of the peers whose numbers are right: those without constraints inside the model, or all."""
    right = [one for side, one in cell.items() if side in NAMES and side != "partir" and one.get("error", 1) <= RIGHT and not (plain and side.endswith("+"))]
    return {key: min(one[key] or 0 for one in right) for key in MEASURES} if right else {}


def lost(cell: dict[str, Any]) -> list[str]:
    """The measures in which ours is worse by more than 2 % than the better correct peer, constraints inside the model or not; a step only outside of its quartiles."""
    best = best_peer(cell, plain=False)
    ours = cell["partir"]
    worse = [key for key, least in best.items() if (ours[key] or 0) > WORSE * least]
    others = [one for side, one in cell.items() if side in NAMES and side != "partir" and one.get("error", 1) <= RIGHT and "step" in one]
    if "step" in ours and others:
        least = min(others, key=lambda one: one["step"])
        if ours["step"] > WORSE * least["step"] and ours["step_quartiles"][0] > least["step_quartiles"][1]:
            worse.append("step")
    return worse


def summary(quick: bool) -> str:
    """Ours against the better correct peer as it comes: the ratios, smallest to largest."""
    lines = []
    for key, what in (("sent", "bytes sent"), ("memory", "memory"), ("flops", "FLOPs")):
        ratios = []
        for cell in found(quick).values():
            best = best_peer(cell) if "failed" not in cell and "failed" not in cell["partir"] else {}
            if best.get(key):
                ratios.append((cell["partir"][key] or 0) / best[key])
        ratios.sort()
        if ratios:
            better = sum(r < 1 / WORSE for r in ratios)
            worse = sum(r > WORSE for r in ratios)
            lines.append(f"| {what} | {ratios[len(ratios) // 2]:.2f} | {ratios[0]:.2f} to {ratios[-1]:.2f} | {better} | {len(ratios) - better - worse} | {worse} |")
    head = ["| ours / the better correct peer, same input shardings | median | range | better | within 2 % | worse |", "|---|---:|---|---:|---:|---:|"]
    return "\n".join(head + lines)


# Why a cell is worse, where it was looked into.
WHY: dict[str, str] = {
    "gpt2 BP+MP": "GSPMD splits the logits by vocabulary of itself, which no tactic asked for, and sends more; BP+MP+VOC has the line that does so.",
    "gpt2 BP+MP+Z3": "One copy of the logits too many, measured before that was mended.",
    "gns ES+Z2": "Sums that follow one another were all_reduces, measured before that was mended.",
    "lstm BP+MP": "GSPMD splits the update of the embedding on `model`, which no tactic asked for, and gathers its new state: less memory for many more bytes.",
    "unet BP+Z3": "For the embedding of the time, a few examples, peers gather activations where we sum gradients.",
    "it32 BP+MPQ+MQ": "Shardy splits the tokens of the prompt on `model` too and gathers the weights: fewer FLOPs for more bytes and memory.",
    "it32_multi_head BP+MP+Z3": "ZeRO-3 gathers the whole table for the logits of a few tokens. The report warns of it, with the line that VOC+BP+MP+Z3 has in front.",
}


def page(quick: bool) -> str:
    """One row a side; what is worse by more than 2 % in bold."""
    head = "| model | schedule | side | collectives | sent, KB | memory, KB | MFLOP | step, ms (quartiles) | partition, s | compile, s | numbers |"
    lines = [head, "|---|---|---|---|---:|---:|---:|---|---:|---:|---|"]
    wrong, worse = [], []
    missing = []
    for name, cell in found(quick).items():
        model, strategy = name.split()
        if cell.get("failed") == cells.NOT_MEASURED:
            missing.append(name)
            continue
        if "failed" in cell:
            lines.append(f"| {model} | {strategy} | all | failed: {cell['failed']} | | | | | | | |")
            continue
        behind = lost(cell) if "failed" not in cell["partir"] else []
        if behind:
            worse.append(f"- {name}: **{', '.join(behind)}**. {WHY.get(name, 'Not found why.')}")
        for side in NAMES:
            one = cell.get(side)
            if one is None:
                continue
            if "failed" in one:
                lines.append(f"| {model} | {strategy} | {NAMES[side]} | failed: {one['failed'][:80]} | | | | | | | |")
                continue
            if one["error"] > RIGHT:
                wrong.append(f"{NAMES[side]} on {name} (off by {100 * one['error']:.0f} %)")
            lines.append(f"| {model} | {strategy} | {NAMES[side]} | {row(one, behind if side == 'partir' else [])} |")
    text = f"{summary(quick)}\n\n{'' if quick else drawn()}\n\nWrong numbers: {'; '.join(wrong) or 'none'}.\n\n"
    text += "Worse than the better correct peer, also one with constraints inside its model, by more than 2 %:\n\n" + ("\n".join(worse) or "Nowhere.")
    text += f"\n\nNot measured: {', '.join(missing)}." if missing else ""
    if old := [name for name, cell in found(quick).items() if cell.get("old")]:
        text += f"\n\nOurs measured before the last changes of what XLA on CPU gets: {', '.join(old)}."
    if any(one.get("earlier") and "step" in one for cell in found(quick).values() for one in cell.values() if isinstance(one, dict)):
        text += "\n\n*: timed with an earlier program of ours."
    return text + "\n\n" + "\n".join(lines)


def drawn() -> str:
    """Ours against the better correct peer, cell by cell."""
    rows = []
    for name, cell in found(False).items():
        best = best_peer(cell) if "failed" not in cell and "failed" not in cell["partir"] else {}
        if best:
            rows.append((name, [(cell["partir"][key] or 0) / best[key] if best[key] else None for key in ("sent", "memory", "flops")]))
    return picture.ratios("evaluation_peers", "ours / the better correct peer: bytes sent, memory, FLOPs; left of 1 is better", ("bytes sent", "memory", "FLOPs"), rows)


def row(one: dict[str, Any], bold: list[str]) -> str:
    """The figures of one side."""
    kinds = ", ".join(f"{n} {kind}" for kind, n in one["collectives"].items()) or "none"

    def show(key: str, text: str) -> str:
        return f"**{text}**" if key in bold else text

    figures = [show(key, f"{one[key] / scale:,.0f}") if one.get(key) is not None else "" for key, (_, scale) in MEASURES.items()]
    step = ""
    if "step" in one:
        low, high = one["step_quartiles"]
        step = show("step", f"{1e3 * one['step']:.1f} ({1e3 * low:.1f} to {1e3 * high:.1f}){'*' if one.get('earlier') else ''}")
    partition = f"{one['lower']:.2f}" if "lower" in one else ""
    numbers = "right" if one["error"] <= RIGHT else f"**wrong**, {100 * one['error']:.0f} %"
    return " | ".join([kinds, *figures, step, partition, f"{one['compile']:.1f}", numbers])
