"""The rendered files in examples/: what a reader sees there is what `wirespeed render` writes.

``WIRESPEED_ACCEPT=1 pytest tests/render/test_render_golden.py`` writes them anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from wirespeed import render
from wirespeed.cluster import read
from wirespeed.plan import build

EXAMPLE = Path(__file__).parents[2] / "examples" / "mi300x-4node"
DEVICES = ("node1", "leaf1")  # the other hosts differ in addresses alone


@pytest.mark.parametrize("cluster", sorted(EXAMPLE.glob("cluster*.yaml")), ids=lambda path: path.stem)
def test_the_example_is_rendered_as_it_stands(cluster: Path, tmp_path: Path) -> None:
    plan = build(read(cluster))
    golden = EXAMPLE / "rendered" / cluster.stem
    if os.environ.get("WIRESPEED_ACCEPT"):
        render.write(render.files(plan, DEVICES), golden, plan.name, beside=lambda names: render.ansible(plan, names))
    assert [
        (one.device, one.path, one.kind, *one.lines)
        for one in render.compare_files(render.files(plan, DEVICES), golden)
        if one.kind != "mode"  # git keeps one bit of it
    ] == []
    beside = dict(render.ansible(plan, DEVICES))
    assert {path.name for path in golden.iterdir()} == {*DEVICES, render.MANIFEST, *beside}
    for name, text in beside.items():
        assert (golden / name).read_text(encoding="utf-8") == text
