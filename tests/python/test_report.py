"""Reports: time and memory of each tactic in Python, and the page of pictures in a real browser."""

import json
import re
import shutil
import subprocess
import sys

import jax
import jax.numpy as jnp
import pytest

import partir as package
from conftest import ROOT

MESH = {"batch": 4, "model": 2}
BP = package.ManualPartition({"x": 0, "y": 0}, axis="batch", name="BP")
MP = package.ManualPartition({"state/*/up": 1}, axis="model", name="MP")
Z3 = package.ManualPartition({"state/**": package.FIRST_DIVISIBLE_DIM}, axis="batch", name="Z3")
CHARTS = ["tactics", "memory", "collectives", "roofline", "shardings"]
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)


def shape(*dims):
    return jax.ShapeDtypeStruct(dims, jnp.float32)


def train_step(state, x, y):
    def loss(params):
        return jnp.mean((jax.nn.relu(x @ params["up"]) @ params["down"] - y) ** 2)

    value, grads = jax.value_and_grad(loss)(state["params"])
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, state["momentum"], grads)
    return {"params": jax.tree.map(lambda p, m: p - 0.1 * m, state["params"], momentum), "momentum": momentum}, value


def lowered(device=None, schedule=(BP, MP, Z3)):
    params = {"up": shape(512, 2048), "down": shape(2048, 512)}
    state = {"params": params, "momentum": params}
    step = package.jit(train_step, mesh=MESH, schedule=schedule, donate_argnums=0, device=device)
    return step.lower(state, shape(256, 512), shape(256, 512))


@pytest.fixture(scope="module")
def report():
    return lowered("tpu_v5e").report


# ---- Figures --------------------------------------------------------------------------------------------------------


def test_each_tactic_has_time_and_memory(report):
    start, *tactics = report.simulation["tactics"]
    assert start["tactic"] is None and [t["tactic"] for t in tactics] == ["BP", "MP", "Z3"]
    for t in tactics:
        assert t["exposed"] <= t["communication"] and t["compute"] + t["exposed"] <= t["seconds"] * (1 + 1e-6)
        assert t["communication"] == pytest.approx(sum(t["by_axis"].values()))
        assert 0 < t["mfu"] < 1 and t["fits"] and t["argument_bytes"] <= t["peak_memory"]
    assert start["communication"] == 0 and tactics[0]["by_axis"] == {"batch": pytest.approx(tactics[0]["communication"]), "model": 0}
    assert tactics[2]["peak_memory"] < min(tactics[0]["peak_memory"], start["peak_memory"])


def test_each_collective_names_its_tactic_and_line(report):
    found = {(c["kind"], *c["axes"], c["tactic"]) for c in report.simulation["collectives"]}
    assert {("all_gather", "batch", "Z3"), ("reduce_scatter", "batch", "Z3"), ("all_reduce", "model", "MP")} <= found
    assert ("all_reduce", "batch", "BP") in found  # of the loss
    assert not any(kind == "all_gather" and tactic != "Z3" for kind, *_, tactic in found)
    assert all(re.search(r"test_report\.py:\d+$", c["place"]) for c in report.simulation["collectives"])
    totals = report.data["tactics"][-1]["totals"]
    runs = {kind: sum(c["runs"] for c in report.simulation["collectives"] if c["kind"] == kind) for kind in totals}
    assert runs["all_reduce"] == totals["all_reduce"] and runs["reduce_scatter"] == totals["reduce_scatter"]
    assert 0 < runs["all_gather"] < totals["all_gather"]  # the compiler keeps a weight that is gathered again at once


def test_memory_over_the_step(report):
    times, sizes = zip(*report.simulation["memory"])
    last = report.simulation["tactics"][-1]
    assert list(times) == sorted(times) and times[-1] <= last["seconds"] * (1 + 1e-6)
    assert max(sizes) == sum(a["bytes"] for a in report.simulation["alive_at_peak"])
    assert max(sizes) + report.simulation["memory_between_buffers"] == last["peak_memory"]


def test_kernels_add_up_to_the_compute_time(report):
    kernels, last = report.simulation["kernels"], report.simulation["tactics"][-1]
    assert sum(k["seconds"] for k in kernels) == pytest.approx(last["compute"])
    assert sum(k["flops"] for k in kernels) == pytest.approx(last["flops"] + last["other_flops"])


def test_what_could_be_split_can_be():
    alive = lowered("tpu_v5e", [BP]).report.simulation["alive_at_peak"]
    (up,) = [a for a in alive if a["what"] == "argument state/params/up"]
    hint = up["could_split"]
    assert hint["axis"] == "batch"
    line = package.ManualPartition({"state/params/up": hint["dimension"]}, axis=hint["axis"])
    more = lowered("tpu_v5e", [BP, line]).report.simulation["alive_at_peak"]
    assert [a["bytes"] for a in more if a["what"] == up["what"]] == [up["bytes"] / 4]


def test_in_words(report):
    text = str(report)
    assert "reduce_scatter" in text and "peak memory" in text and "MFU" in text and "tpu_v5e" in text
    page = report._repr_html_()
    assert "<td>Z3</td>" in page and "<th>MFU</th>" in page and "on model" in page
    again = package.report(json.loads(report.to_json()))
    assert again.data == report.data and again._repr_html_() == page
    assert re.search(r"(?m)^ *Z3 .* %", str(again))


def test_without_a_device_there_is_no_time():
    report = lowered().report
    assert report.simulation is None and "MFU" not in str(report) and "MFU" not in report._repr_html_()
    assert [len(trace.x) for trace in report.plot().data] == [3, 3, 3]
    with pytest.raises(ValueError, match="give partir.jit a device"):
        report.plot("memory")
    with pytest.raises(ValueError, match="no device"):
        lowered().trace()


def test_a_device_of_ones_own(tmp_path):
    path = tmp_path / "my.device"
    path.write_text(package.devices("tpu_v5e").replace("device tpu_v5e", "device mine").replace("memory ", "memory 1 #"))
    report = lowered(str(path)).report
    assert report.simulation["device"] == "mine" and not report.simulation["tactics"][-1]["fits"]
    assert "does not fit" in str(report)


def test_an_unknown_device_is_an_error():
    with pytest.raises(package.PartirError, match="(?s)no device 'tpu_v99'.*partir devices"):
        lowered("tpu_v99")
    assert "tpu_v5e" in package.devices() and "bandwidth" in package.devices("h100")


def test_names_are_no_html(tmp_path):
    names = {"<b>up</b>&": shape(64, 64)}
    tactic = package.ManualPartition({"state/**": 1, "x": 0}, axis="batch", name="T")
    step = package.jit(lambda state, x: x @ state["<b>up</b>&"] @ state["<b>up</b>&"], mesh=MESH, schedule=[tactic], device="tpu_v5e")
    report = step.lower(names, shape(64, 64)).report
    for chart in CHARTS:
        assert "<b>up" not in report.plot(chart).to_json().encode().decode("unicode_escape")
    assert "&lt;b&gt;up&lt;/b&gt;&amp;" in report.plot("shardings").to_json().encode().decode("unicode_escape")
    report.save_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;up&lt;/b&gt;&amp;</td>" in page and "<b>up" not in page  # in the table of collectives, escaped once


def test_trace():
    """Read as Perfetto reads it: names, nesting by time on each track, and the memory as a counter."""

    def step(w, x):
        def layer(x, w):
            with jax.named_scope("mlp"):
                return jnp.tanh(x @ w), None

        with jax.named_scope("decoder"):
            return jax.lax.scan(layer, x, w)[0].sum()

    tactics = [package.ManualPartition({"x": 0}, axis="batch", name="BP"), package.ManualPartition({"w": 1}, axis="batch", name="Z3")]
    low = package.jit(jax.grad(step), mesh=MESH, schedule=tactics, device="tpu_v5e").lower(shape(6, 512, 512), shape(2048, 512))
    events = json.loads(low.trace())["traceEvents"]
    tracks = {e["args"]["name"]: e["tid"] for e in events if e["ph"] == "M"}
    slices = [e for e in events if e["ph"] == "X"]
    kernels = [e for e in slices if e["tid"] == tracks["kernels"]]
    assert any(e["name"].startswith("decoder/") and e["name"].endswith("mlp/dot_general by BP") for e in kernels)
    gathers = [e for e in slices if e["name"].startswith("all_gather by Z3 for ") and "mlp" in e["name"]]
    assert gathers and all(e["tid"] == tracks["batch"] and e["args"]["serves"] == "w" and e["args"]["bytes"] > 0 for e in gathers)
    assert all(0 <= e["args"]["exposed"] <= e["dur"] + 1e-3 for e in gathers)

    # In each track, of two events one ends before the other begins, or one is in the other; the loops are around their ops.
    for track in tracks.values():
        here = sorted((e for e in slices if e["tid"] == track), key=lambda e: (e["ts"], -e["dur"]))
        ends: list[float] = []
        for e in here:
            while ends and ends[-1] <= e["ts"] + 1e-9:
                ends.pop()
            assert not ends or e["ts"] + e["dur"] <= ends[-1] + 1e-9, e["name"]
            ends.append(e["ts"] + e["dur"])
    loops = [e for e in kernels if e["args"]["op"] == "stablehlo.while"]
    assert len(loops) == 2 and all("6 trips" in e["name"] and e["args"]["trips"] == 6 for e in loops)
    inside = [[e for e in kernels if e is not loop and loop["ts"] <= e["ts"] < loop["ts"] + loop["dur"]] for loop in loops]
    assert all(any(e["args"]["op"] == "stablehlo.dot_general" and e["args"]["runs"] == 6 for e in found) for found in inside)
    assert {e["args"]["runs"] for e in gathers} == {6}

    memory = [(e["ts"], e["args"]["bytes"]) for e in events if e["ph"] == "C" and e["name"] == "memory"]
    assert [t for t, _ in memory] == sorted({t for t, _ in memory})
    assert max(b for _, b in memory) == max(b for _, b in low.report.simulation["memory"])


# ---- Pictures -------------------------------------------------------------------------------------------------------


def test_plot(report):
    figure = report.plot("tactics")
    bars = {trace.name: trace for trace in figure.data if trace.type == "bar"}
    assert {"compute", "on batch", "on model", "arguments", "all else"} == set(bars)
    assert list(bars["compute"].x) == ["BP", "MP", "Z3"]
    for name in CHARTS:
        assert report.plot(name).data
    with pytest.raises(ValueError, match="no chart 'pie'"):
        report.plot("pie")


def test_where_an_argument_lies_on_the_mesh(report):
    held = [tuple(tuple(row) for row in mesh.text) for mesh in report.plot("shardings").data]
    rows = [(f"{128 * i}:{128 * (i + 1)}, 0:1024", f"{128 * i}:{128 * (i + 1)}, 1024:2048") for i in range(4)]
    assert tuple(rows) in held  # state/params/up, 512x2048 [{batch}, {model}]
    assert tuple((f"{64 * i}:{64 * (i + 1)}, :",) * 2 for i in range(4)) in held  # x


def in_browser(path, dark=False):
    """The page as it is after its scripts ran, and what they said to the console. There is no network."""
    done = subprocess.run(
        [
            BROWSER,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--proxy-server=127.0.0.1:9",
            "--enable-logging=stderr",
            f"--user-data-dir={path.parent / 'browser'}",
            f"--blink-settings=preferredColorScheme={0 if dark else 1}",
            "--virtual-time-budget=20000",
            "--dump-dom",
            path.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def without_code(page):
    """The elements of a page: plotly's code holds the names of what it draws."""
    return re.sub(r"(?s)<script.*?</script>", "", page)


@pytest.mark.skipif(BROWSER is None, reason="no browser is installed")
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_page_in_a_browser(report, tmp_path, dark):
    path = report.save_html(tmp_path / "page.html")
    page, console = in_browser(path, dark)
    elements = without_code(page)
    assert not console
    assert f'data-drawn="{len(CHARTS)}"' in elements
    for name in CHARTS:
        chart = re.search(rf'(?s)id="chart-{name}" class="js-plotly-plot".*?(?=<section|</main)', elements)
        assert chart and '<svg class="main-svg"' in chart[0], name
    assert len(re.findall(r'class="point"', elements)) > 20
    ink = "rgb(228, 231, 235)" if dark else "rgb(31, 41, 51)"
    assert f"fill: {ink}" in elements


@pytest.mark.skipif(BROWSER is None, reason="no browser is installed")
def test_the_browser_test_sees_a_broken_page(report, tmp_path):
    path = report.save_html(tmp_path / "page.html")
    path.write_text(path.read_text().replace("Plotly.newPlot", "Plotly.noSuchPlot"))
    page, console = in_browser(path)
    assert console and "data-drawn=" not in without_code(page)


def test_page_needs_nothing_else(report, tmp_path):
    text = report.save_html(tmp_path / "page.html").read_text()
    assert not re.search(r"""<(script|link|img)[^>]*\b(src|href)=["']?(https?:|//|[\w./]+\.(js|css))""", text)


def test_command(partir, tmp_path):
    example = ROOT / "examples" / "gpt2layer_train"
    made = partir(
        "simulate", f"{example}.mlir", f"{example}.schedule", "--device", "h100", "--quiet", "--json", tmp_path / "r.json"
    )
    assert made.returncode == 0, made.stderr

    def draw(*arguments):
        command = [sys.executable, "-m", "partir", "report", *map(str, arguments)]
        return subprocess.run(command, cwd=ROOT / "python", capture_output=True, text=True, timeout=120)

    drawn = draw(tmp_path / "r.json", "-o", tmp_path / "page.html")
    assert drawn.returncode == 0, drawn.stderr
    assert "device h100" in (tmp_path / "page.html").read_text()
    (tmp_path / "bad.json").write_text("[]")
    wrong = draw(tmp_path / "bad.json")
    assert wrong.returncode == 1 and "no report of partir" in wrong.stderr and "Traceback" not in wrong.stderr
