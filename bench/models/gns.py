"""A graph network simulator (GNS): encode nodes and edges, pass messages, decode, one training step.

Each message-passing step updates every edge from its two nodes (gathers), then every node from the sum of the
messages that it receives (a segment sum). ES splits `edges`, `senders` and `receivers`; the nodes stay whole.
"""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from bench.models import annotate, training
from bench.models.training import Tree, array
from bench.models.transformer import rms_norm


@dataclass(frozen=True)
class Config:
    """Sizes; the defaults are the GNS of the evaluation."""

    message_steps: int = 24
    hidden_layers: int = 4
    width: int = 1024
    latent: int = 512
    nodes: int = 2048
    edges: int = 65536
    node_features: int = 128
    edge_features: int = 4
    outputs: int = 3


FULL = Config()
SMALL = Config(
    message_steps=2, hidden_layers=1, width=16, latent=8, nodes=12, edges=32, node_features=6
)


def mlp_params(c: Config, inputs: int, outputs: int, norm_output: bool = True) -> Tree:
    """Abstract parameters of one MLP, three tensors a layer: kernel, bias and the scale of an RMS norm."""
    widths = (inputs, *[c.width] * c.hidden_layers, outputs)
    layers = [
        {"kernel": array(i, o), "bias": array(o), "scale": array(o)}
        for i, o in zip(widths, widths[1:])
    ]
    if not norm_output:
        del layers[-1]["scale"]
    return layers


def params(c: Config) -> Tree:
    """Abstract parameters of encoder, message-passing steps and decoder."""
    step = {
        "edge": mlp_params(c, 3 * c.latent, c.latent),
        "node": mlp_params(c, 2 * c.latent, c.latent),
    }
    return {
        "encoder": {
            "edge": mlp_params(c, c.edge_features, c.latent),
            "node": mlp_params(c, c.node_features, c.latent),
        },
        "steps": [step] * c.message_steps,
        "decoder": mlp_params(c, c.latent, c.outputs, norm_output=False),
    }


def args(c: Config) -> tuple[Tree, ...]:
    """Abstract arguments of `step`."""
    p = params(c)
    ends = array(c.edges, dtype=jnp.int32)
    graph = (array(c.nodes, c.node_features), array(c.edges, c.edge_features), ends, ends)
    return p, training.adam_shapes(p), *graph, array(c.nodes, c.outputs)


def mlp(p: Tree, x: jax.Array) -> jax.Array:
    """Dense layers, each normalised, with a relu between them."""
    for i, layer in enumerate(p):
        x = (jax.nn.relu(x) if i > 0 else x) @ layer["kernel"] + layer["bias"]
        if "scale" in layer:
            x = rms_norm(x, layer["scale"])
    return x


def simulate(
    p: Tree, nodes: jax.Array, edges: jax.Array, senders: jax.Array, receivers: jax.Array
) -> jax.Array:
    """The predicted acceleration of each node."""
    h, e = mlp(p["encoder"]["node"], nodes), mlp(p["encoder"]["edge"], edges)
    for q in p["steps"]:
        message = annotate.at(mlp(q["edge"], jnp.concatenate([e, h[senders], h[receivers]], axis=-1)), "edges")
        received = jax.ops.segment_sum(message, receivers, num_segments=h.shape[0])
        h = annotate.at(h + mlp(q["node"], jnp.concatenate([h, received], axis=-1)), "nodes")
        e = e + message
    return mlp(p["decoder"], h)


def step(
    params: Tree,
    opt: Tree,
    nodes: jax.Array,
    edges: jax.Array,
    senders: jax.Array,
    receivers: jax.Array,
    target: jax.Array,
):
    """One Adam step on the mean squared error: new params, new opt, loss."""

    def loss(p: Tree, *graph_and_target: jax.Array) -> jax.Array:
        *graph, target = graph_and_target
        return jnp.mean((simulate(p, *graph) - target) ** 2)

    return training.step(loss, params, opt, (nodes, edges, senders, receivers, target))
