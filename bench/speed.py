"""How fast reading and partitioning are, beside jaxlib's MLIR parser and Shardy's passes in the same run.

    make build/partir build/bench/read_bench build/bench/partition_bench build/bench/simulate_bench
    python -m bench.speed read FILE.mlir…      # MB/s from text to checked module, and the parser's on the same files
    python -m bench.speed partition            # gpt24 under BP, MP, Z3: text to device-local text, and Shardy's
    python -m bench.speed simulate             # a lowered program of 16,000 lines, on tpu_v5e and host
    python -m bench.speed growth               # ops to a million, axes, devices to 65,536: time and memory

All times are processor time, the best of several runs; on a busy machine only the ratios mean something.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
RUNS = 5


def run(*command: str | Path) -> tuple[str, float]:
    """What a command prints, and its processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return out, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


# A process starts with the peak of the one it was forked from, so a small one stands between.
MEMORY = "import os, sys; print(os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0)[2].ru_maxrss / 1024)"


def memory(*command: str | Path) -> float:
    """The peak resident memory of a command in MB, with the pages of mapped files."""
    small = subprocess.run([sys.executable, "-SIc", MEMORY, *command], check=True, stdout=subprocess.PIPE, text=True)
    return float(small.stdout.splitlines()[-1])


def own_memory(*command: str | Path) -> float:
    """The most that was seen of a command's memory in MB, but for mapped files (Linux)."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    most = 0
    while process.poll() is None:
        status = Path(f"/proc/{process.pid}/status").read_text()
        most = max([most, *(int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon"))])
    return most / 1024


def best(seconds: Callable[[], float], runs: int = RUNS) -> float:
    """The least of several measurements."""
    return min(seconds() for _ in range(runs))


# ---- Reading --------------------------------------------------------------------------------------------------------


def read(files: Sequence[Path]) -> None:
    """Files of any size; jaxlib is left out for those above 50 MB."""
    from jax.interpreters import mlir
    from jaxlib.mlir import ir

    print(f"{'MB':>8} {'partir':>12} {'jaxlib':>12} {'ratio':>7}")
    total = [0.0, 0.0, 0.0]
    for file in files:
        megabytes = file.stat().st_size / 1e6
        rate = float(run(BUILD / "bench/read_bench", file)[0].splitlines()[1].split()[3])
        if megabytes > 50:
            seconds, own = run(BUILD / "partir", "check", file)[1], own_memory(BUILD / "partir", "check", file)
            print(f"{megabytes:8.2f} {rate:7.1f} MB/s  check: {seconds:.2f} s, {own:.1f} MB of its own  {file.name}")
            continue
        text = file.read_text()

        def parse() -> float:
            with mlir.make_ir_context():
                start = time.process_time()
                ir.Module.parse(text)
                return time.process_time() - start

        theirs = megabytes / best(parse, 2)
        print(f"{megabytes:8.2f} {rate:7.1f} MB/s {theirs:7.1f} MB/s {rate / theirs:7.1f}  {file.name}", flush=True)
        total = [total[0] + megabytes, total[1] + megabytes / rate, total[2] + megabytes / theirs]
    if total[0]:
        rate, theirs = total[0] / total[1], total[0] / total[2]
        print(f"{total[0]:8.2f} {rate:7.1f} MB/s {theirs:7.1f} MB/s {rate / theirs:7.1f}  all")


# ---- Partitioning ---------------------------------------------------------------------------------------------------

BP_MP = """mesh batch=4, model=2
tie params -> out/0
tie opt -> out/1
tactic BP on batch { x : 0   y : 0 }
tactic MP on model { params/layers/*/{qkv,up}/kernel : 1 }
"""
Z3 = "tactic Z3 on batch { {params,opt}/**/kernel : first_divisible }\n"


def parts(program: Path, schedule: Path, mesh: str | None = None) -> dict[str, float]:
    """Milliseconds of each part, ops, and actions a second."""
    out = run(BUILD / "bench/partition_bench", program, schedule, *([mesh] if mesh else []))[0]
    return {name: float(value) for name, value in (line.split("\t") for line in out.splitlines())}


def partition(folder: Path, model: str) -> None:
    """A training step of `model` under BP+MP by us and by Shardy's passes, which abort on Z3; then our parts with Z3."""
    from bench import models, peers
    from bench.models.__main__ import export

    program, schedule = folder / f"{model}.mlir", folder / "schedule"
    report, out = folder / "report.json", folder / "out.mlir"
    export(models.get(model), program, debug_info=False)
    schedule.write_text(BP_MP)
    run(BUILD / "partir", "partition", program, schedule, "--quiet", "--json", report, "-o", out)
    split = [argument["distribution"] for argument in json.loads(report.read_text())["arguments"]]
    text = peers.lower(model, False, {"batch": 4, "model": 2}, split).as_text()

    ours, with_z3, theirs = [], [], []
    for _ in range(RUNS):  # alternating, so that what else the machine does hits all
        for tactics, times in ((BP_MP, ours), (BP_MP + Z3, with_z3)):
            schedule.write_text(tactics)
            times.append(run(BUILD / "partir", "partition", program, schedule, "--quiet", "-o", out)[1])
        theirs.append(sum(peers.shardy_mlir(text)[1].seconds.values()))
    lines = len(program.read_text().splitlines())
    print(f"{model}, {lines:,} lines, on batch=4, model=2: text in to device-local text out")
    print(f"  partir, BP+MP            {min(ours) * 1e3:8.1f} ms, the whole process")
    print(f"  Shardy's passes, BP+MP   {min(theirs) * 1e3:8.1f} ms, with parsing and printing")
    print(f"  ratio                    {min(theirs) / min(ours):8.1f}")
    print(f"  partir, BP+MP+Z3         {min(with_z3) * 1e3:8.1f} ms")
    p = parts(program, schedule)
    for name in ("read", "prepare", "tactics", "lower", "simulate", "simulate_cpu", "emit"):
        print(f"    {name:12} {p[name]:8.2f} ms")
    print(f"    {p['actions']:,.0f} actions a second: tile, propagate through {p['ops']:,.0f} ops, undo")
    print(f"    {p['trials']:,.0f} trials a second: such an action, lowered and simulated")
    print(f"    small actions: {p['small']:,.0f} trials a second from scratch, {p['small_from_base']:,.0f} from a base")
    print(f"      ({p['times_faster']:.1f} times), {p['small_bounded']:,.0f} if only their time is looked at")


# ---- Simulation -----------------------------------------------------------------------------------------------------


def simulate(folder: Path, layers: int) -> None:
    """A training step of so many layers under BP, MP, Z3; the median of many simulations in one process."""
    from bench import models
    from bench.models.__main__ import export

    program, schedule = folder / "gpt.mlir", folder / "schedule"
    export(models.get("gpt24", layers=layers), program, debug_info=False)
    schedule.write_text(BP_MP + Z3)
    out = run(BUILD / "bench/simulate_bench", program, schedule)[0]
    rows = [line.split("\t") for line in out.splitlines()]
    print(f"a step of {layers} layers, lowered to {int(rows[0][1]):,} lines")
    for device, median, least in rows[1:]:
        print(f"  {device:8} {median} ms, the median; {least} ms, the best")


# ---- Growth ---------------------------------------------------------------------------------------------------------

LAYER = """    %a{i} = stablehlo.dot_general %{x}, %w1, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %b{i} = stablehlo.tanh %a{i} : tensor<64x64xf32>
    %c{i} = stablehlo.dot_general %b{i}, %w2, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %d{i} = stablehlo.add %c{i}, %{x} : tensor<64x64xf32>
"""


def tower(ops: int) -> str:
    """A program of about so many ops: residual blocks, one after the other."""
    t = "tensor<64x64xf32>"
    layers = [LAYER.format(i=i, x=f"d{i - 1}" if i else "x") for i in range(ops // 4)]
    body = "".join(layers)
    return f"func.func @main(%x: {t}, %w1: {t}, %w2: {t}) -> {t} {{\n{body}    return %d{ops // 4 - 1} : {t}\n}}\n"


def growth(folder: Path) -> None:
    """Time per op, per axis and per device must stay flat."""
    program, schedule = folder / "tower.mlir", folder / "schedule"

    def row(what: str, mesh: str, lines: str) -> None:
        schedule.write_text(f"mesh {mesh}\n{lines}\n")
        p = parts(program, schedule)
        out = folder / "out.mlir"
        resident = memory(BUILD / "partir", "partition", program, schedule, "--quiet", "-o", out)
        per_op = (p["tactics"] + p["lower"]) * 1e6 / p["ops"]
        print(
            f"{what:>12} {p['ops']:10,.0f} {p['read']:9.1f} {p['prepare']:9.1f} {p['tactics']:9.1f} {p['lower']:9.1f} "
            f"{p['emit']:9.1f} {per_op:9.0f} {resident:8.0f} {out.stat().st_size / 1e6:8.1f}",
            flush=True,
        )

    head = "{:>12} {:>10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8}"
    print(head.format("", "ops", "read ms", "prepare", "tactics", "lower", "emit", "ns/op", "MB", "out MB"))
    print("  tactics and lowering in ns an op; MB resident, all of a process\n")
    two = "tactic BP on batch { arg0 : 0 }\ntactic MP on model { arg1 : 1 }"
    for ops in (1_000, 10_000, 100_000, 1_000_000):
        program.write_text(tower(ops))
        row(f"{ops:,} ops", "batch=4, model=2", two)
    program.write_text(tower(20_000))
    for axes in (1, 2, 3, 4, 5):
        names = [f"a{i}" for i in range(axes)]
        lines = "\n".join(f"tactic T{i} on {a} {{ arg0 : 0 }}" for i, a in enumerate(names))
        row(f"{axes} axes", ", ".join(f"{a}=2" for a in names), lines)
    program.write_text(tower(20_000).replace("64", "65536"))
    for devices in (64, 1_024, 16_384, 65_536):
        row(f"{devices:,} dev.", f"batch={devices // 8}, model=8", two)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.speed", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("read").add_argument("files", nargs="+", type=Path)
    commands.add_parser("partition").add_argument("--model", default="gpt24")
    commands.add_parser("simulate").add_argument("--layers", type=int, default=28)
    commands.add_parser("growth")
    options = parser.parse_args()
    os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
    sys.path.insert(0, str(ROOT / "python"))
    with tempfile.TemporaryDirectory() as folder:
        if options.command == "read":
            read(options.files)
        elif options.command == "partition":
            partition(Path(folder), options.model)
        elif options.command == "simulate":
            simulate(Path(folder), options.layers)
        else:
            growth(Path(folder))


if __name__ == "__main__":
    main()
