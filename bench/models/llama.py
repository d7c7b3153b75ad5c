"""A Llama-style decoder and its training step: grouped-query attention, rotary positions, SwiGLU, no biases.

Queries are [d_model, kv_heads, group, d_head], so that the heads of a group share one key and one value head. With fewer key heads than the
model axis has devices, the axis has to be split between `kv_heads` and `group`: `flat` has the queries' columns in one dimension, as most
checkpoints do, so that a tile of them is one of both. `scan` stacks the layers and `remat` recomputes each in the
backward pass, as large models are trained.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from bench.models import annotate, training
from bench.models.training import Tree, array
from bench.models.transformer import cross_entropy, rms_norm


@dataclass(frozen=True)
class Config:
    """Sizes; the defaults are those of an 8B model."""

    layers: int = 32
    d_model: int = 4096
    heads: int = 32
    kv_heads: int = 8
    d_head: int = 128
    d_ff: int = 14336
    vocab: int = 128256
    batch: int = 16
    sequence: int = 4096
    flat: bool = False
    scan: bool = False
    remat: bool = False


FULL = Config()
SMALL = Config(layers=2, d_model=32, heads=8, kv_heads=2, d_head=8, d_ff=64, vocab=64, batch=8, sequence=16)


def params(c: Config) -> Tree:
    """Abstract parameters."""

    def tensor(*shape: int) -> jax.ShapeDtypeStruct:
        return array(*((c.layers,) if c.scan else ()), *shape)

    heads = (c.heads * c.d_head,) if c.flat else (c.kv_heads, c.heads // c.kv_heads, c.d_head)
    layer = {
        "norm1": {"scale": tensor(c.d_model)},
        "q": {"kernel": tensor(c.d_model, *heads)},
        "k": {"kernel": tensor(c.d_model, c.kv_heads, c.d_head)},
        "v": {"kernel": tensor(c.d_model, c.kv_heads, c.d_head)},
        "o": {"kernel": tensor(*heads, c.d_model)},
        "norm2": {"scale": tensor(c.d_model)},
        "gate": {"kernel": tensor(c.d_model, c.d_ff)},
        "up": {"kernel": tensor(c.d_model, c.d_ff)},
        "down": {"kernel": tensor(c.d_ff, c.d_model)},
    }
    layers: Any = layer if c.scan else [layer] * c.layers
    ends = {"embedding": {"kernel": array(c.vocab, c.d_model)}, "head": {"kernel": array(c.d_model, c.vocab)}}
    return {**ends, "layers": layers, "norm": {"scale": array(c.d_model)}}


def args(c: Config) -> tuple[Tree, ...]:
    """Abstract arguments of `step`: params, opt, x (tokens), y (the tokens that follow)."""
    p = params(c)
    tokens = array(c.batch, c.sequence, dtype=jnp.int32)
    return p, training.adam_shapes(p), tokens, tokens


def rotary(x: jax.Array) -> jax.Array:
    """Rotate the two halves of the last dimension by the position, dimension 1."""
    half = x.shape[-1] // 2
    frequency = 10000.0 ** (-jnp.arange(half) / half)
    angle = jnp.arange(x.shape[1])[:, None] * frequency
    angle = angle.reshape(1, x.shape[1], *(1,) * (x.ndim - 3), half)
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * jnp.cos(angle) - b * jnp.sin(angle), b * jnp.cos(angle) + a * jnp.sin(angle)], axis=-1)


def attention(p: Tree, x: jax.Array) -> jax.Array:
    """Causal grouped-query attention; x is [batch, sequence, d_model]."""
    if p["q"]["kernel"].ndim == 2:
        kv_heads, d_head = p["k"]["kernel"].shape[1:]
        q = (x @ p["q"]["kernel"]).reshape(*x.shape[:2], kv_heads, -1, d_head)
    else:
        q = jnp.einsum("bsd,dhgk->bshgk", x, p["q"]["kernel"])
    q = annotate.at(rotary(q), "q")
    k = rotary(jnp.einsum("bsd,dhk->bshk", x, p["k"]["kernel"]))
    v = jnp.einsum("bsd,dhk->bshk", x, p["v"]["kernel"])
    scores = jnp.einsum("bshgk,bthk->bhgst", q, k) / q.shape[-1] ** 0.5
    causal = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    weights = jax.nn.softmax(jnp.where(causal, scores, -1e9), axis=-1)
    mixed = annotate.at(jnp.einsum("bhgst,bthk->bshgk", weights, v), "q")
    if p["o"]["kernel"].ndim == 2:
        return mixed.reshape(*x.shape[:2], -1) @ p["o"]["kernel"]
    return jnp.einsum("bshgk,hgkd->bsd", mixed, p["o"]["kernel"])


def layer(p: Tree, x: jax.Array) -> jax.Array:
    """One layer."""
    x = annotate.at(x + attention(p, rms_norm(x, p["norm1"]["scale"])), "hidden")
    h = rms_norm(x, p["norm2"]["scale"])
    wide = annotate.at(jax.nn.silu(h @ p["gate"]["kernel"]) * (h @ p["up"]["kernel"]), "ffn")
    return annotate.at(x + wide @ p["down"]["kernel"], "hidden")


def make_step(c: Config):
    """The training step: (params, opt, x, y) -> (params, opt, loss)."""
    apply = jax.checkpoint(layer) if c.remat else layer

    def loss(p: Tree, x: jax.Array, y: jax.Array) -> jax.Array:
        h = annotate.at(p["embedding"]["kernel"][x], "hidden")
        if c.scan:
            h, _ = jax.lax.scan(lambda h, q: (apply(q, h), None), h, p["layers"])
        else:
            for q in p["layers"]:
                h = apply(q, h)
        return cross_entropy(rms_norm(h, p["norm"]["scale"]) @ p["head"]["kernel"], y)

    def step(params: Tree, opt: Tree, x: jax.Array, y: jax.Array):
        return training.step(loss, params, opt, (x, y))

    return step
