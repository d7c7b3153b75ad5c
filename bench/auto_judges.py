"""Automatic tactics before outside judges: step times measured on 8 virtual devices, and XLA's own memory.

    python -m bench.auto_judges                 # some models: python -m bench.auto_judges mlp,t32
    PYTHONPATH=PARALLAX python -m bench.auto_judges   # also google-parallax's automatic sharding, if it can be imported from there:
                                                      # pip install --no-deps --target PARALLAX google-parallax jaxtyping wadler-lindig

For small versions of models, a plan is searched for the machine as it was just calibrated. It runs in turn, round after round,
with the hand schedules, with plain fully sharded data parallelism and with google-parallax's automatic sharding, both of which
XLA partitions. What was measured is in bench/auto_judges.json; `python -m bench.auto --page` has its table.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
import time
import traceback
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest import mock

from bench import step_times
from bench.step_times import MESH, ROOT, SCHEDULES, Step, model, prepare, simulate

DATA = ROOT / "bench" / "auto_judges.json"
AXES = ("batch", "model")
EVALUATIONS = 600
FEWEST_ROUNDS = 12


# ---- Others ---------------------------------------------------------------------------------------------------------


def fsdp(it: Any) -> list[Any]:
    """Each array split by its first dimension that all devices divide."""
    import jax
    from jax.sharding import PartitionSpec

    devices = MESH["batch"] * MESH["model"]

    def spec(x: Any) -> Any:
        dim = next((d for d, n in enumerate(x.shape) if n % devices == 0), None)
        return PartitionSpec() if dim is None else PartitionSpec(*[None] * dim, AXES)

    return [jax.tree.map(spec, x) for x in it.args]


def loss_of(it: Any) -> tuple[Any, list[int]]:
    """The loss inside a training step, and which of the step's arguments follow the parameters there; a step without one as it is."""
    import jax
    from bench.models import training

    seen: dict[str, Any] = {}
    original = training.step

    def step(loss: Any, params: Any, opt: Any, batch: Any, **options: Any) -> Any:
        seen["loss"], seen["at"] = loss, [next(i for i, x in enumerate(seen["args"]) if x is b) for b in batch]
        return original(loss, params, opt, batch, **options)

    def watched(*args: Any) -> Any:
        seen["args"] = args
        return it.function(*args)

    with mock.patch.object(training, "step", step):
        jax.eval_shape(watched, *it.args)
    return (seen["loss"], seen["at"]) if "loss" in seen else (it.function, list(range(1, len(it.args))))


def without_likelihood() -> ExitStack:
    """As long as it is open, models end with their scores: of the gathers that follow google-parallax knows none."""
    open_patches = ExitStack()
    for name, module in list(sys.modules.items()):
        if name.startswith("bench.models.") and hasattr(module, "cross_entropy"):
            open_patches.enter_context(mock.patch.object(module, "cross_entropy", lambda scores, y: scores))
    return open_patches


def parallax(it: Any) -> list[Any]:
    """What google-parallax's heuristic says of the parameters and the data of the loss; the optimizer's state lies as its parameters."""
    import jax
    from jax.sharding import PartitionSpec
    from parallax.sharding import auto_shard

    loss, at = loss_of(it)
    leaves, tree = jax.tree.flatten(it.args[0])  # it takes a list inside the parameters for a dimension's axes
    with without_likelihood() if loss is not it.function else ExitStack():
        (found, *data), _ = auto_shard.get_shardings(
            lambda params, *batch: loss(tree.unflatten(params), *batch),
            tuple(leaves),
            *(it.args[i] for i in at),
            data_axis_name="batch",
            model_axis_name="model",
        )

    def fitted(spec: Any, x: Any) -> Any:
        # Several data axes have numbers, for which a mesh of two axes has no room: the first one counts.
        parts = ("batch" if p in ("batch", "batch0") else "model" if p == "model" else None for p in spec)
        return PartitionSpec(*(p if p and n % MESH[p] == 0 else None for p, n in zip(parts, x.shape)))

    def name(path: Any) -> str:
        return jax.tree_util.keystr(path)

    paths = [path for path, _ in jax.tree_util.tree_leaves_with_path(it.args[0])]
    known = {name(path): spec for path, spec in zip(paths, found)}

    def like(path: Any, x: Any) -> Any:
        own = next((s for k, s in known.items() if name(path).endswith(k) and len(s) == len(x.shape)), PartitionSpec())
        return fitted(own, x)

    rest = {i: jax.tree.map(fitted, spec, it.args[i], is_leaf=_is_spec) for i, spec in zip(at, data)}
    return [
        rest[i] if i in rest else jax.tree_util.tree_map_with_path(like, x) if i in it.donate_argnums else jax.tree.map(lambda _: PartitionSpec(), x)
        for i, x in enumerate(it.args)
    ]


def _is_spec(x: Any) -> bool:
    from jax.sharding import PartitionSpec

    return isinstance(x, PartitionSpec)


class OtherStep(Step):
    """A step that XLA partitions by the shardings of its arguments; the state stays where it is."""

    def __init__(self, name: str, specs_of: Any):
        import jax
        from jax.sharding import NamedSharding

        it = model(name)
        mesh = jax.make_mesh(tuple(MESH.values()), tuple(MESH), axis_types=(jax.sharding.AxisType.Auto,) * len(MESH))
        with jax.set_mesh(mesh):
            specs = specs_of(it)
        shardings = jax.tree.map(lambda s: NamedSharding(mesh, s), specs, is_leaf=_is_spec)
        self.n = len(it.donate_argnums)
        results = jax.eval_shape(it.function, *it.args)
        kept = (*(shardings[i] for i in it.donate_argnums), *(None for _ in results[self.n :]))
        jitted = jax.jit(it.function, in_shardings=tuple(shardings), out_shardings=kept, donate_argnums=it.donate_argnums)
        self.compiled = jitted.lower(*it.args).compile()
        self.args = jax.device_put(it.example(), tuple(shardings))


# ---- Our own --------------------------------------------------------------------------------------------------------


class Found(Step):
    """A step by what the search finds for the machine."""

    def __init__(self, name: str, device: Path):
        import jax
        import partir

        it = model(name)
        auto = partir.AutomaticPartition(axes=list(AXES), budget=EVALUATIONS, name="Auto")
        jitted = partir.jit(it.function, mesh=MESH, schedule=[auto], donate_argnums=it.donate_argnums, device=str(device))
        lowered = jitted.lower(*it.args)
        self.schedule = lowered.schedule
        self.compiled = lowered.compile()
        self.n = len(it.donate_argnums)
        self.args = jax.device_put(it.example(), lowered.in_shardings)


def peak(compiled: Any) -> float:
    """XLA's bytes: arguments, temporaries, and results that are no arguments."""
    memory = compiled.memory_analysis()
    return memory.argument_size_in_bytes + memory.temp_size_in_bytes + memory.output_size_in_bytes - memory.alias_size_in_bytes


def judge(name: str, device: Path, folder: Path, seconds: float) -> dict[str, Any]:
    """One model: seconds measured and predicted of each plan; why others could not."""
    steps: dict[str, Any] = {"search": Found(name, device)}
    failed: dict[str, str] = {}
    predicted: dict[str, float] = {}
    for strategy in SCHEDULES[name]:
        steps[strategy] = Step(name, strategy)
        predicted[strategy] = simulate(*prepare(name, strategy, folder), device)["seconds"]
    for other, specs_of in (("FSDP", fsdp), ("parallax", parallax)):
        try:
            steps[other] = OtherStep(name, specs_of)
            steps[other].run()
        except Exception as error:  # a judge that cannot is counted
            said = " ".join(str(error).split()) or traceback.extract_tb(error.__traceback__)[-1].line
            failed[other] = f"{type(error).__name__}: {said[:160]}"
            steps.pop(other, None)
    schedule = folder / f"{name}_search.schedule"
    schedule.write_text(steps["search"].schedule)
    row = simulate(folder / f"{name}.mlir", schedule, device)
    predicted["search"] = row["seconds"]
    for step in steps.values():
        step.run()
    runs: dict[str, list[float]] = {s: [] for s in steps}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(runs["search"]) < FEWEST_ROUNDS:
        for s, step in steps.items():
            runs[s].append(step.run()[0])
    return {
        "measured": {s: min(r) for s, r in runs.items()},
        "rounds": len(runs["search"]),
        "load": os.getloadavg()[0] / len(os.sched_getaffinity(0)),
        "predicted": predicted,
        "failed": failed,
        "peak": {"simulator": row["peak_memory"], "xla": peak(steps["search"].compiled)},
        "schedule": re.sub("^device .*\n", "", steps["search"].schedule, flags=re.MULTILINE),
    }


# ---- The table ------------------------------------------------------------------------------------------------------

DISAGREE = 0.05


def is_missing(row: dict[str, Any]) -> bool:
    """Whether google-parallax was not there to be asked."""
    return row["failed"].get("parallax", "").startswith("ModuleNotFoundError")


def table(rows: dict[str, Any]) -> list[str]:
    """For docs/auto.md."""
    lines = [
        "| model | search, ms | best by hand, ms | measured ratio | predicted ratio | FSDP, ms | parallax, ms | peak: XLA / simulator | load | |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    for name, row in rows.items():
        measured, predicted = row["measured"], row["predicted"]
        hand = min((s for s in predicted if s != "search"), key=lambda s: measured[s])
        ratio, said = measured["search"] / measured[hand], predicted["search"] / predicted[hand]
        others = [f"{1e3 * measured[o]:.1f}" if o in measured else "cannot" for o in ("FSDP", "parallax")]
        if is_missing(row):
            others[1] = ""
        word = "disagree" if abs(ratio / said - 1) > DISAGREE else ""
        lines.append(
            f"| {name} | {1e3 * measured['search']:.1f} | {1e3 * measured[hand]:.1f} ({hand}) | {ratio:.2f} | {said:.2f} | "
            f"{others[0]} | {others[1]} | {row['peak']['xla'] / row['peak']['simulator']:.2f} | {row['load']:.1f} | {word} |"
        )
    return lines


def failures(rows: dict[str, Any]) -> list[str]:
    """Why others have no figure, for docs/auto.md."""
    lines = [f"- {name}, {other}: `{why}`" for name, row in rows.items() if not is_missing(row) for other, why in row["failed"].items()]
    return ["", *lines] if lines else []


def main() -> None:
    """The command line."""
    import jax
    from partir._calibrate import Calibration

    parser = argparse.ArgumentParser(prog="python -m bench.auto_judges", description=__doc__)
    parser.add_argument("models", nargs="?", default=",".join(SCHEDULES))
    parser.add_argument("--seconds", type=float, default=step_times.SECONDS, help="of steps for each model")
    options = parser.parse_args()
    calibration = Calibration(jax.devices(), print)
    rows = json.loads(DATA.read_text()) if DATA.exists() else {}
    with tempfile.TemporaryDirectory() as name:
        device = Path(name) / "machine.device"
        for each in options.models.split(","):
            device.write_text(calibration.measure())
            rows[each] = judge(each, device, Path(name), options.seconds)
            DATA.write_text(json.dumps(rows, indent=1) + "\n")
            print(*table({each: rows[each]})[2:], rows[each]["failed"], flush=True)


if __name__ == "__main__":
    main()
