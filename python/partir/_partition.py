"""A module on its way through the tactics: its values, ops, collectives and costs; and trials of what else could be tiled."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from ctypes import byref, c_int, c_uint32, c_uint64
from dataclasses import dataclass

from partir._declarations import (
    KEEP,
    Legality,
    NONE,
    _AxisInfo,
    _CollectiveInfo,
    _Cost,
    _Distribution,
    _FixQuery,
    _LoopInfo,
    _OpInfo,
    _PartitionOptions,
    _ValueInfo,
    _WhyQuery,
    _c,
)
from partir._objects import (
    Check,
    Distribution,
    Module,
    Schedule,
    Tactic,
    Value,
    _Owned,
    _made,
    _number,
    _tactic,
    _text,
    _value,
    _words,
)


@dataclass(frozen=True)
class Loop:
    """A loop of an op over an axis: what it cuts, during which tactic it came, and from which op (None: the tactic itself)."""

    axis: str
    dimensions: tuple[int | None, ...]
    sum: bool
    tactic: int
    cause: int | None
    forward: bool


@dataclass(frozen=True)
class Op:
    """An op, argument or result as propagation sees it, with its rule and its loops, outermost first."""

    name: str
    kind: str
    place: str
    rule: str
    loops: tuple[Loop, ...]


@dataclass(frozen=True)
class Collective:
    """A collective of the device-local program: what it sends in a step, what it moves, what it is for, and by which tactic."""

    kind: str
    axes: tuple[str, ...]
    bytes: float
    runs: float
    serves: str | None
    op: str | None
    path: str | None
    place: str | None
    tactic: str | None


@dataclass(frozen=True)
class Cost:
    """What a step takes on a device: seconds, and bytes at the peak, at most so many. Not complete: longer than was asked for."""

    seconds: float
    compute: float
    communication: float
    exposed: float
    peak: float
    complete: bool
    peak_most: float


def _cost(found: _Cost) -> Cost:
    return Cost(
        found.seconds, found.compute, found.communication, found.exposed, found.peak, bool(found.complete), found.peak_most
    )


def _optional(number: int) -> int | None:
    return None if number == NONE else number


class Partition(_Owned):
    """A module on its way through the tactics of a schedule. Values are known by number: `find`, `values`."""

    def __init__(
        self, module: Module, schedule: Schedule, mesh: str | None = None, device: str | None = None
    ):
        self._context = module.context
        self._counts = len(module.arguments), len(module.results)
        with self._context.calling() as check:
            options = _PartitionOptions(
                mesh.encode(errors=KEEP) if mesh else None, device.encode(errors=KEEP) if device else None, 0, 0
            )
            pointer = _made(
                check, _c.partir_partition_create, module.pointer, schedule.pointer, byref(options)
            )
            super().__init__(pointer, _c.partir_partition_destroy, module, schedule)
            axis = _AxisInfo()
            self.mesh: dict[str, int] = {}
            for i in range(_c.partir_partition_axis_count(pointer)):
                check(_c.partir_partition_axis(pointer, i, byref(axis)))
                self.mesh[axis.name.decode(errors=KEEP)] = axis.devices

    def apply_next(self) -> None:
        """Apply the schedule's next tactic. Ctrl-C ends the search of an automatic one, with the best so far."""
        with self._context.calling() as check, self._context.ended_by_interrupt():
            check(_c.partir_partition_apply_next(self.pointer))

    def apply_text(self, tactic: str) -> None:
        """Apply a tactic that is not in the schedule, in the file form."""
        with self._context.calling() as check:
            check(_c.partir_partition_apply_text(self.pointer, tactic.encode(errors=KEEP)))

    def apply(self, name: str, axis: str, decisions: Mapping[int, int]) -> None:
        """Apply a tactic that tiles each value on its dimension, or makes it ATOMIC, with one propagation."""
        with self._context.calling() as check:
            check(_c.partir_partition_begin_tactic(self.pointer, name.encode(errors=KEEP), axis.encode(errors=KEEP)))
            try:
                for value, dimension in decisions.items():
                    check(_c.partir_partition_tile(self.pointer, value, dimension))
            finally:
                status = _c.partir_partition_end_tactic(self.pointer)
            check(status)

    def tactics(self) -> list[Tactic]:
        """The tactics that have been applied."""
        with self._context.calling() as check:
            return [
                _tactic(check, _c.partir_partition_tactic, self.pointer, i)
                for i in range(_c.partir_partition_applied(self.pointer))
            ]

    def pareto(self, name: str | None) -> str:
        """The plans of an automatic tactic that none beats in both time and memory, as JSON."""
        with self._context.calling() as check:
            return _text(check, _c.partir_partition_pareto, self.pointer, name.encode(errors=KEEP) if name else None, 1)

    def demand(self, demands: str) -> None:
        """Check `deny` and `expect` statements on the program as it is."""
        with self._context.calling() as check:
            check(_c.partir_partition_demand(self.pointer, demands.encode(errors=KEEP)))

    def schedule(self) -> str:
        """The tactics applied so far as a schedule in its file form; automatic ones as what their search found."""
        with self._context.calling() as check:
            return _text(check, _c.partir_partition_schedule, self.pointer)

    def emit(self, stage: int, flags: int = 0) -> str:
        """The program as it is now: CORE, HLO, STABLEHLO, STABLEHLO_CPU or STABLEHLO_TPU; with LOCATIONS as a flag, where each op comes from."""
        with self._context.calling() as check:
            return _text(check, _c.partir_partition_emit, self.pointer, stage, flags)

    def report(self, form: int) -> str:
        """What each tactic did, as a TABLE or as JSON."""
        with self._context.calling() as check:
            return _text(check, _c.partir_partition_report, self.pointer, form)

    def expect(self, name: str, report: str) -> None:
        """An error unless the collectives are those of a report, given as JSON."""
        with self._context.calling() as check:
            check(_c.partir_partition_expect(self.pointer, name.encode(errors=KEEP), report.encode(errors=KEEP)))

    def why(self, collective: int | None, value: str | None, line: str | None, full: bool) -> str:
        """Why a collective, a value or a line is distributed as it is; without a question, all collectives."""
        query = _WhyQuery(
            NONE if collective is None else collective,
            value.encode(errors=KEEP) if value is not None else None,
            line.encode(errors=KEEP) if line is not None else None,
            full,
        )
        with self._context.calling() as check:
            return _text(check, _c.partir_partition_why, self.pointer, byref(query))

    def fixes(self, collective: int | None, value: str | None, line: str | None, device: str | None, tries: int) -> str:
        """Changes to the schedule that remove what was asked about, as JSON."""
        query = _FixQuery(
            NONE if collective is None else collective,
            value.encode() if value is not None else None,
            line.encode() if line is not None else None,
            device.encode() if device is not None else None,
            tries,
            True,
        )
        with self._context.calling() as check:
            return _text(check, _c.partir_partition_fixes, self.pointer, byref(query))

    def simulate(self, device: str | None, form: int) -> str:
        """Time and memory on a device (None: the schedule's), before any tactic and after each: a TABLE, JSON or a TRACE."""
        with self._context.calling() as check:
            return _text(
                check, _c.partir_partition_simulate, self.pointer, device.encode(errors=KEEP) if device else None, form
            )

    def dump(self, device: str | None, passes: str) -> str:
        """The program as the simulator has it after some of its passes, with commas between their names."""
        with self._context.calling() as check:
            device_text = device.encode() if device else None
            return _text(check, _c.partir_partition_dump, self.pointer, device_text, passes.encode())

    def cost(self, device: str | None = None) -> Cost:
        """What a step of the program as it is takes on a device."""
        found = _Cost()
        with self._context.calling() as check:
            check(_c.partir_partition_cost(self.pointer, device.encode(errors=KEEP) if device else None, byref(found)))
        return _cost(found)

    def verify(self, seed: int = 1) -> bool:
        """Whether the program gives the same numbers at every level, on random inputs in the interpreter."""
        equal = c_int()
        with self._context.calling() as check:
            check(_c.partir_partition_verify(self.pointer, seed, byref(equal)))
        return bool(equal.value)

    # -- Values

    def find(self, path: str) -> int:
        """The number of the value that has this path."""
        with self._context.calling() as check:
            return _number(check, _c.partir_partition_find_value, self.pointer, path.encode(errors=KEEP))

    def values(self, locations: bool = False) -> list[Value]:
        """Everything that a schedule can name, by number; with `locations`, also what debug locations name."""
        info, found = _ValueInfo(), []
        with self._context.calling() as check:
            for i in range(_number(check, _c.partir_partition_value_count, self.pointer, locations)):
                check(_c.partir_partition_value(self.pointer, i, byref(info)))
                found.append(_value(info))
        return found

    def _distribution(self, check: Check, value: int) -> Distribution:
        d = _Distribution()
        check(_c.partir_partition_distribution(self.pointer, value, byref(d)))
        return tuple(
            tuple(d.axes[k].decode(errors=KEEP) for k in range(d.first[i], d.first[i + 1])) for i in range(d.rank)
        )

    def distribution(self, value: int) -> Distribution:
        """How a value lies on the mesh: for each dimension the axes that split it, major first."""
        with self._context.calling() as check:
            return self._distribution(check, value)

    def distributions(self) -> tuple[list[Distribution], list[Distribution]]:
        """How each argument and each result lies on the mesh."""
        arguments, results = self._counts
        with self._context.calling() as check:
            found = [self._distribution(check, i) for i in range(arguments + results)]
        return found[:arguments], found[arguments:]

    def _axis(self, check: Check, name: str) -> int:
        return _number(check, _c.partir_partition_find_axis, self.pointer, name.encode(errors=KEEP))

    def legality(self, value: int, dimension: int, axis: str) -> Legality:
        """Whether a dimension of a value can be tiled by an axis now."""
        answer = c_int()
        with self._context.calling() as check:
            check(
                _c.partir_partition_legality(
                    self.pointer, value, dimension, self._axis(check, axis), byref(answer)
                )
            )
        return Legality(answer.value)

    def state(self) -> tuple[int, int]:
        """What tells states of the program apart."""
        found = (c_uint64 * 2)()
        _c.partir_partition_state(self.pointer, found)
        return found[0], found[1]

    # -- What tactics did

    def ops(self) -> Iterator[Op]:
        """Every op with the loops in which it stands, and why."""
        for i in range(_c.partir_partition_op_count(self.pointer)):
            with self._context.calling() as check:
                info = _OpInfo()
                check(_c.partir_partition_op(self.pointer, i, byref(info)))
                tensors, n = info.operands + info.results, info.loops
                name, kind, place, rule = (
                    text.decode(errors="replace") for text in (info.name, info.kind, info.place, info.rule)
                )
                loops = []
                for k in range(n):
                    loop = _LoopInfo()
                    check(_c.partir_partition_loop(self.pointer, i, k, byref(loop)))
                    loops.append(
                        Loop(
                            loop.axis.decode(errors=KEEP),
                            tuple(_optional(d) for d in loop.dimensions[:tensors]),
                            bool(loop.sum),
                            loop.tactic,
                            _optional(loop.from_),
                            bool(loop.forward),
                        )
                    )
            yield Op(name, kind, place, rule, tuple(loops))

    def collectives(self) -> list[Collective]:
        """The collectives of the device-local program as it is now."""
        found = []
        with self._context.calling() as check:
            for i in range(_number(check, _c.partir_partition_collective_count, self.pointer)):
                info = _CollectiveInfo()
                check(_c.partir_partition_collective(self.pointer, i, byref(info)))
                found.append(
                    Collective(
                        info.kind.decode(errors=KEEP),
                        tuple(a.decode(errors=KEEP) for a in info.axes[: info.axis_count]),
                        info.bytes,
                        info.runs,
                        _words(info.serves),
                        _words(info.op),
                        _words(info.path),
                        _words(info.place),
                        _words(info.tactic),
                    )
                )
        return found


class Trials(_Owned):
    """What a step would cost if more were tiled: `tile`, `evaluate`, `undo`, and in the end `commit`."""

    def __init__(self, partition: Partition, device: str | None = None):
        self._partition = partition
        self._context = partition._context
        with self._context.calling() as check:
            pointer = _made(
                check, _c.partir_trials_create, partition.pointer, device.encode(errors=KEEP) if device else None
            )
        super().__init__(pointer, _c.partir_trials_destroy, partition)

    def __enter__(self) -> Trials:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def tile(self, decisions: Mapping[int, int], axis: str) -> None:
        """Tile each value on its dimension, or make it ATOMIC, with one propagation; all of them or none."""
        n = len(decisions)
        values, dimensions = (c_uint32 * n)(*decisions), (c_uint32 * n)(*decisions.values())
        with self._context.calling() as check:
            number = self._partition._axis(check, axis)
            check(_c.partir_trials_tile_set(self.pointer, values, dimensions, n, number))

    def mark(self) -> int:
        """How much has been done, for `undo`."""
        return _c.partir_trials_mark(self.pointer)

    def undo(self, mark: int) -> None:
        """Take back what was done since."""
        with self._context.calling():
            _c.partir_trials_undo(self.pointer, mark)

    def evaluate(self, longest: float = math.inf) -> Cost:
        """What the program as it is now costs; less work is done if it takes longer than `longest`."""
        found = _Cost()
        with self._context.calling() as check:
            check(_c.partir_trials_evaluate(self.pointer, longest, byref(found)))
        return _cost(found)

    def rebase(self) -> None:
        """Make the program as it is now the base from which the next ones differ little."""
        with self._context.calling() as check:
            check(_c.partir_trials_rebase(self.pointer))

    def commit(self, name: str) -> None:
        """Leave what was done as a tactic of this name."""
        with self._context.calling() as check:
            check(_c.partir_trials_commit(self.pointer, name.encode(errors=KEEP)))
