"""Distributions: which part of a global array each device of a mesh holds.

A distribution lists for each dimension the mesh axes that split it, major first. On the mesh batch=2, model=2 (devices
numbered row-major: the last axis varies fastest) a matrix with distribution [["batch"], []] has its first half of rows
on devices 0 and 1 and the second half on devices 2 and 3.

An axis may be there in part: of model=8, model:(1)2 is the major digit of a device's place on the axis, and model:(2)4 what
is left (the number in parentheses says how many chunks the more major digits make).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

Distribution = Sequence[Sequence[str]]
Mesh = Mapping[str, int]


def jax_mesh(mesh: Mesh, devices: Sequence[jax.Device] | None = None) -> jax.sharding.Mesh:
    """The mesh over JAX's devices (the first that are needed, unless given), in the order of their numbers."""
    count = int(np.prod(list(mesh.values()), dtype=np.int64))
    devices = jax.devices()[:count] if devices is None else devices
    if len(devices) != count:
        message = f"the mesh has {count} devices, but there are {len(devices)}"
        if devices and devices[0].platform == "cpu":
            message += (
                f"; for virtual ones set XLA_FLAGS=--xla_force_host_platform_device_count={count} and NPROC={2 * count} "
                "in the environment before jax is imported"
            )
        raise ValueError(message)
    return jax.sharding.Mesh(np.array(devices).reshape(tuple(mesh.values())), tuple(mesh))


def cut(mesh: Mesh, distribution: Distribution) -> tuple[dict[str, int], Distribution]:
    """The mesh with its axes cut into the parts that the distribution has, and the distribution on that mesh."""
    parts = {a: None if a in mesh else re.fullmatch(r"(.*):\((\d+)\)(\d+)", a) for axes in distribution for a in axes}
    borders: dict[str, set[int]] = {}
    for found in filter(None, parts.values()):
        before, size = int(found[2]), int(found[3])
        borders.setdefault(found[1], set()).update((before, before * size))
    if not borders:
        return dict(mesh), distribution
    axes: dict[str, int] = {}
    digits: dict[str, list[tuple[str, int, int]]] = {}  # by axis: name, where it begins and ends
    for name, whole in mesh.items():
        ends = sorted(b for b in borders.get(name, ()) if 1 < b < whole) + [whole]
        for before, end in zip([1, *ends], ends):
            digit = name if len(ends) == 1 else f"{name}:({before}){end // before}"
            axes[digit] = end // before
            digits.setdefault(name, []).append((digit, before, end))

    def of(axis: str) -> list[str]:
        found = parts[axis]
        if not found:
            return [digit for digit, _, _ in digits[axis]]
        first, last = int(found[2]), int(found[2]) * int(found[3])
        return [digit for digit, before, end in digits[found[1]] if first <= before and end <= last]

    return axes, tuple(tuple(digit for axis in dim for digit in of(axis)) for dim in distribution)


def partition_spec(distribution: Distribution) -> PartitionSpec:
    """The same in JAX's words."""
    return PartitionSpec(*(tuple(axes) if axes else None for axes in distribution))


def sharding(distribution: Distribution, mesh: jax.sharding.Mesh) -> NamedSharding:
    """Where JAX places an array of this distribution. Parts of axes are axes of a mesh of the same devices, cut so."""
    axes, distribution = cut(mesh.shape, distribution)
    if tuple(axes) != mesh.axis_names:
        sizes = tuple(axes.values())
        if isinstance(mesh, jax.sharding.AbstractMesh):
            mesh = jax.sharding.AbstractMesh(sizes, tuple(axes))
        else:
            mesh = jax.sharding.Mesh(mesh.devices.reshape(sizes), tuple(axes))
    return NamedSharding(mesh, partition_spec(distribution))


def joint(
    mesh: jax.sharding.Mesh, distributions: Sequence[Distribution]
) -> tuple[jax.sharding.Mesh, list[PartitionSpec]]:
    """One mesh, cut so that all the distributions are on it, and each of them on that mesh."""
    axes, dims = cut(mesh.shape, [dim for distribution in distributions for dim in distribution])
    if tuple(axes) != mesh.axis_names:
        mesh = jax.sharding.Mesh(mesh.devices.reshape(tuple(axes.values())), tuple(axes))
    rest = iter(dims)
    return mesh, [partition_spec([next(rest) for _ in distribution]) for distribution in distributions]


def local_shape(shape: Sequence[int], distribution: Distribution, mesh: Mesh) -> tuple[int, ...]:
    """The shape of one device's part."""
    if len(shape) != len(distribution):
        raise ValueError(f"shape {tuple(shape)} and distribution {distribution} differ in rank")
    mesh, distribution = cut(mesh, distribution)
    chunks = [int(np.prod([mesh[a] for a in axes], dtype=np.int64)) for axes in distribution]
    if any(size % chunk for size, chunk in zip(shape, chunks)):
        raise ValueError(f"shape {tuple(shape)} does not divide by {distribution} on {dict(mesh)}")
    return tuple(size // chunk for size, chunk in zip(shape, chunks))


def _part(local: Sequence[int], distribution: Distribution, mesh: Mesh, device: int) -> tuple[slice, ...]:
    """Where in the global array the part of `device` lies."""
    place = dict(zip(mesh, np.unravel_index(device, tuple(mesh.values()))))
    part = []
    for size, axes in zip(local, distribution):
        index = 0
        for axis in axes:
            index = index * mesh[axis] + int(place[axis])
        part.append(slice(index * size, (index + 1) * size))
    return tuple(part)


def split(array: np.ndarray, distribution: Distribution, mesh: Mesh) -> list[np.ndarray]:
    """The part of each device, in the order of their numbers."""
    mesh, distribution = cut(mesh, distribution)
    local = local_shape(array.shape, distribution, mesh)
    devices = range(int(np.prod(list(mesh.values()), dtype=np.int64)))
    return [array[_part(local, distribution, mesh, d)] for d in devices]


def join(parts: Sequence[np.ndarray], distribution: Distribution, mesh: Mesh) -> np.ndarray:
    """The global array of the devices' parts; where several devices hold the same part, the last one counts."""
    local = parts[0].shape
    mesh, distribution = cut(mesh, distribution)
    chunks = [int(np.prod([mesh[a] for a in axes], dtype=np.int64)) for axes in distribution]
    whole = np.empty([size * chunk for size, chunk in zip(local, chunks)], parts[0].dtype)
    for device, part in enumerate(parts):
        whole[_part(local, distribution, mesh, device)] = part
    return whole
