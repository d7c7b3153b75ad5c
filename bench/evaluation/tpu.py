"""The TPU compiler's word on ours, Shardy and GSPMD, ahead of time: peak memory and what is sent on a v5e 2x4, without a TPU.

    python -m bench.evaluation.tpu CELL SIDE FOLDER      # one side of one cell, its dumps in FOLDER

Needs libtpu (`pip install libtpu`, the version that bench/peak_memory.json names). Where it is not there, the page has what is kept.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from bench.evaluation import cells, hlo, lives, peers, why
from bench.tpu_compile import AFTER_REPORT, REPORT

TOPOLOGY = "v5e:2x4"
SECONDS = 1200  # of a processor; the compiler is given up when it has used so many, or after WAIT times as long
WAIT = 4
_LARGE = {"layers": 2, "d_model": 1024, "heads": 8, "d_head": 128, "d_ff": 4096, "vocab": 32768, "batch": 32, "sequence": 1024}
_SERVING = {"layers": 2, "d_model": 1024, "heads": 8, "d_head": 128, "d_ff": 4096, "vocab": 32768, "batch": 32, "prompt": 512, "steps": 128}
_GPT2 = {"heads": 8, "batch": 32, "sequence": 512}
_GPT2_WIDE = _GPT2 | {"layers": 4, "d_model": 768, "vocab": 16384}
_VIT = {"layers": 4, "d_model": 768, "heads": 12, "d_ff": 3072, "classes": 1024, "batch": 128}
_MOE = _LARGE | {"experts": 8, "sequence": 512, "vocab": 8192}
_MANY = _LARGE | {"experts": 32, "sequence": 256, "vocab": 8192, "batch": 8}
_UNET = {"batch": 32, "image": 64, "channels": 128, "multipliers": (1, 2), "blocks": 1}
_NO_HIDING = {"xla_tpu_enable_latency_hiding_scheduler": False}
_MATMUL = {"xla_tpu_all_gather_collective_matmul_mode": "post_spmd", "xla_tpu_reduce_scatter_collective_matmul_mode": "post_spmd"}
_MATMUL_INSIDE = {
    "xla_jf_spmd_threshold_for_windowed_einsum_mib": 0,
    "xla_tpu_enable_windowed_einsum_for_all_gather": True,
    "xla_tpu_enable_windowed_einsum_for_reduce_scatter": True,
}
_LOOPS = ("it32_multi_head", "llama_scan")
_ALL, _TWO, _INSIDE = ("partir", "shardy", "gspmd", "shardy+"), ("partir", "shardy"), ("partir", "shardy", "shardy+")


class Cell(NamedTuple):
    """A program, with few or scanned layers and widths as in practice, and options of the compiler."""

    model: str
    strategy: str
    size: dict[str, Any]
    sides: tuple[str, ...] = ("partir", "shardy", "gspmd")
    options: dict[str, Any] = {}
    mesh: dict[str, int] = {"batch": 4, "model": 2}


CELLS: dict[str, Cell] = {
    "Llama, 2 kv heads on model=4": Cell("llama", "BP+MP", _LARGE | {"kv_heads": 2, "flat": True}, mesh={"batch": 2, "model": 4}),
    "GPT-2, 4 layers of 1024, vocabulary 8192": Cell("gpt2", "BP+MP", _GPT2 | {"layers": 4, "d_model": 1024, "vocab": 8192}),
    "GPT-2, 8 layers of 1024, vocabulary 2048": Cell("gpt2", "BP+MP", _GPT2 | {"layers": 8, "d_model": 1024, "vocab": 2048}, _TWO),
    "GPT-2, 4 layers of 768, vocabulary 16384": Cell("gpt2", "BP+MP", _GPT2_WIDE),
    "the same, latency hiding off": Cell("gpt2", "BP+MP", _GPT2_WIDE, _TWO, options=_NO_HIDING),
    "the same, tiled by vocabulary": Cell("gpt2", "BP+MP+VOC", _GPT2_WIDE, _TWO),
    "UNet tiled on height": Cell("unet", "BP+H", _UNET),
    "GPT-2, 2 layers of 1024": Cell("gpt2", "BP+CP", _GPT2 | {"layers": 2, "d_model": 1024, "vocab": 8192}, _ALL),
    "MoE, 8 experts on the batch axis": Cell("moe", "BP+EPB", _MOE, _ALL),
    "the same, tokens tagged": Cell("moe", "TOK+BP+EPB", _MOE, _INSIDE),
    "decode loop, 128 steps": Cell("it32_multi_head", "BP+MP+Z3", _SERVING),
    "decode loop, in chunks": Cell("it32_multi_head", "BP+MP+Z3+least", _SERVING, _TWO),
    "the same, the table first": Cell("it32_multi_head", "VOC+BP+MP+Z3", _SERVING, _TWO),
    "MoE, 32 experts": Cell("moe", "BP+Z3", _MANY),
    "MoE, 32 experts, in chunks": Cell("moe", "BP+Z3+least", _MANY),
    "MoE, 32 experts, tokens tagged": Cell("moe", "TOK+BP+Z3", _MANY, _ALL),
    "Llama": Cell("llama", "BP+MP+SP", _LARGE | {"kv_heads": 4}, _ALL),
    "Llama, latency hiding off": Cell("llama", "BP+MP+SP", _LARGE | {"kv_heads": 4}, _TWO, _NO_HIDING),
    "Llama, collective matmul": Cell("llama", "BP+MP+SP", _LARGE | {"kv_heads": 4}, _INSIDE, _MATMUL),
    "Llama, collective matmul by the partitioner": Cell("llama", "BP+MP+SP", _LARGE | {"kv_heads": 4}, _INSIDE, _MATMUL_INSIDE),
    "Llama, 8 scanned layers": Cell("llama_scan", "BP+MP+Z3", _LARGE | {"kv_heads": 4, "layers": 8}),
    "ViT, 4 layers of 768": Cell("vit", "BP+Z3", _VIT, _ALL),
    "ViT, latency hiding off": Cell("vit", "BP+Z3", _VIT, ("partir", "shardy+"), _NO_HIDING),
    "convolutional network": Cell("convnet", "BP+Z3", {}),
    "convolutional network, latency hiding off": Cell("convnet", "BP+Z3", {}, _TWO, _NO_HIDING),
    "transformer, 8 layers": Cell("t32", "BP+Z3", _LARGE | {"layers": 8, "sequence": 512, "vocab": 8192}),
}
_ORDER = ("shardy", "shardy+", "partir", "gspmd")  # in which sides are measured, if there is no time for all


def compile_side(name: str, side: str, folder: Path) -> None:
    """In this process; the compiler writes its dumps."""
    import numpy as np
    from jax.experimental import topologies
    from jax.sharding import Mesh

    from bench import models
    from bench.evaluation import sides

    it = CELLS[name]
    devices = topologies.get_topology_desc(platform="tpu", topology_name=TOPOLOGY).devices
    mesh = Mesh(np.array(devices).reshape(tuple(it.mesh.values())), tuple(it.mesh))
    cell = sides.Cell(models.get(it.model, **it.size), it.model, it.strategy, mesh)
    cell.lower(side).compile({"xla_dump_to": str(folder)} | it.options)


def limit_time() -> None:
    """Of this process."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def ask(module: str, *arguments: str) -> dict[str, Any]:
    """Of one side, by a module that is given a folder for the compiler's dumps; its process is ended once memory is known."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        environment = os.environ | {"ALLOW_MULTIPLE_LIBTPU_LOAD": "1", "TPU_SKIP_MDS_QUERY": "1", "JAX_PLATFORMS": "cpu", "PYTHONPATH": f"{peers.ROOT / 'python'}:{peers.ROOT}"}
        with (folder / "log").open("w") as log:
            child = subprocess.Popen([sys.executable, "-m", module, *arguments, temporary], stdout=log, stderr=subprocess.STDOUT, env=environment)
            end = time.monotonic() + WAIT * SECONDS
            while child.poll() is None and time.monotonic() < end and not list(folder.glob(AFTER_REPORT)):
                time.sleep(0.5)
            child.kill()
            child.wait()
        reports = list(folder.glob(REPORT))
        text = (folder / "log").read_text()
        if not reports:
            needed = re.search(r"(?:Used |temporaries \()([\d.]+)([KMG])", text)
            return {"failed": f"out of memory, {needed[1]} {needed[2]}iB" if needed else text[-300:] or f"nothing after {SECONDS} s"}
        optimized = next(folder.glob("*.after_optimizations.txt"), None)
        found: dict[str, Any] = {"memory": int(re.search(r"Total bytes[^:]*: (\d+)", reports[0].read_text())[1])}
        if heap := lives.most(folder):
            found |= {"live": found["memory"] - heap.size + heap.used, "holds": lives.listed(heap)}
        if optimized is not None:
            sent = hlo.collectives(text := optimized.read_text())
            found |= hlo.largest(text) | {"sent": sum(one.bytes for one in sent.values()), "collectives": {kind.replace("-", "_"): one.count for kind, one in sent.items() if one.count}}
        return found


@functools.lru_cache(maxsize=1)
def _lowered(name: str) -> Any:
    from bench import models
    from bench.evaluation import sides

    it = CELLS[name]
    return sides.Cell(models.get(it.model, **it.size), it.model, it.strategy, it.mesh)


def kept_as(name: str, side: str) -> str:
    """The name of a side's result."""
    return f"{name} {CELLS[name].strategy} {side}"


def inputs(name: str, side: str) -> str:
    """All that a side depends on: the program that the compiler gets, not what made it."""
    version = cells.version_of("libtpu", "tpu", kept_as(name, side))
    program = _lowered(name).lower(side).as_text(*(("stablehlo-tpu",) if side == "partir" else ()))
    return cells.digest(CELLS[name].options, program, version, hlo.COUNTING, lives.COUNTING)


def is_here() -> bool:
    """Whether this machine has the compiler."""
    return bool(importlib.util.find_spec("libtpu"))


@functools.cache
def found(quick: bool) -> dict[str, dict[str, dict[str, Any]]]:
    """Every cell by its name, and its sides."""
    result: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in ({} if quick else CELLS)}

    def measure(name: str, some: tuple[str, ...], good: Callable[[dict[str, Any]], bool] = bool) -> None:
        for side in some:
            if side in CELLS[name].sides:
                result[name][side] = cells.kept("tpu", kept_as(name, side), lambda: inputs(name, side), lambda: ask("bench.evaluation.tpu", name, side), good, is_here())

    for few in (_ORDER[:2], _ORDER[2:3], _ORDER[3:]):
        for name in result:
            measure(name, few)
    for name, sides in result.items():
        if behind := lost(sides):
            measure(name, ("partir", *(least(sides, key) for key in behind)), why.whole)
    return result


def page(quick: bool) -> str:
    """Memory and bytes sent."""
    lines = ["| program | schedule | side | collectives | sent, MB | memory, MB | without gaps |", "|---|---|---|---|---:|---:|---:|"]
    missing, worse, apart = [], [], []
    for name, sides in found(quick).items():
        strategy = CELLS[name].strategy
        behind = lost(sides)
        if behind:
            said = f"{packing(sides, behind)} {WHY.get(name, '')}".rstrip() or " Not found why."
            (apart if name in APART else worse).append(f"- {name}, {strategy}: **{', '.join(behind)}** ({ratios(sides, behind)}).{said}" + why.evidence(sides, list(behind)))
        for side in CELLS[name].sides:
            one = sides[side]
            if one.get("failed") == cells.NOT_MEASURED:
                missing.append(f"{name} {strategy} {peers.NAMES[side]}")
            elif "failed" in one:
                lines.append(f"| {name} | {strategy} | {peers.NAMES[side]} | failed: {' '.join(one['failed'].split())[:100]} | | | |")
            else:
                kinds = ", ".join(f"{n} {kind}" for kind, n in one["collectives"].items())
                shown = []
                for key in ("sent", "memory"):
                    text = f"{one[key] / 1e6:,.0f}"
                    shown.append(f"**{text}**" if side == "partir" and key in behind else text)
                lines.append(f"| {name} | {strategy} | {peers.NAMES[side]} | {kinds} | {' | '.join(shown)} | {without_gaps(one)} |")
    text = f"v5e 2x4 ahead of time, compiled for 8 devices, with no TPU at hand. {NOTES}\n\n{scatters(quick)}\n\n"
    text += "Worse than the better peer by more than 2 %:\n\n" + ("\n".join(worse) or "Nowhere.")
    text += "\n\nApart from these, what is not supported here:\n\n" + "\n".join(apart) if apart else ""
    text += "\n\n" + "\n".join(lines)
    return text + (f"\n\nNot measured: {'; '.join(missing)}." if missing else "")


def scatters(quick: bool) -> str:
    """How many sums of slices both sides have, in programs that run each once."""
    counts = {"partir": 0, "shardy": 0}
    both = [sides for name, sides in found(quick).items() if CELLS[name].model not in _LOOPS and all("collectives" in sides.get(side, {}) for side in counts)]
    for side in counts:
        counts[side] = sum(sides[side]["collectives"].get("reduce_scatter", 0) for sides in both)
    said = ", ".join(f"{peers.NAMES[side]} {count}" for side, count in counts.items())
    return f"A reduce_scatter is one fusion of this compiler, for our modules as for the partitioner's. The {len(both)} programs without loops together have: {said}."


def lost(sides: dict[str, dict[str, Any]]) -> dict[str, float]:
    """Where ours has more than 2 % more than a peer: as a part of the least."""
    ratios = ratio_of(sides, "sent") | ratio_of(sides, "memory")
    return {key: ratio for key, ratio in ratios.items() if ratio > peers.WORSE}


def least(sides: dict[str, dict[str, Any]], measure: str) -> str:
    """The peer with the least of a measure."""
    return min((side for side, one in sides.items() if side != "partir" and measure in one), key=lambda side: sides[side][measure])


def ratios(sides: dict[str, dict[str, Any]], behind: dict[str, float]) -> str:
    """Ours as a part of the least of any."""
    every = behind | (ratio_of(sides, "live") if "memory" in behind else {})
    return "of the least of any: " + ", ".join(f"{'without gaps' if key == 'live' else key} {ratio:.2f}" for key, ratio in every.items())


def packing(sides: dict[str, dict[str, Any]], behind: dict[str, float]) -> str:
    """Of a loss of memory that is none without the gaps of the compiler's heap."""
    live = ratio_of(sides, "live").get("live")
    return " What is held at once is no more: the compiler packs its heap worse." if "memory" in behind and live is not None and live <= peers.WORSE else ""


def without_gaps(one: dict[str, Any]) -> str:
    """In MB, where it is known."""
    return f"{one['live'] / 1e6:,.0f}" if "live" in one else ""


def ratio_of(sides: dict[str, dict[str, Any]], key: str) -> dict[str, float]:
    """Of one measure ours as a part of the least of the peers, if it is known of all."""
    others = [one for side, one in sides.items() if side != "partir" and "failed" not in one]
    if not others or not all(key in one for one in (sides.get("partir", {}), *others)):
        return {}
    return {key: sides["partir"][key] / min(one[key] for one in others)}


NOTES = """Numbers are not computed there: a peer that is wrong on CPU is shown all the same.
Without gaps: what memory would be if the compiler left none in its heap; what it takes above that is how it packs.
The compiler's collective matmul works after partitioning (`xla_tpu_all_gather_collective_matmul_mode=post_spmd` and the same for reduce_scatter), so
that our modules get it too; the older one works inside the partitioner (`xla_jf_spmd_threshold_for_windowed_einsum_mib=0`), which our modules
pass by. Each has a row with it on for all sides. What a loss reads of each row, the log probability of one word, is a masked sum in our programs: the
gather that the peers' programs have writes an array as large as the logits."""

APART = ("UNet tiled on height",)

# Why a row is worse, where it was looked into.
_PACKED = "With latency hiding off, in a row of its own, it packs ours better."
_LOOKUP = "The prompt's lookup in chunks of the table: until they are summed, a device holds rows for the tokens of the whole batch. The peer splits them on `model` too."
WHY = {
    "UNet tiled on height": "Convolutions are not tiled in space here: what they read is gathered and their results are whole. Sends less, holds more.",
    "MoE, 8 experts on the batch axis": "That peer is told inside the model where tokens go to their experts; the row with tags has it from a line of the schedule.",
    "decode loop, 128 steps": "ZeRO-3 gathers all weights in each step, the table for the logits above all. The report warns of it and names the line of the row in chunks, `gathers least`.",
    "decode loop, in chunks": _LOOKUP,
    "the same, the table first": _LOOKUP,
    "MoE, 32 experts": "ZeRO-3 gathers every expert for few tokens. The report warns of it; the rows in chunks and with tags have lines that mend it.",
    "MoE, 32 experts, in chunks": "Products are judged one by one: what lies between those of an expert is moved back to the batch and again to the experts. The row with tags has the lines that say so.",
    "MoE, 32 experts, tokens tagged": "The table's gradient is whole before its reduce_scatter; GSPMD makes it in parts. Tiling the table first sends more.",
    "Llama": "From input shardings alone Shardy runs more and smaller gathers and scatters, which send a little less, and holds more.",
    "Llama, latency hiding off": "As above.",
    "Llama, collective matmul": "As above.",
    "Llama, collective matmul by the partitioner": "As above.",
    "ViT, 4 layers of 768": "Against the peer with constraints inside; without them it holds and sends more, and is wrong on CPU. At its peak the compiler has copied the attention weights of all four layers from VMEM to memory, with the peer's order of ops those of three.",
    "ViT, latency hiding off": "At its peak activations of a layer in bf16 are kept that the compiler makes again in the peer's program.",
    "convolutional network": _PACKED,
}


if __name__ == "__main__":
    limit_time()
    compile_side(*sys.argv[1:3], Path(sys.argv[3]))
