"""Ranks without a mapping to cores: the library's own policy against the planned cores."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.checks import run
from wirespeed.cluster import read_text
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.plan import Plan, build
from wirespeed.plan.locate import locate
from wirespeed.results.findings import Finding

CLUSTER = Path(__file__).parents[2] / "examples" / "bluebonnet-64node" / "cluster.yaml"
OTHER_CORES = "ranks without a mapping are on other cores"


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> tuple[Plan, Path]:
    two_hosts = CLUSTER.read_text(encoding="utf-8").replace("node[01-64]", "node[01-02]")
    plan, bundle = build(read_text(two_hosts, CLUSTER.name)), tmp_path_factory.mktemp("cores") / "bundle"
    write_planned_bundle(plan, bundle)
    return plan, bundle


def find(healthy: tuple[Plan, Path], lines: str) -> Finding:
    """The finding of a host with these lines instead of its mapping."""
    plan, bundle = healthy
    file = bundle / "node01" / "mvapich2-conf.out"
    text = file.read_text()
    other_lines = "".join(line for line in text.splitlines(keepends=True) if "CPU_MAPPING" not in line)
    file.write_text(f"{other_lines}{lines}")
    facts = read_facts(bundle)
    file.write_text(text)
    (finding,) = (
        finding
        for finding in run(locate(plan, facts), facts)
        if (finding.check, finding.device) == ("launch.cores", "node01")
    )
    return finding


@pytest.mark.parametrize(
    ("lines", "status", "summary", "end"),
    [
        ("MV2_CPU_BINDING_POLICY = hybrid\nMV2_HYBRID_BINDING_POLICY = spread\n", "pass", None, "policy spread"),
        ("MV2_CPU_BINDING_POLICY = bunch\n", "pass", None, "policy bunch"),  # as many ranks as cores
        ("MV2_CPU_BINDING_POLICY = scatter\n", "fail", OTHER_CORES, "63, 127, by the library's policy scatter"),
        ("MV2_CPU_BINDING_POLICY = hybrid\n", "unknown", None, None),
        ("", "unknown", None, None),
    ],
)
def test_the_policy_of_the_library_places_ranks_without_a_mapping(
    healthy: tuple[Plan, Path], lines: str, status: str, summary: str | None, end: str | None
) -> None:
    finding = find(healthy, lines)
    assert finding.status == status
    assert summary is None or finding.summary == summary
    assert end is None or (finding.found or "").endswith(end)
