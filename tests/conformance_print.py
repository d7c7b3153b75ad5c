"""Compares what we print with what MLIR prints, for every program of a folder (`make conformance`).

    python tests/conformance_print.py --shared ../shared --partir build/partir

The folder has conformance/stablehlo/*.mlir and corpus/*.mlir.xz. For each program and both forms, jaxlib must parse our
text and print it to exactly the text that it prints for the original, and our text must come out of our own reader and
printer unchanged. How many of our texts are jaxlib's, byte for byte, is counted too. A part of 270 MB takes 2.5 GB of
memory in jaxlib; --largest leaves out programs above so many MB.
"""

import argparse
import concurrent.futures
import lzma
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/python"))
os.environ.setdefault("JAX_PLATFORMS", "cpu")


def run(partir, options, path):
    done = subprocess.run([partir, "print", *options, path], capture_output=True)
    if done.returncode:
        raise RuntimeError(f"partir print {' '.join(options)}: {done.stderr.decode(errors='replace')[:1000]}")
    return done.stdout.decode()


def compare(partir, path):
    """The number of forms whose bytes are jaxlib's."""
    from mlir_text import as_mlir_prints, first_difference

    text = path.read_text()
    same = 0
    for generic in (False, True):
        options = ["--generic"] * generic
        expected, printed = as_mlir_prints(text, generic), run(partir, options, path)
        same += printed == expected
        if printed != expected and (again := as_mlir_prints(printed, generic)) != expected:
            raise RuntimeError(f"not what MLIR prints, {' '.join(options)} {first_difference(expected, again)}")
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as ours:
            ours.write(printed)
            ours.flush()
            if (twice := run(partir, options, ours.name)) != printed:
                raise RuntimeError(f"printed twice, {' '.join(options)} {first_difference(printed, twice)}")
    return same


def programs(path):
    """The programs of a file: MLIR's tests separate several by a line `// -----`."""
    text = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    return text.split(b"\n// -----\n") if len(text) < 1e6 else [text]


def check(partir, path, largest):
    """(name, are all bytes the same, what is wrong or None); None if the file was left out."""
    name = path.name.split(".")[0]
    try:
        same = True
        for text in programs(path):
            if largest and len(text) > largest * 1e6:
                return name, None, None
            with tempfile.TemporaryDirectory() as folder:
                program = pathlib.Path(folder) / "m.mlir"
                program.write_bytes(text)
                same &= compare(partir, program) == 2
        return name, same, None
    except Exception as error:
        return name, False, str(error)[:2000]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shared", type=pathlib.Path, required=True)
    parser.add_argument("--partir", type=pathlib.Path, default=ROOT / "build/partir")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--largest", type=float, help="leave out programs above so many MB")
    options = parser.parse_args()
    found = sorted(options.shared.glob("conformance/stablehlo/*.mlir"))
    found += sorted(options.shared.glob("corpus/*.mlir.xz"), key=lambda path: -path.stat().st_size)
    if not found:
        sys.exit(f"no programs in {options.shared}")
    done = wrong = same = left_out = 0
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for result in concurrent.futures.as_completed([pool.submit(check, options.partir, path, options.largest) for path in found]):
            name, same_bytes, error = result.result()
            done += 1
            left_out += same_bytes is None
            same += same_bytes is True
            if error:
                wrong += 1
                print(f"\r{name}: {error}")
            if sys.stdout.isatty() or done % 100 == 0 or done == len(found):
                print(f"\r{done}/{len(found)} files, {wrong} wrong", end="" if sys.stdout.isatty() else "\n", flush=True)
    print(f"\n{done - left_out - wrong} files print as MLIR prints them, {same} of them to the same bytes; {wrong} do not, {left_out} left out")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
