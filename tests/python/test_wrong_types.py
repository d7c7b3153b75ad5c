"""Every public call with arguments of wrong types: it works, or says itself what is wrong, in a line that raises."""

import inspect
import linecache
import pathlib
import re
import traceback
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import partir
from partir import _calibrate

PACKAGE = str(pathlib.Path(partir.__file__).parent)
WRONG = [None, True, 7, -1, 0.5, "nonsense", b"bytes", [], [1], ["a", 2], {}, {1: 2}, {"a": []}, ("x",), {"x"}, print, np.zeros(2), ...]
MESH = {"batch": 2, "model": 2}
BP = partir.ManualPartition({"x": 0}, axis="batch", name="BP")


def model(w, x):
    return jnp.tanh(x @ w["up"]) @ w["down"]


ARGS = {"up": np.ones((4, 8), np.float32), "down": np.ones((8, 4), np.float32)}, np.ones((8, 4), np.float32)


def jitted(function=model, **options):
    """A partitioned function, used: some of what can be wrong shows only then."""
    partitioned = partir.jit(function, **{"mesh": MESH, "schedule": [BP]} | options)
    lowered = (partitioned if function is not None else partitioned(model)).lower(*ARGS)  # without a function it is a decorator
    return str(lowered.report), repr(lowered)


def used(tactic=BP, **options):
    """A schedule that is printed and applied."""
    schedule = partir.Schedule(**{"tactics": [tactic]} | options)
    return schedule.text(), jitted(schedule=schedule, mesh=MESH if schedule.mesh is None else schedule.mesh)


@pytest.fixture(scope="module")
def program():
    automatic = partir.AutomaticPartition(axes=["model"], budget=4, name="auto")
    return partir.jit(model, mesh=MESH, schedule=[BP, automatic], device="tpu_v5e").lower(*ARGS)


def export(function, **options):
    return partir.export(function, *ARGS, **options)


def one_tag(name):
    return partir.jit(lambda x: 2 * partir.tag(x, name), mesh=MESH).lower(ARGS[1])


def calibrate(**options):
    """Without the seconds that measuring takes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_calibrate, "Calibration", lambda devices, say: SimpleNamespace(measure=lambda: say("measured") or "device", busy=lambda: None))
        return partir.calibrate(**options)


# Each public callable: how it is called with a program and a folder, and arguments that are right.
CALLS = {
    "devices": lambda program, folder: (partir.devices, {"name": "tpu_v5e"}),
    "calibrate": lambda program, folder: (calibrate, {"path": folder / "host.device", "devices": jax.devices()[:1], "progress": print}),
    "export": lambda program, folder: (export, {
        "function": model, "path": folder / "f.mlir", "donate_argnums": None, "static_argnums": None, "static_argnames": None,
        "platform": "cpu",
    }),
    "jit": lambda program, folder: (jitted, {
        "function": model, "mesh": MESH, "schedule": [BP], "donate_argnums": 0, "donate_argnames": None, "static_argnums": None,
        "static_argnames": None, "device": "tpu_v5e", "annotations": "apply", "rules": "trust",
    }),
    "report": lambda program, folder: (partir.report, {"source": program.report.data}),
    "rule": lambda program, folder: (
        lambda **options: jitted(schedule=[BP, partir.rule(**options)]), {"target": "flash", "notation": "(i) -> (i)"},
    ),
    "tag": lambda program, folder: (one_tag, {"name": "t"}),
    "AutomaticPartition": lambda program, folder: (
        lambda **options: used(partir.AutomaticPartition(**options), device="tpu_v5e"),
        {"axes": ["model"], "memory": "14GiB", "budget": 4, "objective": "time", "leave": ["x"], "seed": 1, "name": "A"},
    ),
    "ManualPartition": lambda program, folder: (
        lambda **options: used(partir.ManualPartition(**options)), {"inputs": {"x": 0}, "axis": "batch", "name": "BP"},
    ),
    "Schedule": lambda program, folder: (used, {
        "tactics": [BP], "mesh": MESH, "device": "tpu_v5e", "ties": {}, "rules": ['"flash" : (i) -> (i)'], "gathers": "shared",
        "demands": ["deny all_to_all on model"], "annotations": "apply", "trust_rules": False,
    }),
    "Schedule.load": lambda program, folder: (partir.Schedule.load, {"path": folder / "s.schedule"}),
    "Schedule.save": lambda program, folder: (partir.Schedule([BP]).save, {"path": folder / "t.schedule"}),
    "Schedule.text": lambda program, folder: (partir.Schedule([BP]).text, {"types": None}),
    "Schedule.__add__": lambda program, folder: (lambda more: partir.Schedule([BP]) + more, {"more": [BP]}),
    "Lowered.pareto": lambda program, folder: (program.pareto, {"name": "auto"}),
    "Lowered.why": lambda program, folder: (program.why, {"collective": None, "value": None, "line": None, "full": False}),
    "Lowered.expect": lambda program, folder: (program.expect, {"report": program.report}),
    "Lowered.fixes": lambda program, folder: (program.fixes, {"collective": None, "value": "x", "line": None, "tries": 2}),
    "Lowered.as_text": lambda program, folder: (program.as_text, {"stage": "hlo", "debug_info": False}),
    "Lowered.sharding": lambda program, folder: (program.sharding, {"path": "x"}),
    "Lowered.compile": lambda program, folder: (program.compile, {"compiler_options": None}),
    "Report.diff": lambda program, folder: (program.report.diff, {"other": program.report}),
    "Report.plot": lambda program, folder: (program.report.plot, {"chart": "tactics"}),
    "Report.save_html": lambda program, folder: (program.report.save_html, {"path": folder / "page.html"}),
}  # fmt: skip


def says_so(error):
    """Whether a line of the package raised it on purpose, or the file system or JAX did, in their own words."""
    if isinstance(error, OSError) or re.match("Jitted function has|Non-hashable static|Static argument", str(error)):
        return True
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return frame.filename.startswith(PACKAGE) and linecache.getline(frame.filename, frame.lineno).strip().startswith("raise")


@pytest.mark.parametrize("name", CALLS)
def test_wrong_types_are_refused_in_words(name, program, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    partir.Schedule([BP]).save(tmp_path / "s.schedule")
    call, right = CALLS[name](program, tmp_path)
    call(**right)
    raw = []
    for parameter in right:
        for wrong in WRONG:
            try:
                call(**right | {parameter: wrong})
            except Exception as error:
                if not says_so(error):
                    at = traceback.extract_tb(error.__traceback__)[-1]
                    raw.append(f"{parameter}={wrong!r}: {error!r:.150} at {at.filename[-40:]}:{at.lineno}")
    assert not raw, "\n".join(raw)


def test_every_public_call_is_tried():
    known = {name for name in partir.__all__ if callable(getattr(partir, name))}
    for name in known.copy():
        if inspect.isclass(getattr(partir, name)):
            known |= {f"{name}.{member}" for member, value in vars(getattr(partir, name)).items() if member[0] != "_" and takes(value)}
    not_walked = {"version", "Jitted.lower"}  # without arguments, and with those of the user's function
    made_by_others = {"Compiled", "Diagnostic", "Jitted", "Lowered", "PartirError", "PartirWarning", "Report"}
    assert known - not_walked - made_by_others == CALLS.keys() - {"Schedule.__add__"}


def takes(member):
    """Whether a member of a class is called with arguments."""
    function = getattr(member, "__func__", member)
    return inspect.isfunction(function) and len(inspect.signature(function).parameters) > (function is member)
