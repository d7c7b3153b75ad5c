"""Replaces the module that JAX lowered by a device-local one, so that XLA's partitioner is off.

JAX lowers a stand-in that takes and gives arrays of the right types and shardings; the module takes the place of its body.
What JAX keeps beside the body, for dispatch and donation, stays. All of this is private to JAX: `_xla.swapped_works` tries it.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from partir._calls import Calls
from partir._jax import main_of, platform

# The passes that would partition the module again.
PARTITIONER = "spmd-partitioning,sharding-propagation,shardy-xla,stateful-rng-spmd-partitioning"


_stand_in_p = Primitive("partir_stand_in")
_stand_in_p.multiple_results = True


@_stand_in_p.def_abstract_eval
def _stand_in_abstract(*_: Any, results: tuple[tuple[tuple[int, ...], Any], ...]) -> list[Any]:
    return [jax.core.ShapedArray(shape, dtype) for shape, dtype in results]


def _tensor_type(shape: tuple[int, ...], dtype: Any) -> ir.Type:
    """What an array is in a program: random keys are words there."""
    if jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key):
        shape, dtype = (*shape, *dtype._impl.key_shape), np.dtype(np.uint32)
    return ir.RankedTensorType.get(shape, mlir.dtype_to_ir_type(np.dtype(dtype)))


def _stand_in_lowering(ctx: Any, *_: Any, results: Any) -> Any:
    """One op with all the results: making them one by one would take JAX half a second for a large step."""
    types = [_tensor_type(*result) for result in results]
    return stablehlo.CustomCallOp(types, [], call_target_name="partir.stand_in").results


mlir.register_lowering(_stand_in_p, _stand_in_lowering)


def compile_swapped(
    text: str,
    args: tuple[Any, ...],
    out_info: Any,
    in_shardings: Any,
    out_shardings: Any,
    name: str = "partir",
    options: Mapping[str, Any] | None = None,
    calls: Calls = Calls(),
) -> jax.stages.Compiled:
    """Compile a device-local module as if JAX had lowered it; see `swap`. `options` are XLA's, by name."""
    lowered = swap(text, args, out_info, in_shardings, out_shardings, name, calls)
    if calls.functions:
        kept = lowered._lowering.compile_args
        kept |= {"host_callbacks": list(calls.functions), "unordered_effects": list(calls.effects())}
    options = dict(options or {})
    off = [PARTITIONER, *filter(None, (options.get("xla_disable_hlo_passes"),))]
    return lowered.compile(compiler_options=options | {"xla_disable_hlo_passes": ",".join(off)})


def swap(
    text: str,
    args: tuple[Any, ...],
    out_info: Any,
    in_shardings: Any,
    out_shardings: Any,
    name: str = "partir",
    calls: Calls = Calls(),
) -> jax.stages.Lowered:
    """A jax `Lowered` with a device-local module in it.

    `args` and `out_info` are pytrees of abstract (or real) global arrays, `in_shardings` and `out_shardings` pytrees of
    the same form that say how they lie. JAX lowers a stand-in of that signature, and the module takes its place. Which
    arguments are donated, and which results they become, is the module's to say (`tf.aliasing_output`,
    `jax.buffer_donor`).

    A training step has hundreds of arguments, but of few kinds. The stand-in has one argument of each kind, and what JAX
    keeps of it is repeated; where that is not known to be right, the stand-in has them all.
    """
    (in_leaves, in_form), (out_leaves, out_form) = jax.tree.flatten((args, {})), jax.tree.flatten(out_info)
    ins = _Kinds(in_leaves, jax.tree.leaves(in_shardings), distinct=can_repeat())
    outs = _Kinds(out_leaves, jax.tree.leaves(out_shardings), distinct=can_repeat())
    lowered = _lower_stand_in(ins, outs, name)
    lowering = lowered._lowering
    old = lowering._hlo
    with old.context, ir.Location.unknown():
        new = ir.Module.parse(text)
        calls.put_kernels(new)
        for attribute in ("sym_name", "mhlo.num_partitions", "mhlo.num_replicas"):
            new.operation.attributes[attribute] = old.operation.attributes[attribute]
        given, whole = main_of(new).type, main_of(old).type
        _check_types("argument", given.inputs, whole.inputs, ins)
        _check_types("result", given.results, whole.results, outs)
    lowering._hlo = new
    if can_repeat():
        _repeat(lowering, ins, outs)
    infos = jax.tree.leaves(lowered.args_info)
    return jax.stages.Lowered(lowering, jax.tree.unflatten(in_form, [infos[k] for k in ins.of]), out_form)


class _Kinds:
    """Kinds of arrays, by type and sharding: `arrays` and `shardings` have one of each kind, `of` the kind of each array."""

    def __init__(self, arrays: Sequence[Any], shardings: Sequence[Any], distinct: bool):
        kinds: dict[Any, int] = {}
        self.of: list[int] = []
        self.arrays: list[Any] = []
        self.shardings: list[Any] = []
        for i, (array, sharding) in enumerate(zip(arrays, shardings, strict=True)):
            kind = kinds.setdefault((array.shape, array.dtype, sharding) if distinct else i, len(kinds))
            self.of.append(kind)
            if kind == len(self.arrays):
                self.arrays.append(array)
                self.shardings.append(sharding)


def _lower_stand_in(ins: _Kinds, outs: _Kinds, name: str) -> jax.stages.Lowered:
    """What JAX makes of a function from arrays of these kinds to arrays of those."""

    def stand_in(*arrays: Any) -> Any:  # which it takes, or JAX may think it a constant
        return _stand_in_p.bind(*arrays, results=tuple((tuple(array.shape), array.dtype) for array in outs.arrays))

    stand_in.__name__ = name
    jitted = jax.jit(
        stand_in,
        in_shardings=tuple(ins.shardings),
        out_shardings=list(outs.shardings),
        keep_unused=True,
    )
    where = [device for s in (*ins.shardings, *outs.shardings) for device in s.device_set][:1]
    return jitted.trace(*ins.arrays).lower(lowering_platforms=tuple(map(platform, where)) or None)


def _check_types(what: str, given: Sequence[Any], whole: Sequence[Any], kinds: _Kinds) -> None:
    """Raise unless each type of the module is the part that JAX will hand over: XLA itself would not notice."""
    if len(given) != len(kinds.of):
        raise ValueError(f"the module has {len(given)} {what}s, but {len(kinds.of)} are expected")
    expected = []
    for array, sharding, type_ in zip(kinds.arrays, kinds.shardings, whole, strict=True):
        global_type = ir.RankedTensorType(type_)
        inner = global_type.shape[len(array.shape) :]  # of random keys, whose words JAX does not show
        part = [*sharding.shard_shape(tuple(array.shape)), *inner]
        expected.append(ir.RankedTensorType.get(part, global_type.element_type))
    for i, (type_, kind) in enumerate(zip(given, kinds.of)):
        if type_ != expected[kind]:
            raise ValueError(f"{what} {i} of the module is {type_}, but its part on a device is {expected[kind]}")


# What JAX keeps of a lowering for its compilation: of each argument, of each result, and what does not depend on them.
_OF_ARGUMENTS = {"global_in_avals", "in_layouts", "in_shardings"}
_OF_RESULTS = {"global_out_avals", "out_layouts", "out_shardings"}
_OF_NEITHER = set(
    "auto_spmd_lowering backend committed context_mesh host_callbacks intermediate_shardings keepalive mut num_devices "
    "ordered_effects pgle_profiler pmap_nreps shape_poly_state spmd_lowering tuple_args unordered_effects".split()
)


@functools.cache
def can_repeat() -> bool:
    """Whether this JAX keeps what `_repeat` knows, and nothing else."""
    lowering = jax.jit(lambda: 0).lower()._lowering
    kept = set(getattr(lowering, "compile_args", ()))
    replaced = _OF_ARGUMENTS | _OF_RESULTS | {"all_args_info", "kept_var_idx"}
    return replaced <= kept <= replaced | _OF_NEITHER


def _repeat(lowering: Any, ins: _Kinds, outs: _Kinds) -> None:
    """Make what JAX lowered for one array of each kind a lowering for all of them."""
    kept = dict(lowering.compile_args)
    for names, of in ((_OF_ARGUMENTS, ins.of), (_OF_RESULTS, outs.of)):
        kept |= {name: tuple(kept[name][kind] for kind in of) for name in names}
    kept["kept_var_idx"] = set(range(len(ins.of)))
    info = kept["all_args_info"]
    debug_info = info.debug_info._replace(arg_names=tuple(map(str, range(len(ins.of)))), result_paths=None)
    kept["all_args_info"] = info._replace(in_avals=[info.in_avals[kind] for kind in ins.of], debug_info=debug_info)
    lowering.compile_args = kept
