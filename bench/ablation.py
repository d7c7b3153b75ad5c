"""What each rule of a backend is worth: the error of the predicted peak memory with the rule off.

    python -m bench.ablation                  # all rules of all backends
    python -m bench.ablation v5e:2x4 cpu      # of these targets

Rows are programs that others wrote (`bench/corpus.py`) whose peak was measured (`bench/peak_memory.json`); on CPU those that are
held out. A rule that does not move the median or the mean by half a point is a candidate to go.
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
from bench.peak_memory import CPU_ROUNDS, DATA, DEVICES

SOURCE = ROOT / "src" / "sim" / "backend" / "backend.c"
TABLES = {"cpu": "cpu", "v5e:2x4": "tpu", "v5p:2x2x2": "tpu", "h100:1x1x8": "gpu"}


def rules(table: str) -> list[str]:
    """The rules that a backend's table sets."""
    (body,) = re.findall(rf"static const Backend {table} = {{(.*?)}};", SOURCE.read_text(), re.S)
    return re.findall(r"\.(\w+) =", body)


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


def measured(target: str) -> dict[tuple[str, str], int]:
    """Bytes by program and strategy."""
    found = {}
    for key, row in json.loads(DATA.read_text())[target]["measured"].items():
        name, size, strategy = key.split()
        if size == "corpus" and corpus.is_here(name) and (target != "cpu" or name in CPU_ROUNDS[-1]):
            found[name, strategy] = row["total"]
    return found


def errors(command: Path, target: str, folder: Path) -> list[float]:
    """Of all rows, relative."""

    def one(item: tuple[tuple[str, str], int]) -> float:
        (name, strategy), total = item
        program, schedule = corpus.prepare(name, strategy, folder)
        run = [str(command), "simulate", str(program), str(schedule), "--device", DEVICES[target], "--json", "-"]
        report = json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout)
        return abs(report["tactics"][-1]["peak_memory"] / total - 1)

    rows = measured(target)
    for name, strategy in rows:
        corpus.prepare(name, strategy, folder)  # before threads share the files
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(one, rows.items()))


def line(name: str, found: list[float], base: list[float]) -> str:
    """A row of the table, in per cent and points."""
    median, mean, worst = (f(found) * 100 for f in (statistics.median, statistics.fmean, max))
    moved = (median - statistics.median(base) * 100, mean - statistics.fmean(base) * 100, worst - max(base) * 100)
    return f"{name:28} {median:7.1f} {mean:7.1f} {worst:7.1f}   {moved[0]:+7.1f} {moved[1]:+7.1f} {moved[2]:+7.1f}"


def main() -> None:
    """Print a table for each target."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for target in sys.argv[1:] or TABLES:
            base = errors(build(TABLES[target], None, folder), target, folder)
            print(f"\n{target}, {len(base)} rows{'':12} median    mean   worst    with the rule off: median, mean, worst by")
            print(line("all rules", base, base))
            for rule in rules(TABLES[target]):
                print(line(rule, errors(build(TABLES[target], rule, folder), target, folder), base), flush=True)


if __name__ == "__main__":
    main()
