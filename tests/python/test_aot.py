"""Compiling for devices that are not there: the small GPT for TPU v5e and for H100, by the route that partir.jit takes.

Skipped unless libtpu, or jax-cuda12-plugin with jax-cuda12-pjrt and nvidia-cuda-nvcc-cu12, is installed.
"""

import collections
import importlib.util
import json
import os
import re
import subprocess
import sys

import pytest

from conftest import ROOT

# The program: its report's totals, then where the HLO is.
PROGRAM = """
import json, pathlib, sys
import jax, numpy as np
from jax.experimental import topologies
import partir
from bench import models, schedules

target, folder = sys.argv[1], pathlib.Path(sys.argv[2])
jax.devices()
if target == "tpu":
    topology = topologies.get_topology_desc(platform="tpu", topology_name="v5e:2x4")
    options = {"xla_dump_to": str(folder), "xla_dump_hlo_as_text": True, "xla_dump_hlo_pass_re": "spmd-partitioning"}
else:
    description = pathlib.Path(sys.argv[3]).read_text()
    topology = topologies.get_topology_desc(platform="cuda", topology_name="h100", target_config=description, topology="1x1x8")
    options = {"xla_gpu_autotune_level": 0, "xla_disable_hlo_passes": "all-reduce-combiner,gpu-all-reduce-combiner"}
mesh = jax.sharding.Mesh(np.array(topology.devices).reshape(4, 2), ("batch", "model"))
model = models.get("gpt4")
step = partir.jit(
    model.function, mesh=mesh, schedule=schedules.tactics("gpt4", "BP+MP+Z3"), donate_argnums=model.donate_argnums
)
lowered = step.lower(*model.args)
compiled = lowered.compile(options)
(folder / "optimized.hlo").write_text(compiled.as_text())
memory = compiled.memory_analysis()
totals = lowered.report.data["tactics"][-1]["totals"]
print(json.dumps({"totals": totals, "arguments": memory.argument_size_in_bytes, "alias": memory.alias_size_in_bytes}))
"""
KINDS = ("all-gather", "all-reduce", "reduce-scatter", "all-to-all", "collective-permute")


def installed(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def collectives(hlo):
    """How many tensors each kind of collective takes: one that XLA combined takes several."""
    found = collections.Counter()
    for kind, operands in re.findall(rf" ({'|'.join(KINDS)})(?:-start)?\(([^)]*)\)", hlo):
        found[kind] += operands.count("%") or 1 + operands.count(",")
    return {kind: found[kind] for kind in KINDS}


def compiled_for(target, folder):
    environment = os.environ | {
        "PYTHONPATH": f"{ROOT / 'python'}:{ROOT}",
        "JAX_PLATFORMS": "cpu",
        "XLA_FLAGS": "",
        "TPU_SKIP_MDS_QUERY": "1",
        "TPU_WORKER_HOSTNAMES": "localhost",
        "TPU_ACCELERATOR_TYPE": "v5litepod-8",
        "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
    }
    command = [sys.executable, "-c", PROGRAM, target, folder, ROOT / "tests" / "python" / "h100.txtpb"]
    done = subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["alias"] > 0.9 * told["arguments"]  # the state is donated
    return {kind: told["totals"][kind.replace("-", "_")] for kind in KINDS}


@pytest.mark.skipif(not installed("jax_plugins.xla_cuda12"), reason="jax-cuda12-plugin is not installed")
def test_h100(tmp_path):
    ours = compiled_for("cuda", tmp_path)
    assert collectives((tmp_path / "optimized.hlo").read_text()) == ours


@pytest.mark.skipif(not installed("libtpu"), reason="libtpu is not installed")
def test_tpu_v5e(tmp_path):
    """XLA's partitioner runs around the program there, and leaves it as it is; what comes after rewrites collectives."""
    ours = compiled_for("tpu", tmp_path)
    (after,) = [p for p in tmp_path.glob("*.txt") if "after_tpu-spmd-partitioning" in p.name]
    assert collectives(after.read_text()) == ours
    assert "all-gather" in (tmp_path / "optimized.hlo").read_text()
