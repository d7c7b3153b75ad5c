"""What a program calls outside of StableHLO: Python functions on the host, and kernels.

JAX lowers a callback to a custom call with the number of a Python function, and `calls` carries those functions on to the
partitioned program. Until then a Pallas kernel is a custom call @partir.kernel, because what it does depends on its shapes, and
partitioning decides these (see `_kernels.py`). Like `_xla.py`, this file uses private parts of JAX.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
from jax.interpreters import mlir
from jaxlib.mlir import ir

from partir import _kernels

_CAN_CALL_BACK = ("cpu", "cuda", "rocm")


@dataclass(frozen=True, eq=False)
class Calls:
    """Python functions by the `index` of callbacks, with a token if they have effects; and kernels by theirs."""

    functions: Sequence[Callable[..., Any]] = ()
    has_effects: bool = False
    kernels: Sequence[_kernels.Kernel] = ()
    platform: str = "cpu"

    def add_to(self, program: Any, module: ir.Module) -> None:
        """Make the functions of `module` those of the program that JAX is lowering, into which it goes."""
        self.put_kernels(module)
        first = len(program.host_callbacks)
        for function in self.functions:
            program.add_host_callback(function)
        for op in _callback_ops(module) if self.functions else ():
            index = ir.IntegerAttr.get(ir.IntegerType.get_unsigned(64), first + _index(op))
            config = ir.DictAttr(op.attributes["mhlo.backend_config"])
            entries = {entry.name: entry.attr for entry in config} | {"index": index}
            op.attributes["mhlo.backend_config"] = ir.DictAttr.get(entries)

    def put_kernels(self, module: ir.Module) -> None:
        """Put each kernel in the place of its custom call, for the shapes that it has there."""
        if self.kernels:
            _kernels.put(self.kernels, module, self.platform)

    def effects(self) -> set[Any]:
        """What JAX is to know of a program that runs them: `jax.effects_barrier` waits for it."""
        from jax._src.debugging import debug_effect

        return {debug_effect} if self.has_effects else set()


# ---- Callbacks ------------------------------------------------------------------------------------------------------


def _with_token(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda token, *args: (token, *function(*args))


def _callback_ops(module: ir.Module) -> list[Any]:
    return [op for op in _kernels.custom_calls(module, "_callback") if _index(op) is not None]


def _index(op: Any) -> int | None:
    if "mhlo.backend_config" not in op.attributes:
        return None
    config = ir.DictAttr(op.attributes["mhlo.backend_config"])
    return ir.IntegerAttr(config["index"]).value if "index" in config else None


def _functions(lowered: jax.stages.Lowered) -> tuple[list[Callable[..., Any]], bool]:
    """The functions that a program calls. Partitioned, all that have effects are given a token, not only the ordered ones."""
    functions = list(lowered._lowering.compile_args.get("host_callbacks") or ())
    has_effects = False
    for op in _callback_ops(lowered.compiler_ir("stablehlo")) if functions else ():
        if "has_side_effect" not in op.attributes or not ir.BoolAttr(op.attributes["has_side_effect"]).value:
            continue
        has_effects = True
        if not any(str(x.type) == "!stablehlo.token" for x in op.operands):
            functions[_index(op)] = _with_token(functions[_index(op)])
    return functions, has_effects


def _rules_without_callbacks(platform: str) -> list[tuple[Any, Any]]:
    """Where there are none, debugging is left out, and what the program needs is an error."""
    from jax._src.callback import io_callback_p, pure_callback_p
    from jax._src.debugging import debug_callback_p, debug_print_p

    def place() -> str:
        found = re.search(r'"([^"]+)":(\d+)', str(ir.Location.current))
        return f"{found[1]}:{found[2]}: " if found else ""

    def leave_out(ctx: Any, *_: Any, **__: Any) -> Sequence[Any]:
        warnings.warn(f"{place()}{ctx.primitive} is left out: {platform} cannot call back to the host", stacklevel=2)
        if ctx.tokens_in.effects():
            ctx.set_tokens_out(ctx.tokens_in)
        return []

    def refuse(ctx: Any, *_: Any, **__: Any) -> Sequence[Any]:
        raise NotImplementedError(f"{place()}{ctx.primitive}: {platform} cannot call back to the host")

    return [
        *((primitive, leave_out) for primitive in (debug_callback_p, debug_print_p)),
        *((primitive, refuse) for primitive in (io_callback_p, pure_callback_p)),
    ]


# ---- Lowering -------------------------------------------------------------------------------------------------------


def lower(traced: jax.stages.Traced, platform: str, mark_kernels: bool) -> tuple[jax.stages.Lowered, Calls]:
    """What JAX lowers for a platform, and what that calls; kernels, if marked, as custom calls that `put_kernels` replaces."""
    kernels: list[_kernels.Kernel] = []
    rules = []
    if platform not in _CAN_CALL_BACK:
        rules += _rules_without_callbacks(platform)
    if mark_kernels and "jax.experimental.pallas" in sys.modules:
        rules += _kernels.rules(kernels)
    if not rules:
        lowered = traced.lower(lowering_platforms=(platform,))
    else:
        parameters = mlir.LoweringParameters(override_lowering_rules=tuple(rules))
        lowered = traced.lower(lowering_platforms=(platform,), _private_parameters=parameters)
    return lowered, Calls(*_functions(lowered), kernels, platform)
