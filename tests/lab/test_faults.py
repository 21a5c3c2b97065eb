"""Faults of clusters, injected in a lab: the affected pairs, the cause that is found, and the removal of the fault."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from labs import built
from typer.testing import CliRunner

from needs import needs
from wirespeed import lab
from wirespeed.cli.app import app
from wirespeed.errors import Refusal
from wirespeed.lab.faults import kinds
from wirespeed.plan import Plan

pytestmark = pytest.mark.lab

CLUSTER = "mi300x-4node/cluster.yaml"
RAIL24 = "mi300x-4node/cluster-rail24.yaml"

NIC = "NIC node2:bnxt_re3"
PORT = "leaf1:Eth1/12"
PLACE = ("--device", "node2", "--port", "bnxt_re3")
LARGE = "packets of the planned size are lost and small ones come back: an MTU on the path is too small"
DEAD = "no reply to large or small packets: a link is down, or an address or a route is missing"
NOWHERE = "the kernel has no route: the link is down, or the address, its rule or its route is missing"
OTHER_ROUTE = (
    "the kernel uses another route than planned: a rule or a route is missing, or another one takes precedence"
)
DIVERTED = (
    "sent N of at least N bytes, node2:bnxt_re0 N more than it had to: packets from its address leave through another "
    "NIC: a rule or a route is not as planned"
)

# The fault, where, how many of 128 pairs have a bad ping and a bad route, and the causes: aspect, name, port, text.
ROWS = [
    ("mtu", PLACE, 16, 0, [("ping", NIC, PORT, LARGE)]),
    (
        "port-down",
        ("--device", "leaf1", "--port", "Eth1/12"),
        16,
        8,
        [("ping", NIC, PORT, DEAD), ("route", f"{NIC} as sender", PORT, NOWHERE)],
    ),
    # Pings come back: packets without a rule leave by rail 1.
    (
        "missing-rule",
        PLACE,
        0,
        8,
        [("route", f"{NIC} as sender", PORT, OTHER_ROUTE), ("carried", f"{NIC} as sender", PORT, DIVERTED)],
    ),
]

ADDRESS = "10.1.0.23"
FAULT_LOCATION = "node2 bnxt_re3 / enp105s0np0"
# All findings of `collect` and `check` for each fault that are warn, fail or error.
FINDINGS = [
    ("mtu", ["port.mtu leaf1 port Eth1/12: 1500 bytes"]),
    (
        "port-down",
        [
            f"address.nic {FAULT_LOCATION}: none",
            "address.route node2 route 10.1.0.0/26 metric 2004 of table 254: absent",
            "address.route node2 route default of table 104: absent",
            f"address.rule node2 nic enp105s0np0 rule from {ADDRESS}/32: absent",
            f"link.up {FAULT_LOCATION}: down",
            "port.up leaf1 port Eth1/12: disabled",
        ],
    ),
    ("missing-rule", [f"address.rule node2 nic enp105s0np0 rule from {ADDRESS}/32: absent"]),
]


@pytest.fixture(scope="module")
def two_hosts() -> Iterator[tuple[Plan, lab.Lab]]:
    """Two hosts and their leaf."""
    with built(CLUSTER, 2, "fault") as built_lab:
        yield built_lab


def run_lab(*arguments: str, expected: int = 0) -> str:
    result = CliRunner().invoke(app, ["lab", *arguments])
    assert result.exit_code == expected, result.output
    return result.stdout


def ping_all(built_lab: lab.Lab, expected: int = 0) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(
        run_lab("ping", "--name", built_lab.name, "--format", "json", expected=expected)
    )
    return document


def bad(mesh: dict[str, Any], aspect: str) -> int:
    return "".join(mesh["rows"][aspect]).count("x")


def causes(mesh: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """Counts of bytes differ between runs: they read ``N``."""
    return [
        (cause["aspect"], cause["name"], cause["port"], re.sub(r"(?<= )\d+(?= )", "N", cause["symptom"]))
        for cause in mesh["causes"]
    ]


def test_a_lab_without_faults_is_good_throughout(two_hosts: tuple[Plan, lab.Lab]) -> None:
    mesh = ping_all(two_hosts[1])
    assert (mesh["kind"], len(mesh["nics"])) == ("bench-mesh", 16)
    assert mesh["rows"]["ping"] == mesh["rows"]["route"] == ["        ........"] * 8 + ["........        "] * 8
    assert {link["grade"] for link in mesh["carried"]} == {"good"}
    assert (mesh["causes"], mesh["not_good"]) == ([], [])


@pytest.mark.parametrize(("kind", "options", "pings", "routes", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_a_fault_is_found_by_pings_and_can_be_taken_back(
    two_hosts: tuple[Plan, lab.Lab],
    kind: str,
    options: tuple[str, ...],
    pings: int,
    routes: int,
    expected: list[tuple[str, str, str, str]],
) -> None:
    _, built_lab = two_hosts
    try:
        run_lab("fault", kind, *options, "--name", built_lab.name)
        assert [fault.kind for fault in lab.find(built_lab.name).state.faults] == [kind]
        mesh = ping_all(built_lab, expected=1)
        assert (bad(mesh, "ping"), bad(mesh, "route")) == (pings, routes)
        assert causes(mesh) == expected
    finally:
        assert run_lab("fault", "--undo", "--name", built_lab.name).startswith(f"removed: {kind} on ")
    assert ping_all(built_lab)["causes"] == []


def find_problems(built_lab: lab.Lab, folder: Path) -> list[dict[str, Any]]:
    """What check finds wrong in what collect finds in a lab."""
    bundle = str(folder / "bundle")
    result = CliRunner().invoke(app, ["collect", "--lab", built_lab.name, "-o", bundle])
    assert result.exit_code == 0, result.output
    result = CliRunner().invoke(app, ["check", built_lab.state.file, bundle, "--format", "json"])
    assert result.exit_code in (1, 3), result.output  # much of a lab is unknown: only its network is its own
    findings: list[dict[str, Any]] = json.loads(result.stdout)["findings"]
    return [finding for finding in findings if finding["status"] in ("warn", "fail", "error")]


def short(findings: list[dict[str, Any]]) -> list[str]:
    return sorted(
        f"{finding['check']} {finding['device']} {finding['place']}: {finding['found']}" for finding in findings
    )


def test_check_finds_nothing_wrong_in_a_lab_without_faults(two_hosts: tuple[Plan, lab.Lab], tmp_path: Path) -> None:
    assert short(find_problems(two_hosts[1], tmp_path)) == []


@pytest.mark.parametrize(("kind", "expected"), FINDINGS, ids=[row[0] for row in FINDINGS])
def test_collect_and_check_name_a_fault(
    two_hosts: tuple[Plan, lab.Lab], tmp_path: Path, kind: str, expected: list[str]
) -> None:
    _, built_lab = two_hosts
    try:
        run_lab("fault", kind, *PLACE, "--name", built_lab.name)
        assert short(find_problems(built_lab, tmp_path)) == expected
    finally:
        run_lab("fault", "--undo", "--name", built_lab.name)


def test_collect_and_check_name_a_spine_that_is_off(tmp_path: Path) -> None:
    with built("arista-leaf-spine/cluster.yaml", 4, "spine") as (plan, built_lab):
        assert short(find_problems(built_lab, tmp_path)) == []
        run_lab("fault", "dead-spine", "--device", "spine2", "--name", built_lab.name)
        assert ping_all(built_lab)["causes"] == []  # the other spine carries everything
        findings = short(find_problems(built_lab, tmp_path))
        ports = {
            f"{end.device} port {end.port}"
            for cable in plan.cables
            for end, other_end in ((cable.a, cable.b), (cable.b, cable.a))
            if other_end.device == "spine2"
        }
        assert {finding.removesuffix(": down") for finding in findings if "port.up" in finding} == {
            f"port.up {port}" for port in ports
        }
        sessions = [finding for finding in findings if "port.up" not in finding]
        assert len(sessions) == len(ports)
        assert all(
            session.startswith(("fabric.bgp-session leaf1 port ", "fabric.bgp-session leaf2 port "))
            for session in sessions
        )


@pytest.mark.parametrize("cluster", [CLUSTER, RAIL24])
def test_one_subnet_is_not_seen_by_pings_but_by_counters_and_the_plan_cures_it(cluster: str, tmp_path: Path) -> None:
    needs("arping")
    with built(cluster, 2, "arp") as (_, built_lab):
        output = run_lab("fault", "one-subnet", "--name", built_lab.name)
        address_line, reply_line = output.splitlines()[1:]
        prefix = "node1 resolves 8 addresses of node2 to "
        assert address_line.startswith(prefix) and not address_line.startswith(f"{prefix}8 ")
        assert reply_line == "8 NICs of node2 replied to ARP for 198.18.2.8 (arping)"
        mesh = ping_all(built_lab, expected=1)
        assert (bad(mesh, "ping"), bad(mesh, "route")) == (0, 0)
        assert {(cause["aspect"], tuple(cause["failures"])) for cause in mesh["causes"]} == {("carried", ("OS-04",))}
        assert all(cause["name"].endswith(" as receiver") for cause in mesh["causes"])
        found = {
            (problem["check"], problem["device"])
            for problem in find_problems(built_lab, tmp_path)
            if problem["device"] in built_lab.hosts
        }
        assert found == {(check, host) for check in ("address.arp", "address.neighbour") for host in built_lab.hosts}
        output = run_lab("fault", "one-subnet", "--mitigate", "--name", built_lab.name)
        assert output.splitlines()[1:] == [
            "node1 resolves 8 addresses of node2 to 8 MAC addresses (ip neigh)",
            "1 NIC of node2 replied to ARP for 198.18.2.8 (arping)",
        ]
        assert ping_all(built_lab)["causes"] == []
        assert [problem for problem in find_problems(built_lab, tmp_path) if problem["device"] in built_lab.hosts] == []
        assert run_lab("fault", "--undo", "--name", built_lab.name) == "removed: one-subnet on leaf1; mitigated\n"
        assert ping_all(built_lab)["causes"] == []


def test_a_fault_that_cannot_be_made_leaves_nothing(two_hosts: tuple[Plan, lab.Lab]) -> None:
    plan, built_lab = two_hosts
    built_lab.run("node1", "ip", "rule", "del", "priority", "1002")
    try:
        with pytest.raises(Refusal, match="RTNETLINK answers: No such file or directory"):
            lab.make_fault(built_lab.name, plan, "missing-rule", "node1", "bnxt_re1")
        assert lab.find(built_lab.name).state.faults == ()
    finally:
        built_lab.run("node1", "ip", "rule", "add", "from", "10.1.0.3", "table", "102", "priority", "1002")


def test_an_existing_or_impossible_fault_is_refused(two_hosts: tuple[Plan, lab.Lab]) -> None:
    plan, built_lab = two_hosts
    refusals = {
        ("mtus", None, None): r"(?s)the fault 'mtus'.*did you mean 'mtu'\?",
        ("mtu", "node9", None): "no device 'node9'",
        ("mtu", "node1", "bnxt_re9"): "--port: found 'bnxt_re9'; expected a port with a cable to a host",
        ("dead-spine", None, None): "no switch above the leaves",
        ("one-subnet", "node1", None): "--device: found node1, which has no two hosts with several NICs",
    }
    for (kind, device, port), text in refusals.items():
        with pytest.raises(Refusal, match=text):
            lab.make_fault(built_lab.name, plan, kind, device, port)
    lab.make_fault(built_lab.name, plan, "mtu")
    with pytest.raises(Refusal, match=r"the fault mtu on leaf1:Eth1/1; expected no such fault"):
        lab.make_fault(built_lab.name, plan, "mtu")
    with pytest.raises(Refusal, match=r"the fault mtu on leaf1:Eth1/1 still to be removed"):
        lab.mitigate(built_lab.name, "mtu")
    assert [undo_fault.title for undo_fault in lab.undo_faults(built_lab.name)] == ["mtu on leaf1:Eth1/1"]


def test_help_and_list_name_every_kind(two_hosts: tuple[Plan, lab.Lab]) -> None:
    listed = run_lab("fault", "--name", two_hosts[1].name)
    help_ = " ".join(run_lab("fault", "--help").split())
    for kind in kinds().values():
        assert kind.title in listed and kind.title in help_ and kind.manual.endswith(".")
