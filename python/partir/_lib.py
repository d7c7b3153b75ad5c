"""The C library, function by function: include/partir.h through ctypes, and nothing else.

    module = Module("step", text)                      # one context each: modules in different threads do not meet
    partition = Partition(module, Schedule(module.context, "step.schedule", "mesh batch=4 ..."))
    partition.apply_next()
    partition.emit(STABLEHLO)

What the library says of a failure is raised as a `PartirError`. Objects are destroyed when nothing refers to them.
"""

from __future__ import annotations

import contextlib
import ctypes
import enum
import math
import os
import signal
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from ctypes import (
    POINTER,
    Structure,
    byref,
    c_char_p,
    c_double,
    c_int,
    c_int64,
    c_size_t,
    c_uint,
    c_uint32,
    c_uint64,
    c_void_p,
    sizeof,
)
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ERROR, WARNING, NOTE = range(3)
CORE, HLO, STABLEHLO, STABLEHLO_CPU = range(4)
TABLE, JSON, TRACE = range(3)
GENERIC, LOCATIONS = 1, 2
ARGUMENT, RESULT, TAG, LOCATION = range(4)
NONE = ATOMIC = ALL_DEVICES = 2**32 - 1
# Names and programs may hold any bytes: those that are no UTF-8 come and go as Python's lone surrogates.
KEEP = "surrogateescape"


class Status(enum.IntEnum):
    """What a call of the library returns."""

    OK = 0
    INVALID = 1
    ILLEGAL = 2
    NOT_FOUND = 3
    OUT_OF_MEMORY = 4
    CANCELLED = 5
    MISUSE = 6
    TOO_LARGE = 7


class Legality(enum.IntEnum):
    """Whether a dimension of a value can be tiled by an axis, and what is in the way."""

    LEGAL = 0
    NO_DIMENSION = 1
    AXIS_USED = 2
    NOT_DIVISIBLE = 3
    WHOLE = 4
    SHIFTED = 5
    INNER = 6
    MADE_ATOMIC = 7
    TILED_ALREADY = 8
    OTHER_PARTS = 9
    PART_ORDER = 10


@dataclass(frozen=True)
class Diagnostic:
    """One message of the library. `text` is all of it as it is usually shown: place, source line, caret and hint."""

    severity: int
    message: str
    hint: str | None
    text: str


class PartirError(Exception):
    """What the library refuses, in its own words. `diagnostics` has the messages one by one."""

    def __init__(self, diagnostics: list[Diagnostic], status: int = Status.INVALID):
        self.diagnostics = diagnostics
        self.status = Status(status)
        super().__init__("\n".join(d.text for d in diagnostics) or f"the library failed: {self.status.name}")

    def __reduce__(self) -> Any:
        return PartirError, (self.diagnostics, self.status)


class PartirWarning(UserWarning):
    """What the library accepts but advises against."""


# ---- Declarations of partir.h ---------------------------------------------------------------------------------------


class _Sized(Structure):
    """A struct that begins with its size."""

    def __init__(self, *fields: Any):
        super().__init__(sizeof(type(self)), *fields)


class _Diagnostic(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("severity", c_int),
        ("file", c_char_p),
        ("line", c_uint32),
        ("column", c_uint32),
        ("message", c_char_p),
        ("source_line", c_char_p),
        ("caret", c_uint32),
        ("hint", c_char_p),
    ]


_Reallocate = ctypes.CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_size_t, c_size_t)
_Report = ctypes.CFUNCTYPE(None, c_void_p, POINTER(_Diagnostic))
_Progress = ctypes.CFUNCTYPE(c_int, c_void_p, c_char_p, c_uint64, c_uint64)


class _Options(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("user", c_void_p),
        ("reallocate", _Reallocate),
        ("diagnostic", _Report),
        ("progress", _Progress),
    ]


class _ValueInfo(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("type", c_char_p),
        ("shape", POINTER(c_int64)),
        ("rank", c_uint32),
        ("kind", c_int),
        ("index", c_uint32),
        ("count", c_uint32),
    ]


class _WhyQuery(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("collective", c_uint32),
        ("value", c_char_p),
        ("line", c_char_p),
        ("full", c_int),
    ]


class _FixQuery(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("collective", c_uint32),
        ("value", c_char_p),
        ("line", c_char_p),
        ("device", c_char_p),
        ("tries", c_uint32),
        ("json", c_int),
    ]


class _OpCount(_Sized):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("count", c_uint64)]


class _RunOptions(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("devices", c_uint32),
        ("replicas", c_uint32),
        ("max_memory", c_uint64),
        ("max_steps", c_uint64),
    ]


class _Array(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("type", c_char_p),
        ("shape", POINTER(c_int64)),
        ("rank", c_uint32),
        ("elements", c_void_p),
        ("bytes", c_size_t),
    ]


class _ScheduleInfo(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("axes", c_uint32),
        ("device", c_char_p),
        ("gathers", c_char_p),
        ("ties", c_uint32),
        ("rules", c_uint32),
        ("tactics", c_uint32),
        ("demands", c_uint32),
        ("annotations", c_char_p),
        ("trust_rules", c_int),
    ]


class _AxisInfo(_Sized):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("devices", c_int64)]


class _TieInfo(_Sized):
    _fields_ = [("size", c_size_t), ("argument", c_char_p), ("result", c_char_p)]


class _TacticInfo(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("axis", c_char_p),
        ("automatic", c_int),
        ("text", c_char_p),
    ]


class _PartitionOptions(_Sized):
    _fields_ = [("size", c_size_t), ("mesh", c_char_p), ("device", c_char_p), ("annotations", c_int)]


class _Distribution(_Sized):
    _fields_ = [("size", c_size_t), ("rank", c_uint32), ("first", POINTER(c_uint32)), ("axes", POINTER(c_char_p))]


class _OpInfo(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("kind", c_char_p),
        ("place", c_char_p),
        ("rule", c_char_p),
        ("operands", c_uint32),
        ("results", c_uint32),
        ("loops", c_uint32),
    ]


class _LoopInfo(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("axis", c_char_p),
        ("dimensions", POINTER(c_uint32)),
        ("sum", c_int),
        ("tactic", c_uint32),
        ("from_", c_uint32),
        ("forward", c_int),
    ]


class _CollectiveInfo(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("kind", c_char_p),
        ("axes", POINTER(c_char_p)),
        ("axis_count", c_uint32),
        ("bytes", c_double),
        ("runs", c_double),
        ("serves", c_char_p),
        ("op", c_char_p),
        ("path", c_char_p),
        ("place", c_char_p),
        ("tactic", c_char_p),
    ]


class _Cost(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("seconds", c_double),
        ("compute", c_double),
        ("communication", c_double),
        ("exposed", c_double),
        ("peak", c_double),
        ("complete", c_int),
    ]


class _DeviceInfo(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("memory", c_double),
        ("bandwidth", c_double),
        ("peak", c_double),
    ]


_Out = POINTER(c_void_p)  # where an object comes back
_Number = POINTER(c_uint32)

# Every function of the header: what it returns (a status unless it cannot fail) and what it takes.
_FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "partir_version": (c_char_p, ()),
    "partir_status_name": (c_char_p, (c_int,)),
    "partir_context_create": (c_int, (POINTER(_Options), _Out)),
    "partir_context_destroy": (None, (c_void_p,)),
    "partir_diagnostic_format": (c_size_t, (POINTER(_Diagnostic), c_int, c_char_p, c_size_t)),
    "partir_text_data": (c_void_p, (c_void_p,)),
    "partir_text_size": (c_size_t, (c_void_p,)),
    "partir_text_write": (c_int, (c_void_p, c_char_p)),
    "partir_text_destroy": (None, (c_void_p,)),
    "partir_module_read_file": (c_int, (c_void_p, c_char_p, _Out)),
    "partir_module_read_text": (c_int, (c_void_p, c_char_p, c_char_p, c_size_t, _Out)),
    "partir_module_destroy": (None, (c_void_p,)),
    "partir_module_argument_count": (c_uint32, (c_void_p,)),
    "partir_module_result_count": (c_uint32, (c_void_p,)),
    "partir_module_argument": (c_int, (c_void_p, c_uint32, POINTER(_ValueInfo))),
    "partir_module_result": (c_int, (c_void_p, c_uint32, POINTER(_ValueInfo))),
    "partir_module_set_argument_names": (c_int, (c_void_p, c_char_p, c_size_t)),
    "partir_module_print": (c_int, (c_void_p, c_uint, _Out)),
    "partir_module_inline": (c_int, (c_void_p,)),
    "partir_module_op_kinds": (c_uint32, (c_void_p,)),
    "partir_module_op_count": (c_int, (c_void_p, c_uint32, POINTER(_OpCount))),
    "partir_module_rules": (c_int, (c_void_p, c_int, _Out)),
    "partir_module_ties": (c_int, (c_void_p, _Out)),
    "partir_run_create": (c_int, (c_void_p, POINTER(_RunOptions), _Out)),
    "partir_run_destroy": (None, (c_void_p,)),
    "partir_run_device_count": (c_uint32, (c_void_p,)),
    "partir_run_set_argument": (c_int, (c_void_p, c_uint32, c_uint32, POINTER(c_int64), c_void_p, c_size_t)),
    "partir_run_read_arguments": (c_int, (c_void_p, c_char_p)),
    "partir_run_random_arguments": (c_int, (c_void_p, c_uint64)),
    "partir_run_missing_arguments": (c_uint32, (c_void_p,)),
    "partir_run_execute": (c_int, (c_void_p,)),
    "partir_run_result": (c_int, (c_void_p, c_uint32, c_uint32, POINTER(_Array))),
    "partir_run_print_results": (c_int, (c_void_p, _Out)),
    "partir_run_write_results": (c_int, (c_void_p, c_char_p)),
    "partir_schedule_read_file": (c_int, (c_void_p, c_char_p, _Out)),
    "partir_schedule_read_text": (c_int, (c_void_p, c_char_p, c_char_p, c_size_t, _Out)),
    "partir_schedule_destroy": (None, (c_void_p,)),
    "partir_schedule_describe": (c_int, (c_void_p, POINTER(_ScheduleInfo))),
    "partir_schedule_axis": (c_int, (c_void_p, c_uint32, POINTER(_AxisInfo))),
    "partir_schedule_tie": (c_int, (c_void_p, c_uint32, POINTER(_TieInfo))),
    "partir_schedule_rule": (c_int, (c_void_p, c_uint32, POINTER(c_char_p))),
    "partir_schedule_demand": (c_int, (c_void_p, c_uint32, POINTER(c_char_p))),
    "partir_schedule_tactic_count": (c_uint32, (c_void_p,)),
    "partir_schedule_tactic": (c_int, (c_void_p, c_uint32, POINTER(_TacticInfo))),
    "partir_schedule_print": (c_int, (c_void_p, _Out)),
    "partir_pattern_accepts": (c_int, (c_void_p, c_char_p, POINTER(_ValueInfo), c_uint32, c_char_p)),
    "partir_partition_create": (c_int, (c_void_p, c_void_p, POINTER(_PartitionOptions), _Out)),
    "partir_partition_destroy": (None, (c_void_p,)),
    "partir_partition_apply_next": (c_int, (c_void_p,)),
    "partir_partition_apply_text": (c_int, (c_void_p, c_char_p)),
    "partir_partition_applied": (c_uint32, (c_void_p,)),
    "partir_partition_tactic": (c_int, (c_void_p, c_uint32, POINTER(_TacticInfo))),
    "partir_partition_schedule": (c_int, (c_void_p, _Out)),
    "partir_partition_emit": (c_int, (c_void_p, c_int, c_uint, _Out)),
    "partir_partition_report": (c_int, (c_void_p, c_int, _Out)),
    "partir_partition_pareto": (c_int, (c_void_p, c_char_p, c_int, _Out)),
    "partir_partition_demand": (c_int, (c_void_p, c_char_p)),
    "partir_partition_fixes": (c_int, (c_void_p, POINTER(_FixQuery), _Out)),
    "partir_partition_expect": (c_int, (c_void_p, c_char_p, c_char_p)),
    "partir_report_diff": (c_int, (c_void_p, c_char_p, c_char_p, c_char_p, c_char_p, POINTER(c_int), _Out)),
    "partir_partition_why": (c_int, (c_void_p, POINTER(_WhyQuery), _Out)),
    "partir_partition_verify": (c_int, (c_void_p, c_uint64, POINTER(c_int))),
    "partir_partition_axis_count": (c_uint32, (c_void_p,)),
    "partir_partition_axis": (c_int, (c_void_p, c_uint32, POINTER(_AxisInfo))),
    "partir_partition_find_axis": (c_int, (c_void_p, c_char_p, _Number)),
    "partir_partition_value_count": (c_int, (c_void_p, c_int, _Number)),
    "partir_partition_value": (c_int, (c_void_p, c_uint32, POINTER(_ValueInfo))),
    "partir_partition_find_value": (c_int, (c_void_p, c_char_p, _Number)),
    "partir_partition_distribution": (c_int, (c_void_p, c_uint32, POINTER(_Distribution))),
    "partir_partition_legality": (c_int, (c_void_p, c_uint32, c_uint32, c_uint32, POINTER(c_int))),
    "partir_partition_begin_tactic": (c_int, (c_void_p, c_char_p, c_char_p)),
    "partir_partition_tile": (c_int, (c_void_p, c_uint32, c_uint32)),
    "partir_partition_atomic": (c_int, (c_void_p, c_uint32)),
    "partir_partition_end_tactic": (c_int, (c_void_p,)),
    "partir_partition_state": (None, (c_void_p, POINTER(c_uint64))),
    "partir_partition_op_count": (c_uint32, (c_void_p,)),
    "partir_partition_op": (c_int, (c_void_p, c_uint32, POINTER(_OpInfo))),
    "partir_partition_loop": (c_int, (c_void_p, c_uint32, c_uint32, POINTER(_LoopInfo))),
    "partir_partition_collective_count": (c_int, (c_void_p, _Number)),
    "partir_partition_collective": (c_int, (c_void_p, c_uint32, POINTER(_CollectiveInfo))),
    "partir_partition_simulate": (c_int, (c_void_p, c_char_p, c_int, _Out)),
    "partir_partition_dump": (c_int, (c_void_p, c_char_p, c_char_p, _Out)),
    "partir_simulation_pass": (c_char_p, (c_uint32,)),
    "partir_partition_cost": (c_int, (c_void_p, c_char_p, POINTER(_Cost))),
    "partir_trials_create": (c_int, (c_void_p, c_char_p, _Out)),
    "partir_trials_destroy": (None, (c_void_p,)),
    "partir_trials_tile": (c_int, (c_void_p, c_uint32, c_uint32, c_uint32)),
    "partir_trials_atomic": (c_int, (c_void_p, c_uint32, c_uint32)),
    "partir_trials_tile_set": (c_int, (c_void_p, _Number, _Number, c_uint32, c_uint32)),
    "partir_trials_mark": (c_uint32, (c_void_p,)),
    "partir_trials_undo": (None, (c_void_p, c_uint32)),
    "partir_trials_evaluate": (c_int, (c_void_p, c_double, POINTER(_Cost))),
    "partir_trials_rebase": (c_int, (c_void_p,)),
    "partir_trials_commit": (c_int, (c_void_p, c_char_p)),
    "partir_device_count": (c_uint32, ()),
    "partir_device": (c_int, (c_void_p, c_uint32, POINTER(_DeviceInfo))),
    "partir_devices": (c_int, (c_void_p, c_char_p, _Out)),
}


def path() -> Path:
    """Where the shared library is: $PARTIR_LIBRARY, beside this file as installed, or in the checkout's build folder."""
    named = os.environ.get("PARTIR_LIBRARY")
    if named:
        return Path(named)
    here = Path(__file__).resolve()
    places = [here.parent / "libpartir.so", here.parents[2] / "build" / "libpartir.so"]
    found = next((p for p in places if p.exists()), None)
    if found is None:
        raise ImportError(f"libpartir.so is not in {' or '.join(str(p.parent) for p in places)}: run `make`")
    return found


class _Library:
    """The functions of the library, which is loaded when the first of them is called."""

    def __getattr__(self, name: str) -> Any:
        library = ctypes.CDLL(str(path()))
        for function, (result, arguments) in _FUNCTIONS.items():
            loaded = getattr(library, function)
            loaded.restype, loaded.argtypes = result, arguments
            setattr(self, function, loaded)
        return self.__dict__[name]


_c = _Library()


def version() -> str:
    """The version of the library."""
    return _c.partir_version().decode(errors=KEEP)


def devices(name: str | None = None) -> str:
    """The devices that programs can be simulated on; or one of them, or of a file, in its file form."""
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


# ---- Objects --------------------------------------------------------------------------------------------------------


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
    return Diagnostic(
        d.severity, d.message.decode(errors="replace"), hint, text.value.decode(errors="replace").rstrip()
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


def _tactic(check: Check, call: Callable[..., int], pointer: int, index: int) -> Tactic:
    info = _TacticInfo()
    check(call(pointer, index, byref(info)))
    return Tactic(info.name.decode(errors=KEEP), info.axis.decode(errors=KEEP), bool(info.automatic), info.text.decode(errors=KEEP))


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
    """What a step takes on a device: seconds, and bytes at the peak. Not complete: longer than was asked for."""

    seconds: float
    compute: float
    communication: float
    exposed: float
    peak: float
    complete: bool


def _cost(found: _Cost) -> Cost:
    return Cost(
        found.seconds, found.compute, found.communication, found.exposed, found.peak, bool(found.complete)
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
                mesh.encode(errors=KEEP) if mesh else None, device.encode(errors=KEEP) if device else None, 0
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
        """The program as it is now: CORE, HLO, STABLEHLO or STABLEHLO_CPU; with LOCATIONS as a flag, where each op comes from."""
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
