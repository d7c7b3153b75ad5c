"""`lowered.sharding` and `lowered.paths`: where any value that can be named lies."""

import jax
import jax.numpy as jnp
import partir
import pytest
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def model(params, x, key):
    with jax.named_scope("encoder"):
        h = partir.tag(jnp.tanh(x @ params["w1"]), "hidden")
        h = h + jax.random.normal(key, h.shape)
    return h @ params["w2"], h


def lowered():
    args = {"w1": jnp.ones((8, 16)), "w2": jnp.ones((16, 8))}, jnp.ones((8, 8)), jax.random.key(0)
    schedule = [
        partir.ManualPartition({"x": 0}, axis="batch", name="BP"),
        partir.ManualPartition({"params/w1": 1}, axis="model", name="MP"),
    ]
    return partir.jit(model, mesh={"batch": 4, "model": 2}, schedule=schedule).lower(*args)


def test_a_tag_and_a_location():
    found = lowered()
    assert found.sharding("hidden") == NamedSharding(found.mesh, P("batch", "model"))
    assert found.sharding("loc/encoder/tanh").spec == P("batch", "model")
    assert found.sharding("hidden") == found.out_shardings[1]


def test_every_path_has_a_sharding():
    found = lowered()
    paths = found.paths()
    assert {"params/w1", "params/w2", "x", "key", "out/0", "out/1", "hidden", "loc/encoder/tanh"} <= set(paths)
    assert all(isinstance(found.sharding(path), NamedSharding) for path in paths)
    assert [found.sharding(p) for p in ("params/w1", "params/w2")] == jax.tree.leaves(found.in_shardings[0])
    assert found.sharding("key").spec == P()  # one key, of which the program has the words


def test_a_path_that_is_none():
    with pytest.raises(partir.PartirError, match="no value 'hiden'\\n.*nearest name is hidden"):
        lowered().sharding("hiden")
