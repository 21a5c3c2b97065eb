"""Servers, GPUs and NICs that a cluster file describes itself."""

from __future__ import annotations

import dataclasses

import pytest

from wirespeed.catalogue import load
from wirespeed.cluster import read_text
from wirespeed.limits.paths import list_path_limits
from wirespeed.plan import build

FILE = """\
version: 1
name: inline
hosts:
  node[1-2]: {{model: {model}, os: ubuntu-22.04, nics: {nics}, interfaces: [{interfaces}]}}
switches:
  leaf1: {{model: arista-7060dx5-64s, os: eos, role: leaf}}
cabling: {{pattern: by-host, length: 3 m}}
addresses: {{scheme: link-31, pool: 10.1.0.0/16}}
hardware:
"""

L40S = """\
  servers:
    four-l40s:
      cpu_vendor: amd
      gpu: l40s
      cpus: {sockets: 2, cores: 96, threads: 2}
      slot_pcie: gen5 x16
      nic_slots: [{gpu: 2}, {gpu: 3}]
      pcie:
      - {gpu: 0, numa_node: 0}
      - {gpu: 1, numa_node: 0}
      - {gpu: 2, numa_node: 1}
      - {gpu: 3, numa_node: 1}
      - {nics: [1, 2], numa_node: 1}
"""

L40S_TABLE = {
    "GPU0": "NODE SYS SYS SYS SYS",
    "GPU1": "SYS SYS SYS SYS",
    "GPU2": "NODE NODE NODE",
    "GPU3": "NODE NODE",
    "eth1": "PIX",
}
"""Upper half of `nvidia-smi topo -m` of a server with four L40S and two EPYC processors
(github.com/warpem/miss-alignment, issue 106); its NIC0 and NIC1 are eth1 and eth2 here."""


def build_plan(hardware, model="ours", nics="1 x nvidia-mcx623106an-cdat", interfaces="eth1"):
    text = FILE.format(model=model, nics=nics, interfaces=interfaces) + hardware
    return build(read_text(text, "cluster.yaml"))


def test_an_l40s_server_has_the_distances_that_its_driver_prints():
    plan = build_plan(L40S, "four-l40s", "2 x nvidia-mcx623106an-cdat", "eth1, eth2")
    host = plan.hosts["node1"]
    devices = {name: gpu.pcie for name, gpu in host.gpus.items()} | {name: nic.pcie for name, nic in host.nics.items()}
    names = list(devices)
    for first, row in L40S_TABLE.items():
        for second, distance in zip(names[names.index(first) + 1 :], row.split(), strict=True):
            assert describe_distance(host.pcie, devices[first], devices[second]) == distance, (first, second)


def describe_distance(functions, first, second):
    a, b = functions[first], functions[second]
    if a.parent == b.parent:
        return "PIX"
    return "NODE" if a.numa_node == b.numa_node else "SYS"


def test_an_l40s_server_has_the_cores_that_its_driver_prints():
    """CPU affinity in the same output: 0-95,192-287 at NUMA node 0, 96-191,288-383 at node 1."""
    nodes = build_plan(L40S, "four-l40s", "2 x nvidia-mcx623106an-cdat", "eth1, eth2").hosts["node1"].numa
    assert nodes["0"].cpus == frozenset({*range(96), *range(192, 288)})
    assert nodes["1"].cpus == frozenset({*range(96, 192), *range(288, 384)})


def test_a_described_server_plans_the_same_as_the_catalogue():
    """Proves consistency only: the values are those of the catalogue's gigabyte-r19."""
    hardware = """\
  servers:
    ours:
      vendor: gigabyte
      cpu_vendor: amd
      cpus: {sockets: 2, cores: 16, threads: 2}
      slot_pcie: gen4 x16
      nic_slots: [{interface: eth100}, {interface: eth200}]
      pcie: [{nics: [1, 2], numa_node: 1}]
"""
    ours = build_plan(hardware).hosts["node1"]
    theirs = build_plan("  {}\n", "gigabyte-r19").hosts["node1"]
    assert dataclasses.replace(ours, model="gigabyte-r19") == theirs


def test_a_base_gives_the_values_that_are_left_out():
    plan = build_plan("  servers: {ours: {base: dell-xe9680-mi300x, memory: {channels: 8, speed: 4800 MT/s}}}\n")
    ours, base = plan.hardware.servers["ours"], load().servers["dell-xe9680-mi300x"]
    assert ours.memory.speed.value == 4800
    assert ours.memory.source == "cluster.yaml:10"
    assert (ours.pcie, ours.bios, ours.gpu) == (base.pcie, base.bios, base.gpu)


def test_a_card_in_another_slot_needs_no_new_model():
    """Two K20X at two sockets reach each other over the link between them, at one socket without it."""
    moved = "[{nics: [1], numa_node: 0}, {gpu: 0, numa_node: 0}, {gpu: 1, numa_node: 1}]"
    hardware = f"""\
  servers:
    ours: {{base: supermicro-x9drg-hf-p2p, socket_link: 32 Gb/s, pcie: {moved}}}
"""
    limits = list_path_limits(build_plan(hardware))
    bound = next(limit.bound for limit in limits if limit.method == "peer to peer")
    assert bound.bottleneck == "link between the sockets of node1"
    assert next(term.source for term in bound.terms if term.name == bound.bottleneck) == "cluster.yaml:11"


def test_an_unknown_link_between_the_sockets_is_assumed_to_be_no_bottleneck():
    limits = list_path_limits(build_plan(L40S, "four-l40s", "2 x nvidia-mcx623106an-cdat", "eth1, eth2"))
    crossing = {
        (limit.source, limit.target)
        for limit in limits
        if "the link between the sockets is no bottleneck: its bandwidth is unknown "
        "(`socket_link` of the server under `hardware.servers`)" in limit.bound.assumptions
    }
    assert crossing == {(f"GPU{first}", f"GPU{second}") for first in (0, 1) for second in (2, 3)}


@pytest.mark.parametrize(("slot", "bottleneck", "value"), [("gen4 x16", "slot", 230.46), ("gen3 x8", "slot", 57.61)])
def test_a_nic_with_another_slot_answers_what_it_would_give(slot, bottleneck, value):
    """PCI Express: 16 GT/s x16 is 252.06 Gb/s after 128b/130b, of which 256 of 280 bytes are data."""
    hardware = f"""\
  servers: {{ours: {{base: dell-r750-xeon-8358}}}}
  nics: {{fast: {{base: nvidia-mcx623106an-cdat, speed: 400 Gb/s, pcie: {slot}, source: data sheet}}}}
"""
    plan = build_plan(hardware, nics="1 x fast")
    assert str(plan.hosts["node1"].nics["eth1"].link.speed) == "400 Gb/s"
    bound = next(limit.bound for limit in list_path_limits(plan) if limit.source == "eth1")
    assert bottleneck in bound.bottleneck
    assert bound.value == pytest.approx(value, abs=0.01)
    assert plan.hardware.nics["fast"].speed.source == "data sheet"
    term = next(term for term in bound.terms if term.name == bound.bottleneck)
    assert term.source.endswith("; PCIe link: data sheet")


def test_a_described_gpu_has_its_links_and_numbers():
    hardware = """\
  servers:
    ours:
      cpu_vendor: amd
      gpu: pair
      slot_pcie: gen4 x16
      nic_slots: [{}]
      pcie: [{nics: [1]}, {gpu: 0}, {gpu: 1}]
  gpus:
    pair:
      base: l40s
      pci_id: 10de:20b5
      bars: [16 MiB, 128 GiB]
      links: {name: NVLink bridge, per_gpu: 3, full_mesh: false, peak: 200 Gb/s}
"""
    plan = build_plan(hardware)
    assert plan.hosts["node1"].gpus["GPU0"].model == "pair"
    assert plan.hosts["node1"].pcie["root2.0"].device_ids == {"10de:20b5"}
    bound = next(limit.bound for limit in list_path_limits(plan) if limit.method == "NVLink bridge")
    assert bound.value == 600
