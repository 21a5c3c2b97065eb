from dataclasses import replace

import pytest

from wirespeed.limits.impact import compute_impact
from wirespeed.limits.nic import nic_goodput, nic_goodput_two_way
from wirespeed.settings import Link, Nic, PcieFunction, PcieLink
from wirespeed.units import Bandwidth

NIC = Nic(link=Link(speed=Bandwidth.gbps(400), mtu=9000), rdma_mtu=4096, addresses=("10.1.0.1/31",))
X16 = PcieFunction(link=PcieLink(speed=32000, width=16), max_payload=256)
X8 = replace(X16, link=PcieLink(speed=32000, width=8))


@pytest.mark.parametrize(
    ("nic", "function", "goodput", "binding"),
    [
        (NIC, None, 392.15, "line rate × RoCEv2 framing"),
        (NIC, X16, 392.15, "line rate × RoCEv2 framing"),
        (NIC, X8, 230.46, "NIC slot"),
        (NIC, replace(X16, link=PcieLink(speed=16000, width=16)), 230.46, "NIC slot"),
        (NIC, replace(X8, max_payload=128), 212.26, "NIC slot"),
        # 64 GT/s × 4 × 236/256 × 256/272: a flit replaces the framing of packets (PCI Express Base 6.0, section 4.2.3)
        (NIC, replace(X8, link=PcieLink(speed=64000, width=4)), 222.12, "NIC slot"),
        (NIC, replace(X16, link=PcieLink()), 392.15, "line rate × RoCEv2 framing"),
        (replace(NIC, rdma_mtu=1024), X16, 370.34, "line rate × RoCEv2 framing"),
        (replace(NIC, rdma_mtu=None), X16, 392.15, "line rate × RoCEv2 framing"),
        (replace(NIC, rdma_mtu=None, link=replace(NIC.link, mtu=1500)), X16, 370.34, "line rate × RoCEv2 framing"),
        (replace(NIC, addresses=("fd00::1/64",)), X16, 390.28, "line rate × RoCEv2 framing"),
    ],
)
def test_one_way(nic, function, goodput, binding):
    bound = nic_goodput(nic, function)
    assert (bound.value, bound.bottleneck) == (pytest.approx(goodput, abs=0.006), binding)


def test_both_directions_share_the_slot_with_read_requests():
    bound = nic_goodput_two_way(NIC, X8)
    assert bound.bottleneck == "NIC slot"
    assert bound.value == pytest.approx(252.06154 / (280 / 256 + 24 / 4096))


def test_a_link_of_flits_cites_its_own_source():
    bound = nic_goodput_two_way(NIC, replace(X8, link=PcieLink(speed=64000, width=4)))
    assert bound.value == pytest.approx(236 / (272 / 256 + 16 / 4096))
    assert next(term.source for term in bound.terms if term.name == "NIC slot").startswith("PCI Express Base 6.0")


def test_acknowledgements_take_their_share():
    assert nic_goodput_two_way(NIC, X16, acks_per_packet=0.5).value == pytest.approx(388.15, abs=0.01)


def test_assumptions_are_reported():
    bound = nic_goodput(Nic(link=Link(speed=Bandwidth.gbps(400))), replace(X16, max_payload=None))
    assert bound.assumptions == (
        "path MTU 4096, the largest: neither RDMA port nor interface has a value",
        "IPv4, no VLAN tag between host and switch",
        "PCIe MaxPayload 256 bytes (usual value; not collected)",
    )


def test_no_speed_no_limit():
    assert nic_goodput(Nic(), X16) is None


def test_impact_of_a_narrow_slot():
    impact = compute_impact(nic_goodput(NIC, X16), nic_goodput(NIC, X8))
    assert (impact.value, impact.unit) == (161.69, "Gb/s")
    assert impact.basis == ("planned 392.15 Gb/s (line rate × RoCEv2 framing), as found 230.46 Gb/s (NIC slot)")


@pytest.mark.parametrize("bottleneck", [nic_goodput(NIC, X16), None])
def test_nothing_lost_or_nothing_known(bottleneck):
    assert compute_impact(nic_goodput(NIC, X16), bottleneck) is None
