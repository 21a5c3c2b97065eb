"""Less memory than recommended for a server: a warning of the plan, and of the check without planned memory."""

from pathlib import Path

import pytest

from wirespeed.checks import checks, run
from wirespeed.cluster import read_text
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.plan import build
from wirespeed.plan.locate import locate

EXAMPLE = (Path(__file__).parents[2] / "examples/mi300x-4node/cluster.yaml").read_text(encoding="utf-8")
GIB = 2**20  # KiB


def plan_memory(planned: str | None) -> str:
    """The example, its hosts with this memory in the cluster file."""
    memory = "" if planned is None else f", memory: {planned}"
    return EXAMPLE.replace("os: ubuntu-22.04", f"os: ubuntu-22.04{memory}", 1)


@pytest.mark.parametrize(
    ("planned", "warned"),
    [
        (None, False),
        ("512 GiB", True),
        ("1536 GiB", True),
        ("2000 GB", False),  # two terabytes of 10^12 bytes
        ("2048 GiB", False),
    ],
)
def test_less_planned_memory_than_recommended_warns(planned: str | None, warned: bool) -> None:
    warnings = [str(problem) for problem in build(read_text(plan_memory(planned), "cluster.yaml")).warnings]
    expected = (
        f"found {planned} of memory; expected 2048 GiB or more (Broadcom 957608-AN210, 2.3.3: two terabytes or more "
        "for AI, machine learning and HPC)"
    )
    matching = [warning for warning in warnings if "of memory" in warning]
    assert len(matching) == warned
    assert all(expected in warning for warning in matching)


@pytest.mark.parametrize(
    ("planned", "found_gib", "expected"),
    [
        (None, 503, ("warn", "2048 GiB or more", "503 GiB")),
        (None, 1511, ("warn", "2048 GiB or more", "1511 GiB")),
        (None, 2015, ("pass", "2048 GiB or more", "2015 GiB")),
        ("512 GiB", 503, ("pass", "at least 97 % of 512 GiB", "503 GiB")),
        ("2048 GiB", 503, ("fail", "at least 97 % of 2048 GiB", "503 GiB")),
    ],
)
def test_less_memory_than_recommended_is_a_warning(
    planned: str | None, found_gib: int, expected: tuple[str, str, str], tmp_path: Path
) -> None:
    plan = build(read_text(plan_memory(planned), "cluster.yaml"))
    write_planned_bundle(plan, tmp_path / "bundle")
    (tmp_path / "bundle/node1/meminfo.out").write_text(f"MemTotal:       {found_gib * GIB} kB\n", encoding="utf-8")
    facts = read_facts(tmp_path / "bundle")
    findings = run(locate(plan, facts), facts, [checks()["host.memory"]])
    (finding,) = (finding for finding in findings if finding.device == "node1")
    assert (finding.status.value, finding.expected, finding.found) == expected
