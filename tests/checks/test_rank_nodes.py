"""Ranks on the NUMA nodes that a host has, not on those of the plan.

The DGX A100 is that of a public ``nvidia-smi topo -m``: GPU 0 and 1 on node 3 with CPUs 48-63,176-191, then nodes 1, 7
and 5. The two EPYC of document 003 have four nodes each with NPS4, and odd and even numbers with round-robin
enumeration (Broadcom 957608-AN210, table 2). Lines are those of lscpu (util-linux, sys-utils/lscpu.c).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import wirespeed
from wirespeed.catalogue import load
from wirespeed.checks import run
from wirespeed.cluster import read_text
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.number_ranges import format_ranges
from wirespeed.plan import build
from wirespeed.plan.locate import locate
from wirespeed.results.findings import Finding, Status
from wirespeed.settings import Cores

A100 = """\
version: 1
name: ranks
hosts:
  node[1-2]:
    model: nvidia-dgx-a100
    os: ubuntu-22.04
    nics: 8 x nvidia-mcx623105an-vdat
    interfaces: [a1, a2, a3, a4, a5, a6, a7, a8]
switches:
  leaf1: {model: arista-7060dx4-32, os: eos, role: leaf}
cabling: {pattern: by-host, length: 3 m}
addresses: {scheme: rail-24, pool: 10.1.0.0/16}
launch: {library: openmpi, launcher: mpirun, ranks: 8, binding: spread}
"""
EPYC = """\
version: 1
name: ranks
hosts:
  node[1-2]: {model: dell-r6525, os: rhel-8.8, nics: broadcom-bcm957508-p2100g}
switches:
  leaf1: {model: dell-z9332f, os: dell-sonic, role: leaf, breakout: 4}
cabling: {pattern: by-host, length: 3 m}
addresses: {scheme: rail-24, pool: 10.1.0.0/16}
launch: {library: mvapich2, ranks: 4, binding: numa}
"""
NODES_OF_GPUS = (3, 3, 1, 1, 7, 7, 5, 5)


def write_bundle(folder: Path, cluster: str, lists: tuple[str, ...], gpu_nodes: tuple[int, ...] = ()) -> None:
    """The planned bundle; node1 with these CPUs of each NUMA node, and its GPUs on these nodes."""
    write_planned_bundle(build(read_text(cluster, "cluster.yaml"), load()), folder)
    host = folder / "node1"
    lscpu = [line for line in (host / "lscpu.out").read_text().splitlines() if not line.startswith("NUMA")]
    lscpu.append(f"NUMA node(s):                            {len(lists)}")
    lscpu += [f"NUMA node{number} CPU(s):                       {text}" for number, text in enumerate(lists)]
    (host / "lscpu.out").write_text("".join(f"{line}\n" for line in lscpu))
    remaining = iter(gpu_nodes)
    functions = (host / "lspci.out").read_text().split("\n\n")
    for place, text in enumerate(functions):
        if gpu_nodes and "NVIDIA" in text.partition("\n")[0]:
            lines = text.splitlines()
            node = f"\tNUMA node: {next(remaining)}"
            functions[place] = "\n".join(node if line.startswith("\tNUMA node") else line for line in lines)
    (host / "lspci.out").write_text("\n\n".join(functions))


def list_nodes(nodes: int, cores: int = 128, threads: int = 2) -> tuple[str, ...]:
    """The list of each node, consecutive cores, as the kernel numbers hardware threads."""
    size = cores // nodes
    return tuple(
        ",".join(
            f"{node * size + thread * cores}-{(node + 1) * size - 1 + thread * cores}" for thread in range(threads)
        )
        for node in range(nodes)
    )


ODD_EVEN = tuple(",".join(map(str, range(socket, 128, 2))) for socket in range(2))


def find_finding(folder: Path, cluster: str) -> tuple[Finding, Cores]:
    """The finding of launch.cores on node1, and the cores that are expected there."""
    plan, facts = build(read_text(cluster, "cluster.yaml"), load()), read_facts(folder)
    located = locate(plan, facts)
    findings = [
        finding for finding in run(located, facts) if finding.device == "node1" and finding.check == "launch.cores"
    ]
    cores = located.hosts["node1"].launch.cores
    assert len(findings) == 1
    assert cores is not None
    return findings[0], cores


def format_cores(cores: Cores) -> list[str]:
    return [",".join(format_ranges(rank)) for rank in cores]


PLANNED = ["48-55", "56-63", "16-23", "24-31", "112-119", "120-127", "80-87", "88-95"]


@pytest.mark.parametrize(
    ("lists", "nodes", "expected", "status"),
    [
        pytest.param(list_nodes(8), NODES_OF_GPUS, PLANNED, Status.PASS, id="as-printed"),
        pytest.param(
            list_nodes(8), (1, 1, 3, 3, 7, 7, 5, 5), [*PLANNED[2:4], *PLANNED[:2], *PLANNED[4:]], Status.FAIL,
            id="gpus-of-two-switches-swapped",
        ),
        pytest.param(
            list_nodes(2), (0, 0, 0, 0, 1, 1, 1, 1),
            ["0-15", "16-31", "32-47", "48-63", "64-79", "80-95", "96-111", "112-127"], Status.FAIL,
            id="nps1",
        ),
    ],
)  # fmt: skip
def test_a_rank_has_cores_of_the_node_of_its_gpu(
    lists: tuple[str, ...], nodes: tuple[int, ...], expected: list[str], status: Status, tmp_path: Path
) -> None:
    write_bundle(tmp_path / "bundle", A100, lists, nodes)
    finding, cores = find_finding(tmp_path / "bundle", A100)
    assert (finding.status, format_cores(cores)) == (status, expected)


@pytest.mark.parametrize(
    ("lists", "expected", "status"),
    [
        pytest.param(list_nodes(2, threads=1), ["0", "64", "1", "65"], Status.PASS, id="nps1-planned"),
        pytest.param(list_nodes(8, threads=1), ["0", "16", "32", "48"], Status.FAIL, id="nps4"),
        pytest.param(list_nodes(8), ["0", "16", "32", "48"], Status.FAIL, id="nps4-with-two-threads"),
        pytest.param(ODD_EVEN, ["0", "1", "2", "3"], Status.FAIL, id="odd-even"),
        pytest.param(
            list_nodes(2, cores=96, threads=1), ["0", "64", "1", "65"], Status.PASS, id="other-cpu-not-judged"
        ),
    ],
)
def test_ranks_without_gpus_are_on_the_nodes_that_the_host_has(
    lists: tuple[str, ...], expected: list[str], status: Status, tmp_path: Path
) -> None:
    write_bundle(tmp_path / "bundle", EPYC, lists)
    finding, cores = find_finding(tmp_path / "bundle", EPYC)
    assert (finding.status, format_cores(cores)) == (status, expected)


def test_render_binds_ranks_to_the_nodes_of_a_bundle(tmp_path: Path) -> None:
    cluster = tmp_path / "cluster.yaml"
    cluster.write_text(A100)
    write_bundle(tmp_path / "bundle", A100, list_nodes(2), (0, 0, 0, 0, 1, 1, 1, 1))
    process = wirespeed("render", cluster, "-o", tmp_path / "out", "--bundle", tmp_path / "bundle")
    assert (process.returncode, process.stderr) == (0, "")
    binders = [(tmp_path / f"out/{name}/usr/local/bin/wirespeed-bind").read_text() for name in ("node1", "node2")]
    assert "3) cores=48-63 ;;" in binders[0]
    assert "3) cores=24-31 ;;" in binders[1]


def test_render_reports_hosts_that_differ_and_hosts_without_facts(tmp_path: Path) -> None:
    cluster = tmp_path / "cluster.yaml"
    cluster.write_text(EPYC)
    write_bundle(tmp_path / "bundle", EPYC, ODD_EVEN)
    (tmp_path / "bundle/node2/lscpu.out").write_text("")
    process = wirespeed("render", cluster, "-o", tmp_path / "out", "--bundle", tmp_path / "bundle")
    assert process.returncode == 0
    assert "no NUMA nodes of node2 in the bundle" in process.stderr
    assert "other cores on node2 than on node1" in process.stderr


def test_render_refuses_a_bundle_without_effect(tmp_path: Path) -> None:
    cluster, cluster_of_hosts = tmp_path / "cluster.yaml", tmp_path / "hosts.yaml"
    cluster.write_text(EPYC)
    cluster_of_hosts.write_text(EPYC.replace("node", "host"))
    write_bundle(tmp_path / "bundle", EPYC, ODD_EVEN)
    process = wirespeed("render", cluster_of_hosts, "-o", tmp_path / "out", "--bundle", tmp_path / "bundle")
    assert (process.returncode, process.stderr) == (
        2,
        f"error: bundle {tmp_path / 'bundle'}: found node[1-2]; expected hosts of ranks: host[1-2]\n"
        "  hint: give the bundle that was collected from these hosts\n",
    )
    cluster.write_text("\n".join(line for line in EPYC.split("\n") if not line.startswith("launch")))
    process = wirespeed("render", cluster, "-o", tmp_path / "out", "--bundle", tmp_path / "bundle")
    assert process.returncode == 2
    assert "--bundle: no ranks with cores in ranks" in process.stderr
    assert not (tmp_path / "out").exists()


def test_render_warns_of_a_bundle_of_another_cluster(tmp_path: Path) -> None:
    cluster = tmp_path / "cluster.yaml"
    cluster.write_text(EPYC)
    write_bundle(tmp_path / "bundle", EPYC.replace("name: ranks", "name: large"), ODD_EVEN)
    process = wirespeed("render", cluster, "-o", tmp_path / "out", "--bundle", tmp_path / "bundle")
    assert process.returncode == 0
    assert "warning: bundle" in process.stderr
    assert "found hosts of large; expected hosts of ranks" in process.stderr
