"""What each rule of a backend is worth: the error of the predicted peak memory with the rule off.

    python -m bench.ablation                  # all rules of all backends
    python -m bench.ablation v5e:2x4 cpu      # of these targets
    python -m bench.ablation --all v5e:2x4    # on every row that was measured, those of our own models too
    python -m bench.ablation --micro v5e:2x4  # on the micro-suite, each of its suites apart

Rows are programs that others wrote (`bench/corpus.py`) whose peak was measured (`bench/peak_memory.json`); on CPU those that are
held out. A rule that does not move the median or the mean by half a point is a candidate to go; with `--all` one sees what else that does.
"""

from __future__ import annotations

import concurrent.futures
import json
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "python")]

from bench import corpus
from bench.peak_memory import CPU_ROUNDS, DATA, DEVICES, Program, prepare

SOURCE = ROOT / "src" / "sim" / "backend" / "backend.c"
SIZES = {"vmem_reserved"}  # of the machine, without which nothing can be computed: no rules
TABLES = {"cpu": "cpu", "v5e:2x4": "tpu", "v5p:2x2x2": "tpu", "h100:1x1x8": "gpu"}


def rules(table: str) -> list[str]:
    """The rules that a backend's table sets."""
    (body,) = re.findall(rf"static const Backend {table} = {{(.*?)}};", SOURCE.read_text(), re.S)
    return [name for name in re.findall(r"\.(\w+) =", body) if name not in SIZES]


def build(table: str, rule: str | None, folder: Path) -> Path:
    """The command without one rule of a backend."""
    text = SOURCE.read_text()
    (body,) = re.findall(rf"static const Backend {table} = {{(.*?)}};", text, re.S)
    left = re.sub(rf"\.{rule} =[^,]*(,|$)", "", body) if rule else body
    changed, out = folder / f"{table}_{rule}.c", folder / f"{table}_{rule}"
    changed.write_text(text.replace(body, left))
    tool = [str(path) for path in (ROOT / "build" / "src" / "tool").glob("*.o")]
    flags = ["-std=c17", "-O2", f"-I{ROOT}/include", f"-I{ROOT}/src"]
    subprocess.run(["cc", *flags, "-o", str(out), str(changed), *tool, str(ROOT / "build" / "libpartir.a"), "-lm"], check=True)
    return out


def measured(target: str, every: bool, folder: Path) -> dict[tuple[Path, Path], int]:
    """Bytes of each program with its schedule."""
    found = {}
    for key, row in json.loads(DATA.read_text())[target]["measured"].items():
        program = Program(*key.split())
        theirs = program.size == "corpus" and (every or target != "cpu" or program.model in CPU_ROUNDS[-1])
        if "total" in row and ((theirs and corpus.is_here(program.model)) or (every and program.size != "corpus")):
            found[prepare(program, folder)] = row["total"]
    return found


def micro(target: str, suite: str, folder: Path) -> dict[tuple[Path, Path], int]:
    """The same of a suite of bench/micro."""
    from bench.micro.__main__ import data_file, members, prepare

    kept = json.loads(data_file(target).read_text()).get(suite, {}) if data_file(target).exists() else {}
    (folder / suite).mkdir(exist_ok=True)
    return {prepare(p, folder / suite): kept[p.name]["total"] for p in members(suite) if "total" in kept.get(p.name, {})}


def errors(command: Path, target: str, rows: dict[tuple[Path, Path], int]) -> list[float]:
    """Of all rows, relative."""

    def one(item: tuple[tuple[Path, Path], int]) -> float:
        (program, schedule), total = item
        run = [str(command), "simulate", str(program), str(schedule), "--device", DEVICES[target], "--json", "-"]
        report = json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout)
        return abs(report["tactics"][-1]["peak_memory"] / total - 1)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(one, rows.items()))


def line(name: str, found: list[float], base: list[float]) -> str:
    """A row of the table, in per cent and points."""
    median, mean, worst = (f(found) * 100 for f in (statistics.median, statistics.fmean, max))
    moved = (median - statistics.median(base) * 100, mean - statistics.fmean(base) * 100, worst - max(base) * 100)
    return f"{name:28} {median:7.1f} {mean:7.1f} {worst:7.1f}   {moved[0]:+7.1f} {moved[1]:+7.1f} {moved[2]:+7.1f}"


def table(target: str, title: str, rows: dict[tuple[Path, Path], int], commands: dict[str | None, Path]) -> None:
    """Of all rules of the target's backend."""
    base = errors(commands[None], target, rows)
    print(f"\n{title}, {len(base)} rows{'':12} median    mean   worst    with the rule off: median, mean, worst by")
    print(line("all rules", base, base))
    for rule, command in commands.items():
        if rule:
            print(line(rule, errors(command, target, rows), base), flush=True)


def main() -> None:
    """Print a table for each target."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for target in [name for name in sys.argv[1:] if not name.startswith("--")] or TABLES:
            suites = ("seed 1", "seed 2", "seed 5", "steps") if "--micro" in sys.argv else ("",)
            some = {s: micro(target, s, folder) if s else measured(target, "--all" in sys.argv, folder) for s in suites}
            commands = {rule: build(TABLES[target], rule, folder) for rule in (None, *rules(TABLES[target]))}
            for suite, rows in some.items():
                if rows:
                    table(target, f"{target} {suite}".strip(), rows, commands)


if __name__ == "__main__":
    main()
