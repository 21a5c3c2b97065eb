"""Limits of the paths inside hosts, against published measurements."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.cluster import read
from wirespeed.limits.paths import limit_by_slots, list_path_limits
from wirespeed.plan import build

EXAMPLES = Path(__file__).parents[2] / "examples"


def find_limit(example, host, source, target, method):
    plan = build(read(EXAMPLES / example / "cluster.yaml"))
    return next(
        limit.bound
        for limit in list_path_limits(plan)
        if (limit.host, limit.source, limit.target, limit.method) == (host, source, target, method)
    )


@pytest.mark.parametrize(
    ("example", "host", "source", "target", "method", "measured", "bottleneck"),
    [
        # Johansen, Fast Multi-GPU communication over PCI Express, sections 4.1 and 4.2, GB/s
        ("pcie-lending", "abel1", "dis0", "its link", "PCIe bridge", 5.449 * 8, "NIC slot"),
        ("pcie-lending", "abel2", "GPU0", "GPU1", "peer to peer", 5.31 * 8, "PCIe slot of GPU0"),
        # the same, GigE between the hosts: 112 MB/s
        ("pcie-lending", "abel1", "eth0", "its link", "TCP with MTU 1500", 0.112 * 8, "line rate × TCP framing"),
        # ESnet, 400G Testbed Configuration: one port, both ports of the card
        ("esnet-400g", "node1", "eth100", "its link", "TCP with MTU 9000", 190.0, "line rate × TCP framing"),
        ("esnet-400g", "node1", "all NICs", "their links", "from host memory", 222.0, "PCIe slot root1"),
    ],
)
def test_published_measurements_stay_below_the_limit(example, host, source, target, method, measured, bottleneck):
    bound = find_limit(example, host, source, target, method)
    assert 0.6 < measured / bound.value < 1
    assert bound.bottleneck == bottleneck
    assert all(term.formula and term.source for term in bound.terms)


def test_borrowed_gpus_share_the_bridge():
    bridge = find_limit("pcie-lending", "abel1", "a borrowed GPU", "host memory", "PCIe bridge")
    shared = find_limit("pcie-lending", "abel1", "each of 2 borrowed GPUs", "host memory", "PCIe bridge")
    assert shared.value == pytest.approx(bridge.value / 2)


def test_a_narrower_slot_of_the_lender_limits_borrowed_gpus(tmp_path):
    text = (EXAMPLES / "pcie-lending" / "cluster.yaml").read_text()
    path = tmp_path / "cluster.yaml"
    path.write_text(text.replace("10.0.0.8/24}", "10.0.0.8/24, slot: gen3 x4}"))
    (bound,) = (limit.bound for limit in list_path_limits(build(read(path))) if limit.source == "a borrowed GPU")
    assert bound.value == pytest.approx(28.81, abs=0.01)
    assert bound.bottleneck == "bridge to the borrowed GPUs, slot of abel2:dis0"


LENDER_SLOTS = """
hardware:
  servers:
    slots:
      base: supermicro-x9drg-hf-p2p
      pcie:
        - {{nics: [1], numa_node: 0, link: gen3 x8}}
        - {{gpu: 0, numa_node: 0, link: {first}}}
        - {{gpu: 1, numa_node: 0, link: {second}}}
"""
GEN2_LANE = 5 * 8 / 10 * 256 / 280  # Gb/s of data: K20X has PCIe 2.0
BRIDGE = 8 * 8 * 128 / 130 * 256 / 280


@pytest.mark.parametrize(
    ("first", "second", "limits"),
    [
        ("gen3 x16", "gen3 x16", {"a borrowed GPU": BRIDGE, "each of 2 borrowed GPUs": BRIDGE / 2}),
        ("gen3 x1", "gen3 x1", {"a borrowed GPU": GEN2_LANE, "each of 2 borrowed GPUs": GEN2_LANE}),
        (
            "gen3 x16",
            "gen3 x4",
            {
                "borrowed abel2:GPU0": BRIDGE,
                "borrowed abel2:GPU1": 4 * GEN2_LANE,
                "each of 2 borrowed GPUs": 4 * GEN2_LANE,
            },
        ),
    ],
)
def test_the_slots_of_lent_gpus_limit_their_borrower(tmp_path, first, second, limits):
    text = (EXAMPLES / "pcie-lending" / "cluster.yaml").read_text()
    path = tmp_path / "cluster.yaml"
    slots = LENDER_SLOTS.format(first=first, second=second)
    path.write_text(text.replace("model: supermicro-x9drg-hf-p2p", "model: slots") + slots)
    computed = {
        limit.source: limit.bound.value for limit in list_path_limits(build(read(path))) if "borrowed" in limit.source
    }
    assert computed == pytest.approx(limits, rel=1e-3)


@pytest.mark.parametrize(
    ("host", "method", "assumption"),
    [
        ("abel1", "peer to peer", "NCCL_P2P_LEVEL=SYS: without it, data between GPUs of abel1 are staged in memory"),
        ("abel1", "staged in memory", None),
        ("abel2", "peer to peer", "NCCL_P2P_LEVEL=PHB: without it, data between GPUs of abel2 are staged in memory"),
        ("abel2", "staged in memory", None),
    ],
)
def test_a_path_states_with_which_variable_nccl_uses_it(host, method, assumption):
    """NCCL, src/graph/paths.cc, ncclTopoCheckP2p: by default peer access below PCIe switches only."""
    assumptions = find_limit("pcie-lending", host, "GPU0", "GPU1", method).assumptions
    assert [text.partition(", NCCL's")[0] for text in assumptions] == ([assumption] if assumption else [])


@pytest.mark.parametrize("method", ["peer to peer", "staged in memory"])
def test_gpus_of_two_sockets_pass_the_link_between_them(method):
    """Two QPI links of 6.4 GT/s carry 25.6 GB/s, more than a slot: they do not limit GPUs of this generation."""
    bound = find_limit("pcie-lending", "abel1", "GPU0", "GPU1", method)
    socket = next(term for term in bound.terms if term.name == "link between the sockets of abel1")
    assert socket.value == pytest.approx(204.8)
    assert bound.value < socket.value


def test_ports_of_one_card_leave_less_than_the_cables():
    """ESnet: both ports of the card reach 222 Gb/s; the cables of one host carry 400 Gb/s."""
    limit = limit_by_slots(build(read(EXAMPLES / "esnet-400g" / "cluster.yaml")))
    assert limit is not None
    assert limit.slot == "PCIe slot root1 of node1"
    assert 0.95 < 222.0 / limit.value < 1
    assert limit_by_slots(build(read(EXAMPLES / "mi300x-4node" / "cluster.yaml"))) is None
