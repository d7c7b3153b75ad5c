"""`partir.calibrate`: measure the devices at hand, and write them as a device that the simulator reads.

    partir.calibrate("machine.device")           # less than a minute
    $ partir simulate step.mlir step.schedule --device machine.device

Small programs run in a loop on all devices at once, once with few trips and once with many: the difference is what the
body takes, without the start. They take turns, round after round, and the median counts, so that other work on the machine
does little harm; the least would be that of a moment in which the processor is faster than it is for long. Virtual CPU
devices are threads of one machine: there a kernel's time is that of the processors. In a program these also hand kernels, and
parts of them, from thread to thread, so that a small training step is run too, and all kernels are as much slower as it is.
"""

from __future__ import annotations

import itertools
import math
import mmap
import os
import statistics
import sys
import tempfile
import time
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

ROUNDS = 9
TARGET = 0.03  # seconds of a run with many trips
LARGE_BLOCK = 32 << 20  # bytes; more than this glibc always gets from the system, and gives back to it

Shape = tuple[int, ...]
_SMALL = (128, 128, 128)
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


def _dot(m: int, n: int, k: int, dtype: Any = jnp.float32, turned: bool = False) -> _Probe:
    """Rows, columns and depth, which may come first in the left operand too; the result returns to the loop as a number,
    so that any shape can repeat."""

    def body(carried: Any) -> Any:
        a, b = carried
        c = lax.dot_general(a, b, (((0 if turned else 1,), (0,)), ((), ())))
        return a + c[0, 0] * dtype(1e-9), b

    copies = max(1, min(8, (3 << 20) // (4 * (m * k + k * n))))
    name = f"dot {m}x{n}x{k} {jnp.dtype(dtype).name}{' turned' if turned else ''}"
    return _Probe(name, body, [(k, m) if turned else (m, k), (k, n)], dtype, copies=copies)


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

    return _Probe(f"{kind} of {group} {n}", body, [(n,), _SMALL[::2], _SMALL[1:]], group=group)


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
        measured = statistics.median(self.runs) / _cores() * idle - (predicted.seconds - predicted.compute)
        return min(max(measured / predicted.compute, 0.8), 1.5)


# ---- What follows from it -------------------------------------------------------------------------------------------

_TILES = (1, 4, 8, 16, 32, 64)
_DOTS = ((256, 512, 512), (128, 256, 256), _SMALL, (48, 48, 48), (4, 256, 256), (256, 4, 256), (256, 256, 4))
_TURNED = [f"dot {m}x{n}x{k} float32" for m, n, k in _DOTS[:3]]  # also with the depth first


def _efficiency(tile: Shape, m: int, n: int, k: int) -> float:
    """The simulator's rule: blocks of the unit are full only if the sizes are multiples of theirs."""

    def fill(size: int, block: int) -> float:
        return size / (math.ceil(size / block) * block)

    straight, turned = fill(m, tile[0]) * fill(n, tile[1]), fill(n, tile[0]) * fill(m, tile[1])
    return fill(k, tile[2]) * max(straight, turned)


def _fit_products(seconds: dict[Shape, float], overhead: float) -> tuple[float, Shape]:
    """FLOP/s and blocks that explain the times of products best."""
    large = max(seconds, key=math.prod)
    peak = 2 * math.prod(large) / seconds[large]

    def error(tile: Shape) -> float:
        return sum(
            math.log((2 * math.prod(d) / (peak * _efficiency(tile, *d)) + overhead) / s) ** 2 for d, s in seconds.items()
        )

    return peak, min(itertools.product(_TILES, _TILES, (1, 4, 8, 16, 32)), key=error)


def _meetings(kind: str, group: int, n: int, memory: bool) -> tuple[float, float]:
    """How many latencies and how many bytes of one device a collective is, by the simulator's rules."""
    size = 4.0 * n
    if kind == "reduce_scatter":  # and the gather after it
        one, two = (_meetings("scatter", group, n, memory), _meetings("all_gather", group, n // group, memory))
        return one[0] + two[0], one[1] + two[1]
    if memory:
        return group, {"all_gather": group * size, "scatter": size}.get(kind, 2 * size)
    if kind == "all_reduce" and n < 4096:
        return 2 * math.ceil(math.log2(group)), 2 * size
    parts = {"all_gather": group - 1.0, "all_reduce": 2 * (group - 1) / group}.get(kind, (group - 1) / group)
    return (2 if kind == "all_reduce" else 1) * (group - 1), parts * size


def _fit_links(seconds: dict[tuple[str, int, int], float], memory: bool) -> tuple[float, float]:
    """Bandwidth and latency: each the median over the collectives that are mostly the one or the other."""
    small, large = min(n for *_, n in seconds), max(n for *_, n in seconds)
    latency = statistics.median(s / _meetings(*key, memory)[0] for key, s in seconds.items() if key[2] == small)
    rates = []
    for key, s in seconds.items():
        hops, size = _meetings(*key, memory)
        if key[2] == large:
            rates.append(size / max(s - hops * latency, s / 4))
    return statistics.median(rates), latency


def _memory_bytes(devices: Sequence[jax.Device]) -> int:
    """Of one device."""
    stats = devices[0].memory_stats() if devices[0].platform != "cpu" else None
    if stats and "bytes_limit" in stats:
        return int(stats["bytes_limit"])
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // len(devices)


def _cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _cache_bytes() -> int:
    """The largest cache of the first processor, as Linux tells; 0 if it does not."""
    sizes = [p.read_text().strip() for p in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size")]
    return max((int(s[:-1]) * {"K": 1 << 10, "M": 1 << 20}.get(s[-1], 1) for s in sizes if s[:-1].isdigit()), default=0)


@dataclass
class _Seen:
    """What was measured."""

    devices: Sequence[jax.Device]
    probes: dict[str, _Probe]
    step: tuple[float, float]  # seconds to start one, and for each of its arguments and results
    kernel: tuple[float, float]  # seconds to start one on all devices, by the clock and of all processors
    fresh: float  # the processors' seconds for a byte of new memory
    slower: float = 1.0  # how many times as long kernels take in a program as in a loop of their own

    @property
    def cpu(self) -> bool:
        return self.devices[0].platform == "cpu"

    @property
    def idle(self) -> float:
        """Processors wait where devices meet, and for whatever else the machine does."""
        waits = [p.seconds() * _cores() / p.seconds(1) for p in self.probes.values() if p.copies > 1]
        return max(1.0, statistics.median(waits)) if self.cpu else 1.0


def _write(seen: _Seen) -> str:
    """The device's file."""
    devices, probes, cpu, idle = seen.devices, seen.probes, seen.cpu, seen.idle
    count = len(devices)
    # Devices that share a machine: what each does takes `count` times as long as its share of the machine's time.
    share = _cores() * count if cpu else 1

    which = 1 if cpu else 0
    meet = probes["meet"].seconds(which)

    def in_a_loop(name: str) -> float:
        probe = probes[name]
        all_of_it = probe.seconds(which)
        return max(all_of_it - (meet if probe.copies > 1 else 0), all_of_it / 4) / probe.copies / share * idle

    def kernel(name: str) -> float:
        return in_a_loop(name) * seen.slower

    def clock(name: str) -> float:
        """Of a collective, without the product before it."""
        whole = probes[name].seconds() / (count if cpu else 1)
        return max(whole - in_a_loop("dot {}x{}x{} float32".format(*_SMALL)), whole / 4)

    overhead = seen.kernel[which] / share * seen.slower
    peaks = {}
    for dtype in ("float32", "bfloat16"):
        found = {d: kernel(f"dot {d[0]}x{d[1]}x{d[2]} {dtype}") for d in _DOTS if f"dot {d[0]}x{d[1]}x{d[2]} {dtype}" in probes}
        peaks[dtype] = _fit_products(found, overhead)
    vector = statistics.geometric_mean([10 * (1 << 16) / kernel(f"tanh {1 << 16}"), 22 * (1 << 16) / kernel(f"update {1 << 16}")])
    fast, slow = 12 * (1 << 16) / kernel(f"stream {1 << 16}"), 28 * (1 << 21) / kernel(f"update {1 << 21}")
    cache = _cache_bytes() if cpu else 0
    lines = [
        f"device {devices[0].device_kind.lower().replace(' ', '_')}",
        f"memory {_memory_bytes(devices)}",
        f"bandwidth {slow:.4g}",
    ]
    if cache and fast > slow:
        lines.append(f"cache {cache} {fast:.4g}")
    if seen.fresh > 0:
        lines.append(f"page_fault {LARGE_BLOCK} {_cores() / (seen.fresh * idle):.4g}")
    tile = peaks["float32"][1]
    turned = statistics.median(kernel(d) / kernel(f"{d} turned") for d in _TURNED if f"{d} turned" in probes)
    lines += [
        f"matrix f32 {peaks['float32'][0]:.4g}",
        f"matrix f16 {peaks['bfloat16'][0]:.4g}",
        f"vector {vector:.4g}",
        f"strided {512**2 / kernel('turn 512'):.4g}",
        f"tile {tile[0]} {tile[1]} {tile[2]}",
        "efficiency 1",
        f"transposed_lhs {min(turned, 1):.4g}",
        f"overhead {overhead:.4g}",
        f"step {seen.step[0]:.4g} {seen.step[1]:.4g}",
    ]
    if cpu:
        lines.append("shared")
    lines.append(f"backend {devices[0].platform if devices[0].platform in ('cpu', 'tpu') else 'gpu'}")
    meetings = {}
    for name, probe in probes.items():
        if probe.group > 1:
            kind, _, group, n = name.split()
            meetings[kind, int(group), int(n)] = clock(name)
    bandwidth, latency = _fit_links(meetings, cpu) if meetings else (slow, overhead)
    lines.append(f"link {'ram memory' if cpu else 'links switch'} devices 0 bandwidth {bandwidth:.4g} latency {latency:.4g}")
    return "\n".join(lines) + "\n"


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


def _fresh_memory(count: int) -> float:
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
    found = [_dot(*d) for d in _DOTS] + [_dot(*d, jnp.bfloat16) for d in _DOTS[:1]]
    found += [_dot(*d, turned=True) for d in _DOTS[: len(_TURNED)]]
    found += [_wave(1 << 16), _update(1 << 16), _update(1 << 21), _turn(512), _stream(1 << 16)]
    found.append(_Probe("meet", lambda c: (c[0] + lax.psum(c[0], ("outer", "inner")) * 1e-3,), [(1,)]))
    groups = [g for g in sorted({2, count}) if 1 < g <= count and count % g == 0]
    kinds = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")
    return found + [_collective(kind, g, n) for g in groups for kind in kinds for n in (256, 1 << 17)]


class Calibration:
    """Probes that are compiled once and can be measured again, on a machine whose speed changes."""

    def __init__(self, devices: Sequence[jax.Device], say: Callable[[str], None]):
        self.devices, self.say = devices, say
        self.probes = _probes(len(devices))
        for i, probe in enumerate(self.probes):
            say(f"calibrating: {i + 1} of {len(self.probes)}, {probe.name}")
            probe.build(devices)
        self.step = _Step(devices) if devices[0].platform == "cpu" else None

    def measure(self) -> str:
        """The device's file, as the machine is now."""
        for probe in self.probes:
            probe.few.clear()
            probe.many.clear()
        if self.step:
            self.step.runs.clear()
        for i in range(ROUNDS):
            self.say(f"calibrating: round {i + 1} of {ROUNDS}")
            for probe in self.probes:
                probe.measure()
            if self.step:
                self.step.measure()
        fresh = _fresh_memory(len(self.devices)) if self.step else 0.0
        starts = _start_of_a_step(self.devices), _start_of_a_kernel(self.devices)
        seen = _Seen(self.devices, {p.name: p for p in self.probes}, *starts, fresh)
        if self.step:
            seen.slower = self.step.slower(_write(seen), seen.idle)
        return _write(seen)


def calibrate(
    path: str | PathLike[str] | None = None,
    devices: Sequence[jax.Device] | None = None,
    *,
    progress: Callable[[str], None] | None = None,
) -> str:
    """Measure `devices` (all of JAX's by default) and give them as text in the form of `partir simulate --device FILE`.

    With a path it is written there too. `progress` is told what goes on; by default a line on the terminal is.
    On virtual CPU devices set NPROC to twice their number before jax is imported.
    """
    say = progress or (lambda text: print(f"\r{text:<60}", end="", file=sys.stderr, flush=True))
    text = Calibration(list(jax.devices() if devices is None else devices), say).measure()
    say("calibrated")
    if progress is None:
        print(file=sys.stderr)
    if path is not None:
        Path(path).write_text(text)
    return text
