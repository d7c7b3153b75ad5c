"""Rules for kernels and FFI calls, from Python and from the schedule."""

import jax
import jax.numpy as jnp
import partir
import pytest
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
