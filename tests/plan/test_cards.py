"""Cards with several NIC ports in one slot."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.cluster import read
from wirespeed.errors import Refusal
from wirespeed.limits.host import compute_shared_rate
from wirespeed.plan import Plan, build

_CLUSTER = """\
version: 1
name: cards
hosts:
  node[1-2]: {{model: {server}, os: ubuntu-22.04, nics: {nics}{options}}}
switches:
  leaf1: {{model: arista-7060dx4-32, role: leaf, classes: {{roce: {{traffic_class: 5, queue: 5}}}}}}
cabling: {{pattern: by-host, length: 3 m}}
addresses: {{scheme: link-31, pool: 10.1.0.0/24}}
classes:
  roce: {{dscp: 32, priority: 5, lossless: true, share: 50%, congestion: dcqcn-p}}
  cnp: {{dscp: 36, priority: 6, strict: true}}
"""


def build_plan(tmp_path: Path, server: str, nics: str, options: str = "") -> Plan:
    file = tmp_path / "cluster.yaml"
    file.write_text(_CLUSTER.format(server=server, nics=nics, options=options))
    return build(read(file))


def test_two_ports_of_one_card(tmp_path):
    """Interface names by systemd.net-naming-scheme(7); the published name of the first port is ens7f0np0."""
    plan = build_plan(tmp_path, "dell-r740-xeon-5218", "2 x broadcom-bcm957508-p2100g", ", ports_per_card: 2")
    host = plan.hosts["node1"]
    assert list(host.nics) == ["ens7f0np0", "ens7f1np1"]
    assert [nic.pcie for nic in host.nics.values()] == ["root1.0", "root1.1"]
    assert {host.pcie[nic.pcie].parent for nic in host.nics.values()} == {"root1"}


def test_more_ports_than_slots_fill_the_cards(tmp_path):
    plan = build_plan(tmp_path, "dell-xe9680-mi300x", "16 x broadcom-bcm957508-p2100g")
    nics = plan.hosts["node1"].nics
    assert list(nics)[:3] == ["enp29s0f0np0", "enp29s0f1np1", "enp67s0f0np0"]
    assert [nic.gpu for nic in nics.values()][:4] == ["GPU0", "GPU0", "GPU1", "GPU1"]


@pytest.mark.parametrize(
    ("nics", "options", "names"),
    [
        # one port of each card with two, the second not used: all functions have a name and a number
        (
            "8 x broadcom-bcm957608-p2200g",
            "",
            {"enp29s0f0np0": "bnxt_re0", "enp67s0f0np0": "bnxt_re2", "enp231s0f0np0": "bnxt_re14"},
        ),
        (
            "8 x broadcom-bcm957608-p2200g",
            ", ports_per_card: 1",
            {"enp29s0f0np0": "bnxt_re0", "enp67s0f0np0": "bnxt_re2", "enp231s0f0np0": "bnxt_re14"},
        ),
        (
            "16 x broadcom-bcm957608-p2200g",
            "",
            {"enp29s0f0np0": "bnxt_re0", "enp29s0f1np1": "bnxt_re1", "enp231s0f1np1": "bnxt_re15"},
        ),
        (
            "8 x broadcom-bcm957608-p1400gd",
            "",
            {"enp29s0np0": "bnxt_re0", "enp67s0np0": "bnxt_re1", "enp231s0np0": "bnxt_re7"},
        ),
        (
            "2 x broadcom-bcm957608-p2200g",
            ", interfaces: [rail0, rail1]",
            {"rail0": "bnxt_re0", "rail1": "bnxt_re2"},
        ),
        (
            "2 x broadcom-bcm957608-p2200g",
            ", nic: {enp67s0f0np0: {rdma_device: roce1}}",
            {"enp29s0f0np0": "bnxt_re0", "enp67s0f0np0": "roce1"},
        ),
    ],
)
def test_names_count_all_ports_of_a_card(tmp_path, nics, options, names):
    """f for functions of a device with several (systemd.net-naming-scheme(7)); RDMA devices by function."""
    planned = build_plan(tmp_path, "dell-xe9680-mi300x", nics, options).hosts["node1"].nics
    assert {name: nic.rdma_device for name, nic in planned.items() if name in names} == names


def test_an_interface_that_the_cluster_file_names_keeps_its_name(tmp_path):
    ports = "nic_slots: [{interface: ens1np0}, {interface: ens2np0}], pcie: [{nics: [1]}, {nics: [2]}]"
    file = tmp_path / "cluster.yaml"
    text = _CLUSTER.format(server="mine", nics="2 x broadcom-bcm957608-p2200g", options="")
    file.write_text(f"{text}hardware: {{servers: {{mine: {{base: dell-xe9680-mi300x, {ports}}}}}}}\n")
    nics = build(read(file)).hosts["node1"].nics
    assert {name: nic.rdma_device for name, nic in nics.items()} == {"ens1np0": "bnxt_re0", "ens2np0": "bnxt_re2"}


@pytest.mark.parametrize(
    ("server", "nics", "options", "slots", "rate"),
    [
        # gen3 x16: 8 GT/s × 16 × 128/130, 256 of 280 bytes are data (PCI Express Base 3.0, sections 2.2 and 4.2)
        ("dell-r740-xeon-5218", "broadcom-bcm957508-p2100g", ", ports_per_card: 2", 1, 8 * 16 * 128 / 130 * 256 / 280),
        ("dell-r740-xeon-5218", "broadcom-bcm957508-p2100g", ", interfaces: [ens4np0, ens7np0]", 2, 195.0),
        # gen4 x16: ESnet's card with two ports of 200 Gb/s, whose run reached 222 Gb/s
        ("gigabyte-r19", "nvidia-mcx613106a-vdat", "", 1, 16 * 16 * 128 / 130 * 256 / 280),
    ],
)
def test_ports_of_a_card_share_its_slot(tmp_path, server, nics, options, slots, rate):
    plan = build_plan(tmp_path, server, f"2 x {nics}", options)
    host = plan.hosts["node1"]
    rates = {nic.pcie: nic.link.speed.gb_per_s * 0.975 for nic in host.nics.values()}
    total, bottleneck = compute_shared_rate(plan, "node1", rates, to_memory=False)
    assert total == pytest.approx(rate)
    assert (bottleneck == "PCIe slot root1") is (slots == 1)


@pytest.mark.parametrize(
    ("server", "nics", "options", "message"),
    [
        (
            "dell-r740-xeon-5218",
            "2 x broadcom-bcm957508-p1200g",
            ", ports_per_card: 2",
            "cluster.yaml:4: found 2 ports of each card; expected at most 1, the ports of broadcom-bcm957508-p1200g",
        ),
        (
            "dell-r740-xeon-5218",
            "5 x broadcom-bcm957508-p2100g",
            "",
            "found 5 NIC ports; expected at most 4: 2 slots of dell-r740-xeon-5218 × 2 ports of a card",
        ),
        (
            "dell-r740-xeon-5218",
            "3 x broadcom-bcm957508-p1200g",
            "",
            "found 3 NIC ports; expected at most 2, the slots of dell-r740-xeon-5218",
        ),
    ],
)
def test_a_card_has_no_more_ports_than_its_model(tmp_path, server, nics, options, message):
    with pytest.raises(Refusal) as refusal:
        build_plan(tmp_path, server, nics, options)
    assert message in str(refusal.value)
