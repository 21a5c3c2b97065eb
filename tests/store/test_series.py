"""Series of repeated measurements, and the direction in which a metric improves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wirespeed.benchmarks import read as read_log
from wirespeed.results.benchmarks import Metric, Run, RunStatus
from wirespeed.results.parameters import IDENTITY, Parameters, RankPlace
from wirespeed.results.series import Better, better, experiment, read_ends, workload

SAMPLES = Path(__file__).parents[1] / "samples"
_V4 = "00:00:00:00:00:00:00:00:00:00:255:255:10:01:00:"


def test_the_direction_in_which_each_metric_improves() -> None:
    undirected = {metric.value for metric in Metric if better(metric) is Better.NEITHER}
    assert undirected == {"compute", "congestion_window", "iterations", "messages", "transfer"}
    higher = {metric.value for metric in Metric if better(metric) is Better.HIGHER}
    rates = {"algbw", "bitrate", "bw_avg", "bw_max", "bw_min", "bw_p99", "bw_p999", "bw_peak", "bw_percentile"}
    assert higher == {*rates, "avg_busbw", "busbw", "msg_rate", "overlap", "simulation_rate"}


def test_parameters_of_the_identity_are_those_that_readers_give() -> None:
    names = {
        name
        for path in SAMPLES.rglob("expected.json")
        for log in json.loads(path.read_text()).values()
        for run in log.get("runs", [])
        for name in run["parameters"]
    }
    assert names >= IDENTITY


def test_circumstances_do_not_make_another_series() -> None:
    assert workload(
        Parameters(path_mtu_bytes=4096, queue_pairs=4, rdma_device="mlx5_0", bidirectional=False, root_rank=None)
    ) == (("queue_pairs", 4),)


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ([("abel1", "0x05"), ("abel1", "0x85")], (("on_gpus", "05,85"),)),
        ([("abel1", "0000:05:00.0"), ("abel1", "0000:85:00")], (("on_gpus", "05,85"),)),  # a newer release
        ([("abel1", "0000:03:04"), ("abel1", "0000:03:05")], (("on_gpus", "03:04,03:05"),)),  # lent
        ([("abel1", "0x85"), ("abel1", "0x05")], (("on_gpus", "05,85"),)),  # two ranks have one path
        ([("abel1", "0x85"), ("abel1", "0x05"), ("abel1", "0x04")], (("on_gpus", "85,05,04"),)),
        ([("abel1", "0x05"), ("abel1", None)], ()),
        ([("abel1", "0x05"), ("abel1", "0x85"), ("abel2", "0x04")], (("ranks_by_host", "2,1"),)),
        ([("abel1", "0x05"), ("abel2", "0x04"), ("abel2", "0x05")], (("ranks_by_host", "1,2"),)),
        ([("abel1", "0x05"), ("abel2", "0x04")], ()),
        ([], ()),
    ],
)
def test_gpus_of_a_job_belong_to_its_series(
    places: list[tuple[str, str | None]], expected: tuple[tuple[str, str], ...]
) -> None:
    ranks = {str(rank): RankPlace(host, rank, bus_id) for rank, (host, bus_id) in enumerate(places)}
    assert workload(Parameters(rank_places=ranks)) == expected
    assert workload(Parameters(rank_places=ranks, root_rank=-1))[1:] == expected


def test_a_root_sends_in_one_direction() -> None:
    places = {"0": RankPlace("abel1", 0, "0x85"), "1": RankPlace("abel1", 1, "0x05")}
    assert dict(workload(Parameters(rank_places=places, root_rank=0)))["on_gpus"] == "85,05"


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


def table(parameters: Parameters, test: str | None = None) -> Run:
    return Run("nccl-tests", test, None, RunStatus.COMPLETE, None, 2, parameters)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Parameters(nodes=2, sockets="eth0"), Parameters(nodes=2, sockets="dis0")),
        (Parameters(nodes=2, sockets="eth0"), Parameters(nodes=2)),
        (Parameters(nodes=1, host_names="abel1"), Parameters(nodes=1, host_names="abel2")),
    ],
    ids=["interfaces", "sockets and RDMA", "hosts"],
)
def test_two_paths_are_two_series(first: Parameters, second: Parameters) -> None:
    assert experiment(table(first, "all_reduce")) != experiment(table(second, "all_reduce"))


def test_collectives_without_a_name_are_never_one_series() -> None:
    parameters = Parameters(nodes=1, host_names="abel1")
    unnamed = [experiment(table(parameters), log=name) for name in ("night/a.log", "night/b.log", "next/a.log")]
    assert unnamed[0] == unnamed[2] != unnamed[1]
    assert experiment(table(parameters, "all_gather"), log="a") == experiment(table(parameters, "all_gather"), log="b")


@pytest.mark.parametrize(
    ("file", "test"),
    [
        ("logs/abel1_2xMPI_0local2externalGPU-all_gather_perf.txt", "all_gather"),
        ("2-nodes-alltoall.log", "alltoall"),
        ("allgather-and-all-to-all.log", None),
        ("nccl.log", None),
    ],
)
def test_the_name_of_a_log_names_a_collective_that_its_table_does_not(file: str, test: str | None) -> None:
    """Tables of nccl-tests 8274cb4 name no collective; all-gather and all-to-all have the same factor."""
    result = "5.00 2.50 N/A"
    rows = "".join(
        f"{size} {size // 4} float {size / 5000:.2f} {result} {size / 5000:.2f} {result}\n"
        for size in (2**20, 2**22, 2**24)
    )
    text = (
        "# nThread 1 nGpus 2 minBytes 8 maxBytes 134217728 step: 2(factor)\n"
        "# size count type time algbw busbw error time algbw busbw error\n"
        f"{rows}# Avg bus bandwidth    : 2.5\n"
    )
    (run,) = read_log(text, file).runs
    assert run.test == test


def test_the_interfaces_that_nccl_lists_are_of_the_run() -> None:
    text = (
        "a:1:1 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.1<0> [1]dis0:10.0.1.1<0>\n"
        "# Rank  0 Pid 1 on a device  0 [0x04] Tesla K20Xm\n# Rank  1 Pid 2 on b device  0 [0x04] Tesla K20Xm\n"
        "# size count type redop time algbw busbw error time algbw busbw error\n"
        "1048576 262144 float sum 9999 0.10 0.10 0 9999 0.10 0.10 0\n# Avg bus bandwidth    : 0.1\n"
    )
    (run,) = read_log(text).runs
    assert run.parameters.sockets == "dis0,eth0"
