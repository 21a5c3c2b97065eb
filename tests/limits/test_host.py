"""Between a NIC and memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.catalogue import load
from wirespeed.cluster import read
from wirespeed.limits import host
from wirespeed.plan import Plan, build
from wirespeed.settings import list_bridges

NIC0, NIC1, NIC2 = "switch1/port2.0", "switch1/port4.0", "switch2/port2.0"
GPU0, GPU7 = "switch1/port1.0", "switch4/port3.0"
EXAMPLES = Path(__file__).parents[2] / "examples"


def build_plan(name: str) -> Plan:
    return build(read(EXAMPLES / name / "cluster.yaml"), load())


def test_bridges_above_a_nic():
    functions = build_plan("mi300x-4node").hosts["node1"].pcie
    assert list_bridges(functions, NIC0) == ("switch1/port2", "switch1", "root1")
    assert list_bridges(functions, None) == ()


def test_a_gpu_beside_its_nic_passes_no_uplink():
    plan = build_plan("mi300x-4node")
    assert host.uplinks_to_gpu(plan, "node1", NIC0, GPU0) == ()
    assert [function.address for function in host.uplinks_to_gpu(plan, "node1", NIC0, GPU7)] == [
        "switch1",
        "switch4",
    ]
    assert [function.address for function in host.uplinks_to_memory(plan, "node1", NIC0)] == ["switch1"]


@pytest.mark.parametrize(
    ("nics", "rate", "total_rate"),
    [
        ([NIC0], 390.0, 390.0),
        # two NICs of one switch share 504.12 Gb/s, of which 256 of 280 bytes are data
        ([NIC0, NIC1], 390.0, 32 * 16 * 128 / 130 * 256 / 280),
        ([NIC0, NIC1], 100.0, 200.0),
        ([NIC0, NIC2], 390.0, 780.0),  # of two switches
    ],
)
def test_nics_that_share_an_uplink(nics, rate, total_rate):
    plan = build_plan("mi300x-4node")
    total, binds = host.compute_shared_rate(plan, "node1", dict.fromkeys(nics, rate))
    assert total == pytest.approx(total_rate)
    assert (binds is not None) is (total_rate < rate * len(nics))


@pytest.mark.parametrize("model", ["supermicro-x9drg-hf-qpi", "supermicro-x9drg-hf-p2p"])
def test_sockets_between_a_nic_and_a_gpu(model):
    """Two QPI links of 6.4 GT/s carry 25.6 GB/s in each direction (Xeon E5-2609), on both servers of that board."""
    plan = build_plan("pcie-lending")
    name = next(name for name, host in plan.hosts.items() if host.gpus)
    host_variant = replace(plan.hosts[name], model=model)
    nodes = {"0000:02:00.0": 0, "0000:05:00.0": 0, "0000:85:00.0": 1}
    functions = {
        address: replace(
            host_variant.pcie.get(address) or next(iter(host_variant.pcie.values())), numa_node=node, parent=None
        )
        for address, node in nodes.items()
    }
    plan_variant = replace(plan, hosts={name: replace(host_variant, pcie=functions)})
    assert host.socket_term(plan_variant, name, "0000:02:00.0", "0000:05:00.0", bidirectional=False) is None
    term = host.socket_term(plan_variant, name, "0000:02:00.0", "0000:85:00.0", bidirectional=False)
    assert term.value == pytest.approx(2 * 6.4 * 2 * 8)
    assert (
        host.socket_term(plan_variant, name, "0000:02:00.0", "0000:85:00.0", bidirectional=True).value == 2 * term.value
    )


def test_what_the_catalogue_does_not_know_is_no_term():
    plan = build_plan("pcie-lending")
    name = next(iter(plan.hosts))
    assert host.memory_term(plan, name, bidirectional=False) is None
    assert host.find_memory(plan, name) is None
    plan = build_plan("mi300x-4node")
    assert host.find_ordered_writes_term(plan, "node1") is None
    assert host.socket_term(plan, "node1", NIC0, GPU7, bidirectional=False) is None


def test_memory_of_a_socket():
    plan = build_plan("esnet-400g")
    assert host.memory_term(plan, next(iter(plan.hosts)), bidirectional=False).value == pytest.approx(8 * 3.2 * 8 * 8)


@pytest.mark.parametrize(
    ("example", "sockets", "gb_per_s", "mib"),
    [
        ("esnet-400g", 2, 8 * 3.2 * 64, 136),
        ("arista-leaf-spine", 2, 6 * 2.666 * 64, 38),
        ("mi300x-4node", 2, 8 * 5.6 * 64, 448),
    ],
)
def test_memory_of_a_host(example, sockets, gb_per_s, mib):
    """Of a buffer twice the size of all caches one half passes memory, of one that they hold nothing needs to."""
    plan = build_plan(example)
    memory = host.find_memory(plan, next(iter(plan.hosts)))
    assert memory.cache == sockets * mib * 2**20
    assert memory.gb_per_s == pytest.approx(sockets * gb_per_s)
    assert memory.build_term(memory.cache) is None
    assert memory.build_term(None) is None
    assert memory.build_term(2 * memory.cache).value == pytest.approx(2 * sockets * gb_per_s)
    assert memory.build_term(1 << 40).value == pytest.approx(sockets * gb_per_s, rel=0.001)


@given(st.integers(1, 1 << 44), st.integers(0, 1 << 30))
def test_a_larger_buffer_never_gets_more_of_memory(size, cache):
    memory = host.MemoryOfHost("node1", 1000.0, cache, "", "")
    terms = [memory.build_term(message_size) for message_size in (size, 2 * size)]
    assert all(term is None or term.value >= 1000.0 for term in terms)
    assert terms[0] is None or terms[1].value <= terms[0].value
