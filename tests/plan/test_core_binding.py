"""Cores of ranks: the documents' examples, MVAPICH2's own reckoning, and what holds for every host."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.catalogue.model import CpuTopology, Numbering
from wirespeed.cluster import read_text
from wirespeed.cluster.launch import BindingPolicy
from wirespeed.plan import build
from wirespeed.plan.core_binding import Topology, bind, build_topology, count_cores


def cpus(sockets: int, cores: int, nodes: int = 1, threads: int = 1, numbering: str = "by-socket") -> CpuTopology:
    numbers = {"sockets": sockets, "cores": cores, "numa_nodes": nodes, "threads": threads, "numbering": numbering}
    return CpuTopology.model_validate(
        {"model": "a CPU", **{name: {"value": value, "source": "made up"} for name, value in numbers.items()}}
    )


ROWS = [
    # MPI over Broadcom RoCE (MVAPICH, 2024 OFA workshop), "Hybrid-Spread Affinity Policy": 8 ranks on 32 cores
    (BindingPolicy.SPREAD, cpus(2, 16), 8, 1, ["0-3", "4-7", "8-11", "12-15", "16-19", "20-23", "24-27", "28-31"]),
    # MVAPICH2 2.3.7 user guide, figures 2 and 3: four ranks on two sockets of four cores
    (BindingPolicy.BUNCH, cpus(2, 4), 4, 1, ["0", "1", "2", "3"]),
    (BindingPolicy.SCATTER, cpus(2, 4), 4, 1, ["0", "4", "1", "5"]),
    (BindingPolicy.SCATTER, cpus(2, 4, numbering="round-robin"), 4, 1, ["0", "1", "2", "3"]),
    (BindingPolicy.NUMA, cpus(2, 4, nodes=2), 5, 1, ["0", "2", "4", "6", "1"]),
    (BindingPolicy.LINEAR, cpus(2, 4), 3, 2, ["0-1", "2-3", "4-5"]),
    (BindingPolicy.COMPACT, cpus(2, 4, threads=2), 3, 2, ["0,8", "1,9", "2,10"]),
    # ranks that do not divide by sockets: none is lost, none straddles two
    (BindingPolicy.SPREAD, cpus(2, 4), 3, 1, ["0-1", "2-3", "4-5"]),
    (BindingPolicy.SPREAD, cpus(2, 4), 7, 1, ["0", "1", "2", "3", "4", "5", "6"]),
    (BindingPolicy.SPREAD, cpus(2, 64), 128, 1, [str(core) for core in range(128)]),
    (BindingPolicy.SPREAD, cpus(2, 4), 1, 8, ["0-7"]),
]


@pytest.mark.parametrize(("policy", "server", "ranks", "threads", "expected"), ROWS)
def test_a_policy(policy: BindingPolicy, server: CpuTopology, ranks: int, threads: int, expected: list[str]) -> None:
    binding_rows = bind(policy, build_topology(server, None), ranks, threads)
    assert [_ranges(rank) for rank in binding_rows] == expected


def _ranges(cores: tuple[int, ...]) -> str:
    if len(cores) > 1 and cores == tuple(range(cores[0], cores[-1] + 1)):
        return f"{cores[0]}-{cores[-1]}"
    return ",".join(map(str, cores))


@pytest.mark.parametrize(
    ("nps", "cores"),
    [
        (4, ["48", "49", "16", "17", "112", "113", "80", "81"]),  # GPU 0 to 7 at nodes 3, 3, 1, 1, 7, 7, 5, 5
        (1, ["0", "1", "2", "3", "64", "65", "66", "67"]),  # a socket is a node: four GPUs at each
        (2, ["0", "1", "2", "3", "4", "5", "6", "7"]),  # which half of a socket a GPU is at is not known
    ],
)
def test_ranks_of_gpus_with_other_numbers_of_nodes_per_socket(nps: int, cores: list[str]) -> None:
    """A DGX A100 has four nodes per socket in the sources; the BIOS of another one may have one or two."""
    text = f"""
version: 1
name: dgx
hosts:
  node[1-2]: {{model: nvidia-dgx-a100, os: ubuntu-24.04, nics: 1 x broadcom-bcm957508-p2100g, interfaces: [ens1np0],
    bios: {{nps: {nps}}}}}
switches:
  leaf1: {{model: dell-z9664f, os: dell-sonic, role: leaf}}
cabling: {{pattern: by-host, length: 1 m}}
addresses: {{scheme: link-31, pool: 10.1.0.0/16}}
classes: {{roce: {{dscp: 26, priority: 3, lossless: true, share: 50%, congestion: dcqcn-p}}}}
launch: {{binding: bunch}}
"""
    plan = build(read_text(text, "cluster.yaml"))
    launch = plan.hosts["node1"].launch
    assert launch.cores is not None
    assert [str(next(iter(rank))) for rank in launch.cores] == cores


@pytest.mark.parametrize(
    ("model", "cores"), [("supermicro-x9drg-hf-qpi", ["0", "4"]), ("supermicro-x9drg-hf-p2p", ["0", "1"])]
)
def test_ranks_on_hosts_with_two_xeon_e5_2609(model: str, cores: list[str]) -> None:
    """Four cores without a second thread each (Intel ARK); a rank is at the processor of its GPU."""
    text = f"""
version: 1
name: abel
hosts:
  abel[1-2]: {{model: {model}, os: ubuntu-20.04, nics: 1 x nvidia-mcx623106an-cdat, interfaces: [ens1]}}
switches:
  leaf1: {{model: arista-7060dx4-32, os: eos, role: leaf}}
cabling: {{pattern: by-host, length: 1 m}}
addresses: {{scheme: link-31, pool: 10.1.0.0/16}}
launch: {{library: openmpi, ranks: 2, binding: bunch}}
"""
    launch = build(read_text(text, "cluster.yaml")).hosts["abel1"].launch
    assert launch.cores is not None
    assert [_ranges(rank) for rank in launch.cores] == cores


def test_the_socket_of_the_nic_comes_first() -> None:
    near = build_topology(cpus(2, 4, nodes=2), 3)
    assert bind(BindingPolicy.BUNCH, near, 3, 1) == ((6,), (7,), (4,))
    assert bind(BindingPolicy.SCATTER, near, 2, 1) == ((6,), (0,))
    assert bind(BindingPolicy.SPREAD, near, 2, 1) == ((6, 7, 4, 5), (0, 1, 2, 3))


def test_too_many_ranks_are_not_bound() -> None:
    with pytest.raises(ValueError, match="9 ranks do not fit 8 cores"):
        bind(BindingPolicy.BUNCH, build_topology(cpus(2, 4), None), 9, 1)


@st.composite
def hosts(draw: st.DrawFn) -> tuple[CpuTopology, Topology]:
    sockets, nodes, cores = draw(st.integers(1, 4)), draw(st.integers(1, 4)), draw(st.integers(1, 8))
    server = cpus(sockets, nodes * cores, nodes, draw(st.integers(1, 4)), draw(st.sampled_from([*Numbering])))
    return server, build_topology(server, draw(st.none() | st.integers(0, sockets * nodes - 1)))


@given(host=hosts(), policy=st.sampled_from([*BindingPolicy]), data=st.data())
def test_every_rank_has_cores_of_its_own(
    host: tuple[CpuTopology, Topology], policy: BindingPolicy, data: st.DataObject
) -> None:
    server, topology = host
    total = server.sockets.value * server.cores.value
    assert sorted(topology.cores) == list(range(total))
    threads = data.draw(st.integers(1, server.threads.value if policy is BindingPolicy.COMPACT else total))
    ranks = data.draw(st.integers(1, max(1, total // count_cores(policy, 1, threads))))
    binding_rows = bind(policy, topology, ranks, threads)
    given_cores = list(chain.from_iterable(binding_rows))
    assert len(binding_rows) == ranks
    assert len(set(given_cores)) == len(given_cores)
    assert all(0 <= core < total * server.threads.value for core in given_cores)
    if policy in (BindingPolicy.LINEAR, BindingPolicy.SPREAD, BindingPolicy.COMPACT):
        assert all(len(rank) >= threads for rank in binding_rows)
    assert binding_rows[0][0] == topology.cores[0]  # beside the NIC, if its NUMA node is known


@given(host=hosts(), data=st.data())
def test_spread_is_even_and_leaves_least_behind(host: tuple[CpuTopology, Topology], data: st.DataObject) -> None:
    server, topology = host
    sockets = [set(cores) for cores in topology.by_socket]
    ranks = data.draw(st.integers(1, len(topology.cores)))
    binding_rows = bind(BindingPolicy.SPREAD, topology, ranks, 1)
    assert len({len(rank) for rank in binding_rows}) == 1  # as many for each
    on_each = [sum(set(rank) <= cores for rank in binding_rows) for cores in sockets]
    assert sum(on_each) == ranks  # none on two sockets
    assert max(on_each) - min(on_each) <= 1
    assert (len(binding_rows[0]) + 1) * max(on_each) > server.cores.value  # one more core each would not fit
