"""A transformer whose feed-forward layers are mixtures of experts, and its training step.

Each token goes to its two best experts. By default an expert takes up to a fixed number of tokens and the rest skip the layer: routing is
a dispatch mask [tokens, experts, capacity], so all shapes are static. `ragged` sorts the tokens by expert instead and drops none: the
experts are one ragged product. Tiling `params/layers/*/experts/**` on dimension 0 is expert parallelism; on the batch's axis, with `tokens : replicated`
before, an all_to_all takes the tokens to their experts and back.
"""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from bench.models import annotate, training
from bench.models.training import Tree, array
from bench.models.serving import named
from bench.models.transformer import attention, cross_entropy, rms_norm


@dataclass(frozen=True)
class Config:
    """Sizes."""

    layers: int = 8
    d_model: int = 1024
    heads: int = 16
    d_head: int = 64
    d_ff: int = 4096
    experts: int = 16
    vocab: int = 32768
    batch: int = 16
    sequence: int = 512
    capacity_factor: float = 1.25
    ragged: bool = False

    @property
    def capacity(self) -> int:
        """Tokens of one sequence that one expert takes."""
        return int(2 * self.sequence * self.capacity_factor / self.experts)


FULL = Config()
SMALL = Config(
    layers=2, d_model=16, heads=4, d_head=4, d_ff=32, experts=4, vocab=40, batch=8, sequence=16
)


def params(c: Config) -> Tree:
    """Abstract parameters."""
    layer = {
        "norm1": {"scale": array(c.d_model)},
        "qkv": {"kernel": array(c.d_model, c.heads, 3, c.d_head)},
        "wo": {"kernel": array(c.heads, c.d_head, c.d_model), "bias": array(c.d_model)},
        "norm2": {"scale": array(c.d_model)},
        "router": {"kernel": array(c.d_model, c.experts)},
        "experts": {
            "up": {"kernel": array(c.experts, c.d_model, c.d_ff)},
            "down": {"kernel": array(c.experts, c.d_ff, c.d_model)},
        },
    }
    return {"embedding": {"kernel": array(c.vocab, c.d_model)}, "layers": [layer] * c.layers}


def args(c: Config) -> tuple[Tree, ...]:
    """Abstract arguments of `step`: params, opt, x (tokens), y (the tokens that follow)."""
    p = params(c)
    tokens = array(c.batch, c.sequence, dtype=jnp.int32)
    return p, training.adam_shapes(p), tokens, tokens


def route(c: Config, gates: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Which token takes which place of which expert, [batch, sequence, experts, capacity], and with what weight.

    Places are given first to all first choices, then to all second choices, in the order of the sequence.
    """
    weight, choice = jax.lax.top_k(gates, 2)
    weight = weight / weight.sum(axis=-1, keepdims=True)
    chosen = jax.nn.one_hot(choice, c.experts).swapaxes(1, 2)  # [batch, 2, sequence, experts]
    in_order = chosen.reshape(chosen.shape[0], -1, c.experts)
    place = (jnp.cumsum(in_order, axis=1) - in_order).reshape(chosen.shape)
    place = jax.nn.one_hot(place.astype(jnp.int32), c.capacity) * chosen[..., None]
    return place.sum(axis=1), jnp.einsum("bsn,bnsec->bsec", weight, place)


def sent(x: jax.Array) -> jax.Array:
    """Tokens on their way to the experts or back: `tokens` to a schedule, `experts` to the annotations of peers."""
    return named(annotate.at(x, "experts"), "tokens")


def mixture(c: Config, p: Tree, x: jax.Array) -> jax.Array:
    """The feed-forward layer: dispatch, the experts, combine."""
    gates = jax.nn.softmax(x @ p["router"]["kernel"], axis=-1)
    dispatch, combine = route(c, gates)
    inputs = sent(jnp.einsum("bsec,bsd->becd", dispatch, x))
    hidden = jax.nn.gelu(jnp.einsum("becd,edf->becf", inputs, p["experts"]["up"]["kernel"]))
    outputs = sent(jnp.einsum("becf,efd->becd", hidden, p["experts"]["down"]["kernel"]))
    return jnp.einsum("bsec,becd->bsd", combine, outputs)


def ragged_mixture(c: Config, p: Tree, x: jax.Array) -> jax.Array:
    """The feed-forward layer without a limit: tokens sorted by expert, two ragged products, sorted back."""
    flat = x.reshape(-1, c.d_model)
    weight, choice = jax.lax.top_k(jax.nn.softmax(flat @ p["router"]["kernel"], axis=-1), 2)
    weight = weight / weight.sum(axis=-1, keepdims=True)
    order = jnp.argsort(choice.reshape(-1))
    sizes = jnp.bincount(choice.reshape(-1), length=c.experts).astype(jnp.int32)
    hidden = jax.nn.gelu(jax.lax.ragged_dot(flat[order // 2], p["experts"]["up"]["kernel"], sizes))
    outputs = jax.lax.ragged_dot(hidden, p["experts"]["down"]["kernel"], sizes)
    back = outputs[jnp.argsort(order)].reshape(*choice.shape, c.d_model)
    return jnp.einsum("tn,tnd->td", weight, back).reshape(x.shape)


def make_step(c: Config):
    """The training step: (params, opt, x, y) -> (params, opt, loss)."""

    def loss(p: Tree, x: jax.Array, y: jax.Array) -> jax.Array:
        h = annotate.at(p["embedding"]["kernel"][x], "hidden")
        for q in p["layers"]:
            h = annotate.at(h + attention(q, rms_norm(h, q["norm1"]["scale"])), "hidden")
            h = annotate.at(h + (ragged_mixture if c.ragged else mixture)(c, q, rms_norm(h, q["norm2"]["scale"])), "hidden")
        return cross_entropy(jnp.einsum("bsd,vd->bsv", h, p["embedding"]["kernel"]), y)

    def step(params: Tree, opt: Tree, x: jax.Array, y: jax.Array):
        return training.step(loss, params, opt, (x, y))

    return step
