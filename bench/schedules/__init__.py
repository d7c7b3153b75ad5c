"""The strategies of the evaluation: the tactics of each model stand in a file of this folder, a strategy is some of them in an order.

    partir.jit(model.function, mesh=mesh, schedule=schedules.schedule("t32", "BP+MP+Z3"))
    print(schedules.text("t32", "BP+MP+Z3", "batch=4, model=2"))          # the schedule as a file

BP splits the batch, MP the layers (Megatron), Z2 the optimizer's state, Z3 the weights too (ZeRO), EMB the embedding, VOC the vocabulary, SP the
sequence between MP's sums, CP the sequence everywhere, R the batch on an axis of its own (HSDP), EP the experts, TOK+BP+EPB the experts on the axis of the batch, ES the edges of a graph, MQ the cache of multi-query attention. What is no tactic
but a policy of gathers (BP+Z3+least) is the `gathers` line of the schedule.
"""

from __future__ import annotations

import re
from pathlib import Path

import partir
from partir._tactic import Text

_FILES = {
    "transformer": ("t32", "t32_clip", "t32_microbatch", "t48", "gpt4", "gpt24"),
    "scanned": ("t32_scan", "t32_mixed", "gpt24_scan"),
    "serving": ("it32",),
    "multi_head": ("it32_multi_head",),
    "moe": ("moe", "moe_ragged"),
}
_FILE = {model: name for name, models in _FILES.items() for model in models}

_STRATEGIES: dict[str, tuple[str, ...]] = {
    "two_matmul": ("BP", "BP+MP", "BP+MP+Z3"),
    "mlp": ("BP", "BP+MP", "BP+MP+Z2", "BP+MP+Z3"),
    "t32": ("BP", "MP", "BP+MP", "BP+MP+Z2", "BP+MP+Z3", "MP+EMB", "BP+MP+Z3+EMB"),
    "it32": ("BP", "BP+MP", "BP+MPQ+MQ"),
    "it32_multi_head": ("BP", "BP+MP"),
    "unet": ("BP", "BP+Z2", "BP+Z3"),
    "gns": ("ES", "ES+Z2"),
    "moe": ("BP", "BP+EP", "BP+EP+MP+Z3"),
    "moe_ragged": ("BP", "BP+Z3"),
    "convnet": ("BP", "BP+MP", "BP+Z3"),
    "lstm": ("BP", "BP+MP", "BP+MP+Z3"),
    "llama": ("BP", "BP+MP", "BP+MP+Z3"),
    "gpt2": ("BP", "BP+MP", "BP+MP+Z3", "BP+CP"),
    "vit": ("BP", "BP+MP", "BP+Z3", "BP+MP+Z3"),
}
_DEFAULT = ("BP", "BP+MP", "BP+MP+Z3")


_POLICIES = ("least",)  # of gathers, as part of a strategy
# Activations are moved once, weights gathered at each use.
_GATHERS = {"SP": "weights_per_use", "CP": "weights_per_use", "TOK": "weights_per_use"} | {name: name for name in _POLICIES}


def names(model: str) -> tuple[str, ...]:
    """The strategies that make sense for a model."""
    return _STRATEGIES.get(model, _DEFAULT)


def blocks(model: str) -> dict[str, str]:
    """The tactics of a model's file, by name."""
    text = (Path(__file__).parent / f"{_FILE.get(model, model)}.schedule").read_text()
    found = re.finditer(r"^tactic (\w+) on [^{]*\{(?:[^{}]|\{[^{}]*\})*\}", text, re.MULTILINE)
    return {block[1]: block[0] for block in found}


def tactics(model: str, strategy: str) -> list[Text]:
    """The tactics of a strategy, in its order."""
    every = blocks(model)
    return [Text(every[name], name, f"{model}.schedule") for name in _tactic_names(strategy)]


def _tactic_names(strategy: str) -> list[str]:
    return [name for name in strategy.split("+") if name not in _POLICIES]


def gathers(strategy: str) -> str:
    """How its schedules gather: as said, or as a tactic wants."""
    names = strategy.split("+")
    return next((_GATHERS[name] for name in (*set(_POLICIES).intersection(names), *names) if name in _GATHERS), "per_use")


def schedule(model: str, strategy: str) -> partir.Schedule:
    """A strategy for `partir.jit`."""
    return partir.Schedule(tactics(model, strategy), gathers=gathers(strategy))


def text(model: str, strategy: str, mesh: str) -> str:
    """A strategy as a schedule file."""
    every = blocks(model)
    how = gathers(strategy)
    return "\n".join([f"mesh {mesh}", *([f"gathers {how}"] if how != "per_use" else []), *(every[name] for name in _tactic_names(strategy))]) + "\n"
