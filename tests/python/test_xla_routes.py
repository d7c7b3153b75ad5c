"""A device-local module gives the numbers of the global program, by each route to XLA, on 8 virtual devices."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from partir import _swapped, _xla
from partir._distribution import jax_mesh, join, joint, local_shape, sharding, split

MESH = {"batch": 4, "model": 2}
BATCH = "dense<[[0, 2, 4, 6], [1, 3, 5, 7]]> : tensor<2x4xi64>"
MODEL = "dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>"
RANDOM = np.random.default_rng(0)
X, W1, W2 = (RANDOM.normal(size=s).astype(np.float32) for s in ((8, 4), (4, 16), (16, 8)))


def collective(kind, operand, types, groups, handle, attribute=""):
    """The text of one collective; those that reduce add."""
    body = """ ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %sum = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    })"""
    channel = f"channel_handle = #stablehlo.channel_handle<handle = {handle}, type = 1>"
    dimension = f"{attribute} : i64, " if attribute else ""
    return (
        f'"stablehlo.{kind}"({operand}) <{{{dimension}{channel}, replica_groups = {groups}, use_global_device_ids}}>'
        f"{body if 'reduce' in kind else ''} : {types}"
    )


# x @ w1 @ w2 after BP, MP and Z3: both weights are gathered on batch, the product over hidden is summed on model.
GATHER_W1 = collective("all_gather", "%w1", "(tensor<1x8xf32>) -> tensor<4x8xf32>", BATCH, 1, "all_gather_dim = 0")
GATHER_W2 = collective("all_gather", "%w2", "(tensor<8x2xf32>) -> tensor<8x8xf32>", BATCH, 2, "all_gather_dim = 1")
SUM = collective("all_reduce", "%3", "(tensor<2x8xf32>) -> tensor<2x8xf32>", MODEL, 3)
SCATTER = collective("reduce_scatter", "%3", "(tensor<2x8xf32>) -> tensor<2x4xf32>", MODEL, 3, "scatter_dimension = 1")
TWO_MATMUL = f"""
module @two_matmul {{
  func.func public @main(%x: tensor<2x4xf32>, %w1: tensor<1x8xf32>, %w2: tensor<8x2xf32>) -> tensor<2x8xf32> {{
    %0 = {GATHER_W1}
    %1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [0]
      : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
    %2 = {GATHER_W2}
    %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [0]
      : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
    %4 = {SUM}
    return %4 : tensor<2x8xf32>
  }}
}}"""
INPUTS = [[["batch"], []], [["batch"], ["model"]], [["model"], ["batch"]]]
OUTPUT = [["batch"], []]

# The same, but the result is scattered over model instead of summed on every device.
SCATTERED = (
    TWO_MATMUL.replace(SUM, SCATTER)
    .replace("-> tensor<2x8xf32> {\n    %0", "-> tensor<2x4xf32> {\n    %0")
    .replace("return %4 : tensor<2x8xf32>", "return %4 : tensor<2x4xf32>")
)

GATHER = collective("all_gather", "%part", "(tensor<2x4xf32>) -> tensor<2x8xf32>", MODEL, 7, "all_gather_dim = 1")
# Five times y = tanh(y @ w), w split by columns on model, so that each turn gathers a product. y may be donated.
LOOP = f"""
module @loop {{
  func.func public @main(%y: tensor<2x8xf32> {{tf.aliasing_output = 0 : i32}}, %w: tensor<8x4xf32>)
      -> tensor<2x8xf32> {{
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %turns = stablehlo.constant dense<5> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %v = %y) : tensor<i32>, tensor<2x8xf32>
    cond {{
      %more = stablehlo.compare LT, %i, %turns : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    }} do {{
      %next = stablehlo.add %i, %one : tensor<i32>
      %part = stablehlo.dot_general %v, %w, contracting_dims = [1] x [0]
        : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
      %whole = {GATHER}
      %bent = stablehlo.tanh %whole : tensor<2x8xf32>
      stablehlo.return %next, %bent : tensor<i32>, tensor<2x8xf32>
    }}
    return %0#1 : tensor<2x8xf32>
  }}
}}"""
Y, W = (RANDOM.normal(size=(8, 8)).astype(np.float32) for _ in range(2))
LOOP_INPUTS = [[["batch"], []], [[], ["model"]]]


def loop_reference():
    y = Y
    for _ in range(5):
        y = np.tanh(y @ W)
    return y


CASES = {
    "all_reduce": (TWO_MATMUL, (X, W1, W2), INPUTS, OUTPUT, X @ W1 @ W2),
    "reduce_scatter": (SCATTERED, (X, W1, W2), INPUTS, [["batch"], ["model"]], X @ W1 @ W2),
    "while": (LOOP, (Y, W), LOOP_INPUTS, [["batch"], []], loop_reference()),
}


def close(got, want):
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-5, atol=1e-5)


def shardings(distributions):
    return tuple(sharding(d, jax_mesh(MESH)) for d in distributions)


def shape_of(array):
    return jax.ShapeDtypeStruct(array.shape, array.dtype)


# What a swapped module gives can be read in this JAX; later ones take the types of @main for those of whole arrays.
SWAPPED = jax.__version_info__ < (0, 12)
swapped = pytest.mark.skipif(not SWAPPED, reason="this JAX cannot read what a swapped module gives")


def test_a_tiny_program_tells_whether_swapping_works(monkeypatch):
    devices = jax.devices()[:2]
    _xla.swapped_works.cache_clear()
    assert _xla.swapped_works(*devices) == SWAPPED
    assert not _xla.swapped_works(devices[0])  # nothing is split there
    monkeypatch.setattr(_xla, "compile_swapped", lambda *_: 1 / 0)
    assert _xla.swapped_works(*devices) == SWAPPED  # asked once
    _xla.swapped_works.cache_clear()
    assert not _xla.swapped_works(*devices)


def test_wrong_numbers_are_no_way_that_works(monkeypatch):
    """A route that runs and can be read, but gives other numbers, is not taken."""
    _xla.swapped_works.cache_clear()
    monkeypatch.setattr(_xla, "_PROBE", _xla._PROBE.replace("add %b, %b", "add %a, %b"))
    assert not _xla.swapped_works(*jax.devices()[:2])
    _xla.swapped_works.cache_clear()


@pytest.mark.parametrize("case", CASES)
def test_low_level(case):
    text, args, inputs, output, want = CASES[case]
    run = _xla.compile_local(text, 8)
    parts = run([split(a, d, MESH) for a, d in zip(args, inputs)])
    assert len(parts) == 1 and len(parts[0]) == 8
    close(join(parts[0], output, MESH), want)


def test_gathers_with_their_own_channels_survive_xla():
    assert _xla.compile_local(TWO_MATMUL, 8).text().count(" all-gather(") == 2


@pytest.fixture(params=["one of each kind", "all"])
def lowered_arguments(request, monkeypatch):
    """Which arguments the stand-in has."""
    assert _swapped.can_repeat()
    if request.param == "all":
        monkeypatch.setattr(_swapped, "can_repeat", lambda: False)


@swapped
@pytest.mark.parametrize("case", CASES)
def test_swapped(case, lowered_arguments):
    text, args, inputs, output, want = CASES[case]
    info = shape_of(want)
    (out,) = shardings([output])
    run = _xla.compile_swapped(text, args, info, shardings(inputs), out)
    got = run(*jax.device_put(args, shardings(inputs)))
    close(got, want)
    assert got.sharding.is_equivalent_to(out, got.ndim)


# Arguments of three kinds: %a, %b and %d are alike, %c lies otherwise, %e is longer. %d is donated.
KINDS = """
module @kinds {
  func.func public @main(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<8xf32>,
      %d: tensor<2xf32> {tf.aliasing_output = 2 : i32}, %e: tensor<4xf32>)
      -> (tensor<2xf32>, tensor<8xf32>, tensor<2xf32>, tensor<4xf32>) {
    %0 = stablehlo.subtract %a, %b : tensor<2xf32>
    %1 = stablehlo.add %b, %d : tensor<2xf32>
    return %0, %c, %1, %e : tensor<2xf32>, tensor<8xf32>, tensor<2xf32>, tensor<4xf32>
  }
}"""


@swapped
def test_swapped_takes_many_arguments_of_a_kind(lowered_arguments):
    args = [RANDOM.normal(size=n).astype(np.float32) for n in (8, 8, 8, 8, 16)]
    split_, whole = shardings([[["batch"]], [[]]])
    places = [split_, split_, whole, split_, split_]
    infos = [shape_of(args[i]) for i in (0, 2, 3, 4)]
    results = [split_, whole, split_, split_]
    run = _xla.compile_swapped(KINDS, tuple(args), infos, tuple(places), results)
    placed = jax.device_put(args, places)
    a, b, c, d, e = args
    got = run(*placed)
    for value, place, want in zip(got, results, (a - b, c, b + d, e), strict=True):
        close(value, want)
        assert value.sharding.is_equivalent_to(place, 1)
    assert [p.is_deleted() for p in placed] == [False, False, False, True, False]
    with pytest.raises(ValueError, match="sharding"):
        run(*jax.device_put(args, [split_, split_, split_, split_, split_]))
    with pytest.raises(TypeError, match="'3'|arrays\\[3\\]"):
        run(*jax.device_put([a, b, c, e, e], places))
    with pytest.raises(ValueError, match="argument 3 of the module is tensor<2xf32>, but .* tensor<8xf32>"):
        _xla.compile_swapped(KINDS, tuple(args), infos, (split_, split_, whole, whole, split_), results)


@swapped
def test_swapped_keeps_pytrees_and_donates(lowered_arguments):
    args = ({"y": shape_of(Y)}, {"w": shape_of(W)})
    y, w = shardings(LOOP_INPUTS)
    places = ({"y": y}, {"w": w})
    run = _xla.compile_swapped(LOOP, args, args[0], places, places[0])
    assert run.memory_analysis().alias_size_in_bytes == Y.nbytes // 4
    state, weights = jax.device_put(({"y": Y}, {"w": W}), places)
    for _ in range(20):  # not waited for: the next step takes what the last one gave
        old, state = state, run(state, weights)
    assert old["y"].is_deleted()
    want = Y
    for _ in range(100):
        want = np.tanh(want @ W)
    # A hundred turns are chaotic enough for the last digits to grow.
    np.testing.assert_allclose(state["y"], want, atol=1e-2)


@swapped
def test_swapped_takes_random_keys():
    text = """
module @keys {
  func.func public @main(%key: tensor<2xui32>) -> tensor<2xui32> {
    return %key : tensor<2xui32>
  }
}"""
    key = jax.random.key(7)
    everywhere = sharding([], jax_mesh(MESH))
    run = _xla.compile_swapped(text, (key,), shape_of(key), (everywhere,), everywhere)
    assert jax.random.key_data(run(jax.device_put(key, everywhere))).tolist() == [0, 7]


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"args": (X, np.zeros((8, 16), np.float32), W2)}, "argument 1 of .* tensor<1x8xf32>, but .* tensor<2x8xf32>"),
        ({"out_info": jax.ShapeDtypeStruct((8, 8), jnp.bfloat16)}, "result 0 of .* tensor<2x8xf32>, but .*xbf16"),
        ({"args": (X, W1), "in_shardings": shardings(INPUTS[:2])}, "has 3 arguments, but 2"),
    ],
)
def test_swapped_refuses_a_module_of_another_signature(changes, message):
    right = {
        "args": (X, W1, W2),
        "out_info": jax.ShapeDtypeStruct((8, 8), jnp.float32),
        "in_shardings": shardings(INPUTS),
        "out_shardings": shardings([OUTPUT])[0],
    }
    with pytest.raises(ValueError, match=message):
        _xla.compile_swapped(TWO_MATMUL, **{**right, **changes})


def mapped(inputs, output):
    mesh, specs = joint(jax_mesh(MESH), [*inputs, output])
    return _xla.Mapped(mesh, specs[:-1], specs[-1:])


@pytest.mark.parametrize("case", CASES)
def test_mapped(case):
    text, args, inputs, output, want = CASES[case]
    places, (out,) = shardings(inputs), shardings([output])
    run = _xla.compile_for(text, mapped(inputs, output), args, [shape_of(want)], places, [out], name="step", swapped=False)
    (got,) = run(*jax.device_put(args, places))
    close(got, want)
    assert got.sharding.is_equivalent_to(out, got.ndim)
    assert "jit_step" in run.as_text()


@pytest.mark.parametrize("case", CASES)
def test_inside_another_trace(case):
    text, args, inputs, output, want = CASES[case]
    call = _xla.local_call(text, mapped(inputs, output), [shape_of(want)])
    close(call(*args)[0], want)

    @jax.jit
    def twice(*args):
        once = call(*args)[0]
        return once + call(args[0] + 0 * once[:, : args[0].shape[1]], *args[1:])[0]

    close(twice(*args), 2 * want)


def test_split_and_join():
    whole = np.arange(8 * 16).reshape(8, 16)
    for distribution in ([["batch"], ["model"]], [["model", "batch"], []], [[], ["batch"]], [[], []]):
        parts = split(whole, distribution, MESH)
        np.testing.assert_array_equal(join(parts, distribution, MESH), whole)
        placed = jax.device_put(whole, sharding(distribution, jax_mesh(MESH)))
        for shard in placed.addressable_shards:
            np.testing.assert_array_equal(shard.data, parts[shard.device.id])
        assert parts[0].shape == local_shape(whole.shape, distribution, MESH)


def test_what_does_not_divide_is_refused():
    with pytest.raises(ValueError, match="does not divide"):
        local_shape((6, 4), [["batch"], []], MESH)
    with pytest.raises(ValueError, match="differ in rank"):
        local_shape((8,), [["batch"], []], MESH)
    with pytest.raises(ValueError, match="the mesh has 8 devices, but there are 3"):
        jax_mesh(MESH, jax.devices()[:3])
