"""The evaluation models are what they claim: right sizes, right names, steps that train, loops that agree."""

import dataclasses
import math
import re
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from bench import models
from bench.models import gns, moe, serving, training, transformer, unet
from conftest import ROOT

SERVING = ("it32", "it32_multi_head")
SAME_WHEN_SMALL = ("t48", "gpt4", "gpt24", "gpt24_scan")
TRAINING = [n for n in models.names() if n not in (*SERVING, *SAME_WHEN_SMALL, "two_matmul")]


def quickly(function, *args):
    """Compile without expensive optimization, which would be most of the time of these tests."""
    cheap = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
    return jax.jit(function).lower(*args).compile(compiler_options=cheap)


def sizes(tree):
    return [math.prod(leaf.shape) for leaf in jax.tree.leaves(tree)]


def test_full_sizes():
    t32 = sizes(transformer.params(transformer.T32))
    assert len(t32) == 289 and 4.9e9 < sum(t32) < 5.1e9
    t48 = sizes(transformer.params(transformer.T48))
    assert len(t48) == 9 * 48 + 1 and 31e9 < sum(t48) < 33e9
    assert len(sizes(unet.params(unet.FULL))) == 501
    assert len(sizes(gns.params(gns.FULL)["steps"])) == 24 * 2 * 15


@pytest.mark.parametrize("name", models.names())
def test_names_are_those_of_jax(name):
    model = models.get(name, small=True)
    text = model.lower().as_text(debug_info=True)
    main = next(line for line in text.splitlines() if "func.func public @main" in line)
    names = model.names()
    assert main.count(": tensor<") == len(names) == len(set(names))
    assert all(f'loc("{n}")' in text.replace("\\", "") for n in names)


@pytest.mark.parametrize("name", TRAINING)
def test_training_lowers_the_loss(name):
    model = models.get(name, small=True)
    args, state = model.example(), len(model.donate_argnums)
    step = quickly(model.function, *args)
    losses = []
    for _ in range(4):
        out = step(*args)
        args = (*out[:state], *args[state:])
        losses.append(float(out[-1]))
    assert all(after < before for before, after in zip(losses, losses[1:])), losses


def test_scanned_layers_equal_unrolled_ones():
    params, *_, x, y = models.get("t32", small=True).example()
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *params["layers"])
    scanned = {**params, "layers": stacked}

    def loss(c, p):
        return quickly(lambda p: transformer.cross_entropy(transformer.logits(c, p, x), y), p)(p)

    c = transformer.SMALL
    scan = dataclasses.replace(c, scan=True, remat=True)
    np.testing.assert_allclose(loss(c, params), loss(scan, scanned), rtol=1e-5)


def test_microbatches_give_the_gradient_of_the_batch():
    args = models.get("t32", small=True).example()
    whole = quickly(models.get("t32", small=True).function, *args)(*args)
    parts = quickly(models.get("t32_microbatch", small=True).function, *args)(*args)
    # The first moment after one step is a multiple of the gradient.
    for a, b in zip(jax.tree.leaves(whole[1]["m"]), jax.tree.leaves(parts[1]["m"])):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-7)


def test_clipping_limits_the_joint_norm():
    grads = {"a": jnp.full((3,), 4.0), "b": jnp.full((2, 2), 3.0)}
    clipped = training.clip(grads, 1.0)
    norm = jnp.sqrt(sum(jnp.sum(g * g) for g in jax.tree.leaves(clipped)))
    np.testing.assert_allclose(norm, 1.0, rtol=1e-6)
    np.testing.assert_allclose(clipped["a"][0] / clipped["b"][0, 0], 4 / 3, rtol=1e-6)


@pytest.mark.parametrize("name", SERVING)
def test_serving_equals_reading_everything_again(name):
    c = dataclasses.replace(serving.SMALL, multi_query=name == "it32")
    params, cache, x = models.get(name, small=True).example()
    tokens, filled = quickly(serving.make_serve(c), params, cache, x)(params, cache, x)
    seen = np.concatenate([x, tokens], axis=1)

    def read(params, cache, x):
        return serving.forward(c, params, cache, x, 0, lambda value, name: value, "again")

    for i in (0, 1, c.steps - 1):
        args = params, cache, seen[:, : c.prompt + i]
        token, again = quickly(read, *args)(*args)
        np.testing.assert_array_equal(tokens[:, i], token)
    for a, b in zip(jax.tree.leaves(filled), jax.tree.leaves(again)):
        np.testing.assert_allclose(a, b, atol=1e-5)


def test_routing_fills_each_place_of_an_expert_once():
    c = moe.SMALL
    gates = jax.nn.softmax(jax.random.normal(jax.random.key(0), (c.batch, c.sequence, c.experts)))
    dispatch, combine = jax.jit(lambda gates: moe.route(c, gates))(gates)
    assert dispatch.shape == (c.batch, c.sequence, c.experts, c.capacity)
    assert dispatch.sum(axis=1).max() == 1
    assert dispatch.sum(axis=(2, 3)).max() == 2
    assert jnp.all((combine > 0) <= (dispatch > 0))


def test_export_writes_text_and_names(tmp_path):
    out = tmp_path / "step.mlir"
    command = [sys.executable, "-m", "bench.models", "export", "two_matmul", "--small", "-o", out]
    subprocess.run(command, cwd=ROOT, check=True)
    assert "stablehlo.dot_general" in out.read_text()
    assert (tmp_path / "step.names").read_text() == "0\tx\n1\tw1\n2\tw2\n"


def test_export_keeps_tags(tmp_path):
    out = tmp_path / "serve.mlir"
    subprocess.run([sys.executable, "-m", "bench.models", "export", "it32", "--small", "-o", out], cwd=ROOT, check=True)
    assert re.search(r"custom_call @partir.tag.*decode/0/q", out.read_text())


@pytest.mark.parametrize(
    "file, name",
    [("two_matmul", "two_matmul"), ("gpt2layer_train", "t32"), ("gpt_scan_train", "t32_scan")],
)
def test_bundled_programs_are_the_models(file, name):
    def signature(text):
        main = next(line for line in text.splitlines() if "func.func public @main" in line)
        return re.findall(r"tensor<[^>]*>", main)

    model = models.get(name, small=True)
    bundled = ROOT / "examples" / file
    names = "".join(f"{i}\t{path}\n" for i, path in enumerate(model.names()))
    assert bundled.with_suffix(".names").read_text() == names
    text = bundled.with_suffix(".mlir").read_text()
    assert signature(text) == signature(model.lower().as_text())
