"""Automatic tactics against schedules that people write: simulated time at three memory limits, program by program.

    python -m bench.auto                                   # what is missing of all cells, then docs/auto.md
    python -m bench.auto --only gpt24,t32 --devices tpu_v5e --meshes 8x4 --limits 1

A cell is a program, a device, a mesh and a memory limit. It is kept in bench/auto.json, so that a run that was ended goes
on where it stopped; `--page` writes the page from what is there. Each cell gets 5 s of search, U-Nets 10 s, in seconds of
processor time: on a machine that others use too, the budget is as much longer as the last search had to wait.

Hand schedules, simple and strong, are made of the tactics in bench/schedules and bench/schedules/corpus: BP, BP+MP, BP+Z3,
BP+MP+Z3; with the vocabulary (VOC), the embedding (EMB), the sequence between sums (SP), experts (EP); the batch on all axes
with Z3 on all of them (batch on all+Z3) or on one (HSDP); state on all axes first (FSDP).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import corpus, models, schedules
from bench.models.__main__ import export

HERE = Path(__file__).resolve().parent
PARTIR = HERE.parent / "build" / "partir"
CELLS, PAGE = HERE / "auto.json", HERE.parent / "docs" / "auto.md"
OWN = ("t32", "unet", "gns", "it32", "moe", "gpt24")
DEVICES = ("tpu_v5e", "tpu_v3", "tpu_v5p", "h100")
MESHES = {"8x4": ("batch=8,model=4", ("batch", "model")), "4x4x2": ("batch=4,model=4,pod=2", ("batch", "model", "pod"))}
LIMITS = (1.0, 0.5, 0.25)  # of the device's memory
GIB = 2**30


def memory_of(device: str) -> float:
    """Bytes."""
    text = subprocess.run([PARTIR, "devices", device], capture_output=True, text=True, check=True).stdout
    return float(re.search(r"^memory (\S+)", text, re.MULTILINE)[1])


# ---- Programs and hand schedules ------------------------------------------------------------------------------------


def program(name: str, folder: Path) -> Path:
    """The program as a file."""
    path = folder / f"{name}.mlir"
    if name in OWN:
        if not path.exists():
            export(models.get(name, False), path, False)
        return path
    return corpus.prepare(name, "BP", folder)[0]


def tactics_by_hand(name: str) -> dict[str, str]:
    """The bodies of BP, MP, Z3, … without their axes."""
    found = schedules.blocks(name if name in OWN else f"corpus/{name}")
    return {tactic: re.sub(r"^tactic \w+ on [^{]*", "", text) for tactic, text in found.items()}


def hand_schedules(name: str, axes: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Names and texts, without mesh and device."""
    body = tactics_by_hand(name)
    batch, model, others = axes[0], axes[1], axes[2:]
    split = (batch, *others)
    where = {"BP": split, "ES": split, "Z3": split}

    def text(*parts: tuple[str, tuple[str, ...]]) -> str:
        return "".join(f"tactic {t}{i} on {', '.join(on)} {body[t]}\n" for i, (t, on) in enumerate(parts))

    def combine(*names: str) -> tuple[str, str] | None:
        if not all(n in body for n in names):
            return None
        return "+".join(names), text(*((n, where.get(n, (model,))) for n in names))

    data = "BP" if "BP" in body else "ES"
    tails = [(), ("VOC",), ("EMB",), ("SP",), ("VOC", "EMB"), ("VOC", "SP"), ("VOC", "EMB", "SP")]
    wanted = [(data,), (data, "Z3"), (data, "MP"), (data, "NODES"), (data, "NODES", "Z3"), (data, "EP"), (data, "EP", "Z3"), (data, "MPQ", "MQ")]
    wanted += [(data, "MP", *t, "Z3") for t in tails] + [(data, "EP", "MP", *t, "Z3") for t in tails]
    wanted += [(data, *t, "Z3") for t in tails[1:]]
    yield from filter(None, (combine(*names) for names in wanted))
    if "Z3" in body:
        yield "batch on all+Z3", text((data, axes), ("Z3", axes))
        yield "HSDP", text((data, axes), ("Z3", (batch,)))
        yield "FSDP", text(("Z3", axes), (data, axes))


# ---- Cells ----------------------------------------------------------------------------------------------------------


def run(command: list[Any]) -> tuple[subprocess.CompletedProcess[str], float, float]:
    """What it printed, and its seconds on the wall and on the processor."""
    began, before = time.monotonic(), os.times()
    done = subprocess.run(command, capture_output=True, text=True)
    after = os.times()
    busy = after.children_user + after.children_system - before.children_user - before.children_system
    return done, time.monotonic() - began, busy


def simulated(path: Path, text: str, mesh: str, device: str, folder: Path) -> dict[str, float] | None:
    """Seconds and peak of a schedule; None if it cannot be applied."""
    known = folder / f"{path.stem}.ties"
    schedule = folder / "hand.schedule"
    schedule.write_text((known.read_text() if known.exists() else "") + text)
    done, _, _ = run([PARTIR, "simulate", path, schedule, "--mesh", mesh, "--device", device, "--quiet", "--json", "-"])
    if done.returncode:
        return None
    row = json.loads(done.stdout)["tactics"][-1]
    return {"seconds": row["seconds"], "peak": row["peak_memory"]}


class Searcher:
    """Searches with a budget in processor seconds."""

    def __init__(self) -> None:
        """Nothing waits, as far as is known."""
        self.slower = 1.0

    def __call__(self, path: Path, mesh: str, device: str, memory: float, seconds: float, folder: Path) -> dict[str, Any]:
        """What the search finds."""
        out = folder / "found.schedule"
        command = [PARTIR, "auto", path, "--mesh", mesh, "--device", device, "--memory", f"{int(memory)}B"]
        budget = f"{int(1e3 * seconds * self.slower)}ms"
        done, wall, busy = run([*command, "--budget", budget, "--quiet", "-o", out])
        self.slower = min(4.0, max(1.0, wall / max(busy, 0.1)))
        if done.returncode:
            return {"error": (done.stderr.splitlines() or [f"ended by {done.returncode}"])[0]}
        text = out.read_text()
        (folder / f"{path.stem}.ties").write_text("".join(f"{x}\n" for x in text.splitlines() if x.startswith("tie ")))
        tactics = "\n".join(x for x in text.splitlines() if x.split(" ")[0] not in ("mesh", "device", "tie"))
        figures = simulated(path, tactics, mesh, device, folder)
        evaluated = re.search(r"(\d+) plans evaluated", text)
        return {
            **(figures or {"error": "what was printed does not apply"}),
            "schedule": text,
            "evaluated": int(evaluated[1]) if evaluated else 0,
            "start": "a start" in text,
        }


def measure(name: str, device: str, mesh_name: str, limit: float, cells: dict[str, Any], search: Searcher, folder: Path) -> None:
    """One cell, unless it is there."""
    key = f"{name} {device} {mesh_name} {limit:g}"
    if key in cells:
        return
    mesh, axes = MESHES[mesh_name]
    path, memory = program(name, folder), memory_of(device)
    found = search(path, mesh, device, limit * memory, 10 if "unet" in name else 5, folder)
    others = [c for k, c in cells.items() if k.startswith(f"{name} {device} {mesh_name} ")]
    hand = others[0]["hand"] if others else {n: simulated(path, text, mesh, device, folder) for n, text in hand_schedules(name, axes)}
    cells[key] = {"found": found, "hand": hand, "limit": limit * memory}
    CELLS.write_text(json.dumps(cells, indent=1))
    print(key, summary(cells[key]), flush=True)


def best_by_hand(cell: dict[str, Any]) -> tuple[str, float] | None:
    """The fastest hand schedule that fits."""
    fits = [(v["seconds"], n) for n, v in cell["hand"].items() if v and v["peak"] <= cell["limit"]]
    return (min(fits)[1], min(fits)[0]) if fits else None


def summary(cell: dict[str, Any]) -> str:
    """One line."""
    best, found = best_by_hand(cell), cell["found"]
    if best and "seconds" in found:
        return f"{found['seconds'] * 1e3:.2f} against {best[1] * 1e3:.2f} ms ({best[0]}): {found['seconds'] / best[1]:.3f}, {found['evaluated']} plans"
    return f"{found.get('seconds', found.get('error'))} against {best}"


# ---- The page -------------------------------------------------------------------------------------------------------

LOST = 1.0005  # the search is slower by more than the figures are rounded


def verdict(cell: dict[str, Any]) -> str:
    """The ratio of what was found to the best by hand, in one table cell."""
    found, best = cell["found"], best_by_hand(cell)
    if "seconds" not in found:
        return f"**none; {best[0]} fits**" if best else "nothing fits"
    if not best:
        return f"{found['seconds'] * 1e3:.4g} ms; by hand nothing fits"
    ratio = found["seconds"] / best[1]
    text = f"{found['seconds'] * 1e3:.4g} ms, {ratio:.3f} of {best[0]}"
    return f"**{text}**" if ratio > LOST else text


def counts(cells: dict[str, Any]) -> list[str]:
    """How often the search is as good, and how often its answer is one of its own starts."""
    rivals = [c for c in cells.values() if best_by_hand(c)]
    good = [c for c in rivals if "seconds" in c["found"] and c["found"]["seconds"] <= best_by_hand(c)[1] * LOST]
    found = [c for c in cells.values() if "seconds" in c["found"]]
    starts = sum(c["found"].get("start", False) for c in found)
    ratios = sorted(c["found"]["seconds"] / best_by_hand(c)[1] for c in good)
    median = f" The median of found / by hand is {ratios[len(ratios) // 2]:.3f}." if ratios else ""
    alone = sum("seconds" in c["found"] and not best_by_hand(c) for c in cells.values())
    return [
        f"Of {len(cells)} cells, {len(rivals)} have a hand schedule that fits; in {len(good)} of them the search is at least as fast.{median}",
        f"In {alone} cells the search finds a plan that fits and no hand schedule does. In {starts} of {len(found)} the answer is one of the",
        "search's own starts.",
    ]


def table(cells: dict[str, Any]) -> Iterator[str]:
    """A row for a program on a device and a mesh."""
    yield "| program | device | mesh | " + " | ".join(f"{x:g} of the memory" for x in LIMITS) + " |"
    yield "|---|---|---|" + "---|" * len(LIMITS)
    for place in sorted({key.rsplit(" ", 1)[0] for key in cells}):
        row = (cells.get(f"{place} {limit:g}") for limit in LIMITS)
        yield f"| {place.replace(' ', ' | ')} | " + " | ".join(verdict(c) if c else "" for c in row) + " |"


def page(cells: dict[str, Any]) -> str:
    """docs/auto.md."""
    lines = [
        "# Automatic tactics: what a search finds",
        "",
        "Written by `python -m bench.auto` from `bench/auto.json`. Simulated milliseconds of a step; 5 s of search each, U-Nets 10 s, of one",
        "processor. Each cell: what was found, and that as a part of the fastest hand schedule that fits. Bold: the hand schedule is better.",
        "",
        *counts(cells),
        "",
        *table(cells),
        "",
        "## Schedules as they were printed",
        "",
    ]
    shown: set[str] = set()
    for key, cell in sorted(cells.items(), key=lambda x: ("tpu_v5e 8x4 1" not in x[0], x[0])):
        name = key.split(" ")[0]
        if name not in shown and "schedule" in cell["found"]:
            shown.add(name)
            lines += [f"{key}:", "", *("    " + x for x in cell["found"]["schedule"].splitlines()), ""]
    return "\n".join(lines)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.auto", description=__doc__)
    parser.add_argument("--only", help="programs, separated by commas")
    parser.add_argument("--devices", default=",".join(DEVICES))
    parser.add_argument("--meshes", default=",".join(MESHES))
    parser.add_argument("--limits", default=",".join(f"{x:g}" for x in LIMITS), help="parts of the device's memory")
    parser.add_argument("--page", action="store_true", help="only write the page")
    options = parser.parse_args()
    cells = json.loads(CELLS.read_text()) if CELLS.exists() else {}
    training = [n for n in corpus.names() if "train" in n and corpus.is_here(n)]
    wanted = options.only.split(",") if options.only else [*OWN, *training]
    with tempfile.TemporaryDirectory() as folder:
        search = Searcher()
        places = [(m, d, x) for x in map(float, options.limits.split(",")) for m in options.meshes.split(",") for d in options.devices.split(",")]
        for mesh, device, limit in places if not options.page else ():
            for name in wanted:
                measure(name, device, mesh, limit, cells, search, Path(folder))
    PAGE.write_text(page(cells))


if __name__ == "__main__":
    main()
