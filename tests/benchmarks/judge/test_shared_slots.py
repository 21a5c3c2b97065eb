"""Ports of one card share its slot: limits of all NICs of a host, as planned and with one card in a narrow slot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from judge_support import MIB, find_verdict
from tests.benchmarks.judge.test_point_to_point import osu

from wirespeed.benchmarks.judge.runs import judge
from wirespeed.catalogue import load
from wirespeed.cluster import read
from wirespeed.facts import assemble_facts
from wirespeed.plan import Plan, build
from wirespeed.plan.overlay import ObservedPlan, overlay_facts

CARDS = """
version: 1
name: cards
hosts:
  node[1-4]:
    model: two-cards
    os: ubuntu-22.04
    nics: 4 x broadcom-bcm957608-p2200g
    ports_per_card: 2
    interfaces: [card1p0, card1p1, card2p0, card2p1]
hardware:
  servers:
    two-cards:
      cpu_vendor: amd
      cpus: {sockets: 2, cores: 16, threads: 2}
      memory: {channels: 8, speed: 3200 MT/s}
      slot_pcie: gen5 x16
      nic_slots: [{}, {}, {}, {}]
      pcie: [{nics: [1, 2], numa_node: 0}, {nics: [3, 4], numa_node: 1}]
switches:
  leaf1: {model: arista-7060dx4-32, os: eos, role: leaf}
cabling: {pattern: by-host, length: 3 m}
addresses: {scheme: rail-24}
classes:
  roce: {dscp: 26, priority: 3, lossless: true, share: 50%, congestion: dcqcn-p}
  cnp: {dscp: 48, priority: 7, strict: true}
"""
PORT = 200 * 4096 / 4178  # Gb/s
LANE = 32 * 128 / 130 * 256 / 280  # Gb/s of data in one lane of gen5


def build_plan(tmp_path: Path) -> Plan:
    path = tmp_path / "cluster.yaml"
    path.write_text(CARDS)
    return build(read(path), load())


def observe_narrow_card(plan: Plan, host: str, width: int) -> ObservedPlan:
    """The plan as found with the second card of a host in a slot of fewer lanes."""
    observed = overlay_facts(plan, assemble_facts(()))
    settings = observed.plan.hosts[host]
    addresses = {settings.nics[name].pcie for name in ("card2p0", "card2p1")}
    pcie = {
        address: replace(function, link=replace(function.link, width=width)) if address in addresses else function
        for address, function in settings.pcie.items()
    }
    hosts = {**observed.plan.hosts, host: replace(settings, pcie=pcie)}
    return replace(observed, plan=replace(observed.plan, hosts=hosts))


@pytest.mark.parametrize(
    ("width", "pairs", "limit"),
    [
        (16, 16, 4 * PORT),
        (8, 16, 4 * LANE * 8 / 2),
        (4, 16, 4 * LANE * 4 / 2),  # with even traffic all wait for the ports of the slow card
        (4, 2, 2 * LANE * 4),  # one port of each card
        (4, 1, LANE * 4),
    ],
)
@pytest.mark.parametrize("host", ["node1", "node4"])
def test_the_slowest_host_limits_a_log_without_hosts(tmp_path, host, width, pairs, limit):
    plan = build_plan(tmp_path)
    log = osu("osu_mbw_mr", {4 * MIB: 10_000.0}, pairs=pairs)
    verdict = find_verdict(judge(log, plan, nodes=2, observed=observe_narrow_card(plan, host, width)))
    assert verdict.found.value == pytest.approx(limit * 1000 / 8, rel=1e-3)
    if width < 16:
        assert f"on {host}, the slowest of 4 hosts" in verdict.reason
        assert (f"{limit / 4:.2f} Gb/s, the share of each of 2 NICs in PCIe slot" in verdict.reason) is (pairs > 4)


def test_the_rate_of_a_shared_slot_is_not_that_of_each_port(tmp_path):
    plan = build_plan(tmp_path)
    log = osu("osu_mbw_mr", {4 * MIB: 150_000.0}, pairs=16)
    observed = observe_narrow_card(plan, "node2", 4)
    ends = {"source": "node2:card1p0", "target": "node1:card1p0"}
    (network,) = (
        term
        for term in find_verdict(judge(log, plan, observed=observed, **ends)).found.terms
        if term.name == "NICs of node2"
    )
    assert f"1 × {LANE * 4:.2f} Gb/s (PCIe slot, 2 NICs share it)" in network.formula
