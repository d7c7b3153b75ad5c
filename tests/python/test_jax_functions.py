"""What JAX users call, split over both axes of a mesh and run: linear algebra, sorting, random numbers, loops, windows, special functions."""

import inspect

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
import partir as library
import pytest
from jax import lax
from partir import _xla


def normal(*shape, dtype=jnp.float32):
    return np.random.default_rng(shape).normal(size=shape).astype(dtype)


X = normal(16, 64)
SQUARES = normal(8, 16, 16)
IMAGES = normal(16, 8, 8, 4)
_NHWC = ("NHWC", "HWIO", "NHWC")


def convolve(x, w, strides=(1, 1), **options):
    return lax.conv_general_dilated(x, w, strides, "SAME", dimension_numbers=_NHWC, **options)


def pool(x):
    return lax.reduce_window(x.reshape(16, 8, 8, 1), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def scan(x, w):
    return lax.scan(lambda c, y: (jnp.tanh(c @ w + y), c.sum()), x, jnp.stack([x, x * 2, x * 3]))


def integers(x):
    i = (x * 100).astype(jnp.int32)
    u = i.astype(jnp.uint8)
    return i // 7, i % 5, i << 2, i >> 1, u | 3, ~u, lax.population_count(u), lax.clz(i), i.astype(jnp.int8), u * u


def special(x):
    positive, part = jnp.abs(x) + 0.1, jnp.tanh(x) * 0.9
    functions = jsp.special
    return functions.gammaln(positive), functions.erf(x), functions.digamma(positive + 1), functions.i0(x), functions.erfinv(part)


def complexes(x):
    z = x + 1j * x[::-1]
    return jnp.abs(z @ z.T.conj()), jnp.angle(z), z.real


FUNCTIONS = {
    "cholesky": (lambda x: jnp.linalg.cholesky(x @ x.transpose(0, 2, 1) + 16 * jnp.eye(16)), SQUARES),
    "qr": (jnp.linalg.qr, SQUARES),
    "svd": (lambda x: jnp.linalg.svd(x, compute_uv=False), SQUARES),
    "eigh": (lambda x: jnp.linalg.eigvalsh(x + x.transpose(0, 2, 1)), SQUARES),
    "inverse": (lambda x: jnp.linalg.inv(x + 20 * jnp.eye(16)), SQUARES),
    "solve": (lambda x, y: jnp.linalg.solve(x + 20 * jnp.eye(16), y), SQUARES, normal(8, 16, 4)),
    "slogdet": (jnp.linalg.slogdet, SQUARES),
    "expm": (lambda x: jsp.linalg.expm(x[:8, :8] * 0.1), X),
    "top_k": (lambda x: lax.top_k(x, 5), X),
    "approx_max_k": (lambda x: lax.approx_max_k(x, 5), X),
    "sort": (lambda x: (jnp.sort(x, axis=1), jnp.argsort(x, axis=1), jnp.sort(x, axis=0)), X),
    "statistics": (lambda x: (jnp.median(x, 0), jnp.percentile(x, 30, axis=1), x.std(0), jnp.var(x)), X),
    "unique": (lambda x: (jnp.unique(jnp.round(x), size=8, fill_value=0), jnp.histogram(x, 8)[0]), X),
    "argmax": (lambda x: (x.argmax(0), x.argmin(1), jnp.argmax(x)), X),
    "cumulative": (lambda x: (jnp.cumsum(x, 0), jnp.cumprod(x, 1), lax.cummax(x, 0), lax.cumlogsumexp(x, 1)), X),
    "associative_scan": (lambda x: lax.associative_scan(jnp.add, x, axis=0), X),
    "random": (lambda x: (x + jax.random.normal(jax.random.key(1), x.shape), jax.random.randint(jax.random.key(2), (16, 8), 0, 9)), X),
    "dropout": (lambda x: jnp.where(jax.random.bernoulli(jax.random.key(1), 0.5, x.shape), x, 0).sum(0), X),
    "fft": (lambda x: (jnp.abs(jnp.fft.rfft(x, axis=1)), jnp.fft.fft2(x).real, jnp.fft.fft(x, axis=0).imag), X),
    "convolution": (lambda x, w: convolve(x, w, (2, 2)), IMAGES, normal(3, 3, 4, 8)),
    "depthwise": (lambda x, w: convolve(x, w, feature_group_count=4), IMAGES, normal(3, 3, 1, 8)),
    "transposed": (lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=_NHWC), IMAGES, normal(3, 3, 4, 8)),
    "pool": (lambda x: (pool(x), jax.grad(lambda y: (pool(y) ** 2).sum())(x)), X),
    "cond": (lambda x: lax.cond(x.sum() > 0, lambda y: y * 2, jnp.sin, x), X),
    "switch": (lambda x: lax.switch(jnp.int32(x[0, 0] > 0), [jnp.sin, jnp.cos], x), X),
    "while": (lambda x: lax.while_loop(lambda c: (c[0] < 5) & (c[1].sum() < 1e9), lambda c: (c[0] + 1, c[1] * 1.5), (0, x)), X),
    "scan": (scan, X, normal(64, 64)),
    "reversed_scan": (lambda x: lax.scan(lambda c, y: (c + y, c * y), jnp.zeros(64), x, reverse=True), X),
    "segments": (lambda x, i: (jax.ops.segment_sum(x, i, 7), jax.ops.segment_max(x, i, 7)), X, np.arange(16) % 7),
    "take": (lambda x, i: (x[i], jnp.take_along_axis(x, jnp.argsort(x, 1), 1)), X, np.arange(8) * 2 % 16),
    "dynamic_slice": (lambda x: (lax.dynamic_slice(x, (3, 4), (8, 8)), lax.dynamic_update_slice(x, jnp.ones((4, 4)), (2, 60))), X),
    "pad": (lambda x: (jnp.pad(x, ((1, 3), (2, 2)), mode="reflect"), jnp.pad(x, ((1, 1), (0, 0)), mode="wrap")), X),
    "roll": (lambda x: (jnp.roll(x, 3, 0), jnp.roll(x, 5, 1), jnp.flip(x, 0)), X),
    "special": (special, X),
    "activations": (lambda x: (jax.nn.gelu(x), jax.nn.softmax(x, 0), jax.nn.log_softmax(x, 1), jax.nn.one_hot(x.argmax(1), 64)), X),
    "attention": (lambda q, k: jax.nn.dot_product_attention(q, k, k, is_causal=True), normal(16, 8, 4, 16), normal(16, 8, 4, 16)),
    "integers": (integers, X),
    "complex": (complexes, X),
    "hessian": (lambda x: jax.hessian(lambda v: jnp.tanh(v @ v).sum())(x[0, :8]), X),
    "einsum": (lambda x: (jnp.einsum("ij,kj,lj->ikl", x[:4], x, x[:3]), jnp.einsum("abc,dbc->bad", *[x.reshape(4, 16, 16)] * 2)), X),
    "ragged_dot": (lax.ragged_dot, normal(24, 64), normal(3, 64, 8), np.array([8, 10, 6], np.int32)),
    "checkpoint": (jax.grad(lambda x: jax.checkpoint(lambda z: jnp.sin(jnp.sin(z)))(x).sum()), X),
    "matrices": (lambda x: (jnp.triu(x @ x.T), jnp.diag(x @ x.T), jnp.trace(x @ x.T), jnp.kron(x[:2, :2], x[:2, :2])), X),
    "interpolation": (lambda x: (jnp.interp(x, jnp.linspace(-2, 2, 9), jnp.arange(9.0)), jnp.searchsorted(jnp.linspace(-2, 2, 9), x)), X),
    "resize": (lambda x: jax.image.resize(x.reshape(16, 8, 8), (16, 12, 5), "bilinear"), X),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gives_what_jax_gives(name):
    function, *args = FUNCTIONS[name]
    first = next(iter(inspect.signature(function).parameters))
    schedule = [library.ManualPartition({first: 0}, axis="batch"), library.ManualPartition({first: 1}, axis="model")]
    step = library.jit(function, mesh={"batch": 4, "model": 2}, schedule=schedule)
    expected, found = jax.tree.leaves(jax.jit(function)(*args)), jax.tree.leaves(step(*args))
    for want, got in zip(expected, found, strict=True):
        assert want.dtype == got.dtype
        np.testing.assert_allclose(got, want, rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("axis", (0, 1), ids=("by_row", "by_word"))
def test_the_gradient_of_reading_one_word_is_a_select_on_cpu(axis):
    """The scatter that JAX writes would lie in memory from the start of a step on. Words outside of the vocabulary have no gradient."""
    logits = jax.random.normal(jax.random.key(0), (8, 16))
    words = jnp.array([0, 3, 15, 7, -1, 16, 40, 2])  # -1 is the last one, 16 and 40 are none

    def loss(logits, words):
        read = jnp.take_along_axis(jax.nn.log_softmax(logits), words[:, None], axis=1, mode="fill", fill_value=0.0)
        return read.mean()

    step = library.jit(jax.grad(loss), mesh={"batch": 4}, schedule=[library.ManualPartition({"logits": axis}, axis="batch")])
    assert "stablehlo.scatter" in step.lower(logits, words).as_text()
    assert "stablehlo.scatter" not in step.lower(logits, words).as_text("stablehlo-cpu")
    np.testing.assert_allclose(step(logits, words), jax.grad(loss)(logits, words), rtol=1e-5, atol=1e-6)


def test_reading_one_word_is_a_sum_where_gathers_write_what_they_read():
    """The program for TPU, run on CPU. A gather takes the nearest word for one outside of the vocabulary."""
    logits, words = normal(8, 16), np.array([0, 3, 15, 7, -1, 16, 40, 2], np.int32)

    def read(logits, words):
        return jnp.take_along_axis(jnp.sinh(logits), words[:, None], axis=1, mode="clip")[:, 0]

    for axis in (0, 1):
        lowered = library.jit(read, mesh={"batch": 4}, schedule=[library.ManualPartition({"logits": axis}, axis="batch")]).lower(logits, words)
        text = lowered.as_text("stablehlo-tpu")
        assert "stablehlo.gather" not in text and "stablehlo.gather" in lowered.as_text()
        shardings = (*lowered.in_shardings, lowered.out_shardings)
        args = [[np.asarray(s.data) for s in jax.device_put(x, place).addressable_shards] for x, place in zip((logits, words), shardings)]
        (parts,) = _xla.compile_local(text, 4)(args)
        want = jax.device_put(read(logits, words), shardings[-1]).addressable_shards
        for part, shard in zip(parts, want, strict=True):
            np.testing.assert_allclose(part, shard.data, rtol=1e-6)
