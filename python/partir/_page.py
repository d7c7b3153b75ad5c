"""A report as one HTML page that needs nothing else: charts by plotly, whose code is in the page; light or dark as the reader has it."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from typing import Any

from partir import _charts
from partir._report import Report, bytes_text, seconds_text

import plotly.io
from plotly.offline import get_plotlyjs

MOST_ROWS = 40

_STYLE = """
:root { color-scheme: light dark; --ink: #1f2933; --dim: #616e7c; --paper: #f7f8fa; --card: #ffffff; --line: #e1e5ea; --bad: #c81e1e; --good: #0f766e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e7eb; --dim: #9aa5b1; --paper: #12161c; --card: #1b2129; --line: #313a46; --bad: #f98080; --good: #5eead4; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1280px; margin: 0 auto; padding: 24px 20px 60px; }
h1 { font-size: 24px; margin: 0; } h2 { font-size: 17px; margin: 0; }
p { color: var(--dim); margin: 4px 0 12px; }
.tiles { display: flex; flex-wrap: wrap; gap: 12px; margin: 16px 0 24px; }
.tile, section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.tile { padding: 10px 16px; min-width: 150px; } .tile b { display: block; font-size: 22px; font-weight: 600; } .tile span { color: var(--dim); font-size: 13px; }
section { padding: 16px 18px; margin-bottom: 20px; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { color: var(--dim); font-weight: 500; }
.bad { color: var(--bad); } .good { color: var(--good); }
"""

# Text and lines take the colours of the page, and follow when the reader changes from light to dark.
_SCRIPT = """
const charts = JSON.parse(document.getElementById("charts").textContent);
const templates = JSON.parse(document.getElementById("templates").textContent);
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const template = () => templates[dark.matches ? "dark" : "light"];
const drawn = Object.entries(charts).map(([name, figure]) => Plotly.newPlot(
  "chart-" + name, figure.data, {...figure.layout, template: template()}, {responsive: true, displayModeBar: false}));
dark.addEventListener("change", () => {
  for (const name of Object.keys(charts)) Plotly.relayout("chart-" + name, {template: template()});
});
Promise.all(drawn).then(() => document.documentElement.dataset.drawn = drawn.length);
"""


def _template(name: str, ink: str, line: str) -> dict[str, Any]:
    """One of plotly's templates, on the page's background and in its colours."""
    template = plotly.io.templates[name].to_plotly_json()
    layout = template["layout"]
    layout |= {"paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)", "font": {"color": ink, "family": "system-ui, sans-serif"}}
    for axis in ("xaxis", "yaxis"):
        layout[axis] = layout.get(axis, {}) | {"gridcolor": line, "linecolor": line, "zerolinecolor": line}
    return template


def _embedded(name: str, value: Any) -> str:
    """Data for the script; no text in it can end the element."""
    text = json.dumps(value, cls=plotly.utils.PlotlyJSONEncoder).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>'


def _table(rows: Sequence[Sequence[str]]) -> str:
    def row(cell: str, texts: Sequence[str]) -> str:
        return f"<tr>{''.join(f'<{cell}>{html.escape(text)}</{cell}>' for text in texts)}</tr>"

    head, *body = rows
    return f"<div class=wide><table>{row('th', head)}{''.join(row('td', r) for r in body)}</table></div>"


def _tiles(report: Report) -> str:
    simulation = report.simulation
    if not simulation:
        return ""
    last = simulation["tactics"][-1]
    fits = {"yes": ("fits", "good"), "unsure": ("unsure: it depends on layouts", "bad"), "no": ("does not fit", "bad")}[last["verdict"]]
    tiles = [
        (seconds_text(last["seconds"]), "a step"),
        (f"{100 * last['mfu']:.1f} %", "MFU"),
        (bytes_text(last["peak_memory"]), f"peak memory of {bytes_text(simulation['device_memory'])}: <b class={fits[1]} style='display:inline;font-size:13px'>{fits[0]}</b>"),
        (f"{100 * last['exposed'] / last['seconds'] if last['seconds'] else 0:.0f} %", "of the step waits for communication"),
    ]  # fmt: skip
    return f"<div class=tiles>{''.join(f'<div class=tile><b>{value}</b><span>{what}</span></div>' for value, what in tiles)}</div>"


def page(report: Report) -> str:
    """The whole page as text."""
    simulation = report.simulation
    sections = []
    figures = {}
    for name, chart in _charts.charts(report).items():
        figure = chart.figure.to_plotly_json()
        figure["layout"].pop("template", None)
        figures[name] = figure
        below = ""
        if name == "tactics":
            below = _table(report._rows())
        elif name == "collectives" and simulation:
            rows = _charts.collective_table(simulation)
            left = len(rows) - 1 - MOST_ROWS
            below = _table(rows[: MOST_ROWS + 1]) + (f"<p>and {left} more, all shorter</p>" if left > 0 else "")
        sections.append(
            f"<section><h2>{html.escape(chart.title)}</h2><p>{html.escape(chart.text)}</p><div id='chart-{name}'></div>{below}</section>"
        )
    title = html.escape(report._caption())
    templates = {
        "light": _template("plotly_white", "#1f2933", "#e1e5ea"),
        "dark": _template("plotly_dark", "#e4e7eb", "#313a46"),
    }
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>partir: {title}</title><link rel=icon href=data:,><style>{_STYLE}</style></head>\n<body><main><h1>How the program lies on its devices</h1>"
        f"<p>{title}</p>{_tiles(report)}{''.join(sections)}</main>\n<script>{get_plotlyjs()}</script>\n"
        f"{_embedded('charts', figures)}\n{_embedded('templates', templates)}\n<script>{_SCRIPT}</script></body></html>\n"
    )
