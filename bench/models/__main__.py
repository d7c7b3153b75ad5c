"""Write a model as StableHLO text, traced from shapes alone, with the names of its arguments beside it.

    python -m bench.models list
    python -m bench.models export t32 --small -o t32.mlir        # also writes t32.names
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from bench import models
from partir import _tag


def export(model: models.Model, out: Path, debug_info: bool) -> None:
    """Write `out`, with the tags in it, and beside it the names file: lines of `index<TAB>path`."""
    with _tag.marked():
        out.write_text(model.lower().as_text(debug_info=debug_info))
    lines = [f"{i}\t{path}\n" for i, path in enumerate(model.names())]
    out.with_suffix(".names").write_text("".join(lines))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.models", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="print the names of all models")
    one = commands.add_parser("export", help="write one model")
    one.add_argument("name", choices=models.names())
    one.add_argument("--small", action="store_true", help="a size that runs anywhere")
    one.add_argument("--debug-info", action="store_true", help="with source locations")
    one.add_argument("-o", "--out", type=Path, required=True, metavar="FILE.mlir")
    options = parser.parse_args()
    if options.command == "list":
        print("\n".join(models.names()))
    else:
        export(models.get(options.name, options.small), options.out, options.debug_info)


if __name__ == "__main__":
    main()
