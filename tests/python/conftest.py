"""What every Python test needs: virtual XLA devices, and the command as `make` built it."""

import os
import pathlib
import subprocess
import sys

# Before jax is imported anywhere: XLA reads these once. NPROC sizes its thread pool: with fewer than two threads for each
# device that meets in a collective, steps that are not waited for can deadlock.
os.environ.setdefault("NPROC", "32")
# Optimizing the code would be most of the time of these tests.
CHEAP = "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
os.environ.setdefault("XLA_FLAGS", f"--xla_force_host_platform_device_count=16 {CHEAP}")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jaxlib.version
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "python")]
BUILD = ROOT / os.environ.get("BUILD", "build")


def jaxlib_is(version):
    """Whether the jaxlib at hand is this one ("0.10"), for what is compared with XLA bit by bit: another has other bits."""
    return jaxlib.version.__version_info__[: version.count(".") + 1] == tuple(map(int, version.split(".")))


def pytest_addoption(parser):
    parser.addoption("--shared", type=pathlib.Path, help="folder with corpus/*.mlir.xz and conformance/stablehlo/*.mlir")


def pytest_collection_modifyitems(config, items):
    """Tests marked `shared` run only where --shared names the folder; they are then selected with `-m shared`."""
    if config.getoption("--shared") is None:
        items[:] = [item for item in items if not item.get_closest_marker("shared")]


@pytest.fixture(scope="session")
def partir():
    """Runs the command: `partir("check", path)` gives the CompletedProcess with text output. Its status is the test's to judge."""
    command = BUILD / "partir"
    assert command.exists(), f"{command} is missing: run `make` first"

    def run(*arguments, **options):
        options = {"capture_output": True, "text": True, "timeout": 300} | options
        return subprocess.run([command, *map(str, arguments)], **options)

    return run
