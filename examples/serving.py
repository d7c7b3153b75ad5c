"""Serving with multi-query attention (MQ): the cache is split by batch, the projections by heads.

Heads share one key and one value, so that a cache cannot be split by heads. MQ splits attention by batch instead, on the
axis that splits everything around it by heads: in each decoded token two all_to_alls a layer change between the two.
The values where they change are named in the model by `partir.tag`.

    python examples/serving.py
"""

import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
os.environ.setdefault("NPROC", "16")

import jax
import jax.numpy as jnp
import numpy as np

import partir

LAYERS, MODEL, HEADS, HEAD, HIDDEN, VOCAB = 2, 32, 4, 8, 128, 64
BATCH, LENGTH = 16, 24


def init(key):
    keys = iter(jax.random.split(key, 5 * LAYERS + 1))

    def normal(*shape):
        return jax.random.normal(next(keys), shape) / shape[0] ** 0.5

    layers = [
        {
            "q": normal(MODEL, HEADS, HEAD),
            "kv": normal(MODEL, 2, HEAD),
            "out": normal(HEADS, HEAD, MODEL),
            "up": normal(MODEL, HIDDEN),
            "down": normal(HIDDEN, MODEL),
        }
        for _ in range(LAYERS)
    ]
    return {"embedding": normal(VOCAB, MODEL), "layers": layers}


def norm(x):
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6)


def attention(p, cache, x, position, name):
    q = partir.tag(jnp.einsum("bd,dhk->bhk", x, p["q"]), f"{name}/q")
    kv = partir.tag(jnp.einsum("bd,dck->bck", x, p["kv"]), f"{name}/kv")
    cache = jax.lax.dynamic_update_slice_in_dim(cache, kv[:, None], position, axis=1)
    scores = jnp.einsum("bhk,btk->bht", q, cache[:, :, 0]) / HEAD**0.5
    weights = jax.nn.softmax(jnp.where(jnp.arange(LENGTH) <= position, scores, -1e9))
    mixed = partir.tag(jnp.einsum("bht,btk->bhk", weights, cache[:, :, 1]), f"{name}/mixed")
    return jnp.einsum("bhk,hkd->bd", mixed, p["out"]), cache


def decode(params, caches, token, position):
    """The most likely next tokens, and the caches with this position in them."""
    x = params["embedding"][token]
    filled = []
    for i, (p, cache) in enumerate(zip(params["layers"], caches)):
        mixed, cache = attention(p, cache, norm(x), position, f"attention/{i}")
        x = x + mixed
        x = x + jax.nn.gelu(norm(x) @ p["up"]) @ p["down"]
        filled.append(cache)
    return jnp.argmax(norm(x) @ params["embedding"].T, axis=-1), filled


mesh = {"batch": 4, "model": 2}
BP = partir.ManualPartition({"token": 0, "caches/*": 0}, axis="batch", name="BP")
MP = partir.ManualPartition({"params/layers/*/{q,up}": 1, "params/layers/*/out": 0}, axis="model", name="MP")
MQ = partir.ManualPartition({"attention/**": partir.REPLICATED, "caches/*": 0}, axis="model", name="MQ")

step = partir.jit(decode, mesh=mesh, schedule=[BP, MQ, MP], donate_argnums=1)


def main():
    shape = jax.ShapeDtypeStruct
    caches = [shape((BATCH, LENGTH, 2, HEAD), jnp.float32)] * LAYERS
    params = jax.eval_shape(init, jax.random.key(0))
    lowered = step.lower(params, caches, shape((BATCH,), jnp.int32), shape((), jnp.int32))
    print(lowered.report)

    params = jax.jit(init, out_shardings=lowered.in_shardings[0])(jax.random.key(0))
    caches = jax.tree.map(lambda s, where: jnp.zeros(s.shape, s.dtype, device=where), caches, lowered.in_shardings[1])
    token = np.arange(BATCH, dtype=np.int32)
    produced = []
    for position in range(LENGTH):
        token, caches = step(params, caches, token, np.int32(position))
        produced.append(np.asarray(token))
    print("tokens of the first request:", *np.stack(produced)[:, 0])


if __name__ == "__main__":
    main()
