"""Large matrix products as training steps of large language models have them, at a device's share of the sizes, drawn from a seed.

    for program in programs(seed=1): program.name, program.function, program.arguments

Forward, gradients of activations and of weights, with what their kernels begin and end with: weights converted from float32, gates, residuals, Adam.
Rules of the simulator are made on seed 1; seed 2 is for the report alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp

from bench.micro.programs import Family, Micro, bf16, f32

EACH = 3  # programs of a family
FAMILIES: dict[str, Family] = {}


def family(make: Family) -> Family:
    FAMILIES[make.__name__] = make
    return make


def programs(seed: int) -> Iterator[Micro]:
    """All programs of a seed, family by family."""
    for name, make in FAMILIES.items():
        draw = random.Random(f"products {name} {seed}")
        for number in range(EACH):
            yield Micro(f"{name}_{number}", *make(draw))


def _sizes(draw: random.Random) -> tuple[int, int, int]:
    """Tokens of a device, width, and a device's part of the feed-forward width."""
    width = draw.choice((4096, 5120, 6144, 8192, 12288, 18432))
    hidden = draw.choice((4, 7, 8)) * width // 2 // draw.choice((1, 2, 4, 8))
    return draw.choice((2048, 4096, 8192, 12288)), width, hidden


Function = Callable[..., Any]


@family
def forward(draw: random.Random) -> tuple[Function, tuple[Any, ...], str]:
    """Up and down again, with a residual."""
    tokens, width, hidden = _sizes(draw)
    weight = draw.choice((f32, bf16))

    def function(x, up, down):
        h = jax.nn.gelu(x @ up.astype(x.dtype))
        return x + h @ down.astype(x.dtype)

    return function, (bf16(tokens, width), weight(width, hidden), weight(hidden, width)), ""


@family
def gated(draw: random.Random) -> tuple[Function, tuple[Any, ...], str]:
    """SwiGLU and its gradients."""
    tokens, width, hidden = _sizes(draw)

    def function(x, gate, up, down, dy):
        def block(x, gate, up, down):
            return (jax.nn.silu(x @ gate) * (x @ up)) @ down

        y, pull = jax.vjp(block, x, gate, up, down)
        return x + y, pull(dy)

    x = bf16(tokens, width)
    return function, (x, bf16(width, hidden), bf16(width, hidden), bf16(hidden, width), x), ""


@family
def heads(draw: random.Random) -> tuple[Function, tuple[Any, ...], str]:
    """Projections to heads and back, with gradients."""
    tokens, width, _ = _sizes(draw)
    size = draw.choice((64, 128, 256))
    count = draw.choice((8192, 4096, 2048)) // size
    batch = tokens // 2048

    def function(x, q, o, dy):
        def block(x, q, o):
            return jnp.einsum("bhsk,hkd->bsd", jnp.einsum("bsd,dhk->bhsk", x, q), o)

        y, pull = jax.vjp(block, x, q, o)
        return y, pull(dy)

    x = bf16(batch, 2048, width)
    return function, (x, bf16(width, count, size), bf16(count, size, width), x), ""


@family
def weight_gradient(draw: random.Random) -> tuple[Function, tuple[Any, ...], str]:
    """The gradient of a weight in bfloat16 or float32, and Adam."""
    tokens, width, hidden = _sizes(draw)
    kind = draw.choice((jnp.float32, jnp.bfloat16))

    def function(x, dy, w, m, v):
        g = jnp.einsum("td,tf->df", x, dy, preferred_element_type=kind).astype(jnp.float32)
        m, v = 0.9 * m + 0.1 * g, 0.95 * v + 0.05 * g * g
        return w - 1e-3 * m / (jnp.sqrt(v) + 1e-8), m, v

    w = f32(width, hidden)
    return function, (bf16(tokens, width), bf16(tokens, hidden), w, w, w), ""


@family
def scores(draw: random.Random) -> tuple[Function, tuple[Any, ...], str]:
    """Attention with its scores in memory, with gradients."""
    count, size, length = draw.choice((4, 8, 16)), draw.choice((64, 128, 256)), draw.choice((1024, 2048))

    def function(q, k, v, dy):
        def block(q, k, v):
            weights = jax.nn.softmax(jnp.einsum("bshk,bthk->bhst", q, k).astype(jnp.float32)).astype(q.dtype)
            return jnp.einsum("bhst,bthk->bshk", weights, v)

        y, pull = jax.vjp(block, q, k, v)
        return y, pull(dy)

    shape = bf16(draw.choice((1, 2, 4)), length, count, size)
    return function, (shape, shape, shape, shape), ""


@family
def vocabulary(draw: random.Random) -> tuple[Function, tuple[Any, ...], str]:
    """Logits and cross entropy against one-hot labels, with gradients."""
    tokens, width, _ = _sizes(draw)
    words = draw.choice((32000, 50304, 128256)) // draw.choice((1, 4, 8))

    def function(x, w, labels):
        def loss(x, w):
            logits = jnp.dot(x, w.astype(x.dtype)).astype(jnp.float32)
            return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1))

        return jax.value_and_grad(loss, argnums=(0, 1))(x, w)

    return function, (bf16(min(tokens, 4096), width), f32(width, words), jax.ShapeDtypeStruct((min(tokens, 4096),), jnp.int32)), ""
