"""`partir.calibrate`: measure the devices at hand, and write them as a device that the simulator reads.

    partir.calibrate("machine.device")           # less than a minute
    $ partir simulate step.mlir step.schedule --device machine.device

Small programs run in a loop on all devices at once, once with few trips and once with many: the difference is the time of the
body without the start. The programs take turns, round after round, and the median counts, so that other work on the machine
does little harm. The least time would be that of a moment in which the processor runs faster than it can for long. Virtual CPU
devices are threads of one machine: there the time of a kernel is that of the processors. In a real program the threads also
hand kernels, and parts of them, to each other. So a small training step runs too, and all rates are lowered by its factor.
"""

from __future__ import annotations

import mmap
import os
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec

from partir import _lib
from partir._check import FUNCTION, PATH, Kind, check
from partir._device_file import DOTS, LARGE_BLOCK, SMALL, TRANSPOSED, Seen, Shape, cores, device_file

ROUNDS = 9
TARGET = 0.03  # seconds of a run with many trips

Body = Callable[[Any], Any]


@dataclass
class _Probe:
    """A program whose body repeats, on several copies of its arrays, so that none is always at hand. Then all devices meet."""

    name: str
    body: Body
    shapes: Sequence[Shape]
    dtype: Any = jnp.float32
    group: int = 1  # devices that meet in the collective that is measured
    copies: int = 1
    run: Callable[[int], tuple[float, float]] = field(init=False)
    trips: int = field(init=False, default=4)
    few: list[tuple[float, float]] = field(init=False, default_factory=list)
    many: list[tuple[float, float]] = field(init=False, default_factory=list)

    def build(self, devices: Sequence[jax.Device]) -> None:
        """Compile it, and find how many trips take long enough to be measured."""
        mesh = jax.sharding.Mesh(np.array(devices).reshape(-1, self.group), ("outer", "inner"))
        spec = PartitionSpec(("outer", "inner"))

        shapes = [*self.shapes] * self.copies
        parts = len(self.shapes)

        def trip(_: Any, carried: Any) -> Any:
            arrays, token = carried
            out = [x for i in range(self.copies) for x in self.body(tuple(arrays[parts * i : parts * (i + 1)]))]
            if self.copies > 1:
                token = lax.psum(out[0].ravel()[0].astype(jnp.float32), ("outer", "inner"))
            return tuple(out), token

        def local(trips: Any, *arrays: Any) -> Any:
            return lax.fori_loop(0, trips, trip, (arrays, jnp.zeros((), jnp.float32)))[0]

        specs = (spec,) * len(shapes)
        program = jax.jit(jax.shard_map(local, mesh=mesh, in_specs=(PartitionSpec(), *specs), out_specs=specs, check_vma=False))
        sharding = NamedSharding(mesh, spec)
        arrays = [
            jax.device_put(np.full((s[0] * len(devices), *s[1:]), 0.01, self.dtype), sharding) for s in shapes
        ]
        compiled = program.lower(np.int32(0), *arrays).compile()

        def run(trips: int) -> tuple[float, float]:
            count = jax.device_put(np.int32(trips), NamedSharding(mesh, PartitionSpec()))
            start, processors = time.perf_counter(), time.process_time()
            jax.block_until_ready(compiled(count, *arrays))
            return time.perf_counter() - start, time.process_time() - processors

        self.run = run
        run(1)
        while self.trips < 100_000 and min(min(run(self.trips)) for _ in range(3)) < TARGET:
            self.trips *= 4

    def measure(self) -> None:
        """One round."""
        self.few.append(self.run(self.trips // 4))
        self.many.append(self.run(self.trips))

    def seconds(self, which: int = 0) -> float:
        """Of one trip: 0 by the clock, 1 of all processors."""
        few, many = (statistics.median(r[which] for r in runs) for runs in (self.few, self.many))
        return max(many - few, 1e-9) / (self.trips - self.trips // 4)


# ---- What is run ----------------------------------------------------------------------------------------------------


def _dot(m: int, n: int, k: int, dtype: Any = jnp.float32, transposed: bool = False) -> _Probe:
    """Rows, columns and depth, which may come first in the left operand too; the result returns to the loop as a number,
    so that any shape can repeat."""

    def body(carried: Any) -> Any:
        a, b = carried
        c = lax.dot_general(a, b, (((0 if transposed else 1,), (0,)), ((), ())))
        return a + c[0, 0] * dtype(1e-9), b

    copies = max(1, min(8, (3 << 20) // (4 * (m * k + k * n))))
    name = f"dot {m}x{n}x{k} {jnp.dtype(dtype).name}{' transposed' if transposed else ''}"
    return _Probe(name, body, [(k, m) if transposed else (m, k), (k, n)], dtype, copies=copies)


def _wave(n: int) -> _Probe:
    return _Probe(f"tanh {n}", lambda c: (jnp.tanh(c[0]),), [(n,)], copies=8)


def _update(n: int) -> _Probe:
    """The update of an optimizer: 4 arrays read, 3 written, 12 operations and a root for each element."""

    def body(carried: Any) -> Any:
        p, m, v, g = carried
        m = 0.9 * m + 0.1 * g
        v = 0.99 * v + 0.01 * g * g
        return p - 0.1 * m / (jnp.sqrt(v) + 1e-8), m, v, g

    return _Probe(f"update {n}", body, [(n,)] * 4, copies=2)


def _turn(n: int) -> _Probe:
    """A square that is read column by column."""
    return _Probe(f"turn {n}", lambda c: (c[0].T * 0.5 + c[1], c[1]), [(n, n)] * 2, copies=2)


def _stream(n: int) -> _Probe:
    """2 arrays read, 1 written, 2 operations for each element."""
    return _Probe(f"stream {n}", lambda c: (c[0] * c[1] + c[1], c[1]), [(n,)] * 2, copies=4)


def _collective(kind: str, group: int, n: int) -> _Probe:
    """`n` elements of each device, after a product, since devices that have nothing else to do meet sooner. A gather
    is cut to its first part; a reduce_scatter is followed by a gather."""

    def body(carried: Any) -> Any:
        x, a, b = carried
        a = lax.dot(a, b)
        return (*collect(x + a[0, 0] * 1e-9), a, b)

    def collect(x: Any) -> Any:
        if kind == "all_reduce":
            return (lax.psum(x, "inner") * (1 / group),)
        if kind == "all_to_all":
            return (lax.all_to_all(x, "inner", 0, 0, tiled=True),)
        if kind == "reduce_scatter":
            x = lax.psum_scatter(x, "inner", tiled=True) * (1 / group)
            return (lax.all_gather(x, "inner", tiled=True),)
        return (lax.slice(lax.optimization_barrier(lax.all_gather(x, "inner", tiled=True)), (0,), (n,)),)

    return _Probe(f"{kind} of {group} {n}", body, [(n,), SMALL[::2], SMALL[1:]], group=group)


def _train(weights: Any, means: Any, squares: Any, x: Any) -> Any:
    """A step of perceptrons side by side, each of two layers with a norm before them: gradients, and an update by moments."""

    def loss(weights: Any) -> Any:
        found = 0.0
        for scale, up, down in weights:
            part = x[:, : scale.shape[0]]
            normed = part * lax.rsqrt(jnp.mean(part * part, axis=-1, keepdims=True) + 1e-6) * scale
            found += jnp.mean(jax.nn.logsumexp(part + jnp.tanh(normed @ up) @ down, axis=-1))
        return found

    gradients = jax.grad(loss)(weights)
    means = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, means, gradients)
    squares = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, squares, gradients)
    weights = jax.tree.map(lambda w, m, v: w - 0.01 * m / (jnp.sqrt(v) + 1e-8), weights, means, squares)
    return weights, means, squares


class _Step:
    """A small training step that each device runs whole."""

    def __init__(self, devices: Sequence[jax.Device]):
        weights = [tuple(np.full(s, 0.02, np.float32) for s in ((n,), (n, 4 * n), (4 * n, n))) for n in (64, 128, 256) * 2]
        args = weights, weights, weights, np.full((128, 256), 0.1, np.float32)
        step = jax.jit(_train, donate_argnums=(0, 1, 2))
        self.count = len(devices)
        self.text = step.lower(*args).as_text()
        self.args = jax.device_put(args, NamedSharding(jax.sharding.Mesh(np.array(devices), ("all",)), PartitionSpec()))
        self.compiled = step.lower(*self.args).compile()
        self.runs: list[float] = []
        self.measure()  # the first steps take longer
        self.runs.clear()

    def measure(self) -> None:
        """A few steps: the processors' seconds of each."""
        for _ in range(3):
            start = time.process_time()
            state = jax.block_until_ready(self.compiled(*self.args))
            self.runs.append(time.process_time() - start)
            self.args = (*state, self.args[-1])

    def slower(self, device: str, idle: float) -> float:
        """How many times as long as predicted for the device, in its file form, its kernels take."""
        module = _lib.Module("step", self.text)
        partition = _lib.Partition(module, _lib.Schedule(module.context, "none", f"mesh all={self.count}\n"))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "machine.device"
            path.write_text(device)
            predicted = partition.cost(str(path))
        measured = statistics.median(self.runs) / cores() * idle - (predicted.seconds - predicted.compute)
        return min(max(measured / predicted.compute, 0.8), 1.5)


# ---- What starts cost -------------------------------------------------------------------------------------------------


def _least(program: Callable[[], Any], runs: int) -> tuple[float, float]:
    """The least seconds of a run, by the clock and of all processors."""
    times = []
    for _ in range(runs):
        start, processors = time.perf_counter(), time.process_time()
        jax.block_until_ready(program())
        times.append((time.perf_counter() - start, time.process_time() - processors))
    return min(t[0] for t in times), min(t[1] for t in times)


def _start_of_a_kernel(devices: Sequence[jax.Device]) -> tuple[float, float]:
    """Seconds, on all devices together: small products in a row, not in a loop, on several paths as in a real program."""
    mesh = jax.sharding.Mesh(np.array(devices), ("all",))
    x = jax.device_put(np.full((16, 16), 0.1, np.float32), NamedSharding(mesh, PartitionSpec()))
    least = []
    for depth in (2, 34):

        def paths(x: Any) -> Any:
            ends = []
            for i in range(8):
                y = x
                for _ in range(depth):
                    y = lax.dot(y, x)
                ends.append(y)
                x = lax.dot(x, x) if i % 2 else x
            return ends

        program = jax.jit(paths).lower(x).compile()
        least.append(_least(lambda: program(x), 30))
    # On a busy machine the many can seem to take less than the few.
    return max(least[1][0] - least[0][0], 0) / 256, max(least[1][1] - least[0][1], 0) / 256


def _start_of_a_step(devices: Sequence[jax.Device]) -> tuple[float, float]:
    """Seconds before anything runs: of a step, and for each of its arguments and results."""
    mesh = jax.sharding.Mesh(np.array(devices), ("all",))
    sharding = NamedSharding(mesh, PartitionSpec())
    least = []
    for n in (1, 65):
        arrays = [jax.device_put(np.zeros((), np.float32), sharding) for _ in range(n)]
        program = jax.jit(lambda *a: [x + 1 for x in a]).lower(*arrays).compile()
        least.append(_least(lambda: program(*arrays), 40)[0])
    each = max(least[1] - least[0], 0) / 128
    return max(least[0] - 2 * each, 0), each


def _page_faults(count: int) -> float:
    """Seconds of all processors for a byte of new memory, of which `count` threads get LARGE_BLOCK each and give it back."""
    if not hasattr(mmap, "MAP_PRIVATE"):
        return 0.0

    def fill(block: mmap.mmap) -> None:
        np.copyto(np.frombuffer(block, np.float32), 1.0)

    def new() -> mmap.mmap:
        return mmap.mmap(-1, LARGE_BLOCK, flags=mmap.MAP_PRIVATE)

    def fill_new(_: int) -> None:
        with new() as block:
            fill(block)

    def seconds(work: Callable[[Any], None], on: Sequence[Any]) -> float:
        times = []
        for _ in range(ROUNDS):
            start = time.process_time()
            list(threads.map(work, on))
            times.append(time.process_time() - start)
        return statistics.median(times)

    old = [new() for _ in range(count)]
    with ThreadPoolExecutor(count) as threads:
        list(threads.map(fill, old))
        more = seconds(fill_new, range(count)) - seconds(fill, old)
    return max(more, 0) / (count * LARGE_BLOCK)


def _probes(count: int) -> list[_Probe]:
    """All that is run on this many devices."""
    found = [_dot(*d) for d in DOTS] + [_dot(*d, jnp.bfloat16) for d in DOTS[:1]]
    found += [_dot(*d, transposed=True) for d in DOTS[: len(TRANSPOSED)]]
    found += [_wave(1 << 16), _update(1 << 16), _update(1 << 21), _turn(512), _stream(1 << 16)]
    found.append(_Probe("meet", lambda c: (c[0] + lax.psum(c[0], ("outer", "inner")) * 1e-3,), [(1,)]))
    groups = [g for g in sorted({2, count}) if 1 < g <= count and count % g == 0]
    kinds = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")
    return found + [_collective(kind, g, n) for g in groups for kind in kinds for n in (256, 1 << 17)]


# ---- What others do meanwhile ---------------------------------------------------------------------------------------

BUSY = 0.1  # of the processors that this process may use: what others may take of them


def _busy_seconds() -> float | None:
    """Seconds in which the processors that this process may use were busy so far, or taken by a hypervisor, as Linux tells; None if it does not."""
    try:
        lines = [line.split() for line in Path("/proc/stat").read_text().splitlines()]
        mine = {f"cpu{i}" for i in os.sched_getaffinity(0)}
        user, nice, system, _, _, interrupts, soft, stolen = (sum(map(int, of)) for of in zip(*(x[1:9] for x in lines if x[0] in mine)))
    except (OSError, AttributeError, ValueError):
        return None
    return (user + nice + system + interrupts + soft + stolen) / os.sysconf("SC_CLK_TCK")


class _Others:
    """The share of the processors that other processes take from now on."""

    def __init__(self) -> None:
        self.start = self._now()

    @staticmethod
    def _now() -> tuple[float, float | None, float]:
        return time.perf_counter(), _busy_seconds(), time.process_time()

    def share(self) -> float:
        """Up to now; 0 where nobody tells."""
        (start, busy, own), (end, busy_now, own_now) = self.start, self._now()
        if busy is None or busy_now is None or end <= start:
            return 0.0
        return max(0.0, (busy_now - busy) - (own_now - own)) / ((end - start) * cores())


class Calibration:
    """Probes that are compiled once and can be measured again, on a machine whose speed changes."""

    def __init__(self, devices: Sequence[jax.Device], say: Callable[[str], None]):
        self.devices, self.say = devices, say
        self.probes = _probes(len(devices))
        for i, probe in enumerate(self.probes):
            say(f"calibrating: {i + 1} of {len(self.probes)}, {probe.name}")
            probe.build(devices)
        self.step = _Step(devices) if devices[0].platform == "cpu" else None
        self.others = 0.0  # the share of the processors that other processes had while the device was measured last

    def measure(self) -> str:
        """The device's file, as the machine is now."""
        for probe in self.probes:
            probe.few.clear()
            probe.many.clear()
        if self.step:
            self.step.runs.clear()
        others = _Others()
        for i in range(ROUNDS):
            self.say(f"calibrating: round {i + 1} of {ROUNDS}")
            for probe in self.probes:
                probe.measure()
            if self.step:
                self.step.measure()
        page_fault = _page_faults(len(self.devices)) if self.step else 0.0
        starts = _start_of_a_step(self.devices), _start_of_a_kernel(self.devices)
        self.others = min(others.share(), 0.9)
        seen = Seen(self.devices, {p.name: p for p in self.probes}, *starts, page_fault, self.others)
        if self.step:
            seen.slower = self.step.slower(device_file(seen), seen.idle)
        return (f"# {self.busy()}\n" if self.busy() else "") + device_file(seen)

    def busy(self) -> str:
        """What to say of the machine as it was measured last; nothing if it was idle."""
        if self.others <= BUSY:
            return ""
        return f"other processes had {100 * self.others:.0f} % of the processors while this was measured: figures are rough, though that share is taken off"


_DEVICES = Kind(
    "a list of jax.Device",
    lambda x: isinstance(x, Sequence) and len(x) > 0 and all(isinstance(device, jax.Device) for device in x),
)


def calibrate(
    path: str | PathLike[str] | None = None,
    devices: Sequence[jax.Device] | None = None,
    *,
    progress: Callable[[str], None] | None = None,
) -> str:
    """Measure `devices` (all of JAX's by default) and give them as text in the form of `partir simulate --device FILE`.

    With a path it is written there too. If other processes take part of the machine meanwhile there is a warning, and a comment in the text. `progress` is told what goes on; by default it is a line on the terminal.
    On virtual CPU devices set NPROC to twice their number before jax is imported.
    """
    check("path", path, PATH, optional=True)
    check("progress", progress, FUNCTION, optional=True)
    measured = list(jax.devices()) if devices is None else devices
    check("devices", measured, _DEVICES)
    say = progress or (lambda text: print(f"\r{text:<60}", end="", file=sys.stderr, flush=True))
    calibration = Calibration(list(measured), say)
    text = calibration.measure()
    say("calibrated")
    if progress is None:
        print(file=sys.stderr)
    if calibration.busy():
        warnings.warn(f"partir.calibrate: {calibration.busy()}; run it again on an idle machine", stacklevel=2)
    if path is not None:
        Path(path).write_text(text)
    return text
