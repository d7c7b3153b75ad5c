"""The checker against jaxlib's verifier: on programs and on small random changes to them, both accept or both reject."""

import json
import random
import subprocess
import sys

import pytest

from mutations import mutate, sources

COUNT = 400

# In a process of its own: jaxlib can divide by zero on what we feed it, and then there is no verdict.
VERIFIER = """
import json, sys
from jax._src.interpreters import mlir
from jax._src.lib.mlir import ir
context = mlir.make_ir_context()
for line in sys.stdin:
    with context:
        try:
            ir.Module.parse(json.loads(line)).operation.verify()
            verdict = [True, ""]
        except Exception as error:
            verdict = [False, str(error)[:500]]
    print(json.dumps(verdict), flush=True)
"""


def jaxlib_verdicts(texts):
    """(accepted, message) for each text; None where jaxlib crashed."""
    verdicts = []
    while len(verdicts) < len(texts):
        lines = "".join(json.dumps(text) + "\n" for text in texts[len(verdicts) :])
        run = subprocess.run([sys.executable, "-c", VERIFIER], input=lines, capture_output=True, text=True)
        got = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("[")]
        assert got or run.returncode < 0, run.stderr
        verdicts += got
        if len(verdicts) < len(texts):
            verdicts.append(None)
    return verdicts


@pytest.fixture(scope="module")
def programs():
    return sources()


def test_accepts_the_programs(partir, programs, tmp_path):
    for name, text in programs.items():
        path = tmp_path / f"{name}.mlir"
        path.write_text(text)
        run = partir("check", path)
        assert run.returncode == 0, f"{name}: {run.stderr}"


def test_agrees_with_jaxlib_on_mutations(partir, programs, tmp_path):
    rng = random.Random(20240117)
    names = sorted(programs)
    changed = {}
    while len(changed) < COUNT:
        name = rng.choice(names)
        text = mutate(programs[name], rng)
        if text is not None and text not in programs.values():
            changed.setdefault(text, name)

    stricter, laxer, rejected = [], [], 0
    for i, ((text, name), verdict) in enumerate(zip(changed.items(), jaxlib_verdicts(list(changed)))):
        path = tmp_path / f"{i}_{name}.mlir"
        path.write_text(text)
        run = partir("check", path)
        assert run.returncode in (0, 1), run.stderr
        if verdict is None:
            continue
        rejected += not verdict[0]
        if verdict[0] and run.returncode:
            stricter.append(f"{path.name}: {run.stderr}")
        if not verdict[0] and not run.returncode:
            laxer.append(f"{path.name}: {verdict[1]}")
    assert rejected > COUNT // 2, "the changes do not break enough programs to tell the verifiers apart"
    assert not stricter, "we reject what jaxlib accepts:\n" + "\n".join(stricter)
    assert not laxer, "we accept what jaxlib rejects:\n" + "\n".join(laxer)
