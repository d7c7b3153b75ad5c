"""Tactics and schedules as Python values, and how they become the text that the C library reads.

    partir.ManualPartition({"x": 0, "params/**": partir.FIRST_DIVISIBLE_DIM}, axis="batch", name="BP")

is   tactic BP on batch { x : 0   params/** : first_divisible }
"""

from __future__ import annotations

import enum
import itertools
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, Union

import jax

from partir import _lib


class Choice(enum.Enum):
    """What a tactic may say of a value apart from a dimension."""

    FIRST_DIVISIBLE_DIM = "first_divisible"
    """Tile the first dimension that the axis divides."""
    REPLICATED = "replicated"
    """Keep the value whole on the axis, and stop propagation through it."""
    UNKNOWN = "unknown"
    """Decide nothing: propagation may. Takes back what an earlier line of the tactic says."""

    def __repr__(self) -> str:
        return f"partir.{self.name}"


FIRST_DIVISIBLE_DIM, REPLICATED, UNKNOWN = Choice
Decision = Union[int, Choice]
Decide = Callable[[str, jax.ShapeDtypeStruct], Decision]


def _check_axes(axes: Any) -> None:
    if not isinstance(axes, str) and not (isinstance(axes, Sequence) and axes and all(isinstance(a, str) for a in axes)):
        raise TypeError(f"a tactic is for an axis of the mesh by its name, or for several (('data', 'fsdp')), not for {axes!r}")


def _caller() -> str | None:
    """The line outside of this package that makes a tactic, for errors to point at."""
    frame = sys._getframe(1)
    while frame and (frame.f_code.co_filename == __file__ or frame.f_code.co_filename.startswith("<")):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame else None


@dataclass(frozen=True)
class ManualPartition:
    """A tactic: how the values that match some patterns lie on an axis of the mesh, or on several, major first.

    `inputs` maps path patterns (`*` is one part of a path, `**` any number, `{a,b}` alternatives; a filter may follow:
    `params/** if rank >= 2`) to a dimension, FIRST_DIVISIBLE_DIM, REPLICATED, UNKNOWN, or a function of a value's path
    and type that returns one of those. Where several patterns match, the last one decides. Results are `out/...`.
    """

    inputs: Mapping[str, Decision | Decide]
    axis: str | Sequence[str]
    name: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.inputs, Mapping):
            raise TypeError(f"the inputs of a tactic are a dict from patterns to dimensions ({{'x': 0}}), not {self.inputs!r}")
        _check_axes(self.axis)
        object.__setattr__(self, "place", _caller())

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes, major first."""
        return (self.axis,) if isinstance(self.axis, str) else tuple(self.axis)


@dataclass(frozen=True)
class AutomaticPartition:
    """A tactic that a search decides: what to tile on these axes, so that a step is fast and fits into memory.

        partir.jit(f, mesh=mesh, schedule=[BP, partir.AutomaticPartition(axes=["model"]), Z3], device="tpu_v5e")

    Tactics before it stay as they are, and those after it are part of the score. `memory` is the most on each device, in
    bytes or as "14GiB"; by default all that the device has. `budget` is how long to search: seconds as a float, "1s", or a
    number of evaluations as an int, with which equal seeds give equal answers. `objective` is "time" or "memory"; no action
    names what matches a pattern of `leave`. What was found is in `lowered.schedule`, as manual tactics.
    """

    axes: Sequence[str]
    memory: int | str | None = None
    budget: float | int | str = "1s"
    objective: str = "time"
    leave: Sequence[str] = ()
    seed: int = 0
    name: str | None = None

    def __post_init__(self) -> None:
        _check_axes(self.axes)
        object.__setattr__(self, "place", _caller())

    def options(self) -> Iterator[str]:
        """The options of the file form."""
        if isinstance(self.budget, str):
            yield f"budget {self.budget}"
        else:
            whole = isinstance(self.budget, int)
            yield f"budget {self.budget}" if whole else f"budget {round(self.budget * 1000)}ms"
        if self.memory is not None:
            yield f"memory {self.memory}" if isinstance(self.memory, str) else f"memory {self.memory}B"
        if self.objective != "time":
            yield f"objective {self.objective}"
        if self.seed:
            yield f"seed {self.seed}"
        yield from (f"leave {pattern}" for pattern in self.leave)


@dataclass(frozen=True)
class Text:
    """Tactics in the file form, as they were read."""

    text: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rule:
    """The factors of a custom call; see `rule`."""

    target: str
    notation: str

    def __str__(self) -> str:
        return f'"{self.target}" : {self.notation}'


def rule(target: str, notation: str) -> Rule:
    """How a kernel may be cut up: `partir.rule("flash", "(b h s d, b h t d) -> (b h s d) whole(s, t, d)")`.

    It stands in the schedule beside the tactics. `target` is the call's, or the name of its kernel; the notation is the
    schedule's own: equal names are cut up together, `reduction(...)` are summed over, `whole(...)` may not be cut.

    A Pallas kernel has the name that `pallas_call` was given, or that of its function; each device runs its part of the grid.
    """
    return Rule(target, notation)


Tactic = Union[ManualPartition, AutomaticPartition, Text]
Types = Mapping[str, jax.ShapeDtypeStruct]


def _lines(tactic: ManualPartition, types: Types) -> Iterator[str]:
    """The lines of a tactic, with functions replaced by what they say of each value."""
    decided: set[str] = set()  # paths that a line so far names
    asks = any(map(callable, tactic.inputs.values()))
    values = [(path, *_physical(leaf)) for path, leaf in types.items()] if asks else []
    for pattern, decision in tactic.inputs.items():
        hits = [v[0] for v, hit in zip(values, _lib.accepted(pattern, values)) if hit] if asks else []
        if not callable(decision):
            yield f"{pattern} : {_word(pattern, decision)}"
        elif hits:
            for path in hits:
                word = _word(path, decision(path, types[path]))
                if word != UNKNOWN.value or path in decided:
                    yield f"{_path(path)} : {word}"
        elif pattern.startswith("loc/"):
            raise ValueError(
                f"{pattern}: a function decides on arguments, results and tags; a value inside the program that has no "
                "tag takes a dimension, FIRST_DIVISIBLE_DIM, REPLICATED or UNKNOWN"
            )
        else:
            yield f"{pattern} : unknown"  # for the library to say what is near
        decided.update(hits)


def _physical(leaf: jax.ShapeDtypeStruct) -> tuple[str, tuple[int, ...]]:
    """The element type and the shape of a value as the program has them: random keys are integers there."""
    if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.eval_shape(jax.random.key_data, leaf)
    name = leaf.dtype.name
    if name in ("complex64", "complex128"):
        return f"complex<f{int(name[7:]) // 2}>", leaf.shape
    for long, short in (("bfloat", "bf"), ("float", "f"), ("uint", "ui"), ("int", "i")):
        if name.startswith(long):
            bits, _, format = name[len(long) :].partition("_")
            return short + bits + format.upper(), leaf.shape
    return {"bool": "i1"}.get(name, name), leaf.shape


def _path(path: str) -> str:
    """A path as a schedule has it: in quotes where it holds more than names."""
    return path if re.fullmatch(r"[\w./~@$+-]+", path) else f'"{path}"'


def _word(path: str, decision: Any) -> str:
    if isinstance(decision, Choice):
        return decision.value
    if isinstance(decision, bool) or not hasattr(decision, "__index__"):
        raise TypeError(
            f"{path}: {decision!r} is neither a dimension nor FIRST_DIVISIBLE_DIM, REPLICATED or UNKNOWN"
        )
    return str(decision.__index__())


@dataclass(frozen=True)
class Schedule(Sequence[Tactic]):
    """An ordered list of tactics, and what goes with it in a file: mesh, simulated device, ties and rules.

    `ties` says which results are the next state of which arguments (`{"params": "out/0"}`), beyond those that donation
    tells; `rules` gives the factors of custom calls (`'"my_kernel" : (i j, j k) -> (i k) reduction(j)'`);
    `gathers` says which values are gathered once for all their uses, which keeps the whole value alive between them: none
    (`"per_use"`), all (`"shared"`), or all but arguments (`"weights_per_use"`); `"whole_tables"`
    is `"per_use"`, and gathers tables for lookups even where looking up in their chunks sends less; `demands` says what must hold of the partitioned
    program, an error if it does not: `"deny all_gather on model"`, `"expect all_reduce 418 on batch"`; `annotations` says
    what becomes of the shardings that the program carries itself (`with_sharding_constraint`, Explicit meshes): tactics
    before these (`"apply"`), nothing (`"ignore"`), or an `"error"`.
    """

    tactics: Sequence[Tactic] = ()
    mesh: Mapping[str, int] | None = None
    device: str | None = None
    ties: Mapping[str, str] = field(default_factory=dict)
    rules: Sequence[str] = ()
    gathers: str = "per_use"
    demands: Sequence[str] = ()
    annotations: str = "apply"
    trust_rules: bool = False

    def __getitem__(self, index: Any) -> Any:
        return self.tactics[index]

    def __len__(self) -> int:
        return len(self.tactics)

    def __add__(self, more: Iterable[Tactic]) -> Schedule:
        return replace(self, tactics=(*self.tactics, *more))

    @staticmethod
    def load(path: str | PathLike[str]) -> Schedule:
        """The schedule of a file."""
        text = Path(path).read_text()
        read = _lib.Schedule(_lib.Context(), str(path), text)
        return Schedule(
            (Text("".join(t.text for t in read.tactics).strip(), tuple(t.name for t in read.tactics)),)
            if read.tactics
            else (),
            read.mesh or None,
            read.device,
            read.ties,
            tuple(read.rules),
            read.gathers,
            tuple(read.demands),
            read.annotations,
            read.trust_rules,
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the schedule to a file. Tactics with functions need a program: save `step.lower(...).schedule`."""
        Path(path).write_text(self.text())

    def text(self, types: Types | None = None) -> str:
        """The file form. Functions are asked about the values of `types`."""
        return "\n".join(line for line, _ in self.placed(types)) + "\n"

    def placed(self, types: Types | None = None) -> list[tuple[str, str | None]]:
        """The lines of the file form, each with the line of Python that made its tactic."""
        lines: list[str] = []
        places: list[str | None] = []

        def from_here(tactic: Tactic) -> None:
            lines[:] = "\n".join(lines).split("\n")
            places.extend([None] * (before - len(places)))
            places.extend([getattr(tactic, "place", None)] * (len(lines) - before))

        if self.mesh:
            lines += ["mesh " + ", ".join(f"{name}={size}" for name, size in self.mesh.items())]
        if self.device:
            lines += [f"device {self.device}"]
        if self.annotations != "apply":
            lines += [f"annotations {self.annotations}"]
        if self.trust_rules:
            lines += ["rules trust"]
        if self.gathers != "per_use":
            lines += [f"gathers {self.gathers}"]
        lines += [f"tie {_path(argument)} -> {_path(result)}" for argument, result in self.ties.items()]
        lines += [f"rule {rule}" for rule in self.rules]
        for tactic in self.tactics:
            if not isinstance(tactic, (ManualPartition, AutomaticPartition, Text)):
                raise TypeError(f"a schedule is a list of tactics, and {tactic!r} is none")
        names = {n for t in self.tactics for n in (t.names if isinstance(t, Text) else (t.name,))}
        unused = (f"tactic{i}" for i in itertools.count(1) if f"tactic{i}" not in names)
        for tactic in self.tactics:
            lines = "\n".join(lines).split("\n") if lines else []
            before = len(lines)
            if isinstance(tactic, Text):
                lines += ["", tactic.text]
                continue
            if isinstance(tactic, AutomaticPartition):
                options = [f"  {option}" for option in tactic.options()]
                axes = [tactic.axes] if isinstance(tactic.axes, str) else tactic.axes
                lines += ["", f"auto {tactic.name or next(unused)} on {', '.join(axes)} {{", *options, "}"]
                from_here(tactic)
                continue
            if types is None and any(map(callable, tactic.inputs.values())):
                raise ValueError("a tactic with a function has no file form until a program is lowered with it")
            decisions = [f"  {line}" for line in _lines(tactic, types or {})]
            lines += ["", f"tactic {tactic.name or next(unused)} on {', '.join(tactic.axes)} {{", *decisions, "}"]
            from_here(tactic)
        lines = "\n".join([*lines, *self.demands]).split("\n")
        return list(zip(lines, [*places, *[None] * (len(lines) - len(places))]))
