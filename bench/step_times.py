"""How well the simulator predicts time: steps measured on 8 virtual CPU devices against the calibrated machine, schedule by schedule.

    python -m bench.step_times measure      # calibrates, compiles and runs: writes bench/step_times.json
    python -m bench.step_times measure gns  # some models alone: a session of its own in that file
    python -m bench.step_times show         # simulates again and compares

The schedules of a model run in turn, round after round, so that whatever else the machine does hits all of them alike. What was
measured is kept, session by session, with the device that was calibrated just before, so that the comparison can be made
again anywhere.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("NPROC", "16")  # two threads for each device, or collectives may deadlock
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "python")]


DATA = ROOT / "bench" / "step_times.json"
PARTIR = ROOT / "build" / "partir"
MESH = {"batch": 4, "model": 2}
SECONDS = 40  # of steps for each model

_COMMON = ("BP", "MP", "BP+MP", "BP+MP+Z2", "BP+MP+Z3")
SCHEDULES = {
    "mlp": _COMMON,
    "t32": (*_COMMON, "MP+EMB", "BP+MP+Z3+EMB"),
    "lstm": _COMMON,
    "convnet": ("BP", "MP", "BP+MP", "BP+Z3", "BP+MP+Z3"),
    "moe": ("BP", "BP+EP", "BP+EP+MP", "BP+EP+MP+Z3"),
    "t32_scan": _COMMON,
    "unet": ("BP", "BP+Z2", "BP+Z3", "MP", "BP+MP"),
    "gns": ("ES", "ES+Z2", "ES+Z3"),
    "ssm": ("BP", "MP", "BP+MP", "BP+MP+Z3"),
}
HELD_OUT = ("t32_scan", "gns")  # chosen, and their sizes too, before any of their times were looked at


_T32 = dict(layers=2, d_model=128, heads=4, d_head=32, d_ff=512, vocab=512, batch=16, sequence=32)
# At these sizes a step takes 5 to 500 ms on a small machine.
SIZES: dict[str, dict[str, Any]] = {
    "mlp": dict(widths=(256, 512, 512, 64), batch=512),
    "t32": _T32,
    "lstm": dict(features=128, vocab=256, batch=64, sequence=8),
    "convnet": dict(batch=64, image=16, widths=(16, 32), classes=32),
    "moe": dict(layers=2, d_model=64, heads=4, d_head=16, d_ff=256, experts=4, vocab=256, batch=16, sequence=32),
    "t32_scan": _T32 | dict(layers=4),
    "unet": dict(batch=16, image=16, channels=32, multipliers=(1, 2), blocks=1, groups=8, classes=16),
    "gns": dict(message_steps=4, hidden_layers=2, width=128, latent=64, nodes=256, edges=2048, node_features=32),
    "ssm": dict(layers=2, d_model=64, d_state=128, vocab=256, batch=16, sequence=128),
}


def model(name: str) -> Any:
    """A model at its size."""
    from bench import models

    return models.get(name, **SIZES[name])


def prepare(name: str, strategy: str, folder: Path) -> tuple[Path, Path]:
    """The program and the schedule as files."""
    import partir
    from bench import schedules

    program, schedule = folder / f"{name}.mlir", folder / f"{name}_{strategy}.schedule"
    it = model(name)
    if not program.exists():
        program.write_text(it.lower().as_text())
        program.with_suffix(".names").write_text("".join(f"{i}\t{path}\n" for i, path in enumerate(it.names())))
    arguments = list(dict.fromkeys(path.split("[")[0].split(".")[0] for path in it.names()))
    ties = {arguments[i]: f"out/{k}" for k, i in enumerate(it.donate_argnums)}
    schedule.write_text(partir.Schedule(tuple(schedules.tactics(name, strategy)), MESH, "host", ties).text())
    return program, schedule


def simulate(program: Path, schedule: Path, device: Path) -> dict[str, Any]:
    """The last row of `partir simulate`."""
    command = [PARTIR, "simulate", program, schedule, "--device", device, "--json", "-"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return report["tactics"][-1]


class Step:
    """A compiled step and the state that it goes on from."""

    def __init__(self, name: str, strategy: str):
        import jax
        import partir
        from bench import schedules

        it = model(name)
        schedule = schedules.tactics(name, strategy)
        jitted = partir.jit(it.function, mesh=MESH, schedule=schedule, donate_argnums=it.donate_argnums)
        lowered = jitted.lower(*it.args)
        self.compiled = lowered.compile()
        self.n = len(it.donate_argnums)
        self.args = jax.device_put(it.example(), lowered.in_shardings)

    def run(self) -> tuple[float, float]:
        """One step: seconds, and seconds of all threads on the processors."""
        import jax

        start, cpu = time.perf_counter(), time.process_time()
        results = jax.block_until_ready(self.compiled(*self.args))
        seconds = time.perf_counter() - start, time.process_time() - cpu
        self.args = (*results[: self.n], *self.args[self.n :])
        return seconds


def measure_model(name: str) -> dict[str, dict[str, float]]:
    """Seconds of a step under each schedule: the median, the least, and processor time."""
    steps = {}
    for strategy in SCHEDULES[name]:
        start = time.perf_counter()
        steps[strategy] = Step(name, strategy)
        steps[strategy].run()
        print(f"  {name} {strategy}: ready after {time.perf_counter() - start:.1f} s", flush=True)
    seen: dict[str, list[tuple[float, float]]] = {s: [] for s in steps}
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end or len(next(iter(seen.values()))) < 15:
        for strategy, step in steps.items():
            seen[strategy].append(step.run())
    return {
        s: {
            "median": statistics.median(r[0] for r in runs),
            "least": min(r[0] for r in runs),
            "processor": min(r[1] for r in runs),
            "runs": len(runs),
        }
        for s, runs in seen.items()
    }


def measure(names: list[str]) -> None:
    """Calibrate, then run all models."""
    import jax
    from partir._calibrate import Calibration

    command = ["python -m bench.step_times measure", *(names if len(names) < len(SCHEDULES) else [])]
    calibration = Calibration(jax.devices(), print)
    sessions = json.loads(DATA.read_text()) if DATA.exists() else []
    for name in names:
        session = {
            "command": f"{f'nice -n {os.nice(0)} ' if os.nice(0) else ''}{' '.join(command)}",
            "versions": {"jax": jax.__version__, "jaxlib": jax.lib.__version__, "python": sys.version.split()[0]},
            "cores": len(os.sched_getaffinity(0)),
            "device": calibration.measure(),
            "measured": {f"{name} {strategy}": seconds for strategy, seconds in measure_model(name).items()},
        }
        sessions = [s for s in sessions if not any(key.split()[0] == name for key in s["measured"])] + [session]
        DATA.write_text(json.dumps(sessions, indent=1) + "\n")
    show()


# ---- Comparison -----------------------------------------------------------------------------------------------------


def compare(sessions: list[dict[str, Any]], folder: Path) -> dict[str, dict[str, float]]:
    """Of each "model schedule": measured and predicted seconds, and the parts of the prediction."""
    rows = {}
    for session in sessions:
        device = folder / "machine.device"
        device.write_text(session["device"])
        for key, seconds in session["measured"].items():
            found = simulate(*prepare(*key.split(), folder), device)
            rows[key] = {"measured": seconds["least"], "predicted": found["seconds"], "cores": session["cores"], **seconds}
            rows[key] |= {"compute": found["compute"], "communication": found["communication"]}
    return rows


def pairs(rows: dict[str, dict[str, float]]) -> tuple[int, int]:
    """Pairs of schedules of one model whose measured times are more than 10 % apart; how many the prediction orders so too."""
    apart = right = 0
    for (a, x), (b, y) in itertools.combinations(rows.items(), 2):
        if a.split()[0] != b.split()[0] or max(x["measured"], y["measured"]) <= 1.1 * min(x["measured"], y["measured"]):
            continue
        apart += 1
        right += (x["measured"] < y["measured"]) == (x["predicted"] < y["predicted"])
    return apart, right


def summary(rows: dict[str, dict[str, float]]) -> str:
    """One line: errors and pairs."""
    apart, right = pairs(rows)
    errors = [abs(r["predicted"] / r["measured"] - 1) for r in rows.values()]
    return (
        f"{len(rows)} programs: median error {100 * statistics.median(errors):.1f} %, worst {100 * max(errors):.1f} %. "
        f"Of {apart} pairs of schedules of one model whose measured times are more than 10 % apart, {right} "
        f"({100 * right / max(apart, 1):.0f} %) are in the right order."
    )


def table(rows: dict[str, dict[str, float]]) -> str:
    """A row for each program, in milliseconds."""
    lines = [
        "| model | schedule | measured | predicted | error | of it, communication | median | processor time / 2 |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for key, r in rows.items():
        name, schedule = key.split()
        figures = [1e3 * r[k] for k in ("measured", "predicted", "communication", "median", "processor")]
        figures[4] /= r["cores"]
        lines.append(
            f"| {name} | {schedule} | {figures[0]:.1f} | {figures[1]:.1f} | {100 * (r['predicted'] / r['measured'] - 1):+.0f} % "
            f"| {figures[2]:.1f} | {figures[3]:.1f} | {figures[4]:.1f} |"
        )
    return "\n".join(lines).replace("processor time / 2", f"processor time / {int(r['cores'])}")


def show() -> None:
    """The comparison on the terminal."""
    with tempfile.TemporaryDirectory() as folder:
        rows = compare(json.loads(DATA.read_text()), Path(folder))
    print(table(rows))
    print(summary(rows))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.step_times", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("measure", help="calibrate and run")
    one.add_argument("models", nargs="*", help="these models alone")
    commands.add_parser("show", help="simulate and compare")
    options = parser.parse_args()
    if options.command == "measure":
        measure(options.models or list(SCHEDULES))
    else:
        show()


if __name__ == "__main__":
    main()
