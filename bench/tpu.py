"""The page's part on TPU: what the TPU compiler says ahead of time against the simulator, memory and time.

`python -m bench.peak_memory measure --target v5e:2x4` keeps the compiler's figures in bench/peak_memory.json. For time it writes cycles
beside the kernels that it compiled, not beside collectives; so what they are compared with is the time of the simulated kernels.
"""

from __future__ import annotations

import json
import re
from typing import Any

from bench import peak_memory
from bench.evaluation.hlo import computations

CLOCK = {"v5e:2x4": 1.5e9, "v5p:2x2x2": 1.75e9}  # cycles a second, as the compiler has them for its targets
# The rules were settled on the first models. Each round was chosen before anything of it was measured, and compared for the first
# time with rules that were settled on those before it; then its causes of error were looked for, at last in round 4 too.
SETTLED = ("mlp", "moe", "t32", "t32_scan")
ROUNDS = (
    ("gns", "lstm", "haiku_lstm_lm_train"),
    ("convnet", "it32", "t32_microbatch", "t32_mixed", "unet", "torchax_resnet50_train", "mlpmixer_l16_train", "alphafold2_infer"),
    ("gpt24_scan", "keras_resnet50_train", "keras_fnet_train", "neuralgcm_advance"),
    (
        "maxtext_llama3_8b_train",
        "t32_clip",
        "penzai_llama_scan_train",
        "tunix_llama3_8b_train",
        "gpt2_xl_train",
        "keras_sd3_mmdit_train",
        "jraph_gns_train",
    ),
    (
        "equimo_dinov3_h_train",
        "torchax_timm_mixer_train",
        "gemma3_4b_train",
        "t5_xl_train",
        "stylegan2_train",
        "sd15_unet_train",
        "whisper_large_train",
        "easydel_mamba_train",
    ),
    (
        "llama2_7b_decode",
        "maxtext_deepseek2_16b_train",
        "keras_qwen3moe_decode",
        "gemma3_4b_vlm_train",
        "keras_mixtral_moe_train",
        "recurrentgemma_2b_linscan_train",
        "easydel_mamba2_train",
    ),
)
MEMORY = {"v5e:2x4": 16 * 2**30, "v5p:2x2x2": 95 * 2**30}  # of a device


def cycles(text: str) -> int:
    """Of a compiled program: the sum over its kernels, those of loops times their trips."""
    bodies, entry = computations(text)

    def of(computation: str) -> int:
        sum_ = 0
        for line in bodies[computation]:
            loop = re.search(r" while\(.*condition=%?([\w.\-]+), body=%?([\w.\-]+)", line)
            found = re.search(r'"estimated_cycles":"(\d+)"', line)
            sum_ += trips(bodies[loop[1]]) * of(loop[2]) if loop else int(found[1]) if found else 0
        return sum_

    return of(entry)


def trips(condition: list[str]) -> int:
    """How often a loop runs: the number that its condition compares with."""
    return max((int(n) for n in re.findall(r"s32\[\][^ ]* constant\((\d+)\)", "\n".join(condition))), default=1)


# ---- The page -------------------------------------------------------------------------------------------------------


def measured(target: str) -> dict[str, Any]:
    """What is kept, by program."""
    return json.loads(peak_memory.DATA.read_text()).get(target, {"measured": {}})["measured"]

