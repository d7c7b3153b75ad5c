"""Redistributions: ours against Shardy's and GSPMD's, on pairs of distributions drawn from a seed.

    make build/bench/redistribute_bench && python -m bench.redistribution [--pairs 500] [--seed 1] [--json FILE] [--markdown FILE]

A tensor of f32 lies one way and is wanted another, axes in the given order. Ours is what the planner says (`bench/redistribute_bench.c`); a peer's is
read from the HLO that XLA compiles for an identity with these shardings, on CPU devices, in the same run. Bytes: sent by each device, as
`bench/evaluation/hlo.py` counts them. Peak: the most that the operand and the result of one collective take together. A peer is better at a pair if it
has less of one and not more of the other.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PLANNER = ROOT / "build" / "bench" / "redistribute_bench"
MESHES = ((2, 2), (2, 3), (2, 4), (4, 2), (2, 2, 2))
NAMES = "abc"
SIZE = {1: 5760, 2: 96, 3: 48}  # of each dimension, by rank: all splits divide it

Places = tuple[tuple[int, ...], ...]  # axes of each dimension, major first


@dataclass(frozen=True)
class Pair:
    """A mesh and two distributions."""

    mesh: tuple[int, ...]
    source: Places
    target: Places

    @property
    def shape(self) -> tuple[int, ...]:
        return (SIZE[len(self.source)],) * len(self.source)

    def __str__(self) -> str:
        return f"{'x'.join(map(str, self.mesh))}: {spell(self.source)} → {spell(self.target)}"


def spell(places: Places) -> str:
    """P(a,cb,-)."""
    return "P(" + ",".join("".join(NAMES[i] for i in axes) or "-" for axes in places) + ")"


@dataclass(frozen=True)
class Price:
    """Of one redistribution."""

    bytes: float
    collectives: int
    peak: float


def draw_pairs(n: int, seed: int) -> list[Pair]:
    """Pairs that differ, no two alike."""
    draw = random.Random(seed)
    found: dict[Pair, None] = {}
    while len(found) < n:
        mesh = draw.choice(MESHES)
        rank = draw.choice((1, 2, 2, 3, 3))

        def places() -> Places:
            axes = draw.sample(range(len(mesh)), draw.randint(0, len(mesh)))
            lists: list[list[int]] = [[] for _ in range(rank)]
            for axis in axes:
                draw.choice(lists).append(axis)
            return tuple(map(tuple, lists))

        pair = Pair(mesh, places(), places())
        if pair.source != pair.target:
            found[pair] = None
    return list(found)


# ---- Ours -----------------------------------------------------------------------------------------------------------


def plan(pairs: Sequence[Pair]) -> list[tuple[Price, str]]:
    """What the planner does, with its steps."""

    def listed(places: Places) -> str:
        return ";".join(",".join(map(str, axes)) for axes in places)

    lines = [
        f"{','.join(map(str, p.mesh))}|{','.join(map(str, p.shape))}|{listed(p.source)}|{listed(p.target)}\n" for p in pairs
    ]
    out = subprocess.run([PLANNER], input="".join(lines), capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in out.splitlines())
    return [(Price(float(b), int(n), float(peak)), steps) for b, n, peak, steps in rows]


# ---- Peers ----------------------------------------------------------------------------------------------------------


def price_of(hlo: str) -> Price:
    """Of a compiled module."""
    from bench.evaluation.hlo import KINDS, collectives, size

    sent = collectives(hlo)
    hlo = re.sub(r"/\*.*?\*/", "", hlo)  # long lists number their entries
    shapes = dict(re.findall(r"^\s+(?:ROOT )?%?([\w.\-]+) = (\(.*?\)|\S+) [\w\-]+\(", hlo, re.MULTILINE))
    peak = 0.0
    for line in hlo.splitlines():
        op = re.match(r"\s+(?:ROOT )?%?[\w.\-]+ = (\(.*?\)|\S+) ([\w\-]+)\(([^)]*)\)", line)
        if op and op[2].removesuffix("-start") in KINDS:
            operands = sum(size(shapes.get(name.split()[-1].lstrip("%"), "")) for name in op[3].split(",") if name.strip())
            peak = max(peak, size(op[1]) + operands)
    return Price(sum(s.bytes for s in sent.values()), sum(s.count for s in sent.values()), peak)


def compile_pair(pair: Pair) -> str:
    """The HLO of an identity with these shardings."""
    import jax
    import numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    n = int(np.prod(pair.mesh))
    mesh = Mesh(np.array(jax.devices()[:n]).reshape(pair.mesh), tuple(NAMES[: len(pair.mesh)]))

    def sharding(places: Places) -> Any:
        return NamedSharding(mesh, PartitionSpec(*(tuple(NAMES[i] for i in axes) or None for axes in places)))

    x = jax.ShapeDtypeStruct(pair.shape, np.float32)
    jitted = jax.jit(lambda v: v, in_shardings=sharding(pair.source), out_shardings=sharding(pair.target))
    return jitted.lower(x).compile().as_text()


def measure_peers(pairs: Sequence[Pair]) -> dict[str, list[Price]]:
    """Both peers on all pairs."""
    os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
    import jax

    found: dict[str, list[Price]] = {}
    for name, shardy in (("shardy", True), ("gspmd", False)):
        jax.config.update("jax_use_shardy_partitioner", shardy)
        found[name] = [price_of(compile_pair(pair)) for pair in pairs]
    return found


# ---- The table ------------------------------------------------------------------------------------------------------


def beats(x: Price, y: Price) -> bool:
    """Less of one, not more of the other."""
    return x.bytes <= y.bytes and x.peak <= y.peak and (x.bytes < y.bytes or x.peak < y.peak)


def table(ours: Sequence[Price], peers: dict[str, list[Price]]) -> str:
    """Against each peer: how often which is better, and all bytes together."""
    rows = [
        "| peer | pairs | ours better | equal | a trade | peer better | bytes, ours / peer | pairs that send less: ours, peer |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, theirs in peers.items():
        pairs = list(zip(ours, theirs))
        better = sum(beats(o, t) for o, t in pairs)
        worse = sum(beats(t, o) for o, t in pairs)
        equal = sum(o.bytes == t.bytes and o.peak == t.peak for o, t in pairs)
        less = sum(o.bytes < t.bytes for o, t in pairs), sum(t.bytes < o.bytes for o, t in pairs)
        share = sum(o.bytes for o in ours) / sum(t.bytes for t in theirs)
        trades = len(pairs) - better - worse - equal
        rows.append(f"| {name} | {len(pairs)} | {better} | {equal} | {trades} | {worse} | {share:.2f} | {less[0]}, {less[1]} |")
    return "\n".join(rows) + "\n"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.redistribution", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write all pairs to this file")
    parser.add_argument("--markdown", type=Path, help="put the table between its marks in this file")
    options = parser.parse_args()
    pairs = draw_pairs(options.pairs, options.seed)
    planned = plan(pairs)
    ours = [price for price, _ in planned]
    peers = measure_peers(pairs)
    for i, pair in enumerate(pairs):
        for name, theirs in peers.items():
            if beats(theirs[i], ours[i]):
                print(f"{name} is better at {pair}: {theirs[i]}, ours {ours[i]} {planned[i][1]}")
    text = table(ours, peers)
    print(text, end="")
    if options.json:
        rows = [
            {"pair": str(p), "ours": vars(o), "steps": s, **{n: vars(peers[n][i]) for n in peers}}
            for i, (p, (o, s)) in enumerate(zip(pairs, planned))
        ]
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    if options.markdown:
        begin, end = "<!-- redistribution -->\n", "<!-- end -->\n"
        head, rest = options.markdown.read_text().split(begin)
        options.markdown.write_text(head + begin + text + end + rest.split(end)[1])


if __name__ == "__main__":
    main()
