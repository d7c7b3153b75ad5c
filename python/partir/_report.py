"""What each tactic of a schedule did: a table in the terminal, HTML in a notebook, JSON for programs, pictures.

    report = step.lower(state, batch).report        # or partir.report("report.json")
    print(report)
    report.save_html("report.html")                 # one page that needs no network
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from partir._check import PATH, TEXT, Kind, check

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


class Report:
    """The program after each tactic: collectives, bytes and conflicts; with a device also time, MFU and memory.

    Print it, or show it in a notebook. `plot` and `save_html` draw with plotly: `pip install partir[report]`.
    """

    def __init__(self, data: dict[str, Any], text: str | None = None):
        self.data = data
        """The report as Python values: "tactics" in order, "arguments" and "results" with their distributions; with a
        device, "simulation" as `partir simulate --json` has it."""
        self._text = text

    def to_json(self) -> str:
        """The report as JSON text, which `partir.report` and `python -m partir report` read."""
        return json.dumps(self.data, indent=1)

    @property
    def simulation(self) -> dict[str, Any] | None:
        """Time and memory after each tactic, and where they go in the end; None without a device."""
        return self.data.get("simulation") or (self.data if "device" in self.data else None)

    def diff(self, other: Report) -> str:
        """What came, went and changed from this report to another, and what that does to a step; empty if no collective did.

        Two collectives are the same if kind, axes, tactic, path and what they serve are equal; numbers of layers and lines do not count.
        """
        from partir import _lib

        check("the other report", other, Kind("a partir.Report", lambda x: isinstance(x, Report)))
        return _lib.report_diff("this report", self.to_json(), "the other report", other.to_json())

    def plot(self, chart: str = "tactics") -> Figure:
        """A picture, as a plotly figure: "tactics", "memory", "roofline", "collectives" or "shardings"."""
        from partir import _charts

        check("chart", chart, TEXT)
        charts = _charts.charts(self)
        if chart not in charts:
            raise ValueError(f"there is no chart {chart!r} here: {', '.join(charts)}" + _without_device(self))
        return charts[chart].figure

    def save_html(self, path: str | PathLike[str]) -> Path:
        """Write all pictures as one page that needs nothing else: no network, no other file."""
        from partir import _page

        check("path", path, PATH)
        Path(path).write_text(_page.page(self), encoding="utf-8")
        return Path(path)

    def __str__(self) -> str:
        if self._text is not None:
            return self._text
        head, *rows = self._rows()
        widths = [max(map(len, column)) for column in zip(head, *rows)]
        lines = ["  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths)) for row in (head, *rows)]
        return "\n".join((self._caption(), "", *lines)) + "\n"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head, *rows = self._rows()
        found = [
            f"<li>{html.escape(t['name'])}: {'race' if c['race'] else 'conflict'} at {html.escape(c['op'])} on "
            f"{html.escape(c['axis'])}, between {' and '.join(html.escape(k['from']) for k in c['candidates'])}</li>"
            for t in self.data["tactics"]
            for c in t.get("conflicts", ())
        ]
        return (
            f"<table><caption>{html.escape(self._caption())}</caption>{_row('th', head)}"
            f"{''.join(_row('td', row) for row in rows)}</table>" + (f"<ul>{''.join(found)}</ul>" if found else "")
        )

    def _caption(self) -> str:
        mesh = ", ".join(f"{axis}={size}" for axis, size in self.data["mesh"].items())
        return f"mesh {mesh}" + (f", device {self.simulation['device']}" if self.simulation else "")

    def _rows(self) -> list[list[str]]:
        """The table: a head, and a row for each tactic."""
        columns: list[list[str]] = []
        tactics = self.data["tactics"] if "simulation" in self.data or not self.simulation else []
        simulated = self.simulation["tactics"] if self.simulation else []
        if simulated:
            columns.append(["tactic", *(t["tactic"] or "(start)" for t in simulated)])
        else:
            columns.append(["tactic", *(t["name"] for t in tactics)])
        before = [""] * (len(simulated) - len(tactics)) if simulated else []  # nothing is known of the start but its time

        def column(name: str, cells: Iterable[str]) -> None:
            columns.append([name, *before, *cells])

        if tactics:
            column("axis", (", ".join(t["axes"]) for t in tactics))
            for kind in tactics[0]["totals"]:
                if any(t["totals"][kind] for t in tactics):
                    column(kind, (f"{t['totals'][kind]:,.0f}" for t in tactics))
            column("sent", (bytes_text(t["bytes_sent"]) for t in tactics))
            column("arguments", (bytes_text(t["argument_bytes"]) for t in tactics))
            column("conflicts", (f"{len(t['conflicts'])}" for t in tactics))
        if simulated:
            columns.append(["step", *(seconds_text(t["seconds"]) for t in simulated)])
            columns.append(["compute", *(seconds_text(t["compute"]) for t in simulated)])
            for axis in self.data["mesh"]:
                columns.append([f"on {axis}", *(seconds_text(t["by_axis"][axis]) for t in simulated)])
            columns.append(["exposed", *(seconds_text(t["exposed"]) for t in simulated)])
            columns.append(["MFU", *(f"{100 * t['mfu']:.1f} %" for t in simulated)])
            columns.append(["HFU", *(f"{100 * t['hfu']:.1f} %" for t in simulated)])
            columns.append(["peak memory", *(bytes_text(t["peak_memory"]) for t in simulated)])
        return [list(row) for row in zip(*columns)]


def report(source: str | PathLike[str] | dict[str, Any]) -> Report:
    """Read a report from a JSON file, written by `Report.to_json`, `partir partition --json` or `partir simulate --json`."""
    check("a report", source, Kind("the path of a JSON file, or what is in it", lambda x: isinstance(x, dict) or PATH.accepts(x)))
    data = source if isinstance(source, dict) else _read_json(source)
    if not isinstance(data, dict) or not {"mesh", "tactics"} <= data.keys():
        raise ValueError(f"{source} is no report of partir: it has no mesh or no tactics")
    return Report(data)


def _read_json(path: str | PathLike[str]) -> Any:
    try:
        return json.loads(Path(path).read_bytes())
    except ValueError as reason:
        raise ValueError(f"{path} is no report of partir: it is not JSON ({reason})") from None


def _without_device(of: Report) -> str:
    return "" if of.simulation else " (give partir.jit a device to see time and memory)"


def _row(cell: str, texts: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{cell}>{html.escape(text)}</{cell}>' for text in texts)}</tr>"


def bytes_text(count: float) -> str:
    """12.5 GiB."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.0f} B" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} TiB"


def seconds_text(seconds: float) -> str:
    """812.0 ms."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns" if seconds else "0"
