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

# The options whose values are files of another kind: arrays that are read, and what is written.
FILES = ("--in", "-o", "--out", "--trace")
# How files begin that hold NUL bytes early and are no programs: NumPy arrays and zip archives of them.
ARRAYS = (b"\x93NUMPY", b"PK\3\4", b"PK\5\6")


def is_serialized(argument: str) -> bool:
    """Whether an argument names a file that `jax.export` wrote: a flatbuffer, never text and never an array."""
    path = Path(argument)
    if argument.startswith("-") or not path.is_file():
        return False
    with path.open("rb") as file:
        start = file.read(64)
    return b"\0" in start and not start.startswith(ARRAYS)


def main() -> int:
    """Run the C program on this process's arguments."""
    if sys.argv[1:2] == ["report"]:
        from partir.__main__ import main as in_python

        return in_python()
    package = Path(importlib.util.find_spec("partir").origin).parent
    command = [str(package / "bin" / "partir"), *sys.argv[1:]]
    files = FILES if sys.argv[1:2] in (["check"], ["ops"], ["rules"]) else (*FILES, "--json")
    serialized = [i for i in range(2, len(command)) if command[i - 1] not in files and is_serialized(command[i])]
    if not serialized:
        os.execv(command[0], command)
    from partir._export import convert

    with tempfile.TemporaryDirectory() as folder:
        for i in serialized:
            command[i] = str(convert(command[i], Path(folder) / f"{Path(command[i]).stem}.mlir"))
        return subprocess.run(command).returncode


if __name__ == "__main__":
    sys.exit(main())
