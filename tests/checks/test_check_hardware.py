"""Every switch with every system it runs, and every NIC: as planned nothing is amiss, and nothing stays unread."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from wirespeed.catalogue import load
from wirespeed.checks import run
from wirespeed.cluster import read_text
from wirespeed.collect import extract_facts, open_bundle, write_planned_bundle
from wirespeed.errors import Refusal
from wirespeed.plan import Plan, build
from wirespeed.plan.locate import locate
from wirespeed.render import check as render_check
from wirespeed.results.findings import Status

CLUSTER = """
version: 1
name: two
hosts:
  node[1-2]: {{model: dell-xe9680-mi300x, os: {host}, nics: 2 x {nic}}}
switches:
  leaf1: {{model: {switch}, os: {system}, role: leaf}}
cabling: {{pattern: by-host, length: 3 m}}
addresses: {{scheme: link-31, pool: 10.1.0.0/16}}
"""
SWITCHES = [
    (model, system) for model, switch_model in load().switches.items() for system in switch_model.lossless_systems
]
NICS = [name for name, model in load().nics.items() if model.system not in ("dcb", "dolphin")]
"""Settings of the kernel contain no congestion control, which the default classes need; Dolphin's adapter is no NIC."""


def build_plan(
    switch: str = "dell-z9664f",
    system: str = "dell-sonic",
    nic: str = "broadcom-bcm957608-p1400gd",
    host: str = "ubuntu-22.04",
) -> Plan:
    return build(read_text(CLUSTER.format(switch=switch, system=system, nic=nic, host=host), "two.yaml"))


def amiss(plan: Plan, folder: Path) -> list[tuple[str, str, str]]:
    """Status, check and what was found, of every finding that is no pass and no skip."""
    write_planned_bundle(plan, folder)
    facts = extract_facts(open_bundle(folder))
    findings = run(locate(plan, facts), facts)
    return [
        (finding.status.value, finding.check, str(finding.found))
        for finding in findings
        if finding.status not in (Status.PASS, Status.SKIP)
    ]


@pytest.mark.parametrize(("switch", "system"), SWITCHES)
def test_a_switch_as_planned(switch: str, system: str, tmp_path: Path) -> None:
    plan = build_plan(switch=switch, system=system)
    render_check(plan)
    assert amiss(plan, tmp_path / "bundle") == []


@pytest.mark.parametrize("nic", NICS)
def test_a_nic_as_planned(nic: str, tmp_path: Path) -> None:
    plan = build_plan(nic=nic)
    render_check(plan)
    assert amiss(plan, tmp_path / "bundle") == []


@pytest.mark.slow
@pytest.mark.parametrize("host", ["ubuntu-24.04", "rhel-9", "rocky-9", "almalinux-9", "sles-15"])
@pytest.mark.parametrize("nic", ["broadcom-bcm957608-p1400gd", "nvidia-mcx75310aas-neat"])
def test_a_host_as_planned(host: str, nic: str, tmp_path: Path) -> None:
    plan = build_plan(host=host, nic=nic)
    render_check(plan)
    assert amiss(plan, tmp_path / "bundle") == []


def test_congestion_control_that_the_kernel_lacks_is_refused() -> None:
    with pytest.raises(Refusal, match=r"leave congestion out of class roce; the kernel has no common interface for it"):
        render_check(build_plan(nic="intel-e810-cqda2"))


@pytest.mark.parametrize(
    ("nic", "status"),
    [("nvidia-mcx75310aas-neat", Status.PASS), ("broadcom-bcm957608-p1400gd", Status.FAIL)],
)
def test_a_stack_is_a_conflict_for_other_nics_than_its_own(nic: str, status: Status, tmp_path: Path) -> None:
    plan = build_plan(nic=nic)
    installed = {name: replace(host, conflicting_stacks=("MLNX_OFED",)) for name, host in plan.hosts.items()}
    write_planned_bundle(replace(plan, hosts=installed), tmp_path / "bundle")
    facts = extract_facts(open_bundle(tmp_path / "bundle"))
    findings = run(locate(plan, facts), facts)
    assert {finding.status for finding in findings if finding.check == "software.conflicting-stacks"} == {status}
