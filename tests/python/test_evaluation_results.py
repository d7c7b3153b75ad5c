"""What is kept of the evaluation: made again when what it depends on changes, listed when it fails, and the same on the front page."""

import json
import math
import subprocess
import sys

import pytest

from bench.evaluation import __main__ as command
from bench.evaluation import cells, hlo, peers, programs, scaling, tpu, why
from conftest import ROOT


@pytest.fixture
def results(tmp_path, monkeypatch):
    """An empty folder of results."""
    monkeypatch.setattr(cells, "RESULTS", tmp_path)
    monkeypatch.setattr(cells, "made", {})
    monkeypatch.setattr(cells, "older", {})
    monkeypatch.delenv("FRESH", raising=False)
    return tmp_path


def test_sources_are_what_a_compiler_sees(tmp_path, monkeypatch):
    """A comment changes nothing that was measured; a line of code or of a table does, in any folder that results depend on."""
    monkeypatch.setattr(cells, "SOURCES", tmp_path)
    files = {part: tmp_path / part / "sub" / "one.c" for part in ("support", "core", "session", "sim", "tool")} | {"ops": tmp_path / "ir" / "ops.def"}
    for file in files.values():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text('int a; /* one */\nchar *s = "/* a  */ //";\n')

    def key():
        cells.library.cache_clear()
        return cells.library("sim")

    first = key()
    files["core"].write_text('int  a;  // another\n\nchar *s = "/* a  */ //";\n')
    assert key() == first
    files["tool"].write_text("int b;\n")
    assert key() == first  # no result depends on it
    for name in ("support", "core", "session", "sim", "ops"):
        before, text = key(), files[name].read_text()
        files[name].write_text(text.replace("a  *", "a *"))
        assert key() != before, name
    cells.library.cache_clear()


def test_a_changed_program_makes_a_cell_stale(results, monkeypatch):
    """Of the compilers' figures the key is the text that they get."""
    from bench.evaluation import sides

    text = {"ours": "func a", "peers": "func b"}
    monkeypatch.setattr(sides, "emitted", lambda *_: text["ours"])
    monkeypatch.setattr(sides, "given", lambda *_: text["peers"])

    def keys():
        peers.ours_key.cache_clear(), peers.peers_key.cache_clear()
        return peers.ours_key("t32", "BP"), peers.peers_key("t32", "BP")

    first = keys()
    assert keys() == first
    text["ours"] = "func c"
    assert keys()[0] != first[0] and keys()[1] == first[1]
    peers.ours_key.cache_clear(), peers.peers_key.cache_clear()

    class Lowered:
        def lower(self, side):
            return self

        def as_text(self, *stage):
            return f"{text['ours']} {stage}"

    name = next(iter(tpu.CELLS))
    monkeypatch.setattr(tpu, "_lowered", lambda name: Lowered())
    file = cells.file_of("tpu", tpu.kept_as(name, "partir"))
    file.parent.mkdir()
    file.write_text(json.dumps({"inputs": "before", "made": "jaxlib 0, libtpu 7.1, 2 cores"}))
    key = tpu.inputs(name, "partir")
    cells.kept("tpu", tpu.kept_as(name, "partir"), lambda: tpu.inputs(name, "partir"), dict, can=False)
    assert cells.older["tpu"] == [tpu.kept_as(name, "partir")]  # also where there is no such compiler
    text["ours"] = "func d"
    assert tpu.inputs(name, "partir") != key


def test_steps_are_timed_again_when_what_xla_made_changes():
    ours, theirs = {"partir": {"sent": 1, "memory": 2, "flops": 3}, "inputs": "a"}, {"shardy": {"sent": 1, "memory": 2, "flops": 3}, "points": 3}
    first = peers.timed_key(ours, theirs)
    assert peers.timed_key(ours | {"inputs": "b"}, theirs) == first  # another text, the same figures
    assert peers.timed_key(ours, {"shardy": theirs["shardy"] | {"sends": []}}) == first  # with its lists
    assert peers.timed_key(ours, theirs | {"gspmd+": theirs["shardy"]}) == first  # no other program
    for change in ({"memory": 4}, {"collectives": {"all_gather": 1}}, {"flops": 1}):
        assert peers.timed_key({"partir": ours["partir"] | change}, theirs) != first
        assert peers.timed_key(ours, {"shardy": theirs["shardy"] | change}) != first


def test_peers_are_measured_again_for_a_side_that_is_missing():
    sides = {"shardy": {}, "gspmd": {}, "shardy+": {}}
    assert not peers.whole("t32", "BP", sides) and peers.whole("t32", "BP", sides | {"gspmd+": {}}) and peers.whole("t32", "BP", {"failed": "why"})
    assert peers.whole("convnet", "BP", sides)  # which has no places for constraints


def test_programs_and_schedules_of_others_are_inputs(results, tmp_path, monkeypatch):
    monkeypatch.setattr(programs.corpus, "FOLDER", tmp_path)
    (tmp_path / "mine_train.mlir.xz").write_bytes(b"one")
    (tmp_path / "mine_train.names").write_text("0\tparams.w\n1\tbatch\n")
    assert programs.names()[-1] == "mine_train"  # whatever is there
    first, searched = programs.inputs("mine_train", "BP"), programs.inputs("mine_train", "AllAuto")
    (tmp_path / "mine_train.names").write_text("0\tparams.w\n1\tx\n")
    assert programs.inputs("mine_train", "BP") != first
    (tmp_path / "mine_train.mlir.xz").write_bytes(b"two")
    assert programs.inputs("mine_train", "AllAuto") != searched


def test_fresh_computes_again_and_busy_steps_are_timed_again(results, monkeypatch):
    runs = []

    def compute():
        runs.append(1)
        return {"others": 0.5 if len(runs) == 1 else 0.01}

    def ask(**more):
        return cells.kept("times", "a", lambda: "1", compute, peers.quiet, **more)

    ask()
    ask()
    ask()
    assert len(runs) == 2  # the first was not alone on the machine
    monkeypatch.setenv("FRESH", "1")
    ask()
    ask()
    assert len(runs) == 3  # once in a run of the evaluation
    assert ask(can=False)["others"] == 0.01 and len(runs) == 3  # what cannot be made here is not lost
    monkeypatch.setattr(cells, "left", {"times"})
    assert ask()["others"] == 0.01 and len(runs) == 3


def test_a_cell_that_fails_is_listed(results, monkeypatch):
    """In the words of what failed; the page goes on."""

    def fail(*_):
        raise RuntimeError("no such op")

    monkeypatch.setattr(programs, "compute", fail)
    monkeypatch.setattr(programs, "inputs", lambda *_: "1")
    monkeypatch.setattr(programs.corpus, "is_here", lambda _: True)
    text = programs.page(quick=True)
    assert text.count("failed: RuntimeError: no such op") == 4 and "4 failures" in text
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: subprocess.CompletedProcess((), 1, "", "the compiler aborts"))
    assert "failed: RuntimeError: the compiler aborts" in command.wrong_page(quick=True)
    monkeypatch.setattr(scaling.speed, "parts", fail)
    assert "failed: RuntimeError: no such op" in scaling.page(quick=True)


def test_the_front_page_has_the_table_of_the_page():
    """And the page that of the results, whatever they were made from."""
    start, end = command.MARKS
    front = command.FRONT.read_text().split(start)[1].split(end)[0].strip().split("\n\n")[0]
    assert front in command.PAGE.read_text()
    script = "from bench import peak_memory; from bench.evaluation import cells, peers; cells.as_kept = True; peers.ours_key = peers.peers_key = lambda *_: ''; print(peers.summary(False))"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert front == done.stdout.strip()


HLO = """%dots (p.1: f32[8,4], p.2: f32[4,2]) -> f32[8,2] {
  %p.1 = f32[8,4]{1,0} parameter(0)
  %p.2 = f32[4,2]{1,0} parameter(1)
  ROOT %d = f32[8,2]{1,0} dot(%p.1, %p.2), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(step)/shard_map/partir_local/jit(step)/jvp()/dot_general"}
}
%body (p: f32[8,4]) -> f32[8,2] {
  %f = f32[8,2]{1,0} fusion(%p, %q), kind=kLoop, calls=%dots
  ROOT %r = f32[8,2]{1,0} all-reduce(%f), replica_groups={{0,1}}, to_apply=%add, metadata={op_name="jit(<lambda>)/jvp()/dot_general"}
}
ENTRY %main (p: f32[8,4]) -> f32[8,2] {
  %w = f32[8,2]{1,0} while(%p), condition=%c, body=%body, backend_config={"known_trip_count":{"n":"3"}}
  ROOT %a = (f32[8]{0}, f32[9]{0}) all-gather(%w), replica_groups={{0,1}}, dimensions={0}
}
"""


def test_the_largest_of_a_program():
    found = hlo.largest(HLO)
    assert found["sends"] == [
        {"what": "all_reduce f32[8,2] jvp()/dot_general", "times": 3, "bytes": 3 * 64},
        {"what": "all_gather f32[8] and 1 more", "times": 1, "bytes": 34},
    ]
    assert found["products"] == [{"what": "f32[8,4] by f32[4,2] jvp()/dot_general", "times": 3, "flops": 3 * 2 * 8 * 2 * 4}]


def test_evidence_is_what_one_side_has_alone():
    both = {"what": "all_reduce f32[8]", "times": 1, "bytes": 64.0}
    there = both | {"what": "all_reduce f32[8] jvp()/while/body"}  # named otherwise by that compiler
    ours = {"sent": 2064, "sends": [{"what": "all_gather f32[500]", "times": 2, "bytes": 2000.0}, both]}
    sides = {"partir": ours, "shardy": {"sent": 64, "sends": [there]}, "gspmd": {"sent": 90, "sends": []}}
    assert why.evidence(sides, ["sent", "step"]) == "\n  - sent, ours alone: 2 × `all_gather f32[500]` (2.0 kB); Shardy alone: nothing among its largest"
    assert not why.whole({"partir": {"sent": 1}}) and why.whole({"partir": {"failed": "x"}, "shardy": ours}) and why.whole(ours) and not why.whole({"sent": 1})


def test_losses_by_packing_are_told_apart():
    def side(memory, live):
        return {"sent": 1, "memory": memory, "live": live}

    for live, told in ((100, True), (120, False)):
        sides = {"partir": side(120, live), "shardy": side(100, 100)}
        assert math.isclose(tpu.lost(sides)["memory"], 1.2)
        assert bool(tpu.packing(sides, tpu.lost(sides))) is told


def test_lists_are_made_where_a_row_is_worse(results, monkeypatch):
    """What was kept without them is measured again for the sides that the page compares, and for no others."""
    asked = []

    def ask(_, name, side):
        asked.append((name, side))
        return {"sent": 2 if side == "partir" else 1, "memory": 1, "collectives": {}, "sends": []}

    monkeypatch.setattr(tpu, "ask", ask)
    monkeypatch.setattr(tpu, "inputs", lambda *_: "1")
    monkeypatch.setattr(tpu, "is_here", lambda: True)
    monkeypatch.setattr(tpu, "CELLS", {name: tpu.Cell("t32", "BP", {}) for name in ("same", "worse")})
    for name, ours in (("same", 1), ("worse", 2)):
        for side, sent in (("partir", ours), ("shardy", 1), ("gspmd", 2)):
            cells.kept("tpu", tpu.kept_as(name, side), lambda: "1", lambda: {"sent": sent, "memory": 1, "collectives": {}})
    tpu.found.__wrapped__(False)
    assert asked == [("worse", "partir"), ("worse", "shardy")]
    tpu.found.__wrapped__(False)
    assert len(asked) == 2
