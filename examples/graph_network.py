"""A graph network with edge sharding (ES): edges are split over the devices, nodes stay whole.

Each message-passing round sums the messages of all edges at their nodes: that sum is the one collective of a round.

    python examples/graph_network.py
"""

import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
os.environ.setdefault("NPROC", "16")

import jax
import jax.numpy as jnp
import numpy as np

import partir

NODES, EDGES, FEATURES, ROUNDS = 40, 128, 16, 3


def init(key):
    keys = iter(jax.random.split(key, 2 * ROUNDS))

    def normal(*shape):
        return jax.random.normal(next(keys), shape) / shape[0] ** 0.5

    return [{"edge": normal(3 * FEATURES, FEATURES), "node": normal(2 * FEATURES, FEATURES)} for _ in range(ROUNDS)]


def predict(params, nodes, edges, senders, receivers):
    for p in params:
        edges = jnp.tanh(jnp.concatenate([edges, nodes[senders], nodes[receivers]], axis=-1) @ p["edge"])
        received = jax.ops.segment_sum(edges, receivers, num_segments=NODES)
        nodes = nodes + jnp.tanh(jnp.concatenate([nodes, received], axis=-1) @ p["node"])
    return nodes


def train_step(params, graph, target):
    def loss(params):
        return jnp.mean((predict(params, **graph) - target) ** 2)

    value, grads = jax.value_and_grad(loss)(params)
    return jax.tree.map(lambda p, g: p - 0.05 * g, params, grads), value


mesh = {"edges": 8}
ES = partir.ManualPartition({"graph/{edges,senders,receivers}": 0}, axis="edges", name="ES")
step = partir.jit(train_step, mesh=mesh, schedule=[ES], donate_argnums=0)


def main():
    random = np.random.default_rng(0)
    graph = {
        "nodes": random.normal(size=(NODES, FEATURES)).astype(np.float32),
        "edges": random.normal(size=(EDGES, FEATURES)).astype(np.float32),
        "senders": random.integers(0, NODES, EDGES),
        "receivers": random.integers(0, NODES, EDGES),
    }
    target = np.tanh(graph["nodes"])
    params = init(jax.random.key(0))
    for i in range(5):
        params, value = step(params, graph, target)
        print(f"step {i}  loss {float(value):.4f}")
    print(step.report)


if __name__ == "__main__":
    main()
