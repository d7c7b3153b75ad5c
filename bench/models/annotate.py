"""Annotations inside a model, which the peers need where a schedule needs none: points that are nothing unless specs are given for them.

    with annotate.using(mesh, {"hidden": P("batch", None, None)}) as used:
        jax.jit(step, in_shardings=...).lower(*args)          # every annotate.at(h, "hidden") is a with_sharding_constraint
    used                                                      # how often each point was met

Each `at` is one line that an author must change inside the model.
"""

from __future__ import annotations

import contextlib
import contextvars
from collections import Counter
from collections.abc import Iterator, Mapping

import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

_given: contextvars.ContextVar[tuple[Mesh, Mapping[str, PartitionSpec], Counter[str]] | None] = contextvars.ContextVar("given", default=None)


def at(x: jax.Array, name: str) -> jax.Array:
    """`x`, sharded as the specs in use say of this point."""
    given = _given.get()
    if given is None or name not in given[1]:
        return x
    mesh, specs, used = given
    used[name] += 1
    return jax.lax.with_sharding_constraint(x, NamedSharding(mesh, specs[name]))


@contextlib.contextmanager
def using(mesh: Mesh, specs: Mapping[str, PartitionSpec]) -> Iterator[Counter[str]]:
    """Give specs to points, for what is traced meanwhile."""
    used: Counter[str] = Counter()
    token = _given.set((mesh, specs, used))
    try:
        yield used
    finally:
        _given.reset(token)
