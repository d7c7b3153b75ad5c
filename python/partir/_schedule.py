"""A schedule: tactics in their order, and what goes with them in a file.

    partir.Schedule([BP, MP], mesh={"batch": 4, "model": 2}, demands=["deny conflict"]).save("step.schedule")
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from partir import _lib
from partir._check import INTEGER, PAIRS, PATH, TEXT, TEXTS, TRUTH, Kind, check
from partir._tactic import (
    AutomaticPartition,
    ManualPartition,
    Rule,
    Tactic,
    Text,
    Types,
    caller,
    lines,
    path_text,
)


def _list_of(*types: type) -> Callable[[Any], bool]:
    return lambda x: isinstance(x, Sequence) and not isinstance(x, str) and all(isinstance(each, types) for each in x)


_TACTICS = Kind("a list of tactics ([BP, MP])", _list_of(ManualPartition, AutomaticPartition, Text))
_RULES = Kind("a list of strings or partir.rule(...)", _list_of(str, Rule))
_MESH = Kind(
    "a dict of sizes by axis ({'batch': 4, 'model': 2})",
    lambda x: isinstance(x, Mapping) and all(map(TEXT.accepts, x)) and all(map(INTEGER.accepts, x.values())),
)
_TYPES = Kind(
    "a dict of jax.ShapeDtypeStruct by path",
    lambda x: isinstance(x, Mapping) and all(map(TEXT.accepts, x)) and all(hasattr(t, "dtype") for t in x.values()),
)


@dataclass(frozen=True)
class Schedule(Sequence[Tactic]):
    """An ordered list of tactics, and what goes with it in a file: mesh, simulated device, ties and rules.

    `ties` says which results are the next state of which arguments (`{"params": "out/0"}`), beyond those that donation
    tells; `rules` gives the factors of custom calls (`'"my_kernel" : (i j, j k) -> (i k) reduction(j)'`);
    `gathers` says which values are gathered once for all their uses, which keeps the whole value alive between them: none
    (`"per_use"`), all (`"shared"`), or all but arguments (`"weights_per_use"`); `"whole_tables"`
    is `"per_use"`, and gathers tables for lookups even where looking up in their chunks sends less; `"least"` is
    `"per_use"`, and makes products in the chunks of a weight where that sends less; `demands` says what must hold of the partitioned
    program, an error if it does not: `"deny all_gather on model"`, `"expect all_reduce 418 on batch"`; `annotations` says
    what to do with the shardings that the program carries itself (`with_sharding_constraint`, Explicit meshes): tactics
    before these (`"apply"`), nothing (`"ignore"`), or an `"error"`.
    """

    tactics: Sequence[Tactic] = ()
    mesh: Mapping[str, int] | None = None
    device: str | None = None
    ties: Mapping[str, str] = field(default_factory=dict)
    rules: Sequence[str | Rule] = ()
    gathers: str = "per_use"
    demands: Sequence[str] = ()
    annotations: str = "apply"
    trust_rules: bool = False
    place: str | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check("the tactics of a schedule", self.tactics, _TACTICS)
        check("the mesh of a schedule", self.mesh, _MESH, optional=True)
        check("the device of a schedule", self.device, TEXT, optional=True)
        check("the ties of a schedule", self.ties, PAIRS)
        check("the rules of a schedule", self.rules, _RULES)
        check("gathers", self.gathers, TEXT)
        check("the demands of a schedule", self.demands, TEXTS)
        check("annotations", self.annotations, TEXT)
        check("trust_rules", self.trust_rules, TRUTH)
        object.__setattr__(self, "place", caller())

    def __getitem__(self, index: Any) -> Any:
        return self.tactics[index]

    def __len__(self) -> int:
        return len(self.tactics)

    def __add__(self, more: Iterable[Tactic]) -> Schedule:
        check("what is added to a schedule", more, _TACTICS)
        return self._with(tactics=(*self.tactics, *more))

    @staticmethod
    def load(path: str | PathLike[str]) -> Schedule:
        """The schedule of a file."""
        check("path", path, PATH)
        text = Path(path).read_text(encoding="utf-8", errors=_lib.KEEP)
        read = _lib.Schedule(_lib.Context(), str(path), text)
        loaded = Schedule(
            tuple(Text(t.text.strip(), t.name, f"{path}:{t.line}") for t in read.tactics),
            read.mesh or None,
            read.device,
            read.ties,
            tuple(read.rules),
            read.gathers,
            tuple(read.demands),
            read.annotations,
            read.trust_rules,
        )
        object.__setattr__(loaded, "place", str(path))
        return loaded

    def save(self, path: str | PathLike[str]) -> None:
        """Write the schedule to a file. Tactics with functions need a program: save `step.lower(...).schedule`."""
        check("path", path, PATH)
        Path(path).write_text(self.text())

    def text(self, types: Types | None = None) -> str:
        """The file form. Functions are asked about the values of `types`."""
        check("types", types, _TYPES, optional=True)
        return "\n".join(line for line, _ in self._placed(types)) + "\n"

    def _with(self, **changes: Any) -> Schedule:
        """This schedule with some of it changed; errors still point at where it was made."""
        changed = replace(self, **changes)
        object.__setattr__(changed, "place", self.place)
        return changed

    def _placed(self, types: Types | None = None) -> list[tuple[str, str | None]]:
        """The lines of the file form, each with the line of Python or of a file that its statement comes from."""
        return [(line, place) for text, place in self._statements(types) for line in text.split("\n")]

    def _statements(self, types: Types | None) -> Iterator[tuple[str, str | None]]:
        """The statements of the file form, each with where it comes from."""
        if self.mesh:
            yield "mesh " + ", ".join(f"{name}={size}" for name, size in self.mesh.items()), self.place
        if self.device:
            yield (f'device "{self.device}"' if "/" in self.device or " " in self.device else f"device {self.device}"), self.place
        if self.annotations != "apply":
            yield f"annotations {self.annotations}", self.place
        if self.trust_rules:
            yield "rules trust", self.place
        if self.gathers != "per_use":
            yield f"gathers {self.gathers}", self.place
        for argument, result in self.ties.items():
            yield f"tie {path_text(argument)} -> {path_text(result)}", self.place
        for rule in self.rules:
            yield f"rule {rule}", rule.place if isinstance(rule, Rule) else self.place
        names = {tactic.name for tactic in self.tactics}
        unused = (f"tactic{i}" for i in itertools.count(1) if f"tactic{i}" not in names)
        for tactic in self.tactics:
            yield "\n" + _tactic_text(tactic, types, unused), tactic.place
        for demand in self.demands:
            yield demand, self.place


def _tactic_text(tactic: Tactic, types: Types | None, unused: Iterator[str]) -> str:
    """A tactic in the file form, with a name of its own."""
    if isinstance(tactic, Text):
        return tactic.text
    if isinstance(tactic, AutomaticPartition):
        keyword, axes, inner = "auto", [tactic.axes] if isinstance(tactic.axes, str) else tactic.axes, tactic._options()
    elif types is None and any(map(callable, tactic.inputs.values())):
        raise ValueError("a tactic with a function has no file form until a program is lowered with it")
    else:
        keyword, axes, inner = "tactic", tactic.axes, lines(tactic, types or {})
    return "\n".join([f"{keyword} {tactic.name or next(unused)} on {', '.join(axes)} {{", *(f"  {line}" for line in inner), "}"])
