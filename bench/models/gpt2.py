"""GPT-2 and its training step: one fused product for q, k and v whose columns are ordered (3, heads, d_head), learned positions, dropout.

The three slices of the fused product cross the borders of any tiling of its columns, which is what this model is here for.
It has no bias there: the gradient of a bias of the keys is zero but for rounding, and Adam makes steps of that.
"""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from bench.models import annotate, training
from bench.models.serving import named
from bench.models.training import Tree, array
from bench.models.transformer import cross_entropy


@dataclass(frozen=True)
class Config:
    """Sizes; the defaults are those of GPT-2 XL with a vocabulary that divides."""

    layers: int = 48
    d_model: int = 1600
    heads: int = 25
    vocab: int = 50304
    batch: int = 32
    sequence: int = 1024
    dropout: float = 0.1


FULL = Config()
SMALL = Config(layers=2, d_model=32, heads=4, vocab=64, batch=8, sequence=16)


def params(c: Config) -> Tree:
    """Abstract parameters."""
    d = c.d_model

    def dense(inputs: int, outputs: int) -> Tree:
        return {"kernel": array(inputs, outputs), "bias": array(outputs)}

    norm = {"scale": array(d), "bias": array(d)}
    layer = {"norm1": norm, "qkv": {"kernel": array(d, 3 * d)}, "wo": dense(d, d), "norm2": norm, "up": dense(d, 4 * d), "down": dense(4 * d, d)}
    return {
        "embedding": {"kernel": array(c.vocab, d)},
        "position": {"kernel": array(c.sequence, d)},
        "layers": [layer] * c.layers,
        "norm": norm,
    }


def args(c: Config) -> tuple[Tree, ...]:
    """Abstract arguments of `step`: params, opt, x (tokens), y (the tokens that follow), seed of the dropout."""
    p = params(c)
    tokens = array(c.batch, c.sequence, dtype=jnp.int32)
    return p, training.adam_shapes(p), tokens, tokens, array(2, dtype=jnp.uint32)


def layer_norm(p: Tree, x: jax.Array) -> jax.Array:
    """Normalization over the last dimension."""
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred * jax.lax.rsqrt(jnp.mean(centred**2, axis=-1, keepdims=True) + 1e-5) * p["scale"] + p["bias"]


def dense(p: Tree, x: jax.Array) -> jax.Array:
    """A product and a bias."""
    return x @ p["kernel"] + p["bias"]


def drop(c: Config, key: jax.Array, x: jax.Array) -> jax.Array:
    """Dropout."""
    return jnp.where(jax.random.bernoulli(key, 1 - c.dropout, x.shape), x / (1 - c.dropout), 0) if c.dropout else x


def attention(c: Config, p: Tree, x: jax.Array, name: str) -> jax.Array:
    """Causal self-attention; x is [batch, sequence, d_model]. Its weights, [batch, heads, queries, keys], have a name for schedules."""
    split = (*x.shape[:2], c.heads, c.d_model // c.heads)
    q, k, v = (annotate.at(part.reshape(split), "heads") for part in jnp.split(x @ p["qkv"]["kernel"], 3, axis=-1))
    scores = jnp.einsum("bshk,bthk->bhst", q, k) / q.shape[-1] ** 0.5
    causal = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    weights = named(jax.nn.softmax(jnp.where(causal, scores, -1e9), axis=-1), f"{name}/weights")
    mixed = annotate.at(jnp.einsum("bhst,bthk->bshk", weights, v), "heads")
    return dense(p["wo"], mixed.reshape(x.shape))


def make_step(c: Config):
    """The training step: (params, opt, x, y, seed) -> (params, opt, loss)."""

    def loss(p: Tree, x: jax.Array, y: jax.Array, seed: jax.Array) -> jax.Array:
        keys = jax.random.split(jax.random.wrap_key_data(seed), 2 * c.layers)
        h = annotate.at(p["embedding"]["kernel"][x] + p["position"]["kernel"], "hidden")
        for i, q in enumerate(p["layers"]):
            h = annotate.at(h + drop(c, keys[2 * i], attention(c, q, layer_norm(q["norm1"], h), f"layers/{i}")), "hidden")
            wide = annotate.at(jax.nn.gelu(dense(q["up"], layer_norm(q["norm2"], h))), "ffn")
            h = annotate.at(h + drop(c, keys[2 * i + 1], dense(q["down"], wide)), "hidden")
        return cross_entropy(jnp.einsum("bsd,vd->bsv", layer_norm(p["norm"], h), p["embedding"]["kernel"]), y)

    def step(params: Tree, opt: Tree, x: jax.Array, y: jax.Array, seed: jax.Array):
        return training.step(loss, params, opt, (x, y, seed))

    return step
