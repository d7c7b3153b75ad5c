"""Automatic tactics against schedules that people write: simulated time at three memory limits, program by program.

    python -m bench.auto                                   # what is missing of all cells, then docs/auto.md
    python -m bench.auto --only gpt24,t32 --devices tpu_v5e --meshes 8x4 --limits 1

A cell is a program, a device, a mesh and a memory limit. It is kept in bench/auto.json with a digest of what it depends on: the program,
its hand schedules, and how search and simulator behave on that device, told by what they say of a few small programs. So a run that was
ended goes on where it stopped, and cells whose inputs changed are measured again; until then they are marked on the page. First every
program on every device, then on three axes, then with less memory. `--minutes` ends a run, `--part 1/2` and `--part 2/2` share one
between two processes, `--page` writes the page from what is there. Each cell gets 5 s of search, U-Nets 10 s, in seconds of processor
time: on a machine that others use too, the budget is as much longer as the last search had to wait. An answer that fits into a smaller
limit too is the answer there: a search with less memory may only take what the one with more could; and where nothing fitted, nothing
will with less.

Hand schedules, simple and strong, are made of the tactics in bench/schedules and bench/schedules/corpus: BP, BP+MP, BP+Z3,
BP+MP+Z3; with the vocabulary (VOC), the embedding (EMB), the sequence between sums (SP), experts (EP); the batch on all axes
with Z3 on all of them (batch on all+Z3) or on one (HSDP); state on all axes first (FSDP).
"""

from __future__ import annotations

import argparse
import fcntl
import functools
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

from bench import auto_judges, auto_speed, corpus, models, schedules
from bench.models.__main__ import export
from partir._objects import Module, PartirError, Schedule
from partir._objects import devices as partir_devices
from partir._partition import Partition

HERE = Path(__file__).resolve().parent
CELLS, PAGE = HERE / "auto.json", HERE.parent / "docs" / "auto.md"
OWN = ("t32", "unet", "gns", "it32", "moe", "gpt24")
DEVICES = ("tpu_v5e", "tpu_v3", "tpu_v5p", "h100")
MESHES = {"8x4": ("batch=8,model=4", ("batch", "model")), "4x4x2": ("batch=4,model=4,pod=2", ("batch", "model", "pod"))}
LIMITS = (1.0, 0.5, 0.25)  # of the device's memory
# Where an idea of the field is best: program, its sizes where they are not ours, device, mesh.
IDEAS: dict[str, tuple[str, dict[str, int], str, str]] = {
    "ZeRO-3": ("t32", {}, "tpu_v5p", "batch=32"),
    "Megatron": ("gpt24", {"batch": 4, "sequence": 2048, "d_model": 4096, "heads": 32, "d_head": 128, "d_ff": 16384}, "h100", "model=8"),
    "expert parallelism": ("moe", {}, "h100", "experts=8"),
    "edge sharding": ("gns", {}, "tpu_v5p", "edges=8"),
    "context parallelism": ("gpt2", {"batch": 1, "sequence": 4096, "layers": 12}, "tpu_v5p", "model=8"),
}


EXAMPLES = HERE.parent / "examples"
TELLING = ("gpt2layer_train", "gpt_scan_train")  # of them; what is said of these tells whether anything changed


@functools.cache
def behaviour(device: str) -> str:
    """A digest of what the simulator says of small programs on a device, and of what a search finds for them there."""
    said, mesh = [], "batch=4,model=2"
    for name in TELLING:
        module = read(EXAMPLES / f"{name}.mlir")
        tactics = re.findall(r"^tactic [^}]*}\n", (EXAMPLES / f"{name}.schedule").read_text(), re.MULTILINE)
        for n in range(len(tactics) + 1):
            cost = applied(module, "".join(tactics[:n]), mesh, device).cost(device)
            said.append(f"{cost.seconds:.6g} {cost.peak:.6g} {cost.peak_most:.6g}")
        said.append(applied(module, "auto Auto on batch, model { budget 60 }\n", mesh, device).schedule())
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:12]


@functools.cache
def text_of(name: str) -> bytes:
    """A digest of a program."""
    if corpus.is_here(name):
        return hashlib.sha256((corpus.FOLDER / f"{name}.mlir.xz").read_bytes()).digest()
    return subprocess.run(["git", "rev-parse", "HEAD:bench/models"], cwd=HERE, capture_output=True, check=True).stdout


@functools.cache
def inputs(name: str, device: str) -> str:
    """A digest of all that a program's cells on a device depend on."""
    hands = [list(hand_schedules(name, axes)) for _, axes in MESHES.values()] if name in OWN or corpus.is_here(name) else []
    return hashlib.sha256(text_of(name) + repr((hands, behaviour(device))).encode()).hexdigest()[:12]


@functools.cache
def memory_of(device: str) -> float:
    """Bytes."""
    return float(re.search(r"^memory (\S+)", partir_devices(device), re.MULTILINE)[1])


def is_current(key: str, cells: dict[str, Any]) -> bool:
    """Whether a cell is there, and what it depends on is still the same."""
    return key in cells and cells[key].get("inputs") == inputs(*key.split(" ")[:2])


# ---- Programs and hand schedules ------------------------------------------------------------------------------------


def program(name: str, folder: Path) -> Path:
    """The program as a file."""
    path = folder / f"{name}.mlir"
    if name in OWN:
        if not path.exists():
            export(models.get(name, False), path, False)
        return path
    return corpus.unpack(name, folder)


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


def read(path: Path) -> Module:
    """A program, with the names beside it."""
    names = path.with_suffix(".names")
    keys = [line.split("\t")[1] for line in names.read_text().splitlines()] if names.exists() else None
    return Module(path.name, path.read_bytes(), keys)


def applied(module: Module, text: str, mesh: str, device: str) -> Partition:
    """A program after all tactics of a schedule."""
    partition = Partition(module, Schedule(module.context, "schedule", module.ties() + text), mesh, device)
    for _ in range(len(re.findall(r"^(?:tactic|auto) ", text, re.MULTILINE))):
        partition.apply_next()
    return partition


def simulated(module: Module, text: str, mesh: str) -> dict[str, dict[str, float] | None]:
    """Seconds and peak of a schedule by device, and the most that the peak may be; None where it cannot be applied."""
    try:
        partition = applied(module, text, mesh, DEVICES[0])
        costs = {device: partition.cost(device) for device in DEVICES}
    except PartirError:
        return dict.fromkeys(DEVICES)
    return {device: {"seconds": cost.seconds, "peak": cost.peak, "most": cost.peak_most} for device, cost in costs.items()}


SLOWEST = 16.0  # times as long as alone on the machine: a search is given that much more


class Searcher:
    """Searches with a budget in processor seconds."""

    def __init__(self) -> None:
        """How long the machine lets wait at first."""
        self.slower = min(SLOWEST, max(1.0, (os.getloadavg()[0] + 1) / len(os.sched_getaffinity(0))))

    def __call__(self, module: Module, mesh: str, device: str, memory: float, seconds: float) -> dict[str, Any]:
        """What the search finds; made again if the machine did not give it the time."""
        for _ in range(3):
            budget, began, before = seconds * self.slower, time.monotonic(), time.process_time()
            found = self.search(module, mesh, device, memory, budget)
            waited, used = time.monotonic() - began, time.process_time() - before
            self.slower = min(SLOWEST, max(1.0, waited / max(used, 0.1)))
            if waited < 0.8 * budget or used >= 0.7 * seconds:  # it had found all, or had its time
                break
        return found

    def search(self, module: Module, mesh: str, device: str, memory: float, seconds: float) -> dict[str, Any]:
        """One search, in seconds of the clock."""
        axes = ", ".join(axis.split("=")[0] for axis in mesh.split(","))
        text = f"auto Auto on {axes} {{\n  memory {int(memory)}B\n  budget {int(1e3 * seconds)}ms\n}}\n"
        try:
            partition = applied(module, text, mesh, device)
        except PartirError as error:
            return {"error": str(error).splitlines()[0]}
        found, cost = partition.schedule(), partition.cost(device)
        if re.search(r"^# auto .*, cancelled", found, re.MULTILINE):
            raise KeyboardInterrupt  # no cell: it is measured again
        evaluated = re.search(r"(\d+) plans? evaluated", found)
        return {
            "seconds": cost.seconds,
            "peak": cost.peak,
            "most": cost.peak_most,
            "schedule": found,
            "evaluated": int(evaluated[1]) if evaluated else 0,
            "start": "a start" in found,
        }


class Cells:
    """All that has been measured, in a file that several processes may write."""

    def __init__(self) -> None:
        """Those of former runs."""
        self.at: dict[str, Any] = json.loads(CELLS.read_text()) if CELLS.exists() else {}

    def enter(self, key: str, cell: dict[str, Any]) -> None:
        """Adds a cell to what the file has by now; the file is whole at any time."""
        with open(tempfile.gettempdir() + "/partir_bench_auto.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if CELLS.exists():
                self.at.update(json.loads(CELLS.read_text()))
            self.at[key] = cell
            written = CELLS.with_suffix(".json.new")
            written.write_text(json.dumps(self.at, indent=1) + "\n")
            written.replace(CELLS)
        print(key, summary(cell), flush=True)


class Bench:
    """Programs are read once for the cells that follow each other; hand schedules are simulated once for all devices and limits."""

    def __init__(self, folder: Path) -> None:
        """Nothing is read yet."""
        self.folder, self.cells, self.search = folder, Cells(), Searcher()
        self.name, self.module = "", None
        self.hands: dict[str, dict[str, dict[str, dict[str, float] | None]]] = {}

    def read(self, name: str) -> Module:
        """The program."""
        if self.name != name:
            self.name, self.module = name, read(program(name, self.folder))
        return self.module

    def by_hand(self, name: str, device: str, mesh_name: str) -> dict[str, dict[str, float] | None]:
        """Hand schedules by name, from a cell that has them if there is one."""
        start = f"{name} {device} {mesh_name} "
        for key, cell in self.cells.at.items():
            if key.startswith(start) and is_current(key, self.cells.at):
                return cell["hand"]
        at, (mesh, axes) = f"{name} {mesh_name}", MESHES[mesh_name]
        if at not in self.hands:
            self.hands[at] = {n: simulated(self.read(name), text, mesh) for n, text in hand_schedules(name, axes)}
        return {n: found[device] for n, found in self.hands[at].items()}

    def found_with_more(self, name: str, device: str, mesh_name: str, limit: float) -> dict[str, Any] | None:
        """What was found with more memory, if it fits into this much; or that nothing was."""
        for more in sorted(x for x in LIMITS if x > limit):
            key = f"{name} {device} {mesh_name} {more:g}"
            found = self.cells.at[key]["found"] if is_current(key, self.cells.at) else {}
            if "error" in found or found.get("most", math.inf) <= limit * memory_of(device):
                return {**found, "with": found.get("with", more)}
        return None

    def measure(self, name: str, device: str, mesh_name: str, limit: float) -> None:
        """One cell, unless it is there."""
        key, memory = f"{name} {device} {mesh_name} {limit:g}", memory_of(device)
        if is_current(key, self.cells.at):
            return
        found = self.found_with_more(name, device, mesh_name, limit)
        if not found:
            found = self.search(self.read(name), MESHES[mesh_name][0], device, limit * memory, 10 if "unet" in name else 5)
        hand = self.by_hand(name, device, mesh_name)
        self.cells.enter(key, {"found": found, "hand": hand, "limit": limit * memory, "inputs": inputs(name, device)})
        for less in LIMITS:  # what costs nothing now
            if less < limit and self.found_with_more(name, device, mesh_name, less):
                self.measure(name, device, mesh_name, less)

    def measure_idea(self, idea: str) -> None:
        """One program where an idea is best, unless it is there."""
        name, sizes, device, mesh = IDEAS[idea]
        key, memory = f"{name} {device} {mesh} 1", memory_of(device)
        if is_current(key, self.cells.at):
            return
        path = self.folder / f"{name}_{mesh.split('=')[0]}.mlir"
        export(models.get(name, False, **sizes), path, False)
        found = self.search(read(path), mesh, device, memory, 5)
        self.cells.enter(key, {"found": found, "hand": {}, "limit": memory, "inputs": inputs(name, device), "sizes": sizes, "idea": idea})


def is_sure(found: dict[str, float], limit: float) -> bool:
    """Whether a plan fits however the compiler lays out its temporaries."""
    return found.get("most", found["peak"]) <= limit


def best_by_hand(cell: dict[str, Any]) -> tuple[str, float] | None:
    """The fastest hand schedule that fits; where what was found surely does, or a hand schedule does, of those that surely do."""
    fits = [(v["seconds"], n, is_sure(v, cell["limit"])) for n, v in cell["hand"].items() if v and v["peak"] <= cell["limit"]]
    if any(sure for *_, sure in fits) or ("seconds" in cell["found"] and is_sure(cell["found"], cell["limit"])):
        fits = [x for x in fits if x[2]]
    return (min(fits)[1], min(fits)[0]) if fits else None


def summary(cell: dict[str, Any]) -> str:
    """One line."""
    best, found = best_by_hand(cell), cell["found"]
    if best and "seconds" in found:
        return f"{found['seconds'] * 1e3:.2f} against {best[1] * 1e3:.2f} ms ({best[0]}): {found['seconds'] / best[1]:.3f}, {found['evaluated']} plans"
    return f"{found.get('seconds', found.get('error'))} against {best}"


# ---- The page -------------------------------------------------------------------------------------------------------

LOST = 1.0005  # the search is slower by more than the figures are rounded


def is_lost(cell: dict[str, Any]) -> bool:
    """Whether a hand schedule that fits as surely is faster, or fits where what was found may not."""
    best, found = best_by_hand(cell), cell["found"]
    if not best or "seconds" not in found:
        return best is not None
    surer = is_sure(cell["hand"][best[0]], cell["limit"]) and not is_sure(found, cell["limit"])
    return surer or found["seconds"] > best[1] * LOST


def verdict(cell: dict[str, Any]) -> str:
    """The ratio of what was found to the best by hand, in one table cell."""
    found, best = cell["found"], best_by_hand(cell)
    if "seconds" not in found:
        return f"**none; {best[0]} fits**" if best else "nothing fits"
    if not best:
        return f"{found['seconds'] * 1e3:.4g} ms; by hand nothing fits" + ("" if is_sure(found, cell["limit"]) else ", unsure")
    ratio = found["seconds"] / best[1]
    text = f"{found['seconds'] * 1e3:.4g} ms, {ratio:.3f} of {best[0]}" + ("" if is_sure(found, cell["limit"]) else ", unsure")
    return f"**{text}**" if is_lost(cell) else text


def counts(cells: dict[str, Any]) -> list[str]:
    """How often the search is as good, and how often its answer is one of its own starts."""
    rivals = [c for c in cells.values() if best_by_hand(c)]
    good = [c for c in rivals if not is_lost(c)]
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


def old(cell: dict[str, Any], cells: dict[str, Any]) -> str:
    """A mark for a cell whose inputs have changed."""
    return "" if any(is_current(k, cells) for k, c in cells.items() if c is cell) else " °"


def table(cells: dict[str, Any]) -> Iterator[str]:
    """A row for a program on a mesh at a limit, a column for a device."""
    devices = [d for d in DEVICES if any(key.split(" ")[1] == d for key in cells)]
    yield "| program | mesh | limit | " + " | ".join(devices) + " |"
    yield "|---|---|---:|" + "---|" * len(devices)
    rows = {(name, mesh, -float(limit)) for name, _, mesh, limit in map(str.split, cells)}
    for name, mesh, limit in sorted(rows, key=lambda r: (r[0] not in OWN, r)):
        row = (cells.get(f"{name} {device} {mesh} {-limit:g}") for device in devices)
        yield f"| {name} | {mesh} | {-limit:g} | " + " | ".join(verdict(c) + old(c, cells) if c else "" for c in row) + " |"


# ---- Schedules ------------------------------------------------------------------------------------------------------

WORDS = {
    "Megatron": r"Megatron: ",
    "ZeRO-3": r"ZeRO-3",
    "ZeRO-2": r"ZeRO-2",
    "sequence parallelism": r"sequence parallelism",
    "context parallelism": r"context parallelism",
    "edge sharding": r"edge sharding",
    "expert parallelism": r"expert parallelism",
}
MOST_SHOWN = 12


def lines_of(cell: dict[str, Any]) -> int:
    """How many lines its tactics have, those with a pattern."""
    return sum(" : " in x and not x.startswith("#") for x in cell["found"].get("schedule", "").splitlines())


def has_word(cell: dict[str, Any], word: str) -> bool:
    """Whether a tactic of what was found is that; what came close does not count."""
    text = cell["found"].get("schedule", "").splitlines()
    return any(re.match(rf"# (.*, )?{WORDS[word]}", x) for x in text if not re.match("# (also|auto|limited)", x))


def telling(cells: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Cells whose schedules are shown: for each idea of the field one that has it, then our own programs; the shortest first."""
    shown: set[str] = set()
    for key, cell in cells.items():
        if "idea" in cell and "schedule" in cell["found"]:
            shown.add(key)
            sizes = ", ".join(f"{n}={v}" for n, v in cell["sizes"].items())
            yield key, cell["idea"] + (f" ({sizes})" if sizes else "")
    rediscovered = {cells[k]["idea"] for k in shown}
    short = sorted((k for k, c in cells.items() if "schedule" in c["found"] and 0 < lines_of(c) <= 24), key=lambda k: (lines_of(cells[k]), k))
    for word in WORDS:
        found = [k for k in short if has_word(cells[k], word) and k not in shown]
        if found and word not in rediscovered:
            shown.add(found[0])
            yield found[0], word
    for name in OWN:
        found = [k for k in short if k.startswith(f"{name} ") and k not in shown]
        if found and not any(k.startswith(f"{name} ") for k in shown) and len(shown) < MOST_SHOWN:
            shown.add(found[0])
            yield found[0], "own"


def words(cells: dict[str, Any]) -> Iterator[str]:
    """How often each idea is in an answer."""
    for word in WORDS:
        having = [k for k, c in cells.items() if has_word(c, word)]
        names = sorted({k.split(" ")[0] for k in having})
        yield f"| {word} | {len(having)} | {', '.join(names[:6])}{', …' if len(names) > 6 else ''} |"


def judged() -> list[str]:
    """What was measured of small versions, if anything was."""
    if not auto_judges.DATA.exists():
        return []
    rows = json.loads(auto_judges.DATA.read_text())
    tried = [r for r in rows.values() if not auto_judges.is_missing(r)]
    cannot = sum("parallax" in r["failed"] for r in tried)
    parallax = f"google-parallax cannot say anything of {cannot} of {len(tried)}." if tried else "google-parallax was not installed."
    return [
        "## Outside judges",
        "",
        "Small versions on 8 virtual devices of one machine (`python -m bench.auto_judges`): a plan that was searched for the machine as it was just",
        "calibrated, against hand schedules, plain FSDP and google-parallax's automatic sharding, both partitioned by XLA. The least of interleaved runs;",
        "load: of each core, by all that ran on the machine at the time.",
        f"{parallax} Disagree: measured and predicted ratio of search to best by hand differ by more than 5 %.",
        "",
        *auto_judges.table(rows),
        *auto_judges.failures(rows),
        "",
    ]


def page(cells: dict[str, Any], n_programs: int) -> str:
    """docs/auto.md; `n_programs`: all that there are."""
    everything, cells = cells, {k: c for k, c in cells.items() if "idea" not in c}
    programs, meshes = {k.split(" ")[0] for k in cells}, sorted({k.split(" ")[2] for k in cells})
    brief = sorted(lines_of(c) for c in cells.values() if lines_of(c))
    lines = [
        "# Automatic tactics: what a search finds",
        "",
        "Written by `python -m bench.auto` from `bench/auto.json`, which has all schedules whole. Simulated time of a step; 5 s of search each,",
        "U-Nets 10 s, of one processor.",
        "",
        "## Summary",
        "",
        f"Measured: {len(cells)} of {n_programs * len(DEVICES) * len(MESHES) * len(LIMITS)} cells, {len(programs)} of {n_programs} programs, on"
        f" {', '.join(sorted({k.split(' ')[1] for k in cells}))}, meshes {', '.join(meshes)}.",
        f"Empty or missing below: not measured. {sum(not is_current(k, cells) for k in cells)} cells are marked °: what the simulator says on their device, the program or its",
        "hand schedules have changed since.",
        "",
        *counts(cells),
        *([f"Half of the schedules have at most {brief[len(brief) // 2]} lines; the longest has {brief[-1]}."] if brief else []),
        "",
        "| idea of the field | answers that have it | programs |",
        "|---|---:|---|",
        *words(everything),
        "",
        "## Cells",
        "",
        "Limit: the part of the device's memory that may be used. Each cell: what was found, and that as a part of the fastest hand schedule that",
        "fits. Bold: the hand schedule is better. Unsure: nothing was found that fits however the compiler lays out temporaries; elsewhere hand",
        f"schedules count that do. {sum('with' in c['found'] for c in cells.values())} cells have the answer of a larger limit, which fits into theirs.",
        "",
        *table(cells),
        "",
        *auto_speed.section(),
        *judged(),
        "## Schedules as they were printed",
        "",
    ]
    for key, word in telling(everything):
        title = key if word == "own" else f"{key}: {word}"
        lines += [f"### {title}", "", *("    " + x for x in everything[key]["found"]["schedule"].splitlines()), ""]
    return "\n".join(lines)


def in_order(wanted: list[str]) -> Iterator[tuple[str, str, str, float]]:
    """All cells: with all memory, then with less; of these by mesh; program by program."""
    for limits in LIMITS[:1], LIMITS[1:]:
        for mesh in MESHES:
            yield from ((name, device, mesh, limit) for name in wanted for device in DEVICES for limit in limits)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.auto", description=__doc__)
    parser.add_argument("--only", help="programs, separated by commas")
    parser.add_argument("--devices", default=",".join(DEVICES))
    parser.add_argument("--meshes", default=",".join(MESHES))
    parser.add_argument("--limits", default=",".join(f"{x:g}" for x in LIMITS), help="parts of the device's memory")
    parser.add_argument("--minutes", type=float, default=115, help="begin no cell after so many")
    parser.add_argument("--part", default="1/1", help="of the programs: 1/2 every other one")
    parser.add_argument("--page", action="store_true", help="only write the page")
    options = parser.parse_args()
    training = [path.stem for path in sorted((HERE / "schedules" / "corpus").glob("*_train*.schedule"))]
    training = [name for name in training if corpus.is_here(name)]
    part, parts = map(int, options.part.split("/"))
    wanted = (options.only.split(",") if options.only else [*OWN, *training])[part - 1 :: parts]
    asked = [options.devices.split(","), options.meshes.split(","), [float(x) for x in options.limits.split(",")]]
    began = time.monotonic()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        for cell in in_order(wanted) if not options.page else ():
            if all(x in some for x, some in zip(cell[1:], asked)) and time.monotonic() - began < 60 * options.minutes:
                bench.measure(*cell)
        for idea in IDEAS if not options.page and not options.only and part == 1 else ():
            bench.measure_idea(idea)
        PAGE.write_text(page(Cells().at, len(OWN) + len(training)))


if __name__ == "__main__":
    main()
