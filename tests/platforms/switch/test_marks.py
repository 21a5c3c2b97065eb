"""What is known from memory, or assumed: a check that finds another value there warns, and never fails."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from wirespeed.catalogue import load
from wirespeed.checks import checks, run
from wirespeed.cluster import read_text
from wirespeed.collect import read_facts, write_simulated_bundle
from wirespeed.plan import Plan, build
from wirespeed.platforms import platform, platform_of_system
from wirespeed.results.findings import Finding, Status

CLUSTER = """
version: 1
name: marks
hosts:
  node[1-2]: {{model: dell-xe9680-mi300x, os: ubuntu-22.04, nics: 8 x broadcom-bcm957608-p1400gd}}
switches:
  leaf[1-2]: {{model: {model}, os: {system}, role: leaf}}
  spine1: {{model: {model}, os: {system}, role: spine}}
fabric:
  leaf_spine: {{uplinks: 2, cable: fibre-400g, length: 10 m}}
cabling: {{pattern: by-host, cable: dac-400g, length: 3 m}}
addresses: {{scheme: link-31, pool: 10.1.0.0/16, fabric: 10.2.0.0/24, loopbacks: 10.255.0.0/24}}
routing: {{underlay: bgp-numbered, bfd: true}}
classes:
  roce: {{dscp: 26, priority: 3, lossless: true, share: 50%, congestion: dcqcn-p}}
  cnp: {{dscp: 48, priority: 7, strict: true}}
"""
NOT_RELAXED = "no bgp bestpath as-path multipath-relax"
MODELS = {
    "cumulus": "nvidia-sn5600",
    "dell-sonic": "dell-z9664f",
    "eos": "arista-7060dx5-64s",
    "junos": "juniper-qfx5240-64od",
    "nxos": "cisco-n9k-c9364d-gx2a",
    "sonic": "nvidia-sn5600",
}


@cache
def build_plan(system: str) -> Plan:
    """A small leaf and spine whose switches run this system."""
    text = CLUSTER.format(model=MODELS[system], system=system)
    return build(read_text(text, "cluster.yaml"), load())


def list_findings(system: str, command: str, old: str, new: str, folder: Path) -> list[Finding]:
    """Findings of all checks about the leaf when one part of its output differs."""
    plan = build_plan(system)
    write_simulated_bundle({"leaf1": plan.devices["leaf1"]}, plan.name, folder / "bundle")
    file = folder / "bundle" / "leaf1" / f"{command}.out"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    return [
        finding for finding in run(plan, read_facts(folder / "bundle"), checks().values()) if finding.device == "leaf1"
    ]


ROWS = [
    # The system, the command, the replaced and the new text of its output, and the setting that this is about.
    ("cumulus", "interfaces", '"oper-status": "up"', '"oper-status": "down"', "port.link.up"),
    ("dell-sonic", "bgp-ipv4-summary", "01:00:00   1", "01:00:00   Active", "peer.state"),
    (
        "eos",
        "running-config",
        "   maximum-paths 2",
        f"   maximum-paths 2\n   {NOT_RELAXED}",
        "switch.bgp.multipath_relax",
    ),
    # Without `multipath` the relaxation differs too, whose format is verified: that fails.
    (
        "junos",
        "configuration",
        "\nprotocols {",
        "\nchassis {\n    maximum-ecmp 1;\n}\nprotocols {",
        "switch.bgp.maximum_paths",
    ),
    ("nxos", "running-config", "    maximum-paths 2", "    maximum-paths 1", "switch.bgp.maximum_paths"),
    ("nxos", "running-config", "  mtu 9216\n  ip", "  mtu 1500\n  ip", "port.link.mtu"),
]


@pytest.mark.parametrize(("system", "command", "old", "new", "path"), ROWS)
def test_a_setting_known_from_memory_warns_at_worst(
    system: str, command: str, old: str, new: str, path: str, tmp_path: Path
) -> None:
    findings_of_setting = [
        value for value in list_findings(system, command, old, new, tmp_path) if path in checks()[value.check].needs
    ]
    doubted = [
        finding
        for finding in findings_of_setting
        if finding.status is not Status.PASS and finding.status is not Status.SKIP
    ]
    assert doubted
    assert {finding.status for finding in doubted} == {Status.WARN}
    reason = rf"the output format was not verified on a device for .*{path}"
    assert all(any(re.match(reason, text) for text in finding.warning_reasons) for finding in doubted)


def test_a_verified_difference_beside_one_known_from_memory_fails(tmp_path: Path) -> None:
    """Without ``multipath`` Junos uses one path (from memory) and takes no other AS (Juniper/yang, ``multiple-as``)."""
    findings = list_findings("junos", "configuration", " multipath {", " inactive: multipath {", tmp_path)
    (paths,) = (finding for finding in findings if finding.check == "fabric.ecmp")
    assert (paths.status, paths.warning_reasons) == (Status.FAIL, ())
    assert paths.found == "maximum paths 1; multipath relax off"


def test_no_check_needs_what_is_known_of_community_sonic_from_memory() -> None:
    paths = {path for path, support in platform("switch", "sonic").settings.items() if not support.verified}
    assert paths == {"port.link.autonegotiation"}
    assert not paths & {path for check in checks().values() for path in check.needs}


def test_what_a_reader_doubts_is_what_its_platform_marks(tmp_path: Path) -> None:
    for system in MODELS:
        plan = build_plan(system)
        write_simulated_bundle({"leaf1": plan.devices["leaf1"]}, plan.name, tmp_path / system)
        name = platform_of_system("switch", system)
        assert name is not None
        paths = {path for path, support in platform("switch", name).settings.items() if not support.verified}
        assert {path for _, path in read_facts(tmp_path / system).unverified} == paths
