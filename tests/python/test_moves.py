"""Slices, pads, concatenations and reversals of tiled dimensions: what XLA computes on the devices is what it computes on
one, and no operand is gathered where moving its edges or pieces sends less."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import partir


def halves(x):
    """Rotary embeddings by halves."""
    a, b = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([-b, a], axis=-1) * x


def fused(x):
    q, k, v = jnp.split(x, 3, axis=-1)
    return jnp.concatenate([jnp.tanh(q) * k, v], axis=-1)


def shifted(x):
    """The next element of each, zero behind the last."""
    return jax.lax.pad(x, jnp.float32(0), ((0, 0, 0), (-1, 1, 0)))


def steps(x):
    return x[:, ::2] + x[:, 1::2], jax.lax.pad(x, jnp.float32(1), ((0, 0, 0), (2, -1, 1))), x[:, ::-1]


@pytest.mark.parametrize("function", [halves, fused, shifted, steps])
@pytest.mark.parametrize("mesh", [{"a": 2}, {"a": 4}, {"a": 3}, {"a": 2, "b": 4}, {"a": 8}])
def test_values_and_gradients(function, mesh):
    x = np.random.default_rng(1).normal(size=(4, 144)).astype(np.float32)

    def step(x):
        loss = lambda x: sum(jnp.sum(jnp.sin(y)) for y in jax.tree.leaves(function(x)))
        return function(x), jax.grad(loss)(x)

    tactics = [partir.ManualPartition({"x": 1}, axis=axis, name=axis) for axis in mesh]
    jitted = partir.jit(step, mesh=mesh, schedule=tactics)
    totals = jitted.lower(x).report.data["tactics"][-1]["totals"]
    assert totals["collective_permute"] > 0
    if function is not steps:  # in whose gradient a value has a size that no axis divides
        assert totals["all_gather"] == 0
    for got, want in zip(jax.tree.leaves(jitted(x)), jax.tree.leaves(jax.jit(step)(x))):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def stencil(x):
    """A hundred steps of diffusion on a ring."""
    step = lambda _, x: x + 0.1 * (jnp.roll(x, 1, axis=1) - 2 * x + jnp.roll(x, -1, axis=1))
    return jax.lax.fori_loop(0, 100, step, x)


def next_token(x):
    """A loss against the element that follows, zero behind the last."""
    target = jnp.concatenate([x[:, 1:], jnp.zeros_like(x[:, :1])], axis=1)
    padded = jnp.pad(x[:, 2:], ((0, 0), (0, 2)))
    return jnp.sum((x - target) ** 2 + x * padded)


@pytest.mark.parametrize("axis", [2, 4, 8])
@pytest.mark.parametrize("function, elements", [(stencil, 200), (next_token, 3)])
def test_only_edges_move(function, elements, axis):
    """Slices of a roll or a shift have sizes that nothing divides; what they are put together to does not."""
    x = np.random.default_rng(2).normal(size=(4, 64)).astype(np.float32)
    tactic = partir.ManualPartition({"x": 1}, axis="sequence", name="SP")
    jitted = partir.jit(function, mesh={"sequence": axis}, schedule=[tactic])
    report = jitted.lower(x).report.data["tactics"][-1]
    rows = {r["kind"]: r for r in report["collectives"]}
    assert set(rows) <= {"collective_permute", "all_reduce"}
    assert rows["collective_permute"]["bytes"] == 4 * 4 * elements
    np.testing.assert_allclose(jitted(x), jax.jit(function)(x), rtol=1e-4, atol=1e-5)
