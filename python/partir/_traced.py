"""Traces a function with JAX for arguments of some types, and finds which properties of arguments decide the result."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax.sharding import AxisType

from partir import _calls, _tag
from partir._check import NAMES, NUMBERS, check
from partir._signature import Signature


class Traced:
    """A function and how it is to be traced."""

    def __init__(
        self,
        function: Callable[..., Any],
        donate_argnums: int | Sequence[int] | None = None,
        donate_argnames: str | Sequence[str] | None = None,
        static_argnums: int | Sequence[int] | None = None,
        static_argnames: str | Sequence[str] | None = None,
    ):
        check("donate_argnums", donate_argnums, NUMBERS, optional=True)
        check("donate_argnames", donate_argnames, NAMES, optional=True)
        self.function = function
        self.name = getattr(function, "__name__", type(function).__name__)
        self.signature = Signature.of(function, static_argnums, static_argnames)
        self._options: dict[str, Any] = {
            "static_argnums": self.signature.static_argnums or None,
            "static_argnames": self.signature.static_argnames or None,
            "donate_argnums": donate_argnums,
            "donate_argnames": donate_argnames,
        }

    def lower(
        self, platform: str, args: tuple[Any, ...], kwargs: dict[str, Any], mark_kernels: bool = True
    ) -> tuple[Any, _calls.Calls, list[str], _tag.Tags]:
        """JAX's `Lowered` from the types of the arguments alone, what it calls, the arguments' names, and the tags in it."""
        signature = self.signature
        args = tuple(
            a if i in signature.static_argnums else jax.tree.map(abstract, a) for i, a in enumerate(args)
        )
        kwargs = {
            k: v if k in signature.static_argnames else jax.tree.map(abstract, v) for k, v in kwargs.items()
        }
        with _tag.marked() as tags:
            lowered, calls = self._lower(platform, args, kwargs, mark_kernels)
        dynamic, _ = signature.split(args, kwargs)
        return lowered, calls, signature.names(dynamic, len(args)), tags

    def _lower(
        self, platform: str, args: tuple[Any, ...], kwargs: dict[str, Any], mark_kernels: bool
    ) -> tuple[jax.stages.Lowered, _calls.Calls]:
        """What JAX does."""

        # A function of its own each time: JAX's caches must not give what was lowered without tags.
        @functools.wraps(self.function, updated=())
        def function(*args: Any, **kwargs: Any) -> Any:
            return self.function(*args, **kwargs)

        jitted = jax.jit(function, keep_unused=True, **self._options)
        return _calls.lower(jitted.trace(*args, **kwargs), platform, mark_kernels)


def abstract(x: Any) -> Any:
    """The type of a leaf. Placement is not part of it, unless the mesh is Explicit."""
    if not isinstance(x, jax.ShapeDtypeStruct):
        x = jax.typeof(x)
    return jax.ShapeDtypeStruct(x.shape, x.dtype, weak_type=x.weak_type, sharding=_explicit(x))


def _explicit(x: Any) -> Any:
    """The sharding that is part of a type: that of an Explicit mesh."""
    sharding = getattr(x, "sharding", None)
    types_ = getattr(getattr(sharding, "mesh", None), "axis_types", None) or ()
    return sharding if AxisType.Explicit in types_ else None


def type_key(x: Any) -> tuple[Any, ...]:
    """What of a leaf decides which program it needs."""
    if not isinstance(x, (jax.Array, jax.ShapeDtypeStruct)):
        x = jax.typeof(x)
    return x.shape, x.dtype, getattr(x, "weak_type", False), _explicit(x)  # arrays of random keys have no weak_type


def types_at_hand(leaves: Sequence[Any]) -> tuple[Any, ...]:
    """The types that arrays of JAX carry with them; nothing if a leaf is no such array. A step has hundreds of leaves."""
    try:
        return tuple([x.aval for x in leaves])
    except AttributeError:
        return ()
