"""`shard_map` inside the model: equal to `jax.jit` on 8 virtual devices."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
import partir
import pytest
from jax.sharding import AxisType
from jax.sharding import PartitionSpec as P

AXES = {"data": 4, "model": 2}
EXPERTS, WIDTH, HIDDEN, TOKENS = 8, 16, 32, 64


def mesh(kind=AxisType.Auto):
    return jax.make_mesh(tuple(AXES.values()), tuple(AXES), axis_types=(kind,) * 2)


def experts(x, gate, up, down):
    """Each device of `data` has a part of the tokens and of the experts; tokens go to their experts and come back."""
    n = jax.lax.axis_size("data")
    local = EXPERTS // n
    choice = jnp.argmax(x @ gate, axis=-1)
    order = jnp.argsort(choice)
    sent = jnp.zeros((n, x.shape[0], x.shape[1]), x.dtype)
    owner = choice[order] // local
    sent = sent.at[owner, jnp.arange(x.shape[0])].set(x[order])
    kind = jnp.full((n, x.shape[0]), local, jnp.int32).at[owner, jnp.arange(x.shape[0])].set(choice[order] % local)
    there = jax.lax.all_to_all(sent, "data", 0, 0, tiled=True).reshape(-1, x.shape[1])
    kinds = jax.lax.all_to_all(kind, "data", 0, 0, tiled=True).reshape(-1)
    by_expert = jnp.argsort(kinds)
    sizes = jnp.bincount(kinds, length=local + 1)[:local].astype(jnp.int32)
    h = jax.nn.relu(jax.lax.ragged_dot(there[by_expert], up, sizes))
    done = jax.lax.ragged_dot(h, down, sizes)
    done = jnp.zeros_like(done).at[by_expert].set(done).reshape(n, x.shape[0], -1)
    back = jax.lax.all_to_all(done, "data", 0, 0, tiled=True)
    result = back[owner, jnp.arange(x.shape[0])]
    return jnp.zeros_like(x).at[order].set(result), jax.lax.psum(jnp.sum(result**2), "data")


def layer(params, x, where):
    routed = jax.shard_map(
        experts,
        mesh=where,
        in_specs=(P("data"), P(), P("data"), P("data")),
        out_specs=(P("data"), P()),
        check_vma=False,
    )
    y, norm = routed(x, params["gate"], params["up"], params["down"])
    return (x + y) @ params["out"], norm


def model():
    keys = jax.random.split(jax.random.key(0), 5)
    shapes = {"gate": (WIDTH, EXPERTS), "up": (EXPERTS, WIDTH, HIDDEN), "down": (EXPERTS, HIDDEN, WIDTH), "out": (WIDTH, 24)}
    params = {n: jax.random.normal(k, s) / 4 for k, (n, s) in zip(keys, shapes.items())}
    return params, jax.random.normal(keys[4], (TOKENS, WIDTH))


def close(got, want):
    jax.tree.map(lambda a, b: np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=2e-4, atol=2e-4), got, want)


@pytest.mark.parametrize("order", [("data", "model"), ("model", "data")])
def test_mixture_of_experts(order):
    params, x = model()
    function = functools.partial(layer, where=mesh())
    MP = partir.ManualPartition({"params/out": 1}, axis="model", name="MP")
    step = partir.jit(function, mesh={a: AXES[a] for a in order}, schedule=[MP])
    lowered = step.lower(params, x)
    tactics = lowered.report.data["tactics"]
    assert [t["name"] for t in tactics] == ["shard_map", "MP"]
    assert tactics[0]["totals"]["all_to_all"] == 3
    assert lowered.in_shardings[0]["up"].spec == P("data", None, None)
    close(step(params, x), jax.jit(function)(params, x))


def test_a_training_step_of_a_mixture_of_experts():
    """Through the all_to_alls and ragged_dots, and back; weights and moments of experts stay where the experts are."""
    params, x = model()
    optimizer = optax.adamw(1e-2)
    where = mesh()

    def step(params, opt, x):
        def loss(params):
            y, norm = layer(params, x, where)
            return jnp.mean(y**2) + 1e-3 * norm

        value, gradient = jax.value_and_grad(loss)(params)
        updates, opt = optimizer.update(gradient, opt, params)
        return optax.apply_updates(params, updates), opt, value

    args = jax.tree.map(np.asarray, (params, optimizer.init(params)))
    BP = partir.ManualPartition({"x": 0}, axis="data", name="BP")
    MP = partir.ManualPartition({"params/out": 1}, axis="model", name="MP")
    ours, plain = partir.jit(step, mesh=where, schedule=[BP, MP], donate_argnums=(0, 1)), jax.jit(step)
    lowered = ours.lower(*args, x)
    assert lowered.in_shardings[1][0].mu["up"].spec == lowered.in_shardings[0]["up"].spec == P("data", None, None)
    got = want = args
    for _ in range(3):
        got, want = ours(*got[:2], x), plain(*want[:2], x)
    close(got, want)


def test_other_axes_are_partitioned_inside():
    @functools.partial(jax.shard_map, mesh=mesh(), in_specs=(P("data"), P()), out_specs=P("data"), axis_names={"data"})
    def inner(x, w):
        i = jax.lax.axis_index("data").astype(x.dtype)
        return jax.lax.psum(jnp.sin(x @ w) * i, "data") + x @ w

    def f(x, w):
        return jnp.cos(inner(jnp.tanh(x), w))

    x, w = jax.random.normal(jax.random.key(1), (32, 8)), jax.random.normal(jax.random.key(2), (8, 12))
    MP = partir.ManualPartition({"w": 1}, axis="model", name="MP")
    step = partir.jit(f, mesh=AXES, schedule=[MP])
    lowered = step.lower(x, w)
    assert lowered.in_shardings[1].spec == P(None, "model")
    assert lowered.out_shardings.spec == P("data", "model")
    close(step(x, w), jax.jit(f)(x, w))


def test_gradients_and_explicit_meshes():
    explicit = mesh(AxisType.Explicit)

    @functools.partial(jax.shard_map, mesh=explicit, in_specs=(P("data"), P()), out_specs=P("data"))
    def inner(x, w):
        return x @ w + jax.lax.pmean(x, "data").sum()

    def f(w, x):
        return jnp.mean(inner(x, w) ** 2)

    with jax.set_mesh(explicit):
        x = jax.device_put(jax.random.normal(jax.random.key(1), (32, 8)), P("data", None))
        w = jax.device_put(jax.random.normal(jax.random.key(2), (8, 12)), P(None, None))
        want = jax.jit(jax.value_and_grad(f))(w, x)
        close(partir.jit(jax.value_and_grad(f), mesh=AXES)(w, x), want)


def test_axes_that_the_mesh_does_not_have():
    params, x = model()
    with pytest.raises(partir.PartirError, match='over axis "data" of size 4, which the mesh does not have'):
        partir.jit(functools.partial(layer, where=mesh()), mesh={"batch": 4, "model": 2}).lower(params, x)
