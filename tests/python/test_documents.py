"""The tutorial and the examples run as they stand."""

import os
import re
import runpy
import subprocess
import sys

import pytest

import partir
from conftest import CHEAP, ROOT

EXAMPLES = sorted(p.name for p in (ROOT / "examples").glob("*.py"))
# A row of a report: tactic, axis, tiled, spread, all_gather, all_reduce, reduce_scatter, all_to_all.
SOME, NONE = r" +[1-9]\d*", " +0"
SAYS = {
    "gpt.py": rf"(?s)BP\+MP\+Z3.*Z3 +batch{SOME * 5}{NONE} .*loss",
    "flax_model.py": rf"(?s)Z2 +batch{SOME * 5}{NONE} .*step 4  loss",
    "graph_network.py": rf"(?s)step 4  loss.*ES +edges{SOME * 2}{NONE}{SOME}{NONE * 2} ",
    "serving.py": rf"(?s)MP +model{SOME * 2}{NONE}{SOME}{NONE}{SOME} .*tokens of the first request",
    "mixed_precision.py": rf"(?s)step 4  loss.*Z3 +batch{SOME * 5}{NONE} ",
    "checkpoint.py": r"loss goes on",
}


def test_the_page_of_the_python_api_is_what_the_docstrings_say():
    page = runpy.run_path(str(ROOT / "docs" / "python_reference.py"))["page"]()
    assert (ROOT / "docs" / "python.md").read_text() == page, "docs/python.md is out of date: make docs"
    assert all(partir.__dict__[name].__doc__ for name in partir.__all__)


def test_tutorial(capsys):
    text = (ROOT / "docs" / "tutorial.md").read_text()
    blocks = [(m.start(1), m[1]) for m in re.finditer(r"```python\n(.*?)```", text, re.DOTALL)]
    assert len(blocks) > 8
    names = {}
    for start, block in blocks:
        line = text.count("\n", 0, start)
        exec(compile("\n" * line + block, "docs/tutorial.md", "exec"), names)
    assert "all_reduce" in capsys.readouterr().out


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name):
    environment = os.environ | {
        "PYTHONPATH": str(ROOT / "python"),
        "NPROC": "16",
        "XLA_FLAGS": f"--xla_force_host_platform_device_count=8 {CHEAP}",
    }
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / name], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert re.search(SAYS[name], done.stdout), done.stdout
