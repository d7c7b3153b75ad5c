"""The models of published runs: what the simulator counts of them."""

import json

import pytest
from bench import models
from bench.models import published
from bench.models.__main__ import export

SMALL = {"layers": 3, "d_model": 64, "heads": 4, "d_head": 32, "d_ff": 128, "vocab": 96, "batch": 8}


@pytest.mark.parametrize("remat", ["full", "minimal"])
def test_flash_attention_has_model_flops_once_and_by_chunks(partir, tmp_path, remat):
    c = published.Config(**SMALL, sequence=published.BLOCK, remat=remat)
    program, schedule = tmp_path / "step.mlir", tmp_path / "step.schedule"
    export(models.Model(published.make_step(c), published.args(c), (0, 1)), program, debug_info=False)
    lines = ["mesh batch=4, model=2", *published.RULES, "tactic BP on batch { x : 0   y : 0 }"]
    schedule.write_text("\n".join([*lines, "tactic MP on model { params/layers/{q,k,v,gate,up}/kernel : 2 }"]) + "\n")
    run = partir("simulate", program, schedule, "--device", "tpu_v5e", "--json", "-")
    found = json.loads(run.stdout)
    tokens, table = c.batch * c.sequence, c.vocab * c.d_model
    scores = c.layers * c.heads * c.d_head * c.sequence
    assert found["model_flops"] == tokens * (6 * (c.parameters() - table) + 4 * table + (4 + 14) * scores)
    assert c.published_flops() == tokens * (6 * (c.parameters() - table) + 12 * scores)
    whole, _, last = (row["flops"] for row in found["tactics"])
    again = tokens * (4 * scores + (2 * (c.parameters() - 2 * table) if remat == "full" else 0))
    assert whole == pytest.approx(found["model_flops"] + again, rel=0.03)  # of the last product of a layer nothing is needed again
    assert last < whole / 6
