"""Shardy and GSPMD on a model of bench/models, given how its arguments are split: their collectives and their time.

    python -m bench.peers gpt24 --mesh batch=4,model=2 \\
        --tile x:0:batch --tile y:0:batch --tile 'params/**/qkv/kernel:1:model' --tile 'params/**/up/kernel:1:model'

Three peers see the same input shardings (results that are the next state of an argument are split as it is):

    shardy        Shardy's propagation and XLA's SPMD partitioner, inside XLA's compilation for CPU
    gspmd         XLA's older sharding propagation and the same partitioner
    shardy_mlir   Shardy's own passes, from StableHLO text to device-local StableHLO text; no programs with loops

XLA runs in a child process with all other passes off, so it stops with an error right after partitioning. What it dumps
there is counted, loop bodies times their trip count, and the processor time of each pass is read from the kernel (Linux
only). The Python inliner that shardy_mlir needs is not counted as its time.
"""

from __future__ import annotations

import argparse
import collections
import functools
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
Distribution = list[list[str]]
COLLECTIVES = ("all-gather", "all-reduce", "reduce-scatter", "all-to-all", "collective-permute")


@dataclass(frozen=True)
class Result:
    """What one peer did: collectives by kind, and seconds of processor time by pass."""

    collectives: dict[str, int]
    seconds: dict[str, float]


# ---- How the arguments are split ------------------------------------------------------------------------------------


def path_of(key_string: str) -> str:
    """JAX's key string as a path: params['layers'][0]['up'] is params/layers/0/up."""
    return re.sub(r"\['?([^\]']*)'?\]", r"/\1", key_string)


def distributions(model: Any, tiles: Sequence[tuple[str, int, str]]) -> list[Distribution]:
    """The distribution of each argument after `tiles`: (path pattern with * and **, dimension, axis), in order."""
    import jax

    split: list[Distribution] = [[[] for _ in leaf.shape] for leaf in jax.tree.leaves(model.args)]
    paths = [path_of(name) for name in model.names()]
    for pattern, dimension, axis in tiles:
        expression = re.escape(pattern).replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
        hits = [i for i, path in enumerate(paths) if re.fullmatch(expression, path)]
        if not hits:
            raise SystemExit(f"no argument matches {pattern}; there are {', '.join(paths[:8])}, …")
        for i in hits:
            split[i][dimension].append(axis)
    return split


def lower(name: str, small: bool, mesh: dict[str, int], split: list[Distribution]) -> Any:
    """The model lowered by JAX with these input shardings."""
    import jax

    from bench import models
    from partir._distribution import jax_mesh, sharding

    model = models.get(name, small)
    devices = jax_mesh(mesh)
    tree = jax.tree.structure(model.args)
    placed = jax.tree.unflatten(tree, [sharding(d, devices) for d in split])

    def form(part: Any) -> Any:
        return jax.tree.structure(part), [(leaf.shape, leaf.dtype) for leaf in jax.tree.leaves(part)]

    def place(result: Any) -> Any:
        """Where a result goes: to the place of the donated argument of its form; else wherever XLA likes."""
        hits = (placed[i] for i in model.donate_argnums if form(model.args[i]) == form(result))
        return next(hits, None)

    results = jax.eval_shape(model.function, *model.args)
    return jax.jit(
        model.function,
        in_shardings=placed,
        out_shardings=tuple(map(place, results)) if isinstance(results, tuple) else place(results),
        donate_argnums=model.donate_argnums,
        keep_unused=True,
    ).lower(*model.args)


# ---- Inside XLA -----------------------------------------------------------------------------------------------------

# The partitioning passes, and those that must run before them.
TIMED = ("flatten-call-graph", "call-inliner", "shardy-xla", "sharding-propagation", "spmd-partitioning")
KEPT = (*TIMED, "zero_sized_hlo_elimination", "conditional-canonicalizer", "stateful-rng-spmd-partitioning")


def count_collectives(hlo: str) -> dict[str, int]:
    """Collectives that one run of an HLO module executes, by kind: loop bodies count once for each turn."""
    body: dict[str, list[str]] = {}
    entry = current = ""
    for line in hlo.splitlines():
        if opened := re.match(r"(ENTRY )?%?([\w.\-]+) \(.*\) -> .* \{$", line):
            current = opened[2]
            body[current] = []
            entry = current if opened[1] else entry
        elif current:
            body[current].append(line)

    def trips(condition: str) -> int:
        """JAX's loops count from 0 in steps of 1 while the counter is less than a constant."""
        lines = "\n".join(body[condition])
        compare = re.search(r"compare\([^)]*%([\w.\-]+)\), direction=LT", lines)
        limit = compare and re.search(rf"%{re.escape(compare[1])} = \S+ constant\((\d+)\)", lines)
        if not limit:
            raise ValueError(f"the trip count of the loop with condition {condition} is not known:\n{lines}")
        return int(limit[1])

    @functools.cache
    def count(computation: str) -> collections.Counter[str]:
        total: collections.Counter[str] = collections.Counter()
        for line in body[computation]:
            op = re.match(r"\s+(?:ROOT )?%\S+ = (?:\(.*?\)|\S+) ([\w\-]+)\(", line)
            kind = op[1].removesuffix("-start") if op else ""
            called = dict(re.findall(r"(condition|body|to_apply)=%?([\w.\-]+)", line))
            if kind in COLLECTIVES:
                total[kind] += 1
            elif kind == "call":
                total += count(called["to_apply"])
            elif kind == "while":
                turns = trips(called["condition"])
                total += collections.Counter({k: n * turns for k, n in count(called["body"]).items()})
        return total

    return {kind: count(entry)[kind] for kind in COLLECTIVES}


def processor_seconds(process: int, thread: str) -> float:
    """Time that a thread has been on a processor."""
    nanoseconds = Path(f"/proc/{process}/task/{thread}/schedstat").read_text().split()[0]
    return int(nanoseconds) / 1e9


def partition_in_xla(
    peer: str, name: str, small: bool, mesh: dict[str, int], split: list[Distribution]
) -> Result:
    """Let XLA partition the model in a child process: `peer` is shardy or gspmd."""
    job = {"name": name, "small": small, "mesh": mesh, "split": split, "shardy": peer == "shardy"}
    seconds: dict[str, float] = {}
    started: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        flags = [
            f"--xla_enable_hlo_passes_only={','.join(KEPT)}",
            f"--xla_dump_to={folder} --xla_dump_hlo_pass_re=spmd-partitioning --xla_dump_hlo_as_text",
        ]
        command = [sys.executable, "-m", "bench.peers", "--child", json.dumps(job)]
        environment = child_environment(mesh, flags) | {
            "TF_CPP_MIN_LOG_LEVEL": "0",
            "TF_CPP_VMODULE": "hlo_pass_pipeline=1",
        }
        with subprocess.Popen(
            command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True
        ) as child:
            log = []
            for line in child.stderr:
                log.append(line)
                mark = re.match(r"I\d+ \S+ +(\d+) hlo_pass_pipeline\.cc:\d+\] +HLO pass:? (\S+)( time: )?", line)
                if not mark or mark[2] not in TIMED:
                    continue
                now = processor_seconds(child.pid, mark[1])
                if not mark[3]:
                    started[mark[2]] = now
                elif mark[2] in started:
                    seconds[mark[2]] = seconds.get(mark[2], 0.0) + now - started.pop(mark[2])
        dumps = sorted(Path(folder).glob("*after_spmd-partitioning*.txt"))
        if not dumps:
            raise RuntimeError(f"{peer} did not partition {name}:\n{''.join(log[-20:])}")
        return Result(count_collectives(dumps[0].read_text()), seconds)


def child_environment(mesh: dict[str, int], flags: Sequence[str]) -> dict[str, str]:
    """The environment of a child process with as many virtual devices as the mesh has."""
    count = math.prod(mesh.values())
    flags = [f"--xla_force_host_platform_device_count={count}", *flags]
    paths = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "python")])}
    return {**os.environ, **paths, "JAX_PLATFORMS": "cpu", "NPROC": str(2 * count), "XLA_FLAGS": " ".join(flags)}


def child(job: dict[str, Any]) -> None:
    """In the child process: compile as far as XLA comes."""
    import jax

    jax.config.update("jax_use_shardy_partitioner", job["shardy"])
    lowered = lower(job["name"], job["small"], job["mesh"], job["split"])
    try:
        lowered.compile()
    except jax.errors.JaxRuntimeError:
        pass  # as wanted: without the passes that were left out there is no executable


# ---- Shardy's own passes --------------------------------------------------------------------------------------------

SHARDY_PASSES = (  # as jaxlib 0.10 names them
    # import
    "symbol-dce,sdy-lift-inlined-meshes,sdy-remove-size-one-axes,sdy-propagate-sharding-from-func-to-call,"
    "sdy-constant-or-scalar-splitter,symbol-dce,sdy-manual-axes-cleanup,sdy-add-data-flow-edges,sdy-flatten-call-graph,"
    "symbol-dce,sdy-import-func-calls{add-data-flow-edges-on-named-computations=true},symbol-dce,"
    "sdy-apply-sharding-constraints,sdy-sharding-group-import,sdy-pre-order-funcs",
    # propagate
    "sdy-user-priority-propagate{keep-sharding-rules=true propagation-strategy=aggressive"
    " run-op-priority-propagation=true}",
    # export
    "sdy-export-named-computations,sdy-propagate-to-func-results,sdy-unflatten-call-graph,symbol-dce,"
    "sdy-insert-func-call-reshards,func.func(sdy-constant-or-scalar-merger),func.func(sdy-sink-data-flow-edges),"
    "sdy-remove-sharding-groups,func.func(sdy-sharding-constraint-to-reshard),"
    "sdy-update-non-divisible-input-output-shardings,sdy-remove-sub-axes-in-input-output-shardings,sdy-close-shardings",
    # collectives
    "func.func(sdy-insert-explicit-reshards{enable-full-version=true}),"
    "canonicalize{enable-patterns={sdy-collective} region-simplify=aggressive}",
    "func.func(sdy-reshard-to-collectives),canonicalize{enable-patterns={sdy-collective} region-simplify=aggressive}",
    # local shapes
    "sdy-convert-global-to-local",
    "sdy-drop-sharding-and-mesh",
)


def inline_calls(module: Any) -> None:
    """Inline every call into @main; Shardy's passes do not look into calls, and jaxlib registers no inliner."""
    from jaxlib.mlir import ir

    functions = {f.name.value: f.operation for f in module.body.operations if f.operation.name == "func.func"}

    def calls(op: Any) -> list[Any]:
        inner = [c.operation for region in op.regions for block in region for c in block]
        return [c for o in inner for c in ([o] if o.name == "func.call" else calls(o))]

    while found := calls(functions["main"]):
        for call in found:
            callee = functions[ir.FlatSymbolRefAttr(call.attributes["callee"]).value]
            with ir.InsertionPoint(module.body):
                copy = callee.clone()
            block = copy.regions[0].blocks[0]
            for argument, value in zip(list(block.arguments), list(call.operands)):
                argument.replace_all_uses_with(value)
            *operations, end = list(block.operations)
            for operation in operations:
                operation.operation.move_before(call)
            for result, value in zip(list(call.results), list(end.operation.operands)):
                result.replace_all_uses_with(value)
            call.erase()
            copy.erase()
    for name, function in functions.items():
        if name != "main":
            function.erase()


def shardy_mlir(text: str) -> tuple[str, Result]:
    """Device-local text of StableHLO text with Shardy annotations, by Shardy's passes in jaxlib's pass manager."""
    from jax.interpreters import mlir
    from jaxlib.mlir import ir, passmanager

    seconds: dict[str, float] = {}
    with mlir.make_ir_context():
        start = time.process_time()
        module = ir.Module.parse(text)
        seconds["parse"] = time.process_time() - start
        inline_calls(module)
        if "stablehlo.while" in str(module):
            raise NotImplementedError("Shardy's passes do not make loops local")
        start = time.process_time()
        for passes in SHARDY_PASSES:
            passmanager.PassManager.parse(f"builtin.module({passes})").run(module.operation)
        seconds["passes"] = time.process_time() - start
        start = time.process_time()
        local = str(module)
        seconds["print"] = time.process_time() - start
    kinds = collections.Counter(re.findall(r'"stablehlo\.(\w+)"', local))
    return local, Result({kind: kinds[kind.replace("-", "_")] for kind in COLLECTIVES}, seconds)


# ---- The command ----------------------------------------------------------------------------------------------------


def report(peer: str, result: Result) -> None:
    """One line for a peer."""
    counts = "  ".join(f"{kind} {n}" for kind, n in result.collectives.items() if n)
    times = ", ".join(f"{name} {1e3 * s:.0f}" for name, s in result.seconds.items())
    print(f"{peer:12} {1e3 * sum(result.seconds.values()):8.0f} ms ({times})   {counts or 'no collectives'}")


def main() -> None:
    """The command line."""
    if sys.argv[1:2] == ["--child"]:
        return child(json.loads(sys.argv[2]))
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description="Shardy and GSPMD on one model.")
    parser.add_argument("name", help="a model of bench/models")
    parser.add_argument("--small", action="store_true", help="the small configuration")
    parser.add_argument("--mesh", required=True, metavar="A=N,B=M")
    parser.add_argument("--tile", action="append", default=[], metavar="PATTERN:DIMENSION:AXIS")
    options = parser.parse_args()
    mesh = {axis: int(size) for axis, size in (part.split("=") for part in options.mesh.split(","))}
    tiles = [(p, int(d), axis) for p, d, axis in (tile.rsplit(":", 2) for tile in options.tile)]
    os.environ.update(child_environment(mesh, ()))
    sys.path.insert(0, str(ROOT / "python"))
    from bench import models

    split = distributions(models.get(options.name, options.small), tiles)
    for peer in ("shardy", "gspmd"):
        report(peer, partition_in_xla(peer, options.name, options.small, mesh, split))
    try:
        report("shardy_mlir", shardy_mlir(lower(options.name, options.small, mesh, split).as_text())[1])
    except NotImplementedError as reason:
        print(f"shardy_mlir  {reason}")


if __name__ == "__main__":
    main()
