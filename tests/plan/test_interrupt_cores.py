"""Cores of interrupts against what set_irq_affinity_bynode.sh of mlnx-tools writes for the same node and ports."""

from __future__ import annotations

from pathlib import Path

from wirespeed.cluster import read
from wirespeed.plan import build
from wirespeed.plan.tuning_profile import divide_cores

CLUSTER = Path(__file__).parents[2] / "examples" / "esnet-400g" / "cluster.yaml"


def bynode(cpus: list[int], irqs: int) -> tuple[set[int], set[int]]:
    """The script's two loops over the interrupts of two ports, with its index from 1 (mlnx-tools, 1259c00b)."""
    half = len(cpus) // 2
    first, second = set(), set()
    index = 1
    for _ in range(irqs):
        first.add(cpus[index - 1])
        index = index % half + 1
    index = half + 1
    for _ in range(irqs):
        second.add(cpus[index - 1])
        index = index % half + 1 + half
    return first, second


def test_two_ports_of_one_node_share_no_core() -> None:
    """The document's call, `set_irq_affinity_bynode.sh 1 eth100 eth200`, on node 1 of its `numactl -H`: 16-31,48-63."""
    nics = build(read(CLUSTER)).hosts["node1"].nics
    cpus = [*range(16, 32), *range(48, 64)]
    assert (nics["eth100"].interrupt_cores, nics["eth200"].interrupt_cores) == bynode(cpus, 63)


def test_cores_that_do_not_divide() -> None:
    assert list(divide_cores(frozenset(range(7)), 3)) == [{0, 1}, {2, 3}, {4, 5}]
    assert list(divide_cores(frozenset({4, 5}), 3)) == [{4, 5}] * 3
    assert list(divide_cores(frozenset(range(4)), 1)) == [{0, 1, 2, 3}]
