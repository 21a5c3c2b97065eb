"""Findings that follow from others name their cause; the cause comes first and counts once."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import small_cluster as small

from wirespeed.catalogue import load
from wirespeed.checks import checks, run
from wirespeed.checks.peers import find_peer_port
from wirespeed.cluster import read
from wirespeed.collect import read_facts
from wirespeed.collect.simulated_bundle import write_simulated_bundle
from wirespeed.plan import build
from wirespeed.plan.locate import locate
from wirespeed.report import ranking, wording
from wirespeed.results.findings import Finding, Status
from wirespeed.settings import Discipline, Dscp, NicTrafficClass, Priority

N = small.NIC
EXAMPLES = Path(__file__).parents[2] / "examples"
# Broadcom 957608-AN210, 5.1 question 5: what a NIC with firmware DCBX prints, and the driver's messages
QUESTION_5: dict = {
    (N, "nic.nvm.dcbx"): True,
    (N, "nic.qos.priority_tc"): {Priority(n): NicTrafficClass(0) for n in range(8)},
    (N, "nic.qos.tc_discipline"): {NicTrafficClass(n): Discipline.STRICT for n in range(8)},
    (N, "nic.qos.pfc"): frozenset(),
    (N, "nic.qos.dscp_priority"): dict.fromkeys(map(Dscp, range(64)), Priority(0)),
    (small.HOST, "host.kernel.errors"): small.kernel_errors(
        "infiniband bnxt_re2: Fail to setets rc:-22",
        "infiniband bnxt_re2: Fail to initialize Flow control",
    ),
}


def test_firmware_dcbx_comes_before_what_it_causes() -> None:
    findings = small.bad(replace(small.facts(QUESTION_5), unverified=frozenset({("node1", "nic.nvm.dcbx")})))
    groups = ranking.merge_findings(findings)
    assert [(group.check, group.status, group.first.cause) for group in groups] == [
        ("nic.nvm-dcbx", "fail", None),  # the reading is confirmed by its consequences
        ("host.kernel-log", "fail", "nic.nvm-dcbx"),
        ("nic.qos-dscp", "fail", "nic.nvm-dcbx"),
        ("nic.qos-ets", "fail", "nic.nvm-dcbx"),
        ("nic.qos-pfc", "fail", "nic.nvm-dcbx"),
        ("nic.qos-priority-tc", "fail", "nic.nvm-dcbx"),
    ]
    assert [group.check for group in ranking.rank_first_steps(findings)] == ["nic.nvm-dcbx"]
    assert ranking.counts(findings)[Status.FAIL] == 1
    assert _fixes(findings, "nic.qos-pfc") == ["fix nic.nvm-dcbx first, then check again"]


# Broadcom 957608-AN210, 5.1 question 5: niccli of a NIC with firmware DCBX prints no line of the rate limits
ETS_OF_FIRMWARE = """\
IEEE 8021QAZ ETS Configuration TLV:
         PRIO_MAP: 0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0
         TC Bandwidth: 0% 0% 0% 0% 0% 0% 0% 0%
         TSA_MAP: 0:strict 1:strict 2:strict 3:strict 4:strict 5:strict 6:strict 7:strict
IEEE 8021QAZ PFC TLV:
         PFC enabled: none
"""


@pytest.mark.parametrize(
    ("mode", "cause"), [("Disabled|disabled|= 0", "nic.nvm-dcbx"), (None, None)], ids=["dcbx-on", "dcbx-off"]
)
def test_firmware_dcbx_is_why_the_tool_shows_no_rate_limit(
    mode: str | None, cause: str | None, healthy_bundle: Callable[[str], Path], tmp_path: Path
) -> None:
    bundle = shutil.copytree(healthy_bundle("mi300x-4node"), tmp_path / "bundle")
    (bundle / "node1/niccli-qos@enp29s0np0.out").write_text(ETS_OF_FIRMWARE)
    if mode is not None:
        option = bundle / "node1/nvm-dcbx-mode@enp29s0np0.out"
        option.write_text(re.sub(mode, "Enabled", option.read_text()))
    plan = build(read(EXAMPLES / "mi300x-4node/cluster.yaml"), load())
    facts = read_facts(bundle)
    findings = [finding for finding in run(locate(plan, facts), facts) if finding.check == "nic.qos-rate-limit"]
    assert [(finding.status, finding.cause) for finding in findings if finding.status is not Status.PASS] == [
        (Status.UNKNOWN, cause)
    ]


def test_the_missing_driver_is_why_no_gpu_is_listed(healthy_bundle: Callable[[str], Path], tmp_path: Path) -> None:
    """957608-AN210, section 7: rocm-smi displays no GPU if the driver is not loaded."""
    bundle = shutil.copytree(healthy_bundle("mi300x-4node"), tmp_path / "bundle")
    (bundle / "node1/rocm-smi.out").write_text("")
    modules = bundle / "node1/modules.out"
    modules.write_text("".join(line for line in modules.read_text().splitlines(True) if "amdgpu" not in line))
    plan = build(read(EXAMPLES / "mi300x-4node/cluster.yaml"), load())
    facts = read_facts(bundle)
    findings = [finding for finding in run(locate(plan, facts), facts) if finding.status in ranking.LISTED]
    assert [(group.check, group.first.cause) for group in ranking.merge_findings(findings)] == [
        ("software.gpu-driver", None),
        *[("gpu.presence", "software.gpu-driver")] * 8,
    ]
    assert ranking.counts(findings)[Status.FAIL] == 1


def test_settings_of_an_rdma_device_are_not_read_because_the_nic_has_none() -> None:
    changes: dict = {
        (N, "nic.rdma_device"): "",
        (N, "nic.rdma_mtu"): None,
        (N, "nic.qos.ecn"): None,
        (N, "nic.ring.rx"): None,  # of the network interface, which exists
    }
    findings = run(small.PLAN, small.facts(changes))
    assert [
        (finding.check, finding.status, finding.cause)
        for finding in findings
        if finding.status is not Status.PASS
        if finding.status is not Status.SKIP
    ] == [
        ("nic.congestion-control", "unknown", "nic.rdma-name"),
        ("nic.rdma-mtu", "unknown", "nic.rdma-name"),
        ("nic.rdma-name", "fail", None),
        ("nic.ring", "unknown", None),
    ]
    assert _fixes(findings, "nic.rdma-mtu") == ["fix nic.rdma-name first, then check again"]
    assert ranking.counts(findings)[Status.UNKNOWN] == 1


def test_an_rdma_device_is_absent_because_its_driver_is() -> None:
    changes = {
        (N, "nic.rdma_device"): "",
        (small.HOST, "host.rdma_devices"): (),
        (small.HOST.child("module", "bnxt_re"), "module.loaded"): None,
    }
    host = small.PLAN.hosts["node1"]
    nics = {**host.nics, "eth1": replace(host.nics["eth1"], model="broadcom-bcm957608-n2200g")}
    plan = replace(small.PLAN, hosts={**small.PLAN.hosts, "node1": replace(host, nics=nics)})
    findings = small.bad(small.facts(changes), plan)
    assert [(finding.check, finding.status, finding.cause) for finding in findings] == [
        ("nic.rdma-name", "fail", "software.kernel-modules"),
        ("software.kernel-modules", "fail", None),
    ]


def test_a_link_that_is_down_has_no_speed() -> None:
    findings = small.bad(small.facts({(N, "nic.link.up"): False, (N, "nic.link.speed"): None}))
    assert [(finding.check, finding.status, finding.cause) for finding in findings] == [
        ("link.speed", "unknown", "link.up"),
        ("link.up", "fail", None),
    ]


def test_without_a_consequence_an_unverified_reading_only_warns() -> None:
    facts = replace(small.facts({(N, "nic.nvm.dcbx"): True}), unverified=frozenset({("node1", "nic.nvm.dcbx")}))
    assert [(finding.check, finding.status) for finding in small.bad(facts)] == [("nic.nvm-dcbx", "warn")]


def test_other_errors_in_the_kernel_log_stay_findings() -> None:
    changes = {
        (N, "nic.nvm.dcbx"): True,
        (small.HOST, "host.kernel.errors"): small.kernel_errors(
            "infiniband bnxt_re2: Fail to setets rc:-22", "NVRM: Xid 79"
        ),
    }
    causes = {finding.check: finding.cause for finding in small.bad(small.facts(changes))}
    assert causes == {"nic.nvm-dcbx": None, "host.kernel-log": None}


def test_a_cable_with_two_dead_ends_counts_once() -> None:
    changes = {(N, "nic.link.up"): False, (small.PORT, "port.link.up"): False}
    findings = small.bad(small.facts(changes))
    assert {finding.check: finding.cause for finding in findings} == {"link.up": None, "port.up": "link.up"}
    (link,) = (finding for finding in findings if finding.check == "link.up")
    (port,) = (finding for finding in findings if finding.check == "port.up")
    assert (port.cause_device, port.cause_place) == (link.device, link.place)
    assert wording.format_cause([port]) == f"link.up at {wording.format_place(link.device, link.place)}"
    assert wording.format_cause([replace(port, cause_device=None)]) == "link.up"


@pytest.mark.parametrize(
    ("device", "fix"),
    [
        ("rocep29s0", "install the udev rule that keeps the kernel's names"),
        (
            "bnxt_re2",
            f"the kernel has numbered the device: write nic: {{{N.name}: {{rdma_device: bnxt_re2}}}} in the cluster "
            "file, unless a card is missing or in another slot",
        ),
    ],
)
def test_a_number_of_the_kernel_is_not_mended_by_a_udev_rule(device: str, fix: str) -> None:
    assert _fixes(small.bad(small.facts({(N, "nic.rdma_device"): device})), "nic.rdma-name") == [fix]


def test_another_nic_is_no_cause() -> None:
    changes = {(small.OTHER_NIC, "nic.nvm.dcbx"): True, (N, "nic.qos.pfc"): frozenset()}
    causes = {finding.check: finding.cause for finding in small.bad(small.facts(changes))}
    assert causes == {"nic.nvm-dcbx": None, "nic.qos-pfc": None}


def _fixes(findings: list[Finding], check: str) -> list[str]:
    return [fix.sentence for finding in findings if finding.check == check for fix in finding.fix]


def test_every_cause_is_a_check() -> None:
    assert {cause for check in checks().values() for cause in check.causes} <= set(checks())


def test_a_dead_cable_between_switches_counts_once_before_its_bgp_session(tmp_path: Path) -> None:
    plan = build(read(EXAMPLES / "arista-leaf-spine/cluster.yaml"), load())
    cable = next(cable for cable in plan.cables if (cable.a.device, cable.b.device) == ("leaf1", "spine1"))
    devices = dict(plan.devices)
    for end in (cable.a, cable.b):
        switch = plan.switches[end.device]
        port = switch.ports[end.port]
        peer = next(peer for peer in switch.peers if find_peer_port(plan, end.device, peer)[0] == end.port)
        devices[end.device] = replace(
            switch,
            ports={**switch.ports, end.port: replace(port, link=replace(port.link, up=False))},
            peers={**switch.peers, peer: replace(switch.peers[peer], state="Idle")},
        )
    write_simulated_bundle(devices, plan.name, tmp_path / "bundle")
    facts = read_facts(tmp_path / "bundle")
    findings = [finding for finding in run(locate(plan, facts), facts) if finding.status in ranking.LISTED]
    cause = ("port.up", "leaf1", f"port {cable.a.port}")
    assert [
        (group.check, group.first.device, (group.first.cause, group.first.cause_device, group.first.cause_place))
        for group in ranking.merge_findings(findings)
    ] == [
        ("port.up", "leaf1", (None, None, None)),
        ("fabric.bgp-session", "leaf1", cause),
        ("fabric.bgp-session", "spine1", cause),
        ("port.up", "spine1", cause),
    ]
    assert ranking.counts(findings)[Status.FAIL] == 1


def test_no_check_causes_itself_over_others() -> None:
    causes = {name: set(check.causes) - {name} for name, check in checks().items()}
    while len(causes) > len(
        reduced_causes := {name: near & set(causes) for name, near in causes.items() if near & set(causes)}
    ):
        causes = reduced_causes
    assert causes == {}
