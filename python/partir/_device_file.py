"""From what was measured to the device that the simulator reads: fits by its own rules, and the lines of the file."""

from __future__ import annotations

import itertools
import math
import os
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import jax

Shape = tuple[int, ...]
SMALL = (128, 128, 128)
LARGE_BLOCK = 32 << 20  # bytes; more than this glibc always gets from the system, and gives back to it


class Probe(Protocol):
    """A small program that was measured."""

    name: str
    copies: int

    def seconds(self, which: int = 0) -> float:
        """Of one trip: 0 by the clock, 1 of all processors."""


TILES = (1, 4, 8, 16, 32, 64)
DOTS = ((256, 512, 512), (128, 256, 256), SMALL, (48, 48, 48), (4, 256, 256), (256, 4, 256), (256, 256, 4))
TRANSPOSED = [f"dot {m}x{n}x{k} float32" for m, n, k in DOTS[:3]]  # also with the depth first


def efficiency(tile: Shape, m: int, n: int, k: int) -> float:
    """The simulator's rule: blocks of the unit are full only if the sizes are multiples of theirs."""

    def fill(size: int, block: int) -> float:
        return size / (math.ceil(size / block) * block)

    straight, transposed = fill(m, tile[0]) * fill(n, tile[1]), fill(n, tile[0]) * fill(m, tile[1])
    return fill(k, tile[2]) * max(straight, transposed)


def fit_products(seconds: dict[Shape, float], overhead: float) -> tuple[float, Shape]:
    """FLOP/s and blocks that explain the times of products best."""
    large = max(seconds, key=math.prod)
    peak = 2 * math.prod(large) / seconds[large]

    def error(tile: Shape) -> float:
        return sum(
            math.log((2 * math.prod(d) / (peak * efficiency(tile, *d)) + overhead) / s) ** 2 for d, s in seconds.items()
        )

    return peak, min(itertools.product(TILES, TILES, (1, 4, 8, 16, 32)), key=error)


def hops_and_bytes(kind: str, group: int, n: int, memory: bool) -> tuple[float, float]:
    """How many latencies and how many bytes of one device a collective is, by the simulator's rules."""
    size = 4.0 * n
    if kind == "reduce_scatter":  # and the gather after it
        one, two = (hops_and_bytes("scatter", group, n, memory), hops_and_bytes("all_gather", group, n // group, memory))
        return one[0] + two[0], one[1] + two[1]
    if memory:
        return group, {"all_gather": group * size, "scatter": size}.get(kind, 2 * size)
    if kind == "all_reduce" and n < 4096:
        return 2 * math.ceil(math.log2(group)), 2 * size
    parts = {"all_gather": group - 1.0, "all_reduce": 2 * (group - 1) / group}.get(kind, (group - 1) / group)
    return (2 if kind == "all_reduce" else 1) * (group - 1), parts * size


def fit_links(seconds: dict[tuple[str, int, int], float], memory: bool) -> tuple[float, float]:
    """Bandwidth and latency: each the median over the collectives that are mostly the one or the other."""
    small, large = min(n for *_, n in seconds), max(n for *_, n in seconds)
    latency = statistics.median(s / hops_and_bytes(*key, memory)[0] for key, s in seconds.items() if key[2] == small)
    rates = []
    for key, s in seconds.items():
        hops, size = hops_and_bytes(*key, memory)
        if key[2] == large:
            rates.append(size / max(s - hops * latency, s / 4))
    return statistics.median(rates), latency


def _memory_bytes(devices: Sequence[jax.Device]) -> int:
    """Of one device."""
    stats = devices[0].memory_stats() if devices[0].platform != "cpu" else None
    if stats and "bytes_limit" in stats:
        return int(stats["bytes_limit"])
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // len(devices)


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _cache_bytes() -> int:
    """The largest cache of the first processor, as Linux tells; 0 if it does not."""
    sizes = [p.read_text().strip() for p in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size")]
    return max((int(s[:-1]) * {"K": 1 << 10, "M": 1 << 20}.get(s[-1], 1) for s in sizes if s[:-1].isdigit()), default=0)


@dataclass
class Seen:
    """What was measured."""

    devices: Sequence[jax.Device]
    probes: Mapping[str, Probe]
    step: tuple[float, float]  # seconds to start one, and for each of its arguments and results
    kernel: tuple[float, float]  # seconds to start one on all devices, by the clock and of all processors
    page_fault: float  # the processors' seconds for a byte of new memory
    others: float = 0.0  # the share of the processors that other processes had meanwhile
    slower: float = 1.0  # how many times as long kernels take in a program as in a loop of their own

    @property
    def cpu(self) -> bool:
        return self.devices[0].platform == "cpu"

    @property
    def idle(self) -> float:
        """Processors wait where devices meet."""
        waits = [p.seconds() * (1 - self.others) * cores() / p.seconds(1) for p in self.probes.values() if p.copies > 1]
        return max(1.0, statistics.median(waits)) if self.cpu else 1.0


def device_file(seen: Seen) -> str:
    """The device's file."""
    devices, probes, cpu, idle = seen.devices, seen.probes, seen.cpu, seen.idle
    count = len(devices)
    # Devices that share a machine: what each does takes `count` times as long as its share of the machine's time.
    share = cores() * count if cpu else 1

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
        whole = probes[name].seconds() * (1 - seen.others) / (count if cpu else 1)
        return max(whole - in_a_loop("dot {}x{}x{} float32".format(*SMALL)), whole / 4)

    overhead = seen.kernel[which] / share * seen.slower
    peaks = {}
    for dtype in ("float32", "bfloat16"):
        found = {d: kernel(f"dot {d[0]}x{d[1]}x{d[2]} {dtype}") for d in DOTS if f"dot {d[0]}x{d[1]}x{d[2]} {dtype}" in probes}
        peaks[dtype] = fit_products(found, overhead)
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
    if seen.page_fault > 0:
        lines.append(f"page_fault {LARGE_BLOCK} {cores() / (seen.page_fault * idle):.4g}")
    tile = peaks["float32"][1]
    transposed = statistics.median(kernel(d) / kernel(f"{d} transposed") for d in TRANSPOSED if f"{d} transposed" in probes)
    lines += [
        f"matrix f32 {peaks['float32'][0]:.4g}",
        f"matrix f16 {peaks['bfloat16'][0]:.4g}",
        f"vector {vector:.4g}",
        f"strided {512**2 / kernel('turn 512'):.4g}",
        f"tile {tile[0]} {tile[1]} {tile[2]}",
        "efficiency 1",
        f"transposed_lhs {min(transposed, 1):.4g}",
        f"overhead {overhead:.4g}",
        f"step {seen.step[0]:.4g} {seen.step[1]:.4g}",
    ]
    if cpu:
        lines.append("shared")
    lines.append(f"backend {devices[0].platform if devices[0].platform in ('cpu', 'tpu') else 'gpu'}")
    collectives = {}
    for name, probe in probes.items():
        if probe.group > 1:
            kind, _, group, n = name.split()
            collectives[kind, int(group), int(n)] = clock(name)
    bandwidth, latency = fit_links(collectives, cpu) if collectives else (slow, overhead)
    lines.append(f"link {'ram memory' if cpu else 'links switch'} devices 0 bandwidth {bandwidth:.4g} latency {latency:.4g}")
    return "\n".join(lines) + "\n"
