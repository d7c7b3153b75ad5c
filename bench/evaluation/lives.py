"""How much of its heap a program of the TPU compiler uses at once: what is above that is how the compiler packs it."""

from __future__ import annotations

import collections
import re
from pathlib import Path
from typing import NamedTuple

from bench.evaluation import hlo

COUNTING = 1  # to be changed with what is counted: results depend on it
RANGES, BUFFERS = "*live-range.txt", "*after_optimizations-buffer-assignment.txt"


class Heap(NamedTuple):
    """Bytes of the heap in device memory, the most of them that hold something at one time, and what these are: bytes by shape and op."""

    size: int
    used: int
    holds: dict[str, tuple[int, int]]


def most(folder: Path) -> Heap | None:
    """Of the compiler's dumps."""
    ranges, buffers = next(folder.glob(RANGES), None), next(folder.glob(BUFFERS), None)
    if not ranges or not buffers:
        return None
    text = ranges.read_text()
    lives = {m[1]: (int(m[2]), int(m[3])) for m in re.finditer(r"^ +(\S+\}):(\d+)-(\d+)$", text[text.index("BufferLiveRange:") :], re.MULTILINE)}
    heaps = [part for part in re.split(r"^allocation ", buffers.read_text(), flags=re.MULTILINE) if re.match(r"\d+: size \d+, preallocated-temp", part)]
    optimized = next(folder.glob("*.after_optimizations.txt"), None)
    sources = _sources(optimized.read_text()) if optimized else {}
    found = Heap(0, 0, {})
    for heap in heaps:
        used, names = _most_at_once(heap, lives)
        found = Heap(found.size + int(re.search(r"size (\d+)", heap)[1]), found.used + used, found.holds)
        for name, shape, size in names:
            what = f"{shape} {sources.get(name.split('{')[0], '')}".strip()
            times, bytes_ = found.holds.get(what, (0, 0))
            found.holds[what] = (times + 1, bytes_ + size)
    return found


def listed(heap: Heap) -> list[dict[str, object]]:
    """The largest of what is held at once."""
    every = sorted(heap.holds.items(), key=lambda item: (-item[1][1], item[0]))[: hlo.LISTED]
    return [{"what": what, "times": times, "bytes": size} for what, (times, size) in every]


def _sources(text: str) -> dict[str, str]:
    """Of each name of an optimized module the op of the program that it comes from."""
    return {found[1]: hlo.source(line) for line in text.splitlines() if (found := re.match(r"\s+(?:ROOT )?%?([\w.\-]+) = ", line))}


def _most_at_once(heap: str, lives: dict[str, tuple[int, int]]) -> tuple[int, list[tuple[str, str, int]]]:
    """Values that share an offset share memory, so what counts is the memory that any of them covers, each with what it adds."""
    values = []
    for name, size, offset, shape in re.findall(r"value: <\d+ (\S+) @\d+> \(size=(\d+),offset=(\d+)\): (.*)", heap):
        begin, end = lives.get(name if "{" in name else f"{name}{{}}", (0, -1))
        values.append((begin, end, int(offset), int(offset) + int(size), name, hlo.shown(shape)))
    most_covered, first, names = 0, 0, []
    for most, time in sorted(((-size, time) for time, size in _sums(values).items())):
        if -most < most_covered:
            break  # nor can any that follows hold more
        covered, top, here = 0, 0, []
        for low, high, name, shape in sorted(value[2:] for value in values if value[0] <= time <= value[1]):
            added = max(0, high - max(low, top))
            covered += added
            here.append((name, shape, added))
            top = max(top, high)
        if covered > most_covered or (covered == most_covered and time < first):
            most_covered, first, names = covered, time, here
    return most_covered, [one for one in names if one[2]]


def _sums(values: list[tuple[int, int, int, int, str, str]]) -> dict[int, int]:
    """Bytes of all values that live when one begins, at each such time: at least what they cover."""
    ends = collections.Counter()
    begins = collections.Counter()
    for begin, end, low, high, *_ in values:
        if end >= begin:
            begins[begin] += high - low
            ends[end + 1] += high - low
    found, live = {}, 0
    for time in sorted({*begins, *ends}):
        live += begins[time] - ends[time]
        if time in begins:
            found[time] = live
    return found
