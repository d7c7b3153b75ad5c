"""An LSTM language model, a lax.scan over time, and its training step."""

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

    layers: int = 2
    features: int = 2048
    vocab: int = 32768
    batch: int = 128
    sequence: int = 256


FULL = Config()
SMALL = Config(features=16, vocab=40, batch=8, sequence=6)


def args(c: Config) -> tuple[Tree, ...]:
    """Abstract arguments of `step`: params, opt, x (tokens), y (the tokens that follow)."""
    gates = (4, c.features)
    cell = {
        "input": {"kernel": array(c.features, *gates)},
        "hidden": {"kernel": array(c.features, *gates), "bias": array(*gates)},
    }
    p = {
        "embedding": {"kernel": array(c.vocab, c.features)},
        "cells": [cell] * c.layers,
        "head": {"kernel": array(c.features, c.vocab), "bias": array(c.vocab)},
    }
    tokens = array(c.batch, c.sequence, dtype=jnp.int32)
    return p, training.adam_shapes(p), tokens, tokens


def run(p: Tree, x: jax.Array) -> jax.Array:
    """The hidden states of one cell over the sequence; x is [sequence, batch, features]."""
    project = "bi,igo->bgo"

    def turn(carry: tuple[jax.Array, jax.Array], x_t: jax.Array):
        h, cell = carry
        gates = jnp.einsum(project, x_t, p["input"]["kernel"])
        gates = gates + jnp.einsum(project, h, p["hidden"]["kernel"]) + p["hidden"]["bias"]
        write, keep, show = (jax.nn.sigmoid(gates[:, i]) for i in range(3))
        cell = keep * cell + write * jnp.tanh(gates[:, 3])
        h = annotate.at(show * jnp.tanh(cell), "state")
        return (h, cell), h

    zero = jnp.zeros_like(x[0])
    _, states = jax.lax.scan(turn, (zero, zero), x)
    return states


def step(params: Tree, opt: Tree, x: jax.Array, y: jax.Array):
    """One Adam step: new params, new opt, loss."""

    def loss(p: Tree, x: jax.Array, y: jax.Array) -> jax.Array:
        h = p["embedding"]["kernel"][x.T]
        for cell in p["cells"]:
            h = annotate.at(run(cell, h), "hidden")
        return cross_entropy(h @ p["head"]["kernel"] + p["head"]["bias"], y.T)

    return training.step(loss, params, opt, (x, y))
