"""The picture of the README: what each tactic does to the time and memory of a step, drawn from what the command writes.

    partir simulate MODEL SCHEDULE --device D --json step.json
    python docs/report_picture.py step.json > docs/report.svg
"""

import json
import sys
from xml.sax.saxutils import escape

WIDTH, LEFT, BAR, GAP, HEAD = 760, 110, 18, 10, 46
COLOURS = {"compute": "#3b6fb6", "exposed": "#d9822b", "peak_memory": "#4f9d69", "argument_bytes": "#2f6b46"}


def bytes_text(n: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if n < 1024 or unit == "TiB":
            return f"{n:.0f} {unit}" if unit == "B" else f"{n:.1f} {unit}"
        n /= 1024
    raise AssertionError


def seconds_text(s: float) -> str:
    return f"{s:.2f} s" if s >= 1 else f"{s * 1e3:.3g} ms"


def bars(rows: list[dict], parts: tuple[str, ...], total: str, text, x: int, width: int) -> list[str]:
    """A bar for each row, made of its parts, with the total behind it."""
    most = max(row[total] for row in rows) or 1
    out = []
    for i, row in enumerate(rows):
        y, at = HEAD + i * (BAR + GAP), float(x)
        for part in parts:
            length = row[part] / most * (width - 90)
            out.append(f'<rect x="{at:.1f}" y="{y}" width="{length:.1f}" height="{BAR}" fill="{COLOURS[part]}"/>')
            at += length
        out.append(f'<text x="{at + 6:.1f}" y="{y + 13}">{escape(text(row[total]))}</text>')
    return out


def draw(simulation: dict) -> str:
    rows = [dict(row, temporary_bytes=row["peak_memory"] - row["argument_bytes"]) for row in simulation["tactics"] if row["tactic"]]
    COLOURS["temporary_bytes"] = COLOURS["peak_memory"]
    half = (WIDTH - LEFT) // 2
    mesh = ", ".join(f"{axis}={size}" for axis, size in simulation["mesh"].items())
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEAD + len(rows) * (BAR + GAP) + 30}" '
           'font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="{LEFT}" y="18" font-weight="bold">a step on {escape(simulation["device"])}</text>',
           f'<text x="{LEFT + half}" y="18" font-weight="bold">peak memory of a device</text>']
    for i, row in enumerate(rows):
        out.append(f'<text x="{LEFT - 10}" y="{HEAD + i * (BAR + GAP) + 13}" text-anchor="end">{escape(row["tactic"])}</text>')
    out += bars(rows, ("compute", "exposed"), "seconds", seconds_text, LEFT, half)
    out += bars(rows, ("argument_bytes", "temporary_bytes"), "peak_memory", bytes_text, LEFT + half, half)
    y = HEAD + len(rows) * (BAR + GAP) + 14
    legend = (("compute", "kernels", LEFT), ("exposed", "waiting for collectives", LEFT + 80),
              ("argument_bytes", "arguments", LEFT + half), ("temporary_bytes", "temporaries", LEFT + half + 90))
    for part, text, x in legend:
        out.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{COLOURS[part]}"/><text x="{x + 14}" y="{y}">{text}</text>')
    out += [f'<text x="{WIDTH - 8}" y="{y}" text-anchor="end" fill="gray">mesh {escape(mesh)}</text>', "</svg>"]
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.stdout.write(draw(json.load(file)))
