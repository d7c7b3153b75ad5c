"""docs/report.md against what is written: every key that a command writes has a row, and every row a key that some code writes."""
import json
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest
from conftest import ROOT

EXAMPLE = ROOT / "examples" / "gpt2layer_train"

# One op is offered two tilings, nothing divides an axis of 3, and a custom call is refused.
AWKWARD = """func.func public @main(%arg0: tensor<8x4xf32> {partir.name = "x"}, %arg1: tensor<4x6xf32> {partir.name = "w1"},
    %arg2: tensor<6x4xf32> {partir.name = "w2"}) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %1 = stablehlo.dot_general %0, %arg2, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
  %2 = stablehlo.custom_call @kernel(%1) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}
"""
CONFLICT = "mesh a=2\ntactic T on a { x : 0  w1 : 1 }\n"


def documented():
    """Documents by heading, each the set of its keys: `tactics[].name`, `mesh.<axis>`."""
    pages, title = {}, None
    for line in (ROOT / "docs" / "report.md").read_text().splitlines():
        if line.startswith("## `"):
            title = line[4:-1]
            pages[title] = set()
        elif line.startswith("| `"):
            key = line.split("`")[1]
            assert key not in pages[title], f"{key} stands twice under {title}"
            pages[title].add(key)
    return pages


def paths(value, at=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            here = f"{at}.{key}" if at else key
            yield here
            yield from paths(inner, here)
    elif isinstance(value, list):
        yield at + "[]"
        for inner in value:
            yield from paths(inner, at + "[]")


def has_row(path, rows):
    """Whether the path has a row, or rows below it; a list whose entries have rows needs none of its own."""
    if any(row == path or row.startswith((path + ".", path + "[]")) for row in rows):
        return True
    if re.sub(r"(\[\])+$", "", path) + "[]" in rows:  # lists within lists are the row's to tell
        return True
    return any("<" in row and re.fullmatch(re.sub(r"<\w+>", ".+", re.escape(row).replace(r"\<", "<").replace(r"\>", ">")), path)
               for row in rows)


@pytest.fixture
def written(partir, tmp_path):
    """What each command writes for the example, and for a program with all that can be in the way."""
    (tmp_path / "m.mlir").write_text(AWKWARD)
    (tmp_path / "s.schedule").write_text(CONFLICT)
    example = (f"{EXAMPLE}.mlir", f"{EXAMPLE}.schedule")
    awkward = (tmp_path / "m.mlir", tmp_path / "s.schedule")

    def run(*arguments):
        out = partir(*arguments)
        assert out.returncode == 0, out.stderr
        return json.loads(out.stdout)

    docs = {}
    for program in (example, awkward):
        docs.setdefault("partir partition --json OUT", []).append(run("partition", *program, "--json", "-", "-o", tmp_path / "o"))
        for device in ("tpu_v5e", "h100"):
            simulate = ("simulate", *program, "--device", device)
            docs.setdefault("partir simulate --json OUT", []).append(run(*simulate, "--json", "-"))
            docs.setdefault("partir simulate --trace OUT", []).append(run(*simulate, "--trace", "-"))
        for command in ("check", "ops", "rules"):
            docs.setdefault(f"partir {command} --json", []).append(run(command, program[0], "--json"))
    docs["partir why --fix --json"] = [run("why", *awkward, "--fix", "--json", "--device", "tpu_v5e"),
                                       run("why", *example, "--fix", "--json", "--collective", "1")]
    out = partir("auto", f"{EXAMPLE}.mlir", "--mesh", "batch=4,model=2", "--device", "tpu_v5e", "--budget", "40", "--pareto",
                 tmp_path / "pareto.json", "-o", tmp_path / "found.schedule")
    assert out.returncode == 0, out.stderr
    docs["partir auto --pareto OUT"] = [json.loads((tmp_path / "pareto.json").read_text())]
    return docs


def test_every_key_that_is_written_has_a_row(written):
    pages = documented()
    assert set(written) == set(pages)
    for title, texts in written.items():
        for text in texts:
            missing = sorted({p for p in paths(text) if p != "[]" and not has_row(p, pages[title])})
            assert not missing, f"{title} writes keys that docs/report.md lacks: {missing}"


WRITERS = ["src/session/report_json.c", "src/sim/report/sim_report_json.c", "src/sim/report/sim_culprits.c", "src/sim/report/sim_trace.c", "src/core/rule/rule_print.c", "src/explain/fix_print.c", "src/explain/warn.c",
           "src/api/auto.c", "src/tool/check.c", "src/tool/ops.c"]


def test_every_row_has_a_key_in_the_code():
    code = "".join((ROOT / name).read_text() for name in WRITERS)
    names = set(re.findall(r'\\"(\w+)\\": ?', code)) | {"arguments", "results"}
    rows = {part for page in documented().values() for row in page
            for part in row.replace("[]", "").split(".") if part and "<" not in part}
    assert rows - names == set(), "rows of docs/report.md that no code writes"
    assert names - rows - {"vector"} == set(), "keys in the code that docs/report.md lacks"


def test_versions_are_those_of_the_page(written):
    page = (ROOT / "docs" / "report.md").read_text()
    for title, texts in written.items():
        section = page[page.index(f"## `{title}`"):].split("\n## ")[0]
        said = re.search(r"\| `version` \| (\d+) \|", section)
        for text in texts:
            has = isinstance(text, dict) and "version" in text
            assert has == bool(said) and (not has or text["version"] == int(said.group(1))), title


def test_the_picture_shows_each_tactic(partir, tmp_path):
    out = partir("simulate", f"{EXAMPLE}.mlir", f"{EXAMPLE}.schedule", "--device", "tpu_v5e", "--json", tmp_path / "step.json")
    assert out.returncode == 0, out.stderr
    picture = subprocess.run([sys.executable, ROOT / "docs" / "report_picture.py", tmp_path / "step.json"], capture_output=True,
                             text=True, check=True).stdout
    texts = [element.text for element in ElementTree.fromstring(picture).iter() if element.text and element.text.strip()]
    for row in json.loads((tmp_path / "step.json").read_text())["tactics"][1:]:
        assert row["tactic"] in texts
    assert "waiting for collectives" in texts and any(text.endswith("KiB") or text.endswith("MiB") for text in texts)
