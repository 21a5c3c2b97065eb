"""Ports of one card share its slot: limits of all NICs of a host, as planned and with one card in a narrow slot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from judge_support import GIB, MIB, collective, find_verdict, perftest
from tests.benchmarks.judge.test_point_to_point import osu

from wirespeed.benchmarks.judge.runs import judge
from wirespeed.catalogue import load
from wirespeed.cluster import read
from wirespeed.facts import assemble_facts
from wirespeed.plan import Plan, build
from wirespeed.plan.overlay import ObservedPlan, overlay_facts
from wirespeed.results.benchmarks import Metric, Run
from wirespeed.results.verdicts import Judgement

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
GPU_SERVER = """cpu_vendor: amd
      gpu: a100
      cpus: {sockets: 2, cores: 32, threads: 2}
      memory: {channels: 8, speed: 3200 MT/s}
      slot_pcie: gen4 x16
      nic_slots: [{gpu: 0}, {gpu: 1}, {gpu: 2}, {gpu: 3}]
      pcie:
        - {switch: [{gpu: 0}, {gpu: 1}, {nics: [1, 2]}], numa_node: 0}
        - {switch: [{gpu: 2}, {gpu: 3}, {nics: [3, 4]}], numa_node: 1}
"""
PORT = 200 * 4096 / 4178  # Gb/s
LANE = 32 * 128 / 130 * 256 / 280  # Gb/s of data in one lane of gen5


def build_plan(tmp_path: Path, text: str = CARDS) -> Plan:
    path = tmp_path / "cluster.yaml"
    path.write_text(text)
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


@pytest.mark.parametrize(
    ("busbw", "judgement"), [(28.0, Judgement.FAIL), (41.0, Judgement.WARN), (55.0, Judgement.PASS)]
)
def test_a_collective_over_one_narrow_card(tmp_path, busbw, judgement):
    """The card in the narrow slot is named, not the healthy one, and a fast run keeps the algorithm of the plan."""
    start, end = CARDS.index("cpu_vendor"), CARDS.index("switches:")
    plan = build_plan(tmp_path, CARDS[:start] + GPU_SERVER + CARDS[end:])
    log = collective("all_reduce_perf", 8, {8 * GIB: (8 * GIB * 1.75 / busbw / 1e3, busbw / 1.75, busbw)}, nodes=2)
    judged = judge(log, plan, observed=observe_narrow_card(plan, "node2", 8))
    verdict = find_verdict(judged, metric=Metric.BUSBW)
    wide, narrow = 14.33, 7.16  # GB/s of each port, both directions loaded
    assert verdict.judgement is judgement
    assert verdict.reachable.value == pytest.approx(4 * wide, rel=1e-3)
    assert verdict.found.value == pytest.approx(2 * wide + 2 * narrow, rel=1e-3)
    (term,) = (term for term in verdict.found.terms if term.name == verdict.found.bottleneck)
    slot = plan.hosts["node2"].pcie[plan.hosts["node2"].nics["card2p0"].pcie].parent
    assert term.formula == (
        f"2 × {wide} GB/s + 2 × {narrow} GB/s (PCIe slot {slot} of node2, acknowledgements; "
        "28.65 GB/s with equal traffic on each)"
    )
    assert any("128 % of what the ring algorithm reaches" in note for note in judged.notes) is (busbw > 50)


@pytest.mark.parametrize("host", ["node1", "node3"])
def test_a_collective_without_hosts_is_compared_with_the_slowest(tmp_path, host):
    start, end = CARDS.index("cpu_vendor"), CARDS.index("switches:")
    plan = build_plan(tmp_path, CARDS[:start] + GPU_SERVER + CARDS[end:])
    log = collective("all_reduce_perf", 8, {8 * GIB: (8 * GIB * 1.75 / 28.0 / 1e3, 16.0, 28.0)}, nodes=2)
    observed = observe_narrow_card(plan, host, 8)
    judged = judge(log, plan, observed=observed)
    verdict = find_verdict(judged, metric=Metric.BUSBW)
    assert verdict.found.value == pytest.approx(2 * 14.33 + 2 * 7.16, rel=1e-3)
    assert f"of {host}, acknowledgements" in verdict.reason
    is_noted = any(f"the limit is that of {host}, node1, with the slowest NICs" in note for note in judged.notes)
    assert is_noted is (host != "node1")
    with_ends = judge(log, plan, observed=observed, source="node1:card1p0", target="node2:card1p0")
    limit = find_verdict(with_ends, metric=Metric.BUSBW).found.value
    assert limit == pytest.approx(4 * 14.33 if host != "node1" else verdict.found.value, rel=1e-3)


BOTH_PORTS = {"source": "node2:card2p0", "target": "node2:card2p1"}


def write_both_ways(value: float) -> Run:
    return perftest({MIB: value}, test="RDMA_Write Bidirectional BW Test", rdma_device=None)


def test_both_directions_between_ports_of_a_card_pass_its_slot_twice(tmp_path):
    """Each port sends and receives, so that each direction of the shared slot carries both flows."""
    plan = build_plan(tmp_path)
    observed = observe_narrow_card(plan, "node2", 4)
    verdict = find_verdict(judge(write_both_ways(110.0), plan, observed=observed, **BOTH_PORTS))
    both_ways = 2 * 4 * 32 * 128 / 130 / (280 / 256 + 24 / 4096)  # Gb/s
    assert verdict.found.value == pytest.approx(both_ways / 2, rel=1e-4)
    assert verdict.found.bottleneck.startswith("NIC slot of node2:")
    assert "2 ends that share it" in verdict.reason
    assert "causes of exactly this rate: PCIe gen4 x4 " not in verdict.reason
    at_the_limit = find_verdict(judge(write_both_ways(114.0), observed.plan, **BOTH_PORTS))
    assert (at_the_limit.judgement, at_the_limit.reachable.value) == (
        Judgement.PASS,
        pytest.approx(both_ways / 2, rel=1e-4),
    )


def test_ports_of_different_cards_do_not_share_a_slot(tmp_path):
    plan = build_plan(tmp_path)
    observed = observe_narrow_card(plan, "node2", 4)
    ends = {"source": "node2:card1p0", "target": "node2:card2p1"}
    verdict = find_verdict(judge(write_both_ways(110.0), plan, observed=observed, **ends))
    assert verdict.found.value == pytest.approx(2 * 4 * 32 * 128 / 130 / (280 / 256 + 24 / 4096), rel=1e-4)


def test_a_degraded_slot_is_a_fraction_of_the_planned_one(tmp_path):
    """A planned slot that is slower than the port is the rate that its losses are fractions of."""
    narrow = observe_narrow_card(build_plan(tmp_path), "node2", 4).plan
    log = perftest({MIB: LANE * 2 * 0.995}, rdma_device=None)
    verdict = find_verdict(judge(log, narrow, source="node2:card2p0", target="node1:card1p0"))
    assert "PCIe gen4 x4" in verdict.reason
    assert f"({LANE * 2:.2f} Gb/s ± 1 %)" in verdict.reason


def test_one_port_is_no_loss_where_the_slot_limits_both_to_its_rate(tmp_path):
    plan = build_plan(tmp_path, CARDS.replace("gen5 x16", "gen5 x4"))
    rate = 2 * LANE * 4 * 1000 / 8  # of both cards, whether one or both of their ports are in use
    log = osu("osu_mbw_mr", {size * MIB: rate * 0.999 for size in (1, 2, 4)}, pairs=16)
    judged = judge(log, plan, source="node2:card2p0", target="node1:card1p0")
    assert not any("of 4 NICs" in note for note in judged.notes)


def test_a_cluster_that_is_faster_than_planned_is_a_note(tmp_path):
    """The limit as found is shown where it explains a loss: a wider slot than planned explains none."""
    wide = build_plan(tmp_path)
    narrow = observe_narrow_card(wide, "node2", 4).plan
    observed = observe_narrow_card(wide, "node2", 16)
    judged = judge(perftest({MIB: 110.0}, rdma_device=None), narrow, observed=observed, source="node2:card2p0")
    verdict = find_verdict(judged)
    assert (verdict.judgement, verdict.found) == (Judgement.PASS, None)
    assert any(note.startswith("as found: the limit is 196.07 Gb/s") for note in judged.notes), judged.notes
