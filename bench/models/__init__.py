"""The evaluation models, in plain JAX. Each is a function, its abstract arguments and what it donates.

    model = bench.models.get("t32", small=True)
    lowered = model.lower()                       # from shapes alone
    new_state = jax.jit(model.function)(*model.example(seed=0))

`python -m bench.models export t32 --small -o t32.mlir` writes a model as StableHLO text.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import jax
import numpy as np

from bench.models import convnet, gns, gpt2, llama, lstm, mlp, moe, serving, ssm, transformer, unet, vit
from bench.models.training import Tree


@dataclass(frozen=True)
class Model:
    """A function to partition. `limits` bounds its integer arguments: argument name -> first illegal value."""

    function: Callable[..., Tree]
    args: tuple[Tree, ...]
    donate_argnums: tuple[int, ...] = ()
    limits: dict[str, int] = field(default_factory=dict)

    def lower(self) -> Any:
        """JAX's `Lowered` of the whole function, every argument kept."""
        jitted = jax.jit(self.function, keep_unused=True, donate_argnums=self.donate_argnums)
        return jitted.lower(*self.args)

    def names(self) -> list[str]:
        """The name of each flattened argument in JAX's key strings: params['layers'][0]['up']['kernel']."""
        return [
            name + jax.tree_util.keystr(path)
            for name, tree in zip(inspect.signature(self.function).parameters, self.args)
            for path, _ in jax.tree_util.tree_flatten_with_path(tree)[0]
        ]

    def example(self, seed: int = 0) -> tuple[Tree, ...]:
        """Arguments to run with: random parameters and data, norms at one, optimizer state and caches at zero."""
        random = np.random.default_rng(seed)

        def make(name: str, leaf: str, shape: jax.ShapeDtypeStruct) -> np.ndarray:
            if name in self.limits:
                return random.integers(0, self.limits[name], shape.shape).astype(shape.dtype)
            if name in ("opt", "momentum", "stats", "cache"):
                return np.zeros(shape.shape, shape.dtype)
            if name == "time":
                return random.uniform(size=shape.shape).astype(shape.dtype)
            if name != "params":
                return random.normal(size=shape.shape).astype(shape.dtype)
            if leaf.endswith("['scale']"):
                return np.ones(shape.shape, shape.dtype)
            return (0.1 * random.normal(size=shape.shape)).astype(shape.dtype)

        names = inspect.signature(self.function).parameters
        return tuple(
            jax.tree_util.tree_map_with_path(
                lambda path, shape: make(name, jax.tree_util.keystr(path), shape), tree
            )
            for name, tree in zip(names, self.args)
        )


def _transformer(c: transformer.Config) -> Model:
    limits = {"x": c.vocab, "y": c.vocab}
    return Model(transformer.make_step(c), transformer.args(c), (0, 1), limits)


def _serving(c: serving.Config) -> Model:
    return Model(serving.make_serve(c), serving.args(c), (1,), {"x": c.vocab})


def _unet(c: unet.Config) -> Model:
    return Model(unet.make_step(c), unet.args(c), (0, 1), {"label": c.classes})


def _gns(c: gns.Config) -> Model:
    return Model(gns.step, gns.args(c), (0, 1), {"senders": c.nodes, "receivers": c.nodes})


def _two_matmul(c: mlp.Config) -> Model:
    return Model(mlp.two_matmul, mlp.two_matmul_args(c))


def _mlp(c: mlp.Config) -> Model:
    return Model(mlp.step, mlp.args(c), (0, 1))


def _moe(c: moe.Config) -> Model:
    return Model(moe.make_step(c), moe.args(c), (0, 1), {"x": c.vocab, "y": c.vocab})


def _convnet(c: convnet.Config) -> Model:
    return Model(convnet.step, convnet.args(c), (0, 1, 2), {"y": c.classes})


def _llama(c: llama.Config) -> Model:
    return Model(llama.make_step(c), llama.args(c), (0, 1), {"x": c.vocab, "y": c.vocab})


def _gpt2(c: gpt2.Config) -> Model:
    return Model(gpt2.make_step(c), gpt2.args(c), (0, 1), {"x": c.vocab, "y": c.vocab, "seed": 2**16})


def _vit(c: vit.Config) -> Model:
    return Model(vit.make_step(c), vit.args(c), (0, 1), {"y": c.classes})


def _lstm(c: lstm.Config) -> Model:
    return Model(lstm.step, lstm.args(c), (0, 1), {"x": c.vocab, "y": c.vocab})


def _ssm(c: ssm.Config) -> Model:
    return Model(ssm.step, ssm.args(c), (0, 1), {"x": c.vocab, "y": c.vocab})


# The 24-layer step that partitioners are timed on, and the 4-layer step (about 15 GFLOP) that the interpreter is.
_GPT24 = transformer.Config(24, 512, 8, 64, 2048, 1024, batch=32, sequence=128)
_GPT4 = transformer.Config(4, 256, 4, 64, 512, 256, batch=8, sequence=128)

_Build = Callable[[Any], Model]
_T = transformer

# name: (how to build it, the full configuration, the small one)
_MODELS: dict[str, tuple[_Build, Any, Any]] = {
    "two_matmul": (_two_matmul, mlp.TWO_MATMUL_FULL, mlp.TWO_MATMUL_SMALL),
    "mlp": (_mlp, mlp.FULL, mlp.SMALL),
    "t32": (_transformer, _T.T32, _T.SMALL),
    "t32_scan": (_transformer, replace(_T.T32, scan=True), replace(_T.SMALL, scan=True)),
    "t32_clip": (_transformer, replace(_T.T32, clip_norm=1.0), replace(_T.SMALL, clip_norm=1.0)),
    "t32_microbatch": (
        _transformer,
        replace(_T.T32, microbatches=2),
        replace(_T.SMALL, microbatches=2),
    ),
    "t32_mixed": (
        _transformer,
        replace(_T.T32, scan=True, remat=True, bf16=True, clip_norm=1.0, microbatches=2),
        replace(_T.SMALL, scan=True, remat=True, bf16=True, clip_norm=1.0, microbatches=2),
    ),
    "t48": (_transformer, _T.T48, replace(_T.SMALL, layers=3)),
    "gpt4": (_transformer, _GPT4, replace(_T.SMALL, layers=4)),
    "gpt24": (_transformer, _GPT24, replace(_T.SMALL, layers=4)),
    "gpt24_scan": (
        _transformer,
        replace(_GPT24, scan=True),
        replace(_T.SMALL, layers=4, scan=True),
    ),
    "it32": (_serving, serving.IT32, serving.SMALL),
    "it32_multi_head": (
        _serving,
        replace(serving.IT32, multi_query=False),
        replace(serving.SMALL, multi_query=False),
    ),
    "unet": (_unet, unet.FULL, unet.SMALL),
    "gns": (_gns, gns.FULL, gns.SMALL),
    "moe": (_moe, moe.FULL, moe.SMALL),
    "moe_ragged": (_moe, replace(moe.FULL, ragged=True), replace(moe.SMALL, ragged=True)),
    "llama": (_llama, llama.FULL, llama.SMALL),
    "llama_scan": (_llama, replace(llama.FULL, scan=True, remat=True), replace(llama.SMALL, scan=True, remat=True)),
    "gpt2": (_gpt2, gpt2.FULL, gpt2.SMALL),
    "vit": (_vit, vit.FULL, vit.SMALL),
    "convnet": (_convnet, convnet.FULL, convnet.SMALL),
    "lstm": (_lstm, lstm.FULL, lstm.SMALL),
    "ssm": (_ssm, ssm.FULL, ssm.SMALL),
}


def names() -> list[str]:
    """The names that `get` knows."""
    return list(_MODELS)


def configuration(name: str) -> Any:
    """Of a model at the size of the evaluation."""
    return _MODELS[name][1]


def get(name: str, small: bool = False, **sizes: Any) -> Model:
    """The model `name`, at the size of the evaluation or at one that runs anywhere; `sizes` replaces fields of that."""
    build, full, little = _MODELS[name]
    return build(replace(little if small else full, **sizes))
