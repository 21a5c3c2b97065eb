"""A port of twisted pairs beside the fabric: 1000BASE-T negotiates (IEEE 802.3, clause 40.5.1), and carries TCP."""

from __future__ import annotations

from pathlib import Path

from wirespeed.checks import run
from wirespeed.cluster import read
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.plan import build
from wirespeed.plan.locate import locate
from wirespeed.render import commands_for
from wirespeed.results.findings import Status

EXAMPLE = Path(__file__).parents[2] / "examples/pcie-lending/cluster.yaml"


def test_a_slow_port_negotiates_again(tmp_path: Path) -> None:
    plan = build(read(EXAMPLE))
    write_planned_bundle(plan, tmp_path)
    output = tmp_path / "abel2/ethtool@eth0.out"
    output.write_text(output.read_text().replace("Speed: 1000Mb/s", "Speed: 100Mb/s"))
    facts = read_facts(tmp_path)
    (finding,) = (finding for finding in run(locate(plan, facts), facts) if finding.status is Status.FAIL)
    assert finding.check == "link.speed" and finding.impact is not None
    assert (finding.impact.value, finding.impact.basis) == (
        0.85,  # 0.9 Gb/s × 1460 B / 1538 B (RFC 9293)
        "planned 0.95 Gb/s (line rate × TCP framing), as found 0.09 Gb/s (line rate × TCP framing)",
    )
    (fix,) = finding.fix
    assert fix.sentence.startswith("enable auto-negotiation at both ends") and fix.change is not None
    commands = commands_for(plan, "abel2", fix.change)
    assert commands is not None and commands.commands == ("ethtool -s eth0 speed 1000 autoneg on",)
