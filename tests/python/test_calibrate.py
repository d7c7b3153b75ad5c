"""`partir.calibrate`: the rules that turn times into a device are those of the simulator; the whole of it on a few probes."""

import math
import statistics
import subprocess
import sys
import time
import warnings

import jax
import pytest

import partir as library
from partir import _calibrate, _device_file


def test_products_give_back_the_device_they_were_timed_on():
    peak, tile, overhead = 2e10, (8, 16, 1), 1e-6
    seconds = {
        d: 2 * math.prod(d) / (peak * _device_file.efficiency(tile, *d)) + overhead for d in _device_file.DOTS
    }
    found, blocks = _device_file.fit_products(seconds, overhead)
    assert found == pytest.approx(peak, rel=0.02)
    for d in _device_file.DOTS:
        assert _device_file.efficiency(blocks, *d) == _device_file.efficiency(tile, *d)


@pytest.mark.parametrize("memory", [True, False])
def test_links_give_back_bandwidth_and_latency(memory):
    seconds = {}
    for kind in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all"):
        for group in (2, 8):
            for n in (256, 1 << 17):
                hops, size = _device_file.hops_and_bytes(kind, group, n, memory)
                seconds[kind, group, n] = hops * 5e-6 + size / 1e10
    bandwidth, latency = _device_file.fit_links(seconds, memory)
    assert bandwidth == pytest.approx(1e10, rel=0.1) and latency == pytest.approx(5e-6, rel=0.2)


def few_probes(monkeypatch):
    few = {"meet", f"tanh {1 << 16}", f"update {1 << 16}", f"update {1 << 21}", "turn 512", f"stream {1 << 16}"}
    few |= {"dot 48x48x48 float32", "dot 128x128x128 float32", "dot 128x128x128 float32 transposed", "dot 256x4x256 float32", "dot 256x512x512 bfloat16", "all_reduce of 2 256", "all_reduce of 2 131072"}
    every = _calibrate._probes(2)
    monkeypatch.setattr(_calibrate, "_probes", lambda count: [p for p in every if p.name in few])
    monkeypatch.setattr(_calibrate, "ROUNDS", 1)
    monkeypatch.setattr(_calibrate, "TARGET", 0.001)


def test_a_file_that_the_simulator_reads(partir, tmp_path, monkeypatch):
    few_probes(monkeypatch)
    said = []
    text = library.calibrate(tmp_path / "my.device", jax.devices()[:2], progress=said.append)
    assert said[-1] == "calibrated" and any("dot 48x48x48" in line for line in said)
    assert (tmp_path / "my.device").read_text() == text
    run = partir("devices", tmp_path / "my.device")
    assert run.returncode == 0, run.stderr
    for line in ("shared", "transposed_lhs ", "backend cpu", "link ram memory"):
        assert line in run.stdout


def test_a_busy_machine_on_which_more_work_seems_to_take_less(partir, tmp_path, monkeypatch):
    few_probes(monkeypatch)
    runs = iter(range(1000, 0, -1))
    monkeypatch.setattr(_calibrate, "_least", lambda program, runs_of_it: (next(runs) * 1e-4,) * 2)
    library.calibrate(tmp_path / "busy.device", jax.devices()[:2], progress=lambda text: None)
    run = partir("devices", tmp_path / "busy.device")
    assert run.returncode == 0, run.stderr


def test_kernels_are_as_much_slower_as_a_training_step(monkeypatch):
    few_probes(monkeypatch)
    calibration = _calibrate.Calibration(jax.devices()[:2], lambda text: None)

    def figures(slower):
        monkeypatch.setattr(calibration.step, "slower", lambda device, idle: slower)
        return {line.split()[0]: line.split() for line in calibration.measure().splitlines()}

    monkeypatch.setattr(_calibrate._Probe, "measure", lambda probe: (probe.few.append((1e-3, 1e-3)), probe.many.append((4e-3, 4e-3))))
    monkeypatch.setattr(_calibrate, "_start_of_a_kernel", lambda devices: (1e-6, 1e-6))
    monkeypatch.setattr(_calibrate, "_busy_seconds", lambda: None)
    straight, slower = figures(1.0), figures(1.25)
    for rate in ("bandwidth", "vector", "strided"):
        assert float(slower[rate][1]) == pytest.approx(float(straight[rate][1]) / 1.25, rel=1e-3)
    assert float(slower["overhead"][1]) == pytest.approx(float(straight["overhead"][1]) * 1.25, rel=1e-3)
    assert slower["link"] == straight["link"]  # devices that meet wait for each other as they did


def test_a_training_step_against_its_prediction():
    step = _calibrate._Step(jax.devices()[:2])
    step.measure()
    assert len(step.runs) == 3 and min(step.runs) > 0
    device = library.devices("host")

    def slower(seconds):
        step.runs = [seconds]
        return step.slower(device, 1.0)

    # Between the limits, half as much again is half as much again.
    low, high = 1e-6, 1e3
    assert (slower(low), slower(high)) == (0.8, 1.5)
    while high / low > 1.0001:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if slower(middle) < 1 else (low, middle)
    assert slower(1.25 * low) == pytest.approx(1.25, rel=1e-2)


def test_large_blocks_are_new_memory_in_each_step():
    each = [_calibrate._page_faults(2) for _ in range(3)]  # a page fault for each 4 KiB, or one for a large page
    # A busy machine can spoil one of them. Faults of 4 KiB take between 40 ns and 20 us each.
    assert 1e-11 < statistics.median(each) < 5e-9


@pytest.mark.parametrize("others", [0.0, 0.5])
def test_a_busy_machine_is_noticed(others, partir, tmp_path, monkeypatch):
    """Other processes have half of the processors, or nothing."""
    few_probes(monkeypatch)

    def busy():
        return time.process_time() + others * _device_file.cores() * time.perf_counter()

    monkeypatch.setattr(_calibrate, "_busy_seconds", busy)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        text = library.calibrate(tmp_path / "busy.device", jax.devices()[:2], progress=lambda text: None)
    said = [str(w.message) for w in found if "partir.calibrate" in str(w.message)]
    assert bool(said) == bool(others) == text.startswith("# other processes had 50 % of the processors")
    run = partir("devices", tmp_path / "busy.device")
    assert run.returncode == 0, run.stderr


def test_busy_seconds_count_what_others_do():
    before = _calibrate._busy_seconds()
    if before is None:
        pytest.skip("only Linux tells")
    burn = subprocess.Popen([sys.executable, "-c", "import time\nwhile time.process_time() < 0.5: pass"])
    burn.wait()
    assert _calibrate._busy_seconds() - before >= 0.4
