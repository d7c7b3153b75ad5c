"""A small convolutional classifier with batch norm and max pooling, and its training step (SGD with momentum).

Batch norm takes its statistics over the whole batch, so splitting the batch sums them over devices, and it carries
running statistics that the optimizer does not touch:

    step(params, momentum, stats, x, y) -> params, momentum, stats, loss
"""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from bench.models.training import Tree, array
from bench.models.transformer import cross_entropy

LEARNING_RATE, MOMENTUM, KEEP = 0.1, 0.9, 0.9


@dataclass(frozen=True)
class Config:
    """Sizes; each entry of `widths` is a stage of convolution, batch norm, relu and pooling by 2."""

    batch: int = 256
    image: int = 64
    colors: int = 3
    widths: tuple[int, ...] = (64, 128, 256, 512)
    classes: int = 1000


FULL = Config()
SMALL = Config(batch=8, image=8, widths=(4, 8), classes=10)


def args(c: Config) -> tuple[Tree, ...]:
    """Abstract arguments of `step`: params, momentum, stats, x (images), y (classes)."""
    inputs = (c.colors, *c.widths)
    stages = [
        {"kernel": array(3, 3, i, o), "scale": array(o), "bias": array(o)}
        for i, o in zip(inputs, c.widths)
    ]
    head = {"kernel": array(c.widths[-1], c.classes), "bias": array(c.classes)}
    p = {"stages": stages, "head": head}
    stats = [{"mean": array(o), "variance": array(o)} for o in c.widths]
    images = array(c.batch, c.image, c.image, c.colors)
    return p, p, stats, images, array(c.batch, dtype=jnp.int32)


def pool(x: jax.Array) -> jax.Array:
    """The maximum of each square of four pixels."""
    window = (1, 2, 2, 1)
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, window, window, "VALID")


def apply(p: Tree, x: jax.Array) -> tuple[jax.Array, Tree]:
    """Class scores, and the statistics of this batch."""
    seen = []
    for q in p["stages"]:
        x = jax.lax.conv_general_dilated(
            x, q["kernel"], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        mean, variance = x.mean(axis=(0, 1, 2)), x.var(axis=(0, 1, 2))
        seen.append({"mean": mean, "variance": variance})
        x = (x - mean) * jax.lax.rsqrt(variance + 1e-5) * q["scale"] + q["bias"]
        x = pool(jax.nn.relu(x))
    return x.mean(axis=(1, 2)) @ p["head"]["kernel"] + p["head"]["bias"], seen


def step(params: Tree, momentum: Tree, stats: Tree, x: jax.Array, y: jax.Array):
    """One step of SGD with momentum: new params, new momentum, new stats, loss."""

    def loss(p: Tree) -> tuple[jax.Array, Tree]:
        scores, seen = apply(p, x)
        return cross_entropy(scores, y), seen

    (value, seen), grads = jax.value_and_grad(loss, has_aux=True)(params)
    momentum = jax.tree.map(lambda m, g: MOMENTUM * m + g, momentum, grads)
    params = jax.tree.map(lambda p, m: p - LEARNING_RATE * m, params, momentum)
    stats = jax.tree.map(lambda old, new: KEEP * old + (1 - KEEP) * new, stats, seen)
    return params, momentum, stats, value
