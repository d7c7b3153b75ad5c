"""The declarations of include/partir.h for ctypes, one by one: constants, structs, functions; and where the library is."""

from __future__ import annotations

import ctypes
import enum
import os
from ctypes import (
    POINTER,
    Structure,
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
from pathlib import Path
from typing import Any

ERROR, WARNING, NOTE = range(3)
CORE, HLO, STABLEHLO, STABLEHLO_CPU, STABLEHLO_TPU = range(5)
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


class _Verification(_Sized):
    _fields_ = [("size", c_size_t), ("equal", c_int), ("results", c_uint32), ("compared", c_uint32)]


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
        ("line", c_uint32),
    ]


class _PartitionOptions(_Sized):
    _fields_ = [("size", c_size_t), ("mesh", c_char_p), ("device", c_char_p), ("annotations", c_int), ("ignore_demands", c_int)]


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
        ("peak_most", c_double),
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
    "partir_partition_verification": (c_int, (c_void_p, c_uint64, POINTER(_Verification))),
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
