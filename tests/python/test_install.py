"""`pip install .` gives the package with its library and the command, on a machine with a C compiler."""

import json
import os
import subprocess
import sys
import zipfile

import jax
import jax.numpy as jnp
import pytest

from conftest import ROOT


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=500, **options)
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


def test_the_command_reads_text_and_what_jax_exported(installed, tmp_path):
    exported = jax.export.export(jax.jit(lambda w, x: x @ w["kernel"]))(
        {"kernel": jax.ShapeDtypeStruct((4, 8), jnp.float32)}, jax.ShapeDtypeStruct((2, 4), jnp.float32)
    )
    (tmp_path / "f.mlir").write_text(exported.mlir_module())
    (tmp_path / "f.bin").write_bytes(exported.serialize())
    command = installed / "bin" / "partir"
    text, binary = (
        run(sys.executable, command, "check", tmp_path / name, env=environment(installed)) for name in ("f.mlir", "f.bin")
    )
    assert text.partition("f.mlir:")[2] == binary.partition("f.mlir:")[2] != ""
