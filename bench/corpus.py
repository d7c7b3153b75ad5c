"""Programs that others wrote: training steps and inference of public model code as StableHLO text, with schedules for them.

They are too large for this repository: who has them unpacks nothing but puts NAME.mlir.xz and NAME.names into ../shared/corpus.
"""

from __future__ import annotations

import lzma
import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "corpus"

# What each is split by on the model axis; BP and Z3 are the same for all.
_MODEL_AXIS: dict[str, tuple[str, ...]] = {
    "haiku_lstm_lm_train": (),
    "torchax_resnet50_train": (),
    "maxtext_llama3_8b_train": ("state/params/**/{wi_*,query,key,value}/kernel : 2",),
    "llama2_7b_decode": ("params/**/{q_proj,k_proj,v_proj,gate_proj,up_proj}/kernel : 1",),
    "mlpmixer_l16_train": ("params/**/fc1/kernel : 1",),
    "penzai_llama_scan_train": ("params/{2,3,4}/** : 2", "params/{7,8}/** : 2"),
    "alphafold2_infer": (),
    "keras_fnet_train": ("trainable/**/kernel if rank >= 2 : 1",),
    "maxtext_deepseek2_16b_train": (),
    "stylegan2_train": (),
    "maxtext_gpt3_175b_train": ("state/params/**/wi/kernel : 2", "state/params/**/qkv_proj/kernel : 3"),
    "keras_resnet50_train": (),
    "torchax_timm_mixer_train": (),
    "neuralgcm_advance": (),
    "keras_qwen3moe_decode": (),
    "jraph_gns_train": (),
    "tunix_llama3_8b_train": ("params/**/{gate_proj,up_proj}/kernel : 1", "params/**/{q_proj,k_proj,v_proj}/w : 1"),
    "equimo_dinov3_h_train": ("params/**/{w1,w2}/weight : 0",),
    "gpt2_xl_train": ("params/**/c_fc/kernel : 0",),
    "gemma3_4b_train": ("params/**/gating_einsum : 1",),
    "keras_sd3_mmdit_train": ("trainable/**/dense1/kernel if rank >= 2 : 1",),
    "keras_mixtral_moe_train": ("trainable/**/experts/* if rank >= 3 : 0",),
    "easydel_mamba_train": (),
    "gpt2_xl_train__jax062": ("params/**/c_fc/kernel : 0",),
    "sd15_unet_train": (),
    "easydel_mamba2_train": (),
    "gemma3_4b_vlm_train": ("params/**/gating_einsum : 1",),
    "t5_xl_train": ("params/**/{wi_0,wi_1}/kernel : 1",),
    "whisper_large_train": ("params/**/fc1/kernel : 1",),
    "tunix_gemma4_moe_train": ("params/**/{gate_proj,up_proj}/kernel : 1",),
    "recurrentgemma_2b_linscan_train": (),
}

# Roots of the arguments' paths that hold data, and those that hold state.
_DATA = {"batch", "x", "y", "labels", "images", "target", "feat", "tokens", "z", "real", "token", "cache", "forcings"}
_STATE = {"params", "opt_state", "trainable", "optimizer", "state", "g_params", "d_params", "g_opt", "d_opt", "weights"}


def names() -> tuple[str, ...]:
    """All that have schedules here."""
    return tuple(_MODEL_AXIS)


def is_here(name: str) -> bool:
    """Whether its text can be read."""
    return (FOLDER / f"{name}.mlir.xz").exists()


def strategies(name: str) -> tuple[str, ...]:
    """Those that make sense for a program."""
    return ("BP", "BP+Z3") + (("BP+MP",) if _MODEL_AXIS[name] else ())


def unpack(name: str, folder: Path) -> Path:
    """The program as a file, with its names beside it."""
    program = folder / f"{name}.mlir"
    if not program.exists():
        program.write_bytes(lzma.decompress((FOLDER / f"{name}.mlir.xz").read_bytes()))
        program.with_suffix(".names").write_text((FOLDER / f"{name}.names").read_text())
    return program


def prepare(name: str, strategy: str, folder: Path) -> tuple[Path, Path]:
    """The program and the schedule as files."""
    program, schedule = unpack(name, folder), folder / f"{name}_{strategy}.schedule"
    schedule.write_text(schedule_text(name, strategy))
    return program, schedule


def schedule_text(name: str, strategy: str) -> str:
    """A strategy for a program, as a file."""
    keys = [line.split("\t")[1] for line in (FOLDER / f"{name}.names").read_text().splitlines()]
    lines = {"BP": _first_divisible(keys, _DATA), "Z3": _first_divisible(keys, _STATE), "MP": _MODEL_AXIS.get(name, ())}
    text = "mesh batch=4, model=2\n"
    for tactic in strategy.split("+"):
        text += f"tactic {tactic} on {'model' if tactic == 'MP' else 'batch'} {{\n" + "".join(f"  {line}\n" for line in lines[tactic]) + "}\n"
    return text


def _first_divisible(keys: list[str], kinds: set[str]) -> tuple[str, ...]:
    """Lines that split the arguments under these roots."""
    roots = sorted({re.split(r"[\[.]", key)[0] for key in keys} & kinds)
    wide = {root for root in roots if any(re.match(re.escape(root) + r"[\[.]", key) for key in keys)}
    return tuple(f"{root}{'/**' if root in wide else ''} if rank >= 1 : first_divisible" for root in roots)
