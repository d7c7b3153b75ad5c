"""The page's part on GPU: what XLA makes of programs for H100, ahead of time, against the simulator's memory.

    python -m bench.peak_memory measure --target h100:1x1x8     # needs jax-cuda12-plugin and nvidia-cuda-nvcc-cu12, no GPU
    python -m bench.gpu PROGRAM                                 # compile one device-local program, and print its memory
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench import peak_memory

TARGET = "h100:1x1x8"
# Rules were settled on the first models; the others were compiled before, and compared after.
SETTLED = ("mlp", "convnet", "moe", "t32", "t32_scan", "t32_mixed", "lstm")
HELD_OUT = ("gns", "it32", "unet", "t32_microbatch", "keras_fnet_train", "torchax_resnet50_train", "mlpmixer_l16_train", "haiku_lstm_lm_train")
DESCRIPTION = peak_memory.ROOT / "tests" / "python" / "h100.txtpb"


def ask(text: str) -> dict[str, int]:
    """All that one device of eight allocates, where a donated argument and its result are one."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program.mlir"
        program.write_text(text)
        command = [sys.executable, "-m", "bench.gpu", str(program)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=peak_memory.ROOT, env=os.environ | {"XLA_FLAGS": ""})
    if done.returncode:
        raise RuntimeError(done.stderr[-600:])
    return json.loads(done.stdout.splitlines()[-1])


def compile_here(text: str) -> dict[str, int]:
    """In this process. Without a GPU no kernels can be tried, so that XLA takes those that it expects to be good."""
    import jax
    import numpy as np
    from jax._src.interpreters import mlir
    from jax._src.lib import _jax, xla_client
    from jax.experimental import topologies
    from jaxlib.mlir import ir

    from bench.tpu_compile import mark_manual

    jax.devices()
    platform, shape = TARGET.split(":")
    topology = topologies.get_topology_desc(platform="cuda", topology_name=platform, target_config=DESCRIPTION.read_text(), topology=shape)
    devices = topology.devices[:8]
    options = xla_client.CompileOptions()
    options.env_option_overrides = [("xla_gpu_autotune_level", 0)]
    build = options.executable_build_options
    for o in (options, build):
        o.num_replicas, o.num_partitions = 1, 8
    build.use_spmd_partitioning = True
    build.device_assignment = _jax.DeviceAssignment.create(np.arange(8).reshape(1, 8))
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        mark_manual(module)
        compiled = devices[0].client.compile(module, _jax.DeviceList(tuple(devices)), options)
    return peak_memory.all_of(compiled.get_compiled_memory_stats())


if __name__ == "__main__":
    print(json.dumps(compile_here(Path(sys.argv[1]).read_text())))
