"""The models at full size: what they are, and how large, from shapes alone."""

from __future__ import annotations

import dataclasses
import functools
import math
import sys
from typing import Any

from bench.evaluation import cells, paper, peers

ALSO = ("t48",)  # models of the paper that are in no comparison


def size(name: str) -> str:
    """The configuration of a model, as its file has it."""
    from bench import models

    config = models.configuration(name)
    every = {field.name: getattr(config, field.name) for field in dataclasses.fields(config)}
    return ", ".join(name if value is True else f"{name} {value}" for name, value in every.items() if value not in (False, None))


def compute(name: str) -> dict[str, Any]:
    """Parameters, and tensors and ops of the whole program."""
    import inspect

    import jax

    from bench import models

    it = models.get(name)
    trees = dict(zip(inspect.signature(it.function).parameters, it.args))
    text = it.lower().as_text()
    counted = sum(math.prod(leaf.shape) for leaf in jax.tree.leaves(trees["params"]))
    return {"parameters": counted, "arguments": len(it.names()), "ops": text.count(" = ")}


def page(quick: bool) -> str:
    """A row for each model."""
    lines = ["| model | what | file | full size | parameters | arguments | ops |", "|---|---|---|---|---:|---:|---:|"]
    names = dict.fromkeys([*(model for _, _, model, *_ in paper.ROWS), *ALSO, *peers.COMPARED])
    for name in peers.QUICK if quick else names:
        from bench import models

        file = sys.modules[type(models.configuration(name)).__module__]
        one = cells.kept("described", name, lambda: cells.digest(name, paper.model_sources()), functools.partial(compute, name))
        what = file.__doc__.split("\n")[0].removesuffix(".")
        figures = f"{size(name)} | {one['parameters'] / 1e6:,.1f} M | {one['arguments']:,} | {one['ops']:,}" if "failed" not in one else f"failed: {one['failed']} | | | "
        lines.append(f"| {name} | {what} | `bench/models/{file.__name__.split('.')[-1]}.py` | {figures} |")
    return "Plain JAX, traced from shapes alone; each has a small size that runs, whose losses fall and whose loops agree (`tests/python/test_models.py`).\n\n" + "\n".join(lines)
