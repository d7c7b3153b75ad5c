"""One result file for each cell of the evaluation, kept under the hash of what went into it.

    result = kept("peers", "t32 BP+MP+Z3", inputs, compute)

`compute` runs only if no result is kept for these inputs; so an evaluation that was stopped goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def digest(*inputs: Any) -> str:
    """Of texts and of whatever JSON can hold."""
    text = json.dumps(inputs, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def file_of(section: str, name: str) -> Path:
    return RESULTS / section / (re.sub(r"[^\w.+-]", "_", name) + ".json")


def inputs_of(section: str, name: str) -> str:
    """Those of a result that is kept."""
    return json.loads(file_of(section, name).read_text())["inputs"]


def kept(section: str, name: str, inputs: str, compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The result of a cell: as kept, or computed now. A failure is a result too, with its message."""
    path = file_of(section, name)
    if path.exists() and not os.environ.get("FRESH"):
        found = json.loads(path.read_text())
        if found["inputs"] == inputs:
            return found
    start = time.monotonic()
    try:
        found = compute()
    except Exception as error:  # whatever a peer or a compiler throws belongs on the page
        found = {"failed": f"{type(error).__name__}: {error}"[:400]}
    found["inputs"] = inputs
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
    print(f"  {section}: {name}, {time.monotonic() - start:.0f} s{', failed' if 'failed' in found else ''}", file=sys.stderr, flush=True)
    return found


def source(name: str) -> str:
    """The text of a file of the evaluation that figures depend on."""
    return (Path(__file__).parent / name).read_text()


def library(*more: str) -> str:
    """What stands for the partitioner among the inputs of a cell: its sources, and those of other folders of src/."""
    root = Path(__file__).resolve().parents[2] / "src"
    parts = [root / part for part in ("ir", "stablehlo", "core", "spmd", *more)]
    texts = [path.read_bytes() for part in parts for path in sorted(part.rglob("*.[ch]"))]
    return hashlib.sha256(b"".join(texts)).hexdigest()[:16]
