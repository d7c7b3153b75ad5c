"""Needless collectives, seeded into good schedules, and whether `partir why --fix` removes them.

    python -m bench.mistakes [--seed 1] [--each 10] [--json FILE]

Five kinds of mistakes are drawn from a seed: tactics in another order, a line that is missing, a wrong dimension, a tag that is lost (its line is
gone), two tactics of one axis merged. One counts if the step is slower for it and some collective came that the good schedule does not have: the one of
these that sends most is asked about. The first change that is proposed is applied as a schedule of its own; it must remove that collective, and the step
must not be slower than with the mistake. Which collective there is, and how long a step takes, is read from reports, not from the fix.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PARTIR = ROOT / "build" / "partir"
DEVICE = "tpu_v5p"
MESHES = ("batch=4, model=2", "batch=2, model=4", "batch=8, model=2", "batch=4, model=4")
KINDS = ("order", "missing", "dimension", "tag", "merged")

Line = tuple[str, str]


@dataclass(frozen=True)
class Tactic:
    """A tactic as its lines: (pattern, value)."""

    name: str
    axis: str
    lines: tuple[Line, ...]

    def text(self) -> str:
        return f"tactic {self.name} on {self.axis} {{\n" + "".join(f"  {p} : {v}\n" for p, v in self.lines) + "}\n"


BP = Tactic("BP", "batch", (("x", "0"), ("y", "0")))
Z3 = Tactic("Z3", "batch", (("{params,opt}/**/kernel", "first_divisible"),))
Z2 = Tactic("Z2", "batch", (("params/**/kernel", "replicated"), ("opt/**/kernel", "first_divisible")))
SP = Tactic("SP", "model", (("norm", "1"),))


@dataclass(frozen=True)
class Subject:
    """A model at a size that is quick to partition, its layers' widths as they are, and good schedules for it."""

    model: str
    sizes: dict[str, Any]
    schedules: tuple[tuple[Tactic, ...], ...]
    tags: tuple[str, ...] = field(default=())  # patterns that name tags


def _megatron(*lines: Line) -> Tactic:
    return Tactic("MP", "model", lines)


T32 = _megatron(("params/layers/*/qkv/kernel", "1"), ("params/layers/*/up/kernel", "1"), ("params/layers/*/wo/kernel", "0"))
LLAMA = _megatron(
    ("params/layers/*/q/kernel", "1"), ("params/layers/*/gate/kernel", "1"), ("params/layers/*/up/kernel", "1"), ("params/layers/*/down/kernel", "0")
)
VIT = _megatron(("params/layers/*/qkv/kernel", "2"), ("params/layers/*/up/kernel", "1"), ("params/layers/*/down/kernel", "0"))
MOE = (Tactic("EP", "model", (("params/layers/*/experts/*/kernel", "0"),)), _megatron(("params/layers/*/qkv/kernel", "1")))
SERVE = (
    Tactic("BP", "batch", (("x", "0"), ("cache/**", "0"))),
    Tactic(
        "MPQ",
        "model",
        (
            ("decode/**", "replicated"),
            ("prefill/*/kv", "replicated"),
            ("params/layers/*/{q,up}/kernel", "1"),
            ("params/layers/*/wo/kernel", "0"),
        ),
    ),
    Tactic("MQ", "model", (("cache/**", "0"),)),
)
CELLS = _megatron(("params/cells/*/input/kernel", "2"), ("params/cells/*/hidden/kernel", "2"))

SUBJECTS = (
    Subject("t32", {"layers": 2}, ((BP, T32), (BP, T32, Z3), (BP, T32, Z2), (BP, T32, SP), (BP, T32, SP, Z3), (BP, T32, SP, Z2)), ("norm",)),
    Subject("llama", {"layers": 2}, ((BP, LLAMA), (BP, LLAMA, Z3), (BP, LLAMA, SP), (BP, LLAMA, SP, Z3)), ("norm",)),
    Subject("vit", {"layers": 2}, ((BP, VIT), (BP, VIT, Z3), (BP, Z3))),
    Subject("moe", {"layers": 2}, ((BP, *MOE), (BP, *MOE, Z3))),
    Subject("it32", {"layers": 2, "steps": 16}, (SERVE,), ("decode/**", "prefill/*/kv")),
    Subject("lstm", {}, ((BP, CELLS), (BP, CELLS, Z3))),
    Subject("gns", {}, ((Tactic("ES", "batch", (("edges", "0"), ("senders", "0"), ("receivers", "0"))), Z2),)),
)


# ---- Mistakes -------------------------------------------------------------------------------------------------------


def _replace(tactics: list[Tactic], k: int, lines: tuple[Line, ...]) -> list[Tactic]:
    changed = [Tactic(tactics[k].name, tactics[k].axis, lines)] if lines else []
    return tactics[:k] + changed + tactics[k + 1 :]


def _order(good: list[Tactic], _: Subject, draw: random.Random) -> list[Tactic] | None:
    bad = draw.sample(good, len(good))
    return bad if bad != good else None


def _drop(good: list[Tactic], draw: random.Random, which: Any) -> list[Tactic] | None:
    places = [(k, i) for k, t in enumerate(good) for i, line in enumerate(t.lines) if which(line)]
    if not places:
        return None
    k, i = draw.choice(places)
    return _replace(good, k, good[k].lines[:i] + good[k].lines[i + 1 :])


def _missing(good: list[Tactic], of: Subject, draw: random.Random) -> list[Tactic] | None:
    return _drop(good, draw, lambda line: line[0] not in of.tags)


def _tag(good: list[Tactic], of: Subject, draw: random.Random) -> list[Tactic] | None:
    return _drop(good, draw, lambda line: line[0] in of.tags)


def _dimension(good: list[Tactic], _: Subject, draw: random.Random) -> list[Tactic] | None:
    k = draw.randrange(len(good))
    i = draw.randrange(len(good[k].lines))
    pattern, value = good[k].lines[i]
    if not value.isdigit():
        return None
    wrong = draw.choice([str(d) for d in range(4) if str(d) != value])
    return _replace(good, k, (*good[k].lines[:i], (pattern, wrong), *good[k].lines[i + 1 :]))


def _merged(good: list[Tactic], _: Subject, draw: random.Random) -> list[Tactic] | None:
    pairs = [(a, b) for b in range(len(good)) for a in range(b) if good[a].axis == good[b].axis]
    if not pairs:
        return None
    a, b = draw.choice(pairs)
    merged = Tactic(f"{good[a].name}_{good[b].name}", good[a].axis, good[a].lines + good[b].lines)
    at = draw.choice((a, b))
    rest = [merged if k == at else t for k, t in enumerate(good)]
    return [t for k, t in enumerate(rest) if k == at or k not in (a, b)]


MAKE = {"order": _order, "missing": _missing, "dimension": _dimension, "tag": _tag, "merged": _merged}


# ---- Programs and reports -------------------------------------------------------------------------------------------


@contextmanager
def _tagged_norms() -> Iterator[None]:
    """Transformers whose normalized activations have the tag `norm`."""
    import partir
    from bench.models import llama, transformer

    modules = [m for m in (transformer, llama) if hasattr(m, "rms_norm")]
    had = [m.rms_norm for m in modules]

    def tagged(norm: Any) -> Any:
        return lambda x, scale: partir.tag(norm(x, scale), "norm")

    for module, norm in zip(modules, had):
        module.rms_norm = tagged(norm)
    try:
        yield
    finally:
        for module, norm in zip(modules, had):
            module.rms_norm = norm


def export(subject: Subject, folder: Path) -> Path:
    """The model's program as a file, with the names of its arguments beside it."""
    from bench import models
    from bench.models.__main__ import export as write

    out = folder / f"{subject.model}.mlir"
    with _tagged_norms():
        write(models.get(subject.model, **subject.sizes), out, debug_info=True)
    return out


def _run(*words: Any) -> str | None:
    done = subprocess.run([PARTIR, *map(str, words)], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


@dataclass
class Step:
    """A program under a schedule: its collectives in order, and the seconds of a step."""

    collectives: list[dict[str, Any]]
    seconds: float

    def keys(self) -> list[tuple[Any, ...]]:
        return [(c["kind"], tuple(c["axes"]), c["serves"], c["path"]) for c in self.collectives]


def measure(program: Path, schedule: Path) -> Step | None:
    """None if the schedule cannot be applied."""
    report = _run("partition", program, schedule, "--quiet", "--json", "-")
    simulated = report and _run("simulate", program, schedule, "--device", DEVICE, "--quiet", "--json", "-")
    if not report or not simulated:
        return None
    return Step(json.loads(report)["collectives"], json.loads(simulated)["tactics"][-1]["seconds"])


def write_schedule(path: Path, mesh: str, tactics: list[Tactic]) -> Path:
    path.write_text(f"mesh {mesh}\n" + "".join(t.text() for t in tactics))
    return path


# ---- One mistake ----------------------------------------------------------------------------------------------------


@dataclass
class Case:
    """A mistake and what became of it."""

    kind: str
    model: str
    mesh: str
    good: list[str]
    bad: str
    collective: str
    seconds: dict[str, float]
    change: str = ""
    removed: bool = False
    no_slower: bool = False

    @property
    def mended(self) -> bool:
        return self.removed and self.no_slower


def seed_one(kind: str, programs: dict[str, Path], folder: Path, draw: random.Random) -> tuple[Case, Path, int] | None:
    """A mistake that counts: the step is slower, and a collective came. The case, its schedule, the collective's number."""
    subject = draw.choice([s for s in SUBJECTS if s.model in programs])
    mesh = draw.choice(MESHES)
    good = list(draw.choice(subject.schedules))
    bad = MAKE[kind](good, subject, draw)
    if not bad:
        return None
    program = programs[subject.model]
    was = measure(program, write_schedule(folder / "good.schedule", mesh, good))
    now = was and measure(program, write_schedule(folder / "bad.schedule", mesh, bad))
    if not was or not now or now.seconds <= was.seconds * 1.002:
        return None
    before = set(was.keys())
    came = [i for i, key in enumerate(now.keys()) if key not in before]
    if not came:
        return None
    number = max(came, key=lambda i: now.collectives[i]["bytes"])
    c = now.collectives[number]
    case = Case(
        kind,
        subject.model,
        mesh,
        [t.name for t in good],
        "".join(t.text() for t in bad),
        f"{c['kind']} on {','.join(c['axes'])} of {c['serves']}",
        {"good": was.seconds, "bad": now.seconds},
    )
    return case, folder / "bad.schedule", number


def mend(case: Case, program: Path, schedule: Path, number: int, folder: Path) -> None:
    """Asks for a fix and applies the first."""
    now = measure(program, schedule)
    answer = _run("why", program, schedule, "--collective", number, "--fix", "--json", "--device", DEVICE)
    assert now and answer, "the schedule was applied before"
    changes = json.loads(answer)[0]["changes"]
    if not changes:
        return
    case.change = changes[0]["change"]
    fixed = folder / "fixed.schedule"
    fixed.write_text(changes[0]["schedule"])
    after = measure(program, fixed)
    if not after:
        return
    case.seconds["fixed"] = after.seconds
    case.removed = now.keys()[number] not in after.keys()
    case.no_slower = after.seconds <= now.seconds


def run(seed: int, each: int, folder: Path) -> list[Case]:
    """`each` mistakes of every kind, no two alike."""
    draw = random.Random(seed)
    programs = {s.model: export(s, folder) for s in SUBJECTS}
    cases: list[Case] = []
    for kind in KINDS:
        seen: set[tuple[str, str, str]] = set()
        for _ in range(200 * each):
            if len(seen) == each:
                break
            found = seed_one(kind, programs, folder, draw)
            if not found or (found[0].model, found[0].mesh, found[0].bad) in seen:
                continue
            case, schedule, number = found
            seen.add((case.model, case.mesh, case.bad))
            mend(case, programs[case.model], schedule, number, folder)
            cases.append(case)
            print(f"{'mended' if case.mended else 'MISSED':7} {kind:9} {case.model:6} {case.collective}: {case.change}", flush=True)
    return cases


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.mistakes", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=10, help="mistakes of each kind")
    parser.add_argument("--json", type=Path, help="write all cases to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cases = run(options.seed, options.each, Path(folder))
    for kind in KINDS:
        of_kind = [c for c in cases if c.kind == kind]
        print(f"{kind:9} {sum(c.mended for c in of_kind)} of {len(of_kind)}")
    print(f"all       {sum(c.mended for c in cases)} of {len(cases)}, {len({c.model for c in cases})} models")
    if options.json:
        options.json.write_text(json.dumps([{**vars(c), "mended": c.mended} for c in cases], indent=1) + "\n")


if __name__ == "__main__":
    main()
