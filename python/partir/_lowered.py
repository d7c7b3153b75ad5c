"""A partitioned program for arguments of some types: what it does, and once XLA has compiled it, its runs.

    lowered = step.lower(state, batch)          # partitioned, nothing allocated: lowered.report, lowered.in_shardings
    compiled = lowered.compile()
    state, loss = compiled(state, batch)
"""

from __future__ import annotations

import functools
import json
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any

import jax
import numpy as np
from jax.sharding import NamedSharding

from partir import _jax, _lib, _processes, _xla
from partir._check import COUNT, TEXT, TRUTH, Kind, check
from partir._distribution import Distribution, joint, sharding
from partir._mesh import Axes
from partir._report import Report
from partir._report import report as read_report
from partir._schedule import Schedule
from partir._signature import Tree, tie_lines, ties
from partir._traced import Traced

_STAGES = {
    "core": _lib.CORE,
    "hlo": _lib.HLO,
    "stablehlo": _lib.STABLEHLO,
    "stablehlo-cpu": _lib.STABLEHLO_CPU,
    "stablehlo-tpu": _lib.STABLEHLO_TPU,
}

_OPTIONS = Kind(
    "a dict from names of XLA's options to their values",
    lambda x: isinstance(x, Mapping)
    and all(map(TEXT.accepts, x))
    and all(isinstance(value, (str, bool, int, float)) for value in x.values()),
)


def _check_question(collective: Any, value: Any, line: Any) -> None:
    check("collective", collective, COUNT, optional=True)
    check("value", value, TEXT, optional=True)
    check("line", line, TEXT, optional=True)


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

        module = _lib.Module(traced.name, _jax.printed(lowered), names)
        arguments, results = module.arguments, module.results
        positional, by_name = jax.tree.unflatten(self._in_tree, self._in_types)
        roots = [*traced.signature.roots(len(args)), *sorted(by_name)]
        trees = [*positional, *(by_name[name] for name in sorted(by_name))]
        tied = tie_lines(ties(trees, roots, self._donated, self.out_info), arguments, results)
        whole = schedule._with(mesh=axes, ties={**tied, **schedule.ties})
        types_ = dict(zip([*arguments, *results], [*self._in_types, *self._out_types]))
        self._arguments = arguments
        self._device = device
        placed = whole._placed({**types_, **tags})
        self._places = [place for _, place in placed]
        self.schedule = self._partitioned_or_error(module, "".join(f"{line}\n" for line, _ in placed))
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
        """A message on what Python made or loaded, with the place of that instead of one in the file form."""
        file, line, _ = diagnostic.place or ("", 0, 0)
        known = file == f"{self.name}.schedule" and line <= len(self._places)
        return diagnostic._moved_to(self._places[line - 1]) if known and self._places[line - 1] else diagnostic

    def _partitioned_or_error(self, module: _lib.Module, text: str) -> str:
        """As `_partitioned`; errors point at Python."""
        try:
            return self._partitioned(module, text)
        except _lib.PartirError as error:
            raise _lib.PartirError([self._in_python(d) for d in error.diagnostics], error.status) from None

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
        """The Pareto front of an automatic tactic (without a name, the last one): plans that no other beats in both time and memory.

        The fastest first; each has its `seconds`, its `peak` of memory in bytes, and its `schedule` as tactics.
        """
        check("name", name, TEXT, optional=True)
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
        _check_question(collective, value, line)
        check("full", full, TRUTH)
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
        _check_question(collective, value, line)
        check("tries", tries, COUNT)
        return json.loads(self._partition.fixes(collective, value, line, self._device, tries))

    def trace(self) -> str:
        """The simulated step as a trace for Perfetto or chrome://tracing, as JSON text."""
        if not self._device:
            raise ValueError("there is no device to simulate on: give partir.jit one")
        return self._partition.simulate(self._device, _lib.TRACE)

    def as_text(self, stage: str = "stablehlo", *, debug_info: bool = False) -> str:
        """The program as text: "core" (loops over mesh axes), "hlo" (collectives name axes) or "stablehlo" (as XLA runs it).

        XLA on CPU gets "stablehlo-cpu", with fewer small collectives: reduce_scatters are all_reduces, which it merges, and
        a value is gathered once; a TPU gets "stablehlo-tpu", where a loss that reads one word of each row is a masked sum. `debug_info` adds where in the Python code each op comes from, which XLA gets too.
        """
        check("stage", stage, TEXT)
        check("debug_info", debug_info, TRUTH)
        if stage not in _STAGES:
            raise ValueError(f"there is no stage {stage!r}: it is one of {', '.join(_STAGES)}")
        return self._partition.emit(_STAGES[stage], _lib.LOCATIONS if debug_info else 0)

    def _text_for_xla(self) -> str:
        """The program as the platform of the mesh runs it."""
        platform = self._axes.platform
        return self.as_text(f"stablehlo-{platform}" if platform in ("cpu", "tpu") else "stablehlo", debug_info=True)

    def sharding(self, path: str) -> NamedSharding:
        """The sharding of a value after all tactics: an argument, a result (`out/...`), a tag, or a value inside by its `loc/...` path.

        `paths()` lists what can be named. Of a tag or a location with several values, it is the first.
        """
        check("path", path, TEXT)
        value = self._partition.find(path)
        count = len(self._in_types)
        if value < count + len(self._out_types):
            return (*self._flat_in_shardings, *self._flat_out_shardings)[value]
        return sharding(self._partition.distribution(value), self._axes.for_shardings)

    def paths(self) -> list[str]:
        """The names of all values that a schedule, `sharding` and `why` can name: arguments, results, tags, locations."""
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
        check("compiler_options", compiler_options, _OPTIONS, optional=True)
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
        mesh, specs = joint(self._axes.concrete, [*self._in_distributions, *self._out_distributions])
        return _xla.Mapped(mesh, specs[:count], specs[count:])

    def _inside_a_trace(self, leaves: Sequence[Any]) -> Tree:
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
        for name, x, compiled in zip(self._lowered._arguments, leaves, self._lowered._in_types):
            given = jax.typeof(x)
            if (given.shape, given.dtype) != (compiled.shape, compiled.dtype):
                raise TypeError(
                    f"{name} is {given.str_short()}, but {self._lowered.name} was compiled for "
                    f"{jax.core.ShapedArray(compiled.shape, compiled.dtype).str_short()}; lower it for this type, or call "
                    "the function itself, which does"
                )
        return self._run(leaves)

    def _run(self, leaves: Sequence[Any]) -> Tree:
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
        """XLA's own figures for a device's memory."""
        return self._compiled.memory_analysis()

    def cost_analysis(self) -> Any:
        """XLA's own figures for operations and bytes."""
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
