"""The model FLOPs utilisation (MFU) that the PartIR paper measured, against what the simulator predicts for BP+MP+Z3.

    python -m bench.utilisation measure      # traces the models from shapes alone and simulates: writes bench/utilisation.json
    python -m bench.utilisation published    # the same for the published runs alone
    python -m bench.utilisation show         # the part of docs/predictability.md

No array is made and nothing is compiled. Tracing takes a minute, so the page uses what was kept.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ.setdefault("JAX_PLATFORMS", "cpu")

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "python")]
DATA = ROOT / "bench" / "utilisation.json"
PARTIR = ROOT / "build" / "partir"

# model, device, mesh, MFU of PartIR and of GSPMD in the paper, batch sizes that are tried, whether layers are recomputed
RUNS: tuple[tuple[str, str, dict[str, int], float, float, tuple[int, ...], bool], ...] = (
    ("t32", "tpu_v3", {"batch": 16, "model": 2}, 58.5, 58.3, (16, 32, 64), False),
    ("t48", "tpu_v3", {"batch": 32, "model": 4}, 52.3, 52.2, (32, 64), False),
    ("t48", "tpu_v3", {"batch": 32, "model": 4}, 52.3, 52.2, (32, 64), True),
    ("t32", "a100_40gb", {"batch": 8, "model": 2}, 42.2, 42.9, (16, 32, 64), False),
    ("t32", "a100_16", {"batch": 8, "model": 2}, 42.2, 42.9, (16, 32), False),
)
# Sixteen A100s on one switch, as in Google Cloud's a2-megagpu-16g.
VARIANTS = {"a100_16": ("a100_40gb", "nvlink switch devices 8", "nvlink switch devices 16")}

# Published runs: name, fields of bench.models.published.Config, device, compiler flags, mesh, MFU in per cent.
_MAXTEXT = "https://github.com/AI-Hypercomputer/maxtext"
_128B = {"layers": 64, "d_model": 8192, "heads": 128, "d_ff": 57344, "batch": 256, "remat": "minimal"}
_PALM = {"layers": 118, "d_model": 18432, "heads": 48, "d_head": 256, "d_ff": 73728, "vocab": 256000, "batch": 2048, "palm": True}
_FLAGS = "async_all_gather"
PUBLISHED: tuple[tuple[str, dict[str, Any], str, str, dict[str, int], float], ...] = (
    ("MaxText 16B, v5e-256", {}, "tpu_v5e", _FLAGS, {"batch": 256}, 61.1),
    ("MaxText 16B, 2 x v5e-256", {"batch": 6 * 512}, "tpu_v5e", _FLAGS, {"slice": 2, "batch": 256}, 59.4),
    ("MaxText 16B, 32 x v5e-256", {"batch": 6 * 8192}, "tpu_v5e", _FLAGS, {"slice": 32, "batch": 256}, 54.7),
    ("MaxText 128B, v5p-512", _128B, "tpu_v5p", _FLAGS, {"batch": 32, "model": 8}, 68.8),
    ("PaLM 540B, 6144 v4", _PALM, "tpu_v4", "", {"slice": 2, "batch": 256, "model": 12}, 46.2),
)


def device_file(device: str, folder: Path) -> str:
    """The name of a built-in device, or the path of a file that differs from one in a line."""
    if device not in VARIANTS:
        return device
    base, old, new = VARIANTS[device]
    text = subprocess.run([PARTIR, "devices", base], check=True, capture_output=True, text=True).stdout
    assert old in text
    (folder / device).write_text(text.replace(old, new))
    return str(folder / device)


def simulate(
    name: str, device: str, mesh: dict[str, int], batch: int, remat: bool, folder: Path
) -> dict[str, float]:
    """The last row of `partir simulate` for one step of a model in bfloat16. Of what is recomputed, nothing is useful work."""
    import partir
    from bench import models, schedules
    from bench.models.__main__ import export

    program, schedule = folder / f"{name}_{batch}_{remat}.mlir", folder / "z3.schedule"
    if not program.exists():
        export(models.get(name, bf16=True, batch=batch, remat=remat), program, debug_info=False)
    tactics = tuple(schedules.tactics("t32", "BP+MP+Z3"))
    schedule.write_text(partir.Schedule(tactics, mesh, "tpu_v3", {"params": "out/0", "opt": "out/1"}).text())
    command = [PARTIR, "simulate", program, schedule, "--device", device_file(device, folder), "--json", "-"]
    row = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["tactics"][-1]
    return {k: row[k] for k in ("seconds", "compute", "communication", "exposed", "mfu", "peak_memory")}


def simulate_published(sizes: dict[str, Any], device: str, flags: str, mesh: dict[str, int], folder: Path) -> dict[str, float]:
    """One step of a published run: batch over slices and chips, weights stored in parts (FSDP), Megatron where there is a model axis, activations in parts between."""
    from bench import models
    from bench.models import published
    from bench.models.__main__ import export

    program, schedule, spec = folder / "published.mlir", folder / "published.schedule", folder / "published.device"
    c = published.Config(**sizes)
    export(models.Model(published.make_step(c), published.args(c), (0, 1)), program, debug_info=False)
    lines = ["mesh " + ", ".join(f"{axis}={size}" for axis, size in mesh.items()), "tie params -> out/0", "tie opt -> out/1"]
    lines += [] if c.palm else published.RULES
    lines += [f"tactic {axis.upper()} on {axis} {{ x : 0   y : 0 }}" for axis in mesh if axis != "model"]
    if "model" in mesh:
        lines += ["tactic MP on model { params/layers/{q,gate,up}/kernel : 2 }", "tactic EMB on model { hidden : 2 }"]
    lines += ["tactic Z3 on batch { {params,opt}/**/kernel : first_divisible }"]
    schedule.write_text("\n".join(lines) + "\n")
    text = subprocess.run([PARTIR, "devices", device], check=True, capture_output=True, text=True).stdout
    spec.write_text(text + (f"flags {flags}\n" if flags else ""))
    command = [PARTIR, "simulate", program, schedule, "--device", spec, "--json", "-"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    row = found["tactics"][-1]
    counted = c.published_flops() / (row["seconds"] * math.prod(mesh.values()) * found["device_peaks"]["f16"])
    return {"batch": c.batch, "counted": counted} | {
        k: row[k] for k in ("seconds", "compute", "communication", "exposed", "mfu", "hfu", "peak_memory")
    }


def measure_published() -> list[dict[str, Any]]:
    """Simulate them."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name, sizes, device, flags, mesh, theirs in PUBLISHED:
            row = simulate_published(sizes, device, flags, mesh, Path(folder))
            found.append({"name": name, "device": device, "mesh": mesh, "published": theirs, **row})
            print(f"{name}: MFU {100 * row['counted']:.1f} %, published {theirs} %", flush=True)
    return found


def measure(only_published: bool = False) -> None:
    """Simulate every run, or the published ones."""
    published = measure_published()
    if only_published:
        DATA.write_text(json.dumps(json.loads(DATA.read_text()) | {"published": published}, indent=1) + "\n")
        return
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        useful: dict[tuple[str, int], float] = {}  # MFU x seconds without recomputation, which is the model's own work
        for name, device, mesh, ours, theirs, batches, remat in RUNS:
            for batch in batches:
                row = simulate(name, device, mesh, batch, remat, Path(folder))
                if remat:
                    row["mfu"] = useful[name, batch] / row["seconds"]
                useful[name, batch] = row["mfu"] * row["seconds"]
                run = {"model": name, "device": device, "mesh": mesh, "batch": batch, "remat": remat}
                found.append({**run, "paper": ours, "gspmd": theirs, **row})
                print(f"{name} on {device}, batch {batch}: MFU {100 * row['mfu']:.1f} %, in the paper {ours} %", flush=True)
    DATA.write_text(json.dumps({"command": "python -m bench.utilisation measure", "runs": found, "published": published}, indent=1) + "\n")


def published_section(runs: list[dict[str, Any]]) -> str:
    """The table of published runs."""
    table = "\n".join(
        f"| {r['name']} | {'x'.join(str(n) for n in r['mesh'].values())} | {r['batch']} | {r['published']} % | {100 * r['counted']:.1f} % "
        f"| {100 * (100 * r['counted'] / r['published'] - 1):+.0f} % | {100 * r['hfu']:.1f} % | {r['seconds']:.1f} s | {r['exposed']:.2f} s |"
        for r in runs
    )
    return f"""## Utilisation: published runs

No constant was set from these. The models are those of the publications (`bench/models/published.py`), traced from shapes alone:

- MaxText ({_MAXTEXT}, configs/v5e/16b.sh, configs/v5p/128b.sh and configs/base.yml): parameter scales of 16 and 128, SwiGLU, as many key heads as query heads, one-hot products for the
  embedding (`use_iota_embed`), products in bfloat16 with parameters and Adam in float32, gradients clipped by their norm; 6 and 1 sequences of 2048 tokens for each chip, FSDP, for 128B tensor parallelism of
  8 with activations in parts between layers (`activation_embed` on `tensor`); layers recomputed whole for 16B ("full") and all but products for 128B ("minimal"). Its flags make gathers asynchronous
  (`flags {_FLAGS}` here), and nothing else that the devices here know.
- Its flash attention is three kernels that say what they cost (`docs/devices.md`): blocks of 512 x 512 scores, of which those above the diagonal are skipped; 2 products for each forward, 3 for the
  gradients of queries and 4 for those of keys and values; keys and values (or queries) read again for each block of the others; transposes before and after, as MaxText has them.
- PaLM (https://arxiv.org/abs/2204.02311): two pods of 3072 v4, each 12 ways over the model and 256 ways FSDP, 2048 sequences of 2048 tokens; attention and feed-forward side by side, one key and value
  head, SwiGLU, one embedding for both ends; all but one activation a layer, which lies in parts, recomputed. Scores in memory: it was before flash attention. Of compiler flags it says nothing, so the defaults. Assumed: Adam for its Adafactor.
- MFU as both count it: 6 FLOPs for each parameter and token and 12 for each layer, head, size of a head and pair of tokens, masked pairs too, over step time and peak.

| run | mesh | batch | published MFU | predicted MFU | error | predicted HFU | step | exposed communication |
|---|---|---:|---:|---:|---:|---:|---:|---:|
{table}

All are predicted too fast, the largest machines by most. Products whose operands do not fit on the chip read them again for each block of the result, and their units
fill and drain for each, as in the compiler's estimates for large products (`bench/micro/products.py`), which no published run is part of. What is still missing, in those estimates:
what follows a product element by element, and feeds the next two, is computed in both of these, each of which then reads all that it is made of; here it is kept. For one MaxText layer
of 16B on v5e, without attention, the compiler has 305 ms, of which 285 are predicted, and 253 without blocks. Attention's kernels are taken to run as fast as other products. PaLM's published HFU is 57.8 %.

Over slices the published utilisation falls by a tenth, the predicted one by a hundredth. What crosses slices is the sum of gradients, 2 bytes for each parameter over
256 chips (PaLM's 1.3 GB for a host of four chips are 2 bytes too): 123 MB a chip, twice that for the sum. At the 6.4 Tbit/s that a pod of v5e has to the data centre's network (https://cloud.google.com/tpu/docs/v5e), 3.1 GB/s a chip, this takes
0.04 s for 2 slices and 0.08 s for 32, with latencies 0.14 s, none of which is predicted to be hidden. In 4 bytes it would be twice that: still a fifth of the
1.2 s by which the published step grows. Bytes and bandwidths do not explain it; chips that wait for the slowest of 8192, which differ here in nothing, might.

"""


def section() -> str:
    """The part of the page."""
    lines = []
    kept = json.loads(DATA.read_text())
    for r in kept["runs"]:
        alone = r["mfu"] * r["seconds"] / (r["compute"] + r["communication"])
        mesh = "x".join(str(n) for n in r["mesh"].values())
        lines.append(
            f"| {r['model']} | {r['device']} {mesh} | {r['batch']} | {'yes' if r['remat'] else 'no'} | {r['paper']} % | {r['gspmd']} % | {100 * r['mfu']:.1f} % | {100 * alone:.1f} % "
            f"| {r['seconds']:.2f} s | {r['compute']:.2f} s | {r['communication']:.2f} s | {r['peak_memory'] / 2**30:.0f} GiB |"
        )
    table = "\n".join(lines)
    return published_section(kept["published"]) + f"""## Utilisation: the PartIR paper's runs

The MFU that the paper reports for its training steps under BP+MP+Z3, and what is predicted for our models of the same kind and number of
parameters on the built-in devices. Of the paper's runs we know the model, the device and the mesh; everything else is assumed:

- sequences of 2048 tokens, and the batch sizes in the table (sequences in one step of all devices);
- products in bfloat16, parameters and optimizer in float32. Where the predicted memory is above what the device has (16 GiB for a core of
  TPU v3, 40 GB for an A100) the paper's run must have been smaller or have recomputed; "recomputed" has every layer computed again in
  the backward pass, which is no useful work;
- a device of TPU v3 is one core. Its network is 2D, and each axis of the mesh has its own links; in slices of this size it is not closed to
  a torus. a100_40gb are nodes of 8 by NVLink, with one 200 Gbit/s port for each, so that the batch axis crosses the nodes; a100_16 is one
  machine of 16 on one switch, as Google Cloud has it (a2-megagpu-16g);
- products with an operand on the chip reach 95 % of the peak on a TPU v3, as in the TPU compiler's estimates for v5e, and large products 75 % on an A100, which is our assumption and no published figure;
- on the A100s collectives run beside kernels, on the TPUs the kinds that its compiler makes asynchronous by default; "in turn" is the MFU if none did.

| model | device, mesh | batch | recomputed | paper | GSPMD, paper | predicted | in turn | step | compute | communication | memory |
|---|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|
{table}

On TPU v3 the memory is what is left after the compiler has computed values again for all to fit, as far as it can. The A100s lie between the two
networks: on one switch hardly any communication is left to see, and 75 % for large products is then too much.
"""


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.utilisation", description=__doc__)
    parser.add_argument("command", choices=("measure", "published", "show"))
    command = parser.parse_args().command
    if command != "show":
        measure(only_published=command == "published")
    else:
        print(section())


if __name__ == "__main__":
    main()
