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
import os
import signal
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from ctypes import POINTER, Structure, c_char_p, c_int, c_int64, c_size_t, c_uint, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ERROR, WARNING, NOTE = range(3)
CORE, HLO, STABLEHLO, STABLEHLO_CPU = range(4)
TABLE, JSON, TRACE = range(3)
LOCATIONS = 2


@dataclass(frozen=True)
class Diagnostic:
    """One message of the library. `text` is all of it as it is usually shown: place, source line, caret and hint."""

    severity: int
    message: str
    hint: str | None
    text: str


class PartirError(Exception):
    """What the library refuses, in its own words. `diagnostics` has the messages one by one."""

    def __init__(self, diagnostics: list[Diagnostic]):
        self.diagnostics = diagnostics
        super().__init__("\n".join(d.text for d in diagnostics) or "the library failed without a message")

    def __reduce__(self) -> Any:
        return PartirError, (self.diagnostics,)


class PartirWarning(UserWarning):
    """What the library accepts but advises against."""


# ---- Declarations of partir.h ---------------------------------------------------------------------------------------


class _Diagnostic(Structure):
    _fields_ = [
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


class _Options(Structure):
    _fields_ = [
        ("user", c_void_p),
        ("reallocate", _Reallocate),
        ("diagnostic", _Report),
        ("progress", _Progress),
    ]


class _ValueInfo(Structure):
    _fields_ = [("name", c_char_p), ("type", c_char_p), ("shape", POINTER(c_int64)), ("rank", c_uint32)]


class _WhyQuery(Structure):
    _fields_ = [("collective", c_uint32), ("value", c_char_p), ("line", c_char_p), ("full", c_int)]


_FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "partir_version": (c_char_p, ()),
    "partir_context_create": (c_void_p, (POINTER(_Options),)),
    "partir_context_destroy": (None, (c_void_p,)),
    "partir_diagnostic_format": (c_size_t, (POINTER(_Diagnostic), c_int, c_char_p, c_size_t)),
    "partir_text_data": (c_void_p, (c_void_p,)),
    "partir_text_size": (c_size_t, (c_void_p,)),
    "partir_text_destroy": (None, (c_void_p,)),
    "partir_module_read_text": (c_void_p, (c_void_p, c_char_p, c_char_p, c_size_t)),
    "partir_module_destroy": (None, (c_void_p,)),
    "partir_module_argument_count": (c_uint32, (c_void_p,)),
    "partir_module_result_count": (c_uint32, (c_void_p,)),
    "partir_module_argument": (_ValueInfo, (c_void_p, c_uint32)),
    "partir_module_result": (_ValueInfo, (c_void_p, c_uint32)),
    "partir_module_set_argument_names": (c_int, (c_void_p, c_char_p, c_size_t)),
    "partir_schedule_read_text": (c_void_p, (c_void_p, c_char_p, c_char_p, c_size_t)),
    "partir_schedule_destroy": (None, (c_void_p,)),
    "partir_schedule_tactic_count": (c_uint32, (c_void_p,)),
    "partir_schedule_tactic_name": (c_char_p, (c_void_p, c_uint32)),
    "partir_schedule_tactic_is_automatic": (c_int, (c_void_p, c_uint32)),
    "partir_schedule_print": (c_void_p, (c_void_p,)),
    "partir_pattern_accepts": (c_int, (c_void_p, c_char_p, POINTER(_ValueInfo), c_uint32, c_char_p)),
    "partir_partition_create": (c_void_p, (c_void_p, c_void_p, c_char_p)),
    "partir_partition_destroy": (None, (c_void_p,)),
    "partir_partition_apply_next": (c_int, (c_void_p,)),
    "partir_partition_schedule": (c_void_p, (c_void_p,)),
    "partir_partition_pareto": (c_void_p, (c_void_p, c_char_p, c_int)),
    "partir_partition_applied": (c_uint32, (c_void_p,)),
    "partir_partition_emit": (c_void_p, (c_void_p, c_int, c_uint)),
    "partir_partition_report": (c_void_p, (c_void_p, c_int)),
    "partir_partition_why": (c_void_p, (c_void_p, POINTER(_WhyQuery))),
    "partir_partition_simulate": (c_void_p, (c_void_p, c_char_p, c_int)),
    "partir_partition_argument_distribution": (c_char_p, (c_void_p, c_uint32)),
    "partir_partition_result_distribution": (c_char_p, (c_void_p, c_uint32)),
    "partir_devices": (c_void_p, (c_void_p, c_char_p)),
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
    return _c.partir_version().decode()


def devices(name: str | None = None) -> str:
    """The devices that programs can be simulated on; or one of them, or of a file, in its file form."""
    context = Context()
    with context.calling() as check:
        return _text(check(_c.partir_devices(context.pointer, name.encode() if name else None)))


def accepted(pattern: str, values: Sequence[tuple[str, str, Sequence[int]]]) -> list[bool]:
    """Which of the values (path, element type, shape) a pattern names, with its filters: `params/** if rank >= 2`."""
    context = Context()
    infos = (_ValueInfo * len(values))(
        *(
            _ValueInfo(name.encode(), kind.encode(), (c_int64 * len(shape))(*shape), len(shape))
            for name, kind, shape in values
        )
    )
    out = ctypes.create_string_buffer(len(values) + 1)
    with context.calling() as check:
        check(_c.partir_pattern_accepts(context.pointer, pattern.encode(), infos, len(values), out))
    return [out.raw[i] == 1 for i in range(len(values))]


# ---- Objects --------------------------------------------------------------------------------------------------------


def _destroy(destroy: Callable[[int], None], pointer: int, needs: tuple[Any, ...]) -> None:
    """Destroy one object. What it needs is held by the waiting call of this function, so that it dies later."""
    destroy(pointer)


class _Owned:
    """An object of the library, destroyed with this one, and before anything that it needs."""

    def __init__(self, pointer: int, destroy: Callable[[int], None], *needs: Any):
        self.pointer = pointer
        weakref.finalize(self, _destroy, destroy, pointer, needs)


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
        pointer = _c.partir_context_create(_Options(None, _Reallocate(), callback, progress))
        if not pointer:
            raise MemoryError
        super().__init__(pointer, _c.partir_context_destroy, callback, progress)
        self._heard = heard
        self._interrupted = interrupted
        self._lock = threading.Lock()
        self.diagnostics: list[Diagnostic] = []  # warnings and notes so far

    @contextlib.contextmanager
    def calling(self) -> Iterator[Callable[[Any], Any]]:
        """Around calls of the library. What it gives checks a call's result: NULL or 0 is raised as a PartirError."""
        with self._lock:
            self._heard.clear()
            yield self._checked
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

    def _checked(self, result: Any) -> Any:
        if not result:
            raise PartirError(list(self._heard))
        return result


def _diagnostic(d: _Diagnostic) -> Diagnostic:
    size = _c.partir_diagnostic_format(d, 0, None, 0) + 1
    text = ctypes.create_string_buffer(size)
    _c.partir_diagnostic_format(d, 0, text, size)
    hint = d.hint.decode(errors="replace") if d.hint else None
    return Diagnostic(
        d.severity, d.message.decode(errors="replace"), hint, text.value.decode(errors="replace").rstrip()
    )


def _text(pointer: int) -> str:
    """The text behind a `partir_text *`, which is destroyed."""
    try:
        return ctypes.string_at(_c.partir_text_data(pointer), _c.partir_text_size(pointer)).decode()
    finally:
        _c.partir_text_destroy(pointer)


class Module(_Owned):
    """A StableHLO module, read and checked. `names` gives the name of each argument, as a path or JAX key string.

    `arguments` and `results` are the paths by which schedules know those of @main.
    """

    def __init__(self, name: str, text: str | bytes, names: list[str] | None = None):
        self.context = Context()
        source = text.encode() if isinstance(text, str) else text
        with self.context.calling() as check:
            pointer = check(
                _c.partir_module_read_text(self.context.pointer, name.encode(), source, len(source))
            )
            super().__init__(pointer, _c.partir_module_destroy, self.context, source)
            if names is not None:
                lines = "".join(f"{i}\t{name}\n" for i, name in enumerate(names)).encode()
                check(_c.partir_module_set_argument_names(pointer, lines, len(lines)))
            self.arguments = [
                _c.partir_module_argument(pointer, i).name.decode()
                for i in range(_c.partir_module_argument_count(pointer))
            ]
            self.results = [
                _c.partir_module_result(pointer, i).name.decode()
                for i in range(_c.partir_module_result_count(pointer))
            ]


class Schedule(_Owned):
    """A schedule, read from its file form."""

    def __init__(self, context: Context, name: str, text: str):
        source = text.encode()
        with context.calling() as check:
            pointer = check(
                _c.partir_schedule_read_text(context.pointer, name.encode(), source, len(source))
            )
            super().__init__(pointer, _c.partir_schedule_destroy, context)
            self.text = _text(check(_c.partir_schedule_print(pointer)))
            self.tactics = [
                _c.partir_schedule_tactic_name(pointer, i).decode()
                for i in range(_c.partir_schedule_tactic_count(pointer))
            ]
            self.automatic = any(
                _c.partir_schedule_tactic_is_automatic(pointer, i) for i in range(len(self.tactics))
            )


class Partition(_Owned):
    """A module on its way through the tactics of a schedule."""

    def __init__(self, module: Module, schedule: Schedule, mesh: str | None = None):
        self._context = module.context
        self._counts = len(module.arguments), len(module.results)
        with self._context.calling() as check:
            pointer = check(
                _c.partir_partition_create(module.pointer, schedule.pointer, mesh.encode() if mesh else None)
            )
        super().__init__(pointer, _c.partir_partition_destroy, module, schedule)

    def apply_next(self) -> None:
        """Apply the schedule's next tactic. Ctrl-C ends the search of an automatic one, with the best so far."""
        with self._context.calling() as check, self._context.ended_by_interrupt():
            check(_c.partir_partition_apply_next(self.pointer))

    def schedule(self) -> str:
        """The tactics applied so far, automatic ones as what their search found."""
        with self._context.calling() as check:
            return _text(check(_c.partir_partition_schedule(self.pointer)))

    def pareto(self, name: str | None) -> str:
        """The plans of an automatic tactic that none beats in both time and memory, as JSON."""
        with self._context.calling() as check:
            return _text(check(_c.partir_partition_pareto(self.pointer, name.encode() if name else None, 1)))

    def emit(self, stage: int, flags: int = 0) -> str:
        """The program as it is now: CORE, HLO, STABLEHLO or STABLEHLO_CPU; with LOCATIONS as a flag, where each op comes from."""
        with self._context.calling() as check:
            return _text(check(_c.partir_partition_emit(self.pointer, stage, flags)))

    def report(self, form: int) -> str:
        """What each tactic did, as a TABLE or as JSON."""
        with self._context.calling() as check:
            return _text(check(_c.partir_partition_report(self.pointer, form)))

    def why(self, collective: int | None, value: str | None, line: str | None, full: bool) -> str:
        """Why a collective, a value or a line is distributed as it is; without a question, all collectives."""
        query = _WhyQuery(
            0xFFFFFFFF if collective is None else collective,
            value.encode() if value is not None else None,
            line.encode() if line is not None else None,
            full,
        )
        with self._context.calling() as check:
            return _text(check(_c.partir_partition_why(self.pointer, query)))

    def simulate(self, device: str, form: int) -> str:
        """Time and memory on a device: a TABLE, JSON or a TRACE. Each tactic after the first call adds a row."""
        with self._context.calling() as check:
            return _text(check(_c.partir_partition_simulate(self.pointer, device.encode(), form)))

    def distributions(self) -> tuple[list[str], list[str]]:
        """How each argument and each result lies on the mesh: "[{batch}, {}]"."""
        arguments, results = self._counts
        with self._context.calling() as check:
            return (
                [check(_c.partir_partition_argument_distribution(self.pointer, i)).decode() for i in range(arguments)],
                [check(_c.partir_partition_result_distribution(self.pointer, i)).decode() for i in range(results)],
            )
