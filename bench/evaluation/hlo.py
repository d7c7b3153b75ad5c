"""What an optimized HLO module sends: its collectives by kind, how often they run, and their bytes on a ring.

Loop bodies count once for each turn. A collective sends, for g devices that meet: all-gather and all-to-all (g - 1) / g of the whole, reduce-scatter the same,
all-reduce twice that, collective-permute what it is given. The TPU compiler writes a reduce-scatter as a fusion of an all-reduce and a slice of it, and an
asynchronous all-gather into each of the fusions that run beside it, under one chain_id: both are counted as what they are; it notes no trip counts, so these are read from the loops.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

KINDS = ("all-gather", "all-reduce", "reduce-scatter", "all-to-all", "collective-permute")
COUNTING = 3  # one more whenever the same text is counted otherwise: what was measured before does not hold then
LISTED = 8  # of the largest are kept
_OP = r"\s+(?:ROOT )?%?[\w.\-]+ = (.*?) ([\w\-]+)\("
_BITS = {"pred": 8, "s4": 4, "u4": 4, "bf16": 16, "f16": 16, "tf32": 32}


class Sent(NamedTuple):
    """Of one kind of collective."""

    count: int = 0
    bytes: float = 0.0

    def plus(self, other: Sent, times: int = 1) -> Sent:
        return Sent(self.count + times * other.count, self.bytes + times * other.bytes)


def size(shapes: str) -> int:
    """Bytes of all array shapes in a text such as `(f32[4,8]{1,0}, bf16[2])`."""
    found = 0
    for kind, dims in re.findall(r"\b([a-z]\w*)\[([\d,]*)\]", shapes):
        bits = _BITS.get(kind) or int(re.search(r"\d+", kind)[0])
        found += math.prod(int(d) for d in dims.split(",") if d) * bits // 8
    return found


def group_size(line: str) -> int:
    """How many devices meet, in each of the ways in which XLA prints groups."""
    if listed := re.search(r"replica_groups=\{\{([\d,]+)\}", line):
        return listed[1].count(",") + 1
    if iota := re.search(r"replica_groups=\[(\d+),(\d+)\]", line):
        return int(iota[2])
    if mesh := re.search(r"replica_groups=mesh\[([^\]]*)\][^{]*\{([^}]*)\}", line):
        sizes = {axis: int(n) for axis, n in re.findall(r"'([^']+)'=(\d+)", mesh[1])}
        return math.prod(int(part or 0) or sizes[axis] for axis, part in re.findall(r"'([^']+)'(?::\(\d+\)(\d+))?", mesh[2]))
    return 1


def sent_by(line: str, kind: str, result: str) -> float:
    """Bytes that each device sends."""
    if kind == "collective-permute":
        return size(result)
    g = group_size(line)
    whole = size(result) * (g if kind == "reduce-scatter" else 1)
    return (2 if kind == "all-reduce" else 1) * whole * (g - 1) / g


def computations(text: str) -> tuple[dict[str, list[str]], str]:
    """The lines of each computation of a module by its name, and the name of the entry."""
    bodies: dict[str, list[str]] = {}
    entry = name = ""
    for line in text.splitlines():
        if opened := re.match(r"(ENTRY )?%?([\w.\-]+) \(.*\{$", line):
            name = opened[2]
            entry = name if opened[1] else entry
            bodies[name] = []
        elif line.startswith("}"):
            name = ""
        elif name:
            bodies[name].append(line)
    return bodies, entry


def scatters(lines: list[str]) -> bool:
    """Whether a fused computation takes this device's slice of a sum: a reduce-scatter in the TPU compiler's words."""
    sums = [found[1] for line in lines if " all-reduce(" in line and (found := re.search(r"%?([\w.\-]+) = \S+ all-reduce\(", line))]
    roots = "\n".join(line for line in lines if line.lstrip().startswith("ROOT"))
    return len(sums) == 1 and bool(re.search(rf"dynamic-slice\(%?{re.escape(sums[0])}[,)]", roots))


def trips(line: str, around: list[str], bodies: dict[str, list[str]]) -> int:
    """How often a loop turns: as XLA notes it, or by its counter from its start in steps up to a constant, which the TPU compiler leaves to find."""
    if noted := re.search(r'known_trip_count":\{"n":"(\d+)"', line):
        return int(noted[1])
    names = re.search(r"while\(%?([\w.\-]+)\), condition=%?([\w.\-]+), body=%?([\w.\-]+)", line)
    condition = _definitions(bodies.get(names[2], []))
    test = re.match(r"compare\(%?([\w.\-]+), %?([\w.\-]+)\), direction=LT", condition.get("ROOT", ""))
    place = re.search(r"get-tuple-element\(.*index=(\d+)", _through(condition, test[1])) if test else None
    limit = _constant(condition, test[2]) if test else None
    if place is None or limit is None:
        return 1
    body, outside, at = _definitions(bodies.get(names[3], [])), _definitions(around), int(place[1])
    start = _constant(outside, _element(outside.get(names[1], ""), at)) or 0
    step = re.match(r"add\(%?([\w.\-]+), %?([\w.\-]+)\)", _through(body, _element(body.get("ROOT", ""), at)))
    by = (_constant(body, step[1]) or _constant(body, step[2]) or 1) if step else 1
    return max(1, -((start - limit) // by))


def _definitions(lines: list[str]) -> dict[str, str]:
    """The op of each name, as `add(%a, %b), …`; that of the root also as ROOT."""
    found = {}
    for line in lines:
        if one := re.match(r"\s+(ROOT )?%?([\w.\-]+) = .*? ([a-z\-]+\(.*)", line):
            found |= {one[2]: one[3]} | ({"ROOT": one[3]} if one[1] else {})
    return found


def _element(tuple_op: str, at: int) -> str:
    """The operand of a tuple."""
    names = re.findall(r"%([\w.\-]+)", tuple_op.split(")")[0])
    return names[at] if tuple_op.startswith("tuple(") and at < len(names) else ""


def _through(ops: dict[str, str], name: str) -> str:
    """The op of a name, beyond copies."""
    while one := re.match(r"copy\(%?([\w.\-]+)\)", ops.get(name, "")):
        name = one[1]
    return ops.get(name, "")


def _constant(ops: dict[str, str], name: str) -> int | None:
    found = re.match(r"constant\((-?\d+)\)", _through(ops, name))
    return int(found[1]) if found else None


def occurrences(text: str) -> Iterator[tuple[str, str, list[str], int]]:
    """Each line of each computation that a run reaches: with the loop body that it is in, its computation, and how often it runs.

    A module is printed with what is called before what calls it.
    """
    bodies, entry = computations(text)
    runs, loop = {entry: 1}, {entry: entry}
    for name in reversed(bodies):
        if name not in runs:
            continue
        lines = bodies[name]
        for line in lines:
            yield line, loop[name], lines, runs[name]
            called = re.search(r"(?:to_apply|body|calls)=%?([\w.\-]+)", line)
            op = re.match(_OP, line)
            if called and op and op[2] in ("call", "while", "fusion", "async-start"):
                turns = trips(line, lines, bodies) if op[2] == "while" else 1
                runs[called[1]] = runs.get(called[1], 0) + runs[name] * turns
                loop[called[1]] = called[1] if op[2] == "while" else loop[name]


def sends(text: str) -> Iterator[tuple[str, Sent, str]]:
    """The collectives of a module: kind, how often one runs and what it sends, and what it is of: shape and op."""
    chains: set[tuple[str, ...]] = set()
    for line, loop, lines, runs in occurrences(text):
        op = re.match(_OP, line)
        kind = op[2].removesuffix("-start") if op else ""
        if kind not in KINDS:
            continue
        result = op[1]
        if op[2].endswith("-start") and result.startswith("("):  # (operand, result, …)
            result = ", ".join(re.findall(r"\w+\[[\d,]*\]", result)[1:2])
        sent, what = sent_by(line, kind, result), shown(result)
        what += "" if " more" in what else f" {source(line)}"
        if chain := re.search(r'chain_id="(\d+)"', line):
            if (kind, chain[1], loop) in chains:
                continue
            chains.add((kind, chain[1], loop))
        if kind == "all-reduce" and scatters(lines):
            kind, sent = "reduce-scatter", sent / 2
        yield kind, Sent(runs, runs * sent), what


def collectives(text: str) -> dict[str, Sent]:
    """By kind, for one run of the module."""
    result = {kind: Sent() for kind in KINDS}
    for kind, one, _ in sends(text):
        result[kind] = result[kind].plus(one)
    return result


def largest(text: str) -> dict[str, list[dict[str, Any]]]:
    """What sends most, and which matrix products and convolutions do most: those of one shape and source together."""
    sent: dict[str, Sent] = {}
    for kind, one, what in sends(text):
        key = f"{kind.replace('-', '_')} {what}"
        sent[key] = sent.get(key, Sent()).plus(one)
    made: dict[str, Sent] = {}
    for line, _, lines, runs in occurrences(text):
        if one := re.match(r"\s+(?:ROOT )?%?[\w.\-]+ = (\S+) dot\(%?([\w.\-]+), %?([\w.\-]+)\).*lhs_contracting_dims=\{([\d,]*)\}", line):
            left, right = (next((found[1] for other in lines if (found := re.match(rf"\s+%?{re.escape(name)} = (\S+) ", other))), "") for name in one.groups()[1:3])
            flops = 2 * math.prod(_dims(one[1])) * math.prod(_dims(left)[int(at)] for at in one[4].split(",") if at)
            key = f"{shown(left)} by {shown(right)} {source(line)}"
            made[key] = made.get(key, Sent()).plus(Sent(runs, runs * flops))

    def first(of: dict[str, Sent], unit: str) -> list[dict[str, Any]]:
        most = sorted(of.items(), key=lambda item: (-item[1].bytes, item[0]))[:LISTED]
        return [{"what": what.strip(), "times": one.count, unit: one.bytes} for what, one in most]

    return {"sends": first(sent, "bytes"), "products": first(made, "flops")}


def _dims(shape: str) -> list[int]:
    return [int(n) for n in re.findall(r"\d+", shape[shape.index("[") : shape.index("]")])]


def shown(shapes: str) -> str:
    """Shapes without layouts: of many the first."""
    every = re.findall(r"\b[a-z]\w*\[[\d,]*\]", shapes)
    return every[0] + (f" and {len(every) - 1} more" if len(every) > 1 else "") if every else shapes


def source(line: str) -> str:
    """The op of the program that a line comes from, as JAX names it, without the functions around it."""
    name = re.search(r'op_name="([^"]*)"', line)
    return re.sub(r"^(?:(?:jit\([^()]*\)|shard_map|partir_local)/)+", "", name[1])[:80] if name else ""
