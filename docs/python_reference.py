"""Writes docs/python.md: the Python API on one page, from its docstrings (`make docs`)."""

from __future__ import annotations

import enum
import inspect
import sys
import textwrap
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

import partir

HEAD = """# The Python API

Everything that `import partir` gives, written from its docstrings. `docs/tutorial.md` shows how it is used, `docs/schedule.md` has
the patterns and words of tactics, `docs/partitioning.md` what the tables of a report mean.
"""


def signature(name: str, thing: Any) -> str:
    """A call of it, as one would write it."""
    parameters = []
    starred = False
    for p in inspect.signature(thing).parameters.values():
        if p.name in ("self", "cls"):
            continue
        if p.kind is p.KEYWORD_ONLY and not starred:
            parameters.append("*")
        starred = starred or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        simple = p.default is None or isinstance(p.default, (str, int, float, tuple))
        default = "" if p.default is p.empty else f"={p.default!r}" if simple else "=…"
        parameters.append(f"{star}{p.name}{default}")
    return f"{name}({', '.join(parameters)})"


def prose(thing: Any) -> str:
    """What its docstring says."""
    return textwrap.dedent(inspect.getdoc(thing) or "").strip()


def members(cls: type) -> list[str]:
    """Methods and properties of a class that are for users."""
    lines = []
    for name, member in vars(cls).items():
        if name.startswith("_"):
            continue
        function = member.__func__ if isinstance(member, (staticmethod, classmethod)) else member
        if inspect.isfunction(function):
            title = signature(name, function)
        elif isinstance(member, property) or hasattr(member, "func"):
            title = name
        else:
            continue
        if prose(function if inspect.isfunction(function) else member):
            lines.append(f"- `{title}`: {prose(function if inspect.isfunction(function) else member)}".replace("\n", "\n  "))
    return lines


def page() -> str:
    """All of it."""
    parts = [HEAD]
    for name in sorted(partir.__all__, key=lambda n: (n.isupper(), n[0].isupper(), n.lower())):
        thing = getattr(partir, name)
        if isinstance(thing, enum.Enum):
            source = inspect.getsource(type(thing)).split(f"{thing.name} =", 1)[1]
            parts.append(f'## `partir.{name}`\n\n{source.split(chr(34) * 3)[1]}\n')
        elif inspect.isclass(thing):
            constructed = name in ("ManualPartition", "Schedule", "AutomaticPartition", "Mesh")
            title = signature(f"partir.{name}", thing) if constructed else f"partir.{name}"
            parts.append("\n".join([f"## `{title}`\n", prose(thing) + "\n", *members(thing), *([""] if members(thing) else [])]))
        else:
            parts.append(f"## `{signature(f'partir.{name}', thing)}`\n\n{prose(thing)}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    (ROOT / "docs" / "python.md").write_text(page())
