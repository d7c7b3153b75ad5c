"""A state-space language model: gated linear recurrences by lax.associative_scan over time, and its training step."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from bench.models import annotate, training
from bench.models.training import Tree, array
from bench.models.transformer import cross_entropy


@dataclass(frozen=True)
class Config:
    """Sizes."""

    layers: int = 24
    d_model: int = 1024
    d_state: int = 2048
    vocab: int = 32768
    batch: int = 64
    sequence: int = 2048


FULL = Config()
SMALL = Config(layers=2, d_model=16, d_state=32, vocab=40, batch=8, sequence=16)


def args(c: Config) -> tuple[Tree, ...]:
    """Abstract arguments of `step`: params, opt, x (tokens), y (the tokens that follow)."""
    layer = {
        "norm": {"scale": array(c.d_model)},
        "input": {"kernel": array(c.d_model, 2, c.d_state)},
        "decay": {"kernel": array(c.d_model, c.d_state), "bias": array(c.d_state)},
        "output": {"kernel": array(c.d_state, c.d_model)},
    }
    p = {"embedding": {"kernel": array(c.vocab, c.d_model)}, "layers": [layer] * c.layers}
    tokens = array(c.batch, c.sequence, dtype=jnp.int32)
    return p, training.adam_shapes(p), tokens, tokens


def recur(decay: jax.Array, x: jax.Array) -> jax.Array:
    """h[t] = decay[t] h[t - 1] + x[t], of [batch, sequence, state]."""

    def after(first: tuple[jax.Array, jax.Array], second: tuple[jax.Array, jax.Array]):
        return first[0] * second[0], second[0] * first[1] + second[1]

    return jax.lax.associative_scan(after, (decay, x), axis=1)[1]


def apply_layer(p: Tree, x: jax.Array) -> jax.Array:
    """A norm, the recurrence with a gate, and a skip connection."""
    h = x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * p["norm"]["scale"]
    both = jnp.einsum("bsd,dgn->bsgn", h, p["input"]["kernel"])
    decay = jax.nn.sigmoid(h @ p["decay"]["kernel"] + p["decay"]["bias"])
    state = recur(decay, (1 - decay) * both[:, :, 0])
    return annotate.at(x + (state * jax.nn.silu(both[:, :, 1])) @ p["output"]["kernel"], "hidden")


def step(params: Tree, opt: Tree, x: jax.Array, y: jax.Array):
    """One Adam step: new params, new opt, loss."""

    def loss(p: Tree, x: jax.Array, y: jax.Array) -> jax.Array:
        h = p["embedding"]["kernel"][x]
        for layer in p["layers"]:
            h = apply_layer(layer, h)
        return cross_entropy(jnp.einsum("bsd,vd->bsv", h, p["embedding"]["kernel"]), y)

    return training.step(loss, params, opt, (x, y))
