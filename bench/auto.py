"""Automatic tactics against schedules that people write: simulated time at three memory limits, program by program.

    python -m bench.auto                                   # what is missing of all cells, then docs/auto.md
    python -m bench.auto --only gpt24,t32 --devices tpu_v5e --meshes 8x4 --limits 1

A cell is a program, a device, a mesh and a memory limit. It is kept in bench/auto.json, so that a run that was ended goes
on where it stopped. `--page` writes the page from what is there. Hand schedules: BP, BP+MP, BP+Z3, BP+MP+Z3 of
bench/schedules or bench/corpus.py; the batch on all axes with Z3 on all; all state on all axes (FSDP); batch on one axis
and state on the other (HSDP).
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
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


def tactics_by_hand(name: str, folder: Path) -> dict[str, str]:
    """The bodies of BP, MP, Z3, … without their axes."""
    if name in OWN:
        found = schedules.blocks(name)
    else:
        found = {}
        for strategy in corpus.strategies(name):
            text = corpus.prepare(name, strategy, folder)[1].read_text()
            for block in re.finditer(r"tactic (\w+) on [^{]*\{(?:[^{}]|\{[^{}]*\})*\}", text):
                found[block[1]] = block[0]
    return {tactic: re.sub(r"^tactic \w+ on [^{]*", "", text) for tactic, text in found.items()}


def hand_schedules(name: str, axes: tuple[str, ...], folder: Path) -> Iterator[tuple[str, str]]:
    """Names and texts, without mesh and device."""
    body = tactics_by_hand(name, folder)
    batch, model, others = axes[0], axes[1], axes[2:]
    data = "BP" if "BP" in body else "ES"
    tensor = "MP" if "MP" in body else "EP" if "EP" in body else None

    def text(*parts: tuple[str, tuple[str, ...]]) -> str:
        return "".join(f"tactic {t}{i} on {', '.join(on)} {body[t]}\n" for i, (t, on) in enumerate(parts) if t in body)

    def on(*which: str) -> tuple[str, ...]:
        return which

    split = on(batch, *others)
    yield "BP", text((data, split))
    yield "BP+Z3", text((data, split), ("Z3", split))
    yield "batch on all+Z3", text((data, axes), ("Z3", axes))
    yield "HSDP", text((data, axes), ("Z3", on(batch)))
    yield "FSDP", text(("Z3", axes), (data, axes))
    if tensor:
        yield f"BP+{tensor}", text((data, split), (tensor, on(model)))
        yield f"BP+{tensor}+Z3", text((data, split), (tensor, on(model)), ("Z3", split))
        for more in ("VOC", "EMB", "SP"):
            if more in body:
                parts = (data, split), (tensor, on(model)), (more, on(model)), ("Z3", split)
                yield f"BP+{tensor}+{more}+Z3", text(*parts)


# ---- Cells ----------------------------------------------------------------------------------------------------------


def simulated(path: Path, text: str, mesh: str, device: str, folder: Path) -> dict[str, float] | None:
    """Seconds and peak of a schedule; None if it cannot be applied."""
    ties = folder / f"{path.stem}.ties"
    schedule = folder / "hand.schedule"
    schedule.write_text(ties.read_text() + text if ties.exists() else text)
    run = subprocess.run(
        [PARTIR, "simulate", path, schedule, "--mesh", mesh, "--device", device, "--quiet", "--json", "-"],
        capture_output=True,
        text=True,
    )
    if run.returncode:
        return None
    row = json.loads(run.stdout)["tactics"][-1]
    return {"seconds": row["seconds"], "peak": row["peak_memory"]}


def searched(path: Path, mesh: str, device: str, memory: float, budget: str, folder: Path) -> dict[str, Any]:
    """What the search finds."""
    out = folder / "found.schedule"
    command = [PARTIR, "auto", path, "--mesh", mesh, "--device", device, "--memory", f"{int(memory)}B"]
    run = subprocess.run([*command, "--budget", budget, "--quiet", "-o", out], capture_output=True, text=True)
    if run.returncode:
        return {"error": (run.stderr.splitlines() or [f"ended by {run.returncode}"])[0]}
    text = out.read_text()
    (folder / f"{path.stem}.ties").write_text("".join(f"{x}\n" for x in text.splitlines() if x.startswith("tie ")))
    tactics = "\n".join(x for x in text.splitlines() if x.split(" ")[0] not in ("mesh", "device", "tie"))
    figures = simulated(path, tactics, mesh, device, folder)
    evaluated = re.search(r"(\d+) plans evaluated", text)
    return {**(figures or {}), "schedule": text, "evaluated": int(evaluated[1]) if evaluated else 0}


def measure(name: str, device: str, mesh_name: str, cells: dict[str, Any], limits: tuple[float, ...], folder: Path) -> None:
    """All limits of a program on a device and a mesh, unless they are there."""
    mesh, axes = MESHES[mesh_name]
    keys = {limit: f"{name} {device} {mesh_name} {limit:g}" for limit in limits}
    if all(key in cells for key in keys.values()):
        return
    path, budget = program(name, folder), "10s" if "unet" in name else "5s"
    memory, hand = memory_of(device), None
    for limit, key in keys.items():
        if key in cells:
            continue
        found = searched(path, mesh, device, limit * memory, budget, folder)
        if hand is None:
            hand = {n: simulated(path, text, mesh, device, folder) for n, text in hand_schedules(name, axes, folder)}
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
    return f"{found.get('seconds', found.get('error'))} against {best}"


# ---- The page -------------------------------------------------------------------------------------------------------


def page(cells: dict[str, Any]) -> str:
    """docs/auto.md."""
    lines = [
        "# Automatic tactics: what a search finds",
        "",
        "Written by `python -m bench.auto` from `bench/auto.json`. Simulated milliseconds of a step and the peak in GiB; 5 s of search",
        "each, U-Nets 10 s. By hand: the fastest of the hand schedules that fits into the limit.",
        "",
        "| program | device | mesh | limit GiB | found ms | GiB | plans | by hand | ms | found / by hand |",
        "|---|---|---|---:|---:|---:|---:|---|---:|---:|",
    ]
    won = compared = 0
    for key, cell in sorted(cells.items()):
        name, device, mesh, _ = key.split(" ")
        found, best = cell["found"], best_by_hand(cell)
        limit = f"{cell['limit'] / GIB:.3g}"
        if "seconds" not in found:
            lines.append(f"| {name} | {device} | {mesh} | {limit} | nothing fits | | | {best[0] if best else 'nothing fits'} | {f'{best[1] * 1e3:.2f}' if best else ''} | |")
            compared += best is not None
            continue
        ratio = f"{found['seconds'] / best[1]:.3f}" if best else ""
        compared += best is not None
        won += best is not None and found["seconds"] <= best[1] * 1.0005
        by_hand = f"{best[0]} | {best[1] * 1e3:.2f}" if best else "nothing fits |"
        lines.append(
            f"| {name} | {device} | {mesh} | {limit} | {found['seconds'] * 1e3:.2f} | {found['peak'] / GIB:.2f} | "
            f"{found['evaluated']} | {by_hand} | {ratio} |"
        )
    lines += ["", f"Of {len(cells)} cells, {compared} have a hand schedule that fits; in {won} of them the search is at least as fast.", ""]
    shown: set[str] = set()
    lines += ["## Schedules as they were printed", ""]
    for key, cell in sorted(cells.items()):
        name = key.split(" ")[0]
        if name in shown or "schedule" not in cell["found"]:
            continue
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
    limits = tuple(map(float, options.limits.split(",")))
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted if not options.page else ():
            for device in options.devices.split(","):
                for mesh in options.meshes.split(","):
                    measure(name, device, mesh, cells, limits, Path(folder))
    PAGE.write_text(page(cells))


if __name__ == "__main__":
    main()
