"""Fill in the cells that are not kept, then write docs/evaluation.md.

    python -m bench.evaluation [--quick] [--kept] [--missing] [--leave RESULTS] [--only SECTION] [--minutes N]
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import math
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "python")]

from bench import peak_memory  # noqa: F401 - first: sets the environment for jax
from bench.evaluation import ablation, cells, described, expressive, paper, peers, predict, programs, scaling, tpu

PAGE, FRONT = ROOT / "docs" / "evaluation.md", ROOT / "README.md"
LISTED = 12  # so many names are not too many
MARKS = ("<!-- from docs/evaluation.md -->", "<!-- end -->")


def verdict(error: float | str) -> str:
    """In a word; a text says why a side failed."""
    if isinstance(error, str):
        return f"failed: {error}"
    return "right" if error <= peers.RIGHT else f"**wrong**, {100 * error:.0f} %"


def wrong_page(quick: bool) -> str:
    """The smallest programs on which peers are wrong; a row for each jaxlib under which this was run."""
    from bench.evaluation import wrong

    source = Path(wrong.__file__).read_text()
    version = importlib.metadata.version("jaxlib")

    def compute() -> dict[str, object]:
        done = subprocess.run([sys.executable, "-m", "bench.evaluation.wrong"], cwd=ROOT, capture_output=True, text=True, timeout=900)
        if done.returncode:
            raise RuntimeError(done.stderr[-400:])
        return {"jaxlib": version, "errors": json.loads(done.stdout.splitlines()[-1])}

    cells.kept("wrong", version, lambda: cells.digest(source, version, wrong.emitted()), compute)
    lines = ["| weight gradient of a convolution | jaxlib | ours | Shardy | GSPMD |", "|---|---|---|---|---|"]
    for path in sorted((cells.RESULTS / "wrong").glob("*.json")):
        kept = json.loads(path.read_text())
        cells.made.setdefault("wrong", set()).update([kept["made"]] if "made" in kept else [])
        if "failed" in kept:
            lines.append(f"| all | {path.stem} | failed: {kept['failed'][:200]} | | |")
        for name, one in kept.get("errors", {}).items():
            shown = [verdict(one[side]) for side in ("partir", "shardy", "gspmd")]
            lines.append(f"| {name} | {kept['jaxlib']} | {' | '.join(shown)} |")
    text = """One op each, on 8 virtual CPU devices, mesh batch=4, other=2, from input and output shardings alone (`python -m bench.evaluation.wrong`). With the
axis of 4 alone they are right: what is wrong needs an axis on which nothing is split."""
    return text + "\n\n" + "\n".join(lines)


SECTIONS = {
    "described": ("The models", described.page),
    "paper": ("Collectives against the paper's table", paper.page),
    "peers": ("Shardy and GSPMD side by side", peers.page),
    "tpu": ("The same by the TPU compiler", tpu.page),
    "wrong": ("Programs on which the peers are wrong", wrong_page),
    "expressive": ("What one has to write", expressive.page),
    "predict": ("Predicted and seen", predict.page),
    "ablation": ("What each part brings", ablation.page),
    "scaling": ("How time grows", scaling.page),
    "programs": ("Programs that others wrote", programs.page),
}


# Sections of results that a section of the page reads, besides its own.
_READS = {"programs": ("programs", "foreign"), "peers": ("ours", "peers", "compiled"), "expressive": ("peers",), "predict": ("predicted", "predicted_tpu", "peers")}


def page(quick: bool, only: str | None) -> str:
    """The sections, each from its cells."""
    command = f"make eval{' QUICK=1' if quick else ''}"
    text = f"""# Evaluation

Written by `{command}`. Each figure is in a file of `bench/evaluation/results`, under the hash of what went into it, and is measured again when that
changes; `make eval FRESH=1` makes all of them again. Steps of the sides of a cell alternate, and quartiles stand beside the medians of
their times. Seconds of lowering, of compilation and of our own commands are of CPU time. Behind the command of a section stand the versions and the
number of cores with which its figures were made.

Where a row is worse, what one side sends, holds or multiplies and the other does not is listed by the run that made the figures, from the optimized
program and the compiler's heap: the largest of each. A sentence before it says what people made of these lists.
"""
    for name, (title, write) in SECTIONS.items():
        if only in (None, name):
            body = write(quick)
            read = _READS.get(name, (name,))
            made = sorted(set().union(*(cells.made.get(one, set()) for one in read)))
            older = [cell for one in read for cell in cells.older.get(one, ())]
            text += f"\n## {title}\n\n`python -m bench.evaluation{' --quick' if quick else ''} --only {name}`; {'; '.join(made)}.\n\n"
            text += f"Older than what they depend on now: {', '.join(older) if len(older) <= LISTED else f'{len(older)} figures'}.\n\n" if older else ""
            text += f"{body}\n"
    return text


def write_front(table: str) -> None:
    """The headline of the front page."""
    text = FRONT.read_text()
    start, end = MARKS
    if start in text:
        FRONT.write_text(re.sub(f"(?s){re.escape(start)}.*?{re.escape(end)}", lambda _: f"{start}\n{table}\n{end}", text))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.evaluation", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few small cells, within ten minutes")
    parser.add_argument("--only", choices=tuple(SECTIONS), help="this section alone, to standard output")
    parser.add_argument("--kept", action="store_true", help="compute nothing: write the page from the results that are kept, whatever they were made from")
    parser.add_argument("--missing", action="store_true", help="compute only what no result is kept of, whatever those that are kept were made from")
    parser.add_argument("--leave", action="append", default=[], metavar="RESULTS", help="a folder of results to leave as it is: times, on a busy machine")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no cell after so long; the next run goes on")
    options = parser.parse_args()
    cells.as_kept, cells.only_missing, cells.left = options.kept, options.missing, set(options.leave)
    cells.stop_at = time.monotonic() + 60 * options.minutes
    text = page(options.quick, options.only)
    if options.only or options.quick:
        print(text)
    else:
        PAGE.write_text(text)
        write_front(f"{peers.summary(False)}\n\n{len(peers.found(False))} cells, with wrong numbers of peers left out: [evaluation](docs/evaluation.md).")
        print(f"wrote {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
