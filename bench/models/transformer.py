"""A decoder-only transformer and its training step (T32, T48 and smaller ones).

Nine parameter tensors a layer: qkv, wo, up and down kernels, three RMSNorm scales, the biases of wo and
down. Plus one embedding, tied: it reads tokens and makes logits. So T32 has 9 * 32 + 1 = 289 tensors.
The names of a step's inputs:

    params/embedding/kernel   params/layers/3/qkv/kernel   opt/m/layers/3/up/kernel   opt/t   x   y
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from bench.models import annotate, training
from bench.models.training import Tree, array


@dataclass(frozen=True)
class Config:
    """Sizes and variants; the defaults are T32."""

    layers: int = 32
    d_model: int = 4096
    heads: int = 32
    d_head: int = 128
    d_ff: int = 10240
    vocab: int = 32768
    batch: int = 32
    sequence: int = 2048
    scan: bool = False  # layer parameters stacked on a leading dimension, applied in one lax.scan
    remat: bool = False  # recompute each layer in the backward pass
    bf16: bool = False  # compute in bfloat16; parameters, optimizer and loss stay in float32
    clip_norm: float | None = None
    microbatches: int = 1


T32 = Config()
T48 = Config(layers=48, d_model=8192, heads=64, d_ff=24576)
SMALL = Config(layers=2, d_model=32, heads=4, d_head=8, d_ff=96, vocab=64, batch=8, sequence=16)


def params(c: Config) -> Tree:
    """Abstract parameters. q, k and v share a tensor whose split touches neither d_model nor heads."""

    def tensor(*shape: int) -> jax.ShapeDtypeStruct:
        return array(*((c.layers,) if c.scan else ()), *shape)

    layer = {
        "norm1": {"scale": tensor(c.d_model)},
        "qkv": {"kernel": tensor(c.d_model, c.heads, 3, c.d_head)},
        "wo": {"kernel": tensor(c.heads, c.d_head, c.d_model), "bias": tensor(c.d_model)},
        "norm2": {"scale": tensor(c.d_model)},
        "up": {"kernel": tensor(c.d_model, c.d_ff)},
        "down": {"kernel": tensor(c.d_ff, c.d_model), "bias": tensor(c.d_model)},
        "norm3": {"scale": tensor(c.d_model)},
    }
    layers: Any = layer if c.scan else [layer] * c.layers
    return {"embedding": {"kernel": array(c.vocab, c.d_model)}, "layers": layers}


def args(c: Config) -> tuple[Tree, ...]:
    """Abstract arguments of `step`: params, opt, x (tokens), y (the tokens that follow)."""
    p = params(c)
    tokens = array(c.batch, c.sequence, dtype=jnp.int32)
    return p, training.adam_shapes(p), tokens, tokens


def rms_norm(x: jax.Array, scale: jax.Array) -> jax.Array:
    """Divide by the root of the mean square over the last dimension, then scale."""
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-5) * scale


def attention(p: Tree, x: jax.Array) -> jax.Array:
    """Causal self-attention; x is [batch, sequence, d_model]."""
    qkv = annotate.at(jnp.einsum("bsd,dhck->bshck", x, p["qkv"]["kernel"]), "qkv")
    q, k, v = (qkv[:, :, :, i] for i in range(3))
    scores = jnp.einsum("bshk,bthk->bhst", q, k) / q.shape[-1] ** 0.5
    causal = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    weights = jax.nn.softmax(jnp.where(causal, scores, -1e9), axis=-1)
    mixed = annotate.at(jnp.einsum("bhst,bthk->bshk", weights, v), "mixed")
    return jnp.einsum("bshk,hkd->bsd", mixed, p["wo"]["kernel"]) + p["wo"]["bias"]


def mlp(p: Tree, x: jax.Array) -> jax.Array:
    """The feed-forward half of a layer."""
    return jax.nn.gelu(annotate.at(x @ p["up"]["kernel"], "ffn")) @ p["down"]["kernel"] + p["down"]["bias"]


def layer(p: Tree, x: jax.Array) -> jax.Array:
    """One layer, computed in the type of `x`."""
    p = jax.tree.map(lambda a: a.astype(x.dtype), p)
    x = annotate.at(x + attention(p, rms_norm(x, p["norm1"]["scale"])), "hidden")
    return annotate.at(x + rms_norm(mlp(p, rms_norm(x, p["norm2"]["scale"])), p["norm3"]["scale"]), "hidden")


def logits(c: Config, p: Tree, x: jax.Array) -> jax.Array:
    """Scores of the next token at each position, in float32."""
    embedding = p["embedding"]["kernel"].astype(jnp.bfloat16 if c.bf16 else jnp.float32)
    apply = jax.checkpoint(layer) if c.remat else layer
    h = annotate.at(embedding[x], "hidden")
    if c.scan:
        h, _ = jax.lax.scan(lambda h, q: (apply(q, h), None), h, p["layers"])
    else:
        for q in p["layers"]:
            h = apply(q, h)
    return jnp.einsum("bsd,vd->bsv", h, embedding).astype(jnp.float32)


def cross_entropy(scores: jax.Array, y: jax.Array) -> jax.Array:
    """Mean negative log-likelihood of `y`."""
    likelihood = jnp.take_along_axis(jax.nn.log_softmax(scores), y[..., None], axis=-1)
    return -likelihood.mean()


def make_step(c: Config):
    """The training step of configuration `c`: (params, opt, x, y) -> (params, opt, loss)."""

    def loss(p: Tree, x: jax.Array, y: jax.Array) -> jax.Array:
        return cross_entropy(logits(c, p, x), y)

    def step(params: Tree, opt: Tree, x: jax.Array, y: jax.Array):
        return training.step(
            loss, params, opt, (x, y), clip_norm=c.clip_norm, microbatches=c.microbatches
        )

    return step
