"""Grades of a mesh for a pair: good, bad, or not known, never better than what was printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.benchmarks import parse
from wirespeed.benchmarks.run import build_fabric
from wirespeed.benchmarks.run.mesh.result import mesh
from wirespeed.cluster import read
from wirespeed.plan import build
from wirespeed.results.campaign import Grade

PLAN = build(read(Path(__file__).parents[3] / "examples" / "mi300x-4node" / "cluster.yaml"))
FABRIC = build_fabric(PLAN).limit_to_hosts(["node1", "node2"])
PAIR = ("node1:bnxt_re0", "node2:bnxt_re0")
ROUTE = "10.1.0.17 from 10.1.0.1 via 10.1.0.0 dev enp29s0np0 table 101 uid 0 \\    cache "
STATISTICS = "--- 10.1.0.17 ping statistics ---\n3 packets transmitted, {0} received, 0% packet loss, time 4ms"


def cell(*lines: str, kind: str = "ping") -> tuple[dict[str, Grade], tuple[str, ...]]:
    text = "\n".join([f"mesh {kind} from node1: 1 pairs", f"mesh pair {PAIR[0]} -> {PAIR[1]}", *lines, "mesh done\n"])
    cell = mesh(PLAN, FABRIC, parse(text)).cells[PAIR]
    return dict(cell.grades), cell.details


@pytest.mark.parametrize(
    ("lines", "ping", "route", "failures"),
    [
        ((ROUTE, STATISTICS.format(3), "mesh end 0"), Grade.GOOD, Grade.GOOD, ()),
        ((ROUTE, STATISTICS.format(2), "mesh end 0"), Grade.BAD, Grade.GOOD, ("ping: 1 packets lost",)),
        (
            (ROUTE, "sh: 1: ping: not found", "mesh end 127"),
            Grade.UNKNOWN,
            Grade.GOOD,
            ("ping: ping is not installed",),
        ),
        (
            ("sh: 1: ip: not found", STATISTICS.format(3), "mesh end 0"),
            Grade.GOOD,
            Grade.UNKNOWN,
            ("route: no route was printed",),
        ),
        (
            (ROUTE.replace("table 101", "table 102"), STATISTICS.format(3), "mesh end 0"),
            Grade.GOOD,
            Grade.BAD,
            ("route: planned via 10.1.0.0 dev enp29s0np0 table 101, found via 10.1.0.0 dev enp29s0np0 table 102",),
        ),
        (
            ("RTNETLINK answers: Network is unreachable", "ping: connect: Network is unreachable", "mesh end 2"),
            Grade.BAD,
            Grade.BAD,
            (
                "ping: ping: connect: Network is unreachable",
                "route: planned via 10.1.0.0 dev enp29s0np0 table 101, found none: Network is unreachable",
            ),
        ),
        ((ROUTE, STATISTICS.format(3)), Grade.UNKNOWN, Grade.UNKNOWN, ()),  # cut short
    ],
)
def test_a_pair_that_was_pinged(lines: tuple[str, ...], ping: Grade, route: Grade, failures: tuple[str, ...]) -> None:
    assert cell(*lines) == ({"ping": ping, "route": route, "rdma": Grade.UNKNOWN}, failures)


@pytest.mark.parametrize(
    ("lines", "rdma"),
    [
        (("mesh row  64  10  2.3 4.0 2.4 2.5 0.1 4.0 4.0", "mesh last ", "mesh end 0"), Grade.GOOD),
        (("mesh row ", "mesh last ", "mesh end 0"), Grade.UNKNOWN),
        (("mesh row ", "mesh last  Unable to find the Infiniband/RoCE device", "mesh end 1"), Grade.BAD),
        (("mesh row ", "mesh last timeout: failed to run command", "mesh end 127"), Grade.UNKNOWN),
    ],
)
def test_a_pair_measured_by_rdma_has_both_directions(lines: tuple[str, ...], rdma: Grade) -> None:
    text = "\n".join(["mesh rdma from node1: 1 pairs", f"mesh pair {PAIR[0]} -> {PAIR[1]}", *lines, "mesh done\n"])
    mesh_result = mesh(PLAN, FABRIC, parse(text))
    assert mesh_result.cells[PAIR].grades["rdma"] is rdma
    assert mesh_result.cells[PAIR[1], PAIR[0]].grades["rdma"] is rdma


def test_what_was_not_measured_is_unknown() -> None:
    mesh_result = mesh(PLAN, FABRIC, ())
    assert len(mesh_result.cells) == 2 * 8 * 8
    assert {grade for cell in mesh_result.cells.values() for grade in cell.grades.values()} == {Grade.UNKNOWN}
