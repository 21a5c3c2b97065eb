"""Cards with several port modes that link at the speed of their default mode: Broadcom 957608-AN210, table 1."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.checks import run
from wirespeed.cluster import read_text
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.plan import build
from wirespeed.plan.locate import locate
from wirespeed.results.findings import Status

EXAMPLE = Path(__file__).parents[2] / "examples/mi300x-4node/cluster.yaml"
CABLE = "set the speed at both ends; replace the cable if a lane is dead"
MODE = (
    "the card may be in its default port mode, with ports of 200 Gb/s: set the port mode that is planned "
    "(`wirespeed explain NIC-06`)"
)


@pytest.mark.parametrize(
    ("card", "speed", "sentences"),
    [
        ("p2200g-1x400g", 200000, [MODE, CABLE]),
        ("p2200g-1x400g", 100000, [CABLE]),
        ("n2200g-1x400g", 200000, [MODE, CABLE]),
        ("p1400gd", 200000, [CABLE]),
    ],
)
def test_the_default_port_mode_is_a_cause_of_a_slow_link(
    card: str, speed: int, sentences: list[str], tmp_path: Path
) -> None:
    plan = build(read_text(EXAMPLE.read_text().replace("bcm957608-p1400gd", f"bcm957608-{card}"), "cluster.yaml"))
    write_planned_bundle(plan, tmp_path)
    output = tmp_path / "node2/ethtool@enp29s0np0.out"
    output.write_text(output.read_text().replace("Speed: 400000Mb/s", f"Speed: {speed}Mb/s"))
    facts = read_facts(tmp_path)
    (finding,) = (finding for finding in run(locate(plan, facts), facts) if finding.status is Status.FAIL)
    assert (finding.check, [fix.sentence for fix in finding.fix]) == ("link.speed", sentences)
