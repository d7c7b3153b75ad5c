"""Serving a transformer (IT32): a prompt is read in one pass, then tokens are decoded in a loop with a KV cache.

    serve(params, cache, x) -> tokens [batch, steps], cache          cache/3/k   cache/3/v

One pass over the prompt gives the first token, and each of the other steps - 1 tokens is one turn of the loop.
With `multi_query` all heads share one key and one value, so a cache is [batch, length, d_head].

Values inside the program are named through a hook `tag(value, name)`: q, kv and mixed (the output of attention
before wo) of each layer, as in `decode/3/q` and `prefill/3/kv`. MQ makes `decode/**` and `prefill/*/kv` atomic on the
model axis and tiles the cache by batch there: attention splits by batch while the projections around it split by heads,
at two all_to_alls a layer in each turn of the loop; the prompt's own attention stays split by heads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import jax
import jax.numpy as jnp

from bench.models import annotate, transformer
from bench.models.training import Tree, array

Tag = Callable[[jax.Array, str], jax.Array]


@dataclass(frozen=True)
class Config:
    """Sizes; the defaults are IT32."""

    layers: int = 32
    d_model: int = 4096
    heads: int = 32
    d_head: int = 128
    d_ff: int = 10240
    vocab: int = 32768
    batch: int = 64
    prompt: int = 512
    steps: int = 1536
    multi_query: bool = True

    @property
    def length(self) -> int:
        """Positions of the cache; the last token is returned and never read."""
        return self.prompt + self.steps - 1


IT32 = Config()
SMALL = Config(
    layers=2, d_model=16, heads=4, d_head=4, d_ff=48, vocab=40, batch=16, prompt=5, steps=8
)


def named(x: jax.Array, name: str) -> jax.Array:
    """The default tag: partir's, which to plain JAX is nothing."""
    import partir

    return partir.tag(x, name)


def params(c: Config) -> Tree:
    """Abstract parameters: the training transformer's, with q and kv apart."""
    kv_heads = () if c.multi_query else (c.heads,)
    layer = {
        "norm1": {"scale": array(c.d_model)},
        "q": {"kernel": array(c.d_model, c.heads, c.d_head)},
        "kv": {"kernel": array(c.d_model, *kv_heads, 2, c.d_head)},
        "wo": {"kernel": array(c.heads, c.d_head, c.d_model), "bias": array(c.d_model)},
        "norm2": {"scale": array(c.d_model)},
        "up": {"kernel": array(c.d_model, c.d_ff)},
        "down": {"kernel": array(c.d_ff, c.d_model), "bias": array(c.d_model)},
        "norm3": {"scale": array(c.d_model)},
    }
    return {"embedding": {"kernel": array(c.vocab, c.d_model)}, "layers": [layer] * c.layers}


def args(c: Config) -> tuple[Tree, ...]:
    """Abstract arguments of `serve`: params, cache, x (the prompts)."""
    kv = array(c.batch, c.length, *(() if c.multi_query else (c.heads,)), c.d_head)
    return params(c), [{"k": kv, "v": kv}] * c.layers, array(c.batch, c.prompt, dtype=jnp.int32)


def attention(
    c: Config, p: Tree, cache: Tree, h: jax.Array, start: jax.Array | int, tag: Tag, name: str
) -> tuple[jax.Array, Tree]:
    """Attention of the new positions `h` [batch, new, d_model], which begin at `start`.

    The prompt attends to itself alone, so it never reads the cache that it fills. A decoded token reads all of it.
    """
    heads = "" if c.multi_query else "h"
    q = tag(jnp.einsum("bsd,dhk->bshk", h, p["q"]["kernel"]), f"{name}/q")
    kv = tag(jnp.einsum(f"bsd,d{heads}ck->bs{heads}ck", h, p["kv"]["kernel"]), f"{name}/kv")
    k, v = kv[..., 0, :], kv[..., 1, :]
    update = jax.lax.dynamic_update_slice_in_dim
    cache = {"k": update(cache["k"], k, start, axis=1), "v": update(cache["v"], v, start, axis=1)}
    if q.shape[1] == 1:
        k, v = cache["k"], cache["v"]

    scores = annotate.at(jnp.einsum(f"bshk,bt{heads}k->bhst", q, k), "scores") / c.d_head**0.5
    visible = jnp.arange(k.shape[1]) <= start + jnp.arange(q.shape[1])[:, None]
    weights = jax.nn.softmax(jnp.where(visible, scores, -1e9), axis=-1)
    mixed = tag(jnp.einsum(f"bhst,bt{heads}k->bshk", weights, v), f"{name}/mixed")
    return jnp.einsum("bshk,hkd->bsd", mixed, p["wo"]["kernel"]) + p["wo"]["bias"], cache


def forward(
    c: Config, p: Tree, cache: Tree, x: jax.Array, start: jax.Array | int, tag: Tag, phase: str
) -> tuple[jax.Array, Tree]:
    """The most likely token after `x` [batch, new], and the cache with the new positions in it."""
    norm = transformer.rms_norm
    h = p["embedding"]["kernel"][x]
    filled = []
    for i, (q, kv) in enumerate(zip(p["layers"], cache)):
        a, kv = attention(c, q, kv, norm(h, q["norm1"]["scale"]), start, tag, f"{phase}/{i}")
        h = annotate.at(h + a, "hidden")
        h = annotate.at(h + norm(transformer.mlp(q, norm(h, q["norm2"]["scale"])), q["norm3"]["scale"]), "hidden")
        filled.append(kv)
    scores = jnp.einsum("bd,vd->bv", h[:, -1], p["embedding"]["kernel"])
    return jnp.argmax(scores, axis=-1).astype(jnp.int32), filled


def make_serve(c: Config, tag: Tag = named):
    """The serving loop of configuration `c`: (params, cache, x) -> (tokens, cache)."""

    def serve(params: Tree, cache: Tree, x: jax.Array):
        token, cache = forward(c, params, cache, x, 0, tag, "prefill")
        tokens = jnp.zeros((c.batch, c.steps), jnp.int32)
        tokens = tokens.at[:, 0].set(token)

        def decode(i: jax.Array, carry: Tree) -> Tree:
            tokens, token, cache = carry
            token, cache = forward(c, params, cache, token[:, None], c.prompt + i, tag, "decode")
            tokens = jax.lax.dynamic_update_slice_in_dim(tokens, token[:, None], i + 1, axis=1)
            return tokens, token, cache

        tokens, _, cache = jax.lax.fori_loop(0, c.steps - 1, decode, (tokens, token, cache))
        return tokens, cache

    return serve
