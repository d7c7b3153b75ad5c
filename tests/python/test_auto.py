"""Automatic tactics among manual ones, from Python."""

from __future__ import annotations

import os
import re
import signal

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import partir
from partir import AutomaticPartition, ManualPartition, _lib

MESH = {"batch": 4, "model": 2}


def step(params, x):
    """A small training step."""

    def loss(p):
        h = x
        for w in p["layers"]:
            h = jnp.tanh(h @ w["up"]) @ w["down"]
        return (h**2).mean()

    value, grads = jax.value_and_grad(loss)(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), value


def inputs(layers=3):
    """Random weights and data."""
    rng = np.random.default_rng(0)
    draw = lambda *shape: jnp.asarray(rng.normal(size=shape) * 0.1, jnp.float32)  # noqa: E731
    params = {"layers": [{"up": draw(32, 64), "down": draw(64, 32)} for _ in range(layers)]}
    return params, draw(64, 32)


def jitted(schedule, **options):
    """The step by a schedule."""
    return partir.jit(step, mesh=MESH, schedule=schedule, device="tpu_v5e", donate_argnums=0, **options)


def test_all_automatic_gives_the_same_results():
    params, x = inputs()
    expected = step(params, x)
    auto = AutomaticPartition(axes=["batch", "model"], budget=60, objective="memory", name="Auto")
    lowered = jitted([auto]).lower(params, x)
    assert "auto " not in lowered.schedule.replace("# auto", "")
    assert "tactic Auto_1 on" in lowered.schedule
    actual = lowered.compile()(jax.tree.map(jnp.copy, params), x)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6), actual, expected)


def test_what_was_found_replays():
    params, x = inputs()
    found = jitted([AutomaticPartition(axes=["batch", "model"], budget=60, seed=2)]).lower(params, x)
    again = jitted([AutomaticPartition(axes=["batch", "model"], budget=60, seed=2)]).lower(params, x)
    assert found.schedule == again.schedule


def test_in_any_position():
    params, x = inputs()
    bp = ManualPartition({"x": 0}, axis="batch", name="BP")
    z3 = ManualPartition({"params/layers/*/up": 0}, axis="batch", name="Z3")
    auto = AutomaticPartition(axes=["model"], budget=40, memory="1GiB", leave=["x"], name="Rest")
    lowered = jitted([bp, auto, z3]).lower(params, x)
    names = [line.split()[1] for line in lowered.schedule.splitlines() if line.startswith("tactic")]
    assert names[0] == "BP" and names[-1] == "Z3" and all(name.startswith("Rest_") for name in names[1:-1])


def test_the_front():
    params, x = inputs()
    auto = AutomaticPartition(axes=["batch", "model"], budget=60, name="Auto")
    front = jitted([auto]).lower(params, x).pareto("Auto")
    assert front
    assert all(a["seconds"] < b["seconds"] and a["peak"] > b["peak"] for a, b in zip(front, front[1:]))
    assert all(point["schedule"] == "" or "tactic Auto_1" in point["schedule"] for point in front)


def test_no_device_is_an_error():
    params, x = inputs()
    with pytest.raises(partir.PartirError, match="no device was named"):
        partir.jit(step, mesh=MESH, schedule=[AutomaticPartition(axes=["batch"])]).lower(params, x)


def test_nothing_fits():
    params, x = inputs()
    with pytest.raises(partir.PartirError, match="not enough|no plan fits"):
        jitted([AutomaticPartition(axes=["batch", "model"], budget=20, memory=10_000)]).lower(params, x)


def test_interrupt_ends_a_search_and_raises_nothing():
    context = _lib.Context()
    with context.ended_by_interrupt():
        os.kill(os.getpid(), signal.SIGINT)
        assert context._interrupted.is_set()
    assert not context._interrupted.is_set()


def grouped_query_step(params, x):
    """Attention with 16 query heads on 2 key and value heads, in a step whose caller donates nothing."""

    def loss(p):
        h = p["embedding"][x]
        for w in p["layers"]:
            y = h * w["n1"]
            q = (y @ w["wq"]).reshape(*x.shape, 16, 8)
            k, v = (jnp.repeat((y @ w[name]).reshape(*x.shape, 2, 8), 8, 2) for name in ("wk", "wv"))
            scores = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k))
            h = h + jnp.einsum("bhqk,bkhd->bqhd", scores, v).reshape(h.shape) @ w["wo"]
            y = h * w["n2"]
            h = h + (jax.nn.silu(y @ w["w1"]) * (y @ w["w3"])) @ w["w2"]
        return jnp.mean(jax.nn.log_softmax(h @ p["embedding"].T) ** 2)

    return jax.tree.map(lambda w, g: w - 0.1 * g, params, jax.grad(loss)(params))


def test_printed_lines_lead_to_the_plan_that_was_found():
    float32 = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)  # noqa: E731
    layer = {"wq": float32(128, 128), "wk": float32(128, 16), "wv": float32(128, 16), "wo": float32(128, 128)}
    layer |= {"w1": float32(128, 512), "w3": float32(128, 512), "w2": float32(512, 128), "n1": float32(128), "n2": float32(128)}
    params = {"embedding": float32(512, 128), "layers": [layer, layer]}
    for seed in range(6):
        auto = AutomaticPartition(axes=["batch", "model"], budget=150, seed=seed, name="A")
        step = partir.jit(grouped_query_step, mesh={"batch": 2, "model": 4}, schedule=[auto], device="tpu_v5e")
        comments = [line for line in step.lower(params, jax.ShapeDtypeStruct((16, 64), jnp.int32)).schedule.splitlines() if line.startswith("#")]
        found = re.search(r": ([\d.]+ \w+), ([\d.]+ \w+) of", comments[0])
        last = re.search(r": ([\d.]+ \w+), ([\d.]+ \w+)", comments[-1])
        assert found.groups() == last.groups()
        assert not any("sequence" in line or "context" in line for line in comments)  # weights are no data
