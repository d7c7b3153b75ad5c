"""`python -m partir report REPORT.json -o page.html`: the pictures of a report, as one page that works offline."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from partir._report import report


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command on these arguments, by default those of the process."""
    parser = argparse.ArgumentParser(prog="python -m partir", description="Commands that need Python.")
    commands = parser.add_subparsers(dest="command", required=True)
    draw = commands.add_parser("report", help="draw what `partir simulate --json` or Report.to_json wrote")
    draw.add_argument("json", type=Path, help="the report; `-` is standard input")
    draw.add_argument("-o", "--output", type=Path, help="the page to write; by default beside the report")
    options = parser.parse_args(arguments)
    source = Path("/dev/stdin") if str(options.json) == "-" else options.json
    output = options.output or (Path("report.html") if str(options.json) == "-" else options.json.with_suffix(".html"))
    try:
        print(report(source).save_html(output))
    except (OSError, ValueError, ImportError) as reason:
        print(f"python -m partir report: {reason}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
