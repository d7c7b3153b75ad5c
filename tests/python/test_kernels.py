"""Rules for kernels and FFI calls, from Python and from the schedule."""

import jax
import jax.numpy as jnp
import numpy as np
import partir
import pytest
from jax.experimental import pallas as pl
from jax.sharding import PartitionSpec as P

AXES = {"batch": 4, "model": 2}
BP = partir.ManualPartition({"q": 0}, axis="batch", name="BP")


def attention(q, k):
    call = jax.ffi.ffi_call("some_attention", jax.ShapeDtypeStruct(q.shape, q.dtype))
    return jnp.sin(call(jnp.cos(q), k))


ARGS = jax.ShapeDtypeStruct((8, 2, 16, 4), jnp.float32), jax.ShapeDtypeStruct((8, 2, 32, 4), jnp.float32)


def test_a_rule_of_one_line_lets_a_kernel_be_cut():
    rule = partir.rule("some_attention", "(b h s d, b h t d) -> (b h s d) whole(s, t, d)")
    lowered = partir.jit(attention, mesh=AXES, schedule=[rule, BP]).lower(*ARGS)
    assert [s.spec for s in lowered.in_shardings] == [P("batch", None, None, None)] * 2
    assert lowered.out_shardings.spec == P("batch", None, None, None)
    assert not lowered.report.data["tactics"][0]["collectives"]


def test_a_kernel_without_a_rule_stays_whole_and_the_report_has_the_line_to_write():
    lowered = partir.jit(attention, mesh=AXES, schedule=[BP]).lower(*ARGS)
    line = 'rule "some_attention" : (d0 d1 d2 d3, d4 d5 d6 d7) -> (d0 d1 d2 d3) whole('
    assert line in str(lowered.report)
    assert lowered.in_shardings[1].spec == P(None, None, None, None)


def test_rules_are_trusted_only_if_asked_for():
    assert "rules trust" in partir.jit(attention, mesh=AXES, schedule=[BP], rules="trust").lower(*ARGS).schedule
    with pytest.raises(ValueError, match="'trust'"):
        partir.jit(attention, mesh=AXES, rules="always")


# ---- Pallas ---------------------------------------------------------------------------------------------------------

BLOCK = 8
MP = partir.ManualPartition({"p/qkv": 2}, axis="model", name="MP")
FLASH = partir.rule("flash", "(b h s d, b h t d, b h t d) -> (b h s d) whole(s, t, d)")


def flash(q, k, v):
    """Causal attention: a block of queries for each place of the grid, which the mask asks for."""
    batch, heads, length, size = q.shape

    def kernel(q, k, v, o):
        scores = q[0, 0] @ k[0, 0].T / np.sqrt(size)
        row = pl.program_id(2) * BLOCK + jax.lax.broadcasted_iota(jnp.int32, scores.shape, 0)
        column = jax.lax.broadcasted_iota(jnp.int32, scores.shape, 1)
        o[0, 0] = jax.nn.softmax(jnp.where(column <= row, scores, -1e9), axis=-1) @ v[0, 0]

    queries = pl.BlockSpec((1, 1, BLOCK, size), lambda b, h, i: (b, h, i, 0))
    keys = pl.BlockSpec((1, 1, length, size), lambda b, h, i: (b, h, 0, 0))
    return pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct(q.shape, q.dtype),
        grid=(batch, heads, length // BLOCK),
        in_specs=[queries, keys, keys],
        out_specs=queries,
        interpret=True,
        name="flash",
        cost_estimate=pl.CostEstimate(flops=4 * q.size * length, transcendentals=q.size // size * length, bytes_accessed=16 * q.size),
    )(q, k, v)


def block(p, q):
    h = jnp.einsum("bsm,tmhd->tbhsd", q, p["qkv"])
    return jnp.einsum("bhsd,hdm->bsm", flash(h[0], h[1], h[2]), p["o"])


def arguments():
    random = np.random.default_rng(0)
    normal = lambda *shape: random.normal(size=shape).astype(np.float32)
    return {"qkv": normal(3, 16, 4, 8), "o": normal(4, 8, 16)}, normal(8, 16, 16)


@pytest.mark.parametrize("rules", [[FLASH], []], ids=["rule", "whole"])
def test_a_pallas_kernel(rules):
    p, x = arguments()
    step = partir.jit(block, mesh=AXES, schedule=[*rules, BP, MP])
    report = step.lower(p, x).report
    gathers = report.data["tactics"][-1]["totals"]["all_gather"]
    assert (gathers == 0) == bool(rules)
    assert ('rule "flash" : (d0 d1 d2 d3' in str(report)) == (not rules)
    np.testing.assert_allclose(np.asarray(step(p, x)), np.asarray(jax.jit(block)(p, x)), rtol=1e-4, atol=1e-4)
    inside = jax.jit(lambda p, x: 2 * step(p, x))
    np.testing.assert_allclose(np.asarray(inside(p, x)), 2 * np.asarray(jax.jit(block)(p, x)), rtol=1e-4, atol=2e-4)


def test_a_kernel_is_priced_by_its_own_estimate():
    step = partir.jit(lambda q: flash(q, q, q), mesh=AXES, schedule=[FLASH, BP], device="tpu_v5e")
    data = step.lower(np.ones((8, 4, 16, 8), np.float32)).report.data["simulation"]
    assert data["model_flops"] == 4 * 8 * 4 * 16 * 8 * 16
    assert [row["flops"] for row in data["tactics"]] == [data["model_flops"], data["model_flops"] / 4]
    assert [row["other_flops"] for row in data["tactics"]] == [10 * 8 * 4 * 16 * 16, 10 * 2 * 4 * 16 * 16]
    assert [row["bytes"] for row in data["tactics"]] == [16 * 8 * 4 * 16 * 8, 16 * 2 * 4 * 16 * 8]


def runs(function, rule, x, inputs):
    partir.jit(function, mesh={"a": 2}, schedule=[rule, partir.ManualPartition(inputs, axis="a", name="T")])(*x)


def test_a_kernel_that_asks_for_its_place_is_not_cut_there():
    rule = partir.rule("flash", "(b h s d, b h t d, b h t d) -> (b h s d) whole(t, d)")
    with pytest.raises(ValueError, match="flash cannot run on chunks.* asks for its place on dimension 2 of the grid"):
        runs(block, rule, arguments(), {"q": 1})


@pytest.mark.parametrize(
    "size, index, why",
    [
        (2, lambda i: (i // 2,), "is not split into blocks by the grid|goes with dimension 0 of the grid"),
        (8, lambda i: (0,), "is not split into blocks by the grid"),
    ],
)
def test_blocks_that_do_not_follow_the_grid_cannot_be_cut(size, index, why):
    def copy(x):
        def kernel(x, y):
            y[...] = jnp.broadcast_to(x[...][0], y.shape)

        spec = pl.BlockSpec((size,), index)
        out = pl.BlockSpec((2,), lambda i: (i,))
        shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return pl.pallas_call(kernel, out_shape=shape, grid=(4,), in_specs=[spec], out_specs=out, interpret=True, name="copy")(x)

    with pytest.raises(ValueError, match=f"copy cannot run on chunks.*({why})"):
        runs(copy, partir.rule("copy", "(i) -> (i)"), [np.ones(8, np.float32)], {"x": 0})
