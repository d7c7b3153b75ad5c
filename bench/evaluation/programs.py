"""Programs that others wrote (bench/corpus.py), where they are at hand: partitioned under BP, BP+Z3 and by search."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from bench import corpus, peak_memory
from bench.evaluation import cells

DEVICE = "tpu_v5e"
BUDGET = "300"  # plans
STRATEGIES = ("BP", "BP+Z3", "AllAuto")
_QUICK = ("haiku_lstm_lm_train", "maxtext_llama3_8b_train")


def compute(name: str, strategy: str) -> dict[str, Any]:
    """Of one program under one strategy: seconds of partitioning, collectives, simulated time and memory."""
    with tempfile.TemporaryDirectory() as folder:
        program, schedule = corpus.prepare(name, "BP" if strategy == "AllAuto" else strategy, Path(folder))
        if strategy == "AllAuto":
            found = Path(folder) / "found.schedule"
            command = ["auto", program, "--mesh", "batch=4,model=2", "--device", DEVICE, "--budget", BUDGET, "-o", found]
            done = subprocess.run([peak_memory.PARTIR, *command], capture_output=True, text=True, timeout=900)
            if done.returncode:
                raise RuntimeError(done.stderr[-300:])
            schedule = found
        start = time.perf_counter()
        subprocess.run([peak_memory.PARTIR, "partition", program, schedule, "--quiet", "-o", Path(folder) / "out.mlir"], check=True, capture_output=True)
        seconds = time.perf_counter() - start
        report = [peak_memory.PARTIR, "simulate", program, schedule, "--device", DEVICE, "--json", "-"]
        done = subprocess.run(report, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr[-300:])
        last = json.loads(done.stdout)["tactics"][-1]
        return {"partition": seconds, "totals": last["totals"], "time": last["seconds"], "memory": last["peak_memory"]}


def page(quick: bool) -> str:
    """One row for each program and strategy; failures are rows too."""
    head = ["| program | strategy | partition, s | all_gather | all_reduce | reduce_scatter | other | step, ms | memory, GiB |", "|---|---|---:|---:|---:|---:|---:|---:|---:|"]
    lines, failed, every = [], 0, [name for name in corpus.names() if corpus.is_here(name) and (not quick or name in _QUICK)]
    for name in every:
        for strategy in STRATEGIES[:2] if quick else STRATEGIES:
            inputs = cells.digest(name, strategy, DEVICE, BUDGET, cells.library("sim", "auto"))
            one = cells.kept("programs", f"{name} {strategy}", inputs, lambda: compute(name, strategy))
            if "failed" in one:
                failed += 1
                lines.append(f"| {name} | {strategy} | failed: {one['failed'][:200]} | | | | | | |")
                continue
            totals = one["totals"]
            kinds = " | ".join(f"{int(totals[k]):,}" for k in ("all_gather", "all_reduce", "reduce_scatter"))
            other = int(totals["all_to_all"] + totals["collective_permute"])
            lines.append(f"| {name} | {strategy} | {one['partition']:.2f} | {kinds} | {other:,} | {1e3 * one['time']:,.1f} | {one['memory'] / 2**30:.2f} |")
    if not every:
        return "The programs are not at hand."
    return f"{len(every)} programs on batch=4, model=2, simulated for {DEVICE}; {failed} failures. AllAuto: {BUDGET} plans.\n\n" + "\n".join(head + lines)
