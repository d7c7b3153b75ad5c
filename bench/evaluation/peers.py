"""Ours, Shardy and GSPMD on the same programs with the same input and output shardings."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.evaluation import cells, hlo, picture, why
from bench.evaluation.why import NAMES

ROOT = Path(__file__).resolve().parents[2]

COMPARED: dict[str, tuple[str, ...]] = {
    "t32": ("BP", "BP+MP", "BP+MP+Z2", "BP+MP+Z3", "BP+MP+SP+Z3", "BP+MP+EMB", "R+BP+Z3"),
    "llama": ("BP", "BP+MP", "BP+MP+Z3", "BP+MP+SP"),
    "llama_scan": ("BP+MP", "BP+MP+Z3"),
    "gpt2": ("BP+MP", "BP+MP+VOC", "BP+MP+Z3", "BP+CP"),
    "vit": ("BP", "BP+MP", "BP+Z3", "BP+MP+Z3"),
    "moe": ("BP", "BP+Z3", "BP+Z3+least", "BP+EP", "BP+EPB", "TOK+BP+EPB"),
    "moe_ragged": ("BP+Z3",),
    "lstm": ("BP", "BP+MP"),
    "gns": ("ES", "ES+Z2"),
    "convnet": ("BP", "BP+Z3"),
    "unet": ("BP", "BP+Z3", "BP+Z3+least"),
    "it32": ("BP+MP", "BP+MPQ+MQ"),
    "it32_multi_head": ("BP+MP", "BP+MP+Z3", "BP+MP+Z3+least", "VOC+BP+MP+Z3"),
}
QUICK = {"vit": ("BP+Z3",), "llama": ("BP+MP",)}
STEPS = 50
BUSY = 0.1  # share of the machine that others took, from which times of steps are marked
RIGHT = 1e-3  # error below which numbers count as right, of the largest element of an array
WORSE = 1.02
MEASURES = {"sent": ("sent, KB", 1e3), "memory": ("memory, KB", 1e3), "flops": ("MFLOP", 1e6)}


@functools.cache
def versions() -> dict[str, str]:
    import jax
    import jaxlib

    return {"jax": jax.__version__, "jaxlib": jaxlib.__version__}


@functools.cache
def ours_key(model: str, strategy: str) -> str:
    """What our side of a cell depends on: the program that XLA gets, not the sources that made it."""
    from bench.evaluation import sides

    return cells.digest(sides.emitted(model, strategy), versions(), hlo.COUNTING)


@functools.cache
def peers_key(model: str, strategy: str) -> str:
    """What the peers' sides depend on."""
    from bench.evaluation import sides

    return cells.digest(sides.given(model, strategy), versions(), hlo.COUNTING)


def timed_key(*cell: dict[str, Any]) -> str:
    """What times of a cell depend on: all that is known of what XLA made of its sides. A side whose figures are those of one before it is not timed."""
    every = {side: one for results in cell for side, one in results.items() if side in NAMES}
    sides: dict[str, Any] = {}
    for side in filter(every.__contains__, NAMES):
        figures = {key: every[side].get(key) for key in ("collectives", *MEASURES)}
        if figures not in sides.values():
            sides[side] = figures
    return cells.digest(sides, versions())


def whole(model: str, strategy: str, found: dict[str, Any]) -> bool:
    """Whether a kept result of peers has every side that the cell has now."""
    from bench.schedules import constraints

    sides = set(NAMES) if constraints.specs(model, strategy) else {"shardy", "gspmd"}
    return "failed" in found or sides - {"partir"} <= set(found)


@functools.cache
def found(quick: bool) -> dict[str, dict[str, Any]]:
    """Every cell by "model strategy". All figures come before the first time of a step."""
    from bench import schedules

    names = [(model, strategy) for model, strategies in (QUICK if quick else COMPARED).items() for strategy in strategies]
    ours, theirs, result = {}, {}, {}

    def figures(one: tuple[str, str], good: Callable[[dict[str, Any]], bool] = bool) -> dict[str, Any]:
        ours[one] = cells.kept("ours", " ".join(one), lambda: ours_key(*one), lambda: side.ask(*one, "ours"), good)
        theirs[one] = cells.kept("peers", " ".join(one), lambda: peers_key(*one), lambda: side.ask(*one, "peers"), lambda found: good(found) and whole(*one, found))
        return joined(ours[one], theirs[one], {}, {}, "")

    with _Sides() as side:
        for one in names:
            cell = figures(one)
            if "failed" not in cell and "failed" not in cell["partir"] and any(lost(cell)):
                figures(one, why.whole)
        keys = {one: timed_key(ours[one], theirs[one]) for one in names}
        compiled = {one: cells.kept("compiled", " ".join(one), lambda: keys[one], lambda: side.ask(*one, "compile")) for one in names}
        for one in names:
            times = {} if quick else cells.kept("times", " ".join(one), lambda: keys[one], lambda: side.ask(*one, str(STEPS)), quiet)
            result[" ".join(one)] = cell = joined(ours[one], theirs[one], compiled[one], times, keys[one])
            if "points" in cell:
                cell["lines"] = {"schedule": len(schedules.text(*one, "").splitlines()) - 1, "model": cell["points"]}
    return result


def joined(ours: dict[str, Any], theirs: dict[str, Any], compiled: dict[str, Any], times: dict[str, Any], key: str) -> dict[str, Any]:
    """A cell of all sides with the times of their compilation and of their steps. What is kept of these may be of an earlier program of ours."""
    failed = next((one for one in (ours, theirs) if "failed" in one), None)
    if failed:
        return failed
    of_times = {"earlier": times.get("inputs") != key, "busy": not quiet(times)}
    every = {side: one for side, one in (ours | theirs).items() if side in NAMES}
    return {side: one if "failed" in one else one | compiled.get(side, {}) | times.get(side, {}) | of_times for side, one in every.items()} | {"points": theirs["points"]}


def quiet(times: dict[str, Any]) -> bool:
    """Whether steps were timed with nothing else on the machine: others are timed again."""
    return (times.get("others") or 0) <= BUSY


class _Sides:
    """A process that measures one cell after the other; another one, where a peer's abort ends it."""

    def __enter__(self) -> _Sides:
        self.process: subprocess.Popen[str] | None = None
        return self

    def __exit__(self, *_: object) -> None:
        if self.process:
            self.process.communicate()

    def ask(self, *what: str) -> dict[str, Any]:
        """Our side of a cell, the peers', or the times of all."""
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen([sys.executable, "-m", "bench.evaluation.sides"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write(" ".join(what) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the process ended with {self.process.wait()}")
        return json.loads(answer)


def best_peer(cell: dict[str, Any], plain: bool = True) -> dict[str, float]:
    """Of each measure the least of the peers whose numbers are right: those without constraints inside the model, or all."""
    right = [one for side, one in cell.items() if side in NAMES and side != "partir" and one.get("error", 1) <= RIGHT and not (plain and side.endswith("+"))]
    return {key: min(one[key] or 0 for one in right) for key in MEASURES} if right else {}


def fastest_peer(cell: dict[str, Any]) -> dict[str, Any] | None:
    """Of the correct peers without constraints inside the model; none where times say nothing about our program as it is now."""
    ours = cell.get("partir", {})
    if "step" not in ours or ours["earlier"] or ours["busy"]:
        return None
    timed = [one for side, one in cell.items() if side in ("shardy", "gspmd") and one.get("error", 1) <= RIGHT and "step" in one]
    return min(timed, key=lambda one: one["step"], default=None)


def lost(cell: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The measures in which ours is worse by more than 2 % than a correct peer, constraints inside the model or not, and those that are a trade.

    A trade: each peer that has less of it has more of something else, and its step is slower by more than the quartiles.
    """
    ours = cell["partir"]
    others = [one for side, one in cell.items() if side in NAMES and side != "partir" and one.get("error", 1) <= RIGHT]
    worse, trades = [], []
    for key in MEASURES:
        better = [one for one in others if (ours[key] or 0) > WORSE * (one[key] or 0)]
        if better:
            (trades if all(_traded(ours, one) for one in better) else worse).append(key)
    timed = [one for one in others if "step" in one]
    if "step" in ours and timed and not ours["earlier"] and _slower(ours, min(timed, key=lambda one: one["step"])):
        worse.append("step")
    return worse, trades


def _traded(ours: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether a peer pays for what it saves, and loses by that."""
    pays = any((other[key] or 0) > WORSE * (ours[key] or 0) for key in MEASURES)
    return pays and "step" in ours and "step" in other and not ours["earlier"] and _slower(other, ours)


def _slower(a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Whether a step of `a` takes longer, beyond the quartiles."""
    return a["step"] > WORSE * b["step"] and a["step_quartiles"][0] > b["step_quartiles"][1]


def summary(quick: bool) -> str:
    """Ours against the better correct peer as it comes: the ratios, smallest to largest. A step is better or worse beyond the quartiles."""
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
    timed = [(cell["partir"], peer) for cell in found(quick).values() if (peer := fastest_peer(cell))]
    if timed:
        ratios = sorted(ours["step"] / peer["step"] for ours, peer in timed)
        better, worse = sum(_slower(peer, ours) for ours, peer in timed), sum(_slower(ours, peer) for ours, peer in timed)
        lines.append(f"| step time, beyond quartiles | {ratios[len(ratios) // 2]:.2f} | {ratios[0]:.2f} to {ratios[-1]:.2f} | {better} | {len(ratios) - better - worse} | {worse} |")
    head = ["| ours / the better correct peer, same input shardings | median | range | better | within 2 % | worse |", "|---|---:|---|---:|---:|---:|"]
    return "\n".join(head + lines)


# Why a cell is worse, where it was looked into.
WHY: dict[str, str] = {
    "gpt2 BP+MP": "GSPMD splits the logits by vocabulary of itself, which no tactic asked for, and sends more; BP+MP+VOC has the line that does so.",
    "unet BP+Z3": "For the embedding of time and class, a few examples through dense layers, Shardy gathers activations and computes slices of the weights' gradients, where we sum whole gradients, as ZeRO says; `gathers least` is the line that does so too: BP+Z3+least.",
    "moe BP+EPB": "Those peers are told inside the model where tokens go to their experts; TOK is the line that says so: TOK+BP+EPB. `gathers least` does not: it judges products one by one, and what lies between those of an expert would move twice.",
    "lstm BP+MP": "GSPMD splits the update of the embedding on `model`, which no tactic asked for, and gathers its new state: less memory and fewer FLOPs for many more bytes.",
    "it32 BP+MPQ+MQ": "Shardy splits the tokens of the prompt on `model` too and gathers the weights: fewer FLOPs for more bytes and memory.",
    "it32_multi_head BP+MP+Z3": "ZeRO-3 gathers the weights of each step, which XLA gathers once before the loop and keeps. The report warns of it, with the line of BP+MP+Z3+least.",
    "it32_multi_head BP+MP+Z3+least": "Nothing is gathered before the loop: less memory for more bytes over eight turns; over more turns than that the bytes are less (the decode loop by the TPU compiler).",
}


def page(quick: bool) -> str:
    """One row a side; what is worse by more than 2 % in bold."""
    head = "| model | schedule | side | collectives | sent, KB | memory, KB | MFLOP | step, ms (quartiles) | lower, s | compile, s | numbers |"
    lines = [head, "|---|---|---|---|---:|---:|---:|---|---:|---:|---|"]
    wrong, worse, traded = [], [], []
    missing = []
    for name, cell in found(quick).items():
        model, strategy = name.split()
        if cell.get("failed") == cells.NOT_MEASURED:
            missing.append(name)
            continue
        if "failed" in cell:
            lines.append(f"| {model} | {strategy} | all | failed: {cell['failed']} | | | | | | | |")
            continue
        behind, trades = lost(cell) if "failed" not in cell["partir"] else ([], [])
        for measures, where in ((behind, worse), (trades, traded)):
            if measures:
                right = {side: one for side, one in cell.items() if side in NAMES and one.get("error", 1) <= RIGHT}
                where.append(f"- {name}: **{', '.join(measures)}** ({ratios(cell)}). {WHY.get(name, 'Not found why.')}" + why.evidence(right, measures))
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
    text += "\n\nMore of one measure and less of another than such a peer, and faster than it:\n\n" + "\n".join(traded) if traded else ""
    text += f"\n\nNot measured: {', '.join(missing)}." if missing else ""
    timed = [one for cell in found(quick).values() for one in cell.values() if isinstance(one, dict) and "step" in one]
    text += "\n\n*: timed with an earlier program of ours." if any(one["earlier"] for one in timed) else ""
    text += f"\n\n†: other processes took more than {100 * BUSY:.0f} % of the machine meanwhile." if any(one["busy"] for one in timed) else ""
    text += f"\n\nTimes are of {STEPS} alternating steps. A side without one compiles to the figures of a side above it." if timed else ""
    text += "\n\nlower: CPU seconds of tracing and lowering by JAX, and for ours of the partitioning too. compile: CPU seconds of XLA, its partitioner included. Of both the least of two turns."
    return text + "\n\n" + "\n".join(lines)


def ratios(cell: dict[str, Any]) -> str:
    """Ours as a part of the least of each measure among the correct peers, and of their fastest step."""
    ours, best = cell["partir"], best_peer(cell, plain=False)
    shown = [f"{what} {(ours[key] or 0) / best[key]:.2f}" for key, what in (("sent", "sent"), ("memory", "memory"), ("flops", "FLOPs")) if best.get(key)]
    steps = [one["step"] for side, one in cell.items() if side in NAMES and side != "partir" and one.get("error", 1) <= RIGHT and "step" in one]
    if "step" in ours and steps and not ours["earlier"] and not ours["busy"]:
        shown.append(f"step {ours['step'] / min(steps):.2f}")
    return "of the least of any: " + ", ".join(shown)


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
        step = show("step", f"{1e3 * one['step']:.1f} ({1e3 * low:.1f} to {1e3 * high:.1f}){'*' if one.get('earlier') else ''}{'†' if one.get('busy') else ''}")
    compiled = [f"{one['lower']:.2f}", f"{one['compile']:.1f}"] if "lower" in one else ["", ""]
    numbers = "right" if one["error"] <= RIGHT else f"**wrong**, {100 * one['error']:.0f} %"
    return " | ".join([kinds, *figures, step, *compiled, numbers])
