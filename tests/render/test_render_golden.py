"""The rendered files in examples/: what a reader sees there is what `wirespeed render` writes.

``WIRESPEED_ACCEPT=1 pytest tests/render/test_render_golden.py`` writes them anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from wirespeed import render
from wirespeed.cluster import read
from wirespeed.plan import Plan, build

EXAMPLES = Path(__file__).parents[2] / "examples"
CLUSTERS = sorted(file for one in EXAMPLES.glob("*/rendered") for file in one.parent.glob("cluster*.yaml"))


def devices(plan: Plan) -> tuple[str, ...]:
    """The first of each role: the others differ in addresses alone. Without a switch hosts have different parts."""
    if not plan.switches:
        return tuple(plan.hosts)
    return tuple(
        {role: name for name, role in reversed(plan.roles.items())}[role] for role in dict.fromkeys(plan.roles.values())
    )


@pytest.mark.parametrize("cluster", CLUSTERS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_example_is_rendered_as_it_stands(cluster: Path) -> None:
    plan = build(read(cluster))
    shown = devices(plan)
    golden = cluster.parent / "rendered" / cluster.stem
    if os.environ.get("WIRESPEED_ACCEPT"):
        render.write(render.files(plan, shown), golden, plan.name, beside=lambda names: render.ansible(plan, names))
    assert [
        (one.device, one.path, one.kind, *one.lines)
        for one in render.compare_files(render.files(plan, shown), golden)
        if one.kind != "mode"  # git keeps one bit of it
    ] == []
    beside = dict(render.ansible(plan, shown))
    assert {path.name for path in golden.iterdir()} == {*shown, render.MANIFEST, *beside}
    for name, text in beside.items():
        assert (golden / name).read_text(encoding="utf-8") == text
