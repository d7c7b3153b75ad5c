"""Small programs drawn from a seed: each op family at awkward sizes, each kind of collective alone, in a loop and beside compute.

    for program in programs(seed=1): program.name, program.function, program.arguments, program.schedule

A family draws its sizes from a generator of its own, so that a new family changes no program of the others. Rules of the simulator are made
on seeds 1 and 2; seed 5 is for the report alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

MESH = "mesh batch=4, model=2"
EACH = 3  # programs of a family


class Micro(NamedTuple):
    """A program and the tactics under which it is compiled, as the lines of a schedule file; none: the whole program on each device."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    tactics: str = ""
    donated: tuple[int, ...] = ()

    @property
    def schedule(self) -> str:
        return f"{MESH}\n{self.tactics}\n"


def f32(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def bf16(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.bfloat16)


def i32(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.int32)


Family = Callable[[random.Random], tuple[Callable[..., Any], tuple[Any, ...], str]]
FAMILIES: dict[str, Family] = {}


def family(make: Family) -> Family:
    FAMILIES[make.__name__] = make
    return make


def programs(seed: int) -> Iterator[Micro]:
    """All programs of a seed, family by family."""
    for name, make in FAMILIES.items():
        draw = random.Random(f"{name} {seed}")
        for number in range(EACH):
            yield Micro(f"{name}_{number}", *make(draw))


# ---- Kernels of one kind --------------------------------------------------------------------------------------------

WIDTHS = (32, 48, 64, 96, 100, 128, 192, 200, 256, 320)
AWKWARD = (17, 33, 49, 50, 65, 77, 100, 130, 197, 250)


def gradients(loss: Callable[..., Any]) -> Callable[..., Any]:
    return jax.grad(loss)


@family
def dots(draw):
    """A chain of products with its gradients."""
    rows, widths = draw.choice((3000, 8192, 20000)), [draw.choice((100, 256, 700, 1000, 1536, 2000)) for _ in range(4)]
    dtype = draw.choice((f32, bf16))

    def loss(weights, x):
        for w in weights:
            x = jax.nn.gelu(x @ w)
        return jnp.mean(jnp.square(x.astype(jnp.float32)))

    return gradients(loss), ([dtype(a, b) for a, b in zip(widths, widths[1:])], dtype(rows, widths[0])), ""


@family
def attention(draw):
    """Softmax attention with its gradients."""
    tokens, head = draw.choice((49, 64, 77, 128, 197, 256, 300)), draw.choice((32, 40, 64, 80, 128))
    heads = draw.choice((3, 8, 12))
    batch = max(1, 60_000_000 // (heads * tokens * max(tokens, head)) // 4)
    dtype = draw.choice((f32, bf16))

    def loss(q, k, v):
        scores = jnp.einsum("bthd,bshd->bhts", q, k) / head**0.5
        return jnp.sum(jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(scores), v).astype(jnp.float32) ** 2)

    shape = dtype(batch, tokens, heads, head)
    return jax.grad(loss, argnums=(0, 1, 2)), (shape, shape, shape), ""


@family
def graph(draw):
    """Messages along edges: gather, a product, segment sum, with gradients."""
    nodes, edges, width = draw.choice((2000, 10000)), draw.choice((60000, 100000, 150000)), draw.choice(WIDTHS)

    def loss(w, features, senders, receivers):
        messages = jax.nn.relu(jnp.concatenate([features[senders], features[receivers]], -1) @ w)
        return jnp.sum(jax.ops.segment_sum(messages, receivers, nodes) ** 2)

    return jax.grad(loss, argnums=(0, 1)), (f32(2 * width, width), f32(nodes, width), i32(edges), i32(edges)), ""


@family
def convolution(draw):
    """Two convolutions with their gradients."""
    size, a, b = draw.choice((28, 33, 56, 64)), draw.choice((3, 24, 64, 96)), draw.choice((40, 64, 128, 160))
    batch, stride, kernel = max(1, 40_000_000 // (size * size * b)), draw.choice((1, 2)), draw.choice((1, 3, 5))

    def conv(x, w, stride):
        return jax.lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def loss(w1, w2, x):
        return jnp.mean(conv(jax.nn.relu(conv(x, w1, stride)), w2, 1) ** 2)

    return jax.grad(loss, argnums=(0, 1)), (f32(kernel, kernel, a, b), f32(3, 3, b, b), f32(batch, size, size, a)), ""


@family
def normalization(draw):
    """Layer normalization and a softmax over awkward last dimensions, with gradients."""
    width, rows = draw.choice(AWKWARD + WIDTHS), draw.choice((100_000, 200_000))

    def loss(scale, x):
        x = (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-6) * scale
        return jnp.sum(jax.nn.softmax(x) * jax.nn.log_softmax(x))

    return jax.grad(loss, argnums=(0, 1)), (f32(width), f32(rows, width)), ""


@family
def reduction(draw):
    """Sums over leading, middle and last dimensions."""
    a, b, c = draw.choice((60, 128, 500)), draw.choice(AWKWARD), draw.choice(WIDTHS)
    outer = max(1, 60_000_000 // (a * b * c))

    def function(x):
        return x.sum(0), x.sum(1), x.max(2), (x * x).sum((1, 2)), jnp.argmax(x, -1)

    return function, (f32(outer, a, b, c),), ""


@family
def elementwise(draw):
    """Chains with broadcasts, several results."""
    rows, width = draw.choice((100_000, 300_000)), draw.choice(AWKWARD + WIDTHS)

    def function(x, y, row, column):
        a = jnp.tanh(x * row + column[:, None])
        b = jnp.where(y > 0, a, jnp.exp(-y))
        return a * b, b.astype(jnp.bfloat16), jnp.sqrt(jnp.abs(a - b))

    return function, (f32(rows, width), f32(rows, width), f32(width), f32(rows)), ""


@family
def windows(draw):
    """Windows of an image cut out and put back: reshapes and transposes around a product."""
    window, heads, head = draw.choice((4, 7, 8)), draw.choice((3, 4, 6)), draw.choice((32, 48))
    count, width = draw.choice((4, 7, 8)), heads * head
    batch = max(1, 30_000_000 // ((window * count) ** 2 * width))

    def function(w, x):
        x = x.reshape(batch, count, window, count, window, width).transpose(0, 1, 3, 2, 4, 5)
        x = (x.reshape(-1, window * window, width) @ w).reshape(-1, window * window, heads, head).transpose(0, 2, 1, 3)
        return x @ x.swapaxes(2, 3), x

    return function, (f32(width, width), f32(batch, count * window, count * window, width)), ""


@family
def embedding(draw):
    """A table looked up, logits against it, cross entropy, with the table's gradient."""
    vocabulary, width, tokens = draw.choice((5003, 10000, 32000)), draw.choice(WIDTHS + (512,)), draw.choice((3000, 5000))

    def loss(table, ids, labels):
        logits = jnp.tanh(table[ids]) @ table.T
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1))

    return gradients(loss), (f32(vocabulary, width), i32(tokens), i32(tokens)), ""


@family
def recurrence(draw):
    """A gated recurrent loop over time, with its gradients."""
    width, batch, steps = draw.choice((100, 256, 500, 1024)), draw.choice((50, 128, 256)), draw.choice((60, 128))

    def loss(w, u, xs):
        def step(h, x):
            z = jnp.concatenate([x, h], -1) @ w
            h = jax.nn.sigmoid(z) * jnp.tanh(h @ u)
            return h, h

        return jnp.mean(jax.lax.scan(step, jnp.zeros((batch, width)), xs)[1] ** 2)

    return jax.grad(loss, argnums=(0, 1)), (f32(2 * width, width), f32(width, width), f32(steps, batch, width)), ""


@family
def layers(draw):
    """A loop over stacked layers, kept or recomputed, with gradients."""
    width, rows, count = draw.choice((256, 500, 1024)), draw.choice((3000, 8192)), draw.choice((6, 12))
    recompute = draw.choice((False, True))

    def loss(stack, x):
        def layer(x, w):
            return x + jax.nn.gelu(x @ w[0]) @ w[1], None

        layer = jax.checkpoint(layer) if recompute else layer
        return jnp.mean(jax.lax.scan(layer, x, stack)[0] ** 2)

    return gradients(loss), (f32(count, 2, width, width), f32(rows, width)), ""


@family
def prefix(draw):
    """Sums along a dimension and an associative scan."""
    rows, steps, width = draw.choice((20, 64)), draw.choice((500, 1024)), draw.choice(WIDTHS)

    def function(a, b):
        pair = jax.lax.associative_scan(lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1]), (a, b), axis=1)
        return pair[1], jnp.cumsum(a, 1)

    return function, (f32(rows, steps, width), f32(rows, steps, width)), ""


@family
def ordering(draw):
    """Sort and top-k."""
    rows, width = draw.choice((5000, 20000)), draw.choice((500, 1000, 2048))

    def function(x):
        values, indices = jax.lax.top_k(x, 8)
        return jnp.sort(x, -1), values, indices, jnp.argsort(x, -1)

    return function, (f32(rows, width),), ""


@family
def cache(draw):
    """A decoding loop that writes keys and values into a cache."""
    batch, heads, head, length = draw.choice((8, 16)), draw.choice((4, 8)), draw.choice((64, 80, 128)), draw.choice((1000, 2048))

    def function(wq, wk, wv, x, keys, values):
        def step(carry, t):
            x, keys, values = carry
            q, k, v = (jnp.einsum("bd,dhk->bhk", x, w) for w in (wq, wk, wv))
            keys = jax.lax.dynamic_update_slice(keys, k[:, None], (0, t, 0, 0))
            values = jax.lax.dynamic_update_slice(values, v[:, None], (0, t, 0, 0))
            p = jax.nn.softmax(jnp.einsum("bhk,bshk->bhs", q, keys))
            return (jnp.einsum("bhs,bshk->bhk", p, values).reshape(batch, -1), keys, values), None

        return jax.lax.scan(step, (x, keys, values), jnp.arange(16))[0]

    weights, store = f32(heads * head, heads, head), f32(batch, length, heads, head)
    return function, (weights, weights, weights, f32(batch, heads * head), store, store), ""


@family
def pieces(draw):
    """Slices, concatenation, padding and reversal on awkward sizes."""
    rows, width = draw.choice((50_000, 100_000)), draw.choice((96, 192, 200, 384))

    def function(x, y):
        a, b, c = jnp.split(x, 3, -1)
        rotated = jnp.concatenate([-b, a], -1)
        return rotated * 2, jnp.pad(c, ((1, 0), (0, 3))), jnp.concatenate([x, y], 0)[::-1], jnp.roll(y, 1, 0)

    return function, (f32(rows, 3 * (width // 3)), f32(rows // 2, 3 * (width // 3))), ""


# ---- Collectives ----------------------------------------------------------------------------------------------------

BP = "tactic BP on batch { x : 0 }"
Z3 = "tactic Z3 on batch { w/** : first_divisible }"


def _mlp(draw):
    width, count, rows = draw.choice((1024, 1536, 3000)), draw.choice((3, 6)), draw.choice((4096, 16384))

    def loss(w, x):
        for a, b in w:
            x = x + jax.nn.gelu(x @ a) @ b
        return jnp.mean(x**2)

    def step(w, x):
        return jax.tree.map(lambda p, g: p - 0.1 * g, w, jax.grad(loss)(w, x))

    return step, ([(f32(width, 2 * width), f32(2 * width, width)) for _ in range(count)], f32(rows, width))


@family
def all_reduce(draw):
    """Gradients summed over the batch, beside the backward pass."""
    return *_mlp(draw), BP


@family
def zero3(draw):
    """Weights gathered at each use, gradients scattered."""
    return *_mlp(draw), f"{BP}\n{Z3}"


@family
def megatron(draw):
    """Activations summed twice a block, nothing beside them."""
    return *_mlp(draw), f"{BP}\ntactic MP on model {{ w/*/0 : 1 }}"


@family
def zero3_loop(draw):
    """Stacked layers in a loop, gathered on each turn."""
    step, (stack, x), _ = layers(draw)
    return lambda w, x: w - 0.1 * step(w, x), (stack, x), f"{BP}\ntactic Z3 on batch {{ w : 2 }}"


@family
def all_to_all(draw):
    """Rows come in parts, and the sort along them needs them whole."""
    rows, width = draw.choice((60_000, 100_000)), draw.choice((256, 1000))
    return lambda x: jnp.sort(jnp.tanh(x), 0), (f32(rows, width),), "tactic T on batch { x : 0  out : 1 }"


@family
def gather_alone(draw):
    """A table that is stored in parts and needed whole, nothing to hide it behind."""
    rows, width = draw.choice((20_000, 50_000)), draw.choice((256, 1000))
    return lambda w: jnp.sort(w, 0), (f32(rows, width),), "tactic Z on batch { w : 0 }"
