"""`partir.jit`: a function of pytrees, partitioned by a schedule and run on XLA.

    step = partir.jit(train_step, mesh=mesh, schedule=[BP, MP, Z3], donate_argnums=0)
    lowered = step.lower(state, batch)          # partitioned, nothing allocated: lowered.report, lowered.in_shardings
    state, loss = step(state, batch)            # compiled on first use of these shapes, then run

Calling goes: flatten, look up the types of the leaves, (lower and compile), place what is not yet placed, run.
"""

from __future__ import annotations

import functools
import json
import re
import threading
import types
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import jax
import numpy as np
from jax.sharding import AxisType, NamedSharding

from partir import _calls, _lib, _processes, _tag, _xla
from partir._distribution import Distribution, joint, sharding
from partir._mesh import Axes
from partir._report import Report
from partir._report import report as read_report
from partir._schedule import Rule, Schedule, Tactic
from partir._signature import Signature, Tree, tie_lines, ties

_STAGES = {
    "core": _lib.CORE,
    "hlo": _lib.HLO,
    "stablehlo": _lib.STABLEHLO,
    "stablehlo-cpu": _lib.STABLEHLO_CPU,
}


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
    arguments are tied to the results that they become: those are placed alike, so that steps chain without a reshard.
    `mesh` is a dict of sizes by axis, over the first of `jax.devices()`; a `jax.sharding.Mesh`; or an `AbstractMesh`.
    Without one, it is the schedule's, if that was loaded from a file which has one, or that of `jax.set_mesh` at the call.

    `device` (one of `partir.devices()`, or a file of that form; by default the schedule's) is what the report simulates
    time and memory on; without one it has collectives and bytes alone. It has no say in how the program is partitioned.

    `annotations` says what becomes of the shardings that the function itself asks for, by `with_sharding_constraint` or
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
            raise TypeError(f"a schedule is a list of tactics ([BP, MP]) or a partir.Schedule, not {schedule!r}")
        items = tuple(schedule)
        given = tuple(str(item) for item in items if isinstance(item, Rule))
        schedule = Schedule(tuple(item for item in items if not isinstance(item, Rule)), rules=given)
    if rules is not None:
        if rules != "trust":
            raise ValueError(f"rules is 'trust' or not given, not {rules!r}; a rule stands in the schedule: partir.rule(...)")
        schedule = replace(schedule, trust_rules=True)
    if annotations is not None:
        if annotations not in ("apply", "ignore", "error"):
            raise ValueError(f"annotations is 'apply', 'ignore' or 'error', not {annotations!r}")
        schedule = replace(schedule, annotations=annotations)
    mesh = mesh or schedule.mesh
    traced = Traced(function, donate_argnums, donate_argnames, static_argnums, static_argnames)
    return Jitted(traced, None if mesh is None else Axes(mesh), schedule, device or schedule.device)


# ---- What JAX makes of the function ---------------------------------------------------------------------------------


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


def _signature_of(x: Any) -> tuple[Any, ...]:
    """What of a leaf decides which program it needs."""
    if not isinstance(x, (jax.Array, jax.ShapeDtypeStruct)):
        x = jax.typeof(x)
    return x.shape, x.dtype, getattr(x, "weak_type", False), _explicit(x)  # arrays of random keys have no weak_type


def _types_at_hand(leaves: Sequence[Any]) -> tuple[Any, ...]:
    """The types that arrays of JAX carry with them; nothing if a leaf is no such array. A step has hundreds of leaves."""
    try:
        return tuple([x.aval for x in leaves])
    except AttributeError:
        return ()


# ---- The partitioned function ---------------------------------------------------------------------------------------


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
        mesh = _xla.ambient_mesh()
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
        known = tree, static, _types_at_hand(leaves), self._context()
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
            return lowered.inside_a_trace(leaves)
        return lowered.compile().run(leaves)

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
        return _xla.trace_context() if self._given is not None else (_xla.trace_context(), _xla.ambient_mesh())

    def _lowered(
        self, leaves: list[Any], tree: Any, static: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Lowered:
        key = tree, static, tuple(map(_signature_of, leaves)), self._context()
        lowered = self._cache.get(key)
        if lowered is None:
            with self._lock:
                lowered = self._cache.get(key)
                if lowered is None:
                    lowered = Lowered(self._traced, self._axes, self.schedule, self.device, args, kwargs)
                    self._cache[key] = lowered
        self._last = lowered
        return lowered


class Lowered:
    """The partitioned program for arguments of some types, before XLA has seen it."""

    def __init__(
        self,
        traced: Traced,
        axes: Axes,
        schedule: Schedule,
        device: str | None,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ):
        lowered, self._calls, names, tags = traced.lower(axes.platform, args, kwargs)
        self._axes = axes
        self.name = traced.name
        self.out_info: Tree = lowered.out_info
        """The type of each result."""
        infos, self._in_tree = jax.tree.flatten(lowered.args_info)
        self._in_types = [jax.ShapeDtypeStruct(info.shape, info.dtype) for info in infos]
        self._donated = [info.donated for info in infos]
        self._out_types, self._out_tree = jax.tree.flatten(self.out_info)

        module = _lib.Module(traced.name, _xla.printed(lowered), names)
        arguments, results = module.arguments, module.results
        positional, by_name = jax.tree.unflatten(self._in_tree, self._in_types)
        roots = [*traced.signature.roots(len(args)), *sorted(by_name)]
        trees = [*positional, *(by_name[name] for name in sorted(by_name))]
        tied = tie_lines(ties(trees, roots, self._donated, self.out_info), arguments, results)
        whole = replace(schedule, mesh=axes, ties={**tied, **schedule.ties})
        types_ = dict(zip([*arguments, *results], [*self._in_types, *self._out_types]))
        self._arguments = arguments
        self._device = device
        placed = whole.placed({**types_, **tags})
        self._places = [place for _, place in placed]
        try:
            self.schedule = self._partitioned(module, "".join(f"{line}\n" for line, _ in placed))
        except _lib.PartirError as error:
            raise _lib.PartirError([self._in_python(d) for d in error.diagnostics], error.status) from None
        """The schedule in its file form: with the ties that donation tells, functions as what they decided, and automatic
        tactics as what their search found."""
        self.diagnostics = [self._in_python(d) for d in module.context.diagnostics]
        """Warnings and notes of the library."""
        for diagnostic in self.diagnostics:
            if diagnostic.severity == _lib.WARNING:
                warnings.warn(diagnostic.text, _lib.PartirWarning, stacklevel=4)
        self._in_distributions, self._out_distributions = (
            [d[: len(t.shape)] for d, t in zip(distributions, leaf_types)]
            for distributions, leaf_types in zip(
                self._partition.distributions(), (self._in_types, self._out_types)
            )
        )
        self._lock = threading.RLock()
        self._compiled: Compiled | None = None
        self._traced_call: Callable[..., tuple[jax.Array, ...]] | None = None

    def _in_python(self, diagnostic: _lib.Diagnostic) -> _lib.Diagnostic:
        """A message on a tactic that Python made, with the place of that tactic instead of one in the file form."""
        found = re.match(re.escape(f"{self.name}.schedule:") + r"(\d+):\d+", diagnostic.text)
        line = int(found[1]) - 1 if found else len(self._places)
        if line >= len(self._places) or not self._places[line]:
            return diagnostic
        return replace(diagnostic, text=self._places[line] + diagnostic.text[found.end() :])

    def _partitioned(self, module: _lib.Module, text: str) -> str:
        """Partition by a schedule; gives it back with what searches found. One process searches, and the others take that."""
        read = _lib.Schedule(module.context, f"{self.name}.schedule", text)
        if read.automatic and not _processes.is_first(self._axes):
            return self._partitioned(module, _processes.hear(self._axes, self.name))
        self._partition = _lib.Partition(module, read, device=self._device)
        if self._device:
            self._partition.simulate(self._device, _lib.TABLE)  # a wrong device shows before any tactic
        for _ in read.tactics:
            self._partition.apply_next()
        if read.automatic:
            text = self._partition.schedule()
            _processes.tell(self._axes, text)
        return text

    @property
    def mesh(self) -> jax.sharding.Mesh | jax.sharding.AbstractMesh:
        """The mesh, over JAX's devices; an abstract one if there are too few of them."""
        return self._axes.for_shardings

    def pareto(self, name: str | None = None) -> list[dict[str, Any]]:
        """Of an automatic tactic (the last one without a name), the plans that none beats in both time and memory.

        The fastest first; each has its `seconds`, its `peak` of memory in bytes, and its `schedule` as tactics.
        """
        return json.loads(self._partition.pareto(name))

    @functools.cached_property
    def report(self) -> Report:
        """What each tactic did: collectives, bytes, conflicts; with a device, time and memory."""
        data = json.loads(self._partition.report(_lib.JSON))
        text = self._partition.report(_lib.TABLE)
        if self._device:
            data["simulation"] = json.loads(self._partition.simulate(self._device, _lib.JSON))
            text += "\n" + self._partition.simulate(self._device, _lib.TABLE)
        return Report(data, text)

    def why(
        self, collective: int | None = None, *, value: str | None = None, line: str | None = None, full: bool = False
    ) -> str:
        """Why a collective, a value or a line of the program is distributed as it is, from the schedule's line to the op.

        `collective` is its number in `report.data["collectives"]`, `value` the path of an argument, result, tag or location (or a
        pattern), `line` a place such as "model.py:41". `full` shows every step. Without a question: all collectives.
        """
        return self._partition.why(collective, value, line, full)

    def expect(self, report: Report | str | PathLike[str]) -> None:
        """An error unless the collectives are those of a report or of its file (`Report.to_json`), for tests.

        They are compared by kind, axes, tactic, path and what they serve, with runs and bytes; not by layer or line.
        """
        golden = report if isinstance(report, Report) else read_report(report)
        self._partition.expect("the report" if isinstance(report, Report) else str(report), golden.to_json())

    def fixes(
        self, collective: int | None = None, *, value: str | None = None, line: str | None = None, tries: int = 200
    ) -> list[dict[str, Any]]:
        """Changes to the schedule that remove a collective, a conflict or a race, or that tile an op which every device runs whole.

        The question is as for `why`; without one, what sends most, conflicts, and the largest op that is whole. For each problem
        (`says`) the best `changes`: what is changed, `lines` to paste, the whole `schedule`, and the `step` before and after (bytes, and
        with a device seconds and peak memory). `pays` is true where every change makes the step worse. At most `tries` programs are
        tried for each.
        """
        return json.loads(self._partition.fixes(collective, value, line, self._device, tries))

    def trace(self) -> str:
        """The simulated step as a trace for Perfetto or chrome://tracing, as JSON text."""
        if not self._device:
            raise ValueError("there is no device to simulate on: give partir.jit one")
        return self._partition.simulate(self._device, _lib.TRACE)

    def as_text(self, stage: str = "stablehlo", *, debug_info: bool = False) -> str:
        """The program as text: "core" (loops over mesh axes), "hlo" (collectives name axes) or "stablehlo" (as XLA runs it).

        XLA on CPU gets "stablehlo-cpu", with fewer small collectives: reduce_scatters are all_reduces, which it merges, and
        a value is gathered once. `debug_info` adds where in the Python code each op comes from, which XLA gets too.
        """
        if stage not in _STAGES:
            raise ValueError(f"there is no stage {stage!r}: it is one of {', '.join(_STAGES)}")
        return self._partition.emit(_STAGES[stage], _lib.LOCATIONS if debug_info else 0)

    def _text_for_xla(self) -> str:
        """The program as the platform of the mesh runs it."""
        return self.as_text("stablehlo-cpu" if self._axes.platform == "cpu" else "stablehlo", debug_info=True)

    def sharding(self, path: str) -> NamedSharding:
        """Where a value lies after all tactics: an argument, a result (`out/...`), a tag, or a value inside by its `loc/...` path.

        `paths()` lists what can be named. Of a tag or a location with several values, it is the first.
        """
        value = self._partition.find(path)
        count = len(self._in_types)
        if value < count + len(self._out_types):
            return (*self._flat_in_shardings, *self._flat_out_shardings)[value]
        return sharding(self._partition.distribution(value), self._axes.for_shardings)

    def paths(self) -> list[str]:
        """The names of all values that a schedule, `sharding` and `why` can speak of: arguments, results, tags, locations."""
        return [value.name for value in self._partition.values(locations=True)]

    @functools.cached_property
    def in_shardings(self) -> tuple[Tree, ...]:
        """Where each traced positional argument goes: pytrees of NamedSharding."""
        return jax.tree.unflatten(self._in_tree, self._flat_in_shardings)[0]

    @functools.cached_property
    def kwarg_shardings(self) -> dict[str, Tree]:
        """Where the arguments go that were passed by name."""
        return jax.tree.unflatten(self._in_tree, self._flat_in_shardings)[1]

    @functools.cached_property
    def out_shardings(self) -> Tree:
        """Where the results are: a pytree of NamedSharding."""
        return jax.tree.unflatten(self._out_tree, self._flat_out_shardings)

    @functools.cached_property
    def _flat_in_shardings(self) -> list[NamedSharding]:
        return self._shardings(self._in_distributions)

    @functools.cached_property
    def _flat_out_shardings(self) -> list[NamedSharding]:
        return self._shardings(self._out_distributions)

    def _shardings(self, distributions: Sequence[Distribution]) -> list[NamedSharding]:
        """Where arrays of these distributions are: one object for each of the few different ones."""
        of = {d: sharding(d, self._axes.for_shardings) for d in set(distributions)}
        return [of[d] for d in distributions]

    def __repr__(self) -> str:
        tactics = ", ".join(t["name"] for t in self.report.data["tactics"])
        return f"<partir.Lowered {self.name} on {self._axes}: {len(self._in_types)} arguments; tactics {tactics or 'none'}>"

    def compile(self, compiler_options: Mapping[str, Any] | None = None) -> Compiled:
        """Let XLA compile it for the mesh's devices. Several processes must agree on the program first.

        The devices may be those of a topology that is not there (`jax.experimental.topologies`): what is compiled then can
        be looked at, but not run. `compiler_options` are XLA's, as in JAX.
        """
        if compiler_options:
            return self._compile(compiler_options)
        if self._compiled is None:
            with self._lock:
                if self._compiled is None:
                    self._compiled = self._compile()
        return self._compiled

    def _compile(self, options: Mapping[str, Any] | None = None) -> Compiled:
        _processes.agree(self._axes, self.name, self.as_text)
        text = self._text_for_xla()
        donated = [i for i, donated in enumerate(self._donated) if donated]
        compiled = _xla.compile_for(
            text,
            self._mapped,
            tuple(self._in_types),
            self._out_types,
            tuple(self._flat_in_shardings),
            self._flat_out_shardings,
            donated,
            self.name,
            options,
            self._calls,
        )
        return Compiled(self, compiled)

    @functools.cached_property
    def _mapped(self) -> _xla.Mapped:
        count = len(self._in_distributions)
        mesh, specs = joint(self._axes.jax, [*self._in_distributions, *self._out_distributions])
        return _xla.Mapped(mesh, specs[:count], specs[count:])

    def inside_a_trace(self, leaves: Sequence[Any]) -> Tree:
        """Call the program from code that JAX is tracing."""
        with self._lock:
            if self._traced_call is None:
                self._traced_call = _xla.local_call(
                    self._text_for_xla(), self._mapped, self._out_types, self.name, self._calls
                )
        return jax.tree.unflatten(self._out_tree, self._traced_call(*leaves))


class Compiled:
    """A program that is ready to run."""

    def __init__(self, lowered: Lowered, compiled: jax.stages.Compiled):
        self._lowered = lowered
        self._compiled = compiled
        self.in_shardings = lowered.in_shardings
        self.kwarg_shardings = lowered.kwarg_shardings
        self.out_shardings = lowered.out_shardings

    @property
    def report(self) -> Report:
        """What each tactic did."""
        return self._lowered.report

    def __repr__(self) -> str:
        return f"<partir.Compiled of {self._lowered!r}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Tree:
        """Run on arguments of the types that were lowered, without the static ones."""
        leaves, tree = jax.tree.flatten((args, kwargs))
        if tree != self._lowered._in_tree:
            raise TypeError(f"{self._lowered.name} was compiled for {self._lowered._in_tree}, not for {tree}")
        return self.run(leaves)

    def run(self, leaves: Sequence[Any]) -> Tree:
        """Run on flattened arguments."""
        for i, x in enumerate(leaves):
            if isinstance(x, jax.Array) and x.is_deleted():  # XLA may end the process over it
                raise RuntimeError(
                    f"{self._lowered._arguments[i]} was donated to an earlier call and is gone: use what that call returned"
                )
        if [getattr(x, "sharding", None) for x in leaves] != self._lowered._flat_in_shardings:
            leaves = self._placed(leaves)
        results = self._compiled(*leaves)
        return jax.tree.unflatten(self._lowered._out_tree, results)

    def as_text(self) -> str | None:
        """The optimized HLO."""
        return self._compiled.as_text()

    def memory_analysis(self) -> Any:
        """XLA's own account of a device's memory."""
        return self._compiled.memory_analysis()

    def cost_analysis(self) -> Any:
        """XLA's own account of operations and bytes."""
        return self._compiled.cost_analysis()

    def _placed(self, leaves: Sequence[Any]) -> list[jax.Array]:
        names, shardings = self._lowered._arguments, self._lowered._flat_in_shardings
        return [_place(*each) for each in zip(names, leaves, shardings, strict=True)]


def _place(name: str, x: Any, where: NamedSharding) -> jax.Array:
    """`x` in its place. An array that lies on several devices in another way is an error: moving it is the user's to ask."""
    if isinstance(x, jax.Array):
        if x.sharding.is_equivalent_to(where, x.ndim):
            return x
        if len(x.sharding.device_set) > 1:
            raise ValueError(
                f"{name} is placed as {x.sharding}, but the program takes it as {where}; "
                "move it with jax.device_put(..., step.lower(...).in_shardings), or place it so from the start"
            )
    dtype = jax.typeof(x).dtype
    if jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key):
        return jax.device_put(x, where)
    host = x if isinstance(x, jax.Array) else np.asarray(x, dtype=dtype)  # device_put may remember another width
    if where.is_fully_addressable:
        return jax.device_put(host, where)
    host = np.asarray(host)
    return jax.make_array_from_callback(host.shape, where, lambda part: host[part])
