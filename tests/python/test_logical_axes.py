"""A decoder as MaxText has it: Flax linen, logical names of axes for parameters and activations, and rules that turn them into
the mesh's. What the model asks for itself partitions it; a schedule may go on from there."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import partir
import pytest
from flax import linen as nn
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

AXES = {"data": 4, "tensor": 2}
RULES = (
    ("activation_batch", "data"),
    ("activation_length", None),
    ("activation_embed", None),
    ("activation_heads", "tensor"),
    ("activation_kv", None),
    ("activation_mlp", "tensor"),
    ("activation_vocab", "tensor"),
    ("embed", None),
    ("heads", "tensor"),
    ("kv", None),
    ("mlp", "tensor"),
    ("vocab", "tensor"),
    ("layers", None),
)
VOCABULARY, WIDTH, HEADS, SIZE, HIDDEN, LAYERS = 64, 16, 4, 4, 32, 3


def mesh():
    return jax.make_mesh(tuple(AXES.values()), tuple(AXES), axis_types=(AxisType.Auto,) * 2)


class Dense(nn.Module):
    """The last `inputs` dimensions to those of `features`, by a kernel with a logical name for each of its dimensions."""

    features: tuple
    names: tuple
    inputs: int = 1

    @nn.compact
    def __call__(self, x):
        init = nn.with_logical_partitioning(nn.initializers.normal(0.1), self.names)
        kernel = self.param("kernel", init, (*x.shape[-self.inputs :], *self.features))
        return jnp.tensordot(x, kernel, self.inputs)


def activation(x, *names):
    return nn.with_logical_constraint(x, tuple(f"activation_{name}" for name in names))


class Layer(nn.Module):
    @nn.compact
    def __call__(self, x, _):
        x = activation(x, "batch", "length", "embed")
        y = nn.RMSNorm(scale_init=nn.with_logical_partitioning(nn.initializers.ones, ("embed",)))(x)
        q, k, v = (activation(Dense((HEADS, SIZE), ("embed", "heads", "kv"))(y), "batch", "length", "heads", "kv") for _ in range(3))
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(SIZE)
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -1e9)
        attended = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)
        x = x + activation(Dense((WIDTH,), ("heads", "kv", "embed"), inputs=2)(attended), "batch", "length", "embed")
        y = nn.RMSNorm(scale_init=nn.with_logical_partitioning(nn.initializers.ones, ("embed",)))(x)
        gate, up = (Dense((HIDDEN,), ("embed", "mlp"))(y) for _ in range(2))
        h = activation(jax.nn.silu(gate) * up, "batch", "length", "mlp")
        return x + activation(Dense((WIDTH,), ("mlp", "embed"))(h), "batch", "length", "embed"), None


class Decoder(nn.Module):
    @nn.compact
    def __call__(self, tokens):
        table = nn.with_logical_partitioning(nn.initializers.normal(0.1), ("vocab", "embed"))
        x = activation(nn.Embed(VOCABULARY, WIDTH, embedding_init=table)(tokens), "batch", "length", "embed")
        layers = nn.scan(
            nn.remat(Layer),
            variable_axes={"params": 0},
            split_rngs={"params": True},
            length=LAYERS,
            metadata_params={nn.PARTITION_NAME: "layers"},
        )
        x, _ = layers()(x, None)
        return activation(Dense((VOCABULARY,), ("embed", "vocab"))(x), "batch", "length", "vocab")


OPTIMIZER = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-2))


def train_step(params, opt, tokens):
    def loss(params):
        logits = Decoder().apply({"params": params}, tokens[:, :-1])
        return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()

    value, grads = jax.value_and_grad(loss)(params)
    updates, opt = OPTIMIZER.update(grads, opt, params)
    return optax.apply_updates(params, updates), opt, value


def equal(got, want):
    assert jax.tree.structure(got) == jax.tree.structure(want)
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-3, atol=1e-4)


ZERO = partir.ManualPartition({"{params,opt}/** if rank >= 2": partir.FIRST_DIVISIBLE_DIM}, axis="data", name="ZeRO")


@pytest.mark.parametrize("schedule", [[], [ZERO]], ids=["by itself", "with ZeRO"])
def test_a_decoder_with_logical_axis_names(schedule):
    tokens = np.random.default_rng(0).integers(0, VOCABULARY, (8, 9)).astype(np.int32)
    with jax.set_mesh(mesh()), nn.logical_axis_rules(RULES):
        params = nn.unbox(Decoder().init(jax.random.key(0), tokens[:, :-1]))["params"]
        args = jax.tree.map(np.asarray, (params, OPTIMIZER.init(params)))
        plain = jax.jit(train_step)
        want = plain(*plain(*args, tokens)[:2], tokens)
        step = partir.jit(train_step, schedule=schedule, donate_argnums=(0, 1))  # on the mesh of jax.set_mesh
        lowered = step.lower(*args, tokens)
        equal(step(*step(*args, tokens)[:2], tokens), want)
    tactics = lowered.report.data["tactics"]
    assert [(t["name"], t["axes"]) for t in tactics[:2]] == [("annotations", ["data"]), ("annotations", ["tensor"])]
    assert all(t["tiled"] for t in tactics)
    (layers,) = (name for name in params if "Layer" in name)
    where = lowered.in_shardings[0][layers]
    assert where["Dense_0"]["kernel"].spec[2] == "tensor"  # heads of the queries
    assert lowered.in_shardings[2].spec == P("data", None)
    assert ("data" in str(where["Dense_0"]["kernel"].spec)) == bool(schedule)
