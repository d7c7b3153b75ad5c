"""The private parts of JAX that the package uses: platforms, the ambient mesh, settings, primitives, processes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import jax
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo


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


def main_of(module: ir.Module) -> Any:
    """The function @main of a module."""
    return next(f for f in module.body.operations if ir.StringAttr(f.attributes["sym_name"]).value == "main")


def printed(lowered: jax.stages.Lowered) -> bytes:
    """The module that JAX lowered as text, with the names of its ops. JAX has verified it: printing need not again."""
    operation = lowered.compiler_ir("stablehlo").operation
    return operation.get_asm(binary=True, enable_debug_info=True, assume_verified=True)


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
