#!python
"""The `partir` command of the Python package: the C program, given text for what `jax.export` serialized.

    partir partition step.bin step.schedule          # step.bin: jax.export.export(jax.jit(f))(*args).serialize()
    partir report report.json -o report.html         # the commands of `python -m partir`

The package itself, and with it JAX, is imported only for these.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def is_serialized(argument: str) -> bool:
    """Whether an argument names a file that `jax.export` wrote: a flatbuffer, never text."""
    path = Path(argument)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return b"\0" in file.read(64)


def main() -> int:
    """Run the C program on this process's arguments."""
    if sys.argv[1:2] == ["report"]:
        from partir.__main__ import main as in_python

        return in_python()
    package = Path(importlib.util.find_spec("partir").origin).parent
    command = [str(package / "bin" / "partir"), *sys.argv[1:]]
    serialized = [i for i, argument in enumerate(command) if i > 0 and is_serialized(argument)]
    if not serialized:
        os.execv(command[0], command)
    from partir._export import convert

    with tempfile.TemporaryDirectory() as folder:
        for i in serialized:
            command[i] = str(convert(command[i], Path(folder) / f"{Path(command[i]).stem}.mlir"))
        return subprocess.run(command).returncode


if __name__ == "__main__":
    sys.exit(main())
