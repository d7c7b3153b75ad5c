"""Decoders as two publications have them, with flash attention as a kernel: MaxText's default block, and PaLM's.

They are traced and simulated at the size of the runs, and never run: the kernels are calls that say what they cost, and have no code here.
SwiGLU, rotary positions, no biases, layers stacked in one lax.scan; products in bfloat16, parameters and optimizer in float32.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import partir
from jax import ad_checkpoint

from bench.models import training
from bench.models.llama import rotary
from bench.models.training import Tree, array
from bench.models.transformer import cross_entropy, rms_norm

BLOCK = 512  # of queries and of keys: MaxText's sa_block_q, sa_block_kv and those of the backward kernels


@dataclass(frozen=True)
class Config:
    """Sizes and variants; the defaults are MaxText's at a parameter scale of 16."""

    layers: int = 32
    d_model: int = 4096
    heads: int = 64
    d_head: int = 128
    d_ff: int = 28672
    vocab: int = 32000
    batch: int = 1536
    sequence: int = 2048
    remat: str = "full"  # or "minimal": what products without batch dimensions give is kept
    palm: bool = False  # attention and feed-forward side by side, one key and value head, scores in memory, one embedding for both ends
    clip_norm: float | None = 1.0

    def parameters(self) -> float:
        """How many there are, without norms."""
        kv = 1 if self.palm else self.heads
        layer = self.d_model * (2 * self.d_head * (self.heads + kv) + 3 * self.d_ff)
        return self.layers * layer + (1 if self.palm else 2) * self.vocab * self.d_model

    def published_flops(self) -> float:
        """Of a step, as both publications count: 6 for each parameter of a product and token, 12 for each layer, head, size of a head and pair of tokens.

        The embedding is counted once; half of the pairs are masked, and count.
        """
        products = self.parameters() - (0 if self.palm else self.vocab * self.d_model)
        pairs = 12 * self.layers * self.heads * self.d_head * self.sequence
        return self.batch * self.sequence * (6 * products + pairs)


def params(c: Config) -> Tree:
    """Abstract parameters."""

    def tensor(*shape: int) -> dict[str, jax.ShapeDtypeStruct]:
        return {"kernel": array(c.layers, *shape)}

    kv = () if c.palm else (c.heads,)
    layer = {
        "norm1": {"scale": array(c.layers, c.d_model)},
        "q": tensor(c.d_model, c.heads, c.d_head),
        "k": tensor(c.d_model, *kv, c.d_head),
        "v": tensor(c.d_model, *kv, c.d_head),
        "o": tensor(c.heads, c.d_head, c.d_model),
        "gate": tensor(c.d_model, c.d_ff),
        "up": tensor(c.d_model, c.d_ff),
        "down": tensor(c.d_ff, c.d_model),
    }
    ends = {"embedding": {"kernel": array(c.vocab, c.d_model)}, "norm": {"scale": array(c.d_model)}}
    if not c.palm:
        layer["norm2"] = {"scale": array(c.layers, c.d_model)}
        ends["head"] = {"kernel": array(c.d_model, c.vocab)}
    return {**ends, "layers": layer}


def args(c: Config) -> tuple[Tree, ...]:
    """Abstract arguments of `step`: params, opt, x (tokens), y (the tokens that follow)."""
    p = params(c)
    tokens = array(c.batch, c.sequence, dtype=jnp.int32)
    return p, training.adam_shapes(p), tokens, tokens


# ---- Flash attention ------------------------------------------------------------------------------------------------


def _kernel(name: str, products: int, streamed: int, out: Any, *args: jax.Array) -> Any:
    """A kernel of causal attention over [batch, heads, sequence, size]: `products` for each block of scores that is not masked whole.

    Every tensor goes through memory once; `streamed` ones are read again for each block of the other side.
    """
    batch, heads, length, size = args[0].shape
    n = -(-length // BLOCK)
    scores = batch * heads * BLOCK * BLOCK * n * (n + 1) // 2
    once = sum(a.size * a.dtype.itemsize for a in (*args, *jax.tree.leaves(out)))
    again = streamed * batch * heads * size * 2 * BLOCK * (n * (n + 1) // 2 - n)
    call = jax.ffi.ffi_call(name, out)
    return call(*args, flops=2 * products * size * scores, transcendentals=scores, bytes_accessed=once + again)


@jax.custom_vjp
def flash(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
    """Causal attention of each head, [batch, heads, sequence, size]."""
    return _flash_forward(q, k, v)[0]


def _flash_forward(q: jax.Array, k: jax.Array, v: jax.Array) -> tuple[jax.Array, Any]:
    out, sums = _kernel("flash_forward", 2, 2, (q, array(*q.shape[:3])), q, k, v)
    return out, (q, k, v, out, sums)


def _flash_backward(kept: Any, d_out: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Two kernels, each of which has the scores again: one for the queries' gradients, one for those of keys and values."""
    q, k, v, out, sums = kept
    shift = jnp.sum(out.astype(jnp.float32) * d_out.astype(jnp.float32), axis=-1)
    (d_q,) = _kernel("flash_queries", 3, 2, (q,), q, k, v, d_out, sums, shift)
    d_k, d_v = _kernel("flash_keys", 4, 2, (k, v), q, k, v, d_out, sums, shift)
    return d_q, d_k, d_v


flash.defvjp(_flash_forward, _flash_backward)

RULES = (
    'rule "flash_forward" : (b h s d, b h t d, b h t d) -> (b h s d, b h s) whole(s, t, d)',
    'rule "flash_queries" : (b h s d, b h t d, b h t d, b h s d, b h s, b h s) -> (b h s d) whole(s, t, d)',
    'rule "flash_keys" : (b h s d, b h t d, b h t d, b h s d, b h s, b h s) -> (b h t d, b h t d) whole(s, t, d)',
)


# ---- The step -------------------------------------------------------------------------------------------------------


def attention(c: Config, p: Tree, x: jax.Array) -> jax.Array:
    """Causal attention of x, [batch, sequence, d_model]."""
    q = rotary(jnp.einsum("bsd,dhk->bshk", x, p["q"]["kernel"])).astype(x.dtype)
    if not c.palm:
        k, v = (jnp.einsum("bsd,dhk->bshk", x, p[name]["kernel"]) for name in "kv")
        mixed = flash(*(a.swapaxes(1, 2) for a in (q, rotary(k).astype(x.dtype), v))).swapaxes(1, 2)
        return jnp.einsum("bshk,hkd->bsd", mixed, p["o"]["kernel"])
    k, v = (x @ p[name]["kernel"] for name in "kv")
    k = rotary(k[:, :, None])[:, :, 0].astype(x.dtype)
    scores = jnp.einsum("bshk,btk->bhst", q, k) / c.d_head**0.5
    causal = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    weights = jax.nn.softmax(jnp.where(causal, scores, -1e9), axis=-1)
    return jnp.einsum("bshk,hkd->bsd", jnp.einsum("bhst,btk->bshk", weights, v), p["o"]["kernel"])


def feed_forward(p: Tree, x: jax.Array) -> jax.Array:
    """SwiGLU."""
    return (jax.nn.silu(x @ p["gate"]["kernel"]) * (x @ p["up"]["kernel"])) @ p["down"]["kernel"]


def layer(c: Config, p: Tree, x: jax.Array) -> jax.Array:
    """One layer, computed in the type of `x`."""
    p = jax.tree.map(lambda a: a.astype(x.dtype), p)
    h = rms_norm(x, p["norm1"]["scale"])
    if c.palm:
        return partir.tag(x + (attention(c, p, h) + feed_forward(p, h)), "hidden")
    x = partir.tag(x + attention(c, p, h), "hidden")
    return partir.tag(x + feed_forward(p, rms_norm(x, p["norm2"]["scale"])), "hidden")


def make_step(c: Config):
    """The training step: (params, opt, x, y) -> (params, opt, loss)."""
    policies = {"full": None, "minimal": ad_checkpoint.checkpoint_policies.checkpoint_dots_with_no_batch_dims}
    apply = jax.checkpoint(lambda p, x: layer(c, p, x), policy=policies[c.remat])

    def loss(p: Tree, x: jax.Array, y: jax.Array) -> jax.Array:
        table = p["embedding"]["kernel"].astype(jnp.bfloat16)
        h = table[x] if c.palm else jax.nn.one_hot(x, c.vocab, dtype=table.dtype) @ table  # use_iota_embed
        h, _ = jax.lax.scan(lambda h, q: (apply(q, h), None), partir.tag(h, "hidden"), p["layers"])
        h = rms_norm(h, p["norm"]["scale"].astype(h.dtype))
        scores = h @ (table.T if c.palm else p["head"]["kernel"].astype(h.dtype))
        return cross_entropy(scores.astype(jnp.float32), y)

    def step(params: Tree, opt: Tree, x: jax.Array, y: jax.Array):
        return training.step(loss, params, opt, (x, y), clip_norm=c.clip_norm)

    return step
