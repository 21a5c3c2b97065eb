"""A slow run is named after the known loss that has its bandwidth.

The first test is a published run; the others prove that the rule is consistent with the limits, not that it is right.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from judge_support import GIB, MIB, collective, find_verdict, perftest, plan
from tests.benchmarks.judge.test_algorithm_choice import replace_nic_speeds
from tests.benchmarks.judge.test_point_to_point import osu
from tests.benchmarks.judge.test_relations import leaves

from wirespeed.benchmarks.judge.runs import judge
from wirespeed.limits.framing import Path
from wirespeed.limits.nic_losses import LogFacts, list_degraded_rates
from wirespeed.limits.pcie import Slot
from wirespeed.results.benchmarks import Metric
from wirespeed.results.verdicts import Judgement
from wirespeed.units import Bandwidth

CSD3 = {1: 6.16, 1024: 3813.91, 65536: 5720.02, 262144: 5766.91, MIB: 5781.95, 2 * MIB: 5783.42, 4 * MIB: 5785.05}
"""osu_bw over RoCE of 50 Gb/s: stackhpc/hpc-tests, output/csd3/cclake-roce-gcc9-ompi3-ucx/omb/Osu_bw, MB/s."""


def test_a_published_run_with_a_small_path_mtu_is_recognised():
    verdict = find_verdict(judge(osu("osu_bw", CSD3), replace_nic_speeds(plan(), 50)), 4 * MIB)
    assert (verdict.judgement, verdict.reason) == (
        Judgement.WARN,
        "below 95 % of the reachable limit (limit: line rate × RoCEv2 framing (one NIC)); possible causes of "
        "exactly this rate: path MTU 1024 (5,787 MB/s ± 1 %)",
    )


def test_a_logged_path_mtu_rules_it_out():
    """perftest prints the path MTU."""
    half = 400 * 1024 / 1106  # Gb/s with path MTU 1024
    rows = dict.fromkeys((65536, MIB), half)
    assert "path MTU" not in find_verdict(judge(perftest(rows), plan()), MIB).reason
    unknown = judge(perftest(rows, path_mtu_bytes=None), plan())
    assert find_verdict(unknown, MIB).reason.endswith(
        "; possible causes of exactly this rate: path MTU 1024 (370.34 Gb/s ± 1 %)"
    )


def test_a_smaller_path_mtu_than_planned_is_a_reason_of_a_loss():
    """340 Gb/s of the 370.34 that path MTU 1024 leaves; 4096 is planned."""
    verdict = find_verdict(judge(perftest({MIB: 340.0}, path_mtu_bytes=1024), plan()), MIB)
    assert (verdict.judgement, verdict.reason) == (
        Judgement.WARN,
        "below 95 % of the reachable limit (limit: line rate × RoCEv2 framing); the log shows: path MTU 1024 in use, "
        "planned is 4096: larger frames reach more of the line rate",
    )


def test_a_narrow_slot_and_a_slow_one_are_one_fingerprint():
    verdict = find_verdict(judge(perftest({MIB: 230.0}), plan()), MIB)
    assert verdict.reason.endswith(
        "; possible causes of exactly this rate: PCIe gen4 x16 or PCIe gen5 x8 (230.46 Gb/s ± 1 %)"
    )


@pytest.mark.parametrize(
    ("rate", "name"),
    [
        (
            209.6,
            "the rate of a path with PCIe gen4 x16 or PCIe gen5 x8 (230.46 Gb/s)",
        ),  # 26.2 GB/s of PCIe 4.0 x16: Microway
        (97.0, "the rate of a path with a port at 100 Gb/s (98.04 Gb/s)"),  # ConnectX-4 of 100 Gb/s, Mellanox community
        (48.9, "causes of exactly this rate: a port at 50 Gb/s (49.02 Gb/s ± 1 %)"),
        (24.3, "causes of exactly this rate: a port at 25 Gb/s (24.51 Gb/s ± 1 %)"),
        (205.0, None),
    ],
)
def test_a_plateau_below_the_rate_of_a_slot_or_port_names_it(rate, name):
    """Typical bandwidths of slots: Microway, Performance Characteristics of Common Transports and Buses."""
    reason = find_verdict(judge(perftest({MIB: rate}), plan()), MIB).reason
    assert (" rate of a path " in reason or "causes of" in reason) is (name is not None)
    assert name is None or name in reason


@pytest.mark.parametrize(("queue_pairs", "is_named"), [(1, True), (4, False)])
def test_one_queue_pair_is_named_if_the_log_states_it(queue_pairs, is_named):
    """NVIDIA/nccl issue 2171: 368 of 392 Gb/s with one queue pair."""
    verdict = find_verdict(judge(perftest({MIB: 368.0}, queue_pairs=queue_pairs), plan()), MIB)
    assert ("one queue pair (368" in verdict.reason) is is_named


def test_a_missing_rail_is_named():
    busbw = 388.2 * 3 / 8  # GB/s
    rows = {8: (50.0, 0.0, 0.0), 8 * GIB: (8 * GIB / busbw * 1.94 / 1e3, busbw / 1.94, busbw)}
    verdict = find_verdict(judge(collective("all_reduce", 32, rows, nodes=4), plan()), 8 * GIB, Metric.BUSBW)
    assert "; possible causes of exactly this rate: 3 of 8 NICs (" in verdict.reason


def test_a_run_that_passes_has_no_fingerprint():
    assert "left with" not in find_verdict(judge(perftest({MIB: 391.0}), plan()), MIB).reason


@pytest.mark.parametrize("top", [1.0, 1.02])
def test_a_collective_that_passes_has_no_note_on_a_loss(top):
    """Its healthy runs reach so different fractions of the limit that the rate of a loss is chance."""
    rows = {8: (50.0, 0.0, 0.0)}
    for size, factor in ((2 * GIB, 1.0), (4 * GIB, 1.0), (8 * GIB, top)):
        busbw = 388.2 * 7 / 8 * factor  # GB/s
        rows[size] = (size / busbw * 1.94 / 1e3, busbw / 1.94, busbw)
    judged = judge(collective("all_reduce", 32, rows, nodes=4), plan())
    assert find_verdict(judged, 8 * GIB, Metric.BUSBW).judgement is Judgement.PASS
    assert not any("causes of exactly this rate" in note for note in judged.notes)


def test_no_loss_reaches_the_plan():
    path = Path(Bandwidth(400 * 10**9), 4096, plan_encapsulation())
    for nics in (1, 8):
        rates = list_degraded_rates(path, Slot(32000, 16), LogFacts(queue_pairs=1), bidirectional=False, nics=nics)
        assert all(0 < rate.fraction < 1 for rate in rates)
        assert len({rate.name for rate in rates}) == len(rates)


@pytest.mark.parametrize(
    ("ports", "expected"),
    [  # 200G ports in a slot Gen4 x16, 230 Gb/s: alone each port can send 196 Gb/s
        (1, {"PCIe gen3 x16 or PCIe gen4 x8": 115.2, "1 of 2 NICs": 98.0}),
        (2, {"PCIe gen3 x16 or PCIe gen4 x8": 57.6, "1 of 2 NICs": 98.0}),
    ],
)
def test_ports_of_a_card_share_the_degraded_slot(ports, expected):
    path = Path(Bandwidth.gbps(200), 4096, plan_encapsulation())
    rates = list_degraded_rates(path, Slot(16000, 16), LogFacts(), bidirectional=False, nics=2, slot_ports=ports)
    values = {rate.name: round(rate.fraction * 196.04, 1) for rate in rates}
    assert expected.items() <= values.items()
    assert ("path MTU 2048" in " ".join(values)) is (ports == 1)  # the slot limits two ports before


def plan_encapsulation():
    from wirespeed import wire

    return replace(wire.Encapsulation(), ipv6=False)


@pytest.mark.parametrize(("rate", "names_port"), [(196.08, True), (200.0, False), (210.0, False)])
def test_one_queue_pair_is_named_as_a_cause(rate, names_port):
    """A queue pair uses one port of a bond: NVIDIA/nccl issue 1015."""
    reason = find_verdict(judge(perftest({MIB: rate}, queue_pairs=1), plan()), MIB).reason
    assert ("one queue pair over a bond (it uses one port) or a port at 200 Gb/s (196.0" in reason) is names_port
    assert "queue pair" not in find_verdict(judge(perftest({MIB: rate}, queue_pairs=4), plan()), MIB).reason
    assert "queue pair" not in find_verdict(judge(perftest({MIB: 391.0}, queue_pairs=1), plan()), MIB).reason


@pytest.mark.parametrize(
    ("target", "speed", "queue_pairs", "hint"),
    [
        ("node2", 400, 1, "which may be the cause"),
        ("node3", 400, 1, "which uses one of 4 uplinks of leaf1"),
        ("node2", 100, 1, None),
        ("node2", 400, 8, None),
        ("node3", 400, 8, None),
    ],
)
def test_one_queue_pair_is_a_possible_cause_where_the_log_states_it(target, speed, queue_pairs, hint):
    """NVIDIA/nccl issue 2409: 284 Gb/s with one, 391 with eight. Below leaf1 are node1 and node2, node3 is not."""
    ends = {"source": "node1:bnxt_re0", "target": f"{target}:bnxt_re0"}
    run = perftest({MIB: 62.0}, queue_pairs=queue_pairs)
    verdict = find_verdict(judge(run, replace_nic_speeds(leaves(), speed), **ends), MIB)
    assert verdict.judgement is Judgement.FAIL
    text = f"the test had one queue pair, {hint}: if it fails again, repeat it with `-q 4`"
    assert (text in verdict.reason) is (hint is not None)
    assert ("queue pair" in verdict.reason) is (hint is not None)


def test_a_dip_has_no_cause_that_other_sizes_rule_out():
    """8 MiB near the rate of a narrower slot, between sizes that reach the limit: no slot and no NIC is that slow."""
    sizes = [2 * MIB, 4 * MIB, 8 * MIB, 16 * MIB, 32 * MIB]
    dip = perftest({size: 115.0 if size == 8 * MIB else 391.0 for size in sizes})
    flat = perftest(dict.fromkeys(sizes, 115.0))
    reasons = [find_verdict(judge(run, plan()), 8 * MIB).reason for run in (dip, flat)]
    assert "a dip in the curve" in reasons[0]
    assert "PCIe gen4 x8" not in reasons[0]
    assert "PCIe gen4 x8" in reasons[1]
