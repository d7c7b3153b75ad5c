"""Shardings that a program carries itself: `with_sharding_constraint`, Explicit meshes, what Flax lowers to."""

import jax
import jax.numpy as jnp
import numpy as np
import partir
import pytest
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

AXES = {"data": 4, "model": 2}
RULES = {"batch": "data", "embed": None, "mlp": "model", "heads": "model", "vocab": "model"}


def mesh(kind=AxisType.Auto):
    return jax.make_mesh(tuple(AXES.values()), tuple(AXES), axis_types=(kind,) * 2)


def tactics(lowered):
    return [(t["name"], t["axes"], t["tiled"], t["atomic"]) for t in lowered.report.data["tactics"]]


def logical(x, *names):
    """As MaxText and Flax do: constraints by logical names of axes, which rules turn into those of the mesh."""
    return jax.lax.with_sharding_constraint(x, NamedSharding(mesh(), P(*(RULES[n] for n in names))))


def block(p, x):
    h = logical(jnp.einsum("bd,df->bf", x, p["up"]), "batch", "mlp")
    return x + logical(jnp.einsum("bf,fd->bd", jax.nn.gelu(h), p["down"]), "batch", "embed")


def loss(params, tokens):
    x = logical(params["table"][tokens], "batch", "embed")
    x, _ = jax.lax.scan(lambda x, p: (block(p, x), None), x, params["layers"])
    logits = logical(x @ params["table"].T, "batch", "vocab")
    return -jnp.mean(jax.nn.log_softmax(logits)[jnp.arange(tokens.shape[0]), tokens])


def train_step(params, tokens):
    value, gradient = jax.value_and_grad(loss)(params, tokens)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradient), value


def model():
    key = jax.random.split(jax.random.key(0), 3)
    layers = {"up": jax.random.normal(key[0], (2, 16, 32)), "down": jax.random.normal(key[1], (2, 32, 16))}
    return {"table": jax.random.normal(key[2], (64, 16)), "layers": layers}, jnp.arange(16) * 3 % 64


def close(got, want):
    jax.tree.map(lambda a, b: np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=2e-4, atol=2e-5), got, want)


def test_logical_axis_names_partition_a_model_by_themselves():
    params, tokens = model()
    step = partir.jit(train_step, mesh=mesh(), donate_argnums=0)
    lowered = step.lower(params, tokens)
    names = [t[:2] for t in tactics(lowered)]
    assert names == [("annotations", ["data"]), ("annotations", ["model"])]
    assert all(t[2] > 0 for t in tactics(lowered))
    assert lowered.in_shardings[0]["layers"]["up"].spec == P(None, None, "model")
    want = jax.jit(train_step)(params, tokens)
    close(step(params, tokens), want)


def test_the_schedule_comes_after_the_annotations():
    params, tokens = model()
    zero = partir.ManualPartition({"params/layers/**": partir.FIRST_DIVISIBLE_DIM}, axis="data", name="Z3")
    step = partir.jit(train_step, mesh=mesh(), schedule=[zero])
    assert [t[0] for t in tactics(step.lower(params, tokens))] == ["annotations", "annotations", "Z3"]
    close(step(params, tokens), jax.jit(train_step)(params, tokens))


def test_annotations_can_be_ignored_or_refused():
    params, tokens = model()
    assert tactics(partir.jit(train_step, mesh=AXES, annotations="ignore").lower(params, tokens)) == []
    with pytest.raises(partir.PartirError, match="carries sharding annotations"):
        partir.jit(train_step, mesh=AXES, annotations="error").lower(params, tokens)
    with pytest.raises(ValueError, match="'apply', 'ignore' or 'error'"):
        partir.jit(train_step, mesh=AXES, annotations="maybe")
    clean = partir.jit(lambda x: x + jax.random.normal(jax.random.key(0), x.shape), mesh=AXES, annotations="error")
    clean.lower(jnp.zeros(8))  # typed keys bring annotations that say nothing


def test_axes_that_the_mesh_lacks_are_left_out_with_one_warning():
    params, tokens = model()
    with pytest.warns(partir.PartirWarning, match="name axes that the mesh does not have, or with size 1: model") as seen:
        lowered = partir.jit(train_step, mesh={"data": 8, "model": 1}).lower(params, tokens)
    assert len([w for w in seen if "left out" in str(w.message)]) == 1
    assert [t[1] for t in tactics(lowered)] == [["data"]]


def test_a_closed_dimension_is_replicated_on_axes_that_some_annotation_names():
    def f(x):
        y = jax.lax.with_sharding_constraint(jnp.sin(x), NamedSharding(mesh(), P("data")))
        return jax.lax.with_sharding_constraint(jnp.cos(y), NamedSharding(mesh(), P()))

    x = jnp.arange(64.0).reshape(8, 8)
    step = partir.jit(f, mesh=mesh())
    assert tactics(step.lower(x)) == [("annotations", ["data"], 1, 1)]
    assert step.lower(x).out_shardings.spec == P(None, None)
    close(step(x), f(x))


def test_explicit_meshes_carry_their_types():
    with jax.set_mesh(mesh(AxisType.Explicit)):

        def f(x, w):
            y = jnp.einsum("ij,jk->ik", x, w)
            return jax.sharding.reshard(jnp.sin(y), P("data", None))

        x = jax.device_put(jnp.arange(256.0).reshape(32, 8) / 99, P("data", None))
        w = jax.device_put(jnp.ones((8, 16)), P(None, "model"))
        want = np.asarray(jax.jit(f)(x, w))
        step = partir.jit(f, mesh=AXES)
        lowered = step.lower(x, w)
        assert [t[1] for t in tactics(lowered)] == [["data"], ["model"]]
        assert [s.spec for s in lowered.in_shardings] == [P("data", None), P(None, "model")]
        assert lowered.out_shardings.spec == P("data", None)
        close(step(x, w), want)


def test_annotations_in_the_words_of_gspmd():
    params, tokens = model()
    want = jax.jit(train_step)(params, tokens)
    jax.config.update("jax_use_shardy_partitioner", False)
    try:
        step = partir.jit(train_step, mesh=mesh(), donate_argnums=0)
        lowered = step.lower(params, tokens)
        assert "@Sharding" in jax.jit(train_step).lower(params, tokens).as_text()
        assert "@Sharding" not in lowered.as_text()
        assert [t[:2] for t in tactics(lowered)] == [("annotations", ["data"]), ("annotations", ["model"])]
        assert lowered.in_shardings[0]["layers"]["up"].spec == P(None, None, "model")
        close(step(params, tokens), want)
    finally:
        jax.config.update("jax_use_shardy_partitioner", True)
