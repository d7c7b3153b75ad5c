"""Inlining and dead-code removal keep the numbers: XLA runs the program as JAX printed it, and as it is afterwards."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from partir import _xla


@jax.jit
def square(x):
    return x * x


@jax.jit
def twice(x):
    return square(square(x) + 1)


def calls(x, n):
    """Functions in functions, called in loops and branches."""
    x = jax.lax.fori_loop(0, n, lambda i, y: twice(y) / 9 + i, x)
    return jax.lax.cond(n > 2, lambda y: square(y), lambda y: twice(y), x)


def unread(x, n):
    """Carried values and branch results that nobody reads, beside one that only decides when the loop ends."""

    def step(state):
        i, y, noise, kept = state
        return i + 1, twice(y) / 3, jnp.sin(noise), kept

    _, y, _, _ = jax.lax.while_loop(lambda s: s[0] < n, step, (0, x, x, x))
    a, _ = jax.lax.switch(n, [lambda y: (y, -y), lambda y: (twice(y), y), lambda y: (jnp.cos(y), y)], y)
    return a


gelu = jax.lax.composite(jax.nn.gelu, name="my.gelu")


def composite(x, n):
    """A composite, a sort with a comparator, and a scan that stacks its results."""
    _, ys = jax.lax.scan(lambda carry, _: (gelu(carry), jnp.sort(carry)), x, None, length=3)
    return ys.sum(0) + n, jnp.argmax(ys)


@pytest.mark.parametrize("function", [calls, unread, composite], ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [1, 5])
def test_numbers_stay(partir, tmp_path, function, n):
    args = (np.linspace(-1, 1, 6, dtype=np.float32), np.int32(n))
    text = jax.jit(function).lower(*args).as_text()
    path = tmp_path / "m.mlir"
    path.write_text(text)
    printed = partir("print", "--inline", path)
    assert printed.returncode == 0, printed.stderr
    assert "call @" not in printed.stdout and "stablehlo.composite" not in printed.stdout
    before, after = (_xla.compile_local(t, 1)([[a] for a in args]) for t in (text, printed.stdout))
    assert len(before) == len(after)
    for want, got in zip(before, after):
        np.testing.assert_array_equal(got[0], want[0])


def test_unread_values_are_gone(partir, tmp_path):
    path = tmp_path / "m.mlir"
    path.write_text(jax.jit(unread).lower(np.ones(6, np.float32), np.int32(2)).as_text())
    text = partir("print", "--inline", path).stdout
    assert "stablehlo.sine" not in text and "stablehlo.negate" not in text and "stablehlo.cosine" in text
