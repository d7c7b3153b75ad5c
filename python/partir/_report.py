"""What each tactic of a schedule did: a table in the terminal, HTML in a notebook, JSON for programs."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from typing import Any


class Report:
    """The program after each tactic: its collectives, their bytes, conflicts. Print it, or show it in a notebook."""

    def __init__(self, table: str, text: str):
        self._table = table
        self._text = text

    def to_json(self) -> str:
        """The report as JSON text."""
        return self._text

    @property
    def data(self) -> dict[str, Any]:
        """The report as Python values: "tactics" in order, "arguments" and "results" with their distributions."""
        return json.loads(self._text)

    def __str__(self) -> str:
        return self._table

    def __repr__(self) -> str:
        return self._table

    def _repr_html_(self) -> str:
        data = self.data
        tactics = data["tactics"]
        kinds = [k for k in (tactics[0]["totals"] if tactics else ()) if any(t["totals"][k] for t in tactics)]
        mesh = ", ".join(f"{axis}={size}" for axis, size in data["mesh"].items())
        head = ["tactic", "axis", *kinds, "bytes sent", "argument bytes", "conflicts"]
        rows = [
            [
                t["name"],
                t["axis"],
                *(f"{t['totals'][kind]:,.0f}" for kind in kinds),
                _bytes(t["bytes_sent"]),
                _bytes(t["argument_bytes"]),
                f"{len(t['conflicts'])}",
            ]
            for t in tactics
        ]
        found = [
            f"<li>{html.escape(t['name'])}: {'race' if c['race'] else 'conflict'} at {html.escape(c['op'])} on "
            f"{html.escape(c['axis'])}, between {' and '.join(html.escape(k['from']) for k in c['candidates'])}</li>"
            for t in tactics
            for c in t["conflicts"]
        ]
        return (
            f"<table><caption>mesh {html.escape(mesh)}</caption>{_row('th', head)}"
            f"{''.join(_row('td', row) for row in rows)}</table>" + (f"<ul>{''.join(found)}</ul>" if found else "")
        )


def _row(cell: str, texts: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{cell}>{html.escape(text)}</{cell}>' for text in texts)}</tr>"


def _bytes(count: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.0f} B" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} TiB"
