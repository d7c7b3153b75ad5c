"""The evaluation counts what programs send, in each way in which XLA prints it, and computes a cell once."""

import math

import pytest

from bench.evaluation import cells, hlo, peers

LINE = "  %x = f32[64,3]{1,0} KIND(%p), channel_id=1, GROUPS, dimensions={0}"
GROUPS = (
    "replica_groups={{0,2,4,6},{1,3,5,7}}",
    "replica_groups=[2,4]<=[4,2]T(1,0)",
    "replica_groups=mesh['a'=4,'b'=1,'c'=2] {'a'}",
    "replica_groups=mesh['a'=8] {'a':(1)4}",
)
BYTES = 64 * 3 * 4


@pytest.mark.parametrize("groups", GROUPS)
def test_bytes_on_a_ring(groups):
    sent = {"all-gather": 3 / 4, "all-to-all": 3 / 4, "all-reduce": 2 * 3 / 4, "reduce-scatter": 3}
    for kind, factor in sent.items():
        body = LINE.replace("KIND", kind).replace("GROUPS", groups)
        found = hlo.collectives(f"ENTRY %main (p: f32[16,3]) -> f32[64,3] {{\n{body}\n}}\n")
        assert found[kind] == (1, factor * BYTES)


def test_loops_count_their_turns():
    text = """%body (p: f32[4]) -> f32[4] {
  ROOT %r = f32[4]{0} all-reduce(%p), replica_groups={{0,1}}, to_apply=%add
}
ENTRY %main (p: f32[4]) -> f32[4] {
  %w = f32[4]{0} while(%p), condition=%c, body=%body, backend_config={"known_trip_count":{"n":"12"}}
  ROOT %a = (f32[4]{0}, f32[8]{0}) all-gather-start(%w), replica_groups={{0,1}}, dimensions={0}
}
"""
    found = hlo.collectives(text)
    assert found["all-reduce"] == (12, 12 * 16)
    assert found["all-gather"] == (1, 16)


@pytest.mark.parametrize("start, step, turns", ((0, 1, 12), (2, 1, 10), (0, 4, 3), (0, 5, 3)))
def test_loops_without_a_noted_count(start, step, turns):
    text = f"""%condition (p: (f32[4], s32[])) -> pred[] {{
  %limit = s32[]{{:T(128)}} constant(12)
  %p = (f32[4]{{0}}, s32[]{{:T(128)}}) parameter(0)
  %i = s32[]{{:T(128)}} get-tuple-element(%p), index=1
  ROOT %less = pred[] compare(%i, %limit), direction=LT
}}
%body (p: (f32[4], s32[])) -> (f32[4], s32[]) {{
  %p = (f32[4]{{0}}, s32[]) parameter(0)
  %x = f32[4]{{0}} get-tuple-element(%p), index=0
  %i.1 = s32[] get-tuple-element(%p), index=1
  %i.2 = s32[] copy(%i.1), backend_config={{"lists":[]}}
  %by = s32[] constant({step})
  %next = s32[] add(%i.2, %by), metadata={{op_name="add"}}
  %r = f32[4]{{0}} all-reduce(%x), replica_groups={{{{0,1}}}}, to_apply=%add
  ROOT %t = (f32[4]{{0}}, s32[]) tuple(%r, %next)
}}
ENTRY %main (p: f32[4]) -> f32[4] {{
  %zero = s32[] constant({start})
  %from = s32[] copy(%zero), backend_config={{"lists":[]}}
  %in = (f32[4]{{0}}, s32[]) tuple(%p, /*index=1*/%from)
  %w = (f32[4]{{0}}, s32[]) while(%in), condition=%condition, body=%body
  ROOT %a = f32[4]{{0}} get-tuple-element(%w), index=0
}}
"""
    assert hlo.collectives(text)["all-reduce"] == (turns, turns * 16)


def test_the_words_of_the_tpu_compiler():
    """A sum of which a fusion keeps a slice is a reduce-scatter; a gather that several fusions carry on is one."""
    text = """%scatter (p: f32[8]) -> f32[2] {
  %sum.1 = f32[8]{0} all-reduce(%p), channel_id=1, replica_groups={{0,1,2,3}}, to_apply=%add
  ROOT %slice = f32[2]{0} dynamic-slice(%sum.1, %i), dynamic_slice_sizes={2}
}
%begin (p: f32[2]) -> f32[8] {
  ROOT %g.1 = f32[8]{0} all-gather(%p), channel_id=2, replica_groups={{0,1,2,3}}, dimensions={0}, frontend_attributes={chain_id="7"}
}
%beside (p: f32[2], q: f32[4]) -> f32[8] {
  ROOT %g.2 = f32[8]{0} all-gather(%p), channel_id=2, replica_groups={{0,1,2,3}}, dimensions={0}, frontend_attributes={chain_id="7"}
}
%sums (p: f32[8]) -> f32[8] {
  ROOT %sum.2 = f32[8]{0} all-reduce(%p), channel_id=3, replica_groups={{0,1,2,3}}, to_apply=%add
}
ENTRY %main (p: f32[4]) -> f32[4] {
  %a = f32[2]{0} fusion(%p), kind=kCustom, calls=%scatter
  %b = f32[8]{0} fusion(%a), kind=kCustom, calls=%begin
  %c = f32[8]{0} fusion(%a, %p), kind=kOutput, calls=%beside
  ROOT %d = f32[8]{0} fusion(%c), kind=kCustom, calls=%sums
}
"""
    found = hlo.collectives(text)
    assert found["reduce-scatter"] == (1, 24) and found["all-gather"] == (1, 24) and found["all-reduce"] == (1, 48)


def test_a_cell_is_computed_once(tmp_path, monkeypatch):
    monkeypatch.setattr(cells, "RESULTS", tmp_path)
    monkeypatch.delenv("FRESH", raising=False)
    runs = []

    def compute():
        runs.append(1)
        return {"value": len(runs)}

    assert cells.kept("s", "a b", lambda: "1", compute)["value"] == 1
    assert cells.kept("s", "a b", lambda: "1", compute)["value"] == 1
    assert cells.kept("s", "a b", lambda: "2", compute)["value"] == 2  # other inputs
    assert "failed" in cells.kept("s", "c", lambda: "1", lambda: 1 / 0)
    monkeypatch.setattr(cells, "as_kept", True)
    assert cells.kept("s", "a b", lambda: "3", compute)["value"] == 2
    assert cells.kept("s", "d", lambda: "1", compute)["failed"] == cells.NOT_MEASURED
    monkeypatch.setattr(cells, "as_kept", False)
    monkeypatch.setattr(cells, "stop_at", 0.0)
    assert cells.kept("s", "a b", lambda: "3", compute)["value"] == 2 and len(runs) == 2
    monkeypatch.setattr(cells, "stop_at", math.inf)
    monkeypatch.setattr(cells, "left", {"s"})
    assert cells.kept("s", "d", lambda: "1", compute)["failed"] == cells.NOT_MEASURED
    monkeypatch.setattr(cells, "left", set())
    monkeypatch.setattr(cells, "only_missing", True)
    assert cells.kept("s", "a b", lambda: "3", compute)["value"] == 2
    assert cells.kept("s", "d", lambda: "1", compute)["value"] == 3


def test_constraints_of_a_strategy():
    from jax.sharding import PartitionSpec as P

    from bench.schedules import constraints

    assert constraints.specs("t32", "BP+MP+Z3")["ffn"] == P("batch", None, "model")
    assert constraints.specs("moe", "BP+EPB")["experts"] == P(None, "batch", None, None)  # the later tactic takes the axis
    assert constraints.specs("it32", "BP+MPQ+MQ")["scores"] == P(("batch", "model"), None, None, None)


def test_experts_on_the_axis_of_the_batch_send_no_more_than_annotated_shardy():
    from bench import models
    from bench.evaluation import sides

    cell = sides.Cell(models.get("moe", small=True, **sides.MEDIUM["moe"] | {"layers": 1}), "moe", "TOK+BP+EPB")
    ours, theirs = (sides.figures(cell.lower(side).compile()) for side in ("partir", "shardy+"))
    assert cell.points == 2  # hidden and experts: annotated
    assert ours["collectives"]["all_to_all"] and ours["sent"] <= 1.05 * theirs["sent"]


def test_points_of_a_model_are_nothing_unless_specs_are_given():
    import jax
    from jax.sharding import Mesh, PartitionSpec as P

    from bench import models
    from bench.models import annotate

    it = models.get("t32", small=True)
    mesh = Mesh(jax.devices()[:2], ("batch",))
    assert "sharding_constraint" not in str(jax.make_jaxpr(it.function)(*it.args))
    with annotate.using(mesh, {"hidden": P("batch", None, None)}) as used:
        assert "sharding_constraint" in str(jax.make_jaxpr(lambda *args: it.function(*args))(*it.args))
    assert used == {"hidden": 5}  # the embedding, and twice a layer


def test_steps_timed_with_an_earlier_program_are_marked():
    """What was timed and what was compiled are kept apart; their inputs say whether they belong together."""
    ours, theirs = {"partir": {"sent": 1}, "inputs": "a"}, {"shardy": {"sent": 2}, "points": 3, "inputs": "b"}
    times = {"partir": {"step": 0.5}, "shardy": {"step": 0.7}}
    compiled = {"partir": {"lower": 0.1, "compile": 2.0}, "inputs": "k"}
    now = peers.joined(ours, theirs, compiled, times | {"inputs": "k", "others": 0.01}, "k")
    assert now["partir"] == {"sent": 1, "lower": 0.1, "compile": 2.0, "step": 0.5, "earlier": False, "busy": False} and now["shardy"]["step"] == 0.7 and now["points"] == 3
    assert peers.joined(ours, theirs, {}, times | {"inputs": "other"}, "k")["partir"]["earlier"]
    assert peers.joined(ours, theirs, {}, times | {"inputs": "k", "others": 0.5}, "k")["partir"]["busy"]
    assert peers.joined({"failed": "why"}, theirs, {}, times, "k") == {"failed": "why"}


def test_lowering_and_compiling_are_measured_for_each_side(monkeypatch):
    from bench.evaluation import sides

    monkeypatch.setitem(sides.MEDIUM, "lstm", {})
    monkeypatch.setattr(sides, "COMPILED", 1)
    found = sides.answer("lstm", "BP", "compile")
    assert {"partir", "shardy", "gspmd"} <= set(found) <= set(sides.SIDES)
    assert all(0 < one["lower"] and 0 < one["compile"] for one in found.values())


def side(sent, memory, step, spread=0.1):
    return {"sent": sent, "memory": memory, "flops": 1, "error": 0, "step": step, "step_quartiles": [step - spread, step + spread], "earlier": False}


def test_a_trade_is_decided_by_the_time_of_a_step():
    """A peer that holds less and sends more is better only if its steps are not slower."""
    ours = side(100, 110, 5.0)
    assert peers.lost({"partir": ours, "shardy": side(300, 100, 9.0)}) == ([], ["memory"])
    assert peers.lost({"partir": ours, "shardy": side(300, 100, 5.1)}) == (["memory"], [])  # within its quartiles
    assert peers.lost({"partir": ours, "shardy": side(300, 100, 4.0)}) == (["memory", "step"], [])
    assert peers.lost({"partir": ours, "shardy": side(99, 109, 9.0)}) == ([], [])
    assert peers.lost({"partir": ours, "shardy": side(300, 100, 9.0), "gspmd": side(300, 100, 5.0)}) == (["memory"], [])
    assert peers.lost({"partir": ours | {"earlier": True}, "shardy": side(300, 100, 9.0)}) == (["memory"], [])
    assert peers.lost({"partir": ours, "shardy": side(300, 100, 1.0) | {"error": 1.0}}) == ([], [])  # wrong numbers
    assert peers.lost({"partir": ours, "shardy": side(90, 100, 9.0)}) == (["sent", "memory"], [])  # no trade: nothing is better here


def test_a_text_beside_the_peers(tmp_path):
    """The program as text gets our shardings; all sides send and hold about the same where there is one way to do it."""
    import jax.numpy as jnp
    import partir

    from bench.evaluation import foreign

    def step(w, x):
        return w - jnp.tanh(x @ w).T.mean() * w, (x @ w).sum()

    path = partir.export(step, jnp.ones((16, 32)), jnp.ones((8, 16)), path=tmp_path / "step.mlir", donate_argnums=0)
    schedule = tmp_path / "step.schedule"
    schedule.write_text("mesh batch=4, model=2\ntactic BP on batch { x : 0 }\ntactic MP on model { w : 1 }\n")
    ours = foreign.emitted(path, schedule, foreign.STAGES["cpu"])
    assert foreign.distributions(ours) == ([[[], ["model"]], [["batch"], []]], [[[], ["model"]], []])
    for side in foreign.SIDES:
        found = foreign.compile_side(path.read_text(), ours, side)
        assert set(found["collectives"]) == {"all_reduce"} and found["memory"] < 16 * 32 * 4 + 8 * 16 * 4 + 4096


def test_gaps_in_a_heap(tmp_path):
    """Of 300 bytes 200 are in use at most: a and b after each other at one offset, c beside them with a gap between."""
    from bench.evaluation import lives

    (tmp_path / "m.live-range.txt").write_text("HloLiveRange:\n  BufferLiveRange:\n    a{}:0-4\n    b{0}:5-9\n    c{}:2-7\n")
    values = " value: <1 a @0> (size=100,offset=0): f32[25]\n value: <2 b{0} @0> (size=80,offset=0): f32[20]\n value: <3 c @0> (size=100,offset=200): f32[25]\n"
    text = f"allocation 0: size 64, parameter 0:\nallocation 1: size 300, preallocated-temp:\n{values}allocation 2: size 8, color 1, preallocated-temp:\n{values}"
    (tmp_path / "m.after_optimizations-buffer-assignment.txt").write_text(text)
    heap = lives.most(tmp_path)
    assert heap[:2] == (300, 200)
    assert [(one["what"], one["times"], one["bytes"]) for one in lives.listed(heap)] == [("f32[25]", 2, 200)]
    assert lives.most(tmp_path / "nothing") is None
