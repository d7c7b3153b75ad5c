"""Names for values inside a model: `h = partir.tag(h, "layers/3/attention")`, so that a schedule can speak of them.

A tag is an identity. While partir lowers a function, it becomes a custom call @partir.tag that the C library knows; under
plain JAX it lowers to nothing. A tag names the value, its tangent and its cotangent by one name.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import jax
from jax.extend.core import Primitive

from partir import _jax
from partir._check import TEXT, check

Tags = dict[str, jax.ShapeDtypeStruct]


class _Lowering(threading.local):
    tags: Tags | None = None


_lowering = _Lowering()


@contextlib.contextmanager
def marked() -> Iterator[Tags]:
    """What this thread lowers meanwhile keeps its tags. Gives their names and types, as they are met."""
    outer, _lowering.tags = _lowering.tags, {}  # a function that is being lowered may lower another
    try:
        yield _lowering.tags
    finally:
        _lowering.tags = outer


def tag(x: Any, name: str) -> Any:
    """`x`, known to schedules as `name`: a path like those of arguments. A pytree's leaves are named below it.

    Under `jax.vmap` the batched value has the name; in a loop, the value of every turn has it.
    """
    check("the name of a tag", name, TEXT)
    if not name:
        raise ValueError("a tag needs a name")

    def one(path: tuple[Any, ...], leaf: Any) -> Any:
        inner = jax.tree_util.keystr(path, simple=True, separator="/")
        return _tag_p.bind(leaf, name=f"{name}/{inner}" if inner else name)

    return jax.tree_util.tree_map_with_path(one, x)


_tag_p = Primitive("partir_tag")
_tag_p.def_impl(lambda x, name: x)
_tag_p.def_abstract_eval(lambda x, name: x)


def _tag_jvp(primals: Sequence[Any], tangents: Sequence[Any], name: str) -> tuple[Any, Any]:
    tangent = tangents[0]
    return _tag_p.bind(*primals, name=name), tangent if _jax.is_zero(tangent) else _tag_p.bind(tangent, name=name)


def _tag_transpose(cotangent: Any, _: Any, name: str) -> Sequence[Any]:
    return [cotangent if _jax.is_zero(cotangent) else _tag_p.bind(cotangent, name=name)]


def _tag_batching(args: Sequence[Any], dims: Sequence[Any], name: str) -> tuple[Any, Any]:
    return _tag_p.bind(*args, name=name), dims[0]


def _tag_lowering(ctx: Any, x: Any, name: str) -> Sequence[Any]:
    if _lowering.tags is None:
        return [x]
    _lowering.tags[name] = jax.ShapeDtypeStruct(ctx.avals_in[0].shape, ctx.avals_in[0].dtype)
    return _jax.identity_call("partir.tag", name, x)


_jax.register(_tag_p, _tag_lowering, _tag_jvp, _tag_batching, _tag_transpose)
