"""Running a device-local StableHLO module on XLA: the one file that uses parts of JAX that are not for everyone.

A device-local module says what each device does with its own part of the data, with explicit collectives; XLA's own
partitioner must leave it alone. There are three routes, each with its own use:

    compile_local(text, n)      XLA's client alone, one array for each device: for tests
    compile_swapped(text, ...)  in the place of what JAX lowered: XLA's partitioner is off, which saves a third of compiling
    compile_mapped(text, ...)   inside `jax.shard_map`: public and portable, but XLA's partitioner runs around it

The first two need private APIs, whose being there does not say that they work: JAX 0.12 takes the types of @main for those
of the whole arrays, so that what a swapped module gives cannot be read. `compile_for` takes the second route where a tiny
program has shown it to work, and the third everywhere else. On virtual CPU devices set NPROC to twice their number before
jax is imported, or steps may deadlock.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from jax.sharding import NamedSharding, PartitionSpec
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func, stablehlo

from partir._calls import Calls

try:
    from jax._src.lib import xla_client
except ImportError:
    xla_client = None

# The passes that would partition the module again.
_PARTITIONER = "spmd-partitioning,sharding-propagation,shardy-xla,stateful-rng-spmd-partitioning"


def platform(device: jax.Device) -> str:
    """What JAX lowers for to run on a device: cpu, cuda, rocm, tpu. A device itself says gpu for two of them."""
    named = getattr(device.client, "_raw_platform", device.platform)
    if named == "gpu":  # of a topology, with no hardware behind it
        return "cuda" if "NVIDIA" in device.device_kind else "rocm"
    return named


def ambient_mesh() -> jax.sharding.Mesh | jax.sharding.AbstractMesh | None:
    """The mesh of `jax.set_mesh`, if there is one."""
    get = getattr(jax.sharding, "get_mesh", None) or jax.sharding.get_abstract_mesh
    mesh = get()
    return None if mesh.empty else mesh


def trace_context() -> Hashable:
    """What of JAX's settings decides what is traced: the key of `jax.jit`'s caches has it too (x64, precision, mesh, ...)."""
    try:
        from jax._src import config

        return config.trace_context()
    except (ImportError, AttributeError):
        settings = ("enable_x64", "default_matmul_precision", "numpy_dtype_promotion", "numpy_rank_promotion", "debug_nans")
        return tuple(str(getattr(jax.config, f"jax_{name}", None)) for name in (*settings, "default_device"))


def register(
    primitive: Primitive,
    lowering: Callable[..., Any],
    jvp: Callable[..., Any],
    batcher: Callable[..., Any],
    transpose: Callable[..., Any] | None = None,
) -> None:
    """Tell JAX what becomes of a primitive: in the program, under `jax.jvp` and `jax.vmap`, and in a backward pass."""
    mlir.register_lowering(primitive, lowering)
    ad.primitive_jvps[primitive] = jvp
    if transpose:
        ad.primitive_transposes[primitive] = transpose
    batching.primitive_batchers[primitive] = batcher


def is_zero(tangent: Any) -> bool:
    """Whether a tangent or cotangent is known to be zero: JAX then has no array for it."""
    return isinstance(tangent, ad.Zero)


def identity_call(target: str, config: str, x: Any) -> Sequence[Any]:
    """In a lowering: a custom call that gives `x`."""
    return stablehlo.CustomCallOp(
        [x.type], [x], call_target_name=target, backend_config=ir.StringAttr.get(config)
    ).results


def _main(module: ir.Module) -> Any:
    """The function @main of a module."""
    return next(f for f in module.body.operations if ir.StringAttr(f.attributes["sym_name"]).value == "main")


def printed(lowered: jax.stages.Lowered) -> bytes:
    """The module that JAX lowered as text, with the names of its ops. JAX has verified it: printing need not again."""
    operation = lowered.compiler_ir("stablehlo").operation
    return operation.get_asm(binary=True, enable_debug_info=True, assume_verified=True)


# ---- One array for each device --------------------------------------------------------------------------------------


class LocalExecutable:
    """A compiled device-local module that runs on host arrays, one for each argument and device."""

    def __init__(self, executable: Any, devices: Sequence[jax.Device]):
        self._executable = executable
        self._devices = list(devices)
        # JAX must think of one global array for each argument: "replicated" fits any shape, and nobody compares parts.
        everywhere = jax.sharding.Mesh(np.array(self._devices), ("device",))
        self._sharding = NamedSharding(everywhere, PartitionSpec())

    def __call__(self, args: Sequence[Sequence[np.ndarray]]) -> list[list[np.ndarray]]:
        """Run once: `args[i][d]` is argument i on device d, and so for the results."""
        arrays = [self._place(parts) for parts in args]
        results = self._executable.execute_sharded(arrays).disassemble_into_single_device_arrays()
        return [[np.asarray(part) for part in parts] for parts in results]

    def text(self) -> str:
        """The optimized HLO."""
        return self._executable.get_hlo_text()

    def memory(self) -> Any:
        """XLA's memory analysis: argument_size_in_bytes, temp_size_in_bytes, …, peak_memory_in_bytes of one device."""
        return self._executable.get_compiled_memory_stats()

    def _place(self, parts: Sequence[np.ndarray]) -> jax.Array:
        placed = [jax.device_put(p, d) for p, d in zip(parts, self._devices, strict=True)]
        return jax.make_array_from_single_device_arrays(np.shape(parts[0]), self._sharding, placed)


def compile_local(
    text: str, devices: int | Sequence[jax.Device], debug_options: dict[str, Any] | None = None
) -> LocalExecutable:
    """Compile a device-local module for `devices` (the first n, or these) with XLA's partitioner off."""
    if isinstance(devices, int):
        devices = jax.devices()[:devices]
    count = len(devices)
    options = xla_client.CompileOptions()
    options.num_replicas, options.num_partitions = 1, count
    options.device_assignment = xla_client.DeviceAssignment.create(np.array([[d.id for d in devices]]))
    build = options.executable_build_options
    build.num_replicas, build.num_partitions = 1, count
    build.use_spmd_partitioning = True  # several partitions need it, though its passes are off
    build.use_shardy_partitioner = False
    for name, value in {"xla_disable_hlo_passes": _PARTITIONER, **(debug_options or {})}.items():
        setattr(build.debug_options, name, value)
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        executable = devices[0].client.compile_and_load(
            module, xla_client.DeviceList(tuple(devices)), options
        )
    return LocalExecutable(executable, devices)


# ---- In the place of what JAX lowered -------------------------------------------------------------------------------


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
    off = [_PARTITIONER, *filter(None, (options.get("xla_disable_hlo_passes"),))]
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
    ins = _Kinds(in_leaves, jax.tree.leaves(in_shardings), distinct=_can_repeat())
    outs = _Kinds(out_leaves, jax.tree.leaves(out_shardings), distinct=_can_repeat())
    lowered = _lower_stand_in(ins, outs, name)
    lowering = lowered._lowering
    old = lowering._hlo
    with old.context, ir.Location.unknown():
        new = ir.Module.parse(text)
        calls.put_kernels(new)
        for attribute in ("sym_name", "mhlo.num_partitions", "mhlo.num_replicas"):
            new.operation.attributes[attribute] = old.operation.attributes[attribute]
        given, whole = _main(new).type, _main(old).type
        _check_types("argument", given.inputs, whole.inputs, ins)
        _check_types("result", given.results, whole.results, outs)
    lowering._hlo = new
    if _can_repeat():
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

    def stand_in(*_: Any) -> Any:
        return _stand_in_p.bind(results=tuple((tuple(array.shape), array.dtype) for array in outs.arrays))

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
def _can_repeat() -> bool:
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


# ---- Inside another trace -------------------------------------------------------------------------------------------


class _Text:
    """A module's text as a parameter of a primitive: compared by identity, and never printed in full."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return f"<StableHLO, {len(self.text)} bytes>"


_local_p = Primitive("partir_local")
_local_p.multiple_results = True


@_local_p.def_effectful_abstract_eval
def _local_abstract(
    *_: Any, module: _Text, results: tuple[tuple[tuple[int, ...], Any], ...], calls: Calls
) -> tuple[list[Any], set[Any]]:
    return [jax.core.ShapedArray(shape, dtype) for shape, dtype in results], calls.effects()


def _local_lowering(ctx: Any, *args: Any, module: _Text, results: Any, calls: Calls) -> Any:
    """A call of the module's @main, which becomes a private function of the program around it."""
    outer = ctx.module_context
    with outer.context:
        inner = ir.Module.parse(module.text)
        main = _main(inner)
        types = list(main.type.results)
        for attributes in ("arg_attrs", "res_attrs"):  # aliases and names belong to a public @main only
            if attributes in main.attributes:
                del main.attributes[attributes]
        calls.add_to(outer, inner)
    symbol = mlir.merge_mlir_modules(
        outer.module, "partir_local", inner, dst_symtab=outer.symbol_table
    )
    return func.CallOp(types, ir.FlatSymbolRefAttr.get(symbol), list(args)).results


def _no_jvp(*_: Any, **__: Any) -> Any:
    raise NotImplementedError(
        "a partitioned function cannot be differentiated: partition the function that takes the gradient"
    )


def _no_batching(*_: Any, **__: Any) -> Any:
    raise NotImplementedError("a partitioned function cannot be vmapped: partition the function that calls jax.vmap")


register(_local_p, _local_lowering, _no_jvp, _no_batching)


@dataclass(frozen=True)
class Mapped:
    """How arguments and results lie on one mesh, for `jax.shard_map`: what they have as shardings on several, if need be."""

    mesh: jax.sharding.Mesh
    in_specs: Sequence[PartitionSpec]
    out_specs: Sequence[PartitionSpec]

    def call(
        self, text: str, out_info: Sequence[Any], name: str, calls: Calls
    ) -> Callable[..., tuple[jax.Array, ...]]:
        """A function of global arrays that runs a device-local module on their parts, to be traced.

        `out_info` gives the global shape and type of each result.
        """
        results = tuple(
            (NamedSharding(self.mesh, spec).shard_shape(tuple(info.shape)), info.dtype)
            for spec, info in zip(self.out_specs, out_info, strict=True)
        )
        module = _Text(text)

        def local(*parts: jax.Array) -> tuple[jax.Array, ...]:
            return tuple(_local_p.bind(*parts, module=module, results=results, calls=calls))

        local.__name__ = local.__qualname__ = name
        specs = {"in_specs": tuple(self.in_specs), "out_specs": tuple(self.out_specs)}
        return jax.shard_map(local, mesh=self.mesh, **specs, check_vma=False)


def local_call(
    text: str, mapped: Mapped, out_info: Sequence[Any], name: str = "partir", calls: Calls = Calls()
) -> Callable[..., tuple[jax.Array, ...]]:
    """A function of global arrays that runs a device-local module on their parts, for use inside other JAX code."""
    return jax.jit(mapped.call(text, out_info, name, calls))


def compile_mapped(
    text: str,
    mapped: Mapped,
    args: Sequence[Any],
    out_info: Sequence[Any],
    in_shardings: Sequence[NamedSharding],
    out_shardings: Sequence[NamedSharding],
    donate_argnums: Sequence[int] = (),
    name: str = "partir",
    options: Mapping[str, Any] | None = None,
    calls: Calls = Calls(),
) -> jax.stages.Compiled:
    """Compile a device-local module inside `jax.shard_map`: the parts of JAX that are for everyone alone."""
    jitted = jax.jit(
        mapped.call(text, out_info, name, calls),
        in_shardings=tuple(in_shardings),
        out_shardings=tuple(out_shardings),
        donate_argnums=tuple(donate_argnums),
        keep_unused=True,
    )
    with jax.set_mesh(mapped.mesh):  # the user's may be Explicit, which shard_map would compare with ours
        lowered = jitted.trace(*args).lower(lowering_platforms=(platform(mapped.mesh.devices.flat[0]),))
    return lowered.compile(compiler_options=dict(options or {}))


# ---- The best route there is ----------------------------------------------------------------------------------------


def compile_for(
    text: str,
    mapped: Mapped,
    args: Sequence[Any],
    out_info: Sequence[Any],
    in_shardings: Sequence[NamedSharding],
    out_shardings: Sequence[NamedSharding],
    donate_argnums: Sequence[int] = (),
    name: str = "partir",
    options: Mapping[str, Any] | None = None,
    calls: Calls = Calls(),
) -> jax.stages.Compiled:
    """Compile a device-local module for the devices of a mesh, as a function of global arrays."""
    here = [d for d in mapped.mesh.devices.flat if d.process_index == jax.process_index()]
    if swapped_works(*here[:2]):
        return compile_swapped(
            text, tuple(args), list(out_info), tuple(in_shardings), list(out_shardings), name, options, calls
        )
    return compile_mapped(
        text, mapped, args, out_info, in_shardings, out_shardings, donate_argnums, name, options, calls
    )


# Gives %a back and twice %b, which is donated; two devices have a half of each.
_PROBE = """
module @probe {
  func.func public @main(%a: tensor<2xf32>, %b: tensor<2xf32> {tf.aliasing_output = 1 : i32})
      -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.add %b, %b : tensor<2xf32>
    return %a, %0 : tensor<2xf32>, tensor<2xf32>
  }
}"""


@functools.cache
def swapped_works(*devices: jax.Device) -> bool:
    """Whether `compile_swapped` gives right results on two devices, read back as a user would: a tiny program tells.

    It does not where there are fewer than two devices to ask, or none that run anything (those of a topology).
    """
    if len(devices) < 2 or platform(devices[0]) not in ("cpu", "cuda", "rocm"):  # where XLA's partitioner can be off
        return False
    mesh = jax.sharding.Mesh(np.array(devices), ("device",))
    halves = NamedSharding(mesh, PartitionSpec("device"))
    a, b = np.arange(4, dtype=np.float32), np.ones(4, np.float32)
    try:
        run = compile_swapped(_PROBE, (a, b), [a, b], (halves, halves), [halves, halves])
        results = run(*jax.device_put((a, b), (halves, halves)))
        results += run(*results)
        read = [np.asarray(r) for r in (results[2], results[3])]
        moved = np.asarray(jax.device_put(results[2], NamedSharding(mesh, PartitionSpec())))
    except Exception:  # whatever a JAX of another time says: there is a route that works
        return False
    return all(np.array_equal(got, want) for got, want in zip((*read, moved), (a, 4 * b, a)))


# ---- Between processes ----------------------------------------------------------------------------------------------


def _key_value_store() -> Any:
    """The store that the processes of `jax.distributed` share."""
    try:
        from jax._src import distributed

        store = distributed.global_state.client
        store.key_value_set, store.blocking_key_value_get
    except (ImportError, AttributeError) as reason:
        raise NotImplementedError("this JAX has no store that its processes share") from reason
    return store


def publish(key: str, value: str) -> None:
    """Let the other processes know of a value."""
    _key_value_store().key_value_set(f"{key}/{jax.process_index()}", value)


def published(key: str, process: int, timeout_seconds: float) -> str | None:
    """What another process published, waiting for it; None if it does not come."""
    try:
        return _key_value_store().blocking_key_value_get(f"{key}/{process}", int(1000 * timeout_seconds))
    except jax.errors.JaxRuntimeError:
        return None
