"""Parts of axes: attention whose heads do not divide by the axis runs as if the mesh had been written in two axes."""


import jax
import jax.numpy as jnp
import numpy as np
import pytest

import partir

BATCH, TIME, WIDTH, SIZE = 8, 16, 64, 8
STEPS = 3


def attention(params, x, kv, group):
    """Grouped queries: `group` query heads share each of `kv` key and value heads."""
    b, t, _ = x.shape
    q = (x @ params["wq"]).reshape(b, t, kv, group, SIZE)
    k = (x @ params["wk"]).reshape(b, t, kv, SIZE)
    v = (x @ params["wv"]).reshape(b, t, kv, SIZE)
    scores = jnp.einsum("btkgd,bskd->bkgts", q, k) / SIZE**0.5
    out = jnp.einsum("bkgts,bskd->btkgd", jax.nn.softmax(scores, axis=-1), v)
    return out.reshape(b, t, kv * group * SIZE) @ params["wo"]


def training_step(kv, group, scan=False):
    def loss(params, x, y):
        if scan:
            x, _ = jax.lax.scan(lambda x, layer: (x + attention(layer, x, kv, group), None), x, params)
        else:
            x = attention(params, x, kv, group)
        return jnp.mean((x - y) ** 2)

    def step(params, x, y):
        value, grads = jax.value_and_grad(loss)(params, x, y)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), value

    heads = kv * group
    shapes = {"wq": (WIDTH, heads * SIZE), "wk": (WIDTH, kv * SIZE), "wv": (WIDTH, kv * SIZE), "wo": (heads * SIZE, WIDTH)}
    r = np.random.default_rng(0)
    layers = (2,) if scan else ()
    params = {n: r.normal(size=(*layers, *s)).astype(np.float32) / 8 for n, s in shapes.items()}
    x, y = (r.normal(size=(BATCH, TIME, WIDTH)).astype(np.float32) for _ in range(2))
    return step, (params, x, y)


def tactics(axes, layers=0):
    batch = partir.ManualPartition({"x": 0, "y": 0}, axis="batch", name="BP")
    return [batch] + [
        partir.ManualPartition({"params/wq": layers + 1, "params/wo": layers}, axis=axis, name=f"MP{i}")
        for i, axis in enumerate(axes)
    ]


def lower(step, args, mesh, axes, scan):
    jitted = partir.jit(step, mesh=mesh, schedule=tactics(axes, int(scan)), donate_argnums=0)
    return jitted, jitted.lower(*args)


def totals(lowered):
    return lowered.report.data["tactics"][-1]["totals"], lowered.report.data["tactics"][-1]["bytes_sent"]


CASES = [(2, 8, 2, 8, False), (4, 4, 1, 16, False), (2, 8, 2, 8, True), (2, 3, 2, 4, False)]


@pytest.mark.parametrize("kv, group, batch, model, scan", CASES)
def test_grouped_queries(kv, group, batch, model, scan):
    step, args = training_step(kv, group, scan)
    jitted, lowered = lower(step, args, {"batch": batch, "model": model}, ["model"], scan)
    counts, sent = totals(lowered)
    by_hand = {"batch": batch, "kv": kv, "rest": model // kv}
    if group % by_hand["rest"] == 0:  # otherwise the rest cannot tile the heads by hand either
        assert counts["all_gather"] == counts["all_to_all"] == counts["collective_permute"] == 0
        _, hand = lower(step, args, by_hand, ["kv", "rest"], scan)
        assert (counts, sent) == totals(hand)
    assert lowered.in_shardings[0] == lowered.out_shardings[0]  # steps chain
    ours = theirs = args
    for _ in range(STEPS):
        out, want = jitted(*ours), jax.jit(step)(*theirs)
        np.testing.assert_allclose(out[1], want[1], rtol=2e-4)
        ours, theirs = (out[0], *ours[1:]), (want[0], *theirs[1:])
    for name in ours[0]:
        np.testing.assert_allclose(ours[0][name], theirs[0][name], rtol=2e-4, atol=2e-4)


def test_the_figure():
    """What two axes by hand send, 46 KiB; the weights of keys and values lie on the major part of the axis."""
    step, args = training_step(2, 8)
    _, lowered = lower(step, args, {"batch": 2, "model": 8}, ["model"], False)
    assert totals(lowered)[1] == 46 * 1024 + 4  # the loss
    where = lowered.in_shardings[0]["wk"]
    assert where.spec == jax.sharding.PartitionSpec(None, ("model:(1)2",))
    assert where.shard_shape((WIDTH, 2 * SIZE)) == (WIDTH, SIZE)


def test_heads_that_no_part_divides():
    step, args = training_step(3, 1)
    jitted, _ = lower(step, args, {"batch": 2, "model": 2}, ["model"], False)
    out, want = jitted(*args), jax.jit(step)(*args)
    np.testing.assert_allclose(out[1], want[1], rtol=2e-4)


def test_a_part_by_name():
    step, args = training_step(2, 8)
    _, by_parts = lower(step, args, {"batch": 2, "model": 8}, ["model:(1)2", "model:(2)4"], False)
    _, whole = lower(step, args, {"batch": 2, "model": 8}, ["model"], False)
    assert totals(by_parts) == totals(whole)


def test_no_such_part():
    step, args = training_step(2, 8)
    with pytest.raises(partir.PartirError, match=r"(?s)no axis .model:\(1\)3.*model:\(1\)2"):
        lower(step, args, {"batch": 2, "model": 8}, ["model:(1)3"], False)


def _mesh():
    return {"batch": 2, "model": 8}


def test_split_and_join():
    from partir._distribution import join, split

    array = np.arange(2 * 16).reshape(2, 16)
    for distribution in ([["model:(1)2"], []], [["batch"], ["model:(2)4"]], [[], ["model:(1)2", "batch", "model:(2)4"]]):
        parts = split(array, distribution, _mesh())
        np.testing.assert_array_equal(join(parts, distribution, _mesh()), array)
    assert [p.shape for p in split(array, [["model:(1)2"], []], _mesh())] == [(1, 16)] * 16
