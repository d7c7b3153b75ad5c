"""A diffusion UNet: predicts the noise in noisy images, given the time of each and its class; one training step.

Every residual block is followed by self-attention. With three levels of three blocks there are 9 blocks on the
way down, 12 on the way up (each takes one skip connection) and 2 in the middle: 501 parameter tensors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import jax
import jax.numpy as jnp

from bench.models import annotate, training
from bench.models.training import Tree, array


@dataclass(frozen=True)
class Config:
    """Sizes; the defaults are the UNet of the evaluation."""

    batch: int = 64
    image: int = 32
    colors: int = 4  # of the latent images
    channels: int = 256
    multipliers: tuple[int, ...] = (1, 2, 3)  # channels of each level, as multiples of `channels`
    blocks: int = 3  # residual blocks of each level on the way down
    heads: int = 4
    groups: int = 32  # of each group norm
    classes: int = 1000

    @property
    def embedding(self) -> int:
        """Features of the embedding of time and class."""
        return 4 * self.channels


FULL = Config()
SMALL = Config(
    batch=8, image=8, channels=8, multipliers=(1, 2), blocks=1, heads=2, groups=4, classes=10
)


def dense(inputs: int, outputs: int) -> Tree:
    """Abstract parameters of a dense layer."""
    return {"kernel": array(inputs, outputs), "bias": array(outputs)}


def conv(inputs: int, outputs: int, window: int = 3) -> Tree:
    """Abstract parameters of a convolution."""
    return {"kernel": array(window, window, inputs, outputs), "bias": array(outputs)}


def norm(channels: int) -> Tree:
    """Abstract parameters of a group norm."""
    return {"scale": array(channels), "bias": array(channels)}


def block(c: Config, inputs: int, outputs: int) -> Tree:
    """Abstract parameters of a residual block and the attention after it."""
    residual = {
        "norm1": norm(inputs),
        "conv1": conv(inputs, outputs),
        "embedding": dense(c.embedding, outputs),
        "norm2": norm(outputs),
        "conv2": conv(outputs, outputs),
    }
    if inputs != outputs:
        residual["skip"] = conv(inputs, outputs, window=1)
    return {"residual": residual, "attention": attention_block(outputs)}


def attention_block(channels: int) -> Tree:
    """Abstract parameters of one self-attention."""
    projections = {name: dense(channels, channels) for name in ("q", "k", "v", "out")}
    return {"norm": norm(channels), **projections}


def params(c: Config) -> Tree:
    """Abstract parameters."""
    widths = [m * c.channels for m in c.multipliers]
    last = len(widths) - 1
    skips, inputs, down, up = [c.channels], c.channels, [], []
    for i, width in enumerate(widths):
        level: Tree = {"blocks": []}
        for _ in range(c.blocks):
            level["blocks"].append(block(c, inputs, width))
            skips.append(width)
            inputs = width
        if i < last:
            level["resize"] = conv(width, width)
            skips.append(width)
        down.append(level)
    middle = [block(c, inputs, inputs), {"residual": block(c, inputs, inputs)["residual"]}]
    for i, width in reversed(list(enumerate(widths))):
        level = {"blocks": []}
        for _ in range(c.blocks + 1):
            level["blocks"].append(block(c, inputs + skips.pop(), width))
            inputs = width
        if i > 0:
            level["resize"] = conv(width, width)
        up.append(level)
    return {
        "time": [dense(c.channels, c.embedding), dense(c.embedding, c.embedding)],
        "label": {
            "table": array(c.classes, c.embedding),
            "dense": [dense(c.embedding, c.embedding), dense(c.embedding, c.embedding)],
        },
        "first": conv(c.colors, c.channels),
        "down": down,
        "middle": middle,
        "up": up,
        "last": {"norm": norm(inputs), "conv": conv(inputs, c.colors)},
    }


def args(c: Config) -> tuple[Tree, ...]:
    """Abstract arguments of `step`: params, opt, x (images), noise, time in [0, 1), label."""
    p = params(c)
    images = array(c.batch, c.image, c.image, c.colors)
    one_each = array(c.batch)
    label = array(c.batch, dtype=jnp.int32)
    return p, training.adam_shapes(p), images, images, one_each, label


def apply_dense(p: Tree, x: jax.Array) -> jax.Array:
    """x @ kernel + bias on the last dimension."""
    return x @ p["kernel"] + p["bias"]


def apply_conv(p: Tree, x: jax.Array, stride: int = 1) -> jax.Array:
    """A padded convolution of [batch, height, width, channels]."""
    y = jax.lax.conv_general_dilated(
        x, p["kernel"], (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    return y + p["bias"]


def apply_norm(c: Config, p: Tree, x: jax.Array) -> jax.Array:
    """Group norm over space and the channels of each group."""
    g = x.reshape(*x.shape[:-1], c.groups, x.shape[-1] // c.groups)
    g = g - g.mean(axis=(1, 2, 4), keepdims=True)
    g = g * jax.lax.rsqrt(jnp.mean(g * g, axis=(1, 2, 4), keepdims=True) + 1e-5)
    return g.reshape(x.shape) * p["scale"] + p["bias"]


def residual(c: Config, p: Tree, x: jax.Array, embedding: jax.Array) -> jax.Array:
    """Two convolutions, the embedding of time and class added between them, and a skip connection."""
    h = apply_conv(p["conv1"], jax.nn.silu(apply_norm(c, p["norm1"], x)))
    h = h + apply_dense(p["embedding"], embedding)[:, None, None, :]
    h = apply_conv(p["conv2"], jax.nn.silu(apply_norm(c, p["norm2"], h)))
    return h + (apply_conv(p["skip"], x) if "skip" in p else x)


def attention(c: Config, p: Tree, x: jax.Array) -> jax.Array:
    """Self-attention over all pixels, with a skip connection."""
    batch, height, width, channels = x.shape
    h = apply_norm(c, p["norm"], x).reshape(batch, height * width, channels)
    shape = (batch, height * width, c.heads, channels // c.heads)
    q, k, v = (apply_dense(p[name], h).reshape(shape) for name in ("q", "k", "v"))
    weights = jax.nn.softmax(jnp.einsum("bshk,bthk->bhst", q, k) / shape[-1] ** 0.5, axis=-1)
    mixed = jnp.einsum("bhst,bthk->bshk", weights, v).reshape(h.shape)
    return x + apply_dense(p["out"], mixed).reshape(x.shape)


def apply_block(c: Config, p: Tree, x: jax.Array, embedding: jax.Array) -> jax.Array:
    """A residual block, then attention if the block has it."""
    x = annotate.at(residual(c, p["residual"], x, embedding), "hidden")
    return annotate.at(attention(c, p["attention"], x), "hidden") if "attention" in p else x


def double(x: jax.Array) -> jax.Array:
    """Each pixel becomes a square of four."""
    batch, height, width, channels = x.shape
    x = jnp.broadcast_to(x[:, :, None, :, None, :], (batch, height, 2, width, 2, channels))
    return x.reshape(batch, 2 * height, 2 * width, channels)


def embed(c: Config, p: Tree, time: jax.Array, label: jax.Array) -> jax.Array:
    """The embedding of time (sines of many frequencies) and class that every block sees."""
    half = c.channels // 2
    frequencies = jnp.exp(jnp.arange(half) * (-math.log(10000.0) / half))
    angles = 1000.0 * time[:, None] * frequencies
    features = jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], axis=-1)
    from_time = apply_dense(p["time"][1], jax.nn.silu(apply_dense(p["time"][0], features)))
    first, second = p["label"]["dense"]
    from_label = apply_dense(second, jax.nn.silu(apply_dense(first, p["label"]["table"][label])))
    return jax.nn.silu(from_time + from_label)


def predict(c: Config, p: Tree, x: jax.Array, time: jax.Array, label: jax.Array) -> jax.Array:
    """The noise in the images `x`."""
    embedding = embed(c, p, time, label)
    h = apply_conv(p["first"], x)
    skips = [h]
    for level in p["down"]:
        for q in level["blocks"]:
            h = apply_block(c, q, h, embedding)
            skips.append(h)
        if "resize" in level:
            h = apply_conv(level["resize"], h, stride=2)
            skips.append(h)
    for q in p["middle"]:
        h = apply_block(c, q, h, embedding)
    for level in p["up"]:
        for q in level["blocks"]:
            h = apply_block(c, q, jnp.concatenate([h, skips.pop()], axis=-1), embedding)
        if "resize" in level:
            h = apply_conv(level["resize"], double(h))
    return apply_conv(p["last"]["conv"], jax.nn.silu(apply_norm(c, p["last"]["norm"], h)))


def make_step(c: Config):
    """The training step: (params, opt, x, noise, time, label) -> (params, opt, loss)."""

    def loss(p: Tree, x: jax.Array, noise: jax.Array, time: jax.Array, label: jax.Array):
        """Squared error of the noise, a mean over images weighted by their signal."""
        signal = jnp.cos(0.5 * jnp.pi * time)[:, None, None, None]
        noisy = signal * x + jnp.sqrt(1 - signal**2) * noise
        error = jnp.mean((predict(c, p, noisy, time, label) - noise) ** 2, axis=(1, 2, 3))
        weight = 0.1 + signal[:, 0, 0, 0]
        return jnp.sum(weight * error) / jnp.sum(weight)

    def step(
        params: Tree, opt: Tree, x: jax.Array, noise: jax.Array, time: jax.Array, label: jax.Array
    ):
        return training.step(loss, params, opt, (x, noise, time, label))

    return step
