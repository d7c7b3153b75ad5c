"""Callbacks to Python: effects run once, on the first device, in program order; a pure one on every device; with whole values."""

import jax
import jax.numpy as jnp
import numpy as np
import partir
import pytest
from jax.experimental import io_callback
from jax.sharding import PartitionSpec as P

MESH = {"batch": 4, "model": 2}
BP = partir.ManualPartition({"x": 0}, axis="batch", name="BP")
X = np.arange(32, dtype=np.float32).reshape(8, 4) / 7


def run(function, *args, schedule=(BP,)):
    """What a function gives partitioned, once all callbacks have run."""
    got = partir.jit(function, mesh=MESH, schedule=schedule)(*args)
    jax.effects_barrier()
    return jax.tree.map(np.asarray, got)


def test_effects_run_once_with_whole_values_in_program_order():
    seen = []

    def note(name):
        return lambda *values: seen.append((name, *(np.asarray(v).shape for v in values)))

    def count(c):
        seen.append(("count", c.shape))
        return np.float32(c.sum())

    def f(x):
        jax.debug.callback(note("first"), x)
        y = jnp.sin(x)

        def body(c, i):
            jax.debug.callback(note("turn"), c, ordered=True)
            w = io_callback(count, jax.ShapeDtypeStruct((), jnp.float32), c)
            c = jax.lax.cond(w > 0, lambda c: (jax.debug.callback(note("positive"), c[0]), c + 1)[1], lambda c: c - 1, c)
            return 0.5 * c, w

        z, w = jax.lax.scan(body, y, jnp.arange(3))
        io_callback(note("last"), None, w)
        return z, w

    want = jax.tree.map(np.asarray, jax.jit(f)(X))
    jax.effects_barrier()
    names = sorted(seen)
    seen.clear()
    got = run(f, X)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), got, want)
    assert sorted(seen) == names  # each as often, and with shapes of whole values
    in_order = [("first", (8, 4))]
    for w in want[1]:
        in_order += [("turn", (8, 4)), ("count", (8, 4))] + [("positive", (4,))] * int(w > 0)
    assert seen == [*in_order, ("last", (3,))]


def test_debug_print(capfd):
    def f(x):
        jax.debug.print("before {}", x.sum())
        y = 2 * x
        jax.debug.print("after {y}", y=y.sum())
        return y

    np.testing.assert_array_equal(run(f, X), 2 * X)
    lines = capfd.readouterr().out.split("\n")
    assert [line.split()[0] for line in lines if line] == ["before", "after"]


def test_a_training_step_that_prints_and_asks_the_host_equals_jax(capfd):
    """`debug.print` of the loss in a scan, and a learning rate that a `pure_callback` gives."""

    def rate(step):
        return np.float32(0.1 / (1 + step))

    def train(w, x):
        def loss(w, rows):
            return jnp.mean((jnp.tanh(rows @ w) - rows) ** 2)

        def body(w, at):
            value, slope = jax.value_and_grad(loss)(w, x + at)
            jax.debug.print("step {i} loss {value:.4f}", i=at, value=value)
            return w - jax.pure_callback(rate, jax.ShapeDtypeStruct((), jnp.float32), at) * slope, value

        return jax.lax.scan(body, w, jnp.arange(3.0))

    w = np.eye(4, dtype=np.float32) + X[:4] / 9
    want = jax.tree.map(np.asarray, jax.jit(train)(w, X))
    jax.effects_barrier()
    printed = capfd.readouterr().out
    MP = partir.ManualPartition({"w": 1}, axis="model", name="MP")
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), run(train, w, X, schedule=(BP, MP)), want)
    assert capfd.readouterr().out == printed and printed.count("step") == 3


def test_a_pure_callback_runs_on_every_device_with_whole_values():
    shapes = []

    def double(a):
        shapes.append(a.shape)
        return 2 * np.asarray(a)

    def f(x):
        return jnp.cos(jax.pure_callback(double, jax.ShapeDtypeStruct(x.shape, x.dtype), jnp.sin(x)))

    np.testing.assert_allclose(run(f, X), np.cos(2 * np.sin(X)), rtol=1e-5)
    assert shapes == [(8, 4)] * 8


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint32", "float16", "bfloat16", "complex64"])
def test_what_an_effect_returns_is_the_same_on_all_devices(dtype):
    calls = iter(range(100))
    values = jnp.array([-0.0, 1.0, 3.0], dtype)

    def draw(_):
        assert next(calls) == 0
        return np.asarray(values)

    def f(x):
        drawn = io_callback(draw, jax.ShapeDtypeStruct((3,), values.dtype), x)
        return drawn, x.sum()

    np.testing.assert_array_equal(run(f, X)[0].view(np.uint8), np.asarray(values).view(np.uint8))


def test_inside_a_shard_map_each_device_runs_its_own():
    seen = []

    def f(x):
        def part(x):
            jax.debug.callback(lambda v: seen.append(np.asarray(v).shape), x)
            return 2 * x

        y = jax.shard_map(part, in_specs=P("batch"), out_specs=P("batch"), check_vma=False)(x)
        return y + 1

    with jax.set_mesh(jax.make_mesh((4, 2), ("batch", "model"), axis_types=(jax.sharding.AxisType.Auto,) * 2)):
        np.testing.assert_array_equal(run(f, X, schedule=()), 2 * X + 1)
    assert seen == [(2, 4)] * 8


def test_in_another_trace_and_with_donation():
    seen = []

    def f(p, x):
        jax.debug.callback(lambda v: seen.append(float(v)), x.sum())
        return p + x

    step = partir.jit(f, mesh=MESH, schedule=[BP], donate_argnums=0)
    twice = jax.jit(lambda p, x: step(step(p, x), x))
    np.testing.assert_allclose(np.asarray(twice(X, X)), 3 * X, rtol=1e-6)
    p = step(X, X)
    np.testing.assert_allclose(np.asarray(step(p, X)), 3 * X, rtol=1e-6)
    jax.effects_barrier()
    assert len(seen) == 4


def test_where_a_backend_cannot_call_back(tmp_path):
    def prints(x):
        jax.debug.print("{}", x, ordered=True)
        return x + 1

    def needs(x):
        return jax.pure_callback(np.sin, x, x)

    with pytest.warns(UserWarning, match=r"test_callbacks.py:\d+: debug_\w+ is left out: tpu cannot"):
        path = partir.export(prints, X, path=tmp_path / "prints.mlir", platform="tpu")
    assert "custom_call" not in path.read_text() and "stablehlo.send" not in path.read_text()
    assert partir._lib.Module("prints", path.read_text(), ["x"]).arguments == ["x"]  # no token among them
    with pytest.raises(NotImplementedError, match=r"test_callbacks.py:\d+: pure_callback: tpu cannot"):
        partir.export(needs, X, path=tmp_path / "needs.mlir", platform="tpu")


def test_without_jit():
    kinds = []

    def f(x):
        kinds.append(isinstance(x, jax.core.Tracer))
        return x + 1

    step = partir.jit(f, mesh=MESH, schedule=[BP])
    with jax.disable_jit():
        np.testing.assert_array_equal(step(X), X + 1)
    assert kinds == [False]
    np.testing.assert_array_equal(step(X), X + 1)
    assert kinds == [False, True]


def test_a_donated_array_that_is_used_again_is_an_error():
    step = partir.jit(lambda p, x: p + x, mesh=MESH, schedule=[BP], donate_argnums=0)
    p = step(X, X)
    step(p, X)
    with pytest.raises(RuntimeError, match="p was donated to an earlier call"):
        step(p, X)
