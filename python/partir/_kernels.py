"""Pallas kernels under a rule: each device runs the kernel on its chunks, over its part of the grid.

    pallas_call(kernel, grid=(8, 4), in_specs=[BlockSpec((1, 128), lambda i, j: (i, j))], ...)

is a custom call @partir.kernel to the partitioner, which cuts its arrays by the rule of that name. On a device that has a
fourth of the first dimension, the grid is (2, 4). This is sound only if, along the cut dimensions, the grid's own indices choose
every block and the kernel does not ask for its index; otherwise it is an error that says so. A kernel without a rule runs
whole. Interpreted kernels are treated like compiled ones. This file uses private parts of JAX.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
from jax.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func, stablehlo

TARGET = "partir.kernel"
FIGURES = ("flops", "transcendentals", "bytes_accessed")
Shape = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Kernel:
    """A `pallas_call` as it was traced, for whole arrays."""

    name: str
    primitive: Any
    params: dict[str, Any]
    in_avals: Sequence[Any]

    def on(self, shapes: Sequence[Shape]) -> tuple[Callable[..., Any], list[jax.ShapeDtypeStruct]]:
        """The kernel for arrays of these shapes, arguments and then results, as a function; and the types of its arguments."""
        whole = [tuple(a.shape) for a in (*self.in_avals, *self.params["out_avals"])]
        params = self.params if whole == list(shapes) else self._cut(list(shapes))
        types = [jax.ShapeDtypeStruct(shape, aval.dtype) for shape, aval in zip(shapes, self.in_avals)]

        def call(*args: Any) -> Any:
            return self.primitive.bind(*args, **params)

        call.__name__ = self.name
        return call, types

    def _cut(self, shapes: list[Shape]) -> dict[str, Any]:
        mapping = self.params["grid_mapping"]
        first = len(self.in_avals) - mapping.num_inputs  # sizes of the grid and indices come before what has blocks
        for aval, shape in zip(self.in_avals[:first], shapes):
            if tuple(aval.shape) != shape:
                raise self._cannot("an index operand cannot be cut; name its dimensions in whole(...)")
        grid, cut = list(mapping.grid), {}
        blocks = list(zip(mapping.block_mappings, shapes[first:], strict=True))
        for block, shape in blocks:
            sources = _index_sources(block, len(grid))
            for d, (size, part) in enumerate(zip(block.array_aval.shape, shape)):
                if size == part:
                    continue
                g, extent = sources[d].exactly, _extent(block.block_shape[d])
                if g is None:
                    raise self._cannot(f"dimension {d} of {block.origin} is not split into blocks by the grid")
                if extent is None or part % extent:
                    raise self._cannot(f"a device has {part} of dimension {d} of {block.origin}, no multiple of a block")
                if cut.setdefault(g, part // extent) != part // extent:
                    raise self._cannot(f"dimension {g} of the grid is cut in two ways")
                if grid[g] != size // extent:
                    raise self._cannot(f"dimension {g} of the grid does not go once over dimension {d} of {block.origin}")
        for block, shape in blocks:
            for d, source in enumerate(_index_sources(block, len(grid))):
                left = source.depends & cut.keys()
                if left and (source.exactly is None or shape[d] == block.array_aval.shape[d]):
                    raise self._cannot(f"dimension {d} of {block.origin} is not cut, but goes with dimension {min(left)} of the grid, which is")
        asked = cut.keys() & set(_places(self.params["jaxpr"]))
        if asked:
            raise self._cannot(f"it asks for its place on dimension {min(asked)} of the grid, which is cut")
        part = 1.0
        for g, size in cut.items():
            part *= size / grid[g]
            grid[g] = size
        fresh = tuple(
            replace(block, array_aval=block.array_aval.update(shape=shape), allow_captured_consts=True) for block, shape in blocks
        )
        results = shapes[len(self.in_avals) :]
        estimate = self.params.get("cost_estimate")
        if estimate:
            estimate = replace(estimate, **{f: int(part * getattr(estimate, f)) for f in FIGURES})
        return self.params | {
            "cost_estimate": estimate,
            "grid_mapping": replace(mapping, grid=tuple(grid), block_mappings=fresh),
            "out_avals": tuple(a.update(shape=shape) for a, shape in zip(self.params["out_avals"], results)),
        }

    def _cannot(self, why: str) -> ValueError:
        return ValueError(f"kernel {self.name} cannot run on chunks as its rule says: {why}")


@dataclass(frozen=True)
class _Source:
    """Where the number of a block comes from: from one dimension of the grid as it is, or from several by arithmetic."""

    exactly: int | None
    depends: frozenset[int]


def _index_sources(block: Any, rank: int) -> list[_Source]:
    jaxpr = block.index_map_jaxpr
    jaxpr = getattr(jaxpr, "jaxpr", jaxpr)
    number = {var: i for i, var in enumerate(jaxpr.invars[:rank])}
    depends = {var: frozenset([i]) for var, i in number.items()}
    for eqn in jaxpr.eqns:
        found = frozenset().union(*(depends.get(v, frozenset()) for v in eqn.invars if not hasattr(v, "val")))
        depends |= dict.fromkeys(eqn.outvars, found)
    return [
        _Source(None, frozenset()) if hasattr(v, "val") else _Source(number.get(v), depends.get(v, frozenset()))
        for v in jaxpr.outvars
    ]


def _extent(block: Any) -> int | None:
    """How many elements of a dimension a block has: of those that are one after the other."""
    if block is None or type(block).__name__ == "Squeezed":
        return 1
    return block if isinstance(block, int) else getattr(block, "block_size", None) if type(block).__name__ == "Blocked" else None


def _places(jaxpr: Any) -> Iterator[int]:
    """The dimensions of the grid on which a kernel asks where it is, or how many there are."""
    waiting = [jaxpr]
    while waiting:
        inner = waiting.pop()
        for eqn in getattr(inner, "jaxpr", inner).eqns:
            if eqn.primitive.name in ("program_id", "num_programs"):
                yield eqn.params["axis"]
            for value in eqn.params.values():
                several = value if isinstance(value, (tuple, list)) else (value,)
                waiting += [v for v in several if hasattr(v, "eqns") or hasattr(getattr(v, "jaxpr", None), "eqns")]


# ---- In the program -------------------------------------------------------------------------------------------------


def rules(kernels: list[Kernel]) -> list[tuple[Any, Any]]:
    """How JAX is to lower kernels: to custom calls with their name and their number in `kernels`."""
    from jax._src.pallas.pallas_call import pallas_call_p

    def mark(ctx: Any, *args: Any, **params: Any) -> Any:
        described = params.get("name") or getattr(params.get("name_and_src_info"), "name", None)
        name = described or getattr(getattr(params["jaxpr"], "debug_info", None), "func_name", None) or "pallas_call"
        kernels.append(Kernel(name, ctx.primitive or pallas_call_p, params, ctx.avals_in))
        types = [ir.RankedTensorType.get(a.shape, mlir.dtype_to_ir_type(a.dtype)) for a in ctx.avals_out]
        estimate = params.get("cost_estimate")  # by which the simulator prices it
        figures = {f: int(getattr(estimate, f)) for f in FIGURES} if estimate else {}
        word = ir.IntegerType.get_signless(64)
        numbers = {key: ir.IntegerAttr.get(word, value) for key, value in {"index": len(kernels) - 1, **figures}.items()}
        call = stablehlo.CustomCallOp(types, list(args), call_target_name=TARGET)
        call.attributes["mhlo.backend_config"] = ir.DictAttr.get({**numbers, "name": ir.StringAttr.get(name)})
        return call.results

    return [(pallas_call_p, mark)]


def custom_calls(module: ir.Module, target: str) -> list[Any]:
    """The custom calls in a module whose target's name has this in it."""
    found = []

    def look(op: Any) -> Any:
        if op.name == "stablehlo.custom_call" and target in ir.StringAttr(op.attributes["call_target_name"]).value:
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(look)
    return found


def put(kernels: Sequence[Kernel], module: ir.Module, platform: str) -> None:
    """Replace custom calls by calls of what JAX makes of each kernel for their shapes, a function for each different one."""
    made: dict[Any, str] = {}
    symbols = ir.SymbolTable(module.operation)
    for op in custom_calls(module, TARGET):
        number = ir.IntegerAttr(ir.DictAttr(op.attributes["mhlo.backend_config"])["index"]).value
        types = [x.type for x in (*op.operands, *op.results)]
        key = number, *map(str, types)
        if key not in made:
            call, arguments = kernels[number].on([tuple(ir.RankedTensorType(t).shape) for t in types])
            lowered = jax.jit(call, keep_unused=True).trace(*arguments).lower(lowering_platforms=(platform,))
            text = str(lowered.compiler_ir("stablehlo"))
            with module.context:
                inner = ir.Module.parse(text)
                made[key] = mlir.merge_mlir_modules(module, kernels[number].name, inner, dst_symtab=symbols)
        with module.context, op.location, ir.InsertionPoint(op):
            call_op = func.CallOp([x.type for x in op.results], ir.FlatSymbolRefAttr.get(made[key]), list(op.operands))
        for old, new in zip(op.results, call_op.results):
            old.replace_all_uses_with(new)
        op.operation.erase() if hasattr(op, "operation") else op.erase()
