"""The strategies of the evaluation as tactics, model by model, on a mesh with the axes batch and model.

    partir.jit(model.function, mesh=mesh, schedule=strategies.schedule("t32", "BP+MP+Z3"))

BP splits the batch, MP the layers (Megatron), Z2 the optimizer's state, Z3 the weights too, EMB the embedding, EP the
experts, ES the edges of a graph, MQ the cache of multi-query attention.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import partir
from partir import FIRST_DIVISIBLE_DIM, REPLICATED, ManualPartition

Lines = Mapping[str, Any]

_KERNELS = {"Z2": {"params/**/kernel": REPLICATED, "opt/**/kernel": FIRST_DIVISIBLE_DIM}} | {
    "Z3": {"{params,opt}/**/kernel": FIRST_DIVISIBLE_DIM}
}
_TRAINING: dict[str, Lines] = {"BP": {"x": 0, "y": 0}, **_KERNELS}
_TRANSFORMER = _TRAINING | {
    "MP": {"params/layers/*/{qkv,up}/kernel": 1},
    "EMB": {"params/embedding/kernel": 1},
}
_SCANNED = _TRAINING | {"MP": {"params/layers/{qkv,up}/kernel": 2}, "EMB": {"params/embedding/kernel": 1}}
_SERVING: dict[str, Lines] = {
    "BP": {"x": 0, "cache/**": 0},
    "MP": {"params/layers/*/{q,up}/kernel": 1, "params/layers/*/wo/kernel": 0},
    # Multi-query: the tagged values stop MP at the edges of attention, and the cache splits attention by batch.
    "MPQ": {
        "decode/**": REPLICATED,
        "prefill/*/kv": REPLICATED,
        "params/layers/*/{q,up}/kernel": 1,
        "params/layers/*/wo/kernel": 0,
    },
    "MQ": {"cache/**": 0},
}
_ON_MODEL = ("MP", "EMB", "EP", "MPQ", "MQ")

_TACTICS: dict[str, dict[str, Lines]] = {
    "two_matmul": {"BP": {"x": 0}, "MP": {"w1": 1}, "Z3": {"w1": 0, "w2": 1}},
    "mlp": _TRAINING | {"MP": {"params/0/kernel": 1}},
    "t32": _TRANSFORMER,
    "t32_clip": _TRANSFORMER,
    "t32_microbatch": _TRANSFORMER,
    "gpt4": _TRANSFORMER,
    "gpt24": _TRANSFORMER,
    "t32_scan": _SCANNED,
    "t32_mixed": _SCANNED,
    "gpt24_scan": _SCANNED,
    "it32": _SERVING,
    "it32_multi_head": _SERVING | {"MP": {"params/layers/*/{q,kv,up}/kernel": 1}},
    "unet": {"BP": {"{x,noise,time,label}": 0}, **_KERNELS},
    "gns": {"ES": {"{edges,senders,receivers}": 0}, **_KERNELS},
    "moe": _TRAINING | {"EP": {"params/layers/*/experts/*/kernel": 0}, "MP": {"params/layers/*/qkv/kernel": 1}},
    "convnet": _TRAINING | {"MP": {"params/stages/0/kernel": 3}},
    "lstm": _TRAINING | {"MP": {"params/cells/*/{input,hidden}/kernel": 2}},
}

_STRATEGIES: dict[str, tuple[str, ...]] = {
    "two_matmul": ("BP", "BP+MP", "BP+MP+Z3"),
    "mlp": ("BP", "BP+MP", "BP+MP+Z2", "BP+MP+Z3"),
    "t32": ("BP", "MP", "BP+MP", "BP+MP+Z2", "BP+MP+Z3", "MP+EMB", "BP+MP+Z3+EMB"),
    "it32": ("BP", "BP+MP", "BP+MPQ+MQ"),
    "it32_multi_head": ("BP", "BP+MP"),
    "unet": ("BP", "BP+Z2", "BP+Z3"),
    "gns": ("ES", "ES+Z2"),
    "moe": ("BP", "BP+EP", "BP+EP+MP+Z3"),
    "convnet": ("BP", "BP+MP", "BP+Z3"),
    "lstm": ("BP", "BP+MP", "BP+MP+Z3"),
}
_DEFAULT = ("BP", "BP+MP", "BP+MP+Z3")


def names(model: str) -> tuple[str, ...]:
    """The strategies that make sense for a model."""
    return _STRATEGIES.get(model, _DEFAULT)


def schedule(model: str, strategy: str) -> list[ManualPartition]:
    """The tactics of a strategy, in its order."""
    tactics = _TACTICS[model]
    return [
        partir.ManualPartition(tactics[name], axis="model" if name in _ON_MODEL else "batch", name=name)
        for name in strategy.split("+")
    ]
