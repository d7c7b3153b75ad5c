"""A checkpoint of partitioned state with Orbax: saved in parts, and restored straight to where a step wants it.

The second step has another schedule, so that the state is read back in another partitioning than it was written in.

    python examples/checkpoint.py
"""

import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
os.environ.setdefault("NPROC", "16")

import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp

import partir


def init(key):
    first, second = jax.random.split(key)
    return {"w1": jax.random.normal(first, (32, 128)) / 6, "w2": jax.random.normal(second, (128, 32)) / 11}


def train_step(params, x, y):
    def loss(params):
        return jnp.mean((jax.nn.relu(x @ params["w1"]) @ params["w2"] - y) ** 2)

    value, grads = jax.value_and_grad(loss)(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), value


mesh = {"batch": 4, "model": 2}
BP = partir.ManualPartition({"x": 0, "y": 0}, axis="batch", name="BP")
MP = partir.ManualPartition({"params/w1": 1}, axis="model", name="MP")
Z3 = partir.ManualPartition({"params/*": partir.FIRST_DIVISIBLE_DIM}, axis="batch", name="Z3")


def main():
    x = np.random.default_rng(0).normal(size=(64, 32)).astype(np.float32)
    y = np.tanh(x)
    shapes = jax.eval_shape(init, jax.random.key(0))

    step = partir.jit(train_step, mesh=mesh, schedule=[BP, MP, Z3], donate_argnums=0)
    params = jax.jit(init, out_shardings=step.lower(shapes, x, y).in_shardings[0])(jax.random.key(0))
    for _ in range(3):
        params, value = step(params, x, y)

    with tempfile.TemporaryDirectory() as folder, ocp.StandardCheckpointer() as checkpointer:
        checkpointer.save(Path(folder) / "state", params)
        checkpointer.wait_until_finished()
        again = partir.jit(train_step, mesh=mesh, schedule=[BP, MP], donate_argnums=0)
        where = again.lower(shapes, x, y).in_shardings[0]
        target = jax.tree.map(lambda s, w: jax.ShapeDtypeStruct(s.shape, s.dtype, sharding=w), shapes, where)
        restored = checkpointer.restore(Path(folder) / "state", target)
    for name in params:
        print(name, params[name].sharding.spec, "->", restored[name].sharding.spec)
        np.testing.assert_array_equal(params[name], restored[name])

    one, other = step(params, x, y)[1], again(restored, x, y)[1]
    np.testing.assert_allclose(one, other, rtol=1e-5)
    print(f"loss goes on from {float(value):.4f} to {float(one):.4f} either way")


if __name__ == "__main__":
    main()
