"""Facts that follow from a log though no line states them, and logs that state less than they seem to.

The tables are built from the formulas of nccl-tests doc/PERFORMANCE.md, independent of the reader.
"""

from __future__ import annotations

import pytest
from tests.benchmarks.tools.samples import LOGS

from wirespeed.benchmarks import read
from wirespeed.errors import Refusal
from wirespeed.results.benchmarks import Metric, RunStatus
from wirespeed.results.parameters import RankPlace

HEAD = "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"


def table(factor: float, redop: str, root: int, wrong: str = "0") -> str:
    """A table of a collective whose bus bandwidth is ``factor`` times its algorithm bandwidth."""
    rows = []
    for size in (1 << 26, 1 << 28, 1 << 30):
        algorithm = 100 + size / 2**24
        values = f"{size / algorithm / 1000:.1f} {algorithm:.2f} {algorithm * factor:.2f}"
        rows.append(f" {size} {size // 4} float {redop} {root} {values} 0 {values} {wrong}\n")
    return HEAD + "".join(rows) + "# Avg bus bandwidth    : 1\n"


@pytest.mark.parametrize(
    ("text", "test", "ranks", "inferred"),
    [
        (table(2 * 7 / 8, "sum", -1), "all_reduce", 8, "collective, ranks"),
        (table(2 * 15 / 16, "sum", -1), "all_reduce", 16, "collective, ranks"),
        (table(2 * 63 / 64, "sum", -1), "all_reduce", 64, "collective, ranks"),
        (table(1, "sum", -1), "all_reduce", 2, "collective, ranks"),
        (table(1, "sum", -1, "N/A"), "sendrecv", None, "collective"),  # src/sendrecv.cu; nccl-tests issue 214
        (table(1, "sum", -1).replace(" 0 ", " N/A ").replace(" 0\n", " N/A\n"), None, None, None),  # all-reduce too
        (table(7 / 8, "sum", -1, "N/A"), None, None, None),
        (table(7 / 8, "sum", -1), "reduce_scatter", 8, "collective, ranks"),
        (table(7 / 8, "none", -1), "all_gather", 8, "collective, ranks"),
        (table(7 / 8, "", -1), None, None, None),  # hypercube prints no operation, nor did all-gather in 2022
        (table(7 / 8, "none", -1, "N/A"), "alltoall", 8, "collective, ranks"),
        (table(7 / 8, "", -1, "N/A"), None, None, None),  # rccl-tests, src/alltoallv.cu
        (table(1, "none", -1, "N/A"), "sendrecv", None, "collective"),
        (table(1, "none", 0), "broadcast", None, "collective"),
        (table(1, "sum", 0), "reduce", None, "collective"),
        (table(15 / 16, "none", 0), None, None, None),  # gather or scatter
        (table(1.3, "sum", -1), None, None, None),  # no number of ranks has this factor
        ("$ all_gather_perf -g 8\n" + table(7 / 8, "none", -1), "all_gather", 8, "ranks"),
        ("$ sendrecv_perf -g 8\n" + table(1, "sum", -1, "N/A"), "sendrecv", None, None),
    ],
)
def test_bandwidths_prove_the_collective_and_its_ranks(
    text: str, test: str | None, ranks: int | None, inferred: str | None
) -> None:
    (run,) = read(text).runs
    assert (run.test, run.ranks, run.parameters.inferred) == (test, ranks, inferred)


def test_ranks_have_a_host_and_a_gpu() -> None:
    ranks = (
        "#  Rank  0 Group  0 Pid     10 on      node1 device  0 [0000:1b:00] NVIDIA H100\n"
        "#  Rank  1 Group  0 Pid     11 on      node2 device  0 [0x43] NVIDIA H100\n"
    )
    (run,) = read(ranks + table(1, "sum", -1)).runs
    assert run.parameters.rank_places == {
        "0": RankPlace("node1", 0, "0000:1b:00"),
        "1": RankPlace("node2", 0, "0x43"),
    }


def test_ranks_follow_from_lines_of_the_library() -> None:
    line = "node1:5:6 [0] NCCL INFO comm 0x55 rank 0 nranks 24 cudaDev 0 busId 1b000 commId 0x7 - Init COMPLETE\n"
    reading = read(line + table(1, "sum", 0))
    assert reading.runs[0].ranks == 24
    (place,) = reading.communicators[0].places
    assert (place.rank, place.host, place.gpu, place.bus_id) == (0, "node1", 0, "0000:1b:00.0")


@pytest.mark.parametrize(
    ("last", "sizes"), [("4194304  340.12", [1, 4194304]), ("4194304  340.1", [1]), ("4194304  340", [1])]
)
def test_a_last_row_without_newline_counts_if_it_is_whole(last: str, sizes: list[int]) -> None:
    (run,) = read(f"# OSU MPI Bandwidth Test v7.3\n# Size  Bandwidth (MB/s)\n1  2.50\n{last}").runs
    assert [measurement.size_bytes for measurement in run.measurements] == sizes


def test_other_output_after_a_table_ends_it() -> None:
    table = "# OSU MPI Latency Test v7.3\n# Size  Latency (us)\n1  2.50\n2  2.50\n"
    assert [run.status for run in read(table).runs] == [RunStatus.END_UNKNOWN]
    assert [run.status for run in read(table + "user@node1:~$ exit\n").runs] == [RunStatus.COMPLETE]
    failed = read(table + "srun: error: node1: task 0: Killed\n").runs
    assert [run.status for run in failed] == [RunStatus.FAILED]


def test_releases_without_a_root_column_prove_the_collective_too() -> None:
    """The columns of releases before 2.13 (superbenchmark, tests/data/nccl_allreduce.log)."""
    head = "# size count type redop time algbw busbw error time algbw busbw error\n"
    row = " 1073741824 268435456 float sum 7936.0 135.30 236.78 N/A 7936.0 135.30 236.78 N/A\n"
    (run,) = read(head + row + "# Avg bus bandwidth    : 1\n").runs
    assert (run.test, run.ranks) == ("all_reduce", 8)


OF_RANKS = "tolerated for float and up to 1024 ranks: 0.01"
UNCHECKED = "not judged: sendrecv and all-to-all check no data in place"


@pytest.mark.parametrize(
    ("kind", "errors", "end", "status", "error", "notice"),
    [
        ("float sum", "0e+00 3e-02", "", "failed", f"error 3e-02 in-place at 4096 B; {OF_RANKS}", None),
        ("float sum", "4e+02* 0e+00", "", "failed", f"error 4e+02 out-of-place at 4096 B; {OF_RANKS}", None),
        ("float sum", "1e-02 1e-06", "", "complete", None, None),  # 1e-05 for each of 1023 further ranks
        ("float sum", "N/A N/A", "", "complete", None, None),
        ("float sum", "-4e+02 1e-320", "", "complete", None, None),
        ("float", "0e+00 4e+02", "", "complete", None, f"error 4e+02 in-place at 4096 B; {OF_RANKS}; {UNCHECKED}"),
        ("int32 sum", "1e+00 0e+00", "", "failed", "error 1e+00 out-of-place at 4096 B; tolerated for int32", None),
        ("float sum", "4e+02 0e+00", "# Out of bounds values : 1 FAILED\n", "failed", "1 FAILED", None),
        ("float sum", "4e+02 0e+00", "# Out of bounds values : 0 OK\n", "complete", None, None),  # as the tool counts
    ],
)
def test_errors_of_elements_fail_a_run(
    kind: str, errors: str, end: str, status: str, error: str | None, notice: str | None
) -> None:
    """The column that releases before 2.13 print, and the tolerance of their src/common.cu."""
    operation = "redop " if "sum" in kind else ""
    head = f"# size count type {operation}time algbw busbw error time algbw busbw error\n"
    first, second = errors.split()
    row = f" 4096 1024 {kind} 10.00 0.41 0.60 {first} 10.00 0.41 0.60 {second}\n"
    reading = read(f"{head}{row}{end}# Avg bus bandwidth    : 0.6\n")
    (run,) = reading.runs
    assert (run.status.value, [problem.found for problem in reading.notices]) == (status, [notice] if notice else [])
    assert (error is None and run.error is None) or (error or "") in (run.error or "")


@pytest.mark.parametrize(
    ("datatypes", "errors", "error"),
    [
        ("float float float", "0e+00 2e-07 4e+02", "error 4e+02 out-of-place at 16384 B; tolerated for float"),
        ("float half half", "0e+00 2e-07 4e+02", "error 4e+02 out-of-place at 16384 B; tolerated for half"),
        ("float float float", "0 0 4", "error 4e+00 out-of-place at 16384 B; tolerated for float"),
        ("float half half", "0 0 40", "error 40 out-of-place at 16384 B; tolerated for half"),
    ],
)
def test_errors_of_any_row_fail_a_run(datatypes: str, errors: str, error: str) -> None:
    head = "# size count type redop time algbw busbw error time algbw busbw error\n"
    rows = "".join(
        f" {4096 << row} {1024 << row} {datatype} sum 10.00 0.41 0.60 {cell} 10.00 0.41 0.60 0\n"
        for row, (datatype, cell) in enumerate(zip(datatypes.split(), errors.split(), strict=True))
    )
    (run,) = read(f"{head}{rows}# Avg bus bandwidth    : 0.6\n").runs
    assert run.status is RunStatus.FAILED and error in (run.error or "")
    sizes = [measurement.size_bytes for measurement in run.measurements if measurement.size_bytes]
    assert sizes[::6] == [4096, 8192, 16384]


def test_a_report_of_sockperf_may_begin_at_its_summary() -> None:
    """The form of sockperf src/client.cpp."""
    text = (
        "sockperf: Summary: Latency is 12.345 usec\nsockperf: ---> <MAX> observation =   93.296\n"
        "sockperf: ---> percentile 50.000 =   11.500\nsockperf: ---> <MIN> observation =    8.123\n"
    )
    (run,) = read(text).runs
    assert run.status is RunStatus.COMPLETE
    assert [measurement.value for measurement in run.measurements] == [12.345, 93.296, 11.5, 8.123]


def test_the_summary_of_sockperf_counts_where_its_average_was_left_out() -> None:
    version = "sockperf: == version #3.7-no.git ==\n"
    average = "sockperf: ====> avg-latency=7.926 (std-dev=21.273)\n"
    summary = "sockperf: Summary: Latency is 7,926 usec\n"
    for text, values in ((version + summary, [7.926]), (version + average + summary, [7.926, 21.273])):
        assert [measurement.value for run in read(text).runs for measurement in run.measurements] == values


def test_a_list_of_packages_is_no_report() -> None:
    with pytest.raises(Refusal):
        read('{"nvbandwidth": {"version": "0.8"}, "osu": {"version": "7.3"}}\n')


def test_a_masked_table_is_not_complete() -> None:
    text = "# OSU MPI Bandwidth Test v7.3\n# Size  Bandwidth (MB/s)\n1  XXX.XX\n4194304  XXX.XX\n"
    assert [run.status for run in read(text).runs] == [RunStatus.TRUNCATED]


@pytest.mark.parametrize("log", [log for log in LOGS if log.suffix == ".txt"], ids=lambda log: log.name)
def test_a_number_with_a_comma_is_never_a_wrong_number(log) -> None:  # type: ignore[no-untyped-def]
    """One row in another form must not change the values of the others, nor give a value that was not printed."""
    text = log.read_text()
    expected = {(m.metric, m.value) for run in read(text).runs for m in run.measurements}
    lines = text.split("\n")
    numbered = [index for index, line in enumerate(lines) if "." in line]
    if not numbered:
        return
    index = numbered[-1]
    lines[index] = lines[index].replace(".", ",")
    try:
        runs = read("\n".join(lines)).runs
    except Refusal:
        return
    values = {(m.metric, m.value) for run in runs for m in run.measurements if m.metric is not Metric.MESSAGES}
    assert values <= expected


def test_iperf_2_without_intervals_has_one_line_for_its_whole_run() -> None:
    """Form of the logs of yjjieqc/ovs, testlog/th-th: iperf -c HOST -t 30 without -i."""
    report = (
        "Client connecting to 10.0.0.2, TCP port 5001\nTCP window size: 85.0 KByte (default)\n"
        "[  3] local 10.0.0.1 port 34000 connected with 10.0.0.2 port 5001\n"
        "[ ID] Interval       Transfer     Bandwidth\n"
    )
    (run,) = read(f"{report}[  3]  0.0-30.0 sec  18.0 GBytes  5.15 Gbits/sec\n").runs
    assert run.status is RunStatus.COMPLETE
    assert [(m.value, m.label) for m in run.measurements] == [(18.0, "stream 3"), (5.15, "stream 3")]
    for first in ("0.0- 1.0", "0.0-10.0"):  # an interval of -i 1; the first of two of -i 10
        second = "[  3] 10.0-20.0 sec  600 MBytes  5.03 Gbits/sec\n" if first == "0.0-10.0" else ""
        (run,) = read(f"{report}[  3]  {first} sec  600 MBytes  5.03 Gbits/sec\n{second}").runs
        assert run.status is RunStatus.TRUNCATED
        assert all("interval" in (m.label or "") for m in run.measurements)


def test_sockperf_as_web_pages_show_it() -> None:
    """Forms of Mellanox/sockperf issue 172 and pull request 73: <MAX> without its brackets, emphasis, a remark."""
    (run,) = read(
        "  sockperf: Total 5000 observations; each percentile contains 50.00 observations\n"
        "  sockperf: ---> MAX observation =   **42.5**\n"
        "  sockperf: ---> percentile 99.999 =    7.5  <=== new\n"
        "  sockperf: ---> percentile 50.000 =    1.75\n"
        "  sockperf: ---> MIN observation =    1.5\n"
    ).runs
    assert run.status is RunStatus.COMPLETE
    assert [(m.metric, m.value) for m in run.measurements] == [
        (Metric.LATENCY_MAX, 42.5),
        (Metric.LATENCY_PERCENTILE, 7.5),
        (Metric.LATENCY_P50, 1.75),
        (Metric.LATENCY_MIN, 1.5),
    ]
    (run,) = read("sockperf: Summary: Round trip is 18.5 usec\n").runs
    assert (run.parameters.round_trip, [m.value for m in run.measurements]) == (True, [18.5])


def test_dashes_of_a_page_stand_between_the_times_of_iperf3() -> None:
    """Blog pages turn the hyphens of a pasted report into dashes and its blanks into single ones."""
    text = (
        "Connecting to host 10.0.3.105, port 5201\n[ 4] local 10.0.3.71 port 47046 connected to 10.0.3.105 port 5201\n"
        "[ ID] Interval Transfer Bandwidth Retr Cwnd\n[ 4] 0.00–1.00 sec 585 MBytes 4.90 Gbits/sec 0 1.37 MBytes\n"
        "- — — — — — — — -\n[ ID] Interval Transfer Bandwidth Retr\n"
        "[ 4] 0.00–10.00 sec 5.78 GBytes 4.96 Gbits/sec 0 sender\n"
        "[ 4] 0.00–10.00 sec 5.78 GBytes 4.97 Gbits/sec receiver\n"
    )
    (run,) = read(text).runs
    rates = {measurement.label: measurement.value for measurement in run.measurements if measurement.unit == "Gb/s"}
    assert rates == {"stream 4 interval 0.00-1.00": 4.9, "stream 4 sender": 4.96, "stream 4 receiver": 4.97}
    assert run.status is RunStatus.END_UNKNOWN  # an interrupted client prints its summary too
    assert [run.status for run in read(text + "iperf Done.\n").runs] == [RunStatus.COMPLETE]


def test_a_table_with_masked_results_is_not_complete() -> None:
    """The numbers of wrong elements alone are no result (GoogleCloudPlatform/cluster-toolkit, nccl-tests README)."""
    head = "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
    row = " 268435456 4194304 float none -1 XXXXX XXX.XX XXX.XX N/A XXXXXX XXX.XX XXX.XX 0\n"
    (run,) = read(head + row + "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : XXX.XX\n").runs
    assert run.status is RunStatus.TRUNCATED


@pytest.mark.parametrize(
    ("text", "test", "error"),
    [
        ("CUDA DMA-BUF cannot be used without CUDA\n Parser function exited with Error\n", None,
         "CUDA DMA-BUF cannot be used without CUDA; Parser function exited with Error"),
        ("# ./ib_write_lat -d mlx5_0 --use_cuda=0\nPerftest supports CUDA latency tests with read/send verbs only\n",
         "ib_write_lat", "Perftest supports CUDA latency tests with read/send verbs only"),
    ],
)  # fmt: skip
def test_perftest_names_options_that_exclude_each_other(text: str, test: str | None, error: str) -> None:
    """perftest issues 276 and 336; src/perftest_parameters.c."""
    (run,) = read(text).runs
    assert (run.tool, run.test, run.status, run.error) == ("perftest", test, RunStatus.FAILED, error)


@pytest.mark.parametrize(
    ("line", "tuner", "plugins"),
    [
        ("[0] NCCL INFO Connected 1 MSCCL algorithms", "1 MSCCL algorithms", ()),
        ("NCCL INFO ... Successfully loaded tuner external plugin /opt/libnccl-tuner-small.so",
         "/opt/libnccl-tuner-small.so", ()),
        ("n1:1:2 [0] NCCL INFO Successfully loaded external tuner plugin libnccl-tuner.so", "libnccl-tuner.so", ()),
        ("n1:1:2 [0] NCCL INFO Successfully loaded external network plugin libnccl-net.so", None, ("libnccl-net.so",)),
        ("n1:1:2 [0] NCCL INFO GIN/Plugin: Loaded gin plugin Libfabric (v13)", None, ("Libfabric",)),
    ],
)  # fmt: skip
def test_one_line_about_a_plugin_is_a_communicator(line: str, tuner: str | None, plugins: tuple[str, ...]) -> None:
    """Forms: NVIDIA/nccl 2.28 src/plugin; microsoft/msccl src/init.cc; an elided line of a web page."""
    (communicator,) = read(line + "\n").communicators
    assert (communicator.tuner, communicator.plugins) == (tuner, plugins)


def test_a_row_of_sums_does_not_fill_a_missing_cell() -> None:
    """TransferBench src/client/Presets/AllToAll.hpp: STotal and Actual follow the columns of the GPUs."""
    head = "Summary: [64 bytes per Transfer] [GFX:8] [1 Read(s) 1 Write(s)]\nSRC\\DST  GPU 00  GPU 01  STotal  Actual\n"
    (run,) = read(head + "GPU 00  N/A  50.7  50.7  51.4\nGPU 01    N/A  51.1  51.1\n").runs
    assert [(measurement.value, measurement.label) for measurement in run.measurements] == [(50.7, "GPU0 -> GPU1")]


@pytest.mark.parametrize(
    ("text", "notice"),
    [
        ("# OSU MPI Latency Test v7.4\n# Size  Latency (us)\n1  x2.50\n2  2.50\n4194304  9.5\n",
         "log:3: found x2.50 in the row of 1 B; expected a number; the row is left out"),
        ("Now starting the main loop\n  0:  1 bytes  13604 times -->  Mbps in  30.53 usec\n"
         "  1:  2 bytes  3275 times -->  0.50 Mbps in  30.71 usec\n",
         "log:2: no result in the row '1 bytes  13604 times -->'; expected one; left out"),
    ],
)  # fmt: skip
def test_a_damaged_first_row_is_named_by_its_own_line(text: str, notice: str) -> None:
    assert str(read(text, "log").notices[0]) == notice


SWEEP = "# nThread 1 nGpus 1 minBytes 67108864 maxBytes 1073741824 step: 4(factor) warmup iters: 5 iters: 20\n"


@pytest.mark.parametrize("head", ["", SWEEP], ids=["no options", "options"])
@pytest.mark.parametrize("cells", range(2, 13))
def test_a_cut_row_is_reported_and_its_table_is_not_complete(head: str, cells: int) -> None:
    whole = head + table(2 * 7 / 8, "sum", -1)
    row = next(line for line in whole.splitlines() if line.startswith(" 268435456 "))
    assert read(whole).runs[0].status is RunStatus.COMPLETE
    report = read(whole.replace(row, " ".join(row.split()[:cells])), "log")
    assert report.runs[0].status is RunStatus.TRUNCATED
    assert f"found a row of {cells} cells; expected 13 cells; the row is left out" in str(report.notices[0])


@pytest.mark.parametrize("size", [1 << 26, 1 << 28, 1 << 30])
def test_a_size_of_the_sweep_without_a_row_is_reported(size: int) -> None:
    """The sizes are those of nccl-tests src/common.cu, TimeTest: from minBytes to maxBytes."""
    lines = (SWEEP + table(2 * 7 / 8, "sum", -1)).splitlines(keepends=True)
    report = read("".join(line for line in lines if not line.startswith(f" {size} ")))
    assert report.runs[0].status is RunStatus.TRUNCATED
    assert f"2 whole rows of 3 sizes; none of {size} B" in str(report.notices[0])


def test_a_sweep_ends_where_memory_ends() -> None:
    """Form: NVIDIA/nccl-tests issue 322; src/common.cu prints the line after the options."""
    reduced = "#\n# Reducing maxBytes to 1073741825 due to memory limitation\n"
    options = SWEEP.replace("1073741824", "17179869184")
    assert read(options + table(2 * 7 / 8, "sum", -1)).runs[0].status is RunStatus.TRUNCATED
    (run,) = read(options + reduced + table(2 * 7 / 8, "sum", -1)).runs
    assert (run.status, run.parameters.max_message_bytes) == (RunStatus.COMPLETE, 1073741825)
