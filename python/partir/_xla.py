"""Running a device-local StableHLO module on XLA, and the choice of a way to do so.

A device-local module says what each device does with its own part of the data, with explicit collectives; XLA's own
partitioner must leave it alone. There are three routes, each with its own use:

    compile_local(text, n)      XLA's client alone, one array for each device: for tests
    compile_swapped(text, ...)  in the place of what JAX lowered: XLA's partitioner is off, which saves a third of compiling
    Mapped.call(text, ...)      inside `jax.shard_map`: public and portable, but XLA's partitioner runs around it

The first two need private APIs. That these exist does not mean that they work: JAX 0.12 takes the types of @main for those of
the whole arrays, so the results of a swapped module cannot be read. `compile_for` runs a tiny program; if this works it uses
the second route, and otherwise the third. On virtual CPU devices set NPROC to twice their number before
jax is imported, or steps may deadlock.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import mlir
from jax.sharding import NamedSharding, PartitionSpec
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func

from partir._calls import Calls
from partir._jax import main_of, platform, register
from partir._swapped import PARTITIONER, compile_swapped

try:
    from jax._src.lib import xla_client
except ImportError:
    xla_client = None

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
    for name, value in {"xla_disable_hlo_passes": PARTITIONER, **(debug_options or {})}.items():
        setattr(build.debug_options, name, value)
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        executable = devices[0].client.compile_and_load(
            module, xla_client.DeviceList(tuple(devices)), options
        )
    return LocalExecutable(executable, devices)


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
        main = main_of(inner)
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
    swapped: bool | None = None,
) -> jax.stages.Compiled:
    """Compile a device-local module for the devices of a mesh, as a function of global arrays.

    `swapped` chooses the route (None: the first where it works); the other one, inside `jax.shard_map`, uses the parts
    of JAX that are for everyone alone.
    """
    if swapped is None:
        here = [d for d in mapped.mesh.devices.flat if d.process_index == jax.process_index()]
        swapped = swapped_works(*here[:2])
    if swapped:
        return compile_swapped(
            text, tuple(args), list(out_info), tuple(in_shardings), list(out_shardings), name, options, calls
        )
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
