"""Findings that follow from others name their cause; the cause comes first and counts once."""

from __future__ import annotations

from dataclasses import replace

import small_cluster as small

from wirespeed.checks import checks
from wirespeed.report import ranking, wording
from wirespeed.results.findings import Finding, Status
from wirespeed.settings import Discipline, Dscp, NicTrafficClass, Priority

N = small.NIC
# Broadcom 957608-AN210, 5.1 question 5: what a NIC with firmware DCBX prints, and the driver's messages
QUESTION_5: dict = {
    (N, "nic.nvm.dcbx"): True,
    (N, "nic.qos.priority_tc"): {Priority(n): NicTrafficClass(0) for n in range(8)},
    (N, "nic.qos.tc_discipline"): {NicTrafficClass(n): Discipline.STRICT for n in range(8)},
    (N, "nic.qos.pfc"): frozenset(),
    (N, "nic.qos.dscp_priority"): dict.fromkeys(map(Dscp, range(64)), Priority(0)),
    (small.HOST, "host.kernel.errors"): (
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


def test_without_a_consequence_an_unverified_reading_only_warns() -> None:
    facts = replace(small.facts({(N, "nic.nvm.dcbx"): True}), unverified=frozenset({("node1", "nic.nvm.dcbx")}))
    assert [(finding.check, finding.status) for finding in small.bad(facts)] == [("nic.nvm-dcbx", "warn")]


def test_other_errors_in_the_kernel_log_stay_findings() -> None:
    changes = {
        (N, "nic.nvm.dcbx"): True,
        (small.HOST, "host.kernel.errors"): ("infiniband bnxt_re2: Fail to setets rc:-22", "NVRM: Xid 79"),
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


def test_another_nic_is_no_cause() -> None:
    changes = {(small.OTHER_NIC, "nic.nvm.dcbx"): True, (N, "nic.qos.pfc"): frozenset()}
    causes = {finding.check: finding.cause for finding in small.bad(small.facts(changes))}
    assert causes == {"nic.nvm-dcbx": None, "nic.qos-pfc": None}


def _fixes(findings: list[Finding], check: str) -> list[str]:
    return [fix.sentence for finding in findings if finding.check == check for fix in finding.fix]


def test_every_cause_is_a_check() -> None:
    assert {cause for check in checks().values() for cause in check.causes} <= set(checks())
