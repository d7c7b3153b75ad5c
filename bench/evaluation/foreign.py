"""Programs that others wrote, as StableHLO text, beside Shardy and GSPMD: the same text, with the shardings that our schedule ends with.

    python -m bench.evaluation.foreign keras_resnet50_train BP+Z3 partir|shardy|gspmd [FOLDER]    # prints JSON; FOLDER: the TPU compiler's dumps

XLA compiles them for 8 virtual devices, and the TPU compiler ahead of time; nothing runs, so that numbers and step times are not known.
"""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ.setdefault("NPROC", "16")
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

from bench import corpus, peak_memory
from bench.evaluation import cells, hlo, lives, peers, tpu, why
from bench.tpu_compile import mark_manual

CELLS = (("keras_resnet50_train", "BP+Z3"), ("torchax_resnet50_train", "BP+Z3"))
SIDES = ("partir", "shardy", "gspmd")
STAGES = {"cpu": "stablehlo-cpu", "tpu": "stablehlo-tpu"}  # what each compiler gets
MESH = {"batch": 4, "model": 2}  # that of the schedules of bench/corpus.py


def emitted(program: Path, schedule: Path, stage: str) -> str:
    """What a compiler gets from us."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.mlir"
        cells.run(peak_memory.PARTIR, "partition", program, schedule, "--emit", stage, "--quiet", "-o", out)
        return out.read_text()


def distributions(text: str) -> tuple[list[list[list[str]]], list[list[list[str]]]]:
    """Of a program that we emitted, the axes of each dimension of each argument and result."""
    signature = re.search(r"@main\((.*)\) -> (.*) \{\n", text)
    found = []
    for part in signature.groups():
        said = re.findall(r'partir\.distribution = "\[(.*?)\]"', part)
        found.append([[[axis for axis in dim.split(", ") if axis] for dim in re.findall(r"\{(.*?)\}", one)] for one in said])
    return found[0], found[1]


def with_shardings(text: str, places: tuple[Any, Any], shardy: bool) -> Any:
    """The whole program, its arguments and results marked for XLA's partitioner. In an MLIR context."""
    import jax
    import numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec
    from jaxlib.mlir import ir

    from partir._jax import main_of

    axes = ", ".join(f'"{axis}"={size}' for axis, size in MESH.items())
    start = re.search(r"^module.*\{\n", text, re.MULTILINE).end()
    module = ir.Module.parse(f"{text[:start]}sdy.mesh @mesh = <[{axes}]>\n{text[start:]}" if shardy else text)
    mesh = Mesh(np.array(jax.devices()[:8]).reshape(tuple(MESH.values())), tuple(MESH))

    def mark(dims: list[list[str]]) -> dict[str, Any]:
        if shardy:
            inner = ", ".join("{" + ", ".join(f'"{axis}"' for axis in dim) + "}" for dim in dims)
            return {"sdy.sharding": ir.Attribute.parse(f"#sdy.sharding<@mesh, [{inner}]>")}
        spec = PartitionSpec(*(tuple(dim) or None for dim in dims))
        return {"mhlo.sharding": ir.StringAttr.get(str(NamedSharding(mesh, spec)._to_xla_hlo_sharding(len(dims))))}

    main = main_of(module)
    for kind, dists, types in (("arg_attrs", places[0], main.type.inputs), ("res_attrs", places[1], main.type.results)):
        old = [{e.name: e.attr for e in d} for d in main.attributes[kind]] if kind in main.attributes else [{}] * len(types)
        main.attributes[kind] = ir.ArrayAttr.get([ir.DictAttr.get(a | mark(d)) for a, d in zip(old, dists, strict=True)])
    module.operation.attributes["mhlo.num_partitions"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), 8)
    return module


def options_of(side: str) -> Any:
    """With which a side is compiled."""
    import numpy as np
    from jax._src.lib import xla_client

    options = xla_client.CompileOptions()
    build = options.executable_build_options
    for one in (options, build):
        one.num_replicas, one.num_partitions = 1, 8
        one.device_assignment = xla_client.DeviceAssignment.create(np.arange(8).reshape(1, 8))
    build.use_spmd_partitioning = True
    build.use_shardy_partitioner = side == "shardy"
    return options


def compile_for_tpu(program: str, ours: str, side: str, folder: Path) -> None:
    """In this process; the compiler writes its dumps."""
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jax.experimental import topologies
    from jaxlib.mlir import ir

    devices = topologies.get_topology_desc(platform="tpu", topology_name=tpu.TOPOLOGY).devices[:8]
    options = options_of(side)
    options.executable_build_options.debug_options.xla_dump_to = str(folder)
    with mlir.make_ir_context():
        module = ir.Module.parse(ours) if side == "partir" else with_shardings(program, distributions(ours), side == "shardy")
        if side == "partir":
            mark_manual(module)
        devices[0].client.compile(module, xla_client.DeviceList(tuple(devices)), options)


def compile_side(program: str, ours: str, side: str) -> dict[str, Any]:
    """Collectives, what is sent and memory, on each device."""
    import jax
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client

    from partir import _xla

    if side == "partir":
        done = _xla.compile_local(ours, 8)
        text, memory = done.text(), done.memory()
    else:
        with mlir.make_ir_context():
            module = with_shardings(program, distributions(ours), side == "shardy")
            devices = jax.devices()[:8]
            compiled = devices[0].client.compile_and_load(module, xla_client.DeviceList(tuple(devices)), options_of(side))
        text, memory = compiled.get_hlo_text(), compiled.get_compiled_memory_stats()
    sent = hlo.collectives(text)
    return {
        "collectives": {kind.replace("-", "_"): one.count for kind, one in sent.items() if one.count},
        "sent": sum(one.bytes for one in sent.values()),
        "memory": memory.argument_size_in_bytes + memory.output_size_in_bytes - memory.alias_size_in_bytes + memory.temp_size_in_bytes,
    } | hlo.largest(text)


def ask(name: str, strategy: str, side: str) -> dict[str, Any]:
    """In a process of its own: a compiler may abort."""
    command = [sys.executable, "-m", "bench.evaluation.foreign", name, strategy, side]
    paths = os.pathsep.join((str(peers.ROOT), str(peers.ROOT / "python")))
    done = subprocess.run(command, cwd=peers.ROOT, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, timeout=cells.LIMIT)
    if done.returncode:
        raise RuntimeError(done.stderr[-400:])
    return json.loads(done.stdout.splitlines()[-1])


@functools.lru_cache(maxsize=1)
def prepared(name: str, strategy: str, stage: str) -> tuple[str, str]:
    """The program, and what a compiler gets from us."""
    with tempfile.TemporaryDirectory() as temporary:
        program, schedule = corpus.prepare(name, strategy, Path(temporary))
        return program.read_text(), emitted(program, schedule, stage)


def kept_as(name: str, strategy: str, by: str, side: str) -> str:
    """The name of a side's result."""
    return f"{name} {strategy} {by} {side}"


def inputs(name: str, strategy: str, stage: str, side: str) -> str:
    """What a side depends on: the program that the compiler gets."""
    program, ours = prepared(name, strategy, stage)
    gets = ours if side == "partir" else (program, distributions(ours))
    by = next(by for by, one in STAGES.items() if one == stage)
    version = cells.version_of("libtpu", "foreign", kept_as(name, strategy, by, side)) if by == "tpu" else peers.versions()
    return cells.digest(gets, side, version, hlo.COUNTING, lives.COUNTING)


def found() -> dict[tuple[str, str, str], dict[str, Any]]:
    """By program, compiler and side."""
    result = {}
    for name, strategy in CELLS:
        for by, stage in STAGES.items():
            for side in SIDES:
                one = (name, strategy, side)
                measure = functools.partial(ask, *one) if by == "cpu" else functools.partial(tpu.ask, "bench.evaluation.foreign", *one)
                key = functools.partial(inputs, name, strategy, stage, side)
                here = corpus.is_here(name) and (by == "cpu" or tpu.is_here())
                result[name, by, side] = cells.kept("foreign", kept_as(name, strategy, by, side), key, measure, why.whole, here)
    return result


def page() -> str:
    """A table, if the programs are at hand or were."""
    lines = ["| program | schedule | compiler | side | collectives | sent, MB | memory, MB | without gaps |", "|---|---|---|---|---|---:|---:|---:|"]
    missing, worse, every = [], [], found()
    for (name, by, side), one in every.items():
        strategy, compiler = dict(CELLS)[name], {"cpu": "XLA CPU", "tpu": "TPU"}[by]
        start = f"| {name} | {strategy} | {compiler} | {peers.NAMES[side]} |"
        if one.get("failed") == cells.NOT_MEASURED:
            missing.append(f"{name} {strategy} {compiler} {peers.NAMES[side]}")
        elif "failed" in one:
            lines.append(f"{start} failed: {' '.join(one['failed'].split())[:100]} | | | |")
        else:
            kinds = ", ".join(f"{n} {kind}" for kind, n in one["collectives"].items()) or "none"
            shown = [f"{one[key] / 1e6:,.0f}" for key in ("sent", "memory")]
            if side == "partir" and (behind := tpu.lost(sides := {other: every[name, by, other] for other in SIDES})):
                shown = [f"**{text}**" if key in behind else text for key, text in zip(("sent", "memory"), shown)]
                worse.append(f"- {name}, {strategy}, {compiler}: **{', '.join(behind)}** ({tpu.ratios(sides, behind)}).{tpu.packing(sides, behind)}" + why.evidence(sides, list(behind)))
            lines.append(f"{start} {kinds} | {' | '.join(shown)} | {tpu.without_gaps(one)} |")
    text = f"Beside the peers, from the same text and the shardings that our schedule ends with; compiled, not run.\n\nWorse than the better peer by more than 2 %:\n\n" + ("\n".join(worse) or "Nowhere.")
    rows = "\n".join(lines) if len(lines) > 2 else ""
    return "\n\n".join(filter(None, (text, rows, f"Not measured: {'; '.join(missing)}." if missing else "")))


if __name__ == "__main__":
    named, folders = sys.argv[1:3], sys.argv[4:]
    if folders:
        tpu.limit_time()
    texts = prepared(*named, STAGES["tpu" if folders else "cpu"])
    if folders:
        compile_for_tpu(*texts, sys.argv[3], Path(folders[0]))
    else:
        print(json.dumps(compile_side(*texts, sys.argv[3])))
