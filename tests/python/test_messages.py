"""Mistakes that users make: each message says what is wrong, where, and what to do."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import partir
import pytest
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

MESH = {"batch": 4, "model": 2}
W = {"up": np.ones((8, 30), np.float32), "down": np.ones((30, 4), np.float32)}
X = np.ones((8, 8), np.float32)
HERE = r"test_messages\.py:\d+: "


def model(w, x):
    return jnp.tanh(x @ w["up"]) @ w["down"]


def on(inputs, axis="batch", name="T"):
    return partir.ManualPartition(inputs, axis=axis, name=name)


def lower(*schedule, function=model, args=(W, X), mesh=MESH, **options):
    if schedule and isinstance(schedule[0], partir.Schedule):
        (schedule,) = schedule
    return partir.jit(function, mesh=mesh, schedule=schedule, **options).lower(*args)


def kernel(q):
    return jax.ffi.ffi_call("flash", q)(q)


def from_file(folder, text):
    (folder / "s.schedule").write_bytes(text.encode(errors="surrogateescape"))
    return partir.Schedule.load(folder / "s.schedule")


Q = (jax.ShapeDtypeStruct((8, 8, 8), jnp.float32),)
TOKENS = (jax.ShapeDtypeStruct((50257, 16), jnp.float32),)

# What is done wrong, with a folder for files, and what the message must say.
MISTAKES = {
    "misspelt path": (lambda _: lower(on({"w/upp": 0})), HERE + "error: tactic T: the pattern w/upp matches no", r"nearest name is w/up.*\.paths\(\)"),
    "subtree": (lambda _: lower(on({"w": 0})), HERE + "error: tactic T: the pattern w matches no", r"all that is below it: w/\*\*"),
    "key string": (lambda _: lower(on({"w['up']": 0})), HERE, "nearest name is w/up"),
    "dimension": (lambda _: lower(on({"x": 2})), HERE, r"x \(8x8xf32\) has no dimension 2", "count from 0"),
    "size": (lambda _: lower(on({"w/up": 1})), HERE, "has 30 elements, which do not divide", r"on batch:\(1\)2.*model \(2\).*a size of 32 would divide"),
    "vocabulary": (
        lambda _: lower(on({"t": 0}, "model"), function=lambda t: t + 1, args=TOKENS),
        HERE, "no axis of the mesh divides it; a size of 50258 would divide",
    ),
    "axis": (lambda _: lower(on({"x": 0}, "bach")), HERE + 'error: tactic T: the mesh has no axis "bach"', "did you mean batch"),
    "axis is no name": (lambda _: on({"x": 0}, ""), "for an axis of the mesh by its name"),
    "name is no word": (lambda _: on({"x": 0}, name="my tactic"), "the name of a tactic must be a word", "'my tactic'"),
    "axis of the mesh is no word": (lambda _: lower(mesh={"a b": 2}), "the name of an axis of the mesh must be a word", "'a b'"),
    "two tactics of one name": (lambda _: lower(on({"x": 0}), on({"w/up": 0}, "model")), HERE + "error: a second tactic T", "give each its own"),
    "decision": (lambda _: on({"x": P("batch")}), "what a tactic says of x must be a dimension", r"P\('batch'"),
    "decision of a function": (lambda _: lower(on({"x": lambda path, leaf: "a"})), "x, as a function of tactic T at .*" + HERE[:-2], "neither a dimension"),
    "filter": (lambda _: lower(on({"w/** if ranks >= 2": 0})), HERE, "expected rank, bytes, dtype or name after 'if', found 'ranks'"),
    "device": (lambda _: lower(device="tpu_v5"), "there is no device 'tpu_v5'", r"did you mean tpu_v5e\?.*partir\.devices\(\)"),
    "too few devices": (
        lambda _: partir.jit(model, mesh={"batch": 400})(W, X),
        "the mesh has 400 devices, but there are 16", "XLA_FLAGS=--xla_force_host_platform_device_count=400 and NPROC=800",
    ),
    "too few devices for an abstract mesh": (
        lambda _: partir.jit(model, mesh=AbstractMesh((400,), ("batch",)))(W, X), "XLA_FLAGS=--xla_force_host_platform_device_count=400",
    ),
    "no mesh": (lambda _: lower(mesh=None), "there is no mesh: give partir.jit one", "jax.set_mesh"),
    "mesh is a list": (lambda _: lower(mesh=[4, 2]), r"a mesh is a dict of sizes by axis \(\{'batch': 4, 'model': 2\}\)", r"not \[4, 2\]"),
    "schedule is a tactic": (lambda _: partir.jit(model, mesh=MESH, schedule=on({"x": 0})), r"a schedule is a list of tactics \(\[BP, MP\]\)"),
    "array elsewhere": (
        lambda _: partir.jit(model, mesh=MESH, schedule=[on({"x": 0})])(
            W, jax.device_put(X, NamedSharding(jax.make_mesh((8,), ("z",), axis_types=(AxisType.Auto,)), P("z")))
        ),
        "x is placed as .*'z'.*but the program takes it as .*'batch'", "move it with jax.device_put",
    ),
    "compiled for another type": (lambda _: lower().compile()(W, X.astype(np.int32)), r"x is int32\[8,8\], but model was compiled for float32\[8,8\]", "lower it"),
    "gradient from outside": (lambda _: jax.grad(lambda w: partir.jit(model, mesh=MESH)(w, X).sum())(W), "partition the function that takes the gradient"),
    "vmap from outside": (lambda _: jax.vmap(partir.jit(model, mesh=MESH), (None, 0))(W, X[None]), "partition the function that calls jax.vmap"),
    "static and unhashable": (lambda _: partir.jit(model, mesh=MESH, static_argnums=0)(W, X), "argument w is static, so that it must be hashable"),
    "file: syntax": (lambda d: from_file(d, "mesh batch=4\ntactic T on batch { x 0 }"), r"s\.schedule:2:23: error: expected ':'", "pattern : value"),
    "file: word": (lambda d: from_file(d, "mesh batch=4\ntactics T on batch { x : 0 }"), r"s\.schedule:2:1: error: expected a statement", r"did you mean tactic\?"),
    "file: bytes": (lambda d: from_file(d, "mesh batch=4\n\udcff\x00"), r"s\.schedule:2:1: error: expected a statement"),
    "file: axis": (lambda d: lower(from_file(d, "mesh batch=4\n\n\ntactic T on bach { x : 0 }"), mesh=None), r"s\.schedule:4: error: tactic T: the mesh has no axis"),
    "file: path": (lambda d: lower(from_file(d, "mesh batch=4\ntactic T on batch {\n y : 0 }"), mesh=None), r"s\.schedule:2: error: tactic T: the pattern y"),
    "file: tie": (lambda d: lower(from_file(d, "mesh batch=4\ntie w -> out/3\n"), mesh=None), r"s\.schedule: error: the tie w -> out/3 joins no", r"\.paths\(\)"),
    "tie": (lambda _: lower(partir.Schedule([], ties={"ww": "out"})), HERE + "error: the tie ww -> out joins no", r"\.paths\(\)"),
    "gathers": (lambda _: lower(partir.Schedule([], gathers="sharde")), HERE + "error: expected 'per_use', 'shared'"),
    "demand: word": (lambda _: lower(partir.Schedule([], demands=["deny allgather"])), HERE + "error: there is no collective allgather", r"did you mean all_gather\?"),
    "demand": (
        lambda _: lower(partir.Schedule([on({"w/up": 0}, "model")], demands=["deny all_reduce on model"])),
        HERE + "error: `deny all_reduce on model` does not hold", r"by T \(w/up : 0\)",
    ),
    "rule: notation": (lambda _: lower(partir.rule("flash", "b h -> b h"), function=kernel, args=Q), HERE + r"error: expected '\(', found 'b'", "a rule is written: rule"),
    "rule: names": (lambda _: lower(partir.rule("flash", "(b h d) -> (b h c)"), function=kernel, args=Q), HERE + "error: d is in no result", "reduction"),
    "automatic without a device": (lambda _: lower(partir.AutomaticPartition(["model"])), "no device was named", 'in Python device="tpu_v5e"'),
    "automatic: unit": (
        lambda _: lower(partir.AutomaticPartition(["model"], memory="14 gigs"), device="tpu_v5e"), HERE, "expected a unit", "one of B, KiB",
    ),
    "automatic: memory": (
        lambda _: lower(partir.AutomaticPartition(["model"], memory="10B", budget=4, name="A"), device="tpu_v5e"),
        HERE + "error: auto A: 10 B are not enough", "the arguments alone take 212 B on each", "more memory, or more devices",
    ),
    "value": (lambda _: lower().sharding("w/uq"), "there is no value 'w/uq'", "nearest name is w/up"),
    "collective": (lambda _: lower().why(99), "there is no collective 99; the program has 0", "count from 0"),
    "stage": (lambda _: lower().as_text("hloo"), "there is no stage 'hloo': it is one of core, hlo"),
    "trace without a device": (lambda _: lower().trace(), "there is no device to simulate on: give partir.jit one"),
    "chart": (lambda _: lower().report.plot("memory"), "there is no chart 'memory' here: tactics, shardings", "give partir.jit a device"),
    "report: no JSON": (lambda d: (d / "r.json").write_text("hello") and partir.report(d / "r.json"), r"r\.json is no report of partir: it is not JSON"),
    "report: another JSON": (lambda d: (d / "r.json").write_text("{}") and partir.report(d / "r.json"), r"r\.json is no report of partir: it has no mesh"),
    "shapes that are not known": (
        lambda _: lower(args=(W, jax.ShapeDtypeStruct(jax.export.symbolic_shape("b, 8"), jnp.float32))),
        "has a dynamic shape", "concrete shapes",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(mistake, tmp_path):
    make, *words = MISTAKES[mistake]
    with pytest.raises((partir.PartirError, TypeError, ValueError, NotImplementedError)) as raised:
        make(tmp_path)
    for pattern in words:
        assert re.search(pattern, str(raised.value), re.DOTALL), f"{pattern!r} is not in\n{raised.value}"


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: lower(partir.rule("flesh", "(b h d) -> (b h d)"), function=kernel, args=Q), ('the program has no call "flesh"', "did you mean flash?")),
        (lambda: lower(partir.rule("flash", "(b h) -> (b h)"), function=kernel, args=Q), ("does not fit a call: operand 0 has 2 dimensions in the rule, 3 in the call",)),
        (lambda: lower(on({"x": 0}), on({"x": 0}, name="again")), ("tactic again changes nothing", "what it names is tiled so already")),
        (lambda: lower(on({})), ("tactic T changes nothing", "it has no lines")),
    ],
)
def test_what_is_harmless_is_a_warning_at_its_place(make, words):
    with pytest.warns(partir.PartirWarning) as seen:
        make()
    (text,) = [str(w.message) for w in seen]
    assert re.search(HERE + "warning: ", text) and all(word in text for word in words), text


def test_a_function_that_fails_says_of_which_value():
    with pytest.raises(IndexError) as raised:
        lower(on({"**": lambda path, leaf: leaf.shape[7]}))
    assert re.search("tactic T at .*" + HERE[:-2] + " asks a function .* about 'w/down'", raised.value.__notes__[0])


def test_a_misspelt_name_of_the_package():
    with pytest.raises(AttributeError) as raised:
        partir.ManualPartitions
    assert raised.value.name == "ManualPartitions" and raised.value.obj is partir  # for Python's own "did you mean"
