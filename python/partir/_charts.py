"""Pictures of a report: what each tactic costs, and where time and memory of the last program go.

Each chart is a plotly figure with a title and a line that says how to read it. Colours name the same thing everywhere: a
mesh axis, or compute. Figures have no background and no text colour of their own: the page gives both, light or dark.
"""

from __future__ import annotations

import html
import itertools
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from partir._distribution import cut
from partir._report import Report, bytes_text, seconds_text

try:
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots
except ImportError as reason:
    raise ImportError("pictures need plotly: pip install partir[report]") from reason

COMPUTE = "#7b8794"
AXIS_COLOURS = ("#3b82f6", "#f59e0b", "#10b981", "#a855f7", "#ef4444", "#06b6d4", "#ec4899", "#84cc16")
TACTIC_COLOURS = ("#8b5cf6", "#f97316", "#14b8a6", "#eab308", "#f43f5e", "#0ea5e9", "#65a30d", "#d946ef")
TEMPORARY, ARGUMENTS = "#38bdf8", "#6366f1"
MOST_BARS = 14
MOST_MESHES = 16


@dataclass(frozen=True)
class Chart:
    """A figure, what it is called, and how it is read."""

    title: str
    text: str
    figure: go.Figure


def charts(report: Report) -> dict[str, Chart]:
    """All charts that the report has figures for, by name."""
    found = {}
    shown = type(report)(_escaped(report.data))  # names are a program's: plotly takes text for HTML
    simulation = shown.simulation
    if simulation:
        found["tactics"] = _tactics(simulation)
        found["memory"] = _memory(simulation)
        found["collectives"] = _collectives(simulation)
        found["roofline"] = _roofline(simulation)
    else:
        found["tactics"] = _counts(shown.data)
    found["shardings"] = _shardings(shown.data)
    return {name: replace(chart, text=html.unescape(chart.text)) for name, chart in found.items()}


def _escaped(data: Any) -> Any:
    """The same values with all texts as plotly shows them unchanged."""
    if isinstance(data, str):
        return html.escape(data, quote=False)
    if isinstance(data, dict):
        return {_escaped(key): _escaped(value) for key, value in data.items()}
    return [_escaped(value) for value in data] if isinstance(data, list) else data


def _layout(figure: go.Figure, height: int, **more: Any) -> go.Figure:
    figure.update_layout(
        height=height,
        margin={"l": 10, "r": 10, "t": 46, "b": 10},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "xanchor": "left"},
        hoverlabel={"align": "left"},
        **more,
    )
    figure.update_xaxes(automargin=True)
    figure.update_yaxes(automargin=True)
    return figure


def _scale(values: Iterable[float], units: Sequence[tuple[str, float]]) -> tuple[str, float]:
    """The unit in which the largest value is a small number."""
    most = max(values, default=0.0)
    return next(((name, size) for name, size in units if most >= size), units[-1])


_SECONDS = (("s", 1.0), ("ms", 1e-3), ("us", 1e-6))
_BYTES = (("TiB", 2.0**40), ("GiB", 2.0**30), ("MiB", 2.0**20), ("KiB", 2.0**10), ("B", 1.0))


def _colours(names: Iterable[str], palette: Sequence[str]) -> dict[str, str]:
    return dict(zip(names, itertools.cycle(palette)))


# ---- Tactics --------------------------------------------------------------------------------------------------------


def _tactics(simulation: Mapping[str, Any]) -> Chart:
    tactics, axes = simulation["tactics"], list(simulation["mesh"])
    tactics = tactics[1:] or tactics  # the whole program on each device would dwarf what the tactics make of it
    names = _unique(t["tactic"] or "(start)" for t in tactics)
    figure = make_subplots(cols=2, subplot_titles=("time of a step", "peak memory of a device"), horizontal_spacing=0.12)
    unit, size = _scale((t["seconds"] for t in tactics), _SECONDS)

    def bar(column: int, name: str, values: list[float], colour: str, hover: list[str], group: str) -> None:
        figure.add_bar(
            x=names, y=values, name=name, marker_color=colour, hovertext=hover, hoverinfo="text", legend=group,
            row=1, col=column,
        )  # fmt: skip

    compute = [t["compute"] / size for t in tactics]
    bar(1, "compute", compute, COMPUTE, [f"compute {seconds_text(t['compute'])}" for t in tactics], "legend")
    for axis, colour in _colours(axes, AXIS_COLOURS).items():
        shown = [t["by_axis"][axis] * _exposed_share(t) / size for t in tactics]
        hover = [f"on {axis} {seconds_text(t['by_axis'][axis])}" for t in tactics]
        bar(1, f"on {axis}", shown, colour, hover, "legend")
    start = [max(0.0, t["seconds"] - t["compute"] - t["exposed"]) for t in tactics]
    if any(s > 0.01 * t["seconds"] for s, t in zip(start, tactics)):
        bar(1, "start", [s / size for s in start], "#c3cad3", [f"start of the step {seconds_text(s)}" for s in start], "legend")
    labels = [f"{seconds_text(t['seconds'])}<br>MFU {100 * t['mfu']:.1f} %" for t in tactics]
    _bar_labels(figure, 1, names, [t["seconds"] / size for t in tactics], labels)

    memory_unit, memory_size = _scale((t["peak_memory"] for t in tactics), _BYTES)
    for name, colour, values in (
        ("arguments", ARGUMENTS, [t["argument_bytes"] for t in tactics]),
        ("all else", TEMPORARY, [t["peak_memory"] - t["argument_bytes"] for t in tactics]),
    ):
        bar(2, name, [v / memory_size for v in values], colour, [f"{name} {bytes_text(v)}" for v in values], "legend2")
    labels = [bytes_text(t["peak_memory"]) + ("" if t["fits"] else "<br>does not fit") for t in tactics]
    most = max(t["peak_memory"] for t in tactics)
    _bar_labels(figure, 2, names, [t["peak_memory"] / memory_size for t in tactics], labels)
    if most > simulation["device_memory"] / 4:
        has = {"color": "#ef4444", "width": 1.5, "dash": "dash"}
        figure.add_hline(y=simulation["device_memory"] / memory_size, line=has, row=1, col=2)
        name = f"{simulation['device']} has {bytes_text(simulation['device_memory'])}"
        figure.add_scatter(x=[None], y=[None], mode="lines", line=has, name=name, legend="legend2", row=1, col=2)
    figure.update_yaxes(title_text=unit, row=1, col=1)
    figure.update_yaxes(title_text=memory_unit, row=1, col=2)
    below = {"orientation": "h", "y": -0.12, "yanchor": "top"}
    _layout(figure, 420, barmode="stack")
    figure.update_layout(legend={**below, "x": 0}, legend2={**below, "x": 0.56})
    hidden = any(_exposed_share(t) < 1 for t in tactics)
    text = "After each tactic: seconds in kernels and in collectives along each mesh axis, and the most memory that a device needs."
    return Chart("Tactics", text + (" Only communication that is not hidden behind compute is shown." if hidden else ""), figure)


def _exposed_share(tactic: Mapping[str, Any]) -> float:
    whole = tactic["communication"]
    return min(1.0, tactic["exposed"] / whole) if whole > 0 else 1.0


def _bar_labels(figure: go.Figure, column: int, names: list[str], heights: list[float], texts: list[str]) -> None:
    figure.add_scatter(
        x=names, y=heights, text=texts, mode="text", textposition="top center", showlegend=False, hoverinfo="skip",
        cliponaxis=False, row=1, col=column,
    )  # fmt: skip
    figure.update_yaxes(range=[0, 1.25 * max(heights, default=1.0) or 1.0], row=1, col=column)


def _unique(names: Iterable[str]) -> list[str]:
    """Names that differ, so that each has a bar of its own."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def _counts(data: Mapping[str, Any]) -> Chart:
    tactics = data["tactics"]
    names = _unique(t["name"] for t in tactics)
    figure = go.Figure()
    kinds = [k for k in (tactics[0]["totals"] if tactics else ()) if any(t["totals"][k] for t in tactics)]
    for kind, colour in _colours(kinds, AXIS_COLOURS).items():
        figure.add_bar(x=names, y=[t["totals"][kind] for t in tactics], name=kind, marker_color=colour)
    figure.update_yaxes(title_text="collectives in a step")
    return Chart("Tactics", "Collectives of the program after each tactic.", _layout(figure, 380, barmode="group"))


# ---- Memory ---------------------------------------------------------------------------------------------------------


def _memory(simulation: Mapping[str, Any]) -> Chart:
    times, sizes = zip(*simulation["memory"]) if simulation["memory"] else ((), ())
    unit, size = _scale(sizes, _BYTES)
    time_unit, time_size = _scale((simulation["tactics"][-1]["seconds"],), _SECONDS)
    alive = _culprits(simulation)
    figure = make_subplots(
        cols=2, column_widths=[0.55, 0.45], horizontal_spacing=0.2,
        subplot_titles=("memory over the step", "who is alive at the peak"),
    )  # fmt: skip
    figure.add_scatter(
        x=[t / time_size for t in times], y=[s / size for s in sizes], fill="tozeroy", line_shape="hv", mode="lines",
        line={"color": TEMPORARY, "width": 1.5}, hovertext=[f"{seconds_text(t)}: {bytes_text(s)}" for t, s in zip(times, sizes)],
        hoverinfo="text", showlegend=False, row=1, col=1,
    )  # fmt: skip
    if sizes:
        peak = max(range(len(sizes)), key=sizes.__getitem__)
        figure.add_scatter(
            x=[times[peak] / time_size], y=[sizes[peak] / size], mode="markers+text", showlegend=False,
            text=[f"peak {bytes_text(sizes[peak])}"], textposition=_inwards(times[peak], times[-1]),
            marker={"color": "#ef4444", "size": 9}, hoverinfo="text", cliponaxis=False, row=1, col=1,
        )  # fmt: skip
        figure.update_yaxes(range=[0, 1.15 * max(sizes) / size], row=1, col=1)
    first, rest = alive[:MOST_BARS], alive[MOST_BARS:]
    if rest:
        first = [*first, _Group(f"{sum(r.count for r in rest)} more", sum(r.bytes for r in rest), sum(r.count for r in rest), ())]
    first = first[::-1]
    bar_unit, bar_size = _scale((a.bytes for a in first), _BYTES)
    figure.add_bar(
        orientation="h", x=[a.bytes / bar_size for a in first], y=[_short(a.label) for a in first], showlegend=False,
        marker_color=[ARGUMENTS if a.name.startswith("argument") else TEMPORARY for a in first],
        hovertext=[_hover_alive(a) for a in first], hoverinfo="text", row=1, col=2,
    )  # fmt: skip
    figure.update_xaxes(title_text=time_unit, row=1, col=1)
    figure.update_yaxes(title_text=unit, row=1, col=1)
    figure.update_xaxes(title_text=bar_unit, row=1, col=2)
    figure.update_yaxes(tickfont_size=11, row=1, col=2)
    text = (
        "What a device holds while the step runs, and at the fullest moment. Values of the same name but for a number are one bar. "
        "Hover for what tiles pad, what is kept over a loop, and what a further tactic could still split."
    )
    return Chart("Memory", text, _layout(figure, 460))


@dataclass(frozen=True)
class _Group:
    name: str
    bytes: float
    count: int
    notes: tuple[str, ...]

    @property
    def label(self) -> str:
        return f"{self.name}  ×{self.count}" if self.count > 1 and not self.name.endswith("more") else self.name


def _culprits(simulation: Mapping[str, Any]) -> list[_Group]:
    """Who is alive at the peak, the largest first, and what lies between buffers."""
    found = [_Group(c["what"], c["bytes"], c["count"], tuple(_notes(c))) for c in simulation["culprits"]]
    if simulation["memory_between_buffers"]:
        found.append(_Group("between buffers, where nothing fits", simulation["memory_between_buffers"], 1, ()))
    return sorted(found, key=lambda a: -a.bytes)


def _notes(culprit: Mapping[str, Any]) -> Iterable[str]:
    if culprit["bytes"] > 1.01 * culprit["unpadded"]:
        yield f"{bytes_text(culprit['unpadded'])} before padding"
    if culprit["hoisted"]:
        yield "hoisted out of its loop"
    if "could_split" in culprit:
        yield f"could be split by {culprit['could_split']['axis']} on dimension {culprit['could_split']['dimension']}"


def _hover_alive(a: _Group) -> str:
    return "<br>".join([a.name, f"{bytes_text(a.bytes)} in {a.count}", *a.notes])


def _end(text: str, most: int = 44) -> str:
    """The end of a long text: of a path, that is what tells."""
    text = re.sub(r"^(stablehlo|partir|chlo)\.", "", text)
    text = re.sub(r" at \S*/", " at ", text)
    return text if len(text) <= most else "…" + text[1 - most :]


def _short(text: str, most: int = 44) -> str:
    """The end of a text that is escaped for plotly."""
    return html.escape(_end(html.unescape(text), most), quote=False)


def _inwards(x: float, end: float) -> str:
    return "top right" if x < end / 4 else "top left" if x > 3 * end / 4 else "top center"


# ---- Collectives ----------------------------------------------------------------------------------------------------


def _collectives(simulation: Mapping[str, Any]) -> Chart:
    all_of_them = simulation["collectives"]
    time_unit, size = _scale((simulation["tactics"][-1]["seconds"],), _SECONDS)
    tactics = [t["tactic"] for t in simulation["tactics"] if t["tactic"]]
    colours = _colours(dict.fromkeys([*tactics, *(c["tactic"] or "no tactic" for c in all_of_them)]), TACTIC_COLOURS)
    rows = sorted({"+".join(c["axes"]) for c in all_of_them}, key=lambda r: (r.count("+"), r)) or list(simulation["mesh"])
    figure = go.Figure()
    for tactic, colour in colours.items():
        mine = [c for c in all_of_them if (c["tactic"] or "no tactic") == tactic]
        if mine:
            figure.add_bar(
                orientation="h", name=tactic, marker_color=colour, marker_line_width=0, hoverinfo="text",
                y=["+".join(c["axes"]) for c in mine], x=[c["seconds"] / size for c in mine],
                base=[c["start"] / size for c in mine], hovertext=[_hover_collective(c) for c in mine],
            )  # fmt: skip
    figure.update_xaxes(title_text=time_unit, range=[0, simulation["tactics"][-1]["seconds"] / size])
    figure.update_yaxes(categoryorder="array", categoryarray=rows[::-1], title_text="along")
    text = (
        "When each collective runs, by the mesh axes it runs along; the colour is the tactic that it is there for. "
        "Hover for the source line; the table below has them by line."
    )
    return Chart("Collectives over the step", text, _layout(figure, 140 + 70 * len(rows), barmode="overlay", bargap=0.35))


_NUMBER = re.compile(r"(?<=[/_])\d+(?=[/_ ]|$)")  # of a layer


def _within(places: Iterable[str]) -> int:
    """How much of all these paths is the folder that they share."""
    folders = {place.rpartition("/")[0] for place in places}
    shared = os.path.commonpath(folders) if folders and "" not in folders else ""
    return len(shared) + 1 if shared else 0


def _hover_collective(c: Mapping[str, Any]) -> str:
    runs = f" in {c['runs']:,.0f} runs" if c["runs"] > 1 else ""
    return (
        f"<b>{c['kind']}</b> along {'+'.join(c['axes'])}, tactic {c['tactic'] or 'none'}<br>of {c['serves']}<br>for {c['path'] or c['place']}<br>"
        f"{bytes_text(c['bytes'])} sent in {seconds_text(c['seconds'])}{runs}, {seconds_text(c['exposed'])} of it exposed"
    )


def collective_table(simulation: Mapping[str, Any]) -> list[list[str]]:
    """Collectives by kind, axes, tactic and what they serve, layers together: a head, then those that take longest first."""
    groups: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for c in simulation["collectives"]:
        names = (_NUMBER.sub("*", c["serves"]), _NUMBER.sub("*", c["path"]))
        groups.setdefault((c["kind"], "+".join(c["axes"]), c["tactic"] or "", *names), []).append(c)
    shared = _within(c["place"] for c in simulation["collectives"])
    rows = []
    for (kind, axes, tactic, serves, path), members in sorted(groups.items(), key=lambda g: -sum(c["seconds"] for c in g[1])):
        served = {c["serves"] for c in members}
        what = f"{serves} ×{len(served)}" if len(served) > 1 else members[0]["serves"]
        place = path or members[0]["place"][shared:]
        runs, sent, seconds, exposed = (sum(c[key] for c in members) for key in ("runs", "bytes", "seconds", "exposed"))
        rows.append([kind, axes, tactic, _end(what), _end(place), f"{runs:,.0f}", bytes_text(sent), seconds_text(seconds), seconds_text(exposed)])
    return [["collective", "along", "tactic", "serves", "for the op at", "runs", "sent", "time", "exposed"], *rows]


# ---- Roofline -------------------------------------------------------------------------------------------------------


def _roofline(simulation: Mapping[str, Any]) -> Chart:
    total = sum(k["seconds"] for k in simulation["kernels"])
    kernels = [k for k in simulation["kernels"] if k["flops"] > 1e-3 * k["bytes"] > 0 and k["seconds"] > 1e-4 * total]
    bandwidth = simulation["device_bandwidth"]
    peaks = {name: rate for name, rate in simulation["device_peaks"].items() if rate > 0}
    intensities = [k["flops"] / k["bytes"] for k in kernels]
    low = min([*intensities, min(peaks.values()) / bandwidth]) / 3
    high = max([*intensities, max(peaks.values()) / bandwidth]) * 3
    figure = go.Figure()
    by_rate: dict[float, list[str]] = {}
    for name, rate in peaks.items():
        by_rate.setdefault(rate, []).append(name)
    for rate, names in by_rate.items():
        crowded = any(rate < other < 4 * rate for other in by_rate)
        ridge = rate / bandwidth
        start = low if rate == max(by_rate) else ridge
        figure.add_scatter(
            x=[start, ridge, high], y=[start * bandwidth, rate, rate], mode="lines", hoverinfo="skip",
            line={"color": COMPUTE, "width": 1.5, "dash": "solid" if rate == max(by_rate) else "dot"}, showlegend=False,
        )  # fmt: skip
        figure.add_scatter(
            x=[high], y=[rate / 1.7 if crowded else 1.5 * rate], mode="text", text=[f"{', '.join(names)}: {rate / 1e12:.4g} TFLOP/s"],
            textposition="middle left", hoverinfo="skip", showlegend=False,
        )  # fmt: skip
    for bound, colour in (("compute", AXIS_COLOURS[1]), ("memory", AXIS_COLOURS[0])):
        mine = [k for k in kernels if k["bound_by"] == bound]
        figure.add_scatter(
            x=[k["flops"] / k["bytes"] for k in mine], y=[k["flops"] / k["seconds"] for k in mine], mode="markers",
            name=f"waits for {bound}", hovertext=[_hover_kernel(k, total) for k in mine], hoverinfo="text",
            marker={"color": colour, "opacity": 0.7, "size": [6 + 44 * math.sqrt(k["seconds"] / total) for k in mine],
                    "line": {"width": 1, "color": colour}},
        )  # fmt: skip
    figure.update_xaxes(type="log", title_text="FLOPs for each byte of memory traffic", dtick=1, exponentformat="power")
    figure.update_yaxes(type="log", title_text="FLOP/s", dtick=1, exponentformat="power")
    text = (
        f"Kernels of one kind and source line as a point, by how often they use a byte (memory: {bandwidth / 1e9:,.0f} GB/s); the area is "
        "their share of compute time (below 0.01 %, and with hardly any arithmetic, they are left out). Under the slope memory limits, under the flat lines the arithmetic of that type."
    )
    return Chart("Roofline", text, _layout(figure, 480))


def _hover_kernel(k: Mapping[str, Any], total: float) -> str:
    return (
        f"<b>{k['op']}</b> at {k['place']}<br>{k['runs']:,.0f} runs, {seconds_text(k['seconds'])}, {100 * k['seconds'] / total:.2g} % of compute<br>"
        f"{k['flops'] / k['seconds'] / 1e12:.3g} TFLOP/s, {k['flops'] / k['bytes']:.3g} FLOPs a byte, waits for {k['bound_by']}"
    )


# ---- Shardings ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Placed:
    """Arguments of the same shape that lie alike."""

    names: list[str]
    type: str
    shape: tuple[int, ...]
    distribution: tuple[tuple[str, ...], ...]


def _placed(arguments: Iterable[Mapping[str, Any]]) -> list[_Placed]:
    groups: dict[Any, list[str]] = {}
    for a in arguments:
        key = a["type"], tuple(a["shape"]), tuple(tuple(axes) for axes in a["distribution"])
        groups.setdefault(key, []).append(a["name"])
    found = [_Placed(names, *key) for key, names in groups.items()]
    return sorted(found, key=lambda p: -math.prod(p.shape) * len(p.names))


def _shardings(data: Mapping[str, Any]) -> Chart:
    mesh = data["mesh"]
    groups = _placed(data["arguments"])
    shown = groups[:MOST_MESHES]
    columns = min(4, max(1, len(shown)))
    lines = max(1, -(-len(shown) // columns))
    tall = 90 + 20 * min(8, next(iter(mesh.values()), 1))  # of one mesh with its title, in pixels
    figure = make_subplots(
        rows=lines, cols=columns, subplot_titles=[_title_placed(g) for g in shown], horizontal_spacing=0.06,
        vertical_spacing=90 / (tall * lines) if lines > 1 else 0,
    )  # fmt: skip
    for i, group in enumerate(shown):
        figure.add_trace(_on_the_mesh(group, mesh), row=i // columns + 1, col=i % columns + 1)
    down, across = list(mesh)[:1], list(mesh)[1:]
    figure.update_xaxes(showgrid=False, zeroline=False, showticklabels=False, ticks="", title_text=" × ".join(across), title_standoff=4)
    figure.update_yaxes(
        showgrid=False, zeroline=False, showticklabels=False, ticks="", autorange="reversed", title_text="".join(down), title_standoff=4
    )
    figure.update_annotations(font_size=11)
    _layout(figure, tall * lines + 40)
    figure.update_layout(margin_t=60)
    left = len(groups) - len(shown)
    text = (
        "The mesh, a cell for each device: devices of one colour hold the same part of the argument, which the cell names. "
        "Arguments of one shape that lie alike are drawn once (+n: n more of them)" + (f"; {left} smaller kinds are left out." if left else ".")
    )
    return Chart("Where the arguments lie", text, figure)


def _title_placed(group: _Placed) -> str:
    patterns = list(dict.fromkeys(re.sub(r"(?<=/)\d+(?=/|$)", "*", name) for name in group.names))
    more = len(group.names) - 1
    split = ", ".join("{" + ",".join(axes) + "}" for axes in group.distribution)
    shape = "×".join(map(str, (*group.shape, group.type)))
    return f"<b>{_short(patterns[0], 36)}</b>{f' +{more}' if more else ''}<br>{shape}<br>[{split}]"


def _on_the_mesh(group: _Placed, mesh: Mapping[str, int]) -> go.Heatmap:
    """Rows are the first axis, columns the others together: the numbers of the devices run as one reads."""
    sizes = list(mesh.values())
    digits, distribution = cut(mesh, group.distribution)
    rows, columns = (sizes[0], math.prod(sizes[1:])) if sizes else (1, 1)
    parts: list[list[int]] = []
    texts: list[list[str]] = []
    hovers: list[list[str]] = []
    for row in range(rows):
        parts.append([]), texts.append([]), hovers.append([])
        for column in range(columns):
            place = dict(zip(digits, _coordinates(row * columns + column, list(digits.values()))))
            number, slices = 0, []
            for size, axes in zip(group.shape, distribution):
                chunks = math.prod(digits[a] for a in axes)
                index = 0
                for axis in axes:
                    index = index * digits[axis] + place[axis]
                number = number * chunks + index
                slices.append(f"{index * size // chunks}:{(index + 1) * size // chunks}" if axes else ":")
            parts[-1].append(number)
            texts[-1].append(", ".join(slices))
            hovers[-1].append(f"device {row * columns + column}<br>holds [{', '.join(slices)}]")
    count = math.prod(digits[a] for axes in distribution for a in axes)
    return go.Heatmap(
        z=parts, zmin=0, zmax=max(1, count - 1), colorscale="Viridis" if count > 1 else [[0, COMPUTE], [1, COMPUTE]],
        text=texts if columns <= 4 and rows <= 8 else None, texttemplate="%{text}" if columns <= 4 and rows <= 8 else None,
        textfont_size=10, hovertext=hovers, hoverinfo="text", showscale=False, xgap=2, ygap=2,
    )  # fmt: skip


def _coordinates(device: int, sizes: Sequence[int]) -> list[int]:
    """Where a device is on the mesh: the last axis varies fastest."""
    place = []
    for size in reversed(sizes):
        place.append(device % size)
        device //= size
    return place[::-1]
