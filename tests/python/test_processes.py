"""One program over several processes on this machine: the numbers of one process, and errors instead of hangs."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading

import pytest

from conftest import CHEAP, ROOT

DEVICES = 8
# What each process runs: its number, how many there are, and what to do, then a line of JSON with what came out.
PROGRAM = """
import json, sys
process, count, address, what = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
import jax, numpy as np
jax.distributed.initialize(address, num_processes=count, process_id=process)
jax.devices()  # all processes meet here
import partir
from partir import _processes

_processes.TIMEOUT_SECONDS = 5 if what == "late" else 60
mesh = {"batch": 4, "model": 2}
rows = 16 if what == "shapes" and process == 1 else 8

def tactic(name, inputs, axis):
    return partir.ManualPartition(inputs, axis=axis, name=name)

def train_step(params, x, y):
    def loss(params):
        return ((jax.numpy.tanh(x @ params["w1"]) @ params["w2"] - y) ** 2).mean()
    value, grads = jax.value_and_grad(loss)(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), value

schedule = [tactic("BP", {"x": 0, "y": 0}, "batch")]
if not (what == "schedules" and process == 1):
    schedule.append(tactic("MP", {"params/w1": 1}, "model"))
if what == "fails" and process == 1:
    schedule.append(tactic("Bad", {"no_such_argument": 0}, "model"))
schedule.append(tactic("Z3", {"params/*": partir.FIRST_DIVISIBLE_DIM}, "batch"))
if what == "auto":  # each process by itself would find something else
    goal = "memory" if process == 0 else "time"
    schedule = [partir.AutomaticPartition(axes=["batch", "model"], budget=40 + 40 * process, objective=goal, name="Auto")]
device = "tpu_v5e" if what == "auto" else None
step = partir.jit(train_step, mesh=mesh, schedule=schedule, donate_argnums=0, device=device)
random = np.random.default_rng(0)
params, x, y = (
    {name: random.normal(size=shape).astype(np.float32) for name, shape in (("w1", (16, 32)), ("w2", (32, 8)))},
    random.normal(size=(rows, 16)).astype(np.float32),
    random.normal(size=(rows, 8)).astype(np.float32),
)
result = {}
try:
    if not (what == "late" and process == 1):
        losses = []
        for _ in range(3):
            params, value = step(params, x, y)
            losses.append(float(value))
        text = step.lower(params, x, y).schedule if what == "auto" else ""
        result = {"schedule": text, "losses": losses, "w1": list(params["w1"].sharding.spec), "parts": len(params["w1"].addressable_shards)}
except Exception as error:
    result = {"error": f"{type(error).__name__}: {error}"}
print(json.dumps(result), flush=True)
sys.stdin.read()  # JAX ends all processes when one leaves, so each stays until all have spoken
"""


def run(count, what="train"):
    """What each of `count` processes reported."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    environment = os.environ | {
        "XLA_FLAGS": f"--xla_force_host_platform_device_count={DEVICES // count} {CHEAP}",
        "NPROC": "32",
        "JAX_PLATFORMS": "cpu",
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "python")]),
    }
    with contextlib.ExitStack() as stack:
        logs = [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in range(count)]
        children = [
            subprocess.Popen(
                [sys.executable, "-c", PROGRAM, str(i), str(count), address, what],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
            for i, log in enumerate(logs)
        ]
        hang = threading.Timer(150, lambda: [child.kill() for child in children])
        hang.start()
        lines = [next((line for line in child.stdout if line.startswith("{")), "") for child in children]
        hang.cancel()
        for child in children:
            child.kill()
            child.communicate()
        for line, log in zip(lines, logs):
            log.seek(0)
            assert line, log.read()[-3000:]
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def one_process():
    return run(1)[0]


@pytest.mark.parametrize("count", [2, 4])
def test_the_numbers_of_one_process(count, one_process):
    assert one_process["losses"][2] < one_process["losses"][0]
    for result in run(count):
        assert result["losses"] == pytest.approx(one_process["losses"], rel=1e-5), result
        assert result["w1"] == one_process["w1"] == ["batch", "model"]
        assert result["parts"] == DEVICES // count


@pytest.mark.parametrize("what", ["schedules", "shapes"])
def test_processes_that_differ(what):
    for i, result in enumerate(run(2, what)):
        assert f"the processes differ: process {i} is to compile train_step" in result["error"]


def test_a_process_that_fails_stops_the_others():
    first, second = run(2, "fails")
    assert second["error"].startswith("PartirError") and "no_such_argument" in second["error"]
    assert "process 1 failed" in first["error"] and "no_such_argument" in first["error"]


def test_a_process_that_does_not_come():
    first, _ = run(2, "late")
    assert "process 1 did not come to compile train_step within 5 s" in first["error"]


def test_one_process_searches_and_the_others_take_what_it_found(one_process):
    first, second = run(2, "auto")
    assert "tactic Auto_1 on" in first["schedule"]
    assert second["schedule"] == first["schedule"]
    for result in (first, second):
        assert result["losses"] == pytest.approx(one_process["losses"], rel=1e-5), result
