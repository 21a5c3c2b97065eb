"""Dips, steps and falls of a curve are findings; a sweep that ends before its plateau is not.

Figures without a source in a test are invented: they prove that the rule holds, not that it is right.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from judge_support import CLUSTER, GIB, MIB, collective, find_verdict, judgements, perftest, plan

from wirespeed.benchmarks import read
from wirespeed.benchmarks.judge.runs import judge
from wirespeed.results.benchmarks import Metric, Run
from wirespeed.results.verdicts import Judgement


def all_reduce(busbw, ranks=32, nodes=4):
    """One row for each size, after a small one that shows the floor."""
    rows = {8: (50.0, 0.0, 0.0)}
    for size, value in busbw.items():
        algbw = value / (2 * (ranks - 1) / ranks)
        rows[size] = (size / algbw / 1e3, algbw, value)
    return collective("all_reduce", ranks, rows, nodes=nodes)


HEALTHY = {256 * MIB: 240.0, 512 * MIB: 260.0, GIB: 330.0, 2 * GIB: 335.0, 4 * GIB: 338.0, 8 * GIB: 340.0}


def test_a_healthy_curve_has_no_finding():
    assert set(judgements(judge(all_reduce(HEALTHY), plan())).values()) == {Judgement.PASS, Judgement.SKIP}


@pytest.mark.parametrize(
    ("value", "judgement"), [(40.0, Judgement.FAIL), (140.0, Judgement.WARN), (200.0, Judgement.SKIP)]
)
def test_a_dip_is_a_finding_at_any_size(value, judgement):
    """260, 40, 340 GB/s at neighbouring sizes below the plateau."""
    judged = judge(all_reduce(HEALTHY | {GIB: value}), plan())
    verdict = find_verdict(judged, GIB, Metric.BUSBW)
    assert verdict.judgement is judgement
    if judgement is Judgement.FAIL:
        assert verdict.reason == (
            "a dip in the curve: 40 GB/s at 1 GiB between 260 GB/s at 512 MiB and 335 GB/s at 2 GiB"
        )


def test_a_dip_in_the_plateau_states_both_reasons():
    verdict = find_verdict(judge(all_reduce(HEALTHY | {4 * GIB: 40.0}), plan()), 4 * GIB, Metric.BUSBW)
    assert verdict.judgement is Judgement.FAIL
    assert verdict.reason == (
        "below 65 % of the reachable limit (limit: reachable xGMI rate); a dip in the curve: 40 GB/s at 4 GiB "
        "between 335 GB/s at 2 GiB and 340 GB/s at 8 GiB"
    )


@pytest.mark.parametrize(("value", "has_note"), [(220.0, True), (285.0, False), (150.0, False)])
def test_a_shallow_dip_has_a_note(value, has_note):
    """From 0.60 of the lower neighbour on, a dip changes no verdict."""
    notes = judge(all_reduce(HEALTHY | {2 * GIB: value}), plan()).notes
    text = "a shallow dip: 220 GB/s at 2 GiB is 66 % of the mean of 330 GB/s at 1 GiB and 338 GB/s at 4 GiB"
    assert any(text in note for note in notes) is has_note


def test_a_collapse_over_two_sizes_is_a_dip():
    """Each of them is no dip beside the other."""
    busbw = HEALTHY | {64 * MIB: 280.0, 128 * MIB: 100.0, 256 * MIB: 105.0, 512 * MIB: 320.0}
    judged = judge(all_reduce(busbw), plan())
    for size in (128 * MIB, 256 * MIB):
        verdict = find_verdict(judged, size, Metric.BUSBW)
        assert (verdict.judgement, verdict.reason) == (
            Judgement.FAIL,
            "a dip in the curve: at most 105 GB/s from 128 MiB to 256 MiB between 280 GB/s at 64 MiB and 320 GB/s at "
            "512 MiB",
        )


KIB = 2**10


@pytest.mark.parametrize(
    ("size", "value", "judgement"),
    [
        (128 * KIB, 0.05, Judgement.FAIL),  # 2.6 ms, where the lowest time is 60 µs
        (64 * KIB, 0.04, Judgement.FAIL),
        (32 * KIB, 0.03, Judgement.FAIL),
        (16 * KIB, 0.03, Judgement.SKIP),  # not examined
        (128 * KIB, 0.10, Judgement.WARN),
        (128 * KIB, 0.26, Judgement.SKIP),  # 0.55 of its neighbours, as in a healthy run
    ],
)
def test_a_small_size_is_a_dip_if_no_latency_explains_it(size, value, judgement):
    busbw = {bytes_: round(bytes_ / (60 + bytes_ / 850) / 1e3, 2) for bytes_ in (2**power for power in range(13, 29))}
    verdict = find_verdict(judge(all_reduce(busbw | {size: value}), plan()), size, Metric.BUSBW)
    assert verdict.judgement is judgement
    assert ("a dip in the curve" in (verdict.reason or "")) is (judgement is not Judgement.SKIP)


@pytest.mark.parametrize("value", [0.02, 0.08, 0.1, 0.17, 0.2, 0.22])
def test_a_deep_dip_is_found_whatever_its_rounding(value):
    """0.85 GB/s over a PCIe bridge, and one size that two decimals print as 0.02 to 0.22."""
    busbw = {2**power: 0.85 for power in range(20, 28)} | {4 * MIB: value}
    verdict = find_verdict(judge(all_reduce(busbw), plan()), 4 * MIB, Metric.BUSBW)
    assert verdict.judgement is Judgement.FAIL
    assert f"a dip in the curve: {value} GB/s at 4 MiB between 0.85 GB/s at 2 MiB and 0.85 GB/s" in verdict.reason


def test_a_zero_at_the_end_of_a_value_is_a_printed_digit():
    """0.10 and 0.11 of one column have two decimals: 0.06 at most of a value of 0.095 and more is a dip."""
    busbw = {2**power: 0.1 if power < 22 else 0.11 for power in range(18, 28)} | {MIB: 0.03}
    verdict = find_verdict(judge(all_reduce(busbw), plan()), MIB, Metric.BUSBW)
    assert verdict.judgement is Judgement.FAIL
    assert "a dip in the curve: 0.03 GB/s at 1 MiB between 0.1 GB/s at 512 KiB and 0.1 GB/s" in verdict.reason


def scale_times(run: Run, factor: float) -> Run:
    """The run with other times than those of its bandwidths, unless the factor is 1."""
    rows = (row._replace(value=row.value * factor) if row.metric is Metric.TIME else row for row in run.measurements)
    return replace(run, measurements=tuple(rows))


@pytest.mark.parametrize(("time_factor", "is_dip"), [(1.0, True), (2.0, False)])
def test_rounding_alone_makes_no_dip(time_factor, is_dip):
    """Where its time does not give the value of 0.01 exactly, it may be 0.015."""
    busbw = {2**power: 0.02 for power in range(20, 28)} | {4 * MIB: 0.01}
    run = scale_times(all_reduce(busbw), time_factor)
    verdict = find_verdict(judge(run, plan()), 4 * MIB, Metric.BUSBW)
    assert ("dip" in (verdict.reason or "")) is is_dip


def test_a_peak_then_a_fall_is_a_finding_although_one_nic_passes():
    """A library that stripes over four NICs and falls back to one."""
    rows = [2**power for power in range(17, 23)]
    judged = judge(perftest(dict.fromkeys(rows, 391.0) | {8 * MIB: 180.0}), plan())
    verdict = find_verdict(judged, 8 * MIB)
    assert verdict.judgement is Judgement.FAIL
    assert verdict.reason.endswith("the curve falls: 180 Gb/s at 8 MiB is 46 % of 391 Gb/s at 4 MiB")


FALL = "; the curve falls: 0.08 GB/s at 128 MiB is 73 % of 0.11 GB/s at 2 MiB"


@pytest.mark.parametrize(
    ("time_factor", "reason"),
    [(1.0, FALL), (2.0, "")],  # times that are not those of the bandwidths: 0.08 may be 0.085, 77 % of 0.11
)
def test_a_fall_between_values_of_two_decimals_is_found_by_their_times(time_factor, reason):
    """The peak of a published run at 2 MiB: Johansen, Fast Multi-GPU communication over PCI Express, section 4.3.2."""
    busbw = {2**power: 0.11 if power == 21 else 0.08 for power in range(18, 28)}
    run = scale_times(all_reduce(busbw), time_factor)
    verdict = find_verdict(judge(run, plan()), 128 * MIB, Metric.BUSBW)
    assert verdict.judgement is Judgement.FAIL
    assert reason in verdict.reason
    assert ("falls" in verdict.reason) is bool(reason)


def test_a_step_at_a_change_of_protocol_warns():
    busbw = {4 * MIB: 90.0, 8 * MIB: 100.0, 16 * MIB: 50.0, 32 * MIB: 55.0, 64 * MIB: 160.0, 128 * MIB: 290.0}
    verdict = find_verdict(judge(all_reduce(busbw), plan()), 16 * MIB, Metric.BUSBW)
    assert verdict.judgement is Judgement.WARN
    assert verdict.reason == (
        "a step in the curve: 50 GB/s at 16 MiB after 100 GB/s at 8 MiB, reached again only from 64 MiB on: "
        "probably the library changes its protocol or algorithm there"
    )


def test_the_step_of_a_published_run_is_found():
    """Document 000, section 8.7.2.2: 64.75 GB/s at 8 MiB, 27.97 at 16 MiB, 48.3 at 32 MiB."""
    log = CLUSTER.parent / "bench" / "all-reduce-4-nodes-32-processes.log"
    (run,) = read(log.read_text(encoding="utf-8")).runs
    assert judgements(judge(run, plan()))[16 * MIB] is Judgement.WARN


def test_a_sweep_that_ends_before_its_plateau_is_no_alarm():
    """Document 000, section 8.5.1, up to 128 MiB: 301.45 of 336 GB/s, and 316 to 319 GB/s from 4 GiB on."""
    published = {16 * MIB: 181.43, 32 * MIB: 241.94, 64 * MIB: 278.62, 128 * MIB: 301.45}
    verdict = find_verdict(judge(all_reduce(published, 8, 1), plan()), 128 * MIB, Metric.BUSBW)
    assert verdict.judgement is Judgement.SKIP
    assert verdict.reason == (
        "the sweep ends before its plateau: bandwidth still grows by 8 % at the last size, and the time that this "
        "size adds corresponds to 328.36 GB/s; repeat the test with larger sizes"
    )


def test_a_size_before_the_end_of_a_rising_sweep_is_no_alarm_although_the_last_passes():
    """360 GB/s after a floor of 120 µs: 70 % of the limit at 64 MiB, and still 15 % more at 128 MiB."""
    busbw = {16 * MIB: 142.0, 32 * MIB: 213.0, 64 * MIB: 268.0, 128 * MIB: 307.3}
    judged = judgements(judge(all_reduce(busbw, 16, 2), plan()))
    assert (judged[64 * MIB], judged[128 * MIB]) == (Judgement.SKIP, Judgement.PASS)


@pytest.mark.parametrize(
    "busbw",
    [
        {16 * MIB: 100.0, 32 * MIB: 120.0, 64 * MIB: 135.0, 128 * MIB: 145.0},  # what is added is slow too
        {16 * MIB: 181.0, 32 * MIB: 200.0, 64 * MIB: 220.0, 128 * MIB: 222.0},  # no longer rising
    ],
)
def test_a_slow_sweep_stays_an_alarm(busbw):
    verdict = find_verdict(judge(all_reduce(busbw, 8, 1), plan()), 128 * MIB, Metric.BUSBW)
    assert verdict.judgement is Judgement.FAIL
