"""The mesh of a partitioned function: named, ordered axes with their sizes, over JAX's devices or over none.

Devices are numbered row-major: the last axis varies fastest. A mesh may be larger than the machine: all but running works.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jax

from partir import _jax
from partir._check import NAME
from partir._distribution import jax_mesh


class Axes(Mapping[str, int]):
    """The axes of a dict, a `jax.sharding.Mesh` or an `AbstractMesh`, and where their devices come from."""

    def __init__(self, mesh: Mapping[str, int] | jax.sharding.Mesh | jax.sharding.AbstractMesh):
        self._devices: Sequence[jax.Device] | None = None
        if isinstance(mesh, jax.sharding.Mesh):
            self._devices = list(mesh.devices.flat)
        sizes = mesh.shape if isinstance(mesh, (jax.sharding.Mesh, jax.sharding.AbstractMesh)) else mesh
        if not isinstance(sizes, Mapping):
            raise TypeError(f"a mesh is a dict of sizes by axis ({{'batch': 4, 'model': 2}}), a jax.sharding.Mesh or an AbstractMesh, not {mesh!r}")
        self._sizes = {_axis(name): _size(name, size) for name, size in sizes.items()}

    def __getitem__(self, axis: str) -> int:
        return self._sizes[axis]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sizes)

    def __len__(self) -> int:
        return len(self._sizes)

    def __str__(self) -> str:
        return ",".join(f"{name}={size}" for name, size in self._sizes.items())

    @functools.cached_property
    def concrete(self) -> jax.sharding.Mesh:
        """The mesh over JAX's devices: the first ones, unless it was given with its own. ValueError if there are too few."""
        return jax_mesh(self._sizes, self._devices)

    @property
    def platform(self) -> str:
        """What JAX is to lower for: cpu, cuda, rocm, tpu."""
        return _jax.platform((self._devices or jax.devices())[0])

    @functools.cached_property
    def for_shardings(self) -> jax.sharding.Mesh | jax.sharding.AbstractMesh:
        """The mesh that shardings name: without enough devices, an abstract one."""
        if self._devices is None and len(jax.devices()) < math.prod(self.values()):
            return jax.sharding.AbstractMesh(tuple(self.values()), tuple(self))
        return self.concrete


def _axis(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"the axes of a mesh have names, and {name!r} is none")
    if not NAME.accepts(name):
        raise ValueError(f"the name of an axis of the mesh must be {NAME.words}, not {name!r}")
    return name


def _size(name: str, size: Any) -> int:
    if isinstance(size, bool) or not hasattr(size, "__index__"):
        raise TypeError(f"axis {name} of the mesh has a number of devices, not {size!r}")
    if size.__index__() < 1:
        raise ValueError(f"axis {name} of the mesh has at least one device, not {size}")
    return size.__index__()
