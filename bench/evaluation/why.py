"""What stands behind a row where ours is worse: the largest of what one side sends, holds or multiplies and the other does not.

The lists are kept with the figures, by the run that made them: `hlo.largest` of the optimized program, `lives.listed` of the compiler's heap.
"""

from __future__ import annotations

import collections
import re
from typing import Any

NAMES = {"partir": "ours", "shardy": "Shardy", "gspmd": "GSPMD", "shardy+": "Shardy, constraints inside", "gspmd+": "GSPMD, constraints inside"}
LISTS = {"sent": "sends", "memory": "holds", "live": "holds", "flops": "products"}
FIRST = 3  # are shown of each side


def whole(found: dict[str, Any]) -> bool:
    """Whether a kept result has its lists, or failed; of one side, or of several by their names."""
    sides = [one for name, one in found.items() if name in NAMES] or [found]
    return all("failed" in one or "sends" in one for one in sides)


def evidence(sides: dict[str, dict[str, Any]], measures: list[str]) -> str:
    """For each measure in which ours is worse, a line with what the two sides have and the other does not; sides are those to compare with."""
    lines = []
    for measure in measures:
        key, ours = LISTS.get(measure, ""), sides["partir"]
        others = [side for side, one in sides.items() if side != "partir" and one.get(measure) is not None and key in one]
        if key not in ours or not others:
            continue
        least = min(others, key=lambda side: sides[side][measure])
        shown = [f"{NAMES[side]} alone: {_alone(sides[side][key], sides[other][key])}" for side, other in (("partir", least), (least, "partir"))]
        lines.append(f"  - {measure}, {'; '.join(shown)}")
    return "".join(f"\n{line}" for line in lines)


def _alone(ours: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> str:
    same = collections.Counter(_shapes(one) for one in theirs)
    found = []
    for one in ours:
        if same[_shapes(one)]:
            same[_shapes(one)] -= 1
        else:
            found.append(one)
    found = found[:FIRST]
    return ", ".join(f"{one['times']:,} × `{one['what']}` ({_size(one)})" for one in found) or "nothing among its largest"


def _shapes(one: dict[str, Any]) -> tuple[str, int]:
    """What is the same on two sides: their compilers may name its source otherwise."""
    return re.match(r"[^\]]*\]?(?: by [^\]]*\])?(?: and \d+ more)?", one["what"])[0], one["times"]


def _size(one: dict[str, Any]) -> str:
    unit, value = ("FLOP", one["flops"]) if "flops" in one else ("B", one["bytes"])
    for prefix, scale in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= scale:
            return f"{value / scale:,.1f} {prefix}{unit}"
    return f"{value:.0f} {unit}"
