"""How much of its heap a program of the TPU compiler uses at once: what is above that is how the compiler packs it."""

from __future__ import annotations

import re
from pathlib import Path

COUNTING = 1  # to be changed with what is counted: results depend on it
RANGES, BUFFERS = "*live-range.txt", "*after_optimizations-buffer-assignment.txt"


def most(folder: Path) -> tuple[int, int] | None:
    """Of the compiler's dumps: bytes of the heap in device memory, and the most of them that hold something at one time."""
    ranges, buffers = next(folder.glob(RANGES), None), next(folder.glob(BUFFERS), None)
    if not ranges or not buffers:
        return None
    text = ranges.read_text()
    lives = {m[1]: (int(m[2]), int(m[3])) for m in re.finditer(r"^ +(\S+\}):(\d+)-(\d+)$", text[text.index("BufferLiveRange:") :], re.MULTILINE)}
    heaps = [part for part in re.split(r"^allocation ", buffers.read_text(), flags=re.MULTILINE) if re.match(r"\d+: size \d+, preallocated-temp", part)]
    found = [0, 0]
    for heap in heaps:
        found[0] += int(re.search(r"size (\d+)", heap)[1])
        found[1] += _most_at_once(heap, lives)
    return found[0], found[1]


def _most_at_once(heap: str, lives: dict[str, tuple[int, int]]) -> int:
    """Values that share an offset share memory, so what counts is the memory that any of them covers."""
    values = []
    for name, size, offset in re.findall(r"value: <\d+ (\S+) @\d+> \(size=(\d+),offset=(\d+)\)", heap):
        begin, end = lives.get(name if "{" in name else f"{name}{{}}", (0, -1))
        values.append((begin, end, int(offset), int(offset) + int(size)))
    most_covered = 0
    for time in sorted({value[0] for value in values}):
        covered, top = 0, 0
        for low, high in sorted(value[2:] for value in values if value[0] <= time <= value[1]):
            covered += max(0, high - max(low, top))
            top = max(top, high)
        most_covered = max(most_covered, covered)
    return most_covered
