"""Write docs/predictability.md: what the simulator predicts, and what was measured.

    python -m bench.predictability

Each part of the page is a module of this folder with a function `section`, which simulates again and compares with what the
module's own `measure` command kept as data. So the page can be made again without compiling or running anything.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "python")]
PAGE = ROOT / "docs" / "predictability.md"
PARTS = ("peak_memory", "tpu", "gpu", "step_times", "utilisation")

OPENING = """# What the simulator predicts, and what was measured

The errors are shown as they are. This page is written by `python -m bench.predictability` from the data that
the `measure` commands of its parts keep in `bench/`.
"""


def main() -> None:
    """Write the page."""
    sections = [importlib.import_module(f"bench.{part}").section() for part in PARTS]
    PAGE.write_text("\n".join([OPENING, *sections]))


if __name__ == "__main__":
    main()
