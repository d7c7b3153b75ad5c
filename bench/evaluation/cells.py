"""One result file for each cell of the evaluation, kept under the hash of what went into it.

    result = kept("peers", "t32 BP+MP+Z3", inputs, compute)

`compute` runs only if no result is kept for these `inputs()`; so an evaluation that was stopped goes on where it was. With `as_kept` set, after
`stop_at`, or in a section that is `left`, nothing is computed: what is kept is taken as it is, and what is not there says so. With `only_missing`
set, what is kept is taken as it is, and only what is not there is computed.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import importlib.util
import json
import math
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
SOURCES = Path(__file__).resolve().parents[2] / "src"
_TEXT_OR_SPACE = r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?:\s|//[^\n]*|/\*.*?\*/)+"""
NOT_MEASURED = "not measured"
LIMIT = 7200.0  # seconds by the clock that a command may take: that a machine is busy is no failure
as_kept = False
only_missing = False
left: set[str] = set()
stop_at = math.inf  # by time.monotonic()
made: dict[str, set[str]] = {}  # with what the results of each section were made, as they are asked for
older: dict[str, list[str]] = {}  # of each section, what was taken as kept although its inputs are other ones now
_fresh: set[Path] = set()  # what this process made because of FRESH: once is enough


def digest(*inputs: Any) -> str:
    """Of texts and of whatever JSON can hold."""
    text = json.dumps(inputs, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def file_of(section: str, name: str) -> Path:
    return RESULTS / section / (re.sub(r"[^\w.+-]", "_", name) + ".json")


def kept(section: str, name: str, inputs: Callable[[], str], compute: Callable[[], dict[str, Any]], good: Callable[[dict[str, Any]], bool] = bool, can: bool = True) -> dict[str, Any]:
    """The result of a cell: as kept, if that is `good`, or computed now, if this machine `can`. A failure is a result too, with its message."""
    path = file_of(section, name)
    found: dict[str, Any] = {}
    if path.exists():
        found = json.loads(path.read_text())
    looks_only = not can or as_kept or section in left or time.monotonic() > stop_at or (only_missing and bool(found))
    if looks_only and not found:
        return {"failed": NOT_MEASURED}
    if looks_only:
        with contextlib.suppress(OSError):  # a program that is not here cannot have changed
            if found["inputs"] != inputs():
                older.setdefault(section, []).append(name)
    else:
        wanted = inputs()
        again = bool(os.environ.get("FRESH")) and path not in _fresh
        if found.get("inputs") != wanted or not good(found) or again:
            _fresh.update([path] if again else [])
            found = _compute(section, name, wanted, compute)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
    if "made" in found:
        made.setdefault(section, set()).add(found["made"])
    return found


def _compute(section: str, name: str, inputs: str, compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    start = time.monotonic()
    try:
        found = compute()
    except Exception as error:  # whatever a peer or a compiler throws belongs on the page
        found = {"failed": f"{type(error).__name__}: {error}"[:400]}
    print(f"  {section}: {name}, {time.monotonic() - start:.0f} s{', failed' if 'failed' in found else ''}", file=sys.stderr, flush=True)
    return found | {"inputs": inputs, "made": made_with()}


def made_with() -> str:
    """Versions and cores of this machine, kept with each result."""
    have = {name: importlib.metadata.version(name) for name in ("jax", "jaxlib", "libtpu") if importlib.util.find_spec(name)}
    versions = ", ".join(f"{name} {version}" for name, version in have.items())
    return f"{versions}, Python {platform.python_version()}, {os.cpu_count()} cores"


@functools.cache
def library(*more: str) -> str:
    """What stands for the partitioner among the inputs of a cell: its sources, and those of other folders of src/, but for comments and layout."""
    parts = [SOURCES / part for part in ("support", "ir", "stablehlo", "core", "spmd", "session", *more)]
    texts = [code(path.read_text()) for part in parts for path in sorted(path for path in part.rglob("*") if path.suffix in (".c", ".h", ".def", ".inc"))]
    return digest(texts)


def code(text: str) -> str:
    """C without comments, each run of spaces as one: what is left of a line counts, and where it ends."""
    return re.sub(_TEXT_OR_SPACE, lambda found: found[1] or ("\n" if "\n" in found[0] else " "), text, flags=re.DOTALL).strip()


def version_of(package: str, section: str, name: str) -> str:
    """Of a compiler: the one that is here, or, where none is, the one that a kept result was made with."""
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.version(package)
    path = file_of(section, name)
    found = re.search(rf"\b{package} ([^,]+)", json.loads(path.read_text()).get("made", "")) if path.exists() else None
    return found[1] if found else ""


def run(*command: str | Path) -> tuple[str, float]:
    """What a command prints, and the CPU seconds that it took: other work on the machine changes these little."""

    def spent() -> float:
        used = os.times()
        return used.children_user + used.children_system

    before = spent()
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    if done.returncode:
        raise RuntimeError(done.stderr[:300])
    return done.stdout, spent() - before
