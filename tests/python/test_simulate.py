"""The simulator against XLA: FLOPs of dots and convolutions, and peak memory of small programs."""

import functools
import json

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from bench import models, schedules
from partir import jit

f32 = jnp.float32


def shape(*dims):
    return jax.ShapeDtypeStruct(dims, f32)


def convolve(x, w, **options):
    options = {"window_strides": (1, 1), "padding": "SAME", "dimension_numbers": ("NHWC", "HWIO", "NHWC")} | options
    return lax.conv_general_dilated(x, w, **options)


def weight_gradient(x, w, **options):
    return jax.grad(lambda w: convolve(x, w, **options).sum())(w)


PROGRAMS = {
    "dot": (jnp.dot, shape(32, 64), shape(64, 48)),
    "batched": (functools.partial(jnp.einsum, "bshk,bthk->bhst"), shape(4, 16, 2, 8), shape(4, 24, 2, 8)),
    "two contracting": (functools.partial(jnp.einsum, "bsd,bse->de"), shape(4, 16, 32), shape(4, 16, 24)),
    "same": (convolve, shape(4, 16, 16, 8), shape(3, 3, 8, 12)),
    "strided": (functools.partial(convolve, window_strides=(2, 2)), shape(4, 17, 16, 8), shape(5, 3, 8, 12)),
    "dilated kernel": (functools.partial(convolve, rhs_dilation=(2, 3)), shape(2, 16, 16, 8), shape(3, 3, 8, 12)),
    "dilated input": (
        functools.partial(convolve, lhs_dilation=(2, 2), padding=((1, 2), (1, 2))),
        shape(2, 8, 8, 8),
        shape(3, 3, 8, 12),
    ),
    "groups": (functools.partial(convolve, feature_group_count=4), shape(2, 16, 16, 8), shape(3, 3, 2, 12)),
    "depthwise": (functools.partial(convolve, feature_group_count=8), shape(2, 16, 16, 8), shape(3, 3, 1, 16)),
    "weight gradient": (weight_gradient, shape(4, 16, 16, 8), shape(3, 3, 8, 12)),
}


def write(folder, function, *args, donate=()):
    """The program and an empty schedule as files."""
    text = jax.jit(function, donate_argnums=donate, keep_unused=True).lower(*args).as_text()
    program, schedule = folder / "m.mlir", folder / "s.schedule"
    program.write_text(text)
    schedule.write_text("mesh one=1\ndevice host\n")
    return program, schedule


def simulate(partir, *files):
    run = partir("simulate", *files, "--json", "-")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)["tactics"][-1]


@pytest.mark.parametrize("name", PROGRAMS)
def test_flops_are_those_of_xla(name, partir, tmp_path):
    function, *args = PROGRAMS[name]
    ours = simulate(partir, *write(tmp_path, function, *args))["flops"]
    theirs = jax.jit(function).lower(*args).cost_analysis()["flops"]  # before optimization: one op each
    assert ours == pytest.approx(theirs, rel=0.02)


def test_loops_multiply(partir, tmp_path):
    def function(x, w):
        return lax.scan(lambda c, _: (jnp.tanh(c @ w), None), x, None, length=7)[0]

    got = simulate(partir, *write(tmp_path, function, shape(8, 16), shape(16, 16)))
    assert got["flops"] == 7 * 2 * 8 * 16 * 16 and got["unknown_trip_counts"] == 0


def products(jaxpr, runs, found):
    """Every dot and convolution of a traced function, with how often it runs."""
    for eqn in jaxpr.eqns:
        if eqn.primitive.name in ("dot_general", "conv_general_dilated"):
            types = tuple((v.aval.shape, v.aval.dtype) for v in eqn.invars)
            found.append((runs, eqn.primitive, types, eqn.params))
        inner = runs * eqn.params["length"] if eqn.primitive.name == "scan" else runs
        for sub in jax.tree.leaves(list(eqn.params.values()), is_leaf=lambda x: hasattr(x, "eqns") or hasattr(x, "jaxpr")):
            if hasattr(sub, "eqns") or hasattr(sub, "jaxpr"):
                products(sub if hasattr(sub, "eqns") else sub.jaxpr, inner, found)
    return found


@functools.cache
def cost_of(primitive, types, params):
    """What XLA says of this op alone."""
    args = [jax.ShapeDtypeStruct(*t) for t in types]
    return jax.jit(lambda *a: primitive.bind(*a, **dict(params))).lower(*args).cost_analysis()["flops"]


@pytest.mark.parametrize("name", ["t32", "t32_scan", "t32_mixed", "moe", "lstm", "convnet", "unet", "gns", "it32"])
def test_flops_of_models_are_those_of_xla(name, partir, tmp_path):
    """Op by op, since XLA counts the body of a loop once and elementwise ops too."""
    model = models.get(name, small=True)
    traced = jax.make_jaxpr(model.function)(*model.args)
    theirs = sum(n * cost_of(op, types, tuple(params.items())) for n, op, types, params in products(traced.jaxpr, 1, []))
    got = simulate(partir, *write(tmp_path, model.function, *model.args))
    print(f"{name}: {got['flops']:.0f}, XLA {theirs:.0f}, {100 * (got['flops'] / theirs - 1):+.2f} %")
    assert got["flops"] == pytest.approx(theirs, rel=0.02) and got["unknown_trip_counts"] == 0


def chain(x, w):
    for _ in range(4):
        x = jnp.tanh(x @ w)
    return x


def saved(x, w):
    return jax.grad(lambda w: chain(x, w).sum())(w)


def update(w, g):
    return w - 0.1 * g


MEMORY = {
    "chain": (chain, (), shape(256, 64), shape(64, 64)),
    "gradient": (saved, (), shape(256, 64), shape(64, 64)),
    "donated update": (update, (0,), shape(128, 64), shape(128, 64)),
}


@pytest.mark.parametrize("name", MEMORY)
def test_memory_is_near_xla(name, partir, tmp_path):
    """The errors of whole models are on docs/predictability.md; here little can go wrong but the rules themselves."""
    function, donate, *args = MEMORY[name]
    ours = simulate(partir, *write(tmp_path, function, *args, donate=donate))["peak_memory"]
    stats = jax.jit(function, donate_argnums=donate, keep_unused=True).lower(*args).compile().memory_analysis()
    theirs = (
        stats.argument_size_in_bytes
        + stats.output_size_in_bytes
        - stats.alias_size_in_bytes
        + stats.temp_size_in_bytes
    )
    print(f"{name}: simulated {ours}, XLA {theirs}, {100 * (ours / theirs - 1):+.1f} %")
    assert ours == pytest.approx(theirs, rel=0.15)


def test_memory_of_what_runs_on_cpu():
    """XLA on CPU gets the ops in an order in which a language model holds its logits once less: that order is simulated."""
    model = models.get("t32", small=True)
    tactics = schedules.tactics("t32", "BP+MP+Z3")
    step = jit(model.function, mesh={"batch": 4, "model": 2}, schedule=tactics, donate_argnums=model.donate_argnums, device="host")
    lowered = step.lower(*model.args)
    ours = lowered.report.simulation["tactics"][-1]["peak_memory"]
    theirs = lowered.compile().memory_analysis()
    total = theirs.argument_size_in_bytes + theirs.output_size_in_bytes - theirs.alias_size_in_bytes + theirs.temp_size_in_bytes
    assert ours == pytest.approx(total, rel=0.03)
