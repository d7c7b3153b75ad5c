"""Contexts, modules, runs and schedules of the C library as Python objects.

Each object destroys its own in C when nothing refers to it, and before anything that it needs.
"""

from __future__ import annotations

import contextlib
import ctypes
import signal
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from ctypes import byref, c_char_p, c_int, c_int64, c_uint32, c_void_p
from dataclasses import dataclass, replace
from typing import Any

from partir._check import TEXT
from partir._check import check as check_type
from partir._declarations import (
    ALL_DEVICES,
    KEEP,
    Status,
    _Array,
    _AxisInfo,
    _DeviceInfo,
    _Diagnostic,
    _OpCount,
    _Options,
    _Progress,
    _Reallocate,
    _Report,
    _RunOptions,
    _ScheduleInfo,
    _TacticInfo,
    _TieInfo,
    _ValueInfo,
    _c,
)


@dataclass(frozen=True)
class Diagnostic:
    """One message of the library. `text` is all of it as it is usually shown: place, source line, caret and hint."""

    severity: int
    message: str
    hint: str | None
    text: str
    place: tuple[str, int, int] | None = None  # file, line, column

    def _moved_to(self, place: str) -> Diagnostic:
        """The same message at another place, given as it is to be shown."""
        assert self.place
        return replace(self, text=place + self.text.removeprefix("{}:{}:{}".format(*self.place)), place=None)


class PartirError(Exception):
    """An error of the library, with its own messages. `diagnostics` has the messages one by one."""

    def __init__(self, diagnostics: list[Diagnostic], status: int = Status.INVALID):
        self.diagnostics = diagnostics
        self.status = Status(status)
        super().__init__("\n".join(d.text for d in diagnostics) or f"the library failed: {self.status.name}")

    def __reduce__(self) -> Any:
        return PartirError, (self.diagnostics, self.status)


class PartirWarning(UserWarning):
    """A warning of the library."""


def _destroy(destroy: Callable[[int], None], pointer: int, needs: tuple[Any, ...]) -> None:
    """Destroy one object. What it needs is held by the waiting call of this function, so that it dies later."""
    destroy(pointer)


class _Owned:
    """An object of the library, destroyed with this one, and before anything that it needs."""

    def __init__(self, pointer: int, destroy: Callable[[int], None], *needs: Any):
        self.pointer = pointer
        self._end = weakref.finalize(self, _destroy, destroy, pointer, needs)


Check = Callable[[int], None]
Distribution = tuple[tuple[str, ...], ...]  # by dimension the axes that split it, major first


class Context(_Owned):
    """The messages of a module and of what is made from it, and the lock that keeps them to one thread at a time."""

    def __init__(self) -> None:
        heard: list[Diagnostic] = []

        def listen(_: Any, diagnostic: Any) -> None:
            heard.append(_diagnostic(diagnostic.contents))

        interrupted = threading.Event()

        def go_on(*_: Any) -> int:
            return not interrupted.is_set()

        callback, progress = _Report(listen), _Progress(go_on)
        made = c_void_p()
        if _c.partir_context_create(_Options(None, _Reallocate(), callback, progress), byref(made)):
            raise MemoryError
        assert made.value
        super().__init__(made.value, _c.partir_context_destroy, callback, progress)
        self._heard = heard
        self._interrupted = interrupted
        self._lock = threading.Lock()
        self.diagnostics: list[Diagnostic] = []  # warnings and notes so far

    @contextlib.contextmanager
    def calling(self) -> Iterator[Check]:
        """Around calls of the library. What it gives checks a call's status: one that is not ok is raised as a PartirError."""
        with self._lock:
            self._heard.clear()
            yield self._check
            self.diagnostics += self._heard

    @contextlib.contextmanager
    def ended_by_interrupt(self) -> Iterator[None]:
        """Within it, Ctrl-C ends a search early, with the best it has found, and raises nothing."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def end(*_: Any) -> None:
            self._interrupted.set()

        before = signal.signal(signal.SIGINT, end)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
            self._interrupted.clear()

    def _check(self, status: int) -> None:
        if status:
            raise PartirError(list(self._heard), status)


def _diagnostic(d: _Diagnostic) -> Diagnostic:
    size = _c.partir_diagnostic_format(d, 0, None, 0) + 1
    text = ctypes.create_string_buffer(size)
    _c.partir_diagnostic_format(d, 0, text, size)
    hint = d.hint.decode(errors="replace") if d.hint else None
    place = (d.file.decode(errors="replace"), d.line, d.column) if d.file and d.line else None
    return Diagnostic(
        d.severity, d.message.decode(errors="replace"), hint, text.value.decode(errors="replace").rstrip(), place
    )


def _made(check: Check, call: Callable[..., int], *arguments: Any) -> int:
    """The object that a call makes."""
    made = c_void_p()
    check(call(*arguments, byref(made)))
    assert made.value
    return made.value


def _text(check: Check, call: Callable[..., int], *arguments: Any) -> str:
    """The text that a call makes."""
    pointer = _made(check, call, *arguments)
    try:
        return ctypes.string_at(_c.partir_text_data(pointer), _c.partir_text_size(pointer)).decode(errors=KEEP)
    finally:
        _c.partir_text_destroy(pointer)


def _number(check: Check, call: Callable[..., int], *arguments: Any) -> int:
    number = c_uint32()
    check(call(*arguments, byref(number)))
    return number.value


def _words(text: bytes | None) -> str | None:
    return None if text is None else text.decode(errors="replace")


@dataclass(frozen=True)
class Value:
    """What a line of a schedule can name: an ARGUMENT, a RESULT, a TAG or a LOCATION, by its path."""

    name: str
    type: str
    shape: tuple[int, ...]
    kind: int
    index: int
    count: int


def _value(info: _ValueInfo) -> Value:
    return Value(
        info.name.decode(errors=KEEP), info.type.decode(errors=KEEP), tuple(info.shape[: info.rank]), info.kind, info.index, info.count
    )


class Module(_Owned):
    """A StableHLO module, read and checked. `names` gives the name of each argument, as a path or JAX key string.

    `arguments` and `results` are the paths by which schedules know those of @main.
    """

    def __init__(self, name: str, text: str | bytes, names: list[str] | None = None):
        self.context = Context()
        source = text.encode(errors=KEEP) if isinstance(text, str) else text
        with self.context.calling() as check:
            pointer = _made(
                check, _c.partir_module_read_text, self.context.pointer, name.encode(errors=KEEP), source, len(source)
            )
            super().__init__(pointer, _c.partir_module_destroy, self.context, source)
            if names is not None:
                lines = "".join(f"{i}\t{name}\n" for i, name in enumerate(names)).encode(errors=KEEP)
                check(_c.partir_module_set_argument_names(pointer, lines, len(lines)))
            info = _ValueInfo()

            def names_of(count: int, get: Callable[..., int]) -> Iterator[str]:
                for i in range(count):
                    check(get(pointer, i, byref(info)))
                    yield info.name.decode(errors=KEEP)

            self.arguments = list(names_of(_c.partir_module_argument_count(pointer), _c.partir_module_argument))
            self.results = list(names_of(_c.partir_module_result_count(pointer), _c.partir_module_result))

    def print(self, flags: int = 0) -> str:
        """The module as text; `flags` are GENERIC and LOCATIONS."""
        with self.context.calling() as check:
            return _text(check, _c.partir_module_print, self.pointer, flags)

    def inline(self) -> None:
        """Inline all calls into @main and remove dead code."""
        with self.context.calling() as check:
            check(_c.partir_module_inline(self.pointer))

    def op_counts(self) -> dict[str, int]:
        """How often each kind of op occurs, the most frequent first."""
        counts = {}
        with self.context.calling() as check:
            for i in range(_c.partir_module_op_kinds(self.pointer)):
                count = _OpCount()
                check(_c.partir_module_op_count(self.pointer, i, byref(count)))
                counts[count.name.decode(errors=KEEP)] = count.count
        return counts

    def ties(self) -> str:
        """Tie lines for a schedule, as the names of arguments and results suggest them."""
        with self.context.calling() as check:
            return _text(check, _c.partir_module_ties, self.pointer)

    def rules(self, json: bool = False) -> str:
        """Which dimensions of each op move together, one line an op, or as JSON."""
        with self.context.calling() as check:
            return _text(check, _c.partir_module_rules, self.pointer, json)


class Run(_Owned):
    """A run of @main in the interpreter, on one device or on several simulated ones. Arrays are bytes, row-major."""

    def __init__(self, module: Module, devices: int = 0, replicas: int = 0, max_memory: int = 0, max_steps: int = 0):
        self._context = module.context
        with self._context.calling() as check:
            options = _RunOptions(devices, replicas, max_memory, max_steps)
            pointer = _made(check, _c.partir_run_create, module.pointer, byref(options))
        super().__init__(pointer, _c.partir_run_destroy, module)
        self.devices = _c.partir_run_device_count(pointer)

    def set_argument(
        self, index: int, elements: bytes, device: int = ALL_DEVICES, shape: Sequence[int] | None = None
    ) -> None:
        """Give one argument, on one device or on all."""
        sizes = None if shape is None else (c_int64 * len(shape))(*shape)
        with self._context.calling() as check:
            check(_c.partir_run_set_argument(self.pointer, index, device, sizes, elements, len(elements)))

    def read_arguments(self, path: str) -> None:
        """Arguments from a .npy or .npz file."""
        with self._context.calling() as check:
            check(_c.partir_run_read_arguments(self.pointer, path.encode(errors=KEEP)))

    def random_arguments(self, seed: int) -> None:
        """Small random numbers for the arguments that are not given."""
        with self._context.calling() as check:
            check(_c.partir_run_random_arguments(self.pointer, seed))

    @property
    def missing(self) -> int:
        """How many arguments are not given."""
        return _c.partir_run_missing_arguments(self.pointer)

    def execute(self) -> None:
        """Run the program."""
        with self._context.calling() as check:
            check(_c.partir_run_execute(self.pointer))

    def result(self, index: int, device: int = 0) -> tuple[str, tuple[int, ...], bytes]:
        """A result on a device: element type, shape, elements."""
        found = _Array()
        with self._context.calling() as check:
            check(_c.partir_run_result(self.pointer, index, device, byref(found)))
            return (
                found.type.decode(errors=KEEP),
                tuple(found.shape[: found.rank]),
                ctypes.string_at(found.elements, found.bytes) if found.bytes else b"",
            )

    def print_results(self) -> str:
        """Results as text, long ones shortened."""
        with self._context.calling() as check:
            return _text(check, _c.partir_run_print_results, self.pointer)

    def write_results(self, path: str) -> None:
        """Results as .npy files into a folder, or as one .npz file."""
        with self._context.calling() as check:
            check(_c.partir_run_write_results(self.pointer, path.encode(errors=KEEP)))


@dataclass(frozen=True)
class Tactic:
    """A tactic of a schedule, and its text in the file form."""

    name: str
    axis: str
    automatic: bool
    text: str
    line: int


def _tactic(check: Check, call: Callable[..., int], pointer: int, index: int) -> Tactic:
    info = _TacticInfo()
    check(call(pointer, index, byref(info)))
    return Tactic(info.name.decode(errors=KEEP), info.axis.decode(errors=KEEP), bool(info.automatic), info.text.decode(errors=KEEP), info.line)


class Schedule(_Owned):
    """A schedule, read from its file form, and what it says: mesh, device, ties, rules, tactics."""

    def __init__(self, context: Context, name: str, text: str):
        source = text.encode(errors=KEEP)
        with context.calling() as check:
            pointer = _made(
                check, _c.partir_schedule_read_text, context.pointer, name.encode(errors=KEEP), source, len(source)
            )
            super().__init__(pointer, _c.partir_schedule_destroy, context)
            self.text = _text(check, _c.partir_schedule_print, pointer)
            info, axis, tie, rule = _ScheduleInfo(), _AxisInfo(), _TieInfo(), c_char_p()
            check(_c.partir_schedule_describe(pointer, byref(info)))
            self.device = _words(info.device)
            self.gathers = info.gathers.decode(errors=KEEP)
            self.annotations = info.annotations.decode(errors=KEEP)
            self.trust_rules = bool(info.trust_rules)
            self.mesh: dict[str, int] = {}
            for i in range(info.axes):
                check(_c.partir_schedule_axis(pointer, i, byref(axis)))
                self.mesh[axis.name.decode(errors=KEEP)] = axis.devices
            self.ties: dict[str, str] = {}
            for i in range(info.ties):
                check(_c.partir_schedule_tie(pointer, i, byref(tie)))
                self.ties[tie.argument.decode(errors=KEEP)] = tie.result.decode(errors=KEEP)
            self.rules: list[str] = []
            for i in range(info.rules):
                check(_c.partir_schedule_rule(pointer, i, byref(rule)))
                self.rules.append((rule.value or b"").decode(errors=KEEP))
            self.demands: list[str] = []
            for i in range(info.demands):
                check(_c.partir_schedule_demand(pointer, i, byref(rule)))
                self.demands.append((rule.value or b"").decode(errors=KEEP))
            self.tactics = [
                _tactic(check, _c.partir_schedule_tactic, pointer, i) for i in range(info.tactics)
            ]
            self.automatic = any(tactic.automatic for tactic in self.tactics)


def version() -> str:
    """The version of the library."""
    return _c.partir_version().decode(errors=KEEP)


def devices(name: str | None = None) -> str:
    """The devices that programs can be simulated on, as a table; with a name, that device, or that of a file, in its file form."""
    check_type("the name of a device", name, TEXT, optional=True)
    context = Context()
    with context.calling() as check:
        return _text(check, _c.partir_devices, context.pointer, name.encode(errors=KEEP) if name else None)


def report_diff(name_a: str, text_a: str, name_b: str, text_b: str) -> str:
    """What came, went and changed from one report to another, both as JSON; empty if no collective did."""
    context = Context()
    differs = c_int()
    sides = (part.encode(errors=KEEP) for part in (name_a, text_a, name_b, text_b))
    with context.calling() as check:
        text = _text(check, _c.partir_report_diff, context.pointer, *sides, byref(differs))
    return text if differs.value else ""


def accepted(pattern: str, values: Sequence[tuple[str, str, Sequence[int]]]) -> list[bool]:
    """Which of the values (path, element type, shape) a pattern names, with its filters: `params/** if rank >= 2`."""
    context = Context()
    infos = (_ValueInfo * len(values))(
        *(
            _ValueInfo(name.encode(errors=KEEP), kind.encode(errors=KEEP), (c_int64 * len(shape))(*shape), len(shape))
            for name, kind, shape in values
        )
    )
    out = ctypes.create_string_buffer(len(values) + 1)
    with context.calling() as check:
        check(_c.partir_pattern_accepts(context.pointer, pattern.encode(errors=KEEP), infos, len(values), out))
    return [out.raw[i] == 1 for i in range(len(values))]


@dataclass(frozen=True)
class Device:
    """A device that is built in: bytes of memory, bytes a second, FLOP/s of 16-bit matrix products."""

    name: str
    memory: float
    bandwidth: float
    peak: float


def device_list() -> list[Device]:
    """The devices that are built in."""
    context, info, found = Context(), _DeviceInfo(), []
    with context.calling() as check:
        for i in range(_c.partir_device_count()):
            check(_c.partir_device(context.pointer, i, byref(info)))
            found.append(Device(info.name.decode(errors=KEEP), info.memory, info.bandwidth, info.peak))
    return found
