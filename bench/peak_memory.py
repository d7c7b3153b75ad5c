"""How well the simulator predicts memory: its peak against XLA's own figures, model by model and strategy by strategy.

    python -m bench.peak_memory measure                               # XLA on CPU
    python -m bench.peak_memory measure --target v5e:2x4 t32 mlp      # the TPU compiler (needs libtpu, no TPU)
    python -m bench.peak_memory compare                               # simulate again and list the errors

`measure` keeps what the compiler says in bench/peak_memory.json, with a digest of the program that it got, and goes on where it
stopped: with what is not there, and with programs that are emitted otherwise by now. Those are no rows of a comparison until then.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("NPROC", "16")
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
for name, value in (("SKIP_MDS_QUERY", "1"), ("WORKER_HOSTNAMES", "localhost"), ("ACCELERATOR_TYPE", "v5litepod-8")):
    os.environ.setdefault(f"TPU_{name}", value)
os.environ.setdefault("ALLOW_MULTIPLE_LIBTPU_LOAD", "1")

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "python")]

from bench import corpus

DATA = ROOT / "bench" / "peak_memory.json"
PARTIR = ROOT / "build" / "partir"
MESH = {"batch": 4, "model": 2}
DEVICES = {"cpu": "host", "v5e:2x4": "tpu_v5e", "v5p:2x2x2": "tpu_v5p", "h100:1x1x8": "h100"}

# The simulator's rules were settled on the first half; the second was only looked at afterwards. Variants of a model are in one half.
# On CPU there were several rounds: each was compared for the first time with rules that were settled on those before it, and then
# its causes of error were looked for. The last is the one that is held out.
SETTLED = ("mlp", "convnet", "moe", "t32", "t32_scan", "t32_clip", "t32_microbatch", "t32_mixed", "gpt24_scan")
HELD_OUT = ("gns", "it32", "lstm", "unet")
CPU_ROUNDS = (
    HELD_OUT,
    ("haiku_lstm_lm_train", "torchax_resnet50_train", "maxtext_llama3_8b_train", "llama2_7b_decode", "mlpmixer_l16_train"),
    ("penzai_llama_scan_train", "alphafold2_infer", "keras_fnet_train", "maxtext_deepseek2_16b_train", "stylegan2_train"),
    ("maxtext_gpt3_175b_train", "keras_resnet50_train", "torchax_timm_mixer_train", "neuralgcm_advance", "keras_qwen3moe_decode", "jraph_gns_train"),
    (
        "tunix_llama3_8b_train",
        "equimo_dinov3_h_train",
        "gpt2_xl_train",
        "gemma3_4b_train",
        "keras_sd3_mmdit_train",
        "keras_mixtral_moe_train",
        "easydel_mamba_train",
    ),
    (
        "gpt2_xl_train__jax062",
        "gemma3_4b_vlm_train",
        "tunix_gemma4_moe_train",
        "whisper_large_train",
        "t5_xl_train",
        "easydel_mamba2_train",
        "sd15_unet_train",
        "recurrentgemma_2b_linscan_train",
    ),
)
# Of the last round, those that share much with a program of the round before.
RELATED = ("gpt2_xl_train__jax062", "gemma3_4b_vlm_train")
CPU_SETTLED = SETTLED + tuple(name for one in CPU_ROUNDS[:-1] for name in one)

# "real" are widths as in practice with few layers, so that compiling is quick: memory is what counts here, nothing runs.
_LAYERS = {"layers": 4, "d_model": 512, "heads": 4, "d_head": 128, "d_ff": 2048, "vocab": 4096}
_TRANSFORMER = _LAYERS | {"batch": 32, "sequence": 256}
REAL: dict[str, dict[str, Any]] = {
    "mlp": {},
    "convnet": {},
    "moe": _LAYERS | {"layers": 2, "experts": 8, "batch": 16, "sequence": 256},
    "t32": _TRANSFORMER,
    "t32_scan": _TRANSFORMER,
    "t32_clip": _TRANSFORMER,
    "t32_microbatch": _TRANSFORMER,
    "t32_mixed": _TRANSFORMER,
    "gpt24_scan": {},
    "gns": {"message_steps": 3, "hidden_layers": 2, "width": 512, "latent": 128, "edges": 16384},
    "it32": _LAYERS | {"prompt": 128, "steps": 128},
    "lstm": {},
    "unet": {"channels": 128, "blocks": 1},
}
# "large" is for TPU.
_LARGE = {"d_model": 1024, "heads": 8, "d_head": 128, "d_ff": 4096, "vocab": 32768, "batch": 32, "sequence": 1024}
LARGE: dict[str, dict[str, Any]] = {
    "mlp": {"widths": (4096, 16384, 16384, 1024), "batch": 16384},
    "moe": _LARGE | {"layers": 2, "experts": 8, "sequence": 512},
    "t32": _LARGE | {"layers": 4},
    "t32_scan": _LARGE | {"layers": 4},
    "t32_mixed": _LARGE | {"layers": 8},
    "lstm": {},
    "gns": {"message_steps": 4},
    "unet": {"blocks": 1},
    "convnet": {},
    "it32": {k: v for k, v in _LARGE.items() if k != "sequence"} | {"layers": 4, "prompt": 512, "steps": 128},
    "t32_microbatch": _LARGE | {"layers": 4},
    "gpt24_scan": {},
    "t32_clip": _LARGE | {"layers": 4},
}
# "edge" is where one strategy fits into the memory of a v5e and another does not.
EDGE: dict[str, dict[str, Any]] = {"t32": LARGE["t32"] | {"layers": 8, "d_model": 4096, "heads": 32, "d_ff": 16384, "batch": 8, "sequence": 512}}
SIZES = {"real": REAL, "large": LARGE, "edge": EDGE}


class Program(NamedTuple):
    """A model at a size (small, real, large, or corpus for the size at which it was found) under a strategy; "whole" is the program before any tactic."""

    model: str
    size: str
    strategy: str


def programs(names: list[str], sizes: tuple[str, ...]) -> Iterator[Program]:
    """All of these models and sizes, with each of their strategies."""
    from bench import schedules

    for name in names:
        for strategy in corpus.strategies(name) if name in corpus.names() else ():
            yield Program(name, "corpus", strategy)
        for size in sizes if name not in corpus.names() else ():
            for strategy in ("whole", *schedules.names(name)):
                yield Program(name, size, strategy)


def prepare(p: Program, folder: Path) -> tuple[Path, Path]:
    """The program and the schedule as files."""
    if p.size == "corpus":
        return corpus.prepare(p.model, p.strategy, folder)
    import partir
    from bench import models, schedules
    from bench.models.__main__ import export

    model = models.get(p.model, small=True) if p.size == "small" else models.get(p.model, **SIZES[p.size][p.model])
    program, schedule = folder / f"{p.model}_{p.size}.mlir", folder / f"{p.model}_{p.size}_{p.strategy}.schedule"
    if not program.exists():
        export(model, program, debug_info=False)
    parameters = [path.split("[")[0].split(".")[0] for path in model.names()]
    order = list(dict.fromkeys(parameters))
    training = 0 in model.donate_argnums
    ties = {order[i]: f"out/{k}" for k, i in enumerate(model.donate_argnums)} if training else {}
    tactics = () if p.strategy == "whole" else schedules.tactics(p.model, p.strategy)
    schedule.write_text(partir.Schedule(tuple(tactics), MESH, "host", ties).text())
    return program, schedule


@functools.cache
def simulate(files: tuple[Path, Path], target: str) -> int:
    """The peak after the last tactic, in bytes."""
    return int(report(files, target)["tactics"][-1]["peak_memory"])


def report(files: tuple[Path, Path], target: str) -> dict[str, Any]:
    """All that is simulated."""
    command = [PARTIR, "simulate", *files, "--device", DEVICES[target], "--json", "-"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


# ---- The oracles ----------------------------------------------------------------------------------------------------


def stage(target: str) -> str:
    """What is emitted for the compiler of a target."""
    return "stablehlo-cpu" if target == "cpu" else "stablehlo-tpu" if target.startswith("v") else "stablehlo"


def local_text(files: tuple[Path, Path], target: str = "") -> str:
    """The device-local program, as the compiler for the target gets it."""
    command = [PARTIR, "partition", *files, "--emit", stage(target)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def digest(text: str) -> str:
    """Of a program as a compiler gets it, to tell whether what was measured is what is emitted now."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def is_earlier(sizes: dict[str, Any], files: tuple[Path, Path], target: str) -> bool:
    """Whether the compiler got another program than it would get now. What has no digest was not changed since these are kept."""
    return "program" in sizes and sizes["program"] != digest(local_text(files, target))


def ask_cpu(text: str) -> dict[str, int]:
    """XLA on CPU: all that it allocates, where a donated argument and its result are one."""
    from partir import _xla

    return all_of(_xla.compile_local(text, 8).memory())


def all_of(stats: Any) -> dict[str, int]:
    """What XLA says of a compiled program, and the sum."""
    sizes = {k: int(getattr(stats, f"{k}_size_in_bytes")) for k in ("argument", "output", "alias", "temp")}
    return sizes | {"total": sizes["argument"] + sizes["output"] - sizes["alias"] + sizes["temp"]}


def measure(target: str, names: list[str], sizes: tuple[str, ...], chosen: list[str], again: bool, cycles: bool, seconds: float) -> None:
    """Compile what is not in the data yet, or all of it again. The first prediction is kept."""
    import jax

    from bench import gpu, tpu_compile

    data = json.loads(DATA.read_text()) if DATA.exists() else {}
    of_target = data.setdefault(target, {"measured": {}})
    of_target["command"] = "python -m bench.peak_memory measure" + ("" if target == "cpu" else f" --target {target}")
    of_target["versions"] = {"jax": jax.__version__} | ({"libtpu": libtpu_version()} if target.startswith("v") else {})
    with tempfile.TemporaryDirectory() as folder:
        for p in programs(names, sizes):
            key = " ".join(p)
            kept = of_target["measured"].get(key, {})
            if (chosen and p.strategy not in chosen) or (p.size == "corpus" and not corpus.is_here(p.model)):
                continue
            files = prepare(p, Path(folder))
            try:
                text = local_text(files, target)
                if kept and kept.get("program", digest(text)) == digest(text) and not again:
                    continue
                found = ask_cpu(text) if target == "cpu" else gpu.ask(text) if target == gpu.TARGET else tpu_compile.ask(text, target, cycles, seconds)
            except (subprocess.CalledProcessError, jax.errors.JaxRuntimeError, RuntimeError) as error:
                print(f"{key}: {getattr(error, 'stderr', None) or error}"[:600], file=sys.stderr)
                continue
            first = {k: kept[k] for k in ("first_look", "first_total", "simulated") if k in kept} or {"first_look": simulate(files, target)}
            if "first_look" in kept and "total" in kept:
                first.setdefault("first_total", kept["total"])
            of_target["measured"][key] = found | first | {"program": digest(text)}
            print(f"{key:36} {target} {of_target['measured'][key]}", flush=True)
            DATA.write_text(json.dumps(data, indent=1) + "\n")


def libtpu_version() -> str:
    """Of the compiler, which is another package."""
    from importlib import metadata

    return metadata.version("libtpu")


# ---- The page -------------------------------------------------------------------------------------------------------


class Row(NamedTuple):
    """What the compiler said and what is simulated, in bytes; the error when they were first compared, if that was kept."""

    program: Program
    theirs: int
    ours: int
    first_error: float | None

    @property
    def error(self) -> float:
        """Relative to what the compiler said."""
        return self.ours / self.theirs - 1


def rows(target: str, names: tuple[str, ...], folder: Path) -> list[Row]:
    """In the order of `names`. Of programs that are not here, what was simulated last is kept with what was measured."""
    data = json.loads(DATA.read_text())
    found = []
    for key, sizes in data.get(target, {"measured": {}})["measured"].items():
        p = Program(*key.split())
        if p.model not in names or "total" not in sizes:
            continue
        here = p.size != "corpus" or corpus.is_here(p.model)
        files = prepare(p, folder) if here else None
        if files and is_earlier(sizes, files, target):
            continue
        ours = simulate(files, target) if files else sizes["simulated"]
        if p.size == "corpus":
            sizes["simulated"] = ours
        first = sizes["first_look"] / sizes.get("first_total", sizes["total"]) - 1 if "first_look" in sizes else None
        found.append(Row(p, sizes["total"], ours, first))
    DATA.write_text(json.dumps(data, indent=1) + "\n")
    return sorted(found, key=lambda row: (names.index(row.program.model), row.program.size))


def summary(found: list[Row]) -> str:
    """Their errors in one line."""
    return f"{len(found)} programs: {spread([row.error for row in found])}" if found else "no programs"


def spread(errors: list[float]) -> str:
    """The median and the worst."""
    sizes = [abs(error) for error in errors]
    return f"median error {100 * statistics.median(sizes):.1f} %, worst {100 * max(sizes):.1f} %"


def compare(target: str, sizes: tuple[str, ...], names: tuple[str, ...]) -> None:
    """List the errors."""
    with tempfile.TemporaryDirectory() as folder:
        for half in (CPU_SETTLED, CPU_ROUNDS[-1]) if target == "cpu" else (SETTLED, HELD_OUT):
            found = [row for row in rows(target, tuple(n for n in half if n in names), Path(folder)) if row.program.size in (*sizes, "corpus")]
            for row in found:
                print(f"{' '.join(row.program):36} {row.theirs:>14,} {row.ours:>14,} {100 * row.error:+6.1f} %")
            print(summary(found), "\n")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.peak_memory", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, what in (("measure", "compile and keep what the compiler says"), ("compare", "simulate and list the errors")):
        one = commands.add_parser(name, help=what)
        one.add_argument("models", nargs="*", default=[*CPU_SETTLED, *CPU_ROUNDS[-1]], help="these models alone")
        one.add_argument("--target", choices=DEVICES, default="cpu")
        one.add_argument("--size", choices=("small", *SIZES), help="this size alone")
        one.add_argument("--strategy", action="append", default=[], help="these strategies alone")
        if name == "measure":
            one.add_argument("--again", action="store_true", help="also what is kept already")
            one.add_argument("--cycles", action="store_true", help="let the TPU compiler write code, which takes minutes")
            one.add_argument("--seconds", type=float, default=600, help="the longest time for a program, of the TPU compiler")
    options = parser.parse_args()
    sizes = (options.size,) if options.size else ("small", "real")
    if options.command == "measure":
        measure(options.target, options.models, sizes, options.strategy, options.again, options.cycles, options.seconds)
    else:
        compare(options.target, sizes, tuple(options.models))


if __name__ == "__main__":
    main()
