"""Routes and rules that an administrator or a daemon adds to a host with two rails, and what a kernel makes of them.

`kernel_routes.json` has, for each case, what iproute2 printed in a network namespace with the planned addresses, routes
and rules of the host, after the commands of the case, and `ip route get` for each rail;
tests/netns/test_routing_cases.py records it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirespeed.cluster import read_text
from wirespeed.plan import Plan, build

RECORD = Path(__file__).with_name("kernel_routes.json")
HOST = "node1"
RAILS = ("enp29s0np0", "enp67s0np0")
MANAGEMENT = ("address add 172.16.0.2/24 dev mgmt", "route add default via 172.16.0.1")
SCHEMES = {
    "link-31": "{scheme: link-31, pool: 10.1.0.0/16}",
    "link-127": '{scheme: link-127, pool: "fd00:0:0:1::/64"}',
    "rail-24": "{scheme: rail-24}",
}
_CLUSTER = """\
version: 1
name: two-rails
hosts:
  node[1-3]: {model: dell-xe9680-mi300x, os: ubuntu-22.04, nics: 2 x broadcom-bcm957608-p1400gd}
switches:
  leaf1: {model: dell-z9664f, os: dell-sonic, role: leaf}
cabling: {pattern: by-host, cable: dac-400g, length: 3 m}
addresses: ADDRESSES
classes:
  roce: {dscp: 26, priority: 3, lossless: true, share: 50%, congestion: dcqcn-p}
  cnp: {dscp: 48, priority: 7, strict: true}
"""


def plan_two_rails(scheme: str) -> Plan:
    return build(read_text(_CLUSTER.replace("ADDRESSES", SCHEMES[scheme]), "cluster.yaml"))


@dataclass(frozen=True, slots=True)
class Case:
    """Commands of `ip`, and the destination that `ip route get` asks for."""

    id: str
    commands: tuple[str, ...]
    destination: str
    scheme: str = "link-31"


NODE3 = "10.1.0.9"  # rail 1 of node3
CASES: tuple[Case, ...] = (
    Case("as planned, with a default route via management", (), NODE3),
    Case("blackhole in a rail's table", ("route add blackhole 10.1.0.8/30 table 101",), NODE3),
    Case("unreachable in a rail's table", ("route add unreachable 10.1.0.9/32 table 101",), NODE3),
    Case("prohibit in a rail's table", ("route add prohibit 10.1.0.4/30 table 102",), "10.1.0.5"),
    Case("blackhole in the local table", ("route add blackhole 10.1.0.9/32 table local",), NODE3),
    Case("throw to a route of the first rail", ("route add throw 10.1.0.8/31 table 102",), NODE3),
    Case("throw to the same next hop", ("route add throw 10.1.0.8/31 table 101",), NODE3),
    Case(
        "more specific over another rail",
        ("route add 10.1.0.8/31 via 10.1.0.2 dev enp67s0np0 table 101",),
        NODE3,
    ),
    Case("more specific over management", ("route add 10.1.0.8/29 via 172.16.0.1 dev mgmt table 101",), NODE3),
    Case("more specific without the gateway", ("route add 10.1.0.8/31 dev enp29s0np0 table 101",), NODE3),
    Case("more specific to the same next hop", ("route add 10.1.0.8/31 via 10.1.0.0 table 101",), NODE3),
    Case(
        "two next hops",
        ("route add 10.1.0.8/31 table 101 nexthop via 10.1.0.0 dev enp29s0np0 nexthop via 10.1.0.2 dev enp67s0np0",),
        "10.1.0.5",  # for the others the kernel hashes between the two next hops
    ),
    Case(
        "unreachable default behind the planned one",
        ("route add unreachable default metric 4278198272 table 101",),
        NODE3,
    ),
    Case("blackhole in the main table", ("route add blackhole 10.1.0.8/30",), NODE3),
    Case("more specific over management in the main table", ("route add 10.1.0.9/32 via 172.16.0.1",), NODE3),
    Case("wide blackhole in the main table", ("route add blackhole 10.1.0.0/16",), NODE3),
    Case("wide route over management in the main table", ("route add 10.1.0.0/16 via 172.16.0.1",), NODE3),
    Case(
        "wide route over one rail in the main table",
        (
            "route del 10.1.0.0/28 dev enp29s0np0",
            "route del 10.1.0.0/28 dev enp67s0np0",
            "route add 10.1.0.0/16 via 10.1.0.0 dev enp29s0np0",
        ),
        NODE3,
    ),
    Case(
        "wide route over one rail without the gateway",
        (
            "route del 10.1.0.0/28 dev enp29s0np0",
            "route del 10.1.0.0/28 dev enp67s0np0",
            "route add 10.1.0.0/16 dev enp29s0np0",
        ),
        NODE3,
    ),
    Case("planned, IPv6", (), "fd00:0:0:1::9", scheme="link-127"),
    Case(
        "blackhole of a lower metric, IPv6",
        ("-6 route add blackhole default metric 512 table 101",),
        "fd00:0:0:1::9",
        scheme="link-127",
    ),
    Case(
        "more specific over another rail, IPv6",
        ("-6 route add fd00:0:0:1::8/127 via fd00:0:0:1::2 dev enp67s0np0 table 101",),
        "fd00:0:0:1::9",
        scheme="link-127",
    ),
    Case("planned, one subnet for each rail", (), "192.168.1.3", scheme="rail-24"),
    Case(
        "more specific through the gateway of the subnet",
        ("route add 192.168.1.3/32 via 192.168.1.254 dev enp29s0np0 table 101",),
        "192.168.1.3",
        scheme="rail-24",
    ),
    Case(
        "unreachable in the main table, one subnet for each rail",
        ("route add unreachable 192.168.2.0/25",),
        "192.168.2.3",
        scheme="rail-24",
    ),
)


def load_record() -> dict[str, Any]:
    """What was recorded, by case. Outputs that are as in the first case of the scheme are recorded there alone."""
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}


def list_outputs(record: Mapping[str, Any], case: Case) -> dict[str, Any]:
    """Outputs of a case, by the id of their command."""
    return {**record[find_first_case(case).id]["outputs"], **record[case.id]["outputs"]}


def find_first_case(case: Case) -> Case:
    return next(entry for entry in CASES if entry.scheme == case.scheme)
