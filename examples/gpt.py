"""A GPT in plain JAX: the schedule grows tactic by tactic, the model does not change.

    python examples/gpt.py
"""

import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
os.environ.setdefault("NPROC", "16")  # XLA's threads: two for each virtual device

import jax
import jax.numpy as jnp
import numpy as np

import partir

LAYERS, MODEL, HEADS, HIDDEN, VOCAB = 2, 64, 4, 256, 128
BATCH, LENGTH = 16, 32


def init(key):
    """Parameters and the state of the optimizer."""

    def normal(*shape):
        nonlocal key
        key, one = jax.random.split(key)
        return jax.random.normal(one, shape) / shape[0] ** 0.5

    layers = [
        {
            "qkv": {"kernel": normal(MODEL, HEADS, 3, MODEL // HEADS)},
            "out": {"kernel": normal(HEADS, MODEL // HEADS, MODEL)},
            "up": {"kernel": normal(MODEL, HIDDEN)},
            "down": {"kernel": normal(HIDDEN, MODEL)},
        }
        for _ in range(LAYERS)
    ]
    params = {"embedding": normal(VOCAB, MODEL), "layers": layers}
    return {"params": params, "momentum": jax.tree.map(jnp.zeros_like, params)}


def norm(x):
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6)


def layer(p, x):
    q, k, v = jnp.moveaxis(jnp.einsum("btd,dhck->bthck", norm(x), p["qkv"]["kernel"]), 3, 0)
    scores = jnp.einsum("bthk,bshk->bhts", q, k) / q.shape[-1] ** 0.5
    scores = jnp.where(jnp.tril(jnp.ones((LENGTH, LENGTH), bool)), scores, -1e9)
    x = x + jnp.einsum("bhts,bshk,hkd->btd", jax.nn.softmax(scores), v, p["out"]["kernel"])
    return x + jax.nn.gelu(norm(x) @ p["up"]["kernel"]) @ p["down"]["kernel"]


def loss(params, x, y):
    h = params["embedding"][x]
    for p in params["layers"]:
        h = layer(p, h)
    scores = jax.nn.log_softmax(norm(h) @ params["embedding"].T)
    return -jnp.mean(jnp.take_along_axis(scores, y[..., None], axis=-1))


def train_step(state, x, y):
    """One step of gradient descent with momentum."""
    value, grads = jax.value_and_grad(loss)(state["params"], x, y)
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, state["momentum"], grads)
    params = jax.tree.map(lambda p, m: p - 0.05 * m, state["params"], momentum)
    return {"params": params, "momentum": momentum}, value


mesh = {"batch": 4, "model": 2}

# Batch parallelism: the examples are split.
BP = partir.ManualPartition({"x": 0, "y": 0}, axis="batch", name="BP")
# Megatron: attention by heads, the feed-forward half by its hidden units.
MP = partir.ManualPartition({"state/params/layers/*/{qkv,up}/kernel": 1}, axis="model", name="MP")
# ZeRO-3: weights and optimizer state are stored in parts, and gathered where they are used.
Z3 = partir.ManualPartition({"state/**": partir.FIRST_DIVISIBLE_DIM}, axis="batch", name="Z3")


def main():
    tokens = np.random.default_rng(0).integers(0, VOCAB, (BATCH, LENGTH + 1))
    x, y = tokens[:, :-1], tokens[:, 1:]
    shapes = jax.eval_shape(init, jax.random.key(0))
    for schedule in ([BP], [BP, MP], [BP, MP, Z3]):
        step = partir.jit(train_step, mesh=mesh, schedule=schedule, donate_argnums=0, device="tpu_v5e")
        lowered = step.lower(shapes, x, y)  # from shapes: nothing is allocated yet
        print("+".join(tactic.name for tactic in schedule))
        print(lowered.report)

        # The state is made where the step wants it, and each step leaves it there for the next.
        state = jax.jit(init, out_shardings=lowered.in_shardings[0])(jax.random.key(0))
        losses = []
        for _ in range(3):
            state, value = step(state, x, y)
            losses.append(float(value))
        print("loss", *(f"{value:.4f}" for value in losses), "\n")


if __name__ == "__main__":
    main()
