"""The TPU compiler's word on ours, Shardy and GSPMD, ahead of time: peak memory and what is sent on a v5e 2x4, without a TPU.

    python -m bench.evaluation.tpu MODEL STRATEGY SIDE FOLDER      # one side of one cell, its dumps in FOLDER

Needs libtpu (`pip install libtpu`, the version that bench/peak_memory.json names). Where it is not there, the page has what is kept. The collective
matmul of XLA's partitioner is left on for the peers; our modules pass that partitioner by, so they never get it.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.evaluation import cells, hlo, peers
from bench.tpu_compile import AFTER_REPORT, REPORT

TOPOLOGY = "v5e:2x4"
SECONDS = 600.0
SIDES = ("partir", "shardy", "gspmd", "shardy+")
_LARGE = {"layers": 2, "d_model": 1024, "heads": 8, "d_head": 128, "d_ff": 4096, "vocab": 32768, "batch": 32, "sequence": 1024}
# Few or scanned layers, widths as in practice.
SIZES: dict[str, dict[str, Any]] = {
    "llama": _LARGE | {"kv_heads": 2},
    "llama_scan": _LARGE | {"kv_heads": 2, "layers": 8},
    "gpt2": {"layers": 2, "d_model": 1024, "heads": 8, "vocab": 32768, "batch": 32, "sequence": 1024},
    "moe": _LARGE | {"experts": 8, "sequence": 512},
    "it32_multi_head": {"layers": 2, "d_model": 1024, "heads": 8, "d_head": 128, "d_ff": 4096, "vocab": 32768, "batch": 32, "prompt": 512, "steps": 128},
}
COMPARED: dict[str, tuple[str, ...]] = {
    "llama": ("BP+MP",),
    "llama_scan": ("BP+MP+Z3",),
    "gpt2": ("BP+MP", "BP+CP"),
    "moe": ("BP+EPB",),
    "it32_multi_head": ("BP+MP+Z3",),
}


def compile_side(model: str, strategy: str, side: str, folder: Path) -> None:
    """In this process; the compiler writes its dumps."""
    import jax
    import numpy as np
    from jax.experimental import topologies
    from jax.sharding import Mesh, NamedSharding

    from bench import models, tpu_compile
    from bench.evaluation import sides

    cell = sides.Cell(models.get(model, **SIZES[model]), model, strategy)
    if side == "partir":
        tpu_compile.compile_here(cell.lowered.as_text(), TOPOLOGY, folder)
        return
    devices = topologies.get_topology_desc(platform="tpu", topology_name=TOPOLOGY).devices
    mesh = Mesh(np.array(devices).reshape(tuple(sides.MESH.values())), tuple(sides.MESH))
    cell.place = lambda sharding: NamedSharding(mesh, sharding.spec)
    cell.lower(side).compile(compiler_options={"xla_dump_to": str(folder)})
    jax.clear_caches()


def ask(model: str, strategy: str, side: str) -> dict[str, Any]:
    """Of one side, in a process of its own that is ended once memory is known."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = os.environ | {"ALLOW_MULTIPLE_LIBTPU_LOAD": "1", "TPU_SKIP_MDS_QUERY": "1", "JAX_PLATFORMS": "cpu"}
        with (folder / "log").open("w") as log:
            child = subprocess.Popen([sys.executable, "-m", "bench.evaluation.tpu", model, strategy, side, name], stdout=log, stderr=subprocess.STDOUT, env=environment)
            end = time.monotonic() + SECONDS
            while child.poll() is None and time.monotonic() < end and not list(folder.glob(AFTER_REPORT)):
                time.sleep(0.5)
            child.kill()
            child.wait()
        reports = list(folder.glob(REPORT))
        text = (folder / "log").read_text()
        if not reports:
            needed = re.search(r"(?:Used |temporaries \()([\d.]+)([KMG])", text)
            return {"failed": f"out of memory, {needed[1]} {needed[2]}iB" if needed else text[-300:] or f"nothing after {SECONDS:.0f} s"}
        optimized = next(folder.glob("*.after_optimizations.txt"), None)
        found: dict[str, Any] = {"memory": int(re.search(r"Total bytes[^:]*: (\d+)", reports[0].read_text())[1])}
        if optimized is not None:
            sent = hlo.collectives(optimized.read_text())
            found |= {"sent": sum(one.bytes for one in sent.values()), "collectives": {kind.replace("-", "_"): one.count for kind, one in sent.items() if one.count}}
        return found


def page(quick: bool) -> str:
    """Memory and bytes sent."""
    version = importlib.metadata.version("libtpu") if importlib.util.find_spec("libtpu") else None
    lines = ["| model | schedule | side | collectives | sent, MB | memory, MB |", "|---|---|---|---|---:|---:|"]
    for model, strategies in ({} if quick else COMPARED).items():
        for strategy in strategies:
            for side in SIDES:
                name = f"{model} {strategy} {side}"
                path = cells.file_of("tpu", name)
                if version is None and not path.exists():
                    continue
                inputs = cells.digest(peers.emitted(model, strategy), SIZES[model], version, cells.source("hlo.py")) if version else cells.inputs_of("tpu", name)
                one = cells.kept("tpu", name, inputs, lambda: ask(model, strategy, side))
                if "failed" in one:
                    lines.append(f"| {model} | {strategy} | {peers.NAMES[side]} | {one['failed'][:100]} | | |")
                    continue
                kinds = ", ".join(f"{n} {kind}" for kind, n in one.get("collectives", {}).items())
                lines.append(f"| {model} | {strategy} | {peers.NAMES[side]} | {kinds} | {one.get('sent', 0) / 1e6:,.0f} | {one['memory'] / 1e6:,.0f} |")
    return "\n".join(lines) if len(lines) > 2 else "libtpu is not installed and nothing is kept."


if __name__ == "__main__":
    compile_side(*sys.argv[1:4], Path(sys.argv[4]))
