"""The TPU compiler without a TPU: what it says of a device-local program.

    python -m bench.tpu_compile PROGRAM v5e:2x4 FOLDER     # compile, with the compiler's dumps in FOLDER

It knows how buffers lie after seconds and writes code for many minutes after that, so `ask` runs it as a process of its own and,
unless the cycles are wanted, ends it as soon as the memory report is there. Needs libtpu.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

REPORT = "*memory-usage-report.txt"
AFTER_REPORT = "*after_optimizations_after_buffer_assignment.txt"  # the dump that comes next, so that the report is whole
CODE = "code.hlo"  # the program with cycles beside its kernels, written by us


def ask(text: str, topology: str, with_cycles: bool, seconds: float) -> dict[str, int]:
    """ "Total bytes" of the memory report, and cycles; of a program that does not fit, what it says it would need.

    A program for which that takes longer than `seconds` has no figures.
    """
    from bench import tpu

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = folder / "program.mlir"
        program.write_text(text)
        error = _run(program, topology, folder, with_cycles, seconds)
        reports = list(folder.glob(REPORT))
        if not reports:
            needed = re.search(r"(?:Used |temporaries \()([\d.]+)([KMG])", error) if "memory" in error else None
            if not needed:
                raise RuntimeError(error[-600:] or f"nothing after {seconds:.0f} s")
            return {"out_of_memory": int(float(needed[1]) * 1024 ** " KMG".index(needed[2]))}
        found = {"total": int(re.search(r"Total bytes[^:]*: (\d+)", reports[0].read_text())[1])}
        code = folder / CODE
        return found | ({"cycles": tpu.cycles(code.read_text())} if code.exists() else {})


def _run(program: Path, topology: str, folder: Path, to_the_end: bool, seconds: float) -> str:
    """What it printed."""
    log = folder / "log"
    with log.open("w") as out:
        command = [sys.executable, "-m", "bench.tpu_compile", program, topology, folder]
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        end = time.monotonic() + seconds
        while child.poll() is None and time.monotonic() < end and (to_the_end or not list(folder.glob(AFTER_REPORT))):
            time.sleep(0.5)
        if child.poll() is None:
            child.kill()
            child.wait()
    return log.read_text()


def compile_here(text: str, topology: str, folder: Path) -> str:
    """In this process: the optimized program."""
    import numpy as np
    from jax._src.interpreters import mlir
    from jax._src.lib import _jax, xla_client
    from jax.experimental import topologies
    from jaxlib.mlir import ir

    devices = topologies.get_topology_desc(platform="tpu", topology_name=topology).devices[:8]
    options = xla_client.CompileOptions()
    build = options.executable_build_options
    for o in (options, build):
        o.num_replicas, o.num_partitions = 1, 8
    build.use_spmd_partitioning = True
    build.device_assignment = _jax.DeviceAssignment.create(np.arange(8).reshape(1, 8))
    build.debug_options.xla_dump_to = str(folder)
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        mark_manual(module)
        return devices[0].client.compile(module, _jax.DeviceList(tuple(devices)), options).hlo_modules()[0].to_string()


def mark_manual(module: Any) -> None:
    """XLA's partitioner cannot be switched off on TPU, but it leaves alone what is marked so."""
    from jaxlib.mlir import ir

    manual = ir.StringAttr.get("{manual}")

    def mark(op: Any) -> Any:
        if op.name.startswith("stablehlo.") and op.name != "stablehlo.return" and not op.attributes.__contains__("mhlo.sharding"):
            op.attributes["mhlo.sharding"] = manual
        return ir.WalkResult.ADVANCE

    module.operation.walk(mark)
    for function in module.body.operations:
        attributes = {}
        for kind, types in (("arg_attrs", function.type.inputs), ("res_attrs", function.type.results)):
            old = [{e.name: e.attr for e in d} for d in function.attributes[kind]] if kind in function.attributes else [{}] * len(types)
            attributes[kind] = ir.ArrayAttr.get([ir.DictAttr.get(d | {"mhlo.sharding": manual}) for d in old])
        for kind, value in attributes.items():
            function.attributes[kind] = value


if __name__ == "__main__":
    out = Path(sys.argv[3])
    (out / CODE).write_text(compile_here(Path(sys.argv[1]).read_text(), sys.argv[2], out))
