"""Logs that name hosts or addresses which the plan does not have."""

import pytest
from judge_support import GIB, collective, find_verdict, perftest, plan
from test_overlay_verdicts import X8, overlay_plan
from test_shared_slots import CARDS, GPU_SERVER, build_plan, observe_narrow_card

from wirespeed.benchmarks.judge.runs import judge
from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.parameters import Parameters
from wirespeed.results.verdicts import Judgement

TEXT = "the log is from other hosts: {0} not in mi300x-4node"
ROWS = {8: (50.0, 0.0, 0.0), 8 * GIB: (8 * GIB / 300.0 * 1.875 / 1e3, 160.0, 300.0)}


@pytest.mark.parametrize(
    ("names", "foreign"),
    [
        ("node1,node2", None),
        ("node1.example.com,node2.example.com", None),
        ("node1,gpu08", "gpu08 is"),
        ("gpu07,gpu08", "gpu07, gpu08 are"),
    ],
)
def test_hosts_that_the_plan_does_not_have_are_noted(names, foreign):
    judged = judge(collective("all_reduce", 16, ROWS, nodes=2, host_names=names), plan())
    verdict = find_verdict(judged, 8 * GIB, Metric.BUSBW)
    assert verdict.judgement is Judgement.PASS  # published runs are judged with a plan of such hosts
    notes = [note for note in judged.notes if "from other hosts" in note]
    assert [note.partition(",  whose")[0].startswith(TEXT.format(foreign)) for note in notes] == [True] * bool(foreign)


@pytest.mark.parametrize(
    ("local", "remote", "is_other"),
    [
        ("10.1.0.1", "10.1.0.17", False),
        ("172.16.9.1", "172.16.9.2", True),
        ("127.0.0.1", "127.0.0.1", False),
        (None, "gpu08", False),  # a name
    ],
)
def test_addresses_that_the_plan_does_not_have(local, remote, is_other):
    rows = (Measurement(Metric.BITRATE, "Gb/s", 380.0, None, "stream 5 receiver", 5),)
    addresses = Parameters(local_address=local, remote_address=remote)
    judged = judge(Run("iperf3", "TCP", "3.16", RunStatus.COMPLETE, None, None, addresses, rows), plan())
    assert any("from other hosts" in note for note in judged.notes) is is_other


def test_gids_that_the_plan_does_not_have():
    gids = {
        name: "00:00:00:00:00:00:00:00:00:00:255:255:172:16:09:0" + str(end)
        for end, name in enumerate(("local_gid", "remote_gid"), 1)
    }
    for ends, is_noted in (({}, True), ({"source": "node1:bnxt_re0", "target": "node2:bnxt_re0"}, False)):
        judged = judge(perftest({1 << 20: 391.0}, **gids), plan(), **ends)
        assert find_verdict(judged, 1 << 20).judgement is Judgement.PASS
        assert any("from other hosts" in note for note in judged.notes) is is_noted


BUNDLE_OF_OTHERS = "not compared with the cluster as found: the bundle is not of gpu07, gpu08"


@pytest.mark.parametrize(
    ("names", "ends", "is_compared"),
    [
        ("node1,node2", {}, True),
        (None, {}, True),
        ("gpu07,gpu08", {}, False),
        ("gpu07,gpu08", {"source": "node1:bnxt_re0", "target": "node2:bnxt_re0"}, True),
    ],
)
def test_hosts_that_the_plan_does_not_have_are_not_compared_with_a_bundle(names, ends, is_compared):
    """The bundle has a slot of eight lanes on node1; it is no fact of gpu07."""
    log = collective("all_reduce", 16, ROWS, nodes=2, host_names=names)
    judged = judge(log, plan(), observed=overlay_plan(X8), **ends)
    verdict = find_verdict(judged, 8 * GIB, Metric.BUSBW)
    assert verdict.reachable.value == pytest.approx(384.0)
    assert verdict.found is None or verdict.found.value < 384.0
    assert (verdict.found is not None, BUNDLE_OF_OTHERS in judged.notes) == (is_compared, not is_compared)


@pytest.mark.parametrize(
    ("names", "busbw", "judgement", "reason"),
    [
        ("gpu07,gpu08", 37.0, Judgement.UNKNOWN, "if gpu07, gpu08 of the log are like node4, node1: give the cluster"),
        ("node1,gpu08", 37.0, Judgement.UNKNOWN, "if gpu08 of the log is like node1, node4: give the cluster file"),
        ("gpu07,gpu08", 55.0, Judgement.PASS, ""),
        ("gpu07,gpu08", 12.0, Judgement.FAIL, "below"),
        ("node1,node2", 37.0, Judgement.FAIL, "below"),
        ("node1,node4", 37.0, Judgement.PASS, ""),
    ],
)
def test_hosts_that_may_be_like_the_slowest_of_the_plan(tmp_path, names, busbw, judgement, reason):
    """node4 is planned with its second card in a slot of eight lanes: 43 GB/s instead of 57."""
    start, end = CARDS.index("cpu_vendor"), CARDS.index("switches:")
    planned = observe_narrow_card(build_plan(tmp_path, CARDS[:start] + GPU_SERVER + CARDS[end:]), "node4", 8).plan
    rows = {8 * GIB: (8 * GIB * 1.75 / busbw / 1e3, busbw / 1.75, busbw)}
    log = collective("all_reduce_perf", 8, rows, nodes=2, host_names=names)
    verdict = find_verdict(judge(log, planned), metric=Metric.BUSBW)
    assert verdict.judgement is judgement
    assert reason in verdict.reason
