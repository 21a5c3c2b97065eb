"""Collectives with borrowed GPUs: what crosses the PCIe bridge, with the slots at both of its ends."""

from __future__ import annotations

from dataclasses import replace

import pytest
from judge_support import collective, find_verdict
from test_gpu import LENDING

from wirespeed.benchmarks.judge.runs import judge
from wirespeed.catalogue import load
from wirespeed.cli.flows import evidence as read_bundle
from wirespeed.cluster import read
from wirespeed.limits.device_lending import list_bridge_slots
from wirespeed.plan import Plan, build
from wirespeed.plan.overlay import ObservedPlan, overlay_facts
from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.parameters import Parameters, RankPlace
from wirespeed.results.verdicts import Judgement

MIB = 2**20
X8 = 7.163  # GB/s: gen3 x8, 256 bytes in a packet, both directions loaded
SLOT = 7.276  # gen2 x16, of each GPU
NARROW_SLOT = """
hardware:
  servers:
    abel2-x4:
      base: supermicro-x9drg-hf-p2p
      pcie:
        - {nics: [1], numa_node: 0, link: gen3 x8}
        - {gpu: 0, numa_node: 0}
        - {gpu: 1, numa_node: 0, link: gen3 x4}
"""
LENDER = "nic: {dis0: {address: 10.0.0.8/24}}"


def build_plan(tmp_path, slot: str | None = None) -> Plan:
    text = LENDING.read_text()
    assert LENDER in text
    if slot is not None:
        text = text.replace(
            LENDER, LENDER.replace("0/24", f"0/24, slot: {slot}").replace("8/24", f"8/24, slot: {slot}")
        )
    path = tmp_path / "cluster.yaml"
    path.write_text(text)
    return build(read(path), load())


@pytest.mark.parametrize(
    ("test", "ranks", "slot", "physical", "reachable", "bottleneck"),
    [
        # k own GPUs send S/n to each of m borrowed ones: k·m·S/n over the bridge
        ("alltoall_perf", 4, None, X8 * 3 / 4, X8 * 3 / 4, "bridge to the borrowed GPUs"),
        ("alltoall_perf", 3, None, X8, X8, "bridge to the borrowed GPUs"),
        ("alltoall_perf", 2, None, SLOT, SLOT, "links of a GPU"),  # both may be own GPUs
        ("alltoall_perf", 4, "gen3 x4", X8 * 3 / 8, X8 * 3 / 8, "bridge to the borrowed GPUs"),
        # a ring passes the bridge once in each direction; a tree over it sends less
        ("all_reduce_perf", 4, None, SLOT, X8, "links of a GPU"),
        ("all_reduce_perf", 4, "gen3 x4", X8 * 3 / 4, X8 / 2, "bridge to the borrowed GPUs"),
        ("broadcast_perf", 4, "gen3 x4", X8 / 2, X8 / 2, "bridge to the borrowed GPUs"),
        ("gather_perf", 4, "gen3 x4", X8 * 3 / 4, X8 * 3 / 4, "bridge to the borrowed GPUs"),
    ],
)
def test_the_slots_of_both_bridges_limit_a_collective(tmp_path, test, ranks, slot, physical, reachable, bottleneck):
    run = collective(test, ranks, {128 * MIB: (1e6, 0.1, 0.1)}, nodes=1)
    judged = judge(run, build_plan(tmp_path, slot))
    (verdict,) = (verdict for verdict in judged.verdicts if verdict.measurement.metric == "busbw")
    assert verdict.physical.value == pytest.approx(physical, rel=1e-3)
    assert verdict.physical.bottleneck == bottleneck
    assert verdict.reachable.value == pytest.approx(reachable, rel=1e-3)


def test_a_rate_that_the_bridge_cannot_carry_is_unknown(tmp_path):
    run = collective("alltoall_perf", 4, {128 * MIB: (15000, 8.8, 6.6)}, nodes=1)
    judged = judge(run, build_plan(tmp_path))
    (verdict,) = (verdict for verdict in judged.verdicts if verdict.measurement.metric == "busbw")
    assert verdict.judgement is Judgement.UNKNOWN
    assert "above the physical limit (bridge to the borrowed GPUs)" in verdict.reason


def test_the_bridge_of_the_lender_counts_for_the_borrower_alone(tmp_path):
    planned = build_plan(tmp_path, "gen3 x4")
    assert [(end.host, end.slot.lanes) for end in list_bridge_slots(planned, "abel1")] == [("abel1", 8), ("abel2", 4)]
    assert list_bridge_slots(planned, "abel2") == ()


def observe_slot(healthy_bundle, planned: Plan, width: int) -> ObservedPlan:
    """The plan as found with the slot of abel2's GPU1 in this width."""
    observed = overlay_facts(planned, read_bundle(healthy_bundle(LENDING.parent.name)).facts)
    lender = observed.plan.hosts["abel2"]
    slot = lender.pcie["0000:05:00.0"]
    narrow = replace(slot, link=replace(slot.link, width=width))
    hosts = {**observed.plan.hosts, "abel2": replace(lender, pcie={**lender.pcie, "0000:05:00.0": narrow})}
    return replace(observed, plan=replace(observed.plan, hosts=hosts))


@pytest.mark.parametrize(
    ("buses", "width", "one_way", "busbw"),
    [
        (("84", "85"), 4, 1.829, 1.819),  # both borrowed: the slot of abel2's GPU1
        (("84", "85"), 16, 7.314, 7.276),
        (("02", "84"), 4, 7.202, 7.276),  # the log does not show which of the two it borrows: the faster
        (("02", "03"), 4, 7.314, 7.276),  # own GPUs
    ],
)
def test_a_narrow_slot_of_a_lent_gpu_limits_the_borrower_as_found(healthy_bundle, buses, width, one_way, busbw):
    """abel1's bundle lists its own GPUs at 02:00.0 and 03:00.0; abel2's GPU1, which it lends, is at 05:00.0."""
    planned = build(read(LENDING), load())
    observed = observe_slot(healthy_bundle, planned, width)
    addresses = ", ".join(f"0000:{bus}:00.0" for bus in buses)
    copies = Run(
        "p2pBandwidthLatencyTest",
        "unidirectional_bandwidth",
        None,
        RunStatus.COMPLETE,
        None,
        None,
        Parameters(gpu_addresses=addresses, gpus=2, p2p_enabled=True),
        (Measurement(Metric.BW_AVG, "GB/s", 1.45, None, "GPU0 -> GPU1", 1),),
    )
    (verdict,) = judge(copies, planned, observed=observed).verdicts
    assert verdict.found.value == pytest.approx(one_way, rel=1e-3)
    places = {str(rank): RankPlace("abel1", bus_id=f"0000:{bus}:00") for rank, bus in enumerate(buses)}
    run = collective("all_reduce_perf", 2, {128 * MIB: (92624, 1.45, 1.45)}, rank_places=places)
    verdict = find_verdict(judge(run, planned, observed=observed), metric=Metric.BUSBW)
    assert verdict.found.value == pytest.approx(busbw, rel=1e-3)


@pytest.fixture
def narrow_plan(tmp_path) -> Plan:
    """abel2's GPU1, which it lends to abel1, in a slot of four lanes: 1.83 GB/s, 1.82 with both directions."""
    text = LENDING.read_text()
    assert "model: supermicro-x9drg-hf-p2p" in text
    path = tmp_path / "cluster.yaml"
    path.write_text(text.replace("model: supermicro-x9drg-hf-p2p", "model: abel2-x4") + NARROW_SLOT)
    return build(read(path), load())


def copy_from_host(rates: list[float], buses: tuple[str, ...]) -> Run:
    """Copies from the host to each GPU."""
    return Run(
        "nvbandwidth",
        "host_to_device_memcpy_ce",
        None,
        RunStatus.COMPLETE,
        None,
        None,
        Parameters(gpu_addresses=", ".join(f"0000:{bus}:00.0" for bus in buses), gpus=len(buses)),
        tuple(Measurement(Metric.BW_AVG, "GB/s", rate, None, f"CPU -> GPU{gpu}", 1) for gpu, rate in enumerate(rates)),
    )


@pytest.mark.parametrize(
    ("rates", "limits", "judgements"),
    [
        # what is faster than the narrow slot is not in it, so the other GPU is; own GPUs have slots of gen2 x16
        ([5.6, 1.7, 7.0], [7.202, 1.829, 7.314], ["pass", "pass", "pass"]),
        ([1.7, 5.6, 7.0], [1.829, 7.202, 7.314], ["pass", "pass", "pass"]),
        ([5.6, 0.8, 7.0], [7.202, 1.829, 7.314], ["pass", "fail", "pass"]),
        ([5.6, 1.7, 1.7], [7.202, 1.829, 7.314], ["pass", "pass", "fail"]),
        # either may be in the narrow slot
        ([1.7, 1.7, 7.0], [7.202, 7.202, 7.314], ["unknown", "unknown", "pass"]),
        ([0.8, 0.8, 7.0], [7.202, 7.202, 7.314], ["fail", "fail", "pass"]),
    ],
)
def test_copies_to_borrowed_gpus_pass_the_slots_of_their_lender(healthy_bundle, narrow_plan, rates, limits, judgements):
    run = copy_from_host(rates, ("84", "85", "02"))
    verdicts = judge(run, narrow_plan, observed=observe_slot(healthy_bundle, narrow_plan, 4)).verdicts
    assert [verdict.found.value for verdict in verdicts] == pytest.approx(limits, rel=1e-3)
    assert [verdict.judgement.value for verdict in verdicts] == judgements
    unknown = [verdict.reason for verdict in verdicts if verdict.judgement is Judgement.UNKNOWN]
    assert all("1.83 GB/s if a GPU of the copy is abel2:GPU1" in reason for reason in unknown)


@pytest.mark.parametrize(
    ("rate", "judgement"),
    [(7.0, Judgement.PASS), (5.6, Judgement.UNKNOWN), (1.7, Judgement.UNKNOWN), (0.8, Judgement.FAIL)],
)
def test_more_gpus_than_the_host_has_may_be_borrowed_ones(narrow_plan, rate, judgement):
    verdict = judge(copy_from_host([rate] * 3, ("84", "85", "02")), narrow_plan).verdicts[0]
    assert verdict.judgement is judgement
    assert ("bundle of the host (--bundle)" in verdict.reason) is (judgement is Judgement.UNKNOWN)


@pytest.mark.parametrize(
    ("gpu", "rate", "judgement"),
    [
        (2, 1.7, Judgement.UNKNOWN),  # abel1 has GPU0 and GPU1: a third one shows that some are borrowed
        (2, 5.6, Judgement.UNKNOWN),
        (2, 7.0, Judgement.PASS),
        (2, 0.8, Judgement.FAIL),
        (1, 1.7, Judgement.FAIL),
    ],
)
def test_a_measured_gpu_above_the_number_of_the_host_may_be_a_borrowed_one(narrow_plan, gpu, rate, judgement):
    """bandwidthTest prints one device."""
    rows = (Measurement(Metric.BW_AVG, "GB/s", rate, 32 * MIB, f"CPU -> GPU{gpu}", 1),)
    parameters = Parameters(gpus=1, gpu_model="Tesla K20X")
    run = Run("bandwidthTest", "host_to_device", None, RunStatus.COMPLETE, None, None, parameters, rows)
    (verdict,) = judge(run, narrow_plan, source="abel1:dis0").verdicts
    assert verdict.judgement is judgement
    if judgement is Judgement.UNKNOWN:
        assert f"if a GPU of the copy is abel2:GPU{1 if rate < 2 else 0}" in verdict.reason


@pytest.mark.parametrize(
    ("buses", "has_bundle", "busbw", "judgement", "text"),
    [
        (("84", "02"), True, 1.7, Judgement.UNKNOWN, "1.82 GB/s if a GPU of the run is abel2:GPU1"),
        (("84", "02"), True, 0.9, Judgement.FAIL, "or is 1.82 GB/s if a GPU of the run is abel2:GPU1"),
        (("84", "85"), True, 1.7, Judgement.PASS, ""),
        (("02", "03"), True, 1.7, Judgement.FAIL, "reachable PCIe rate"),
        (("84", "85"), False, 1.7, Judgement.UNKNOWN, "give a bundle of abel1"),
        (("84", "85"), False, 0.9, Judgement.FAIL, "reachable PCIe rate"),
    ],
)
def test_a_collective_may_use_the_lent_gpu_in_the_slowest_slot(
    healthy_bundle, narrow_plan, buses, has_bundle, busbw, judgement, text
):
    places = {str(rank): RankPlace("abel1", bus_id=f"0000:{bus}:00") for rank, bus in enumerate(buses)}
    run = collective("all_reduce_perf", 2, {128 * MIB: (134218 / busbw, busbw, busbw)}, rank_places=places)
    observed = observe_slot(healthy_bundle, narrow_plan, 4) if has_bundle else None
    verdict = find_verdict(judge(run, narrow_plan, observed=observed), metric=Metric.BUSBW)
    assert verdict.judgement is judgement
    assert text in verdict.reason
