"""Pictures of docs/evaluation.md, as SVG text that reads the same in light and in dark."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
_COLOURS = ("#3b7dd8", "#d8843b", "#3ba55d", "#9b59b6", "#c0392b", "#7f8c8d", "#16a085", "#b7950b", "#e377c2", "#17becf", "#8c564b", "#bcbd22")
_LEFT, _WIDTH, _LINE = 210, 760, 18


def _write(name: str, height: float, parts: Sequence[str]) -> None:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:.0f}" font-family="sans-serif" font-size="11" fill="#888">'
    (DOCS / f"{name}.svg").write_text("\n".join([head, *parts, "</svg>"]) + "\n")


def _text(x: float, y: float, text: str, anchor: str = "start", colour: str = "#888") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{text}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str = "#8884") -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def _legend(names: Sequence[str], x: float, y: float) -> list[str]:
    parts = []
    for i, name in enumerate(names):
        colour = _COLOURS[i % len(_COLOURS)]
        parts += [f'<circle cx="{x:.1f}" cy="{y - 4:.1f}" r="4" fill="{colour}"/>', _text(x + 8, y, name, colour=colour)]
        x += 24 + 6.2 * len(name)
    return parts


def ratios(name: str, title: str, series: Sequence[str], rows: Sequence[tuple[str, Sequence[float | None]]]) -> str:
    """One row of dots for each label, a dot for each series, on a logarithmic scale about 1; the page's reference to it."""
    every = [value for _, values in rows for value in values if value] or [1.0]
    low, high = math.log2(min(0.5, *every)), math.log2(max(1.25, *every))

    def across(value: float) -> float:
        return _LEFT + (math.log2(value) - low) / (high - low) * (_WIDTH - _LEFT - 20)

    top = 30
    bottom = top + _LINE * len(rows) + 6
    parts = _legend(series, 10, 16)
    for tick in (1 / 16, 1 / 8, 1 / 4, 1 / 2, 0.8, 1, 1.25, 2, 4):
        if low <= math.log2(tick) <= high:
            parts += [_line(across(tick), top, across(tick), bottom, "#888" if tick == 1 else "#8884"), _text(across(tick), bottom + 12, f"{tick:g}", "middle")]
    for i, (label, values) in enumerate(rows):
        y = top + _LINE * (i + 0.5)
        parts += [_text(_LEFT - 8, y + 4, label, "end")]
        parts += [f'<circle cx="{across(value):.1f}" cy="{y:.1f}" r="4" fill="{_COLOURS[k]}"/>' for k, value in enumerate(values) if value]
    _write(name, bottom + 20, parts)
    return f"![{title}]({name}.svg)"


def scatter(name: str, title: str, x_name: str, y_name: str, points: Sequence[tuple[str, float, float]], joined: bool = False) -> str:
    """(group, x, y) on logarithmic scales; with `joined`, a line for each group, otherwise the diagonal; the page's reference to it."""
    groups = list(dict.fromkeys(group for group, _, _ in points))
    xs, ys = [p[1] for p in points], [p[2] for p in points]
    if not joined:
        xs = ys = xs + ys
    left, right, top, bottom = 70, 560, 20, 360

    def place(value: float, ends: Sequence[float], start: float, end: float) -> float:
        low, high = math.log10(min(ends)), math.log10(max(ends))
        return start + (math.log10(value) - low) / ((high - low) or 1) * (end - start)

    parts = [_line(left, bottom, right, bottom, "#888"), _line(left, top, left, bottom, "#888")]
    for ends, is_x in ((xs, True), (ys, False)):
        for power in range(math.ceil(math.log10(min(ends))), math.floor(math.log10(max(ends))) + 1):
            label = f"{10.0**power:,g}" if -4 < power < 6 else f"1e{power}"
            if is_x:
                at = place(10.0**power, ends, left, right)
                parts += [_line(at, top, at, bottom), _text(at, bottom + 14, label, "middle")]
            else:
                at = place(10.0**power, ends, bottom, top)
                parts += [_line(left, at, right, at), _text(left - 6, at + 4, label, "end")]
    parts += [_text((left + right) / 2, bottom + 30, x_name, "middle"), _text(left, top - 8, y_name)]
    if not joined:
        parts.append(_line(left, bottom, right, top, "#888"))
    for k, group in enumerate(groups):
        colour = _COLOURS[k % len(_COLOURS)]
        some = [(place(x, xs, left, right), place(y, ys, bottom, top)) for g, x, y in points if g == group]
        if joined:
            parts.append(f'<polyline fill="none" stroke="{colour}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in some)}"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in some]
        parts.append(_text(right + 14, top + 16 * k + 10, group, colour=colour))
    _write(name, bottom + 40, parts)
    return f"![{title}]({name}.svg)"
