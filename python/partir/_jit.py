"""`partir.jit`: a function of pytrees, partitioned by a schedule and run on XLA.

    step = partir.jit(train_step, mesh=mesh, schedule=[BP, MP, Z3], donate_argnums=0)
    lowered = step.lower(state, batch)          # partitioned, nothing allocated: lowered.report, lowered.in_shardings
    state, loss = step(state, batch)            # compiled on first use of these shapes, then run

Calling goes: flatten, look up the types of the leaves, (lower and compile), place what is not yet placed, run.
"""

from __future__ import annotations

import functools
import threading
import types
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import jax

from partir import _jax, _processes
from partir._check import TEXT, check
from partir._lowered import Lowered
from partir._mesh import Axes
from partir._report import Report
from partir._schedule import Schedule
from partir._tactic import Rule, Tactic
from partir._traced import Traced, type_key, types_at_hand


def jit(
    function: Callable[..., Any] | None = None,
    *,
    mesh: Mapping[str, int] | jax.sharding.Mesh | jax.sharding.AbstractMesh | None = None,
    schedule: Sequence[Tactic] = (),
    donate_argnums: int | Sequence[int] | None = None,
    donate_argnames: str | Sequence[str] | None = None,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: str | Sequence[str] | None = None,
    device: str | None = None,
    annotations: str | None = None,
    rules: str | None = None,
) -> Any:
    """Partition `function` by `schedule` over `mesh`: like `jax.jit`, also as a decorator.

    Arguments are known to the schedule by their pytree paths (`state/params/0/w`), results as `out/...`. Donated
    arguments are tied to the results that they become: both get the same sharding, so that steps chain without a reshard.
    `mesh` is a dict of sizes by axis, over the first of `jax.devices()`; a `jax.sharding.Mesh`; or an `AbstractMesh`.
    Without one, it is the schedule's, if that was loaded from a file which has one, or that of `jax.set_mesh` at the call.

    `device` (one of `partir.devices()`, or a file of that form; by default the schedule's) is what the report simulates
    time and memory on; without one it has collectives and bytes alone. It does not change how the program is partitioned.

    `annotations` says what to do with the shardings that the function itself asks for, by `with_sharding_constraint` or
    on an Explicit mesh: `"apply"` (the default) makes tactics of them that come before the schedule's, `"ignore"` drops
    them, `"error"` refuses them. `rules="trust"` takes the `sdy.sharding_rule` of custom calls for their rules.
    """
    if function is None:
        return functools.partial(
            jit,
            mesh=mesh,
            schedule=schedule,
            donate_argnums=donate_argnums,
            donate_argnames=donate_argnames,
            static_argnums=static_argnums,
            static_argnames=static_argnames,
            device=device,
            annotations=annotations,
            rules=rules,
        )
    if not isinstance(schedule, Schedule):
        if not isinstance(schedule, Sequence) or isinstance(schedule, str):
            raise TypeError(f"a schedule is a list of tactics ([BP, MP]) or a partir.Schedule (partir.Schedule.load(path) reads a file), not {schedule!r}")
        items = tuple(schedule)
        given = tuple(item for item in items if isinstance(item, Rule))
        schedule = Schedule(tuple(item for item in items if not isinstance(item, Rule)), rules=given)
    if rules is not None:
        if not isinstance(rules, str) or rules != "trust":
            raise ValueError(f"rules is 'trust' or not given, not {rules!r}; a rule stands in the schedule: partir.rule(...)")
        schedule = schedule._with(trust_rules=True)
    if annotations is not None:
        if not isinstance(annotations, str) or annotations not in ("apply", "ignore", "error"):
            raise ValueError(f"annotations is 'apply', 'ignore' or 'error', not {annotations!r}")
        schedule = schedule._with(annotations=annotations)
    check("device", device, TEXT, optional=True)
    mesh = schedule.mesh if mesh is None else mesh
    traced = Traced(function, donate_argnums, donate_argnames, static_argnums, static_argnames)
    return Jitted(traced, None if mesh is None else Axes(mesh), schedule, device or schedule.device)


class Jitted:
    """A partitioned function; see `jit`. Call it, or `lower` it to look at what it would do."""

    def __init__(self, traced: Traced, axes: Axes | None, schedule: Schedule, device: str | None):
        self._traced = traced
        self._given = axes
        self.schedule = schedule
        self.device = device
        self._cache: dict[Any, Lowered] = {}
        self._called: dict[Any, Lowered] = {}  # the same by what is quick to ask of arrays
        self._last: Lowered | None = None
        self._lock = threading.RLock()
        functools.update_wrapper(self, traced.function, updated=())

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<partir.jit of {self._traced.name} on {self._given or 'the mesh of jax.set_mesh'}>"

    @property
    def _axes(self) -> Axes:
        """The mesh that was given, or that of `jax.set_mesh` now."""
        if self._given is not None:
            return self._given
        mesh = _jax.ambient_mesh()
        if mesh is None:
            raise ValueError(
                "there is no mesh: give partir.jit one (mesh={'batch': 4, 'model': 2}, or a jax.sharding.Mesh), or write one "
                "into the schedule, or call it under jax.set_mesh"
            )
        return Axes(mesh)

    @property
    def mesh(self) -> jax.sharding.Mesh | jax.sharding.AbstractMesh:
        """The mesh, over JAX's devices; an abstract one if there are too few of them."""
        return self._axes.for_shardings

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if jax.config.jax_disable_jit:
            return self._traced.function(*args, **kwargs)
        dynamic, static = self._traced.signature.split(args, kwargs)
        leaves, tree = jax.tree.flatten(dynamic)
        known = tree, static, types_at_hand(leaves), self._context()
        lowered = self._called.get(known)
        if lowered is None:
            try:
                lowered = self._lowered(leaves, tree, static, args, kwargs)
            except Exception as reason:
                _processes.tell_failure(self._axes, reason)
                raise
            if known[2]:
                self._called[known] = lowered
        self._last = lowered
        if any(issubclass(kind, jax.core.Tracer) for kind in set(map(type, leaves))):
            return lowered._inside_a_trace(leaves)
        return lowered.compile()._run(leaves)

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """The partitioned program for arguments of these types: arrays, or `jax.ShapeDtypeStruct`s."""
        dynamic, static = self._traced.signature.split(args, kwargs)
        leaves, tree = jax.tree.flatten(dynamic)
        return self._lowered(leaves, tree, static, args, kwargs)

    @property
    def report(self) -> Report:
        """What the tactics did to the program that was called or lowered last."""
        if self._last is None:
            raise AttributeError("there is a report once the function was called or lowered")
        return self._last.report

    def _context(self) -> Hashable:
        """What else decides what is lowered: JAX's settings, and the mesh of `jax.set_mesh` if that is taken."""
        return _jax.trace_context() if self._given is not None else (_jax.trace_context(), _jax.ambient_mesh())

    def _lowered(
        self, leaves: list[Any], tree: Any, static: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Lowered:
        key = tree, static, tuple(map(type_key, leaves)), self._context()
        lowered = self._cache.get(key)
        if lowered is None:
            with self._lock:
                lowered = self._cache.get(key)
                if lowered is None:
                    lowered = Lowered(self._traced, self._axes, self.schedule, self.device, args, kwargs)
                    self._cache[key] = lowered
        self._last = lowered
        return lowered
