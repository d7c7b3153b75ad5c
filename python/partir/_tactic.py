"""Tactics and rules as Python values, and how they become the lines that the C library reads.

    partir.ManualPartition({"x": 0, "params/**": partir.FIRST_DIVISIBLE_DIM}, axis="batch", name="BP")

is   tactic BP on batch { x : 0   params/** : first_divisible }
"""

from __future__ import annotations

import dataclasses
import enum
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Union

import jax
import numpy as np

from partir import _lib
from partir._check import COUNT, NAME, TEXT, TEXTS, Kind, check


class Choice(enum.Enum):
    """What a tactic may say of a value apart from a dimension; its word in a schedule file does too."""

    FIRST_DIVISIBLE_DIM = "first_divisible"
    """Tile the first dimension that the axis divides."""
    REPLICATED = "replicated"
    """Keep the value whole on the axis, and stop propagation through it."""
    UNKNOWN = "unknown"
    """Decide nothing, and leave the value to propagation. It cancels an earlier line of the tactic."""

    def __repr__(self) -> str:
        return f"partir.{self.name}"


FIRST_DIVISIBLE_DIM, REPLICATED, UNKNOWN = Choice
Decision = Union[int, Choice, str]
Decide = Callable[[str, jax.ShapeDtypeStruct], Decision]


def _check_axes(axes: Any) -> None:
    several = [axes] if isinstance(axes, str) else axes
    if not (isinstance(several, Sequence) and several and all(NAME.accepts(_whole_axis(a)) for a in several)):
        raise TypeError(f"a tactic is for an axis of the mesh by its name, or for several (('data', 'fsdp')), not for {axes!r}")


def _whole_axis(axis: Any) -> Any:
    """The axis that a part is of: model of model:(1)2."""
    return re.sub(r":\(\d+\)\d+$", "", axis) if isinstance(axis, str) else axis


def _choice(decision: Any) -> Choice | None:
    """The choice that was given, by itself or by its word."""
    return next((c for c in Choice if decision is c or isinstance(decision, str) and decision == c.value), None)


_DECISION = Kind(
    "a dimension (0, -1), FIRST_DIVISIBLE_DIM, REPLICATED, UNKNOWN, or a function of path and type that returns one",
    lambda x: _choice(x) or hasattr(x, "__index__") and not isinstance(x, (bool, np.ndarray)),
)
_MEMORY = Kind("a number of bytes, or a string ('14GiB')", lambda x: TEXT.accepts(x) or COUNT.accepts(x))
_BUDGET = Kind(
    "seconds as a float, a number of evaluations, or a string ('1s')",
    lambda x: TEXT.accepts(x) or COUNT.accepts(x) or isinstance(x, (float, np.floating)) and 0 <= x < float("inf"),
)


_NOT_THE_USERS = (str(Path(__file__).parent), dataclasses.__file__, "<")


def caller() -> str | None:
    """The line outside of this package that makes a tactic, a rule or a schedule, for errors to point at."""
    frame: FrameType | None = sys._getframe(1)
    while frame and frame.f_code.co_filename.startswith(_NOT_THE_USERS):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame else None


@dataclass(frozen=True)
class ManualPartition:
    """A tactic: how the values that match some patterns are tiled on an axis of the mesh, or on several, major first.

    `inputs` maps path patterns (`*` is one part of a path, `**` any number, `{a,b}` alternatives; a filter may follow:
    `params/** if rank >= 2`) to a dimension, FIRST_DIVISIBLE_DIM, REPLICATED, UNKNOWN, or a function of a value's path
    and type that returns one of those. Where several patterns match, the last one decides. Results are `out/...`.
    """

    inputs: Mapping[str, Decision | Decide]
    axis: str | Sequence[str]
    name: str | None = None
    place: str | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.inputs, Mapping):
            raise TypeError(f"the inputs of a tactic are a dict from patterns to dimensions ({{'x': 0}}), not {self.inputs!r}")
        for pattern, decision in self.inputs.items():
            check("the pattern of a tactic", pattern, TEXT)
            if not callable(decision):
                check(f"what a tactic says of {pattern}", decision, _DECISION)
        _check_axes(self.axis)
        check("the name of a tactic", self.name, NAME, optional=True)
        object.__setattr__(self, "place", caller())

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes, major first."""
        return (self.axis,) if isinstance(self.axis, str) else tuple(self.axis)


@dataclass(frozen=True)
class AutomaticPartition:
    """A tactic that a search decides: what to tile on these axes, so that a step is fast and fits into memory.

        partir.jit(f, mesh=mesh, schedule=[BP, partir.AutomaticPartition(axes=["model"]), Z3], device="tpu_v5e")

    It undoes no earlier tactic, and a plan's score includes the tactics that follow. `memory` is the most on each device, in
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
    place: str | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check_axes(self.axes)
        check("memory", self.memory, _MEMORY, optional=True)
        check("budget", self.budget, _BUDGET)
        check("objective", self.objective, TEXT)
        check("leave", self.leave, TEXTS)
        check("seed", self.seed, COUNT)
        check("the name of a tactic", self.name, NAME, optional=True)
        object.__setattr__(self, "place", caller())

    def _options(self) -> Iterator[str]:
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
    """A tactic in the file form, as it was read, and where."""

    text: str
    name: str
    place: str = field(repr=False, compare=False)


@dataclass(frozen=True)
class Rule:
    """The factors of a custom call; see `rule`."""

    target: str
    notation: str
    place: str | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", caller())

    def __str__(self) -> str:
        return f'"{self.target}" : {self.notation}'


def rule(target: str, notation: str) -> Rule:
    """How a kernel may be cut into chunks: `partir.rule("flash", "(b h s d, b h t d) -> (b h s d) whole(s, t, d)")`.

    It stands in the schedule beside the tactics. `target` is the call's, or the name of its kernel; the notation is the
    schedule's own: equal names are cut together, `reduction(...)` are summed over, `whole(...)` may not be cut.

    A Pallas kernel has the name that `pallas_call` was given, or that of its function; each device runs its part of the grid.
    """
    check("the target of a rule", target, TEXT)
    check("the notation of a rule", notation, TEXT)
    return Rule(target, notation)


Tactic = Union[ManualPartition, AutomaticPartition, Text]
Types = Mapping[str, jax.ShapeDtypeStruct]


def lines(tactic: ManualPartition, types: Types) -> Iterator[str]:
    """The lines of a tactic, with functions replaced by what they say of each value."""
    decided: set[str] = set()  # paths that a line so far names
    asks = any(map(callable, tactic.inputs.values()))
    values = [(path, *_physical(leaf)) for path, leaf in types.items()] if asks else []
    for pattern, decision in tactic.inputs.items():
        hits = [v[0] for v, hit in zip(values, _lib.accepted(pattern, values)) if hit] if asks else []
        if not callable(decision):
            yield f"{pattern} : {_word(f'{pattern} of {known_as(tactic)}', decision)}"
        elif hits:
            for path in hits:
                word = _word(f"{path}, as a function of {known_as(tactic)} says", _asked(tactic, decision, path, types[path]))
                if word != UNKNOWN.value or path in decided:
                    yield f"{path_text(path)} : {word}"
        elif pattern.startswith("loc/"):
            raise ValueError(
                f"{pattern} of {known_as(tactic)}: a function decides on arguments, results and tags; a value inside the program that has no "
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


def path_text(path: str) -> str:
    """A path as a schedule has it: in quotes where it holds more than names."""
    return path if re.fullmatch(r"[\w./~@$+-]+", path) else f'"{path}"'


def known_as(tactic: ManualPartition) -> str:
    return f"tactic {tactic.name or 'without a name'} at {tactic.place}"


def _asked(tactic: ManualPartition, decide: Decide, path: str, leaf: jax.ShapeDtypeStruct) -> Any:
    """What a function says of a value; if it fails, the error says of which."""
    try:
        return decide(path, leaf)
    except Exception as error:
        error.add_note(f"{known_as(tactic)} asks a function of a path and a type about {path!r} and {leaf}")
        raise


def _word(what: str, decision: Any) -> str:
    if choice := _choice(decision):
        return choice.value
    if not _DECISION.accepts(decision):
        raise TypeError(f"{what}: {decision!r} is neither a dimension nor FIRST_DIVISIBLE_DIM, REPLICATED or UNKNOWN")
    return str(decision.__index__())
