"""Prints the training step of a small GPT as StableHLO, with the path of each argument beside it.

    python examples/gpt_train.py examples/gpt_train.mlir

A decoder in plain JAX: per layer one qkv tensor whose split touches no column, an output projection, a two-matrix MLP with
biases and three RMSNorm scales, so 9 tensors a layer; one tied embedding; mean cross-entropy loss; Adam. Weights are
abstract, so any size prints in a moment.
"""

import argparse
import functools
import pathlib

import jax
import jax.numpy as jnp


def shapes(layers, d, heads, vocab):
    layer = {
        "attn": {"qkv": (3, d, heads, d // heads), "out": (heads, d // heads, d)},
        "mlp": {"up": (d, 4 * d), "up_bias": (4 * d,), "down": (4 * d, d), "down_bias": (d,)},
        "norm": {"attn": (d,), "mlp": (d,), "post": (d,)},
    }
    return {"embedding": (vocab, d), "layers": [layer] * layers}


def norm(x, scale):
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * scale


def block(layer, x):
    """x: [batch, time, d] -> the same shape."""
    time, size = x.shape[1], layer["attn"]["qkv"].shape[-1]
    q, k, v = jnp.einsum("btd,cdhk->cbthk", norm(x, layer["norm"]["attn"]), layer["attn"]["qkv"])
    scores = jnp.einsum("bqhk,bshk->bhqs", q, k) / size**0.5
    scores = jnp.where(jnp.tril(jnp.ones((time, time), bool)), scores, -1e9)
    mixed = jnp.einsum("bhqs,bshk->bqhk", jax.nn.softmax(scores), v)
    x = x + norm(jnp.einsum("bqhk,hkd->bqd", mixed, layer["attn"]["out"]), layer["norm"]["post"])
    hidden = jax.nn.gelu(norm(x, layer["norm"]["mlp"]) @ layer["mlp"]["up"] + layer["mlp"]["up_bias"])
    return x + hidden @ layer["mlp"]["down"] + layer["mlp"]["down_bias"]


def loss(params, x, y):
    """x, y: [batch, time] token numbers."""
    h = params["embedding"][x]
    for layer in params["layers"]:
        h = block(layer, h)
    logits = jax.nn.log_softmax(h @ params["embedding"].T)
    return -jnp.mean(jnp.take_along_axis(logits, y[..., None], axis=-1))


def train_step(params, opt, x, y, rate=1e-3, b1=0.9, b2=0.999):
    value, grads = jax.value_and_grad(loss)(params, x, y)
    count = opt["count"] + 1
    mu = jax.tree.map(lambda m, g: b1 * m + (1 - b1) * g, opt["mu"], grads)
    nu = jax.tree.map(lambda n, g: b2 * n + (1 - b2) * g * g, opt["nu"], grads)
    scale1, scale2 = 1 - b1**count, 1 - b2**count
    params = jax.tree.map(
        lambda p, m, n: p - rate * (m / scale1) / (jnp.sqrt(n / scale2) + 1e-8), params, mu, nu
    )
    return params, {"mu": mu, "nu": nu, "count": count}, value


def abstract_arguments(layers, d, heads, vocab, batch, time):
    tensors = functools.partial(jax.tree.map, is_leaf=lambda shape: isinstance(shape, tuple))
    params = tensors(lambda shape: jax.ShapeDtypeStruct(shape, "float32"), shapes(layers, d, heads, vocab))
    opt = {"mu": params, "nu": params, "count": jax.ShapeDtypeStruct((), "float32")}
    tokens = jax.ShapeDtypeStruct((batch, time), "int32")
    return params, opt, tokens, tokens


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, size in dict(layers=2, d=64, heads=4, vocab=256, batch=8, time=32).items():
        parser.add_argument(f"--{name}", type=int, default=size)
    parser.add_argument("out", type=pathlib.Path)
    options = vars(parser.parse_args())
    out = options.pop("out")
    arguments = abstract_arguments(**options)
    out.write_text(jax.jit(train_step, donate_argnums=(0, 1)).lower(*arguments).as_text())
    named = dict(zip(("params", "opt", "x", "y"), arguments))
    paths = [
        name + jax.tree_util.keystr(path)
        for name, tree in named.items()
        for path, _ in jax.tree_util.tree_flatten_with_path(tree)[0]
    ]
    out.with_suffix(".names").write_text("".join(f"{i}\t{path}\n" for i, path in enumerate(paths)))


if __name__ == "__main__":
    main()
