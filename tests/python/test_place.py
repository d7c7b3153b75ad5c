"""Redistributions around ops that only move: XLA on the devices computes what it does on one, and the smaller form is what is sent."""

import jax
import jax.numpy as jnp
import numpy as np

import partir

MESH = {"batch": 4, "model": 2}


def random(*shape, dtype=np.float32):
    return jnp.asarray(np.random.default_rng(len(shape)).normal(size=shape), dtype)


def gathered(lowered):
    return [(c["kind"], c["bytes"]) for c in lowered.report.data["collectives"]]


def test_before_a_chain_that_widens():
    """Weights in bf16 that are used in f32, merged and transposed, are gathered in bf16."""

    def apply(w, x):
        return x @ w.astype(jnp.float32).reshape(32, 16).T

    w, x = random(4, 8, 16, dtype=jnp.bfloat16), random(8, 16)
    tactics = [partir.ManualPartition({"x": 0}, axis="batch", name="BP"), partir.ManualPartition({"w": 0}, axis="batch", name="Z3")]
    step = partir.jit(apply, mesh=MESH, schedule=tactics)
    assert gathered(step.lower(w, x)) == [("all_gather", w.size * 2 * 3 // 4)]
    np.testing.assert_allclose(step(w, x), jax.jit(apply)(w, x), rtol=1e-5, atol=1e-5)


def test_after_a_chain_that_cuts():
    """Of a value that is sliced behind a transpose and a reshape, what is left is sent."""

    def apply(x):
        mid = partir.tag(jnp.sin(x), "mid")
        return jnp.cos(mid.T.reshape(4, 8, 16)[0])

    x = random(16, 32)
    tactics = [
        partir.ManualPartition({"mid": partir.REPLICATED}, axis="batch", name="R"),
        partir.ManualPartition({"x": 0}, axis="batch", name="A"),
        partir.ManualPartition({"out": 0}, axis="batch", name="B"),
    ]
    step = partir.jit(apply, mesh=MESH, schedule=tactics)
    left = 8 * 16 * 4 // 4  # on each device, of which a quarter stays
    assert gathered(step.lower(x)) == [("all_to_all", left * 3 // 4)]
    np.testing.assert_allclose(step(x), jax.jit(apply)(x), rtol=1e-5, atol=1e-5)
