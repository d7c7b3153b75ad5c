"""`pip install .` gives the package with its library and the command, on a machine with a C compiler."""

import json
import os
import re
import subprocess
import sys
import zipfile

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from conftest import ROOT


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=1800, **options)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with what the wheel of this checkout holds."""
    folder = tmp_path_factory.mktemp("install")
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT)
    (wheel,) = folder.glob("*.whl")
    assert wheel.name.split("-", 2)[2].startswith("py3-none-"), wheel.name
    with zipfile.ZipFile(wheel) as files:
        assert "partir/libpartir.so" in files.namelist()
    run(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", folder / "site", wheel)
    return folder / "site"


def environment(site):
    return {k: v for k, v in os.environ.items() if k != "PARTIR_LIBRARY"} | {"PYTHONPATH": str(site)}


def test_the_package_brings_its_library(installed, tmp_path):
    program = "import json, partir; from partir import _lib; print(json.dumps([partir.version(), str(_lib.path())]))"
    version, library = json.loads(run(sys.executable, "-c", program, env=environment(installed), cwd=tmp_path))
    assert version.count(".") == 2 and library == str(installed / "partir" / "libpartir.so")


SCHEDULE = """
mesh batch=2, model=2
tactic BP on batch { x : 0 }
tactic MP on model { w/kernel : 1 }
"""


def test_every_command_on_text_and_on_what_jax_exported(installed, tmp_path):
    exported = jax.export.export(jax.jit(lambda w, x: x @ w["kernel"]))(
        {"kernel": jax.ShapeDtypeStruct((4, 8), jnp.float32)}, jax.ShapeDtypeStruct((2, 4), jnp.float32)
    )
    (tmp_path / "f.mlir").write_text(exported.mlir_module())
    (tmp_path / "f.bin").write_bytes(exported.serialize())
    (tmp_path / "f.schedule").write_text(SCHEDULE)
    w, x = np.arange(32, dtype=np.float32).reshape(4, 8), np.ones((2, 4), np.float32)
    np.save(tmp_path / "w.npy", w)
    np.savez(tmp_path / "arguments.npz", **{"w/kernel": w, "x": x})
    np.savez(tmp_path / "joined.npz", old=x)  # is overwritten

    used = set()

    def partir(*arguments):
        used.add(arguments[0])
        command = [sys.executable, installed / "bin" / "partir", *arguments]
        return run(*command, env=environment(installed), cwd=tmp_path)

    assert partir("--version").strip() and "tpu_v5e" in partir("devices")
    for arguments in (
        ["check", "--json"],
        ["print"],
        ["ops", "--json"],
        ["rules"],
        ["why", "f.schedule"],
        ["partition", "f.schedule", "-o", "local.mlir"],
        ["simulate", "f.schedule", "--device", "tpu_v5e", "--json", "report.json", "--trace", "trace.json"],
        ["run", "--in", "w.npy", "--random", "1"],
        ["auto", "--mesh", "batch=2", "--device", "tpu_v5e", "--budget", "4"],
    ):
        text, binary = (partir(arguments[0], name, *arguments[1:]) for name in ("f.mlir", "f.bin"))
        assert text.partition("f.mlir")[2] == binary.partition("f.mlir")[2] and (text or binary == text), arguments
    partir("run", "local.mlir", "--in", "arguments.npz", "--out", "joined.npz")
    with np.load(tmp_path / "joined.npz") as results:
        (name,) = results.files
        np.testing.assert_array_equal(results[name], x @ w)
    assert "report.html" in partir("report", "report.json", "-o", "report.html")
    partir("diff", "report.json", "report.json")
    assert set(re.findall(r"^  (\w+) ", partir("--help"), re.MULTILINE)) <= used
