"""Causes of the bad pairs of a mesh: common members, likely cause, what to check next."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from wirespeed.benchmarks import parse
from wirespeed.benchmarks.endpoints.fabric import Endpoint
from wirespeed.benchmarks.run import Fabric, build_fabric
from wirespeed.benchmarks.run.mesh.result import find_route, mesh
from wirespeed.catalogue import load
from wirespeed.checks import checks
from wirespeed.cluster import read
from wirespeed.plan import Plan, build
from wirespeed.results.mesh import Mesh

EXAMPLES = Path(__file__).parents[3] / "examples"
PairOutput = Callable[[Endpoint, Endpoint], tuple[str, str, int | None] | None]
"""Of a pair: lines of its route and its ping, and the exit code of a small one; None: all is well."""

NO_REPLY = "1 packets transmitted, 0 received, 100% packet loss, time 0ms"
MTU_FAIL = (
    "ping: local error: message too long, mtu=1500\n1 packets transmitted, 0 received, +1 errors, 100% packet loss"
)


def build_plan(example: str) -> Plan:
    return build(read(EXAMPLES / example / "cluster.yaml"))


def route_line(plan: Plan, a: Endpoint, b: Endpoint, table: str | None = None) -> str:
    route = find_route(plan.hosts[a.host], a, b)
    assert route is not None
    gateway, device, number = route
    via = f"via {gateway} " if gateway else ""
    return f"{b.address} from {a.address} {via}dev {device} table {table or number} uid 0"


def matrix(plan: Plan, fabric: Fabric, bad: PairOutput) -> Mesh:
    lines = []
    pairs = [(a, b) for a in fabric.endpoints for b in fabric.endpoints if a.host != b.host and a.fabric == b.fabric]
    for a, b in pairs:
        route, ping, small = bad(a, b) or ("", "", None)
        lines += [
            f"mesh ping from {a.host}: 1 pairs",
            f"mesh pair {a.name} -> {b.name}",
            route or route_line(plan, a, b),
            ping or "1 packets transmitted, 1 received, 0% packet loss, time 0ms",
            f"mesh small {'-' if small is None else small}",
            f"mesh end {1 if ping else 0}",
            "mesh done",
        ]
    return mesh(plan, fabric, parse("\n".join(lines) + "\n"), ("ping", "route"))


def with_nic(name: str, *lines: object) -> PairOutput:
    return lambda a, b: lines if name in (a.name, b.name) else None  # type: ignore[return-value]


def format_causes(mesh: Mesh) -> list[str]:
    return [
        f"{cause.aspect}: {cause.name}{f' at {cause.port}' if cause.port else ''}: {cause.bad} of {cause.pairs}: "
        f"{' '.join(cause.checks)}: {' '.join(cause.failures)}"
        for cause in mesh.causes
    ]


EXAMPLE = "mi300x-4node"
MTU = "link.mtu port.mtu port.vlan-mtu: SW-01 OS-07"
DEAD = "link.up port.up address.nic address.route address.rule: CAB-01 RT-10 OS-05"
NETWORK_CHECKS = "port.up fabric.bgp-session fabric.bgp-networks: RT-10 RT-05"


@pytest.mark.parametrize(
    ("example", "hosts", "bad", "expected"),
    [
        (EXAMPLE, 4, lambda a, b: None, []),
        (
            EXAMPLE,
            4,
            with_nic("node2:bnxt_re3", "", MTU_FAIL, 0),
            [f"ping: NIC node2:bnxt_re3 at leaf1:Eth1/12: 48 of 48: {MTU}"],
        ),
        (
            EXAMPLE,
            2,
            with_nic("node2:bnxt_re3", "", NO_REPLY, 1),
            [f"ping: NIC node2:bnxt_re3 at leaf1:Eth1/12: 16 of 16: {DEAD}"],
        ),
        (
            EXAMPLE,
            4,
            lambda a, b: ("", NO_REPLY, 1) if "node3" in (a.host, b.host) else None,
            [f"ping: host node3: 384 of 384: {DEAD}"],
        ),
        (
            EXAMPLE,
            4,
            lambda a, b: (
                ("", NO_REPLY, 1) if {a.host, b.host} == {"node1", "node4"} and a.rail == b.rail == 5 else None
            ),
            [f"ping: pair node1:bnxt_re4 and node4:bnxt_re4: 2 of 2: {NETWORK_CHECKS}"],
        ),
        (
            "arista-leaf-spine",
            4,
            lambda a, b: ("", NO_REPLY, 1) if {a.leaf, b.leaf} == {"leaf1", "leaf2"} else None,
            [f"ping: leaves leaf1 and leaf2: 8 of 8: {NETWORK_CHECKS}"],
        ),
    ],
    ids=["well", "mtu", "link", "host", "pair", "leaves"],
)
def test_bad_pings_are_explained_by_the_fewest_causes(
    example: str, hosts: int, bad: PairOutput, expected: list[str]
) -> None:
    plan = build_plan(example)
    assert format_causes(matrix(plan, build_fabric(plan).limit_to_hosts(list(plan.hosts)[:hosts]), bad)) == expected


def test_a_missing_rule_is_the_row_of_its_nic() -> None:
    plan = build_plan(EXAMPLE)
    fabric = build_fabric(plan).limit_to_hosts(["node1", "node2"])
    name = "node1:bnxt_re2"
    mesh = matrix(plan, fabric, lambda a, b: (route_line(plan, a, b, "103"), "", None) if a.name == name else None)
    assert format_causes(mesh) == []  # 103 is what is planned
    mesh = matrix(plan, fabric, lambda a, b: (route_line(plan, a, b, "101"), "", None) if a.name == name else None)
    assert format_causes(mesh) == [
        f"route: NIC {name} as sender at leaf1:Eth1/3: 8 of 8: address.rule address.route: OS-05"
    ]


def test_what_is_cited_exists() -> None:
    from wirespeed.benchmarks.run.mesh import causes as mesh_causes

    signs = [var for var in vars(mesh_causes).values() if isinstance(var, mesh_causes._Sign)]
    assert len(signs) == 10
    assert {check for sign in signs for check in sign.checks} - checks().keys() == set()
    assert {failure for sign in signs for failure in sign.failures} - load().failures.keys() == set()
