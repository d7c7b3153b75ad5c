"""A Flax model: its parameters are a pytree like any other, so a schedule names them by their paths.

    python examples/flax_model.py
"""

import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
os.environ.setdefault("NPROC", "16")

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.training.train_state import TrainState

import partir


class Classifier(nn.Module):
    """Two hidden layers and a head."""

    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(128, name="up")(x))
        x = nn.relu(nn.Dense(64, name="down")(x))
        return nn.Dense(16, name="head")(nn.LayerNorm(name="norm")(x))


def create_state(key):
    model = Classifier()
    params = model.init(key, jnp.ones((1, 32)))["params"]
    return TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-2))


def train_step(state, images, labels):
    def loss(params):
        scores = state.apply_fn({"params": params}, images)
        return optax.softmax_cross_entropy_with_integer_labels(scores, labels).mean()

    value, grads = jax.value_and_grad(loss)(state.params)
    return state.apply_gradients(grads=grads), value


def z2(path, leaf):
    """ZeRO-2 as a function: the optimizer's state is split where it can be, and the weights stay whole."""
    return partir.FIRST_DIVISIBLE_DIM if leaf.ndim > 0 else partir.UNKNOWN


mesh = {"batch": 4, "model": 2}
BP = partir.ManualPartition({"images": 0, "labels": 0}, axis="batch", name="BP")
MP = partir.ManualPartition({"state/params/up/kernel": 1}, axis="model", name="MP")
Z2 = partir.ManualPartition(
    {"state/params/**": partir.REPLICATED, "state/opt_state/**": z2}, axis="batch", name="Z2"
)


@partir.jit(mesh=mesh, schedule=[BP, MP, Z2], donate_argnums=0)
def step(state, images, labels):
    return train_step(state, images, labels)


def main():
    random = np.random.default_rng(0)
    images = random.normal(size=(64, 32)).astype(np.float32)
    labels = random.integers(0, 16, 64)
    lowered = step.lower(jax.eval_shape(create_state, jax.random.key(0)), images, labels)
    print(lowered.report)
    state = jax.jit(create_state, out_shardings=lowered.in_shardings[0])(jax.random.key(0))
    for i in range(5):
        state, value = step(state, images, labels)
        print(f"step {i}  loss {float(value):.4f}")


if __name__ == "__main__":
    main()
