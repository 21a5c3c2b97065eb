"""Single lines and short logs: their exact values, and what must be refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wirespeed.benchmarks import is_interval, parse, read
from wirespeed.benchmarks.logs.numbers import number
from wirespeed.benchmarks.tools.perftest.tables import columns, derive_unit, find_meaning
from wirespeed.benchmarks.tools.reader import tools
from wirespeed.errors import Refusal
from wirespeed.results.benchmarks import Metric, RunStatus

NCCL_COLUMNS = """\
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
"""
NCCL_ROW = "  1024  256  float  sum  -1  25.40  0.04  0.07      0  25.01  0.04  0.07      0\n"
BW_COLUMNS = " #bytes     #iterations    BW peak[{0}]    BW average[{0}]   MsgRate[Mpps]\n"
RULE = "-" * 87 + "\n"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-1", -1),
        ("12.50", 12.5),
        (".5", 0.5),
        ("1e-07", 1e-07),
        ("9.50062e+08", 950062000.0),
        ("N/A", None),
        ("inf", None),
        ("-nan", None),
        ("XXX.XX", None),
        ("1e999", None),
        ("12.5.1", None),
        ("", None),
        ("\u0661", None),  # a digit, but none a tool prints
    ],
)
def test_numbers_are_those_printed(text: str, value: float | None) -> None:
    parsed_number = number(text)
    assert parsed_number == value
    assert type(parsed_number) is type(value)


@pytest.mark.parametrize(
    ("unit", "true_unit"),
    [("MB/sec", "MiB/s"), ("MiB/sec", "MiB/s"), ("Gb/sec", "Gb/s")],
)
def test_perftest_units(unit: str, true_unit: str) -> None:
    (run,) = parse(
        BW_COLUMNS.format(unit) + " 65536      5000             11.50              10.25  \t\t   0.001\n" + RULE
    )
    assert run.status is RunStatus.COMPLETE
    assert [
        (measurement.metric, measurement.value, measurement.unit, measurement.size_bytes, measurement.line)
        for measurement in run.measurements
    ] == [
        (Metric.BW_PEAK, 11.5, true_unit, 65536, 2),
        (Metric.BW_AVG, 10.25, true_unit, 65536, 2),
        (Metric.MSG_RATE, 0.001, "Mpps", 65536, 2),
    ]


def test_what_a_counter_that_ran_over_makes_negative_is_left_out_and_reported() -> None:
    row = " 65536      2147483647       0.00               -3.12 \t\t   -0.005951\n"
    reading = read(BW_COLUMNS.format("Gb/sec") + row + RULE, "log")
    assert [measurement.metric for measurement in reading.runs[0].measurements] == [Metric.BW_PEAK]
    assert [str(notice) for notice in reading.notices] == [
        "log:2: found -3.12, -0.005951 in the row of 65536 B; expected numbers of 0 and more; left out"
    ]


def test_a_decimal_comma_among_points_is_read() -> None:
    row = (
        " 65536      5000             11,50              10,25  \t\t   0,001\n" + " 65536  5000  11.50  10.25  0.020\n"
    )
    reading = read(BW_COLUMNS.format("Gb/sec") + row + RULE, "log")
    assert [measurement.value for measurement in reading.runs[0].measurements] == [
        11.5,
        10.25,
        0.001,
        11.5,
        10.25,
        0.02,
    ]
    assert reading.notices == ()


def test_an_unknown_unit_is_left_out_and_reported() -> None:
    reading = read(
        BW_COLUMNS.format("Pb/sec") + " 8          5000             11.50              10.25  \t\t   0.001\n", "log"
    )
    assert [measurement.metric for measurement in reading.runs[0].measurements] == [Metric.MSG_RATE]
    assert [str(notice) for notice in reading.notices] == [
        "log:1: found the column 'BWpeak[Pb/sec]'; expected a known unit; the column is left out",
        "log:1: found the column 'BWaverage[Pb/sec]'; expected a known unit; the column is left out",
    ]


@pytest.mark.parametrize(
    ("size", "average", "rate", "unit"),
    [
        (8388608, 387.16, 0.005769, "Gb/s"),
        (65536, 11030.45, 0.176487, "MiB/s"),
        (2, 0.01, 0.767588, "Gb/s"),  # 0.0123 Gb/s printed with two decimals
        (65536, 100.0, 0.5, None),
        (65536, 0.0, 0.5, None),
    ],
)
def test_a_rate_gives_the_unit_of_an_average(size: int, average: float, rate: float, unit: str | None) -> None:
    assert derive_unit(size, average, rate) == unit


def test_a_row_whose_columns_were_cut_off_is_read_when_its_arithmetic_proves_the_unit() -> None:
    warning = "Conflicting CPU frequency values detected: 3100.000000 != 4900.000000. CPU Frequency is not max.\n"
    reading = read(f"{warning} 1048576    1000             196.30             196.21             0.023390\n")
    assert [(measurement.value, measurement.unit) for measurement in reading.runs[0].measurements] == [
        (196.3, "Gb/s"),
        (196.21, "Gb/s"),
        (0.02339, "Mpps"),
    ]
    reading = read(f"{warning} 1048576    1000             196.30             196.21             0.055555\n")
    assert reading.runs[0].measurements == ()
    assert str(reading.notices[0]).startswith("text:2: found a row without its column line")


def test_perftest_columns_are_named_not_counted() -> None:
    names = columns(
        " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]   BW Port1[Gb/sec]"
        "   MsgRate Port1[Mpps]   BW Port2[Gb/sec]   MsgRate Port2[Mpps]"
    )
    assert names is not None
    assert [meaning and (meaning[0], meaning[2]) for meaning in map(find_meaning, names)] == [
        None,
        None,
        (Metric.BW_PEAK, None),
        (Metric.BW_AVG, None),
        (Metric.MSG_RATE, None),
        (Metric.BW_AVG, "port 1"),
        (Metric.MSG_RATE, "port 1"),
        (Metric.BW_AVG, "port 2"),
        (Metric.MSG_RATE, "port 2"),
    ]


@pytest.mark.parametrize(
    ("title", "test"),
    [
        ("RDMA_Write BW Test", "ib_write_bw"),
        ("RDMA_Write Bidirectional BW Test", "ib_write_bw"),
        ("RDMA_Write Post List BW Test", "ib_write_bw"),
        ("RDMA_Read Latency Test", "ib_read_lat"),
        ("Send Bidirectional BW  Multicast Test", "ib_send_bw"),
        ("Send Latency Test", "ib_send_lat"),
        ("Atomic FETCH_AND_ADD BW Test", "ib_atomic_bw"),
        ("Atomic CMP_AND_SWAP Latency Test", "ib_atomic_lat"),
    ],
)
def test_perftest_titles(title: str, test: str) -> None:
    (run,) = parse(f"                    {title}\n Dual-port       : OFF\t\tDevice         : mlx5_0\n")
    assert (run.test, run.status, run.parameters.rdma_device) == (test, RunStatus.TRUNCATED, "mlx5_0")
    assert bool(run.parameters.bidirectional) is ("Bidirectional" in title)


@pytest.mark.parametrize(
    ("log", "error"),
    [
        ("Completion with error at server\nFailed status 10: wr_id 0 syndrom 0x88\n",
         "Completion with error at server; Failed status 10: wr_id 0 syndrom 0x88"),
        ("Couldn't allocate MR\n failed to create mr\n", "Couldn't allocate MR; failed to create mr"),
        ("Couldn't connect to 10.7.0.1:18515\n Unable to open file descriptor for socket connection\n",
         "Couldn't connect to 10.7.0.1:18515; Unable to open file descriptor for socket connection"),
        (" IB device mlx5_77 not found\n Unable to find the Infiniband/RoCE device\n",
         "IB device mlx5_77 not found; Unable to find the Infiniband/RoCE device"),
    ],
)  # fmt: skip
def test_perftest_failures_keep_the_message_of_the_tool(log: str, error: str) -> None:
    (run,) = parse(log)
    assert (run.tool, run.status, run.error) == ("perftest", RunStatus.FAILED, error)


@pytest.mark.parametrize(
    ("command", "memory", "failures"),
    [
        ("./ib_write_bw -a -b -F -d mlx5_0 --report_gbits --use_cuda=0", "cuda", "PCI-01 PCI-02 OS-10 PCI-06"),
        ("$ ib_write_bw -d bnxt_re0 --use_rocm 3 node2", "rocm", "PCI-01 PCI-02 OS-10 PCI-06"),
        ("$ ib_write_bw -d mlx5_0 --use_cuda_bus_id=1b:00.0 node2", "cuda", "PCI-01 PCI-02 OS-10 PCI-06"),
        ("$ ib_write_bw -d mlx5_0 --use_hugepages node2", None, ""),
    ],
)
def test_the_command_line_states_gpu_memory(command: str, memory: str | None, failures: str) -> None:
    """Linux-rdma/perftest issue 173: the report is missing, and the command is above the error."""
    (run,) = parse(f"{command}\nCompletion with error at client\n  Failed status 4: wr_id 0 syndrom 0x51\n")
    assert (run.test, run.parameters.memory, " ".join(run.failures)) == ("ib_write_bw", memory, failures)


@pytest.mark.parametrize("is_early", [False, True])
def test_a_limit_that_was_not_reached_fails_the_run_and_keeps_its_table(is_early: bool) -> None:
    error = "Error: BW result is below bw limit\n"  # of -w, on standard error: a file may have it before the report
    report = (
        "                    RDMA_Write BW Test\n Dual-port       : OFF\t\tDevice         : mlx5_0\n"
        + BW_COLUMNS.format("Gb/sec")
        + " 65536      5000             196.55             196.41 \t\t   0.374622\n"
        + RULE
    )
    (run,) = parse(error + report if is_early else report + error)
    assert (run.status, run.error) == (RunStatus.FAILED, "Error: BW result is below bw limit")
    assert [measurement.value for measurement in run.measurements] == [196.55, 196.41, 0.374622]


def test_a_failure_before_a_good_run_stays_a_run_of_its_own() -> None:
    failure = "Couldn't connect to 10.7.0.1:18515\n Unable to open file descriptor for socket connection\n"
    report = "                    RDMA_Write BW Test\n" + BW_COLUMNS.format("Gb/sec") + " 8 5000 1.00 1.00 0.1\n" + RULE
    assert [run.status for run in parse(failure + report)] == [RunStatus.FAILED, RunStatus.COMPLETE]
    assert [run.status for run in parse(report + failure)] == [RunStatus.COMPLETE, RunStatus.FAILED]


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("[  5]   0.00-10.00  sec  47.2 GBytes  40.5 Gbits/sec  1659             sender",
         [("transfer", 47.2, "GiB"), ("bitrate", 40.5, "Gb/s"), ("retransmits", 1659, "segments")]),
        ("[  4]   0.00-10.00sec  9.45 GBytes  8114 Mbits/sec    0             sender",  # esnet/iperf issue 306
         [("transfer", 9.45, "GiB"), ("bitrate", 8114, "Mb/s"), ("retransmits", 0, "segments")]),
        ("[SUM]   0.00-10.00  sec   955 MBytes   801 Mbits/sec                  receiver",
         [("transfer", 955, "MiB"), ("bitrate", 801, "Mb/s")]),
        ("[  5]   0.00-10.04  sec  6.55 GBytes  1.87 Gbits/sec  0.006 ms  173750/5030987 (3.5%)  receiver",
         [("transfer", 6.55, "GiB"), ("bitrate", 1.87, "Gb/s"), ("jitter", 0.006, "ms"),
          ("lost", 173750, "datagrams")]),
        ("[  5]   0.00-2.00   sec  0.00 Bytes  0.00 bits/sec                  receiver",
         [("transfer", 0.0, "B"), ("bitrate", 0.0, "b/s")]),
        ("[  5]   0.00-2.00   sec   384 KBytes  4.69 GBytes/sec                  receiver",
         [("transfer", 384, "KiB"), ("bitrate", 4.69, "GiB/s")]),
        ("[  5]   1.00-2.00   sec  4.65 GBytes  39.9 Gbits/sec    7    954 KBytes",
         [("transfer", 4.65, "GiB"), ("bitrate", 39.9, "Gb/s"), ("retransmits", 7, "segments"),
          ("congestion_window", 954.0, "KiB")]),
        # Retr or Total Datagrams: not distinguishable without the columns
        ("[  5]   1.00-2.00   sec  119 MBytes  1.00 Gbits/sec  20398",
         [("transfer", 119, "MiB"), ("bitrate", 1.0, "Gb/s")]),
    ],
)  # fmt: skip
def test_iperf3_lines_without_their_columns(line: str, values: list[tuple[str, float, str]]) -> None:
    (run,) = parse(line + "\n")
    assert [
        (measurement.metric.value, measurement.value, measurement.unit) for measurement in run.measurements
    ] == values
    assert all(is_interval(measurement.label) is ("er" not in line.split()[-1]) for measurement in run.measurements)


def test_datagrams_are_counted_at_both_ends() -> None:
    """The rows that release 3.2 and later prints."""
    (run,) = parse(
        "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n"
        "[  5]   0.00-9.00   sec  3.50 GBytes  3.34 Gbits/sec  0.000 ms  0/420000 (0%)  sender\n"
        "[  5]   0.00-9.04   sec  3.00 GBytes  2.85 Gbits/sec  0.002 ms  59000/419000 (14%)  receiver\n"
    )
    assert (run.parameters.sent_datagrams, run.parameters.datagrams) == (420000, 419000)


def test_addresses_of_a_process_whose_first_line_is_missing() -> None:
    """esnet/iperf issue 408: processes with --title mix their lines, and the line of one was not pasted."""
    first, second = parse(
        "a:  Connecting to host 10.0.0.2, port 5101\n"
        "b:  [  4] local 10.0.0.1 port 40002 connected to 10.0.0.2 port 5102\n"
        "a:  [  4] local 10.0.0.1 port 40001 connected to 10.0.0.2 port 5101\n"
        "b:  [ ID] Interval           Transfer     Bandwidth       Retr  Cwnd\n"
        "b:  [  4]   0.00-1.00   sec   390 MBytes  3.27 Gbits/sec    0    446 KBytes\n"
        "a:  [ ID] Interval           Transfer     Bandwidth       Retr  Cwnd\n"
        "a:  [  4]   0.00-1.00   sec   400 MBytes  3.36 Gbits/sec    0    446 KBytes\n"
    )
    for run, label, port in ((first, "a", 5101), (second, "b", None)):
        stated = run.parameters
        assert (stated.process_label, stated.server_port, stated.streams) == (label, port, 1)
        assert (stated.local_address, stated.remote_address) == ("10.0.0.1", "10.0.0.2")


def test_each_summary_of_iperf3_is_a_run() -> None:
    """Release 3.0 with -V, of which a page shows the summaries only: a UDP row without sender or receiver."""
    summary = (
        "Test Complete. Summary Results:\n"
        "[ ID] Interval           Transfer     Bandwidth       Jitter    Lost/Total Datagrams\n"
        "[  4]   0.00-{0}.00  sec  2.00 GBytes  1.72 Gbits/sec  0.004 ms  12/{1} (0.01%)\n[  4] Sent {1} datagrams\n"
    )
    runs = parse(f"first with one stream\n{summary.format(10, 90000)}\nand again:\n{summary.format(20, 180000)}")
    assert [(run.status, run.parameters.datagrams, run.parameters.duration_s) for run in runs] == [
        (RunStatus.END_UNKNOWN, 90000, 10.0),
        (RunStatus.END_UNKNOWN, 180000, 20.0),
    ]
    assert {measurement.label for run in runs for measurement in run.measurements} == {"stream 4"}


def test_total_datagrams_are_no_retransmits() -> None:
    (run,) = parse(
        "[ ID] Interval           Transfer     Bitrate         Total Datagrams\n"
        "[  5]   0.00-1.00   sec   119 MBytes  1000 Mbits/sec  86203\n"
    )
    assert (run.test, [measurement.metric for measurement in run.measurements]) == (
        "UDP",
        [Metric.TRANSFER, Metric.BITRATE],
    )


def test_an_interval_without_length_is_no_rate() -> None:
    reading = read(
        "Accepted connection from 10.9.0.1, port 4\n[  5]  10.00-10.00  sec   384 KBytes  6.25 Gbits/sec\n", "log"
    )
    assert reading.runs[0].measurements == ()
    assert [str(notice) for notice in reading.notices] == [
        "log:2: the interval 10.00-10.00 s has no length and so no bandwidth: left out"
    ]


@pytest.mark.parametrize(
    ("ending", "status"),
    [
        ("", RunStatus.TRUNCATED),
        ("# Out of bounds values : 0 OK\n", RunStatus.TRUNCATED),
        ("# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 0.07 \n", RunStatus.COMPLETE),
        ("# Avg bus bandwidth    : 0.07", RunStatus.TRUNCATED),  # a digit may be missing
        ("# Out of bounds values : 0 OK\n#\n# Collective test concluded: all_gather_perf\n", RunStatus.COMPLETE),
        ("# Out of bounds values : 4 FAILED\n# Avg bus bandwidth    : 0.07 \n", RunStatus.FAILED),
        ("# Avg bus bandwidth    : 0.07 FAILED\n", RunStatus.FAILED),
        ("alpha: Test NCCL failure common.cu:961 'remote process exited'\n", RunStatus.FAILED),
    ],
)
def test_how_a_table_of_nccl_tests_ends(ending: str, status: RunStatus) -> None:
    (run,) = parse(NCCL_COLUMNS + NCCL_ROW + ending)
    assert run.status is status
    assert len([measurement for measurement in run.measurements if measurement.size_bytes]) == 8


def test_wrong_elements_are_a_measurement() -> None:
    row = NCCL_ROW.replace("0.07      0  25", "0.07     17  25")
    (run,) = parse(NCCL_COLUMNS + row)
    wrong = [
        (measurement.label, measurement.value) for measurement in run.measurements if measurement.metric is Metric.WRONG
    ]
    assert wrong == [("out-of-place", 17), ("in-place", 0)]


def test_a_row_broken_by_a_debug_line_is_put_together() -> None:
    broken = NCCL_ROW.replace("  sum  ", "  sum alpha:7:9 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1]\n  ", 1)
    assert broken.count("\n") == 2
    (run,) = parse(NCCL_COLUMNS + broken)
    assert [measurement.value for measurement in run.measurements] == [25.4, 0.04, 0.07, 0, 25.01, 0.04, 0.07, 0]
    assert {measurement.line for measurement in run.measurements} == {3}


def test_what_nccl_reports_of_its_environment_is_a_parameter() -> None:
    debug = "alpha:7:9 [0] NCCL INFO NCCL_ALGO set by environment to Ring.\n"
    (run,) = parse("NCCL version 2.27.5+cuda12.9\n" + debug + NCCL_COLUMNS + NCCL_ROW)
    assert (run.parameters.environment["NCCL_ALGO"], run.parameters.library_version) == ("Ring", "2.27.5+cuda12.9")


@pytest.mark.parametrize(
    ("command", "test"),
    [
        ("$ mpirun -np 8 ./build/all_reduce_perf -b 8", "all_reduce"),
        ("+ srun /opt/nccl-tests/reduce_scatter_perf_mpi", "reduce_scatter"),
        ("EXEC_CMD=/opt/rccl-tests/build/alltoallv_perf", "alltoallv"),
        ("$ ./build/hypercube_perf", "hypercube"),
        ("$ perf record ./my_perf", None),
    ],
)
def test_the_command_names_the_collective(command: str, test: str | None) -> None:
    (run,) = parse(f"{command}\n{NCCL_COLUMNS}{NCCL_ROW}")
    assert run.test == test
    assert run.tool == ("rccl-tests" if "rccl-tests" in command else "nccl-tests")


def test_logs_of_several_tools_in_one_file_leave_each_other_alone() -> None:
    table = NCCL_COLUMNS + NCCL_ROW
    report = (
        "                    RDMA_Write BW Test\n"
        + BW_COLUMNS.format("Gb/sec")
        + " 8          5000             1.00             1.00  \t\t   0.100000\n"
        + "mlx5: alpha: got completion with error:\n"
        + "00000000 00000000 00000000 00000000\n00000000 00008813 12010101 00000002\n"
    )
    reading = read(table + report + "Connecting to host 10.9.0.2, port 5201\n")
    assert [(run.tool, run.status, len(run.measurements)) for run in reading.runs] == [
        ("nccl-tests", RunStatus.TRUNCATED, 8),
        ("perftest", RunStatus.FAILED, 3),
        ("iperf3", RunStatus.TRUNCATED, 0),
    ]
    assert reading.notices == ()


def test_two_hosts_in_one_file_are_two_runs() -> None:
    table = NCCL_COLUMNS + NCCL_ROW + "# Avg bus bandwidth    : 0.07 \n"
    lines = [f"{host}: {line}" for line in table.splitlines() for host in ("alpha", "beta")]
    runs = parse("\n".join(lines) + "\n")
    assert [(run.parameters.process_label, run.status, len(run.measurements)) for run in runs] == [
        ("alpha", RunStatus.COMPLETE, 9),
        ("beta", RunStatus.COMPLETE, 9),
    ]


@pytest.mark.parametrize(
    ("text", "problem_text"),
    [
        ("", "no text"),
        ("\n \n", "no text"),
        ("# Size [B]  Bandwidth [MB/s]\n         1              2.01\n",
         "2 lines of other text, first '# Size [B]  Bandwidth [MB/s]'"),
        ("\x00\x1b[31m\n", "binary data"),
        ("alpha:7:9 [0] NCCL INFO cudaDriverVersion 12080\n",
         "debug lines of NCCL without a communicator, and no table of a benchmark"),
        ('{"kind": "bundle"}\n', "1 line of other text, first '{\"kind\": \"bundle\"}'"),
        ('{"event":"start","data":{"job":1}}\n{"event":"end","data":{}}\n',
         "2 lines of other text, first '{\"event\":\"start\",\"data\":{\"job\":1}}'"),
        ('{"error": "unable to open the door"}\n',
         "1 line of other text, first '{\"error\": \"unable to open the door\"}'"),
        ("# size count type time algbw busbw time algbw busbw | size count type time algbw busbw\n"
         " 8 2 float 1.00 0.01 0.01 1.00 0.01 0.01 | 8 2 float 2.00 0.01 0.01\n",
         "2 lines of other text, first '# size count type time algbw busbw time algbw busbw | size c'"),
    ],
)  # fmt: skip
def test_what_is_no_benchmark_is_refused(text: str, problem_text: str) -> None:
    with pytest.raises(Refusal) as refusal:
        read(text, "log")
    (problem,) = refusal.value.problems
    assert (problem.location, problem.found) == ("log", problem_text)
    assert problem.expected == "output of a benchmark tool"
    assert problem.hint == (
        "run the benchmark again and write its output to the file, such as with `| tee FILE`"
        if problem_text == "no text"
        else "give the whole output with its header lines; `wirespeed list tools` lists the supported tools"
    )


@pytest.mark.parametrize(
    "text",
    ["$ /opt/DIS/bin/dma_bench -client -rn 8\nfailed\n", "    64      16384    256    50.19 us   326.43 MBytes/s\n"],
)
def test_the_table_of_dma_bench_is_refused_with_the_option_that_is_read(text: str) -> None:
    """The option is that of the scripts in github.com/multiib/beegfs-thesis; tests/samples/sisci_json is its output."""
    with pytest.raises(Refusal) as refusal:
        read(text, "log")
    (problem,) = refusal.value.problems
    assert problem.hint is not None
    assert problem.hint.startswith("dma_bench: run `dma_bench -client -rn NODE -json FILE` and give FILE")


@pytest.mark.parametrize(
    "text",
    [
        "| Gb/s | a | b |\n|---|---|---|\n| a | - | 390 |\n| b | 200 | - |\n",
        ",a,b\na,-,390\nb,200,-\n",
        "  a  b\na  -  390\nb  200  -\n",
    ],
)
def test_a_matrix_without_its_corner_is_refused_with_the_corner(text: str) -> None:
    with pytest.raises(Refusal) as refusal:
        read(text, "log")
    assert r"write direction and unit into its first cell: `from\to (Gb/s)`" in (refusal.value.problems[0].hint or "")


def test_the_tools_that_are_read() -> None:
    assert [tool.name for tool in tools()] == [
        "bandwidth_test",
        "cp2k",
        "gpcnet",
        "gromacs",
        "ibv_pingpong",
        "iperf2",
        "iperf3",
        "iperf3_json",
        "mesh",
        "mpigraph",
        "nccl_tests",
        "nccl_tests_json",
        "netpipe",
        "nvbandwidth",
        "nvbandwidth_json",
        "openfoam",
        "osu",
        "p2p_bandwidth",
        "pair_matrix",
        "perftest",
        "perftest_json",
        "qperf",
        "rocm_bandwidth",
        "sisci",
        "sisci_json",
        "sockperf",
        "transferbench",
        "ucx_perftest",
        "wrf",
    ]


def test_variables_of_a_command_line_belong_to_its_table_only() -> None:
    first, second = parse(
        "$ mpirun -np 2 -x NCCL_IB_TC=104 -x 'NCCL_ALGO=Ring' -x MY_NCCL_X=1 all_reduce_perf -b 1K -e 1K\n"
        f"{NCCL_COLUMNS}{NCCL_ROW}# Avg bus bandwidth    : 0.07\n"
        "$ mpirun -np 2 all_reduce_perf -b 1K -e 1K\n"
        f"{NCCL_COLUMNS}{NCCL_ROW}# Avg bus bandwidth    : 0.07\n"
    )
    assert first.parameters.environment == {"NCCL_IB_TC": "104", "NCCL_ALGO": "Ring"}
    assert second.parameters.environment == {}


@pytest.mark.parametrize(
    ("options", "environment"),
    [
        (
            "-x NCCL_IB_HCA=mlx5_0,mlx5_1 -x NCCL_ALGO=Ring,Tree",
            {"NCCL_IB_HCA": "mlx5_0,mlx5_1", "NCCL_ALGO": "Ring,Tree"},
        ),
        ("-x NCCL_IB_HCA=^mlx5_6,mlx5_7", {"NCCL_IB_HCA": "^mlx5_6,mlx5_7"}),
        ("--export=ALL,NCCL_IB_HCA=mlx5_0,NCCL_IB_TC=104,PATH", {"NCCL_IB_HCA": "mlx5_0", "NCCL_IB_TC": "104"}),
    ],
)
def test_a_list_in_a_command_line_is_one_value(options: str, environment: dict[str, str]) -> None:
    (run,) = parse(f"$ mpirun -np 2 {options} all_reduce_perf -b 1K -e 1K\n{NCCL_COLUMNS}{NCCL_ROW}")
    assert run.parameters.environment == environment


def test_hosts_of_ranks_are_named_only_where_the_list_is_whole() -> None:
    ranks = "".join(
        f"#  Rank  {index} Pid  {index} on {host} device  0 [0x1b] GPU\n" for index, host in ((0, "b"), (1, "a"))
    )
    whole, part = (parse(f"{text}{NCCL_COLUMNS}{NCCL_ROW}")[0] for text in (ranks, ranks[ranks.index("\n") + 1 :]))
    assert (whole.parameters.host_names, part.parameters.host_names) == ("a,b", None)


def test_the_last_rank_of_a_page_states_the_ranks_of_a_host():
    """coreweave/nccl-tests, README.md: the page shows the last of 72 ranks only, on hosts of four GB200."""
    text = (
        "#  Rank 71 Group  0 Pid  14840 on slurm-gb200-207-171 device  3 [0x01] NVIDIA Graphics Device\n"
        "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
        "  8589934592  2147483648  float  sum  -1  20299  423.16  834.57  0  20006  429.37  846.82  0\n"
        "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 840.7\n"
    )
    (run,) = read(text).runs
    assert (run.ranks, run.parameters.nodes) == (72, 18)


def test_a_json_report_without_a_size_of_its_sweep_is_not_complete() -> None:
    """nccl-tests, src/util.cu: -J; the sweep is that of src/common.cu, as in the text."""
    report = json.loads((Path(__file__).parents[2] / "samples" / "nccl_tests" / "report.json").read_text())
    (whole,) = read(json.dumps(report)).runs
    report["config"]["maximum_bytes"] *= 2
    reading = read(json.dumps(report))
    assert (whole.status, reading.runs[0].status) == (RunStatus.COMPLETE, RunStatus.TRUNCATED)
    assert "1 whole row of 2 sizes; none of 2097152 B" in str(reading.notices)


LATENCY_COLUMNS = (
    " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]"
    "   99% percentile[usec]   99.9% percentile[usec] \n"
)
IPERF3_SUMMARY = """\
Connecting to host 10.0.0.2, port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  115 GBytes  98.9 Gbits/sec   46             sender
"""


@pytest.mark.parametrize(
    ("log", "last_characters"),
    [
        (BW_COLUMNS.format("Gb/sec") + " 65536      5000             96.50              96.48  \t\t   0.184021", 1),
        (LATENCY_COLUMNS + " 2       1000          5.10        9.99      5.20     \t 5.22 \t0.13 \t5.88 \t9.99", 1),
        (NCCL_COLUMNS + NCCL_ROW.rstrip(), None),
        ("# OSU MPI Latency Test v7.4\n# Size          Latency (us)\n8                       1.25", 1),
        ("tcp_lat:\n    latency  =  27.6 us", None),
        ("tcp_bw:\n    bw  =  3.17 GB/sec", 1),
        (f"{IPERF3_SUMMARY}[  5]   0.00-10.04  sec  115 GBytes  98.4 Gbits/sec                  receiver", 1),
        ("Client connecting to h, TCP port 5001\n[ ID] Interval       Transfer     Bandwidth\n"
         "[  3]  0.0-10.0 sec  10.9 GBytes  9.40 Gbits/sec", 1),
        ("sockperf: == version #3.10 == \nsockperf: ====> avg-latency=5.234 (std-dev=0.812)", 1),
        ("sockperf: == version #3.10 == \nsockperf: Summary: Message Rate is 1234560 [msg/sec]", 1),
        ("sockperf: == version #3.10 == \nsockperf: Summary: BandWidth is 1234.567 MBps (9876.536 Mbps)", 1),
    ],
)  # fmt: skip
def test_a_whole_row_at_the_end_of_a_log_needs_no_newline(log: str, last_characters: int | None) -> None:
    """``last_characters``: how many a cut takes; None where the rest is as good."""
    reading, with_newline = read(log), read(f"{log}\n")
    assert reading.notices == with_newline.notices
    assert reading.runs[0].measurements == with_newline.runs[0].measurements != ()
    if last_characters is not None:
        cut = read(log[:-last_characters], "log")
        last = log.count("\n") + 1
        assert last not in {row.line for run in cut.runs for row in run.measurements}
        assert [notice.location for notice in cut.notices] == [f"log:{last}"]


@pytest.mark.parametrize(
    "log",
    [
        "tcp_bw:\n    bw  =  3.17 GB/sec\ntcp_lat:\n    latency  =  27.6 u",
        "Client connecting to h, TCP port 5001\n[ ID] Interval       Transfer     Bandwidth\n"
        "[  3]  0.0- 1.0 sec  1.09 GBytes  9.40 Gbits/sec\n[  3]  1.0- 2.0 sec  1.09 GB",
        "Server listening on 5201\nAccepted connection from 10.0.0.1, port 5000\n[ ID] Interval Transfer Bitrate\n"
        "[  5]   0.00-1.00   sec  1.09 GBytes  9.40 Gbits/sec\n[  5]   1.00-2.00   sec  1.09 GB",
        LATENCY_COLUMNS + " 2       1000          5.10        9.99      5.20     \t 5.22 \t0.13 \t5.88 \t9.99\n"
        " 4       1000          5.10        9.9",
    ],
    ids=["qperf", "iperf2", "iperf3", "perftest"],
)
def test_a_cut_row_behind_whole_ones_is_reported(log: str) -> None:
    reading = read(log, "log")
    last = log.count("\n") + 1
    assert last not in {row.line for run in reading.runs for row in run.measurements}
    assert f"log:{last}" in [notice.location for notice in reading.notices]
