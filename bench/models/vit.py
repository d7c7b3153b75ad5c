"""A vision transformer and its training step: a convolution cuts the patches, a class token, q, k and v as [d_model, 3, heads, d_head]."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from bench.models import annotate, training
from bench.models.gpt2 import dense, layer_norm
from bench.models.training import Tree, array


@dataclass(frozen=True)
class Config:
    """Sizes; the defaults are those of ViT-L/16."""

    layers: int = 24
    d_model: int = 1024
    heads: int = 16
    d_ff: int = 4096
    image: int = 224
    patch: int = 16
    classes: int = 1000
    batch: int = 256

    @property
    def tokens(self) -> int:
        """Patches and the class token."""
        return (self.image // self.patch) ** 2 + 1


FULL = Config()
SMALL = Config(layers=2, d_model=64, heads=4, d_ff=128, image=32, patch=8, classes=16, batch=8)


def params(c: Config) -> Tree:
    """Abstract parameters."""
    d, head = c.d_model, c.d_model // c.heads
    norm = {"scale": array(d), "bias": array(d)}
    layer = {
        "norm1": norm,
        "qkv": {"kernel": array(d, 3, c.heads, head)},
        "wo": {"kernel": array(c.heads, head, d)},
        "norm2": norm,
        "up": {"kernel": array(d, c.d_ff), "bias": array(c.d_ff)},
        "down": {"kernel": array(c.d_ff, d), "bias": array(d)},
    }
    return {
        "patch": {"kernel": array(c.patch, c.patch, 3, d)},
        "class": {"token": array(1, 1, d)},
        "position": {"kernel": array(c.tokens, d)},
        "layers": [layer] * c.layers,
        "norm": norm,
        "head": {"kernel": array(d, c.classes), "bias": array(c.classes)},
    }


def args(c: Config) -> tuple[Tree, ...]:
    """Abstract arguments of `step`: params, opt, x (images), y (classes)."""
    p = params(c)
    return p, training.adam_shapes(p), array(c.batch, c.image, c.image, 3), array(c.batch, dtype=jnp.int32)


def attention(p: Tree, x: jax.Array) -> jax.Array:
    """Self-attention; x is [batch, tokens, d_model]."""
    q, k, v = annotate.at(jnp.einsum("bsd,dchk->cbshk", x, p["qkv"]["kernel"]), "qkv")
    weights = jax.nn.softmax(jnp.einsum("bshk,bthk->bhst", q, k) / q.shape[-1] ** 0.5, axis=-1)
    return jnp.einsum("bhst,bthk,hkd->bsd", weights, v, p["wo"]["kernel"])


def make_step(c: Config):
    """The training step: (params, opt, x, y) -> (params, opt, loss)."""

    def loss(p: Tree, x: jax.Array, y: jax.Array) -> jax.Array:
        shape = (c.patch, c.patch)
        h = jax.lax.conv_general_dilated(x, p["patch"]["kernel"], shape, "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        h = h.reshape(c.batch, -1, c.d_model)
        first = jnp.broadcast_to(p["class"]["token"], (c.batch, 1, c.d_model))
        h = annotate.at(jnp.concatenate([first, h], axis=1) + p["position"]["kernel"], "hidden")
        for q in p["layers"]:
            h = annotate.at(h + attention(q, layer_norm(q["norm1"], h)), "hidden")
            wide = annotate.at(jax.nn.gelu(dense(q["up"], layer_norm(q["norm2"], h))), "ffn")
            h = annotate.at(h + dense(q["down"], wide), "hidden")
        scores = jax.nn.log_softmax(dense(p["head"], layer_norm(p["norm"], h[:, 0])))
        return -jnp.take_along_axis(scores, y[:, None], axis=-1).mean()

    def step(params: Tree, opt: Tree, x: jax.Array, y: jax.Array):
        return training.step(loss, params, opt, (x, y))

    return step
