"""No PCIe address comes from the catalogue: neither into rendered files nor into findings.

A server has the addresses that its firmware and kernel assign; only a bundle or the cluster file knows them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wirespeed import render
from wirespeed.catalogue import load
from wirespeed.checks import run
from wirespeed.cli import flows
from wirespeed.cluster import read, read_text
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.plan import build
from wirespeed.plan.locate import locate

ROOT = Path(__file__).parents[2]
CLUSTERS = sorted(path for path in (ROOT / "examples").glob("*/cluster*.yaml") if "scale-" not in str(path))
ADDRESS = re.compile(r"\b(?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]\b")
EXAMPLE = (ROOT / "examples/mi300x-4node/cluster.yaml").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("cluster", CLUSTERS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_rendered_addresses_are_those_of_the_cluster_file(cluster: Path) -> None:
    given_addresses = set(ADDRESS.findall(cluster.read_text(encoding="utf-8")))
    addresses = {match for file in render.files(build(read(cluster))) for match in ADDRESS.findall(file.text)}
    assert addresses == given_addresses


def test_the_catalogue_contains_no_address() -> None:
    """Texts may cite an address: an example of a check is no value."""
    folder = ROOT / "python/wirespeed/catalogue"
    for file in folder.rglob("*.yaml"):
        lines = [line.partition("#")[0] for line in file.read_text(encoding="utf-8").splitlines()]
        assert [line for line in lines if ADDRESS.search(line) and "failures" not in file.parts] == []


def test_without_evidence_of_pcie_no_finding_or_fix_contains_an_address(tmp_path: Path) -> None:
    plan = build(read_text(EXAMPLE, "cluster.yaml"), load())
    write_planned_bundle(plan, tmp_path / "bundle")
    for file in (tmp_path / "bundle").rglob("*.out"):
        if ADDRESS.search(file.read_text()):
            file.write_text("")
    facts = read_facts(tmp_path / "bundle")
    findings = flows.add_commands(locate(plan, facts), run(locate(plan, facts), facts))
    assert findings
    assert [finding for finding in findings if ADDRESS.search(repr(finding))] == []
