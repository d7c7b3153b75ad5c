"""Scatter plots: measured against predicted, on logarithmic scales, as SVG.

The grey line is a prediction without error, the dashed ones are a fifth off.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#888888")
LEFT, TOP, SIDE = 60, 12, 300


def draw(name: str, quantity: str, points: Iterable[tuple[str, float, float]]) -> str:
    """Draw docs/`name`.svg from (group, measured, predicted), a colour for each group; the page's reference to it."""
    some = [p for p in points if p[1] > 0 and p[2] > 0]
    low = math.floor(math.log10(min(min(x, y) for _, x, y in some)))
    high = max(math.ceil(math.log10(max(max(x, y) for _, x, y in some))), low + 1)

    def place(value: float) -> float:
        return SIDE * (math.log10(value) - low) / (high - low)

    def line(shift: float, style: str) -> str:
        d = SIDE * math.log10(shift) / (high - low)
        ends = (LEFT + max(-d, 0), TOP + SIDE - max(d, 0), LEFT + SIDE - max(d, 0), TOP + max(-d, 0))
        return '<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" '.format(*ends) + f'stroke="#888888" {style}/>'

    groups = list(dict.fromkeys(group for group, *_ in some))
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + SIDE + 190}" height="{TOP + SIDE + 46}" font-family="sans-serif" font-size="11" fill="#777777">',
        f'<rect x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#888888"/>',
        line(1, ""),
        *(line(s, 'stroke-dasharray="4 4"') for s in (1.2, 1 / 1.2)),
    ]
    for power in range(low, high + 1):
        at, text = place(10.0**power), f"{10.0**power:g}"
        out.append(f'<text x="{LEFT + at:.1f}" y="{TOP + SIDE + 16}" text-anchor="middle">{text}</text>')
        out.append(f'<text x="{LEFT - 6}" y="{TOP + SIDE - at + 4:.1f}" text-anchor="end">{text}</text>')
    for group, x, y in some:
        colour = COLOURS[groups.index(group) % len(COLOURS)]
        out.append(f'<circle cx="{LEFT + place(x):.1f}" cy="{TOP + SIDE - place(y):.1f}" r="3" fill="{colour}" fill-opacity="0.7"/>')
    for i, group in enumerate(groups):
        colour, y = COLOURS[i % len(COLOURS)], TOP + 10 + 16 * i
        out.append(f'<circle cx="{LEFT + SIDE + 14}" cy="{y - 4}" r="4" fill="{colour}"/><text x="{LEFT + SIDE + 24}" y="{y}">{html.escape(group)}</text>')
    out.append(f'<text x="{LEFT + SIDE / 2:.0f}" y="{TOP + SIDE + 36}" text-anchor="middle">measured {quantity}</text>')
    out.append(f'<text transform="translate(14 {TOP + SIDE / 2:.0f}) rotate(-90)" text-anchor="middle">predicted {quantity}</text></svg>')
    (DOCS / f"{name}.svg").write_text("\n".join(out) + "\n")
    return f"![measured against predicted {quantity}]({name}.svg)"
