"""Models as users write them: partitioned on 8 virtual devices they give what jax.jit gives, read back on the host."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import nnx

import partir

MESH = {"batch": 4, "model": 2}


def equal(got, want):
    assert jax.tree.structure(got) == jax.tree.structure(want)
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=2e-4, atol=2e-5)


# ---- Llama-style: grouped queries, rotary positions, SwiGLU, RMSNorm ------------------------------------------------


class Attention(nnx.Module):
    """Four heads of queries, two of keys and values."""

    def __init__(self, width, heads, groups, rngs):
        self.shape = (heads, groups, width // heads)
        dense = lambda out: nnx.LinearGeneral(width, out, use_bias=False, rngs=rngs)
        self.q, self.k, self.v = dense((heads, width // heads)), dense((groups, width // heads)), dense((groups, width // heads))
        self.o = nnx.LinearGeneral((heads, width // heads), width, axis=(-2, -1), use_bias=False, rngs=rngs)

    def __call__(self, x):
        heads, groups, size = self.shape
        q, k, v = rotated(self.q(x)), rotated(self.k(x)), self.v(x)
        q = q.reshape(*q.shape[:2], groups, heads // groups, size)
        scores = jnp.einsum("bqghd,bkgd->bghqk", q, k) / np.sqrt(size)
        mask = jnp.tril(jnp.ones(scores.shape[-2:], bool))
        weights = jax.nn.softmax(jnp.where(mask, scores, -1e9), axis=-1)
        return self.o(jnp.einsum("bghqk,bkgd->bqghd", weights, v).reshape(*x.shape[:2], heads, size))


def rotated(x):
    """Rotary positions."""
    half = x.shape[-1] // 2
    angle = jnp.arange(x.shape[1])[:, None] / 100.0 ** (jnp.arange(half) / half)
    cos, sin = jnp.cos(angle)[:, None], jnp.sin(angle)[:, None]
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)


class Block(nnx.Module):
    def __init__(self, width, rngs):
        self.norm1, self.norm2 = nnx.RMSNorm(width, rngs=rngs), nnx.RMSNorm(width, rngs=rngs)
        self.attention = Attention(width, 4, 2, rngs)
        dense = lambda a, b: nnx.Linear(a, b, use_bias=False, rngs=rngs)
        self.gate, self.up, self.down = dense(width, 2 * width), dense(width, 2 * width), dense(2 * width, width)

    def __call__(self, x):
        x = x + self.attention(self.norm1(x))
        y = self.norm2(x)
        return x + self.down(jax.nn.silu(self.gate(y)) * self.up(y))


class Llama(nnx.Module):
    def __init__(self, rngs):
        self.embedding = nnx.Embed(32, 16, rngs=rngs)
        self.blocks = nnx.List([Block(16, rngs) for _ in range(2)])
        self.norm = nnx.RMSNorm(16, rngs=rngs)

    def __call__(self, tokens):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x)
        return self.embedding.attend(self.norm(x))


def test_llama_in_flax_nnx():
    graph, params = nnx.split(Llama(nnx.Rngs(0)), nnx.Param)
    params = nnx.to_pure_dict(params)
    optimizer = optax.adamw(1e-2)

    def step(params, opt, tokens):
        def loss(params):
            logits = nnx.merge(graph, params)(tokens[:, :-1])
            return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()

        value, grads = jax.value_and_grad(loss)(params)
        updates, opt = optimizer.update(grads, opt, params)
        return optax.apply_updates(params, updates), opt, value

    heads = partir.ManualPartition(
        {
            "params/blocks/*/attention/{q,k,v}/kernel": 1,
            "params/blocks/*/{gate,up}/kernel": 1,
        },
        axis="model",
        name="MP",
    )
    schedule = [
        partir.ManualPartition({"tokens": 0}, axis="batch", name="BP"),
        heads,
        partir.ManualPartition({"{params,opt}/** if rank >= 2": partir.FIRST_DIVISIBLE_DIM}, axis="batch", name="Z3"),
    ]
    tokens = np.random.default_rng(0).integers(0, 32, (8, 9)).astype(np.int32)
    args = jax.tree.map(np.asarray, (params, optimizer.init(params), tokens))  # on the host: both steps need them
    ours = partir.jit(step, mesh=MESH, schedule=schedule, donate_argnums=(0, 1))
    got = ours(*ours(*args)[:2], tokens)
    plain = jax.jit(step)
    equal(got, plain(*plain(*args)[:2], tokens))
    q = ours.lower(*args).in_shardings[0]["blocks"][0]["attention"]["q"]["kernel"].spec
    assert "model" in str(q[1]) and "batch" in str(q)


# ---- Rematerialized layers in a scan, gradients of several steps together -------------------------------------------


@pytest.mark.parametrize("tactics", ["BP", "BP+Z3"])
def test_checkpoint_scan_and_multisteps(tactics):
    optimizer = optax.MultiSteps(optax.adam(1e-2), every_k_schedule=2)

    def model(params, x):
        @jax.checkpoint
        def layer(x, w):
            return x + jnp.tanh(x @ w["in"]) @ w["out"], None

        x, _ = jax.lax.scan(layer, x, params["layers"])
        return x @ params["head"]

    def step(params, opt, x, y):
        value, grads = jax.value_and_grad(lambda p: jnp.mean((model(p, x) - y) ** 2))(params)
        updates, opt = optimizer.update(grads, opt, params)
        return optax.apply_updates(params, updates), opt, value

    random = np.random.default_rng(1)
    normal = lambda *shape: (0.3 * random.normal(size=shape)).astype(np.float32)
    params = {"layers": {"in": normal(3, 8, 16), "out": normal(3, 16, 8)}, "head": normal(8, 4)}
    schedule = {
        "BP": [partir.ManualPartition({"x": 0, "y": 0}, axis="batch", name="BP")],
        "Z3": [partir.ManualPartition({"{params,opt}/** if rank >= 2": partir.FIRST_DIVISIBLE_DIM}, axis="batch", name="Z3")],
    }
    ours = partir.jit(step, mesh=MESH, schedule=sum((schedule[t] for t in tactics.split("+")), []), donate_argnums=(0, 1))
    plain = jax.jit(step)
    got = want = jax.tree.map(np.asarray, (params, optimizer.init(params)))
    for i in range(4):  # the optimizer moves at every second
        batch = normal(8, 8), normal(8, 4)
        got, want = ours(*got[:2], *batch), plain(*want[:2], *batch)
    equal(got, want)
