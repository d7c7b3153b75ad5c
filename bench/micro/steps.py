"""Whole training steps as users write them, with optax: each architecture at a size that no rule was made on.

    for program in programs(): program.name, program.function, program.arguments, program.schedule

What is looked into is no longer held out: change sizes then, and compile anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import optax
from jax import lax

from bench.micro.programs import MESH, Micro, bf16, f32, i32

Tree = Any
STEPS: dict[str, Callable[[], tuple[Callable[..., Any], Tree, Tree, optax.GradientTransformation, tuple[str, ...]]]] = {}

BP = "tactic BP on batch { batch/** if rank >= 1 : 0 }"
TACTICS = {
    "BP": BP,
    "BP+Z3": f"{BP}\ntactic Z3 on batch {{ {{params,opt}}/** if rank >= 2 : first_divisible }}",
    "BP+MP": f"{BP}\ntactic MP on model {{ params/**/{{q,k,v}} : 1  params/**/o : 0  params/**/up : 1  params/**/down : 0 }}",
}
ALL = tuple(TACTICS)


def step(make: Callable[[], Any]) -> Callable[[], Any]:
    STEPS[make.__name__] = make
    return make


def programs() -> Iterator[Micro]:
    """Each step under each of its strategies, parameters and optimizer donated."""
    for name, make in STEPS.items():
        loss, params, batch, optimizer, strategies = make()

        def function(params, opt, batch, loss=loss, optimizer=optimizer):
            value, gradients = jax.value_and_grad(loss)(params, batch)
            updates, opt = optimizer.update(gradients, opt, params)
            return optax.apply_updates(params, updates), opt, value

        arguments = (params, jax.eval_shape(optimizer.init, params), batch)
        for strategy in strategies:
            tactics = f"tie params -> out/0\ntie opt -> out/1\n{TACTICS[strategy]}"
            yield Micro(f"{name}_{strategy}", function, arguments, tactics, donated=(0, 1))


# ---- What they share -------------------------------------------------------------------------------------------------


def norm(x, scale):
    x32 = x.astype(jnp.float32)
    x32 = x32 - x32.mean(-1, keepdims=True)
    return (x32 * lax.rsqrt(jnp.square(x32).mean(-1, keepdims=True) + 1e-6)).astype(x.dtype) * scale


def attention(w, x, source=None, causal=False):
    source = x if source is None else source
    q, k, v = jnp.einsum("btd,dhk->bthk", x, w["q"]), *(jnp.einsum("btd,dhk->bthk", source, w[n]) for n in "kv")
    if k.shape[2] < q.shape[2]:
        k, v = (jnp.repeat(a, q.shape[2] // a.shape[2], 2) for a in (k, v))
    scores = jnp.einsum("bthk,bshk->bhts", q, k) / q.shape[-1] ** 0.5
    if causal:
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -1e9)
    return jnp.einsum("bthk,hkd->btd", jnp.einsum("bhts,bshk->bthk", jax.nn.softmax(scores), v), w["o"])


def feed_forward(w, x):
    return jax.nn.gelu(x @ w["up"] + w["bias"]) @ w["down"]


def block(w, x, causal=False):
    x = x + attention(w["attention"], norm(x, w["scales"][0]), causal=causal)
    return x + feed_forward(w, norm(x, w["scales"][1]))


def block_weights(width, heads, head, hidden, key_heads=0, array=f32, stack=()):
    key = (*stack, width, key_heads or heads, head)
    return {
        "attention": {"q": array(*stack, width, heads, head), "k": array(*key), "v": array(*key), "o": array(*stack, heads, head, width)},
        "up": array(*stack, width, hidden),
        "bias": array(*stack, hidden),
        "down": array(*stack, hidden, width),
        "scales": array(*stack, 2, width),
    }


def cross_entropy(logits, labels):
    return optax.softmax_cross_entropy_with_integer_labels(logits.astype(jnp.float32), labels).mean()


def half(tree):
    return jax.tree.map(lambda a: a.astype(jnp.bfloat16), tree)


def convolve(x, w, stride=1, groups=1):
    return lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=groups)


# ---- Transformers ----------------------------------------------------------------------------------------------------


@step
def vision_577():
    """A vision transformer on 384 x 384 pixels: 577 tokens, products in bfloat16."""
    width, batch = 384, 64
    params = {"patch": f32(16, 16, 3, width), "first": f32(1, 1, width), "layers": [block_weights(width, 6, 64, 1536)] * 6, "head": f32(width, 1000)}

    def loss(params, batch):
        images, labels = batch
        w = half(params)
        x = lax.conv_general_dilated(images.astype(jnp.bfloat16), w["patch"], (16, 16), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        x = x.reshape(x.shape[0], -1, width)
        x = jnp.concatenate([jnp.broadcast_to(w["first"], (x.shape[0], 1, width)), x], 1)
        for layer in w["layers"]:
            x = block(layer, x)
        return cross_entropy(x[:, 0] @ w["head"], labels)

    return loss, params, (f32(batch, 384, 384, 3), i32(batch)), optax.adamw(1e-3), ALL


@step
def language_loop():
    """Layers in a loop, nothing recomputed, heads of 96, an untied head."""
    width = 768
    params = {"table": f32(50257, width), "layers": block_weights(width, 8, 96, 3072, stack=(6,)), "head": f32(width, 50257)}

    def loss(params, batch):
        tokens, labels = batch
        x, _ = lax.scan(lambda x, w: (block(w, x, causal=True), None), params["table"][tokens], params["layers"])
        return cross_entropy(x @ params["head"], labels)

    return loss, params, (i32(32, 512), i32(32, 512)), optax.adamw(1e-3), ("BP", "BP+Z3")


@step
def language_grouped():
    """Three queries for each key head of 64, products in bfloat16, each layer recomputed, gradients clipped."""
    width = 768
    params = {"table": f32(32000, width), "layers": [block_weights(width, 12, 64, 2048, key_heads=4)] * 5}

    def loss(params, batch):
        tokens, labels = batch
        w = half(params)
        x = w["table"][tokens]
        for layer in w["layers"]:
            x = jax.checkpoint(lambda w, x: block(w, x, causal=True))(layer, x)
        return cross_entropy(x @ w["table"].T, labels)

    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3))
    return loss, params, (i32(16, 1024), i32(16, 1024)), optimizer, ALL


@step
def speech():
    """Frames through two convolutions and an encoder; a decoder that attends to them."""
    width = 384
    decoder = block_weights(width, 6, 64, 1536) | {"cross": block_weights(width, 6, 64, 8)["attention"]}
    params = {"in": [f32(3, 80, width), f32(3, width, width)], "encoder": [block_weights(width, 6, 64, 1536)] * 4, "decoder": [decoder] * 4, "table": f32(51864, width)}

    def loss(params, batch):
        x, tokens, labels = batch
        for w, stride in zip(params["in"], (1, 2)):
            x = jax.nn.gelu(lax.conv_general_dilated(x, w, (stride,), "SAME", dimension_numbers=("NTC", "TIO", "NTC")))
        for layer in params["encoder"]:
            x = block(layer, x)
        y = params["table"][tokens]
        for layer in params["decoder"]:
            y = block(layer, y + attention(layer["cross"], y, x), causal=True)
        return cross_entropy(y @ params["table"].T, labels)

    return loss, params, (f32(16, 3000, 80), i32(16, 224), i32(16, 224)), optax.adam(1e-3), ("BP", "BP+MP")


@step
def switch():
    """One of 16 experts for each token, chosen and combined by one-hot products."""
    width, experts, room = 384, 16, 96
    layer = block_weights(width, 6, 64, 8) | {"router": f32(width, experts), "wi": f32(experts, width, 1536), "wo": f32(experts, 1536, width)}
    params = {"table": f32(16000, width), "layers": [layer] * 3}

    def mixture(w, x):
        gates = jax.nn.softmax(x @ w["router"])
        chosen = jax.nn.one_hot(gates.argmax(-1), experts)
        place = (jnp.cumsum(chosen, 1) * chosen).astype(jnp.int32) - 1
        sent = jax.nn.one_hot(place, room)
        inside = jax.nn.relu(jnp.einsum("becd,edf->becf", jnp.einsum("btec,btd->becd", sent, x), w["wi"]))
        return jnp.einsum("btec,becd->btd", sent * gates[..., None], jnp.einsum("becf,efd->becd", inside, w["wo"]))

    def loss(params, batch):
        tokens, labels = batch
        x = params["table"][tokens]
        for w in params["layers"]:
            x = x + attention(w["attention"], norm(x, w["scales"][0]), causal=True)
            x = x + mixture(w, norm(x, w["scales"][1]))
        return cross_entropy(x @ params["table"].T, labels)

    return loss, params, (i32(16, 1024), i32(16, 1024)), optax.adamw(1e-3), ("BP", "BP+Z3")


@step
def microbatches():
    """Four microbatches in a loop, weights in bfloat16, gradients added up in float32."""
    width = 512
    params = {"table": bf16(32000, width), "layers": [block_weights(width, 8, 64, 2048, array=bf16)] * 4}

    def loss(params, batch):
        def one(total, microbatch):
            tokens, labels = microbatch
            x = params["table"][tokens]
            for layer in params["layers"]:
                x = block(layer, x, causal=True)
            return total + cross_entropy(x @ params["table"].T, labels), None

        parts = jax.tree.map(lambda a: a.reshape(-1, 4, a.shape[-1]).swapaxes(0, 1), batch)
        return lax.scan(jax.checkpoint(one), jnp.zeros(()), parts)[0] / 4

    return loss, params, (i32(32, 512), i32(32, 512)), optax.adamw(1e-3), ("BP", "BP+MP")


# ---- Others ----------------------------------------------------------------------------------------------------------


@step
def graph_attention():
    """Softmax over the edges of each node, four heads of 24."""
    nodes, edges, heads, head = 8000, 90_000, 4, 24
    width = heads * head
    layer = {"value": f32(width, heads, head), "score": f32(2, heads, head), "scale": f32(width)}
    params = {"in": f32(50, width), "layers": [layer] * 3, "out": f32(width, 7)}

    def loss(params, batch):
        x, senders, receivers, labels = (batch[n] for n in ("features", "senders", "receivers", "labels"))
        x = x @ params["in"]
        for w in params["layers"]:
            value = jnp.einsum("nd,dhk->nhk", x, w["value"])
            score = jax.nn.leaky_relu((value * w["score"][0]).sum(-1)[senders] + (value * w["score"][1]).sum(-1)[receivers])
            score = jnp.exp(score - jax.ops.segment_max(score, receivers, nodes)[receivers])
            total = jax.ops.segment_sum(score, receivers, nodes)
            sent = value[senders] * (score / (total[receivers] + 1e-9))[..., None]
            x = norm(x + jax.nn.elu(jax.ops.segment_sum(sent, receivers, nodes).reshape(nodes, width)), w["scale"])
        return cross_entropy(x @ params["out"], labels)

    batch = {"features": f32(nodes, 50), "senders": i32(edges), "receivers": i32(edges), "labels": i32(nodes)}
    return loss, params, batch, optax.adam(1e-3), ("BP",)


@step
def inverted_residuals():
    """Depthwise convolutions between wide ones, normalized over the batch."""
    shapes = [(32, 96, 24, 2), (24, 144, 24, 1), (24, 144, 40, 2), (40, 240, 80, 2), (80, 480, 112, 1)]
    params = {
        "stem": f32(3, 3, 3, 32),
        "blocks": [{"w": f32(1, 1, a, b), "depthwise": f32(3, 3, 1, b), "v": f32(1, 1, b, c), "scales": [f32(b), f32(b), f32(c)]} for a, b, c, _ in shapes],
        "head": f32(112, 1000),
    }

    def normalized(x, scale):
        x = x - x.mean((0, 1, 2))
        return x * lax.rsqrt(jnp.square(x).mean((0, 1, 2)) + 1e-3) * scale

    def loss(params, batch):
        images, labels = batch
        x = convolve(images, params["stem"], 2)
        for w, (a, b, c, stride) in zip(params["blocks"], shapes):
            y = jax.nn.relu6(normalized(convolve(x, w["w"]), w["scales"][0]))
            y = jax.nn.relu6(normalized(convolve(y, w["depthwise"], stride, b), w["scales"][1]))
            y = normalized(convolve(y, w["v"]), w["scales"][2])
            x = x + y if a == c and stride == 1 else y
        return cross_entropy(x.mean((1, 2)) @ params["head"], labels)

    return loss, params, (f32(64, 192, 192, 3), i32(64)), optax.sgd(0.1, momentum=0.9), ("BP", "BP+Z3")


@step
def state_space():
    """Diagonal recurrences by an associative scan, nothing recomputed."""
    width, states = 256, 8
    layer = {"in": f32(width, width), "decay": f32(width, states), "b": f32(width, states), "c": f32(width, states), "out": f32(width, width), "scale": f32(width)}
    params = {"table": f32(4000, width), "layers": [layer] * 3}

    def scanned(w, u):
        decay = jax.nn.sigmoid(u[..., None] * w["decay"])
        pair = lax.associative_scan(lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1]), (decay, u[..., None] * w["b"]), axis=1)
        return (pair[1] * w["c"]).sum(-1)

    def loss(params, batch):
        tokens, labels = batch
        x = params["table"][tokens]
        for w in params["layers"]:
            x = x + jax.nn.silu(scanned(w, norm(x, w["scale"]) @ w["in"])) @ w["out"]
        return cross_entropy(x @ params["table"].T, labels)

    return loss, params, (i32(16, 1024), i32(16, 1024)), optax.adamw(1e-3), ("BP", "BP+Z3")


@step
def mixer():
    """Products over tokens and over channels in turn."""
    tokens, width = 196, 512
    layer = {"up": f32(width, 2048), "bias": f32(2048), "down": f32(2048, width), "w": f32(tokens, 256), "v": f32(256, tokens), "scales": f32(2, width)}
    params = {"patch": f32(768, width), "layers": [layer] * 8, "head": f32(width, 1000)}

    def loss(params, batch):
        patches, labels = batch
        x = patches @ params["patch"]
        for w in params["layers"]:
            y = norm(x, w["scales"][0]).swapaxes(1, 2)
            x = x + (jax.nn.gelu(y @ w["w"]) @ w["v"]).swapaxes(1, 2)
            x = x + feed_forward(w, norm(x, w["scales"][1]))
        return cross_entropy(x.mean(1) @ params["head"], labels)

    return loss, params, (f32(128, tokens, 768), i32(128)), optax.lamb(1e-3), ALL[:2]


@step
def translation_loop():
    """Gated recurrences over 60 words of a source and of a target."""
    width = 700
    cell = {"w": f32(width, 3 * width), "u": f32(width, 3 * width)}
    params = {"tables": f32(2, 12000, width), "encoder": cell, "decoder": cell, "head": f32(width, 12000)}

    def run(w, h, xs):
        def turn(h, x):
            a, b = x @ w["w"], h @ w["u"]
            z, r = (jax.nn.sigmoid(a[:, i * width : (i + 1) * width] + b[:, i * width : (i + 1) * width]) for i in (0, 1))
            h = z * h + (1 - z) * jnp.tanh(a[:, 2 * width :] + r * b[:, 2 * width :])
            return h, h

        return lax.scan(turn, h, xs.swapaxes(0, 1))

    def loss(params, batch):
        source, target, labels = batch
        h, _ = run(params["encoder"], jnp.zeros((source.shape[0], width)), params["tables"][0][source])
        _, ys = run(params["decoder"], h, params["tables"][1][target])
        return cross_entropy(ys @ params["head"], labels.T)

    return loss, params, (i32(256, 60), i32(256, 60), i32(256, 60)), optax.adam(1e-3), ALL[:2]


@step
def denoiser():
    """Two resolutions with group norms, attention at the lower one."""
    width = 96

    def residual(a, b):
        return {"w": f32(3, 3, a, b), "v": f32(3, 3, b, b), "skip": f32(1, 1, a, b), "scales": [f32(a), f32(b)]}

    params = {
        "in": f32(3, 3, 3, width),
        "down": [residual(width, width), residual(width, 2 * width)],
        "middle": block_weights(2 * width, 4, 48, 768),
        "up": [residual(4 * width, width), residual(2 * width, width)],
        "out": f32(3, 3, width, 3),
    }

    def grouped(x, scale):
        y = x.reshape(*x.shape[:3], 8, -1)
        y = (y - y.mean((1, 2, 4), keepdims=True)) * lax.rsqrt(y.var((1, 2, 4), keepdims=True) + 1e-5)
        return jax.nn.silu(y.reshape(x.shape) * scale)

    def apply(w, x):
        y = convolve(grouped(x, w["scales"][0]), w["w"])
        return convolve(grouped(y, w["scales"][1]), w["v"]) + convolve(x, w["skip"])

    def loss(params, batch):
        images, noise = batch
        a = apply(params["down"][0], convolve(images, params["in"]))
        b = apply(params["down"][1], lax.reduce_window(a, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4)
        c = block(params["middle"], b.reshape(b.shape[0], -1, 2 * width)).reshape(b.shape)
        d = apply(params["up"][0], jnp.concatenate([b, c], -1))
        d = jnp.repeat(jnp.repeat(d, 2, 1), 2, 2)
        return jnp.mean(jnp.square(convolve(apply(params["up"][1], jnp.concatenate([a, d], -1)), params["out"]) - noise))

    return loss, params, (f32(32, 48, 48, 3), f32(32, 48, 48, 3)), optax.adam(1e-3), ALL[:2]
