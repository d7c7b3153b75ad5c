"""What each part of the system brings: one thing changed at a time, simulated."""

from __future__ import annotations

import functools
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from bench import models, peak_memory
from bench.evaluation import cells, paper


DEVICE = "tpu_v5e"
BUDGET = 400
AUTO = f"auto A on batch, model {{ budget {BUDGET} }}\n"
VARIANTS = (
    "BP",
    "BP+MP+Z2",
    "BP+MP+Z2, no ties",
    "BP+MP+Z3",
    "BP+MP+Z3, no ties",
    "BP+MP+Z3, gathers shared",
    "BP+MP+Z3, BP and Z3 in one tactic",
    "BP, then automatic",
    "automatic",
)
# Where the page's run leaves what the searches found, as schedules like any other.
_FOLDER = peak_memory.ROOT / "bench" / "schedules" / "auto"
FOUND = {"BP, then automatic": _FOLDER / "t32_after_bp.schedule", "automatic": _FOLDER / "t32.schedule"}


def search(program: Path, text: str) -> str:
    """The schedule that automatic tactics come to."""
    wanted, found = program.with_suffix(".auto"), program.with_suffix(".found")
    wanted.write_text(text)
    done = subprocess.run([peak_memory.PARTIR, "auto", program, wanted, "--device", DEVICE, "-o", found], capture_output=True, text=True, timeout=cells.LIMIT)
    if done.returncode:
        raise RuntimeError(done.stderr[-400:])
    return found.read_text()


def page(quick: bool) -> str:
    """T32 at full size, simulated for TPU v5e on batch=16, model=2, with one thing changed at a time."""
    mesh, strategy = "batch=16, model=2", "BP+MP+Z3"
    found: list[str] = []
    lines = ["| | all_gather | all_reduce | reduce_scatter | other | conflicts | time, ms | memory, GiB |", "|---|---:|---:|---:|---:|---:|---:|---:|"]
    with tempfile.TemporaryDirectory() as folder:

        def texts() -> dict[str, str]:
            """The schedule of each variant; a search for the automatic ones comes later."""
            it = models.get("t32")
            as_is = paper.schedule_text("t32", it, strategy, mesh)
            return {
                "BP": paper.schedule_text("t32", it, "BP", mesh),
                "BP+MP+Z2": paper.schedule_text("t32", it, "BP+MP+Z2", mesh),
                "BP+MP+Z2, no ties": paper.schedule_text("t32", it, "BP+MP+Z2", mesh, ties=False),
                "BP+MP+Z3": as_is,
                "BP+MP+Z3, no ties": paper.schedule_text("t32", it, strategy, mesh, ties=False),
                "BP+MP+Z3, gathers shared": paper.schedule_text("t32", it, strategy, mesh, "gathers shared"),
                "BP+MP+Z3, BP and Z3 in one tactic": one_tactic(as_is),
                "BP, then automatic": paper.schedule_text("t32", it, "BP", mesh) + AUTO,
                "automatic": paper.schedule_text("t32", it, "BP", mesh).split("tactic")[0] + AUTO,
            }

        variants = functools.cache(texts)
        for name in VARIANTS[:-2] if quick else VARIANTS:  # the last two search

            def compute() -> dict[str, Any]:
                program, _ = paper.export("t32", Path(folder))
                text = variants()[name]
                if AUTO in text:
                    text = search(program, text)
                last = paper.partition(program, text, "--device", DEVICE)["tactics"][-1]
                counts = paper.partition(program, text)["tactics"][-1]
                figures = {"totals": counts["totals"], "conflicts": len(counts["conflicts"]), "time": last["seconds"], "memory": last["peak_memory"]}
                return figures | ({"schedule": text} if AUTO in variants()[name] else {})

            cell = cells.kept("ablation", name, lambda: cells.digest(variants()[name], cells.library("sim", "auto")), compute)
            if cell.get("failed") == cells.NOT_MEASURED:
                continue
            if "failed" in cell:
                lines.append(f"| {name} | failed: {cell['failed']} | | | | | | |")
                continue
            totals = cell["totals"]
            other = totals["all_to_all"] + totals["collective_permute"]
            kinds = " | ".join(str(int(totals[k])) for k in ("all_gather", "all_reduce", "reduce_scatter"))
            lines.append(f"| {name} | {kinds} | {int(other)} | {cell['conflicts']} | {1e3 * cell['time']:.0f} | {cell['memory'] / 2**30:.1f} |")
            if "schedule" in cell:
                file = FOUND[name]
                file.parent.mkdir(exist_ok=True)
                file.write_text(cell["schedule"])
                found.append(f"{name}: what the search found, whole (`{file.relative_to(peak_memory.ROOT)}`):\n\n```\n{cell['schedule'].strip()}\n```")
    text = f"""T32 at full size, simulated for {DEVICE} on {mesh}. The lines of a tactic are all of its axes, so that of these three BP and Z3 can be one tactic:
without the order, nothing says that the batch comes first. The automatic rows: a search of {BUDGET} plans over both axes, and over what BP left."""
    return f"{text}\n\n" + "\n".join(lines) + "".join(f"\n\n{one}" for one in found)


def one_tactic(text: str) -> str:
    """BP and Z3, which are on the same axis, as one tactic: nothing says any more that the batch comes first."""
    lines = text.splitlines()
    z3 = next(line for line in lines if line.startswith("tactic Z3"))
    inner = z3[z3.index("{") + 1 : z3.rindex("}")]
    merged = [line[: line.rindex("}")] + inner + "}" if line.startswith("tactic BP") else line for line in lines if line != z3]
    return "\n".join(merged) + "\n"
