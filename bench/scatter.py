"""Scatter plots of docs/predictability.md: measured against predicted, on logarithmic scales.

They are drawn with matplotlib (`pip install -r requirements-bench.txt`). Where it is not there the pictures stay as they are.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"


def draw(name: str, quantity: str, points: Iterable[tuple[str, float, float]]) -> str:
    """Draw docs/`name`.svg from (group, measured, predicted), a colour for each group; the page's reference to it."""
    reference = f"![measured against predicted {quantity}]({name}.svg)"
    if not importlib.util.find_spec("matplotlib"):
        return reference
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = name  # the same picture for the same figures
    from matplotlib import pyplot

    groups: dict[str, list[tuple[float, float]]] = {}
    for group, measured, predicted in points:
        groups.setdefault(group, []).append((measured, predicted))
    figure, axes = pyplot.subplots(figsize=(5.5, 4))
    for i, (group, some) in enumerate(groups.items()):
        axes.scatter(*zip(*some), label=group, s=18, marker="os^D"[i // 10 % 4])
    every = [x for some in groups.values() for point in some for x in point]
    ends = [min(every), max(every)]
    axes.plot(ends, ends, color="gray", linewidth=0.8)
    axes.set(xscale="log", yscale="log", xlabel=f"measured {quantity}", ylabel=f"predicted {quantity}")
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(DOCS / f"{name}.svg", metadata={"Date": None}, bbox_inches="tight")
    pyplot.close(figure)
    return reference
