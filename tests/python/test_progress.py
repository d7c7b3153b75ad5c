"""Progress of long commands on a terminal, and Ctrl-C."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess

import pytest

pty = pytest.importorskip("pty", reason="no pseudo-terminals here")

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = ROOT / "build" / "partir"
STEP = ROOT / "examples" / "gpt2layer_train.mlir"
AUTO = ("auto", STEP, "--mesh", "batch=4,model=2", "--device", "tpu_v5e")
LOOP = """func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.while(%a = %x) : tensor<i32>
    cond { %t = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %t : tensor<i1> }
    do { stablehlo.return %a : tensor<i32> }
  return %0 : tensor<i32>
}
"""


def started(*arguments, **streams):
    """Under the default handler of Ctrl-C, which a script in the background does not have."""
    default = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
    return subprocess.Popen([COMMAND, *map(str, arguments)], preexec_fn=default, **streams)


def until(terminal, word):
    """What stands on the terminal up to a word."""
    text = ""
    while word not in text:
        text += os.read(terminal, 4096).decode()
    return text


def rest(terminal):
    """What comes until the command has ended."""
    text = ""
    try:
        while part := os.read(terminal, 4096).decode(errors="replace"):
            text += part
    except OSError:  # how Linux says that nobody writes there any more
        pass
    return text


def test_a_search_says_how_far_it_is_and_gives_the_best_so_far(tmp_path):
    ours, theirs = pty.openpty()
    found = tmp_path / "found.schedule"
    process = started(*AUTO, "--budget", "300s", "-o", found, stderr=theirs)
    os.close(theirs)
    line = until(ours, "best so far")
    assert line.startswith("\r\x1b[Kauto Auto: best so far")
    process.send_signal(signal.SIGINT)
    line, _, table = rest(ours).rpartition("\r\x1b[K")  # the line is gone before the table
    assert "peak memory" in table and "peak memory" not in line
    assert process.wait(60) == 0
    os.close(ours)
    assert "plans evaluated, cancelled" in found.read_text()


def test_nothing_is_shown_where_there_is_no_terminal(tmp_path):
    process = started(*AUTO, "--budget", "1500ms", "-o", tmp_path / "found", "--quiet", stderr=subprocess.PIPE)
    assert process.communicate(timeout=60)[1] == b""
    assert process.returncode == 0


def test_a_loop_without_end_says_how_far_it_is(tmp_path):
    program = tmp_path / "loop.mlir"
    program.write_text(LOOP)
    ours, theirs = pty.openpty()
    process = started("run", program, "--random", 1, "--max-steps", 10**12, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    assert until(ours, " %)").startswith("\r\x1b[Krun (")
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == -signal.SIGINT  # the command ends, as any other
    os.close(ours)
