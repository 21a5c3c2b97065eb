"""Series of repeated measurements, and the direction in which a metric improves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wirespeed.results.benchmarks import Metric, Run, RunStatus
from wirespeed.results.parameters import IDENTITY, Parameters
from wirespeed.results.series import Better, better, experiment, read_ends, workload

SAMPLES = Path(__file__).parents[1] / "samples"
_V4 = "00:00:00:00:00:00:00:00:00:00:255:255:10:01:00:"


def test_the_direction_in_which_each_metric_improves() -> None:
    undirected = {metric.value for metric in Metric if better(metric) is Better.NEITHER}
    assert undirected == {"compute", "iterations", "messages", "transfer"}
    higher = {metric.value for metric in Metric if better(metric) is Better.HIGHER}
    rates = {"algbw", "bitrate", "bw_avg", "bw_max", "bw_min", "bw_p99", "bw_p999", "bw_peak", "bw_percentile"}
    assert higher == {*rates, "avg_busbw", "busbw", "msg_rate", "overlap"}


def test_parameters_of_the_identity_are_those_that_readers_give() -> None:
    names = {
        name
        for path in SAMPLES.rglob("*.expected.json")
        for run in json.loads(path.read_text()).get("runs", [])
        for name in run["parameters"]
    }
    assert names >= IDENTITY


def test_circumstances_do_not_make_another_series() -> None:
    assert workload(
        Parameters(path_mtu_bytes=4096, queue_pairs=4, rdma_device="mlx5_0", bidirectional=False, root_rank=None)
    ) == (("queue_pairs", 4),)


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"local_address": "10.1.0.1", "remote_address": "10.1.0.3"}, "10.1.0.1 -> 10.1.0.3"),
        ({"local_gid": f"{_V4}01", "remote_gid": f"{_V4}03"}, "10.1.0.1 -> 10.1.0.3"),
        (
            {"local_gid": "fe:128:" + "00:" * 13 + "01", "remote_gid": f"{_V4}03"},
            "fe:128:" + "00:" * 13 + "01 -> 10.1.0.3",
        ),
        ({"local_address": "10.1.0.1"}, None),
        ({}, None),
    ],
)
def test_ends_are_those_of_the_log(parameters: dict[str, str], expected: str | None) -> None:
    run = Run("t", None, None, RunStatus.COMPLETE, None, None, Parameters(**parameters))
    assert read_ends(run) == expected
    assert experiment(run, "node1 -> node2").ends == "node1 -> node2"
