from dataclasses import replace
from pathlib import Path

import pytest

from wirespeed.catalogue import load
from wirespeed.cluster import read
from wirespeed.limits.impact import (
    compute_impact,
    estimate_gpu_impact,
    estimate_nic_impact,
    gpu_function,
    nic_bandwidth,
)
from wirespeed.plan import Plan, build
from wirespeed.results.verdicts import Bound
from wirespeed.units import Bandwidth

CLUSTER = Path(__file__).parents[2] / "examples" / "mi300x-4node" / "cluster.yaml"
NIC = "enp29s0np0"
FRAMED, SHARED = "Gb/s (line rate × TCP framing)", "Gb/s (NIC slot, shared by 2 ports)"


@pytest.fixture(scope="module")
def plan() -> Plan:
    return build(read(CLUSTER), load())


@pytest.mark.parametrize(
    ("settings", "loss"),
    [
        ({"pcie_width": 8}, 161.69),
        ({"pcie_speed": 16000}, 161.69),
        ({"pcie_width": 4}, 276.92),
        ({"path_mtu": 1024}, 21.81),
        ({"path_mtu": 2048}, 7.55),
        ({"speed": Bandwidth.gbps(200)}, 196.07),
        ({"pcie_width": 8, "max_payload": 128}, 179.89),
    ],
)
def test_what_a_nic_loses(plan, settings, loss):
    impact = estimate_nic_impact(plan, "node1", NIC, **settings)
    assert (impact.value, impact.unit) == (loss, "Gb/s")


@pytest.mark.parametrize(
    ("settings", "loss", "planned", "as_found"),
    [
        # 200 × (8960 / 9038 - 1460 / 1538)
        ({"mtu": 1500}, 8.42, f"198.27 {FRAMED}", f"189.86 {FRAMED}"),
        ({"speed": Bandwidth.gbps(100)}, 99.14, f"198.27 {FRAMED}", f"99.14 {FRAMED}"),
        # 16 GT/s × 128 / 130 × 256 / 280 × (16 - 8) lanes, between both ports of the card
        ({"pcie_width": 8, "pcie_speed": 16000}, 57.61, f"115.23 {SHARED}", f"57.61 {SHARED}"),
        ({"pcie_width": 4, "pcie_speed": 16000}, 86.42, f"115.23 {SHARED}", f"28.81 {SHARED}"),
    ],
)
def test_without_a_class_for_roce_the_traffic_is_tcp(settings, loss, planned, as_found):
    tcp_plan = build(read(CLUSTER.parents[1] / "esnet-400g" / "cluster.yaml"), load())
    impact = estimate_nic_impact(tcp_plan, "node1", "eth100", **settings)
    assert (impact.value, impact.basis) == (
        loss,
        f"planned {planned}, as found {as_found}; TCP traffic, because the cluster file has no class for RoCE",
    )
    assert estimate_nic_impact(tcp_plan, "node1", "eth100", path_mtu=1024) is None


@pytest.mark.parametrize("settings", [{}, {"pcie_width": 16}, {"max_payload": 128}, {"max_payload": 512}])
def test_what_has_no_impact(plan, settings):
    """A slot with packets of 128 bytes still carries 425 Gb/s, above the 392 of the link."""
    assert estimate_nic_impact(plan, "node1", NIC, **settings) is None


def test_a_narrow_slot_of_a_gpu(plan):
    impact = estimate_gpu_impact(plan, "node1", "GPU0", pcie_speed=32000, pcie_width=4)
    assert impact.value == pytest.approx(0.75 * 460.9, rel=1e-3)
    assert "planned 460.91 Gb/s (PCIe slot of GPU0), as found 115.23 Gb/s (PCIe slot of GPU0)" in impact.basis
    assert estimate_gpu_impact(plan, "node1", "GPU0", pcie_width=16) is None
    assert estimate_gpu_impact(plan, "node1", "GPU9", pcie_width=4) is None


def test_the_catalogue_stands_in_for_a_plan_without_slots(plan):
    bare = replace(plan, hosts={"node1": replace(plan.hosts["node1"], pcie={})})
    assert estimate_nic_impact(bare, "node1", NIC, pcie_width=8).value == 161.69
    assert gpu_function(bare, "node1", "GPU0").link.width == 16


def test_what_the_plan_does_not_have(plan):
    assert gpu_function(plan, "node1", "GPU9") is None
    with pytest.raises(KeyError):
        nic_bandwidth(plan, "node9", NIC)


def test_bounds_in_different_units_are_not_subtracted():
    with pytest.raises(ValueError, match="bounds in different units: Gb/s and GB/s"):
        compute_impact(Bound(1, "Gb/s", "a", ()), Bound(1, "GB/s", "a", ()))
