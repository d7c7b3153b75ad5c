"""What is said of mistakes: in Python's places and words, with what was probably meant."""

import inspect

import jax.numpy as jnp
import partir
import pytest

ARGS = {"w": jnp.ones((8, 50257))}, jnp.ones((8, 8))
MESH = {"batch": 4, "model": 2}


def lower(*schedule, **options):
    return partir.jit(lambda params, x: x @ params["w"], mesh=MESH, schedule=list(schedule), **options).lower(*ARGS)


def test_errors_point_at_the_tactic_in_python():
    good = partir.ManualPartition({"x": 0}, axis="batch", name="BP")
    line = inspect.currentframe().f_lineno + 1
    bad = partir.ManualPartition({"params/w": 1}, axis="model", name="MP")
    with pytest.raises(partir.PartirError, match=rf"test_mistakes.py:{line}: error: tactic MP(?s:.*)50258 would divide"):
        lower(good, bad)
    line = inspect.currentframe().f_lineno + 1
    again = partir.ManualPartition({"x": 0}, axis="batch", name="again")
    with pytest.warns(partir.PartirWarning, match=rf"test_mistakes.py:{line}: warning: tactic again changes nothing"):
        lower(good, again)


def test_what_was_probably_meant():
    with pytest.raises(partir.PartirError, match="did you mean batch"):
        lower(partir.ManualPartition({"x": 0}, axis="bach"))
    with pytest.raises(partir.PartirError, match="did you mean tpu_v"):
        lower(device="tpu_v5")


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: partir.ManualPartition([("x", 0)], axis="batch"), "a dict from patterns"),
        (lambda: partir.ManualPartition({"x": 0}, axis=3), "an axis of the mesh by its name"),
        (lambda: partir.AutomaticPartition(axes=[]), "an axis of the mesh by its name"),
        (lambda: partir.jit(min, mesh=MESH, schedule=partir.ManualPartition({"x": 0}, axis="batch")), "a list of tactics"),
    ],
)
def test_types(make, message):
    with pytest.raises(TypeError, match=message):
        make()
