"""What partir.jit computes is what jax.jit computes: each small model, each strategy, three steps on 8 virtual devices."""

import functools

import jax
import numpy as np
import pytest

import partir
from bench import models, schedules
from bench.models import serving

MESH = {"batch": 4, "model": 2}
SAME_WHEN_SMALL = ("t48", "gpt4", "gpt24", "gpt24_scan")
TRAINING = [n for n in models.names() if n not in (*SAME_WHEN_SMALL, "two_matmul") and not n.startswith("it32")]
CASES = [(name, strategy) for name in TRAINING for strategy in schedules.names(name)]
CASES += [("moe", "BP+Z3+least"), ("lstm", "BP+MP+Z3+least")]
STEPS = 3


def close(got, want, mixed=False):
    """Equal up to rounding, measured against the largest element; computing in bfloat16 rounds coarser."""
    tolerance = 3e-2 if mixed else 2e-4
    assert jax.tree.structure(got) == jax.tree.structure(want)
    for path, (a, b) in zip(
        jax.tree_util.tree_flatten_with_path(got)[0], zip(jax.tree.leaves(got), jax.tree.leaves(want))
    ):
        a, b = np.asarray(a), np.asarray(b)
        assert a.dtype == b.dtype and a.shape == b.shape
        scale = max(1e-3, float(np.abs(b.astype(np.float64)).max(initial=0)))
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * scale, err_msg=str(path[0]))


def train(step, args, state):
    """Losses of a few steps, and the state after them; the first `state` arguments and results are the state."""
    losses = []
    for _ in range(STEPS):
        out = step(*args)
        args = (*out[:state], *args[state:])
        losses.append(out[state:])
    return losses, args[:state]


@functools.cache
def one_device(name):
    model = models.get(name, small=True)
    return train(jax.jit(model.function), model.example(), len(model.donate_argnums))


@pytest.mark.parametrize("name, strategy", CASES, ids=[f"{n}-{s}" for n, s in CASES])
def test_training_equals_one_device(name, strategy):
    model = models.get(name, small=True)
    state = len(model.donate_argnums)
    step = partir.jit(
        model.function,
        mesh=MESH,
        schedule=schedules.schedule(name, strategy),
        donate_argnums=model.donate_argnums,
    )
    lowered = step.lower(*model.args)
    assert lowered.in_shardings[:state] == tuple(lowered.out_shardings[:state])  # tied: steps chain
    losses, final = train(step, model.example(), state)
    want_losses, want = one_device(name)
    close(losses, want_losses, mixed="mixed" in name)
    close(final, want, mixed="mixed" in name)


@pytest.mark.parametrize("strategy", schedules.names("two_matmul"))
def test_two_matmul(strategy):
    model = models.get("two_matmul", small=True)
    step = partir.jit(model.function, mesh=MESH, schedule=schedules.tactics("two_matmul", strategy))
    args = model.example()
    close(step(*args), jax.jit(model.function)(*args))


SERVING = [(name, strategy) for name in ("it32", "it32_multi_head") for strategy in schedules.names(name)]
SERVING += [("it32_multi_head", "BP+MP+Z3+least")]


@pytest.mark.parametrize("name, strategy", SERVING, ids=[f"{n}-{s}" for n, s in SERVING])
def test_serving(name, strategy):
    model = models.get(name, small=True)
    config = serving.SMALL if name == "it32" else serving.Config(**{**vars(serving.SMALL), "multi_query": False})
    step = partir.jit(
        serving.make_serve(config, partir.tag),
        mesh=MESH,
        schedule=schedules.schedule(name, strategy),
        donate_argnums=1,
    )
    args = model.example()
    tokens, cache = step(*args)
    want_tokens, want_cache = jax.jit(model.function)(*args)
    np.testing.assert_array_equal(tokens, want_tokens)
    close(cache, want_cache)
