"""Output as people and programs pass it on: with masks, prefixes and encodings, and lines that run together.

Forms from public text: sockperf in firecracker's measurements (``[OUTPUT] ``), NVIDIA/nccl issue 2013 (masked process
numbers), archives of mailing lists (RFC 2045), esnet/iperf issue 725 (negative counts).
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from wirespeed.benchmarks import parse, read
from wirespeed.benchmarks.logs.quoted_printable import decode_quoted_printable
from wirespeed.benchmarks.logs.wrapped_lines import unwrap_lines
from wirespeed.results.benchmarks import Metric, RunStatus

SOCKPERF = """sockperf: [Total Run] RunTime=1.000 sec; Warm up time=400 msec; SentMessages=215; ReceivedMessages=214
sockperf: ========= Printing statistics for Server No: 0
sockperf: [Valid Duration] RunTime=0.550 sec; SentMessages=121; ReceivedMessages=121
sockperf: ====> avg-latency=4943.790 (std-dev=2.401)
sockperf: # dropped messages = 0; # duplicated messages = 0; # out-of-order messages = 0
sockperf: Total 121 observations; each percentile contains 1.21 observations
sockperf: ---> <MAX> observation = 5077.121
sockperf: ---> percentile 99.000 =   30.100
sockperf: ---> <MIN> observation =   18.000
"""


def list_values(text):
    (run,) = parse(text)
    assert run.status is RunStatus.COMPLETE
    return [(row.metric, row.value, row.label) for row in run.measurements]


def encode(text):
    """Quoted-printable, lines of at most 72 characters."""
    lines = []
    for line in text.replace("=", "=3D").split("\n"):
        while len(line) > 72:
            cut = 70 if "=" in line[70:72] else 72
            lines.append(f"{line[:cut]}=")
            line = line[cut:]
        lines.append(line)
    return "\n".join(lines)


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"[OUTPUT] {line}\n" for line in SOCKPERF.splitlines()),
        "".join(f"pod/client-7f {line}\n" for line in SOCKPERF.splitlines()),
        "".join(f"pod/client-7f: {line}\n" for line in SOCKPERF.splitlines()),
        SOCKPERF.replace("RunTime=1.000", "RunTime=1,000").replace("4943.790", "4943,790").replace("30.100", "30,100"),
        "".join(f"{number:6}\t{line}\n" for number, line in enumerate(SOCKPERF.splitlines(), 1)),
        "".join(f"{number}:{line}\n" for number, line in enumerate(SOCKPERF.splitlines(), 40)),
        "".join(f"out/server.log:{number}:{line}\n" for number, line in enumerate(SOCKPERF.splitlines(), 1)),
        "".join(f'time=2026-01-31T00:00:00Z level=info msg="{line}" pod=a\n' for line in SOCKPERF.splitlines()),
        encode(SOCKPERF),
        f"From: a@example.org\nContent-Type: text/plain; charset=utf-8\n\n{encode(SOCKPERF)}",
    ],
    ids=[
        *("output", "pod", "pod-colon", "decimal-comma", "cat -n", "grep -n", "grep -Hn", "logfmt"),
        *("quoted-printable", "mail"),
    ],
)
def test_the_values_of_sockperf_stay(text):
    assert list_values(text) == list_values(SOCKPERF)


OSU = "# OSU MPI Bandwidth Test v5.8\n# Size      Bandwidth (MB/s)\n1   2.85\n2   5.70\n4   11.37\n"


@pytest.mark.parametrize("document", [{"data": {"data": OSU.splitlines()}, "tags": ["a b", "c"]}, OSU.splitlines()])
def test_a_list_of_lines_is_read(document):
    (run,) = parse(json.dumps(document, indent=4))
    assert [(row.size_bytes, row.value) for row in run.measurements] == [(1, 2.85), (2, 5.7), (4, 11.37)]


def number_lines(form, blank=None, text=None, first=1):
    """The lines with a number each; ``blank``: what a form prints for a blank line, which it does not count."""
    numbered, number = [], first - 1
    for line in (text or TABLE).splitlines():
        is_counted = bool(line) or blank is None
        number += is_counted
        numbered.append(form.format(number, line) if is_counted else blank)
    return "\n".join(numbered) + "\n"


TABLE = f"$ mpirun -np 2 ./osu_bw\n\n{OSU}"


@pytest.mark.parametrize(
    "text",
    [
        # GNU coreutils manual: cat -n, cat -b, nl; printed by coreutils 9
        number_lines("{:6}\t{}"),
        number_lines("{:6}\t{}", blank=""),
        number_lines("{:6}\t{}", blank=" " * 7),
        number_lines("{:6}\t{}", first=999_998),
        number_lines("{:5}\t{}"),  # pr -n
        # GNU grep manual: -n, -Hn, -T; without the lines that do not match; with context and groups
        number_lines("{}:{}"),
        number_lines("osu.log:{}:{}"),
        number_lines("out/osu-2.log:{}:{}", first=4711),
        number_lines("{:3}:\t{}"),
        number_lines("osu.log:{:3}:\t{}"),
        number_lines("{}:{}").replace("2:\n", ""),
        number_lines("osu.log:{}:{}").replace("osu.log:2:\n", ""),
        number_lines("{}:{}").replace("1:$", "1-$").replace("2:\n", "--\n").replace("6:2", "6-2"),
        number_lines("osu.log:{}:{}").replace("osu.log:1:$", "osu.log-1-$").replace("osu.log:2:\n", "--\n"),
        # logfmt: github.com/kr/logfmt, Go's log/slog (TextHandler), logrus, go-kit; the order of keys is free
        *(
            "".join(f"{form.format(line)}\n" for line in TABLE.splitlines())
            for form in (
                'time=2022-11-08T15:28:26.000-05:00 level=INFO msg="{}" count=3',
                'time="2026-01-31T00:00:00Z" level=info msg="{}" pod=a',
                'level=info ts=2026-01-31T00:00:00Z caller=main.go:12 msg="{}"',
                'pod=bench-7f container=osu msg="{}"',
                'timestamp=2026-01-31T00:00:00Z severity=info message="{}"',
                'msg="{}" level=info',
            )
        ),
    ],
)
def test_numbered_lines_and_logfmt_are_read(text):
    (run,) = parse(text)
    assert [(row.size_bytes, row.value) for row in run.measurements] == [(1, 2.85), (2, 5.7), (4, 11.37)]
    assert run.version == "5.8"


@pytest.mark.parametrize(
    "text",
    [
        "1\t2.85\n2\t5.70\n4\t11.37\n",  # sizes before a tab, without the width of cat -n
        "12:00:01 a\n12:00:02 b\n12:00:03 c\n",
        "2026-01-31 a\n2026-01-31 b\n2026-01-31 c\n",
        "3:a\n2:b\n1:c\n",
        "node1:100:120 [0] NCCL INFO a\nnode1:101:120 [1] NCCL INFO b\nnode1:102:120 [2] NCCL INFO c\n",
        'failed with msg="a" twice\nand msg="b"\n',
    ],
)
def test_other_lines_stay(text):
    assert unwrap_lines(text) == text


def test_numbers_that_are_no_line_numbers_stay():
    """Processes of NCCL with consecutive numbers, and rows of a table whose first cells are."""
    debug = "".join(f"node1:{process}:{process + 9} [0] NCCL INFO Using network IB\n" for process in (100, 101, 102))
    rows = "".join(f"{size}\t{size}.5\n" for size in (1, 2, 4))
    for text in (debug, rows, "1:a\n2:b\n"):
        assert unwrap_lines(text) == text


def test_every_decimal_comma_of_sockperf_is_read():
    text = "\n".join(
        line.replace(".", ",") if "1.21 observations" not in line else line
        for line in SOCKPERF.replace("2.401)", "2.401, 99.0% ci=[4943.5, 4944.1])").split("\n")
    )
    (run,) = parse(text)
    assert [(row.metric, row.value) for row in run.measurements if row.unit == "us"] == [
        (Metric.LATENCY_AVG, 4943.79),
        (Metric.LATENCY_STDEV, 2.401),
        (Metric.LATENCY_MAX, 5077.121),
        (Metric.LATENCY_P99, 30.1),
        (Metric.LATENCY_MIN, 18.0),
    ]


def test_a_count_with_a_comma_is_left_out():
    reading = read(f"{SOCKPERF}sockperf: Summary: Message Rate is 12,345 [msg/sec]\n")
    assert [notice.found for notice in reading.notices] == ["'12,345'"]


@pytest.mark.parametrize(
    "text",
    ["NCCL_IB_HCA=3Dx\nNCCL_DEBUG=INFO\na=b\n", "RunTime=1.000 sec; SentMessages=3\n", "", "a=\nb=3\n"],
)
def test_other_text_is_not_decoded(text):
    assert decode_quoted_printable(text) == text


def test_decoded_lines_keep_their_numbers():
    assert decode_quoted_printable("a=3D1 b=\nc\nd =E2=86=92 e\n") == "a=1 bc\n\nd → e\n"


IPERF3 = """Connecting to host 10.0.0.1, port 5201
[  5] local 10.0.0.2 port 50000 connected to 10.0.0.1 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec   100 MBytes   839 Mbits/sec  4294967294   1.00 MBytes
[  5]   1.00-2.00   sec   100 MBytes   839 Mbits/sec    7   1.00 MBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-2.00   sec   200 MBytes   839 Mbits/sec  4294967294             sender
[  5]   0.00-2.04   sec   199 MBytes   820 Mbits/sec                  receiver

iperf Done.
"""


def test_a_negative_count_of_retransmits_is_no_value():
    reading = read(IPERF3)
    (run,) = reading.runs
    assert [row.value for row in run.measurements if row.metric is Metric.RETRANSMITS] == [7]
    assert [row.value for row in run.measurements if row.metric is Metric.CONGESTION_WINDOW] == [1.0, 1.0]
    assert [str(notice) for notice in reading.notices] == [
        f"text:{line}: found 4294967294 retransmits; expected a count of retransmits; left out: iperf3 prints a "
        "negative number so (esnet/iperf issue 725)"
        for line in (4, 8)
    ]


@pytest.mark.parametrize(("count", "values"), [(-1, []), (4294967294, []), (12, [12])])
def test_a_negative_count_in_json_is_no_value(count, values):
    stream = {"socket": 5, "start": 0, "end": 1.0, "seconds": 1.0, "bytes": 1e8, "bits_per_second": 8e8}
    document = {
        "start": {"version": "iperf 3.1", "test_start": {"protocol": "TCP", "num_streams": 1}},
        "intervals": [],
        "end": {"streams": [{"sender": {**stream, "retransmits": count}}]},
    }
    reading = read(json.dumps(document, indent=1))
    assert [row.value for row in reading.runs[0].measurements if row.metric is Metric.RETRANSMITS] == values
    assert [notice.found for notice in reading.notices] == ([] if values else [f"{count} retransmits"])


@pytest.mark.parametrize(
    "process",
    ["XXXXXX", "XXXX:XXXX", "XXXX:YYYY", "xxx:yyy", "PID:TID", "<pid>:<tid>", "****:****", "####", "12:13"],
)
def test_masked_process_numbers(process):
    text = (
        f"host:{process} [5] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB/SHARP [RO]; OOB eth0:10.0.0.1<0>\n"
        f"host:{process} [5] NCCL WARN Call to ibv_modify_qp failed with error Invalid argument\n"
    )
    reading = read(text)
    (communicator,) = reading.communicators
    assert communicator.hosts == ("host",)
    assert [(nic.name, nic.link, nic.sharp) for nic in communicator.nics] == [("mlx5_0", "IB", True)]
    assert reading.runs[0].failures == ("NIC-05", "OS-07")


def test_a_host_that_touches_the_text_before_it_is_found():
    text = (
        "n1:10:20 [0] NCCL INFO Using network IBn1:11:21 [1] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE ; OOB e:1<0>\n"
        "n1:10:20 [0] NCCL INFO Using network IBn1:11:21 [1] NCCL WARN Call to ibv_reg_mr failed\n"
    )
    (communicator,) = read(text).communicators
    assert (communicator.hosts, communicator.network) == (("n1",), "IB")
    assert [nic.name for nic in communicator.nics] == ["mlx5_0"]
    assert [warning.text for warning in communicator.warnings] == ["Call to ibv_reg_mr failed"]


def test_the_name_of_the_library_in_a_message_starts_no_line():
    text = (
        "n1:10:20 [0] NCCL INFO Using network IB\n"
        "n1:10:20 [0] NCCL INFO NET/IB: NCCL Dev 0 IbDev 0 Port 1 qpn 512 mtu 5 query_ece={}, GID 3 (0/FF), fifo 1\n"
    )
    (communicator,) = read(text).communicators
    assert communicator.gid_indices == (3,)


def test_a_tag_before_every_part_of_a_row_is_no_value():
    """Two p5.48xlarge, KeitaW/p5-nccl-test-2024-07-19: Open MPI tags each part that nccl-tests writes."""
    results = "time   algbw   busbw #wrong"
    head = f"#       size         count      type   redop    root     {results}     {results}"
    row = "8 2 float sum -1{tag}    85.70    0.00    0.00      0{tag}    74.97    0.00    0.00      0"
    texts = [
        "".join(f"{prefix}{line}\n" for line in (head, row.format(tag=prefix), "# Avg bus bandwidth    : 1.5"))
        for prefix in ("", "[1,0]<stdout>:", "[1,0]<stdout>: ")
    ]
    plain, *tagged = (read(text) for text in texts)
    for reading in tagged:
        assert reading.notices == ()
        assert reading.runs[0].parameters.root_rank == plain.runs[0].parameters.root_rank == -1
        assert reading.runs[0].measurements == plain.runs[0].measurements


@pytest.mark.parametrize(("root", "expected"), [("-1", -1), ("3", 3), ("--0", None), ("9" * 5000, None)])
def test_a_root_in_the_json_report(root: str, expected: int | None):
    text = (Path(__file__).parents[2] / "samples" / "nccl_tests" / "report.json").read_text()
    (run,) = read(re.sub(r'"root": *"[^"]*"', f'"root": "{root}"', text)).runs
    assert run.parameters.root_rank == expected


PLAIN_TABLE = (Path(__file__).parents[2] / "samples" / "nccl_tests" / "all-reduce-2-nodes.txt").read_text()


def test_a_log_of_docker_build_is_read():
    """Step and seconds before each line, as in moby/moby issue 45453."""
    built = "".join(
        f"#12 3.{number % 1000:03}{line and f' {line}'}\n" for number, line in enumerate(PLAIN_TABLE.split("\n"))
    )
    (run,), (built_run,) = read(PLAIN_TABLE).runs, read(built).runs
    assert (built_run.status, built_run.ranks, len(built_run.measurements)) == (
        run.status,
        run.ranks,
        len(run.measurements),
    )


def test_a_text_in_json_ends_with_its_quote():
    """The file has no newline at its end, and the last row is whole."""
    table = PLAIN_TABLE.replace("3 FAILED", "0 OK").rstrip("#\n")
    (plain,), (run,) = (read(text).runs for text in (f"{table}\n", json.dumps({"results": [{"output": table}]})))
    assert (plain.status, run.status) == (RunStatus.COMPLETE, RunStatus.COMPLETE)
    assert [row.value for row in run.measurements] == [row.value for row in plain.measurements]


def test_a_result_of_qperf_with_two_separators_is_noted():
    reading = read("tcp_bw:\n    bw  =  12.276,5 MB/sec\n")
    assert [str(notice) for notice in reading.notices] == [
        "text:2: found '12.276,5 MB/sec'; expected a number with a decimal point; left out"
    ]
    assert reading.runs[0].parameters.other_settings == {}


OLD_TABLE = """\
mpirun -np 2 ./all_reduce_perf -b 8M -e 8M -g 8 && mpirun -np 2 ./all_gather_perf -b 8M -e 8M -g 4
node1:12:15 [0] misc/ibvwrap.cu:70 WARN Failed to open libibverbs.so
#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error
#        (B)    (elements)                     (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
     8388608       2097152   float     sum    100.0   83.89  157.29  {error}    100.0   83.89  157.29  1e-06
# Avg bus bandwidth    : 157.29
#
./all_gather_perf -g 8
# nThread 1 nGpus 8 minBytes 8388608 maxBytes 8388608 step: 2(factor) warmup iters: 5 iters: 20 validation: 1
#
node1: Test NCCL failure all_gather.cu:77 'unhandled system error'
"""


@pytest.mark.parametrize(
    ("error", "status", "notices"),
    [
        ("1e-06", RunStatus.COMPLETE, 0),
        ("inf", RunStatus.FAILED, 0),  # above every tolerance
        ("nan", RunStatus.COMPLETE, 1),  # no comparison holds for it
    ],
)
def test_several_jobs_of_an_old_release_in_one_log(error: str, status: RunStatus, notices: int):
    """The workers are those of the command itself, and a warning before a table is not of a later job."""
    reading = read(OLD_TABLE.format(error=error))
    reduced, gathered = reading.runs
    assert (reduced.ranks, reduced.status, len(reading.notices)) == (16, status, notices)
    assert gathered.test == "all_gather"
    assert gathered.error == "node1: Test NCCL failure all_gather.cu:77 'unhandled system error'"


def test_a_failure_after_the_next_command_is_of_the_next_job():
    """The table of the first job ends with its average."""
    lines = OLD_TABLE.format(error="1e-06").split("\n")
    reduced, gathered = read("\n".join(lines[:6] + lines[7:8] + lines[-2:])).runs
    assert (reduced.test, reduced.status, reduced.error) == ("all_reduce", RunStatus.COMPLETE, None)
    assert (gathered.test, gathered.status) == ("all_gather", RunStatus.FAILED)


def test_a_matrix_in_a_comment_is_read():
    """A script that checks GPUs contains the matrices it expects, as comments: four P100 of a POWER8 host."""
    text = (
        "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n"
        "   D\\D     0      1 \n     0 507.22  35.35 \n     1  35.33 509.12 \n"
    )
    comment = "".join(f"#{line}\n" for line in text.splitlines())
    assert list_values(comment) == list_values(text)
    assert [value for _, value, _ in list_values(text)] == [507.22, 35.35, 35.33, 509.12]


def test_a_column_line_without_its_second_mark_is_read():
    """openucx/ucx issue 8852."""
    reading = read(
        "                    RDMA_Read BW Test\n"
        " #bytes     iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
        " 2          1000             4.86               4.67               2.450225\n"
    )
    (run,) = reading.runs
    assert reading.notices == ()
    assert [row.value for row in run.measurements] == [4.86, 4.67, 2.450225]


@pytest.mark.parametrize(("second", "test"), [("ib_send_bw", "ib_send_bw"), ("ib_read_bw", None)])
def test_tables_below_their_command_lines_have_the_test_of_all(second, test):
    """linux-rdma/perftest issue 65 lists the commands of two tables before both."""
    columns = "#bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
    table = f"{columns}1024 1000 0.00 920.13 0.942218\n"
    commands = f" Case1:numactl -C 64 ib_send_bw -d mlx5_0 -a\n Case2:numactl -C 64 {second} -d mlx5_0\n"
    assert [run.test for run in parse(f"{commands}\nCase1 data:\n{table}\nCase2 data:\n{table}")][1] == test


UCX_HEAD = """\
+--------------+--------------+------------------------------+---------------------+-----------------------+
|              |              |       overhead (usec)        |   bandwidth (MB/s)  |  message rate (msg/s) |
"""
UCX_ROWS = """\
+--------------+--------------+----------+---------+---------+----------+----------+-----------+-----------+
|    Stage     | # iterations | 50.0%ile | average | overall |  average |  overall |  average  |  overall  |
+--------------+--------------+----------+---------+---------+----------+----------+-----------+-----------+
Final:                  1000      0.240  1675.942  1671.351    46615.58   46743.62         597         598
"""


def test_headings_of_a_script_name_the_tests_of_ucx_perftest():
    """openucx/ucx issue 10649, whose last table is cut in its head."""
    first, second = "=" * 40 + " tag_bw " + "=" * 40 + "\n", "=" * 40 + " tag_sync_bw " + "=" * 40 + "\n"
    runs = parse(f"{first}{UCX_HEAD}{UCX_ROWS}\n{second}{UCX_HEAD}")
    assert [(run.test, run.status) for run in runs] == [
        ("tag_bw", RunStatus.COMPLETE),
        ("tag_sync_bw", RunStatus.TRUNCATED),
    ]


def test_rows_of_several_cpus_have_names_of_their_own():
    """microsoft/superbenchmark pull request 669."""
    (run,) = parse(
        "nvbandwidth Version: v0.6\nRunning host_to_device_memcpy_ce.\n"
        "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\n        0         1\n0    337.55    214.4\n"
        "1    214.4    337.55\n\nSUM host_to_device_memcpy_ce 337.55\n"
    )
    assert [row.label for row in run.measurements] == ["CPU -> GPU0", "CPU -> GPU1", "CPU1 -> GPU0", "CPU1 -> GPU1"]


NCCL_OPTIONS = (
    "# nThread 1 nGpus 1 minBytes 32 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 validation: 1\n#\n"
    "# Using devices\n"
)
NCCL_COLUMNS = (
    "#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error\n"
)


def list_ranks(hosts, *, is_numbered=True):
    return "".join(
        f"#   Rank {number if is_numbered else 0:2} Pid {1820 + number} on {host} device {number:2} [0x00] A100\n"
        for number, host in enumerate(hosts)
    )


@pytest.mark.parametrize(
    ("command", "columns", "ranks", "hosts"),
    [
        ("mpirun -np 2", NCCL_COLUMNS, 2, "node1"),
        ("", NCCL_COLUMNS, 2, "node1"),
        ("mpirun -np 8", NCCL_COLUMNS, 8, None),  # NVIDIA/nccl issue 583: the list is cut
        ("", "", None, None),
    ],
)
@pytest.mark.parametrize("mark", ["#", " "])
def test_the_ranks_of_a_log_without_rows(command, columns, ranks, hosts, mark):
    text = f"{command} all_reduce_perf -b 32\n{NCCL_OPTIONS}{list_ranks(['node1', 'node1'])}{columns}"
    (run,) = parse(text.replace("#", mark))
    assert (run.ranks, run.parameters.host_names) == (ranks, hosts)


@pytest.mark.parametrize(
    ("command", "ranks"),
    [
        ("mpirun.mpich -np 16 -env LD_LIBRARY_PATH=/opt/lib ./build/all_reduce_perf -b 8 -g 1 -n 50", 16),
        ("mpirun -np 2 ./all_reduce_perf --ngpus 4", 8),
        ("mpirun -np 2 ./all_reduce_perf -t2 -g 4", 16),
        ("./all_reduce_perf -g 8", None),  # a launcher may start it
    ],
)
def test_the_command_above_a_table_states_the_ranks(command, ranks):
    """ROCm/rccl pull request 929; nccl-tests src/common.cu: the options of a process, each 1 by default."""
    (run,) = parse(f"{command}\n{NCCL_COLUMNS} 8 2 float sum 25.06 0.00 0.00 4e-07 25.95 0.00 0.00 4e-07\n")
    assert run.ranks == ranks


def test_the_sum_names_the_test_of_a_matrix():
    """NVIDIA/nvbandwidth issue 50: the lines above the matrix were left out."""
    (run,) = parse(
        "nvbandwidth Version: v0.8\n...\nmemcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n           0         1\n"
        " 0       N/A     26.30\n 1     26.31       N/A\n\nSUM device_to_device_memcpy_read_ce 52.61\n"
    )
    assert (run.test, run.status) == ("device_to_device_memcpy_read_ce", RunStatus.COMPLETE)


@pytest.mark.parametrize(
    ("options", "memory", "size"),
    [
        ("-t tag_bw -m cuda -s $((2 * 1024 * 1024)) -n 1000", ("cuda", "cuda"), 2 << 20),
        ("-t tag_bw -m host,rocm -s 4096", ("host", "rocm"), 4096),
        ("-t tag_bw -s $((SIZE * 2))", (None, None), None),
    ],
)
def test_the_command_of_ucx_perftest_states_memory_and_size(options, memory, size):
    """openucx/ucx issue 10649; src/tools/perf/perftest_params.c."""
    (run,) = parse(
        f"$ ucx_perftest node2 {options}\n"
        "|    Stage     | # iterations | 50.0%ile | average | overall |  average |  overall |  average  |  overall  |\n"
        "Final:                  1000    201.600   253.400   253.400    15700.00   15700.00        3900        3900\n"
    )
    assert (run.parameters.send_memory, run.parameters.receive_memory) == memory
    assert {row.size_bytes for row in run.measurements} == {size}


def test_two_processes_with_rank_0_were_built_without_mpi():
    """NVIDIA/nccl-tests issue 107."""
    reading = read(NCCL_OPTIONS * 2 + list_ranks(["node1", "node2"], is_numbered=False) + NCCL_COLUMNS)
    (run,), (notice,) = reading.runs, reading.notices
    assert (run.ranks, run.parameters.host_names) == (None, "node1,node2")
    assert notice.found == "2 processes name rank 0: nccl-tests was built without MPI; build it with MPI=1"
