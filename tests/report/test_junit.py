"""JUnit XML: what each status becomes, and that any text gives well-formed XML."""

import dataclasses
from xml.etree import ElementTree

import history_sample
import pytest
import report_sample as sample
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.report import junit
from wirespeed.results.findings import Status
from wirespeed.results.report import Report
from wirespeed.results.topology import Topology

EMPTY = Report("empty", None, Topology((), ()))


def parse_report(**content):
    return ElementTree.fromstring(junit.text(dataclasses.replace(EMPTY, **content)))


def outcome(status):
    finding = dataclasses.replace(sample.WIDTH, status=status)
    case = parse_report(findings=(finding,)).find("testsuite/testcase")
    return [(child.tag, child.get("type"), child.get("message")) for child in case]


MESSAGE = "the NIC's PCIe link is narrower than its slot: 8 lanes"


@pytest.mark.parametrize(
    ("status", "children"),
    [
        (Status.PASS, []),
        (Status.WARN, [("system-out", None, None)]),
        (Status.FAIL, [("failure", "fail", MESSAGE)]),
        (Status.UNKNOWN, [("error", "unknown", MESSAGE)]),
        (Status.ERROR, [("error", "error", MESSAGE)]),
        (Status.SKIP, [("skipped", None, MESSAGE)]),
    ],
)
def test_what_a_status_becomes(status, children):
    assert outcome(status) == children


DETAILS = """\
the NIC's PCIe link is narrower than its slot
expected: 16 lanes
found: 8 lanes
estimated impact: -197 Gb/s
evidence: node1: lspci -vvv, node1/lspci.out:412
fix: Reseat the NIC and its riser (the host goes down)"""


def test_a_failure_states_everything():
    case = parse_report(findings=(sample.WIDTH,)).find("testsuite/testcase")
    assert (case.get("classname"), case.get("name")) == ("nic.pcie-width", "node1:enp29s0np0 (bnxt_re0, 0000:1d:00.0)")
    assert case.find("failure").text == DETAILS


def test_suites_are_devices_and_runs_with_counts():
    root = ElementTree.fromstring(junit.text(sample.REPORT))
    fields = ("name", "tests", "failures", "errors", "skipped", "timestamp")
    assert [tuple(suite.get(field) for field in fields) for suite in root] == [
        ("node1", "2", "1", "0", "0", "2026-11-20T10:00:00Z"),
        ("node2", "4", "1", "2", "0", "2026-11-20T10:00:00Z"),
        ("leaf1", "2", "0", "1", "1", "2026-11-20T10:00:00Z"),
        ("All-reduce, 16 GPUs (bench/all_reduce.log)", "5", "0", "0", "0", "2026-11-20T10:00:00Z"),
    ]
    assert [root.get(field) for field in fields[1:5]] == ["13", "2", "3", "1"]


def test_a_place_that_is_the_device_itself_has_a_name():
    case = parse_report(findings=(dataclasses.replace(sample.WIDTH, place=""),)).find("testsuite/testcase")
    assert case.get("name") == "node1"


@given(st.text(st.characters()))
def test_any_device_text_gives_well_formed_xml(text):
    finding = dataclasses.replace(sample.WIDTH, place=text, summary=text, found=text, evidence=(text,))
    assert parse_report(cluster=text, findings=(finding,)).get("tests") == "1"


def test_peers_and_comparisons_are_suites():
    root = ElementTree.fromstring(junit.text(history_sample.WHOLE))
    suites = {suite.get("name"): suite for suite in root.iter("testsuite")}
    compared = suites["week-1 to week-2"]
    assert [compared.get(name) for name in ("tests", "failures", "errors")] == ["4", "1", "1"]
    outcomes = {
        case.get("name"): next((child.tag for child in case), "passed")
        for suite in root.iter("testsuite")
        if (suite.get("name") or "").startswith("peers: ")
        for case in suite
    }
    assert outcomes["rail 3 all"] == "failure"  # confirmed
    assert outcomes["host node2 all"] == "error"  # slow once
    assert outcomes["all"] == "passed"
