"""Logs that name hosts or addresses which the plan does not have."""

import pytest
from judge_support import GIB, collective, find_verdict, perftest, plan

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
