"""What each tactic of a schedule did: a table in the terminal, HTML in a notebook, JSON for programs."""

from __future__ import annotations

import html
import json
from typing import Any


class Report:
    """The state of a program after each tactic: collectives, bytes, conflicts. `print` it, or show it in a notebook."""

    def __init__(self, table: str, text: str):
        self._table = table
        self._json = text

    def to_json(self) -> str:
        """The report as JSON text."""
        return self._json

    @property
    def data(self) -> dict[str, Any]:
        """The report as Python values."""
        return json.loads(self._json)

    def __str__(self) -> str:
        return self._table

    def __repr__(self) -> str:
        return self._table

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._table)}</pre>"
