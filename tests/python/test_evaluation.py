"""The evaluation counts what programs send, in each way in which XLA prints it, and computes a cell once."""

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
    now = peers.joined(ours, theirs, times | {"inputs": cells.digest("a", "b")})
    assert now["partir"] == {"sent": 1, "step": 0.5} and now["shardy"]["step"] == 0.7 and now["points"] == 3
    assert peers.joined(ours, theirs, times | {"inputs": "other"})["partir"]["earlier"]
    assert peers.joined({"failed": "why"}, theirs, times) == {"failed": "why"}
