"""Mixed precision, microbatches and remat: bfloat16 inside, float32 state, gradients summed once a step.

    python examples/mixed_precision.py
"""

import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
os.environ.setdefault("NPROC", "16")

import jax
import jax.numpy as jnp
import numpy as np

import partir

LAYERS, WIDTH, HIDDEN, BATCH, MICROBATCHES = 4, 64, 256, 32, 2


def init(key):
    up, down = jax.random.split(key)
    return {
        "up": jax.random.normal(up, (LAYERS, WIDTH, HIDDEN)) / WIDTH**0.5,
        "down": jax.random.normal(down, (LAYERS, HIDDEN, WIDTH)) / HIDDEN**0.5,
    }


@jax.checkpoint  # what is inside is computed again in the backward pass
def layer(x, p):
    p = jax.tree.map(lambda w: w.astype(jnp.bfloat16), p)
    return x + jax.nn.relu(x @ p["up"]) @ p["down"], None


def loss(params, x, y):
    h, _ = jax.lax.scan(layer, x.astype(jnp.bfloat16), params)
    return jnp.mean((h.astype(jnp.float32) - y) ** 2)


def train_step(params, x, y):
    """Gradients of each microbatch are added up in float32; then one step of gradient descent."""

    def split(a):  # microbatch i has every second example from i on, so that none has to move between devices
        return a.reshape(BATCH // MICROBATCHES, MICROBATCHES, WIDTH).swapaxes(0, 1)

    def add(total, microbatch):
        return jax.tree.map(jnp.add, total, jax.value_and_grad(loss)(params, *microbatch)), None

    zero = jnp.zeros(()), jax.tree.map(jnp.zeros_like, params)
    (value, grads), _ = jax.lax.scan(add, zero, (split(x), split(y)))
    params = jax.tree.map(lambda p, g: p - 0.1 / MICROBATCHES * g, params, grads)
    return params, value / MICROBATCHES


mesh = {"batch": 4, "model": 2}
BP = partir.ManualPartition({"x": 0, "y": 0}, axis="batch", name="BP")
MP = partir.ManualPartition({"params/up": 2}, axis="model", name="MP")
Z3 = partir.ManualPartition({"params/*": 1}, axis="batch", name="Z3")
step = partir.jit(train_step, mesh=mesh, schedule=[BP, MP, Z3], donate_argnums=0)


def main():
    random = np.random.default_rng(0)
    x = random.normal(size=(BATCH, WIDTH)).astype(np.float32)
    y = np.tanh(x[:, ::-1])
    params = init(jax.random.key(0))
    for i in range(5):
        params, value = step(params, x, y)
        print(f"step {i}  loss {float(value):.4f}")
    print(step.report)


if __name__ == "__main__":
    main()
