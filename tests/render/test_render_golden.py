"""The rendered files in examples/: what a reader sees there is what `wirespeed render` writes.

``rendered/cluster`` holds the files of one device of each role. Of a variant, ``rendered/<cluster>.diff`` holds what
differs from them: changed files as a unified diff, new ones in full, removed ones by name.
``WIRESPEED_ACCEPT=1 pytest tests/render/test_render_golden.py`` writes them again.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from wirespeed import render
from wirespeed.cluster import read
from wirespeed.plan import Plan, build

EXAMPLES = Path(__file__).parents[2] / "examples"
CLUSTERS = sorted(file for folder in EXAMPLES.glob("*/rendered") for file in folder.parent.glob("cluster*.yaml"))
VARIANTS = [file for file in CLUSTERS if file.stem != "cluster"]
OTHER_BASES = {"arista-leaf-spine/cluster-200g": "cluster-100g"}
"""Variants that differ less from another cluster than from ``cluster``."""


@pytest.mark.parametrize(
    "cluster", [file for file in CLUSTERS if file not in VARIANTS], ids=lambda path: path.parent.name
)
def test_the_example_is_rendered_as_committed(cluster: Path) -> None:
    plan = build(read(cluster))
    devices = first_of_each_role(plan)
    golden = cluster.parent / "rendered" / cluster.stem
    if os.environ.get("WIRESPEED_ACCEPT"):
        write(plan, golden)
    assert [
        (difference.device, difference.path, difference.kind, *difference.lines)
        for difference in render.compare_files(render.files(plan, devices), golden, "cluster.yaml")
        if difference.kind != "mode"  # git keeps one bit of it
    ] == []
    playbooks = dict(render.ansible(plan, devices))
    assert {path.name for path in golden.iterdir()} == {*devices, render.MANIFEST, *playbooks}
    for name, text in playbooks.items():
        assert (golden / name).read_text(encoding="utf-8") == text


@pytest.mark.parametrize("cluster", VARIANTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_variant_differs_as_committed(cluster: Path, tmp_path: Path) -> None:
    base = OTHER_BASES.get(f"{cluster.parent.name}/{cluster.stem}", "cluster")
    for name in (base, cluster.stem):
        write(build(read(cluster.with_stem(name))), tmp_path / name)
    text = "".join(differences(tmp_path / base, tmp_path / cluster.stem))
    golden = cluster.parent / "rendered" / f"{cluster.stem}.diff"
    if os.environ.get("WIRESPEED_ACCEPT"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def first_of_each_role(plan: Plan) -> tuple[str, ...]:
    """The first of each role: the others differ in addresses alone. Without a switch hosts have different parts."""
    if not plan.switches:
        return tuple(plan.hosts)
    return tuple(
        {role: name for name, role in reversed(plan.roles.items())}[role] for role in dict.fromkeys(plan.roles.values())
    )


def write(plan: Plan, folder: Path) -> None:
    """Render the first device of each role into a folder."""
    files = render.files(plan, first_of_each_role(plan))
    render.write(files, folder, plan.name, extra_files=lambda names: render.ansible(plan, names))


def differences(before: Path, after: Path) -> Iterator[str]:
    """Lines of a unified diff between two folders, without the text of removed files."""
    names = {str(path.relative_to(top)) for top in (before, after) for path in top.rglob("*") if path.is_file()}
    for name in sorted(names):
        old, new = (lines(folder / name) if (folder / name).exists() else None for folder in (before, after))
        if new is None:
            yield f"--- {before.name}/{name}\n+++ /dev/null\n"
        elif new != old:
            yield f"--- {f'{before.name}/{name}' if old is not None else '/dev/null'}\n+++ {after.name}/{name}\n"
            yield from hunks(old or [], new)


def lines(path: Path) -> list[str]:
    """Lines of a file, the last of which ends as all do."""
    *whole, remainder = path.read_text(encoding="utf-8").split("\n")
    assert remainder == ""
    return whole


def hunks(old: list[str], new: list[str]) -> Iterator[str]:
    """Hunks of a unified diff with one line of context; unlike difflib's own, shortest also where lines repeat."""
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(1):
        (_, a, _, c, _), (_, _, b, _, d) = group[0], group[-1]
        yield f"@@ -{a + 1},{b - a} +{c + 1},{d - c} @@\n"
        for kind, i, j, k, m in group:
            if kind == "equal":
                yield from (f" {line}\n" for line in old[i:j])
            else:
                yield from (f"-{line}\n" for line in old[i:j])
                yield from (f"+{line}\n" for line in new[k:m])
