"""Counters of a mesh: a NIC that transferred less than the answered pings was bypassed."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.benchmarks import parse
from wirespeed.benchmarks.run import ByteCounters, add_counters, build_fabric
from wirespeed.benchmarks.run.mesh.result import mesh
from wirespeed.cluster import read
from wirespeed.plan import build
from wirespeed.results.campaign import Grade
from wirespeed.results.mesh import Mesh

PLAN = build(read(Path(__file__).parents[3] / "examples" / "mi300x-4node" / "cluster.yaml"))
FABRIC = build_fabric(PLAN).limit_to_hosts(["node1", "node2"])
ENDS = {(endpoint.host, endpoint.interface): endpoint.name for endpoint in FABRIC.endpoints}
NIC = "node1:bnxt_re2"
WHOLE = 16 * 9000
"""A request and a reply with each of the eight NICs of the other host: sixteen packets of the MTU in each direction."""


def mesh_without(*silent: str) -> Mesh:
    """All pairs but those of some NICs came back."""
    text = ""
    for a in FABRIC.endpoints:
        for b in FABRIC.endpoints:
            if a.host != b.host:
                lost_count = 1 if {a.name, b.name} & set(silent) else 0
                text += f"mesh ping from {a.host}: 1 pairs\nmesh pair {a.name} -> {b.name}\n"
                text += f"1 packets transmitted, {1 - lost_count} received, {100 * lost_count}% packet loss\n"
                text += f"mesh end {lost_count}\nmesh done\n"
    return mesh(PLAN, FABRIC, parse(text), ("ping", "route"))


def grade_by_counters(
    moved: dict[str, tuple[int, int]], *silent: str, lacking: str = ""
) -> tuple[dict[str, Grade], list[str]]:
    before = {end: ByteCounters(5000, 7000) for end in ENDS}
    after = {}
    for end, name in ENDS.items():
        sent_bytes, received = moved.get(name, (WHOLE, WHOLE))
        if name != lacking:
            after[end] = ByteCounters(5000 + sent_bytes, 7000 + received)
    mesh = add_counters(PLAN, FABRIC, mesh_without(*silent), before, after)
    grades = {link.nic: link.grade for link in mesh.carried if link.grade is not Grade.GOOD}
    named = [f"{cause.name} at {cause.port}: {' '.join(cause.failures)}: {cause.symptom}" for cause in mesh.causes]
    return grades, [link for link in named if link.startswith("NIC") and " as " in link and "bytes" in link]


def test_what_was_moved_by_the_nic_itself_is_good() -> None:
    assert grade_by_counters({}) == ({}, [])


@pytest.mark.parametrize(
    ("moved", "causes"),
    [
        (
            {NIC: (300, WHOLE), "node1:bnxt_re7": (2 * WHOLE, WHOLE)},
            [
                f"NIC {NIC} as sender at leaf1:Eth1/3: OS-05: sent 300 of at least 144000 bytes, node1:bnxt_re7 144000 "
                "more than it had to: packets from its address leave through another NIC: a rule or a route is not "
                "as planned"
            ],
        ),
        (
            {NIC: (WHOLE, 0)},
            [
                f"NIC {NIC} as receiver at leaf1:Eth1/3: OS-04: received 0 of at least 144000 bytes: packets to its "
                "address arrive at another NIC: other hosts have that NIC's MAC address for it"
            ],
        ),
    ],
)
def test_what_went_round_a_nic_is_bad(moved: dict[str, tuple[int, int]], causes: list[str]) -> None:
    assert grade_by_counters(moved) == ({NIC: Grade.BAD}, causes)


def test_a_nic_that_answered_nobody_or_was_not_read_is_unknown() -> None:
    assert grade_by_counters({NIC: (0, 0)}, NIC) == ({NIC: Grade.UNKNOWN}, [])
    assert grade_by_counters({}, lacking=NIC) == ({NIC: Grade.UNKNOWN}, [])
