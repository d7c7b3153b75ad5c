"""Several processes that run one program: before they compile, they compare what they are about to compile.

Processes with different programs would run different collectives and wait for each other for ever. So the n-th
programs of all processes must have the same hash. A process that fails before says so, and the others stop.
"""

from __future__ import annotations

import hashlib
import itertools
import threading
from collections.abc import Callable

import jax

from partir import _jax
from partir._mesh import Axes

TIMEOUT_SECONDS = 600.0
"""How long a process waits for the others to come as far as it has."""

_lock = threading.Lock()
_programs = itertools.count()


def _others(mesh: Axes) -> list[int]:
    """The other processes that have devices of the mesh."""
    if jax.process_count() == 1:
        return []
    return sorted({d.process_index for d in mesh.concrete.devices.flat} - {jax.process_index()})


def tell_failure(mesh: Axes, reason: BaseException) -> None:
    """Let the other processes know that this one does not come to compile."""
    if _others(mesh):
        with _lock:
            _jax.publish(f"partir/{next(_programs)}", f"failed: {reason}")


def is_first(mesh: Axes) -> bool:
    """Whether this process decides for all others that have devices of the mesh."""
    others = _others(mesh)
    return not others or jax.process_index() < others[0]


def tell(mesh: Axes, text: str) -> None:
    """Let the other processes have what this one, the first, has found."""
    if _others(mesh):
        with _lock:
            _jax.publish(f"partir/{next(_programs)}", text)


def hear(mesh: Axes, name: str) -> str:
    """What the first process has found."""
    with _lock:
        first = _others(mesh)[0]
        text = _jax.published(f"partir/{next(_programs)}", first, TIMEOUT_SECONDS)
    if text is None:
        raise RuntimeError(f"process {first} did not say what it found for {name} within {TIMEOUT_SECONDS:.0f} s")
    if text.startswith("failed: "):
        raise RuntimeError(f"{name} is not compiled, since process {first} {text}")
    return text


def agree(mesh: Axes, name: str, text: Callable[[], str]) -> None:
    """Return once all processes of the mesh have come here with the same program; RuntimeError if they differ.

    The text is without locations: the same code may lie in different folders.
    """
    others = _others(mesh)
    if not others:
        return
    mine = f"{name} {hashlib.sha256(text().encode()).hexdigest()[:16]}"
    with _lock:
        program = f"partir/{next(_programs)}"
        _jax.publish(program, mine)
        for process in others:
            theirs = _jax.published(program, process, TIMEOUT_SECONDS)
            if theirs is None:
                raise RuntimeError(
                    f"process {process} did not come to compile {name} within {TIMEOUT_SECONDS:.0f} s: "
                    "all processes of a mesh must call the same functions in the same order"
                )
            if theirs.startswith("failed: "):
                raise RuntimeError(f"{name} is not compiled, since process {process} {theirs}")
            if theirs != mine:
                raise RuntimeError(
                    f"the processes differ: process {jax.process_index()} is to compile {mine}, "
                    f"but process {process} {theirs} (function and hash of its program). "
                    "All must call the same function with the same schedule, shapes and static arguments"
                )
