"""Collectives of each strategy, as arithmetic on the number of layers predicts them (docs/partitioning.md)."""

import json

import jax
import partir
import pytest
from bench import models, schedules
from bench.models import serving
from partir import _xla

MESH = {"batch": 4, "model": 2}
L = 2  # layers of the small models
ALL = 9 * L + 1  # parameter tensors
MATRICES = 4 * L + 1  # of which ZeRO shards these
MEGATRON = 4 * L  # sums of activations, forward and backward

# all_gather, all_reduce, reduce_scatter
T32 = {
    "BP": (0, ALL + 1, 0),
    "MP": (0, MEGATRON, 0),
    "BP+MP": (0, ALL + 1 + MEGATRON, 0),
    "BP+MP+Z2": (MATRICES, ALL + 1 - MATRICES + MEGATRON, MATRICES),
    "BP+MP+Z3": (2 * 4 * L + 3, ALL + 1 - MATRICES + MEGATRON, MATRICES),
    "MP+EMB": (8 * L, 6 * L + 1, 4 * L),
    "BP+MP+Z3+EMB": (16 * L + 3, 11 * L + 2, 8 * L + 1),
}


def totals(step, args):
    last = json.loads(step.lower(*args).report.to_json())["tactics"][-1]
    assert not last["conflicts"]
    kinds = ("all_gather", "all_reduce", "reduce_scatter", "all_to_all", "collective_permute")
    return tuple(int(last["totals"][kind]) for kind in kinds)


@pytest.mark.parametrize("strategy", T32)
@pytest.mark.parametrize("name", ["t32", "t32_scan"])
def test_transformer(name, strategy):
    if name == "t32_scan" and strategy == "BP+MP+Z2":
        pytest.skip("the updated stack of a scanned weight is gathered once, not once a layer")
    if strategy not in schedules.names(name):
        pytest.skip("not a strategy of this model")
    model = models.get(name, small=True)
    step = partir.jit(model.function, mesh=MESH, schedule=schedules.tactics(name, strategy), donate_argnums=model.donate_argnums)
    assert totals(step, model.args) == (*T32[strategy], 0, 0)


def test_graph_network_sums_edges_once_a_step():
    model = models.get("gns", small=True)
    step = partir.jit(model.function, mesh=MESH, schedule=schedules.tactics("gns", "ES"), donate_argnums=model.donate_argnums)
    gathers, sums, scatters, *_ = totals(step, model.args)
    assert (gathers, scatters) == (0, 0) and sums > 0


def test_multi_query_serving():
    config = serving.SMALL
    step = partir.jit(
        serving.make_serve(config, partir.tag),
        mesh=MESH,
        schedule=schedules.tactics("it32", "BP+MPQ+MQ"),
        donate_argnums=models.get("it32", small=True).donate_argnums,
    )
    gathers, sums, scatters, exchanges, permutes = totals(step, models.get("it32", small=True).args)
    layers, steps = config.layers, config.steps
    assert (gathers, sums, scatters, permutes) == (2 * layers, 2 * layers * steps, 0, 0)
    assert exchanges == 2 * layers * (steps - 1)


def test_microbatches_are_reduced_once():
    """Gradient accumulation in a loop: one reduce_scatter for each weight after the loop, none inside."""
    model = models.get("t32_microbatch", small=True)
    step = partir.jit(model.function, mesh=MESH, schedule=schedules.tactics("t32_microbatch", "BP+MP+Z3"), donate_argnums=model.donate_argnums)
    assert totals(step, model.args)[2] == MATRICES


def test_clipping_keeps_zero():
    """The global gradient norm goes on from the tiles: one more all_reduce, and every reduce_scatter survives."""
    model = models.get("t32_clip", small=True)
    step = partir.jit(model.function, mesh=MESH, schedule=schedules.tactics("t32_clip", "BP+MP+Z3"), donate_argnums=model.donate_argnums)
    gathers, sums, scatters, *_ = totals(step, model.args)
    assert (gathers, scatters) == (2 * 4 * L + 3, MATRICES)
    assert sums <= ALL + 1 - MATRICES + MEGATRON + 2


def test_what_xla_makes_of_it():
    """On the optimized program: ZeRO-3's second gather survives, memory falls, donated state is updated in place.

    From Z2 to Z3 that is the memory of arguments alone: XLA on CPU takes all gathers as soon as it can, so that its peak stays.
    What is compiled is the program for any runtime; that for CPUs gathers these small weights once.
    """
    model = models.get("t32", small=True)
    peak, arguments = {}, {}
    for strategy in ("BP", "BP+Z2", "BP+Z3"):
        tactics = [schedules.tactics("t32", name)[-1] for name in strategy.split("+")]
        step = partir.jit(model.function, mesh=MESH, schedule=tactics, donate_argnums=model.donate_argnums)
        lowered = step.lower(*model.args)
        compiled = _xla.compile_local(lowered.as_text(), 8)
        memory = compiled.memory()
        state = sum(
            leaf.dtype.itemsize * int(jax.numpy.prod(jax.numpy.array(sharding.shard_shape(leaf.shape))))
            for i in model.donate_argnums
            for leaf, sharding in zip(jax.tree.leaves(model.args[i]), jax.tree.leaves(lowered.in_shardings[i]))
        )
        assert memory.alias_size_in_bytes == state
        arguments[strategy] = memory.argument_size_in_bytes
        peak[strategy] = memory.argument_size_in_bytes + memory.temp_size_in_bytes
        if strategy == "BP+Z3":
            counted = json.loads(lowered.report.to_json())["tactics"][-1]["totals"]["all_gather"]
            texts = compiled.text(), lowered.compile().as_text()
            gathers, on_cpu = (t.count(" all-gather(") + t.count(" all-gather-start(") for t in texts)
            assert gathers == counted > on_cpu > 0
    assert arguments["BP"] > arguments["BP+Z2"] > arguments["BP+Z3"]
    assert peak["BP"] > max(peak["BP+Z2"], peak["BP+Z3"])
