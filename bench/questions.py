"""Five real questions about programs that others wrote, with the answers of `partir why`: a part of docs/why.md.

    python -m bench.questions [--markdown docs/why.md]

The programs are those of `bench/corpus.py`; `tests/cases/why/questions.test` asks the same of small ones.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench import corpus

ROOT = Path(__file__).resolve().parents[1]
PARTIR = ROOT / "build" / "partir"
BEGIN, END = "<!-- questions -->\n", "<!-- end of questions -->\n"


@dataclass(frozen=True)
class Question:
    """What is asked of a program under a schedule: about a line, or about the first collective whose entry in the list begins so."""

    title: str
    program: str
    tactics: str
    line: int | None = None
    collective: str | None = None
    fix: bool = False  # also, what would remove it


QUESTIONS = (
    Question(
        "An all_gather in an embedding lookup",
        "t5_xl_train",
        "tactic BP on batch { batch/** : 0 }\ntactic Z3 on batch { {params,opt_state}/** if rank >= 1 : first_divisible }\n",
        collective="all_gather on batch of params/shared/embedding",
        fix=True,
    ),
    Question(
        "A conflict in attention",
        "gpt2_xl_train",
        "tactic BP on batch { batch/** : 0 }\ntactic CP on model { batch/** : 1 }\n",
        line=153,
    ),
    Question(
        "A gradient's all_reduce that did not become a reduce_scatter",
        "gpt2_xl_train",
        "tactic BP on batch { batch/** : 0 }\ntactic Z3 on batch { {params,opt_state}/** if rank >= 2 : first_divisible }\n",
        collective="all_reduce on batch of out/0/transformer/ln_f/scale",
        fix=True,
    ),
    Question(
        "An op left replicated",
        "tunix_gemma4_moe_train",
        "tactic BP on batch { batch/** : 0 }\n",
        line=54534,
    ),
    Question(
        "A reshape that lost a tile",
        "gpt2_xl_train",
        "tactic BP on batch { batch/** : 0 }\ntactic MP on model { params/**/attn/c_attn/kernel : 0 }\n",
        line=93,
    ),
)
MESH = "mesh batch=4, model=2\n"
WARNED = ("keras_mixtral_moe_train", "tunix_gemma4_moe_train")


def programs() -> set[str]:
    return {q.program for q in QUESTIONS} | set(WARNED)


def why(program: Path, schedule: Path, *words: str) -> str:
    done = subprocess.run([PARTIR, "why", program.name, schedule, *words], cwd=program.parent, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def answer(q: Question, folder: Path) -> str:
    """The schedule, the command and what it prints; of the fixes the best."""
    program, _ = corpus.prepare(q.program, "BP", folder)
    schedule = folder / "question.schedule"
    schedule.write_text(MESH + q.tactics)
    if q.line:
        words = ("--line", f"{program.name}:{q.line}")
    else:
        listed = re.search(rf"^#(\d+) {re.escape(q.collective or '')}\b", why(program, schedule), re.MULTILINE)
        assert listed, f"{q.title}: no such collective"
        words = ("--collective", listed[1])
    said = why(program, schedule, *words)
    if q.fix:
        fixes = why(program, schedule, *words, "--fix").splitlines()[1:]
        changes = [i for i, text in enumerate(fixes) if re.match(r"   \S", text)]  # how many remove it, then the changes
        said += "\n".join(fixes[: changes[2] if len(changes) > 2 else None]) + "\n"
    text = f"    # {q.program}\n" + "".join(f"    {line}\n" for line in (MESH + q.tactics).splitlines())
    text += f"    $ partir why {program.name} s.schedule {' '.join(words)}\n" + "".join(f"    {line}\n" for line in said.splitlines())
    return f"### {q.title}\n\n{text}\n"


def warning(name: str, folder: Path) -> str:
    """What the report says unasked."""
    program, schedule = corpus.prepare(name, "BP+Z3", folder)
    done = subprocess.run([PARTIR, "partition", program, schedule, "-o", "/dev/null"], capture_output=True, text=True, check=True)
    said = done.stdout[done.stdout.index("warning: ") :]
    return "".join(f"    {line}".rstrip() + "\n" for line in [f"# {name}", *schedule.read_text().splitlines(), "", *said.splitlines()])


def page() -> str:
    with tempfile.TemporaryDirectory() as folder:
        answers = "".join(answer(q, Path(folder)) for q in QUESTIONS)
        warnings = "\n".join(warning(name, Path(folder)) for name in WARNED)
    return f"{answers}### And one warning that nobody asked for\n\n{warnings}\n"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.questions", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--markdown", type=Path, help="put the answers between their marks in this file")
    options = parser.parse_args()
    text = page()
    if not options.markdown:
        print(text, end="")
        return
    head, rest = options.markdown.read_text().split(BEGIN)
    options.markdown.write_text(head + BEGIN + text + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
