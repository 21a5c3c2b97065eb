"""Limits between two places of a cluster, against published measurements and the judge."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from benchmarks.judge.judge_support import perftest
from wirespeed.benchmarks.judge.runs import judge
from wirespeed.cluster import read, read_text
from wirespeed.limits.end_to_end import Conditions, PathEnd, list_limits_between, override_pcie
from wirespeed.plan import build
from wirespeed.settings import PcieLink
from wirespeed.units import Duration

EXAMPLES = Path(__file__).parents[2] / "examples"
SLOTS = {"gen3 x8": PcieLink(8000, 8), "gen4 x16": PcieLink(16000, 16)}


@cache
def example(name):
    return build(read(EXAMPLES / name / "cluster.yaml"))


def parse_end(text):
    host, _, device = text.partition(":")
    return PathEnd(host, device or None)


def find_bounds(plan, source, target, **conditions):
    limits = list_limits_between(plan, parse_end(source), parse_end(target), Conditions(**conditions))
    return {limit.method: limit.bound for limit in limits}


@pytest.mark.parametrize(
    ("name", "ends", "method", "measured", "bottleneck"),
    [
        # ESnet, 400G Testbed Configuration: one port with eight streams, both ports of the card
        ("esnet-400g", ("node1:eth100", "node2:eth100"), "TCP, 8 streams", 190.0, "line rate × TCP framing"),
        ("esnet-400g", ("node1", "node2"), "TCP over all NICs", 222.0, "PCIe slot root1 of node1"),
        # Johansen, Fast Multi-GPU communication over PCI Express, section 4.1: GigE with iperf3, GB/s
        ("pcie-lending", ("abel1:eth0", "abel2:eth0"), "TCP, 8 streams", 0.112 * 8, "line rate × TCP framing"),
        ("pcie-lending", ("abel1", "abel2"), "PCIe bridge", 5.449 * 8, "PCIe bridge of abel1:dis0"),
        # the same, section A.3.9: K20X peer to peer
        ("pcie-lending", ("abel2:GPU0", "abel2:GPU1"), "peer to peer", 5.31 * 8, "PCIe slot of GPU0"),
        # Broadcom 957608-AN210, section 2.8.2 (half of both directions, which share nothing but acknowledgements)
        (
            "mi300x-4node",
            ("node1:GPU0", "node2:GPU0"),
            "GPUDirect RDMA write",
            774.97 / 2,
            "line rate × RoCEv2 framing",
        ),
    ],
)
def test_published_measurements_stay_below_the_limit(name, ends, method, measured, bottleneck):
    bound = find_bounds(example(name), *ends, streams=8)[method]
    assert 0.7 < measured / bound.value < 1
    assert bound.bottleneck == bottleneck
    assert all(term.formula and term.source for term in bound.terms)


@pytest.mark.parametrize("streams", [1, 8])
def test_tcp_over_the_bridge_reaches_what_its_driver_was_measured_with(streams):
    """Johansen, table 4.1: 857 MBytes/sec of iperf3, of 2^20 bytes; the judge of iperf3 has the same limit."""
    method = f"TCP over the PCIe bridge, {streams} stream{'s' if streams > 1 else ''}"
    bound = find_bounds(example("pcie-lending"), "abel1:dis0", "abel2:dis0", streams=streams)[method]
    assert bound.value == pytest.approx(857 * 2**20 * 8 / 1e9, rel=1e-4)
    assert bound.bottleneck == "IP driver of dis0"


def test_packets_of_64_bytes_explain_the_published_bridge():
    """Johansen, section 4.3.4: PCIe packets of 64 B on average; table 4.1: 5.449 GB/s of DMA over the PXH810."""
    plan = override_pcie(example("pcie-lending"), None, 64)
    bound = find_bounds(plan, "abel1", "abel2")["PCIe bridge"]
    assert bound.value / 8 == pytest.approx(5.73, abs=0.01)
    assert 0.95 < 5.449 * 8 / bound.value < 1


def test_a_slot_of_generation_6_is_limited_by_its_flits():
    """236 of the 256 bytes of a flit carry packets, 118 GB/s of x16 (PCI Express Base 6.0, section 4.2.3)."""
    bound = find_bounds(override_pcie(example("pcie-lending"), PcieLink(64000, 16), None), "abel1", "abel2")
    assert bound["PCIe bridge"].value == pytest.approx(8 * 118 * 256 / 272)


def test_another_slot_gives_four_times_as_much():
    """Johansen, section 5: Gen4 x16 instead of Gen3 x8 is 400 %."""
    plan = example("pcie-lending")
    bounds = [
        find_bounds(override_pcie(plan, SLOTS[slot], None), "abel1", "abel2")["PCIe bridge"]
        for slot in ("gen3 x8", "gen4 x16")
    ]
    assert bounds[1].value / bounds[0].value == pytest.approx(4)


def test_borrowed_gpus_share_the_bridge():
    bounds = find_bounds(example("pcie-lending"), "abel1:GPU0", "abel2:GPU1")
    shared = bounds["PCIe bridge, 2 borrowed GPUs at once"]
    assert shared.value == pytest.approx(bounds["PCIe bridge"].value / 2)
    assert {"PCIe slot of abel1:GPU0", "PCIe slot of abel2:GPU1"} <= {term.name for term in shared.terms}
    assert bounds["TCP, 1 stream, staged in memory"].value < 1


@pytest.mark.parametrize("size", [64, 4096, 8 << 20])
def test_the_judge_has_the_same_limit(size):
    """Proves consistency only: one run, judged and planned."""
    plan = example("mi300x-4node")
    planned = find_bounds(plan, "node1:enp29s0np0", "node2:enp29s0np0", message_size=size)["RDMA write"]
    run = perftest({size: 1.0})
    (verdict,) = judge(run, plan, source="node1:enp29s0np0", target="node2:enp29s0np0").verdicts
    assert verdict.reachable.value == pytest.approx(planned.value)
    shared_terms = {term.name: term.value for term in planned.terms if "slot" in term.name or "uplink" in term.name}
    judged_terms = {term.name.replace("bnxt_re0", "enp29s0np0"): term.value for term in verdict.physical.terms}
    assert shared_terms == {name: judged_terms[name] for name in shared_terms}


FABRIC = """\
version: 1
name: oversubscribed
hosts:
  node[1-4]: {model: dell-r750-xeon-8358, os: ubuntu-22.04, nics: 1 x nvidia-mcx623106an-cdat, interfaces: [eth1]}
switches:
  leaf[1-2]: {model: arista-7060dx5-64s, os: eos, role: leaf}
  spine1: {model: arista-7060dx5-64s, os: eos, role: spine}
fabric: {leaf_spine: {uplinks: 1, length: 10 m}}
cabling: {pattern: by-host, length: 3 m}
addresses: {scheme: link-31, pool: 10.1.0.0/16, loopbacks: 10.255.0.0/24}
"""


def test_nics_share_the_uplinks_of_their_leaf():
    """Two NICs of 100 Gb/s below one uplink of 400 Gb/s, then of 100 Gb/s; 4096 B of 4178 B are payload."""
    method = "RDMA write while all NICs use the uplinks"
    wide = find_bounds(build(read_text(FABRIC, "cluster.yaml")), "node1", "node3")[method]
    assert next(term.value for term in wide.terms if term.name == "uplinks of leaf1") == pytest.approx(196.07, abs=0.01)
    narrow_file = FABRIC.replace("uplinks: 1,", "uplinks: 1, speed: 100 Gb/s,")
    narrow = find_bounds(build(read_text(narrow_file, "cluster.yaml")), "node1", "node3")[method]
    assert (narrow.bottleneck, narrow.value) == ("uplinks of leaf1", pytest.approx(49.02, abs=0.01))
    assert method not in find_bounds(build(read_text(FABRIC, "cluster.yaml")), "node1", "node2")


def test_a_long_path_is_limited_by_the_window():
    """4 MiB in 100 ms are 0.3355 Gb/s; with the buffers of the profile esnet-dtn, 512 MiB, 42.95 Gb/s."""
    round_trip = Duration.parse("100 ms")
    default = find_bounds(build(read_text(FABRIC, "cluster.yaml")), "node1", "node3", round_trip=round_trip)
    assert default["TCP, 1 stream"].bottleneck == "TCP window / round trip"
    assert default["TCP, 1 stream"].value == pytest.approx(0.3355, abs=1e-4)
    bounds = find_bounds(example("esnet-400g"), "node1:eth100", "node2:eth100", round_trip=round_trip)
    window = next(term for term in bounds["TCP, 1 stream"].terms if term.name == "TCP window / round trip")
    assert window.value == pytest.approx(42.95, abs=0.01)


def test_a_gpu_at_the_other_socket_passes_the_link_between_sockets():
    plan = example("pcie-lending")
    terms = find_bounds(plan, "abel1:GPU1", "abel2:GPU0")["PCIe bridge"].terms
    assert "link between the sockets of abel1" in {term.name for term in terms}
    terms = find_bounds(plan, "abel1:GPU0", "abel2:GPU0")["PCIe bridge"].terms
    assert "link between the sockets of abel1" not in {term.name for term in terms}


def test_gpus_of_different_rails_reach_each_other_over_the_switches():
    bound = find_bounds(example("mi300x-4node"), "node1:GPU0", "node2:GPU7")["GPUDirect RDMA write"]
    assert {"NIC slot of node1:enp29s0np0", "NIC slot of node2:enp231s0np0"} <= {term.name for term in bound.terms}


@pytest.mark.parametrize(
    ("size", "formula"),
    [
        (64, "504.12 Gb/s × 64 B / 88 B per write"),
        (1000, "504.12 Gb/s × 1000 B / 1096 B in 4 writes"),
        (4096, "504.12 Gb/s × 256 B / 280 B per write"),
        (None, "504.12 Gb/s × 256 B / 280 B per write"),
    ],
)
def test_a_message_is_written_in_packets_of_its_size(size, formula):
    """PCI Express Base 5.0, section 2.2: 24 bytes beside the data of each write."""
    bounds = find_bounds(example("mi300x-4node"), "node1:GPU0", "node2:GPU0", message_size=size)
    terms = [term for term in bounds["GPUDirect RDMA write"].terms if "slot" in term.name]
    assert len(terms) == 4
    assert all(term.formula.startswith(formula) for term in terms)


@pytest.mark.parametrize(
    ("name", "method", "gb_per_s"),
    [
        ("esnet-400g", "TCP over all NICs", 8 * 3.2 * 8 * 8 / 3),  # DDR4-3200; the copy of the CPU passes it twice
        ("mi300x-4node", "RDMA write over all NICs", 8 * 5.6 * 8 * 8),  # DDR5-5600
    ],
)
def test_data_over_all_nics_pass_the_memory_as_often_as_over_each(name, method, gb_per_s):
    bounds = find_bounds(example(name), "node1", "node2")
    terms = {path: [term for term in bound.terms if "memory of" in term.name] for path, bound in bounds.items()}
    assert [term.value for term in terms[method]] == pytest.approx([gb_per_s] * 2)
    single = next(path for path in terms if path != method)
    assert terms[single] == terms[method]
