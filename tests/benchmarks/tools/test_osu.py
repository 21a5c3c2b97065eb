"""Texts of the OSU micro-benchmarks, and where their tables end."""

from __future__ import annotations

import pytest

from wirespeed.benchmarks import parse, read
from wirespeed.benchmarks.tools.osu.patterns import parse_columns, parse_title
from wirespeed.results.benchmarks import Metric, RunStatus

LARGE = 1 << 22
COLLECTIVE = 1 << 20


@pytest.mark.parametrize(
    ("title", "program", "accelerator", "largest"),
    [
        ("MPI Latency Test", "osu_latency", None, LARGE),
        ("MPI-CUDA Bandwidth Test", "osu_bw", "cuda", LARGE),
        ("MPI-CUDA MANAGED Bi-Directional Bandwidth Test", "osu_bibw", "cuda managed", LARGE),
        ("MPI Multiple Bandwidth / Message Rate Test", "osu_mbw_mr", None, LARGE),
        ("MPI Multi Latency Test", "osu_multi_lat", None, LARGE),
        ("MPI-ROCM Multi-process Latency Test", "osu_latency_mp", "rocm", LARGE),
        ("MPI Multi-threaded Latency Test", "osu_latency_mt", None, LARGE),
        ("MPI Latency Persistent Test", "osu_latency_persistent", None, LARGE),
        ("MPI Bandwidth Persistent Test", "osu_bw_persistent", None, LARGE),
        ("MPI Allgather Persistent Latency Test", "osu_allgather_persistent", None, COLLECTIVE),
        ("MPI_Put-CUDA Bandwidth Test", "osu_put_bw", "cuda", LARGE),
        ("MPI_Put Bi-directional Bandwidth Test", "osu_put_bibw", None, LARGE),
        ("MPI_Get latency Test", "osu_get_latency", None, LARGE),
        ("MPI One Sided MPI_Get Bandwidth Test", "osu_get_bw", None, LARGE),
        ("MPI_Accumulate latency Test", "osu_acc_latency", None, LARGE),
        ("MPI_Get_accumulate latency Test", "osu_get_acc_latency", None, LARGE),
        ("MPI_Fetch_and_op latency Test", "osu_fop_latency", None, 8),
        ("MPI_Compare_and_swap latency Test", "osu_cas_latency", None, 8),
        ("MPI All-to-All Personalized Exchange Latency Test", "osu_alltoall", None, COLLECTIVE),
        ("MPI Alltoallv Latency Test", "osu_alltoallv", None, COLLECTIVE),
        ("MPI All-to-Allv Personalized Exchange Latency Test", "osu_alltoallv", None, COLLECTIVE),
        ("MPI Non-blocking All-to-All Latency Test", "osu_ialltoall", None, COLLECTIVE),
        ("MPI Non-blocking Reduce_scatter Latency Test", "osu_ireduce_scatter", None, COLLECTIVE),
        ("MPI Neighborhood Allgather Latency Test", "osu_neighbor_allgather", None, COLLECTIVE),
        ("MPI Broadcast Latency Test", "osu_bcast", None, COLLECTIVE),
        ("NCCL-CUDA Allreduce Latency Test", "osu_nccl_allreduce", "cuda", COLLECTIVE),
        ("NCCL-CUDA Latency Test", "osu_nccl_latency", "cuda", LARGE),
        ("MPI Init Test", "osu_init", None, None),
        ("MPI Hello World Test", "osu_hello", None, None),
        ("OpenSHMEM Put Test", None, None, None),
    ],
)
def test_titles_name_programs(title: str, program: str | None, accelerator: str | None, largest: int | None) -> None:
    parsed_title = parse_title(title)
    assert (parsed_title.program, parsed_title.accelerator, parsed_title.largest) == (program, accelerator, largest)


@pytest.mark.parametrize(
    ("line", "sized", "metrics"),
    [
        ("# Size      Bandwidth (MB/s)", True, ["bw_avg"]),
        ("# Size Bandwidth (MB/s) Validation", True, ["bw_avg", "wrong"]),
        ("# Size    Bi-Directional Bandwidth (MB/s)", True, ["bw_avg"]),
        ("# Size                  MB/s        Messages/s", True, ["bw_avg", "msg_rate"]),
        ("# Size          Latency (us)", True, ["latency_avg"]),
        ("# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations", True,
         ["latency_avg", "latency_min", "latency_max", "iterations"]),
        ("# Size       Avg Latency(us)  P50 Tail Lat(us)  P75 Tail Lat(us)  P99 Tail Lat(us)", True,
         ["latency_avg", "latency_p50", "latency_percentile", "latency_p99"]),
        ("# Size           Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)", True,
         ["time", "compute", "comm_avg", "overlap"]),
        ("# Avg Latency(us)", False, ["latency_avg"]),
        ("Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)", False,
         ["time", "compute", "comm_avg", "overlap"]),
        ("# Size      Bandwidth (MB/s)      Power(W)", True, ["bw_avg", None]),
    ],
)  # fmt: skip
def test_column_lines_name_columns(line: str, sized: bool, metrics: list[str | None]) -> None:
    columns = parse_columns(line)
    assert columns is not None
    assert (columns[0], [column.metric for column in columns[1]]) == (sized, metrics)


@pytest.mark.parametrize(
    "line", ["# Size [B]  Bandwidth [MB/s] | Time Mean [s]", "# Size of the ring", "#    1    2    4"]
)
def test_other_comments_are_no_column_lines(line: str) -> None:
    assert parse_columns(line) is None


def table(*rows: str, title: str = "# OSU MPI Bandwidth Test v7.4", before: str = "", after: str = "") -> str:
    """A table of osu_bw with some rows."""
    return "\n".join([before, title, "# Size      Bandwidth (MB/s)", *rows, after]).strip("\n") + "\n"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (table("1 7.79", "4194304 4901.82"), RunStatus.COMPLETE),
        (table("1 7.79", "8388608 4901.82"), RunStatus.END_UNKNOWN),  # -m, of which the log contains no value
        (table("1 7.79", "8388608 4901.82", after="user@node1:~$ exit"), RunStatus.COMPLETE),
        (table("1 7.79", "2097152 4901.82"), RunStatus.END_UNKNOWN),
        (table("1 7.79", "2097152 4901.82").rstrip("\n")[:-4], RunStatus.TRUNCATED),
        (table("1 7.79", "2 15.67", before="$ mpirun -np 2 osu_bw -m 2"), RunStatus.COMPLETE),
        (table("1 7.79", "2 15.67", before="$ mpirun -np 2 ./osu_bw --message-size=1:2 D D"), RunStatus.COMPLETE),
        (table("1 7.79", before="$ mpirun -np 2 osu_bw -m 2"), RunStatus.TRUNCATED),
        (table("2 7.79", before="$ mpirun -np 2 osu_bw -m 2:"), RunStatus.END_UNKNOWN),
        (table("1 7.79", "2 15.67", before="$ mpirun -np 2 osu_latency -m 2"), RunStatus.END_UNKNOWN),
        (table("1 7.79", after="srun: error: node2: task 1: Killed"), RunStatus.FAILED),
        (table("1 7.79", "4194304 4901.82", after="srun: error: node2: task 1: Killed"), RunStatus.COMPLETE),
    ],
)
def test_a_table_ends_at_the_size_its_program_ends_at(text: str, status: RunStatus) -> None:
    assert [run.status for run in parse(text)] == [status]


PERFTEST = "-----------------\n                    RDMA_Write BW Test\n Dual-port       : OFF    Device : mlx5_0\n"


@pytest.mark.parametrize(
    ("rows", "output", "status"),
    [
        (("1 7.79", "4 15.67"), PERFTEST, RunStatus.END_UNKNOWN),  # as in joined logs
        (("1 7.79", "4 15.67"), f"$ ib_write_bw -d mlx5_0\n{PERFTEST}", RunStatus.COMPLETE),
        (("1 7.79", "4194304 4901.82"), PERFTEST, RunStatus.COMPLETE),
    ],
)
def test_a_report_of_another_tool_does_not_show_an_end(rows: tuple[str, ...], output: str, status: RunStatus) -> None:
    reading = read(table(*rows, after=output), "log")
    first, second = reading.runs
    assert (first.status, second.tool) == (status, "perftest")
    message = "the table ends at 4 B before a report of perftest, and does not state where the sweep ends"
    assert [notice.found for notice in reading.notices if notice.location == "log:4"] == (
        [message] if status is RunStatus.END_UNKNOWN else []
    )


def test_an_unknown_end_is_reported() -> None:
    (notice,) = read(table("1 7.79", "64 303.21"), "log").notices
    assert str(notice) == (
        "log:4: the log ends at 64 B and does not state where the sweep ends: osu_bw ends at 4194304 B unless -m is "
        "given"
    )


@pytest.mark.parametrize(
    ("ends", "status"),
    [
        ((8, 8), RunStatus.COMPLETE),  # -m 8, as the tables of PerfKitBenchmarker tests/data/omb
        ((8, 8, 8), RunStatus.COMPLETE),
        ((8, 4), RunStatus.TRUNCATED),
        ((8, 16), RunStatus.END_UNKNOWN),
        ((16, 8, 8), RunStatus.END_UNKNOWN),
        ((4194304, 8), RunStatus.TRUNCATED),  # no -m
        ((8,), RunStatus.END_UNKNOWN),
    ],
)
def test_the_last_table_ends_at_the_size_of_its_neighbours(ends: tuple[int, ...], status: RunStatus) -> None:
    tables = "".join(table("1 7.79", f"{end} 60.41") for end in ends)
    assert [run.status for run in parse(tables)] == [*[RunStatus.COMPLETE] * (len(ends) - 1), status]


def test_a_row_that_other_output_cut_ends_no_table() -> None:
    cut = table("1 7.79") + "2 15.67   [1795.1] [node1:27610:0]      ucp_worker.c:1877 UCX  INFO  ep_cfg[3]: tag(rc)\n"
    assert [run.status for run in parse(cut)] == [RunStatus.TRUNCATED]


def test_a_validation_that_failed_is_wrong_data() -> None:
    log = (
        "# OSU MPI Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)        Validation\n1  7.79  Pass\n2  9.10  Fail\n"
    )
    (run,) = parse(log)
    assert [measurement.value for measurement in run.measurements if measurement.metric is Metric.WRONG] == [0, 1]


@pytest.mark.parametrize(
    ("log", "error"),
    [
        ("$ srun -n 2 osu_bw\nsrun: error: Unable to create step for job 7: Invalid node name specified\n",
         "srun: error: Unable to create step for job 7: Invalid node name specified"),
        ("Invalid option [-q]\n\nUsage: osu_bw [options]\nOptions:\n", "Invalid option [-q]"),
        ("This test requires exactly two processes\n", "This test requires exactly two processes"),
        ("CUDA support not enabled.  Please recompile benchmark with CUDA support.\n",
         "CUDA support not enabled. Please recompile benchmark with CUDA support."),
    ],
)  # fmt: skip
def test_a_run_that_never_began_keeps_its_message(log: str, error: str) -> None:
    (run,) = parse(log)
    assert (run.tool, run.status, run.error, run.measurements) == (
        "osu-micro-benchmarks", RunStatus.FAILED, error, ()
    )  # fmt: skip


def test_a_row_of_another_shape_is_left_out_and_reported() -> None:
    reading = read(table("1 7.79", "2 15.67 3.00", "1 7.79", "4194304 4901.82"), "log")
    assert [measurement.size_bytes for measurement in reading.runs[0].measurements] == [1, 4194304]
    assert [str(notice) for notice in reading.notices] == [
        "log:4: found a row of 3 cells; expected 2 cells; the row is left out",
        "log:5: found a row of 1 B after one of 1 B; expected a larger size; left out",
    ]


@pytest.mark.parametrize("option", ["-m 65536", "-m 1:65536", "--message-size=:65536"])
def test_a_sweep_that_ends_before_the_message_of_its_command_line(option: str) -> None:
    text = (
        f"$ mpirun -np 2 osu_bw {option}\n# OSU MPI Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)\n1 3.1\n2 6.2\n"
    )
    reading = read(text, "log")
    assert reading.runs[0].status is RunStatus.TRUNCATED
    assert [str(notice) for notice in reading.notices] == [
        "log:5: the log ends at 2 B, before 65536 B, the largest message that it states"
    ]
