"""Interrupts and NICs on NUMA nodes that are not as planned.

The host is that of ESnet's 400G testbed: ``numactl -H`` there shows 16-31,48-63 on node 1, the NIC's. With NPS2 a node
is one half of a socket; round-robin enumeration numbers the cores of the sockets in turn. Lines are those of lscpu
(util-linux, sys-utils/lscpu.c).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.catalogue import load
from wirespeed.checks import run
from wirespeed.cluster import read_text
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.plan import build
from wirespeed.plan.locate import locate
from wirespeed.results.findings import Status

EXAMPLE = (Path(__file__).parents[2] / "examples/esnet-400g/cluster.yaml").read_text(encoding="utf-8")
CHECKS = ("host.bios", "host.numa-cpus", "nic.interrupt-cores", "nic.numa-node")
NPS2 = ("0-7,32-39", "8-15,40-47", "16-23,48-55", "24-31,56-63")
ODD_EVEN = (",".join(map(str, range(0, 64, 2))), ",".join(map(str, range(1, 64, 2))))
AS_PRINTED = ("0-15,32-47", "16-31,48-63")


def check(
    folder: Path, cluster: str, lists: tuple[str, ...], node: int, interrupts: tuple[range, ...]
) -> set[tuple[str, str]]:
    """Status and check of what is wrong on node1; with the interrupts of both ports on these cores."""
    plan = build(read_text(cluster, "cluster.yaml"), load())
    write_planned_bundle(build(read_text(EXAMPLE, "cluster.yaml"), load()), folder)
    host = folder / "node1"
    lscpu = [line for line in (host / "lscpu.out").read_text().splitlines() if not line.startswith("NUMA")]
    lscpu.append(f"NUMA node(s):                            {len(lists)}")
    lscpu += [f"NUMA node{number} CPU(s):                       {text}" for number, text in enumerate(lists)]
    (host / "lscpu.out").write_text("".join(f"{line}\n" for line in lscpu))
    text = (host / "lspci.out").read_text()
    (host / "lspci.out").write_text(text.replace("NUMA node: 1", f"NUMA node: {node}"))
    for file in host.glob("pcie-sysfs@*.out"):
        file.write_text("")
    lines = []
    for interface, cores in zip(("eth100", "eth200"), interrupts, strict=True):
        irqs = (host / f"msi-irqs@{interface}.out").read_text().split()
        for place, irq in enumerate(irqs):
            lines.append(f"/proc/irq/{irq}/smp_affinity_list:{cores[place % len(cores)]}\n")
    (host / "irq-affinity.out").write_text("".join(lines))
    facts = read_facts(folder)
    return {
        (finding.status.value, finding.check)
        for finding in run(locate(plan, facts), facts)
        if finding.device == "node1" and finding.check in CHECKS
        if finding.status not in (Status.PASS, Status.SKIP)
    }


NPS2_PLANNED = EXAMPLE.replace("tuning: esnet-dtn", "tuning: esnet-dtn\n    bios: {nps: 2}")
PRINTED_CORES = (range(16, 32), range(48, 64))  # of both ports: halves of the node's list
NIC = ("fail", "nic.numa-node")
CPUS = ("fail", "host.numa-cpus")
CORES = ("fail", "nic.interrupt-cores")
CASES = [
    pytest.param(EXAMPLE, AS_PRINTED, 1, PRINTED_CORES, set(), id="as-printed"),
    pytest.param(EXAMPLE, AS_PRINTED, 0, PRINTED_CORES, {NIC, CORES}, id="node-0"),
    pytest.param(EXAMPLE, AS_PRINTED, 0, (range(16), range(32, 48)), {NIC}, id="node-0-with-its-cores"),
    pytest.param(NPS2_PLANNED, NPS2, 3, (range(24, 32), range(56, 64)), set(), id="nps2-planned"),
    pytest.param(NPS2_PLANNED, NPS2, 3, (range(16, 24), range(48, 56)), {CORES}, id="nps2-other-half"),
    pytest.param(NPS2_PLANNED, NPS2, 1, (range(8, 16), range(40, 48)), {NIC}, id="nps2-other-socket"),
    pytest.param(EXAMPLE, NPS2, 3, (range(24, 32), range(56, 64)), {CPUS}, id="nps2-not-planned"),
    pytest.param(EXAMPLE, ODD_EVEN, 1, (range(1, 32, 2), range(33, 64, 2)), {CPUS}, id="odd-even"),
    pytest.param(EXAMPLE, ODD_EVEN, 1, PRINTED_CORES, {CPUS, CORES}, id="odd-even-with-planned-cores"),
]


@pytest.mark.parametrize(("cluster", "lists", "node", "interrupts", "wrong"), CASES)
def test_a_node_that_is_not_as_planned_is_found(
    cluster: str,
    lists: tuple[str, ...],
    node: int,
    interrupts: tuple[range, ...],
    wrong: set[tuple[str, str]],
    tmp_path: Path,
) -> None:
    findings = check(tmp_path / "bundle", cluster, lists, node, interrupts)
    assert findings - {("fail", "host.bios")} == wrong


def test_a_node_that_the_firmware_does_not_give_is_unknown(tmp_path: Path) -> None:
    assert check(tmp_path / "bundle", EXAMPLE, AS_PRINTED, -1, PRINTED_CORES) == {("unknown", "nic.numa-node")}


@pytest.mark.parametrize(
    ("memory", "distances", "expected"),
    [
        pytest.param((257810, 257970), ("10 32", "32 10"), set(), id="as-printed"),
        pytest.param((257810, 0), ("10 32", "32 10"), {("fail", "host.numa-memory")}, id="socket-without-memory"),
        pytest.param((257810, 225724), ("10 32", "32 10"), {("warn", "host.numa-memory")}, id="one-module-less"),
        pytest.param((257810, 257970), ("10 10", "10 10"), {("fail", "host.numa-distance")}, id="table-of-equals"),
        pytest.param((257810, 257970), ("20 32", "32 20"), {("fail", "host.numa-distance")}, id="20-to-itself"),
        pytest.param((257810, 257970), ("10 32", "52 10"), {("warn", "host.numa-distance")}, id="not-as-planned"),
    ],
)
def test_memory_and_distances_of_nodes(
    memory: tuple[int, int], distances: tuple[str, str], expected: set[tuple[str, str]], tmp_path: Path
) -> None:
    """Sizes in MB and distances are those of the document's ``numactl -H``; one module of eight is missing in one row.

    Lines are those of drivers/base/node.c: node_read_meminfo, node_read_distance.
    """
    plan = build(read_text(EXAMPLE, "cluster.yaml"), load())
    write_planned_bundle(plan, tmp_path / "bundle")
    lines = [
        f"/sys/devices/system/node/node{node}/distance:{distances[node]}\n"
        f"/sys/devices/system/node/node{node}/meminfo:Node {node} MemTotal:       {memory[node] * 1024} kB\n"
        for node in (0, 1)
    ]
    (tmp_path / "bundle/node1/numa-nodes.out").write_text("".join(lines))
    facts = read_facts(tmp_path / "bundle")
    assert {
        (finding.status.value, finding.check)
        for finding in run(locate(plan, facts), facts)
        if finding.device == "node1" and finding.status not in (Status.PASS, Status.SKIP)
    } == expected


def test_a_node_of_another_socket_that_is_nearer_is_found(tmp_path: Path) -> None:
    plan = build(read_text(NPS2_PLANNED, "cluster.yaml"), load())
    write_planned_bundle(plan, tmp_path / "bundle")
    file = tmp_path / "bundle/node1/numa-nodes.out"
    file.write_text(file.read_text().replace("node0/distance:10 12 32 32", "node0/distance:10 32 12 32"))
    facts = read_facts(tmp_path / "bundle")
    failures = [finding for finding in run(locate(plan, facts), facts) if finding.status is Status.FAIL]
    assert [(failure.check, failure.found) for failure in failures] == [("host.numa-distance", "10 32 12 32")]


def test_distances_that_are_not_planned_are_compared_by_direction(tmp_path: Path) -> None:
    """A plan with two nodes per socket has no distances; those in order are skipped."""
    plan = build(read_text(NPS2_PLANNED, "cluster.yaml"), load())
    write_planned_bundle(plan, tmp_path / "bundle")
    file = tmp_path / "bundle/node1/numa-nodes.out"
    file.write_text(file.read_text().replace("node0/distance:10 12 32 32", "node0/distance:10 12 52 32"))
    facts = read_facts(tmp_path / "bundle")
    findings = [
        (finding.place, finding.status.value, finding.found)
        for finding in run(locate(plan, facts), facts)
        if (finding.device, finding.check) == ("node1", "host.numa-distance")
    ]
    assert findings == [
        ("numa 0", "warn", "10 12 52 32"),
        ("numa 1", "skip", "not planned: numa.distances; 12 10 32 32 are in a right order"),
        ("numa 2", "warn", "32 32 10 12"),
        ("numa 3", "skip", "not planned: numa.distances; 32 32 12 10 are in a right order"),
    ]
