"""The binding of the C library: all of the header, and what comes back is what the text forms say."""

import ctypes
import json
import re
from pathlib import Path

import pytest

from partir import _declarations, _lib

ROOT = Path(__file__).resolve().parents[2]
HEADER = (ROOT / "include" / "partir.h").read_text()
PROGRAM = (ROOT / "examples" / "two_matmul.mlir").read_text()
SCHEDULE = "mesh batch=4, model=2\ndevice tpu_v5e\ntactic BP on batch { x : 0 }\ntactic MP on model { w1 : 1 }\n"


def _open(schedule: str = SCHEDULE) -> _lib.Partition:
    module = _lib.Module("m", PROGRAM, ["x", "w1", "w2"])
    return _lib.Partition(module, _lib.Schedule(module.context, "s", schedule))


def test_every_function_of_the_header_is_bound():
    declared = set(re.findall(r"^PARTIR_API[^;(]*?(partir_\w+)\(", HEADER, re.MULTILINE))
    assert declared == set(_declarations._FUNCTIONS)


def test_structs_have_the_fields_of_the_header():
    structs = {c.__name__: c for c in vars(_declarations).values() if isinstance(c, type) and issubclass(c, _declarations._Sized)}
    for name, body in re.findall(r"typedef struct (partir_\w+) \{\n(.*?)\n\} \1;", HEADER, re.DOTALL):
        body = re.sub(r"/\*.*?\*/", "", body, flags=re.DOTALL)
        fields = []
        for line in body.split(";"):
            callback = re.search(r"\(\*(\w+)\)", line)
            names = [callback.group(1)] if callback else re.findall(r"(\w+)\s*(?=,|$)", line.strip())
            fields += names
        mirror = structs["_" + "".join(part.title() for part in name.split("_")[1:])]
        assert [f[0].rstrip("_") for f in mirror._fields_] == fields, name
        assert mirror().size == ctypes.sizeof(mirror)


def test_values_and_distributions():
    partition = _open()
    partition.apply_next()
    partition.apply_next()
    report = json.loads(partition.report(_lib.JSON))
    values = partition.values()
    assert [v.name for v in values] == [v["name"] for v in report["arguments"] + report["results"]]
    arguments, results = partition.distributions()
    wanted = [tuple(map(tuple, v["distribution"])) for v in report["arguments"] + report["results"]]
    assert arguments + results == wanted == [partition.distribution(i) for i in range(4)]
    assert partition.find("w1") == 1 and values[1].shape == (8, 16) and values[1].type == "f32"
    assert partition.legality(1, 0, "batch") == _lib.Legality.LEGAL
    assert partition.legality(1, 0, "model") == _lib.Legality.AXIS_USED
    with pytest.raises(_lib.PartirError, match="the nearest name is w1") as raised:
        partition.find("w11")
    assert raised.value.status == _lib.Status.NOT_FOUND


def test_ops_and_collectives():
    partition = _open()
    partition.apply_next()
    partition.apply_next()
    ops = list(partition.ops())
    assert {loop.axis for op in ops for loop in op.loops} == {"batch", "model"}
    assert [op.name for op in ops for loop in op.loops if loop.cause is None] == ["argument x", "argument w1"]
    assert any(loop.sum for op in ops if op.kind == "stablehlo.dot_general" for loop in op.loops)
    rows = json.loads(partition.report(_lib.JSON))["tactics"][-1]
    collectives = partition.collectives()
    assert len(collectives) == sum(row["ops"] for row in rows["collectives"]) == 1
    assert sum(c.bytes for c in collectives) == rows["bytes_sent"]
    assert collectives[0].tactic == "MP" and collectives[0].axes == ("model",)


def test_tactics_by_calls_and_by_trials():
    by_text, by_calls, by_trials = _open(), _open(), _open()
    by_text.apply_next()
    by_text.apply_next()
    by_calls.apply("BP", "batch", {0: 0})
    by_calls.apply("MP", "model", {1: 1})
    with _lib.Trials(by_trials) as trials:
        whole = trials.evaluate()
        mark = trials.mark()
        trials.tile({1: 0}, "model")
        trials.undo(mark)
        trials.tile({0: 0}, "batch")
        trials.tile({1: 1}, "model")
        with pytest.raises(_lib.PartirError) as raised:
            trials.tile({0: 1}, "batch")
        assert raised.value.status == _lib.Status.ILLEGAL
        with pytest.raises(_lib.PartirError, match="trials are under way"):
            by_trials.apply_next()
        assert not trials.evaluate(longest=0).complete
        cost = trials.evaluate()
        trials.commit("Found")
    assert by_text.state() == by_calls.state() == by_trials.state()
    assert cost == by_trials.cost() == by_text.cost("tpu_v5e") and cost.seconds != whole.seconds
    assert [t.name for t in by_trials.tactics()] == ["Found", "Found_2"]
    assert by_trials.tactics()[1].text == "tactic Found_2 on model {\n  w1 : 1\n}\n"
    assert by_text.verify()


def test_runs():
    module = _lib.Module("m", PROGRAM, ["x", "w1", "w2"])
    run = _lib.Run(module)
    assert run.missing == 3
    run.random_arguments(1)
    run.execute()
    kind, shape, elements = run.result(0)
    assert kind == "f32" and len(elements) == 4 * shape[0] * shape[1]
    with pytest.raises(_lib.PartirError):
        run.set_argument(0, b"")


def test_devices():
    assert {"tpu_v5e", "host", "h100"} <= {d.name for d in _lib.device_list()}


BYTES = b"a\xffb\x1b[31m\"\\\xed\xa0\x80\xc3"
ANY_BYTES = b"""module @m {
  func.func @main(%x: tensor<4x4xf32> loc("x/NAME"), %y: tensor<4x4xf32> {partir.name = "y/NAME"}) -> (tensor<4x4xf32> {jax.result_info = "result['NAME']"}) {
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> loc("jit(f)/NAME/dot"("NAME.py":7:1))
    %1 = "partir.tag"(%0) <{name = "NAME"}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
}
""".replace(b"NAME", b"".join(b"\\%02X" % c for c in BYTES))


def test_json_is_utf8_whatever_names_hold(partir, tmp_path):
    """Every JSON writer of the command and of the library, on a program whose names and places are no UTF-8."""
    program, schedule = tmp_path / "m.mlir", tmp_path / "s"
    program.write_bytes(ANY_BYTES)
    schedule.write_bytes(b"mesh a=2\ndevice tpu_v5e\ntactic T on a { x/* : 1 }\ntactic U on a { y/* : 0 }\n")
    out = [tmp_path / name for name in ("report", "figures", "trace")]
    commands = [
        ["check", program, "--json"],
        ["ops", program, "--json"],
        ["rules", program, "--json"],
        ["partition", program, schedule, "--quiet", "--json", out[0]],
        ["simulate", program, schedule, "--quiet", "--json", out[1], "--trace", out[2]],
    ]
    for command in commands:
        done = partir(*command)
        assert done.returncode == 0, done.stderr
        if command[-1] == "--json":
            json.loads(done.stdout)
    for path in out:
        json.loads(path.read_bytes().decode())
    assert r"\ufffd" in out[0].read_text()
    module = _lib.Module("m", ANY_BYTES)
    p = _lib.Partition(module, _lib.Schedule(module.context, "s", schedule.read_text()))
    p.apply_next()
    p.apply_next()
    for text in (p.report(_lib.JSON), p.simulate(None, _lib.JSON), p.simulate(None, _lib.TRACE), module.rules(True)):
        json.loads(text)
    name = module.arguments[0]
    assert name.encode(errors=_lib.KEEP) == b"x/" + BYTES.replace(b"\x1b", rb"\x1b")  # no control character is in a name
    assert p.find(name) == 0
    assert b"\\FF" in module.print(_lib.LOCATIONS).encode(errors=_lib.KEEP)
