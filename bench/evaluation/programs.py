"""Programs that others wrote (bench/corpus.py), where they are at hand: partitioned under BP, BP+Z3 and by search."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from pathlib import Path
from typing import Any

from bench import corpus, peak_memory
from bench.evaluation import cells, foreign

DEVICE = "tpu_v5e"
BUDGET = "300"  # plans
UNLIMITED = "1000TiB"
STRATEGIES = ("BP", "BP+Z3", "AllAuto")
_QUICK = ("haiku_lstm_lm_train", "maxtext_llama3_8b_train")


def compute(name: str, strategy: str) -> dict[str, Any]:
    """Of one program under one strategy: seconds of partitioning, collectives, simulated time and memory."""
    with tempfile.TemporaryDirectory() as folder:
        program, schedule = corpus.prepare(name, "BP" if strategy == "AllAuto" else strategy, Path(folder))
        if strategy == "AllAuto":
            schedule, searched = search(program)
        report = Path(folder) / "report.json"
        seconds = _run("partition", program, schedule, "--quiet", "--json", report, "-o", Path(folder) / "out.mlir")[1]
        totals = json.loads(report.read_text())["tactics"][-1]["totals"]
        last = json.loads(_run("simulate", program, schedule, "--device", DEVICE, "--json", "-")[0])["tactics"][-1]
        figures = {"partition": seconds, "totals": totals, "time": last["seconds"], "memory": last["peak_memory"], "fits": last["fits"]}
        return figures | ({"search": searched} if strategy == "AllAuto" else {})


def search(program: Path) -> tuple[Path, float]:
    """What automatic tactics come to, and the seconds: the fastest plan that fits, or the leanest where none does."""
    found = program.with_suffix(".found")
    command = ("auto", program, "--mesh", "batch=4,model=2", "--device", DEVICE, "--budget", BUDGET, "--quiet", "-o", found)
    try:
        return found, _run(*command)[1]
    except RuntimeError as reason:
        if not re.search("no plan fits|are not enough", str(reason)):
            raise
        return found, _run(*command, "--objective", "memory", "--memory", UNLIMITED)[1]


def _run(*command: str | Path) -> tuple[str, float]:
    return cells.run(peak_memory.PARTIR, *command)


def inputs(name: str, strategy: str) -> str:
    """What a row depends on: the program, its schedule or the search, and what they are given to."""
    program = hashlib.sha256((corpus.FOLDER / f"{name}.mlir.xz").read_bytes()).hexdigest()
    searches = strategy == "AllAuto"
    schedule = corpus.schedule_text(name, "BP" if searches else strategy)
    return cells.digest(program, schedule, DEVICE, BUDGET if searches else "", cells.library("sim", *(("auto",) if searches else ())))


def names() -> list[str]:
    """Every program: those with schedules for the model axis too, and whatever else is there or was."""
    here = {path.name.removesuffix(".mlir.xz") for path in corpus.FOLDER.glob("*.mlir.xz")}
    kept = {path.stem.removesuffix("_BP") for path in (cells.RESULTS / "programs").glob("*_BP.json")}
    return [*corpus.names(), *sorted((here | kept) - set(corpus.names()))]


def page(quick: bool) -> str:
    """One row for each program and strategy; failures are rows too."""
    head = ["| program | strategy | partition, s | all_gather | all_reduce | reduce_scatter | other | step, ms | memory, GiB |", "|---|---|---:|---:|---:|---:|---:|---:|---:|"]
    lines, failed, missing = [], 0, []
    every = [name for name in names() if not quick or name in _QUICK]
    rows = [(name, strategy) for name in every for strategy in (STRATEGIES[:2] if quick else STRATEGIES)]
    found = {}
    for row in sorted(rows, key=lambda row: cells.file_of("programs", " ".join(row)).exists()):  # what there is none of comes first
        found[row] = cells.kept("programs", " ".join(row), lambda: inputs(*row), lambda: compute(*row), can=corpus.is_here(row[0]))
    for name in every:
        for strategy in STRATEGIES[:2] if quick else STRATEGIES:
            one = found[name, strategy]
            if one.get("failed") == cells.NOT_MEASURED:
                missing.append(f"{name} {strategy}")
                continue
            if "failed" in one:
                failed += 1
                lines.append(f"| {name} | {strategy} | failed: {one['failed'][:200]} | | | | | | |")
                continue
            totals = one["totals"]
            kinds = " | ".join(f"{int(totals[k]):,}" for k in ("all_gather", "all_reduce", "reduce_scatter"))
            memory = f"{one['memory'] / 2**30:.2f}"
            other = int(totals["all_to_all"] + totals["collective_permute"])
            seconds = f"{one['partition']:.2f}" + (f" (search {one['search']:.1f})" if "search" in one else "")
            lines.append(f"| {name} | {strategy} | {seconds} | {kinds} | {other:,} | {1e3 * one['time']:,.1f} | {memory if one['fits'] else f'**{memory}**'} |")
    if not lines:
        return "The programs are not at hand."
    text = f"{len(every)} programs on batch=4, model=2, simulated for {DEVICE}; {failed} failures. AllAuto: a search of {BUDGET} plans for the fastest that fits, or for the leanest where none does. Memory in bold does not fit. Seconds are of CPU time."
    text = f"{text}\n\n" + "\n".join(head + lines) + (f"\n\nNot measured: {'; '.join(missing)}." if missing else "")
    return text if quick else f"{text}\n\n{foreign.page()}"
