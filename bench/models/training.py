"""What every training step shares: Adam, gradient-norm clipping and microbatches, in plain JAX.

    update = training.step(loss_fn, params, opt, (x, y))      # -> params, opt, loss
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

Tree = Any
LEARNING_RATE, BETA1, BETA2, EPSILON = 1e-3, 0.9, 0.999, 1e-8


def array(*shape: int, dtype: Any = jnp.float32) -> jax.ShapeDtypeStruct:
    """An abstract array: models are described, traced and exported without allocating one."""
    return jax.ShapeDtypeStruct(shape, dtype)


def adam_shapes(params: Tree) -> Tree:
    """The optimizer state of `params`: two moments of its shape and the number of steps taken."""
    return {"m": params, "v": params, "t": array(dtype=jnp.int32)}


def adam(params: Tree, opt: Tree, grads: Tree) -> tuple[Tree, Tree]:
    """One update by Adam with bias correction."""
    t = opt["t"] + 1
    m = jax.tree.map(lambda m, g: BETA1 * m + (1 - BETA1) * g, opt["m"], grads)
    v = jax.tree.map(lambda v, g: BETA2 * v + (1 - BETA2) * g * g, opt["v"], grads)
    steps = t.astype(jnp.float32)
    m_scale, v_scale = 1 - BETA1**steps, 1 - BETA2**steps

    def move(p: jax.Array, m: jax.Array, v: jax.Array) -> jax.Array:
        return p - LEARNING_RATE * (m / m_scale) / (jnp.sqrt(v / v_scale) + EPSILON)

    return jax.tree.map(move, params, m, v), {"m": m, "v": v, "t": t}


def clip(grads: Tree, limit: float) -> Tree:
    """Scale all gradients down together so that their joint norm is at most `limit`."""
    norm = jnp.sqrt(sum(jnp.sum(g * g) for g in jax.tree.leaves(grads)))
    scale = jnp.minimum(1.0, limit / norm)
    return jax.tree.map(lambda g: g * scale, grads)


def accumulate(loss_and_grads: Callable[..., Tree], batch: Tree, count: int) -> Tree:
    """The mean of `loss_and_grads` over `count` microbatches, accumulated in a loop.

    Microbatch i takes every count-th example from i on. So each device's share of a batch that is split
    in equal chunks splits into equal microbatches, and no example has to move between devices.
    """

    def split(a: jax.Array) -> jax.Array:
        return a.reshape(a.shape[0] // count, count, *a.shape[1:]).swapaxes(0, 1)

    microbatches = jax.tree.map(split, batch)
    shapes = jax.eval_shape(loss_and_grads, *jax.tree.map(lambda a: a[0], microbatches))
    zero = jax.tree.map(lambda s: jnp.zeros(s.shape, s.dtype), shapes)

    def add(total: Tree, microbatch: Tree) -> tuple[Tree, None]:
        return jax.tree.map(jnp.add, total, loss_and_grads(*microbatch)), None

    total, _ = jax.lax.scan(add, zero, microbatches)
    return jax.tree.map(lambda a: a / count, total)


def step(
    loss_fn: Callable[..., jax.Array],
    params: Tree,
    opt: Tree,
    batch: tuple[Tree, ...],
    *,
    clip_norm: float | None = None,
    microbatches: int = 1,
) -> tuple[Tree, Tree, jax.Array]:
    """The gradient of the mean loss `loss_fn(params, *batch)`, then Adam: new params, new opt, loss."""

    def loss_and_grads(*part: Tree) -> Tree:
        return jax.value_and_grad(loss_fn)(params, *part)

    if microbatches == 1:
        loss, grads = loss_and_grads(*batch)
    else:
        loss, grads = accumulate(loss_and_grads, batch, microbatches)
    if clip_norm is not None:
        grads = clip(grads, clip_norm)
    params, opt = adam(params, opt, grads)
    return params, opt, loss
