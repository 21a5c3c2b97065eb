"""A setting that a NIC or switch sets without configuration and does not show is no missing reading."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.checks import run
from wirespeed.cluster import read_text
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.plan import build
from wirespeed.plan.locate import locate

CLUSTER = """\
version: 1
name: c
hosts:
  node[1-2]: {model: dell-xe9680-mi300x, os: ubuntu-22.04, nics: 8 x NIC}
switches:
  leaf1: {model: dell-z9664f, os: dell-sonic, role: leaf}
cabling: {pattern: by-host}
addresses: {scheme: link-31, pool: 10.1.0.0/16}
classes:
  roce: {dscp: 26, priority: 3, lossless: true, share: 50, congestion: dcqcn-p}
  cnp: {dscp: 48, priority: 7, strict: true}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("nic", "old", "findings"),
    [
        (
            "broadcom-bcm957608-p1400gd",
            "",
            {("skip", "the device sets it without configuration: nic.qos.trust, nic.qos.willing")},
        ),
        ("nvidia-mcx75310aas-neat", "", {("pass", "trust dscp; willing off")}),
        (
            "nvidia-mcx75310aas-neat",
            "Priority trust state: dscp\n",
            {
                (
                    "unknown",
                    "nic.qos.trust not read; mlnx-qos on enp29s0np0: "
                    "its output does not contain the value in a known format",
                ),
                ("pass", "trust dscp; willing off"),
            },
        ),
    ],
)
def test_findings(nic: str, old: str, findings: set[tuple[str, str]], tmp_path: Path) -> None:
    plan = build(read_text(CLUSTER.replace("NIC", nic), "c.yaml"))
    write_planned_bundle(plan, tmp_path / "bundle")
    if old:
        output = tmp_path / "bundle" / "node1" / "mlnx-qos@enp29s0np0.out"
        text = output.read_text(encoding="utf-8")
        assert old in text
        output.write_text(text.replace(old, ""), encoding="utf-8")
    facts = read_facts(tmp_path / "bundle")
    results = run(locate(plan, facts), facts)
    assert {(f.status.value, f.found) for f in results if f.check == "nic.qos-trust"} == findings
