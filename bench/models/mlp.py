"""The running example, two matrix products, and the training step of a small MLP.

    two_matmul: x [rows, inner] @ w1 [inner, hidden] @ w2 [hidden, inner]
    step:       params/{0,1,2}/{kernel,bias}, opt, x, y -> params, opt, loss
"""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from bench.models import training
from bench.models.training import Tree, array


@dataclass(frozen=True)
class Config:
    """Sizes: `widths` lists the features of the input, of each hidden layer and of the output."""

    widths: tuple[int, ...] = (784, 4096, 4096, 10)
    batch: int = 1024


FULL = Config()
SMALL = Config(widths=(12, 32, 16, 4), batch=8)
TWO_MATMUL_FULL = Config(widths=(8192, 32768, 8192), batch=4096)
TWO_MATMUL_SMALL = Config(widths=(8, 16, 8), batch=256)


def two_matmul(x: jax.Array, w1: jax.Array, w2: jax.Array) -> jax.Array:
    """x @ w1 @ w2."""
    return (x @ w1) @ w2


def two_matmul_args(c: Config) -> tuple[Tree, ...]:
    """Abstract arguments of `two_matmul`."""
    inner, hidden, outer = c.widths
    return array(c.batch, inner), array(inner, hidden), array(hidden, outer)


def args(c: Config) -> tuple[Tree, ...]:
    """Abstract arguments of `step`: params, opt, x (features), y (targets)."""
    p = [{"kernel": array(i, o), "bias": array(o)} for i, o in zip(c.widths, c.widths[1:])]
    return p, training.adam_shapes(p), array(c.batch, c.widths[0]), array(c.batch, c.widths[-1])


def apply(p: Tree, x: jax.Array) -> jax.Array:
    """Dense layers with a relu between them."""
    for layer in p[:-1]:
        x = jax.nn.relu(x @ layer["kernel"] + layer["bias"])
    return x @ p[-1]["kernel"] + p[-1]["bias"]


def step(params: Tree, opt: Tree, x: jax.Array, y: jax.Array):
    """One Adam step on the mean squared error: new params, new opt, loss."""

    def loss(p: Tree, x: jax.Array, y: jax.Array) -> jax.Array:
        return jnp.mean((apply(p, x) - y) ** 2)

    return training.step(loss, params, opt, (x, y))
