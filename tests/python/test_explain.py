"""Why a collective is there, from Python: the schedule's line, both sides, the user's own frame."""

import pathlib
import re

import jax
import jax.numpy as jnp
import pytest

import partir

MESH = {"batch": 4, "model": 2}
BP = partir.ManualPartition({"x": 0}, axis="batch", name="BP")
MP = partir.ManualPartition({"params/*/up": 1}, axis="model", name="MP")
Z3 = partir.ManualPartition({"params/*/*": partir.FIRST_DIVISIBLE_DIM}, axis="batch", name="Z3")


def layer(p, x):
    return x + jax.nn.relu(x @ p["up"]) @ p["down"]


def apply(params, x):
    for i in range(len(params)):
        with jax.named_scope(f"layer_{i}"):
            x = layer(params[str(i)], x)
    return x


@pytest.fixture(scope="module")
def lowered():
    shape = jax.ShapeDtypeStruct
    params = {str(i): {"up": shape((16, 32), jnp.float32), "down": shape((32, 16), jnp.float32)} for i in range(3)}
    return partir.jit(apply, mesh=MESH, schedule=[BP, MP, Z3]).lower(params, shape((8, 16), jnp.float32))


def test_the_report_says_what_each_collective_serves(lowered):
    found = lowered.report.data["collectives"]
    gathers = [c for c in found if c["kind"] == "all_gather"]
    assert {c["serves"] for c in gathers} == {f"params/{i}/{w}" for i in range(3) for w in ("up", "down")}
    assert all(c["tactic"] == "Z3" and c["what"] == "argument" for c in gathers)
    sums = [c for c in found if c["kind"] == "all_reduce"]
    assert [c["path"] for c in sums] == [f"loc/layer_{i}/dot_general" for i in range(3)] and {c["tactic"] for c in sums} == {"MP"}
    assert all(re.search(r"test_explain\.py:\d+$", c["place"]) for c in found)
    assert "all_gather on batch of params/*/up ×3, by Z3" in str(lowered.report)


def test_why_a_collective_is_there(lowered):
    number = next(i for i, c in enumerate(lowered.report.data["collectives"]) if c["serves"] == "params/1/up")
    text = lowered.why(number)
    assert re.search(r"made as \[{batch}, {model}\]\n +batch on factor i \(16\) by Z3 \(params/\*/\* : first_divisible\)\n", text)
    assert re.search(r"needed as \[{}, {model}\]\n +it has batch on factor i \(8\) by BP \(x : 0\), \d+ steps from x", text)
    assert lowered.why(number, full=True).count("its use:") >= 2
    assert "after MP [{}, {model}]" in lowered.why(value="params/1/up")
    assert lowered.why().count("\n") == len(lowered.report.data["collectives"])
    with pytest.raises(partir.PartirError, match="nearest name is params/1/up"):
        lowered.why(value="params/1/upp")


def test_why_of_a_line(lowered):
    place = next(c["place"] for c in lowered.report.data["collectives"] if c["kind"] == "all_reduce")
    assert "loc/layer_0/dot_general" in lowered.why(line=place.rpartition("/")[2])


def test_what_a_schedule_demands():
    shape = jax.ShapeDtypeStruct
    params = {"0": {"up": shape((16, 32), jnp.float32), "down": shape((32, 16), jnp.float32)}}
    x = shape((8, 16), jnp.float32)

    def lower(*demands):
        schedule = partir.Schedule([BP, MP, Z3], demands=demands)
        return partir.jit(apply, mesh=MESH, schedule=schedule).lower(params, x)

    assert "expect all_gather 2 on batch\n" in lower("deny all_to_all", "expect all_gather 2 on batch", "deny conflict").schedule
    with pytest.raises(partir.PartirError, match=r"`deny all_gather in params/\*\*` does not hold: 2 of them; the first is of params/0/up"):
        lower("deny all_gather in params/**")


def test_the_page_shows_what_test_cases_print():
    root = pathlib.Path(__file__).parents[2]
    cases = [*(root / "tests/cases/why").glob("*.test"), root / "tests/cases/partition/attribution.test"]
    said = {" ".join(line.split()) for case in cases for line in case.read_text().splitlines()}
    own = (root / "docs/why.md").read_text().split("<!-- questions -->")[0]
    shown = [line for line in own.splitlines() if line.startswith("    ")]
    assert len(shown) > 30 and [line for line in shown if " ".join(line.split()) not in said] == []


def test_the_page_answers_questions_about_real_models():
    from bench import corpus, questions

    text = (pathlib.Path(__file__).parents[2] / "docs/why.md").read_text()
    shown = text.split(questions.BEGIN)[1].split(questions.END)[0]
    assert shown.count("### ") == 6 and shown.count("$ partir why") == len(questions.QUESTIONS) == 5
    if not all(corpus.is_here(name) for name in questions.programs()):
        pytest.skip("the programs are not here")
    assert questions.page() == shown


def test_a_tag_names_a_value_and_its_cotangent():
    def loss(w, x):
        h = partir.tag(jnp.sin(x @ w), "hidden")
        return (h * h).sum()

    tactic = partir.ManualPartition({"hidden": 1}, axis="model", name="T")
    shape = jax.ShapeDtypeStruct
    step = partir.jit(jax.grad(loss), mesh=MESH, schedule=[tactic])
    text = step.lower(shape((4, 8), jnp.float32), shape((6, 4), jnp.float32)).why(value="hidden")
    assert text.count("model on factor j (8) by T (hidden : 1)") == 2
    w, x = jnp.ones((4, 8)), jnp.ones((6, 4))
    assert jnp.allclose(jax.grad(loss)(w, x), 2 * x.T @ (jnp.sin(x @ w) * jnp.cos(x @ w)))


# ---- Fixes ----------------------------------------------------------------------------------------------------------


def sent(lowered):
    return sum(c["bytes"] for c in lowered.report.data["collectives"])


@pytest.mark.parametrize("device", [None, "tpu_v5e"])
def test_a_fix_does_what_it_says(device, tmp_path):
    shape = jax.ShapeDtypeStruct
    params = {str(i): {"up": shape((16, 64), jnp.float32), "down": shape((64, 16), jnp.float32)} for i in range(3)}
    wrong = partir.ManualPartition({"params/*/up": 1, "params/*/down": 1}, axis="model", name="MP")

    def lower(schedule):
        return partir.jit(apply, mesh=MESH, schedule=schedule, device=device).lower(params, shape((8, 16), jnp.float32))

    bad = lower([BP, wrong])
    number = next(i for i, c in enumerate(bad.report.data["collectives"]) if c["kind"] == "all_gather")
    (found,) = bad.fixes(number)
    assert found["problem"] == "collective" and found["before"]["bytes"] == sent(bad)
    assert found["tried"] >= found["removing"] >= 2 and not found["pays"]
    assert found["changes"][0]["better"] and found["changes"][0]["left"] == 0
    gone = bad.report.data["collectives"][number]
    for change in found["changes"]:
        (tmp_path / "fixed.schedule").write_text(change["schedule"])
        fixed = lower(partir.Schedule.load(tmp_path / "fixed.schedule"))
        assert sent(fixed) == change["step"]["bytes"]
        if device:
            assert fixed.report.data["simulation"]["tactics"][-1]["seconds"] == pytest.approx(change["step"]["seconds"])
        if change["left"] == 0:
            same = ("kind", "serves", "path")
            assert not [c for c in fixed.report.data["collectives"] if all(c[k] == gone[k] for k in same)]
    assert bad.fixes(number) == [found]  # nothing has changed


def test_a_collective_that_pays():
    shape = jax.ShapeDtypeStruct
    params = {"0": {"up": shape((16, 32), jnp.float32), "down": shape((32, 16), jnp.float32)}}
    lowered = partir.jit(apply, mesh=MESH, schedule=[BP, MP, Z3]).lower(params, shape((4096, 16), jnp.float32))
    number = next(i for i, c in enumerate(lowered.report.data["collectives"]) if c["kind"] == "all_gather")
    (found,) = lowered.fixes(number)  # without it the weights would be kept whole
    assert found["pays"] and found["changes"] and not any(c["better"] for c in found["changes"])


# ---- Reports that are compared --------------------------------------------------------------------------------------


def test_a_report_is_what_is_expected(lowered, tmp_path):
    shape = jax.ShapeDtypeStruct
    params = {str(i): {"up": shape((16, 32), jnp.float32), "down": shape((32, 16), jnp.float32)} for i in range(3)}
    other = partir.jit(apply, mesh=MESH, schedule=[BP, MP]).lower(params, shape((8, 16), jnp.float32))
    golden = tmp_path / "golden.json"
    golden.write_text(lowered.report.to_json())
    lowered.expect(golden)
    lowered.expect(lowered.report)
    assert lowered.report.diff(lowered.report) == ""
    text = lowered.report.diff(other.report)
    assert "went     all_gather on batch of params/*/up, by Z3, for loc/layer_*/dot_general: 3 runs" in text
    with pytest.raises(partir.PartirError, match=r"not those of .*golden\.json: 0 came, 2 went, 0 changed"):
        other.expect(golden)
