"""What an author writes inside the models so that Shardy and GSPMD come to the plan of a schedule: for each tactic, which dimension of which
point (bench/models/annotate.py) lies on its axis.

    with annotate.using(mesh, constraints.specs("t32", "BP+MP")) as used: ...

A strategy takes the points of its tactics together. Tactics that concern state alone (Z2, Z3) add no point: their shardings are those of the
arguments. A point that is named at all is whole on the dimensions that no tactic names.
"""

from __future__ import annotations

from jax.sharding import PartitionSpec

# tactic: point: (dimension, axis, rank of the value)
_Points = dict[str, tuple[int, str, int]]
_BATCH: _Points = {"hidden": (0, "batch", 3), "ffn": (0, "batch", 3)}
_DECODER: dict[str, _Points] = {
    "BP": _BATCH | {"qkv": (0, "batch", 5), "mixed": (0, "batch", 4)},
    "MP": {"qkv": (2, "model", 5), "mixed": (2, "model", 4), "ffn": (2, "model", 3)},
    "EMB": {"hidden": (2, "model", 3)},
    "R": {"hidden": (0, "replica", 3), "ffn": (0, "replica", 3), "qkv": (0, "replica", 5), "mixed": (0, "replica", 4)},
    "SP": {"hidden": (1, "model", 3)},
    "CP": {"hidden": (1, "model", 3), "qkv": (1, "model", 5), "mixed": (1, "model", 4), "ffn": (1, "model", 3)},
}
_GPT2: dict[str, _Points] = {
    "BP": _BATCH | {"heads": (0, "batch", 4)},
    "MP": {"heads": (2, "model", 4), "ffn": (2, "model", 3)},
    "CP": {"hidden": (1, "model", 3), "ffn": (1, "model", 3)},
}
_POINTS: dict[str, dict[str, _Points]] = {
    "t32": _DECODER,
    "gpt24": _DECODER,
    "t32_scan": _DECODER,
    "gpt2": _GPT2,
    "vit": {"BP": _BATCH | {"qkv": (1, "batch", 5)}, "MP": {"qkv": (3, "model", 5), "ffn": (2, "model", 3)}},
    "llama": {
        "BP": _BATCH | {"q": (0, "batch", 5)},
        "MP": {"q": (2, "model", 5), "ffn": (2, "model", 3)},
        "SP": {"hidden": (1, "model", 3)},
    },
    "moe": {
        "BP": {"hidden": (0, "batch", 3), "experts": (0, "batch", 4)},
        "EP": {"experts": (1, "model", 4)},
        "EPB": {"experts": (1, "batch", 4)},
        "MP": {"qkv": (2, "model", 5), "mixed": (2, "model", 4)},
    },
    "lstm": {"BP": {"hidden": (1, "batch", 3), "state": (0, "batch", 2)}, "MP": {"hidden": (2, "model", 3), "state": (1, "model", 2)}},
    "gns": {"ES": {"edges": (0, "batch", 2)}},
    "unet": {"BP": {"hidden": (0, "batch", 4)}},
    "it32": {
        "BP": {"hidden": (0, "batch", 3), "scores": (0, "batch", 4), "ffn": (0, "batch", 3)},
        "MP": {"scores": (1, "model", 4), "ffn": (2, "model", 3)},
        "MPQ": {"ffn": (2, "model", 3)},
        "MQ": {"scores": (0, "model", 4)},
    },
}
_SAME = {"llama_scan": "llama", "t32_clip": "t32", "t48": "t32", "moe_ragged": "moe"}


def specs(model: str, strategy: str) -> dict[str, PartitionSpec]:
    """Of each point that the strategy's tactics name. Two axes on one dimension: the earlier tactic's is major; one axis twice: the later tactic's holds."""
    points = _POINTS.get(_SAME.get(model, model), {})
    found: dict[str, list[tuple[str, ...]]] = {}
    for tactic in strategy.split("+"):
        for name, (dim, axis, rank) in points.get(tactic, {}).items():
            spec = found.setdefault(name, [()] * rank)
            spec[:] = [tuple(a for a in axes if a != axis) for axes in spec]
            spec[dim] += (axis,)
    return {name: PartitionSpec(*(axes or None for axes in spec)) for name, spec in found.items()}
