"""``wirespeed bench parse`` on the command line."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from tests.benchmarks.tools.samples import SAMPLES

from command_line import wirespeed
from wirespeed.benchmarks.tools.reader import read

LOG = SAMPLES / "nccl_tests" / "srun-label-cut.txt"


def bench_parse(*arguments: str, stdin_data: bytes = b"") -> CompletedProcess[str]:
    """Run the command."""
    return wirespeed("bench", "parse", *arguments, columns=100, stdin_data=stdin_data)


def test_json_is_the_contract() -> None:
    ran = bench_parse("--format", "json", str(LOG))
    assert ran.returncode == 0
    body = json.loads(ran.stdout)
    assert (body["kind"], body["schema"], len(body["runs"])) == ("bench-runs", 3, 1)
    run = body["runs"][0]
    assert list(run) == [
        "tool",
        "test",
        "version",
        "status",
        "error",
        "ranks",
        "parameters",
        "measurements",
        "failures",
    ]
    assert (run["tool"], run["test"], run["status"], run["error"]) == ("rccl-tests", "alltoall", "truncated", None)
    assert run["measurements"][0] == {
        "metric": "time",
        "unit": "us",
        "value": 61.17,
        "size_bytes": 1024,
        "label": "out-of-place",
        "line": 12,
    }
    assert "srun-label-cut.txt:13: found a row of 10 cells" in ran.stderr


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_standard_input_in_any_encoding_a_shell_writes(encoding: str) -> None:
    ran = bench_parse("-f", "json", "-", stdin_data=LOG.read_text().encode(encoding))
    assert ran.stdout == bench_parse("-f", "json", str(LOG)).stdout


def test_the_same_log_gives_the_same_bytes() -> None:
    logs = [str(path) for path in sorted((SAMPLES / "iperf3").glob("*.json")) if path.name != "expected.json"]
    arguments = [sys.executable, "-m", "wirespeed", "bench", "parse", "-f", "json", *logs]
    process = subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=True)  # another process
    assert bench_parse("-f", "json", *logs).stdout == process.stdout


def test_the_table_shows_every_number() -> None:
    ran = bench_parse(str(SAMPLES / "perftest" / "ib_read_bw.client.txt"))
    assert ran.returncode == 0
    text = ran.stdout
    assert "perftest ib_read_bw  complete" in text
    assert "rdma_device=rocep1" in text
    assert text.splitlines()[-2].split() == ["25", "65536", "276.35", "203.66", "0.003259"]


def test_the_table_names_what_causes_a_failure() -> None:
    ran = bench_parse(str(SAMPLES / "perftest" / "err-nodev.txt"))
    assert ran.returncode == 0
    assert ran.stdout.splitlines()[:4] == [
        "perftest  failed",
        "  IB device nodev not found; Unable to find the Infiniband/RoCE device",
        "  likely causes, most likely first (`wirespeed explain ID`):",
        "    OS-17    RDMA devices have different names on some hosts",
    ]


@pytest.mark.parametrize(
    ("log", "heading", "row"),
    [
        (
            "mesh/down.txt",
            "mesh ping  complete, 4 of 16 pairs failed",
            "node2:bnxt_re2 -> node1:bnxt_re1 2 ping: bind: Cannot assign requested address; "
            "no route: Network is unreachable",
        ),
        ("mesh/down.txt", "mesh ping  complete, 4 of 16 pairs failed", "node1:bnxt_re1 0 enp105s0np0 via 10.1.0.22"),
        ("pair_matrix/gbps-and-latency.txt", "pair-matrix  complete, 1 of 12 pairs failed", "node4 -> node3 FAIL"),
    ],
)
def test_failed_pairs_are_counted_and_listed(log: str, heading: str, row: str) -> None:
    ran = wirespeed("bench", "parse", str(SAMPLES / log), columns=200)
    assert (ran.returncode, ran.stdout.splitlines()[0]) == (0, heading)
    assert row in " ".join(ran.stdout.split())


def test_times_are_printed_in_microseconds() -> None:
    ran = bench_parse(str(SAMPLES / "pair_matrix" / "gbps-and-latency.txt"))
    assert "µs" in ran.stdout
    assert " us\n" not in ran.stdout


def test_a_foreign_file_is_refused_and_the_others_are_read(tmp_path: Path) -> None:
    second_file = tmp_path / "notes.txt"
    second_file.write_text("nothing here\n")
    ran = bench_parse("-f", "json", str(second_file), str(LOG))
    assert ran.returncode == 2
    assert len(json.loads(ran.stdout)["runs"]) == 1
    assert f"error: {second_file}: found 1 line of other text, first 'nothing here'" in ran.stderr


def test_a_compressed_log_is_refused_with_the_command_that_reads_it(tmp_path: Path) -> None:
    packed = tmp_path / "a.log.gz"
    packed.write_bytes(gzip.compress(LOG.read_bytes()))
    ran = bench_parse(str(packed))
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == (
        f"error: {packed}: compressed with gzip\n  hint: `zcat {packed} | wirespeed bench parse -` reads it\n"
    )


def test_a_missing_file_is_refused() -> None:
    ran = bench_parse("no-such.log")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "no-such.log: no such file or directory" in ran.stderr


@pytest.mark.parametrize(
    ("lines", "blocks"),
    [
        (["NCCL WARN Call to ibv_modify_qp failed with error Invalid argument"], 1),
        (
            [
                "node1:12:13 [0] transport/net_ib.cc:1700 NCCL WARN NET/IB: Got completion from peer 10.1.0.2<4791>"
                " with status=12 opcode=0 len=0 vendor err 129 (Send) hca bnxt_re0"
            ],
            1,
        ),
        (["NCCL INFO Using network IB", "NCCL WARN Call to ibv_modify_qp failed with error Invalid argument"], 2),
    ],
)
def test_a_pasted_warning_is_printed_once(lines: list[str], blocks: int, tmp_path: Path) -> None:
    log = tmp_path / "pasted.log"
    log.write_text("\n".join(lines) + "\n")
    output = bench_parse(str(log)).stdout.replace("\n", " ")
    assert output.count(lines[-1].partition("WARN ")[2][:40]) == 1
    assert output.count("communicator  ") == blocks - 1


HOSTILE = "n1:1:2 [0] NCCL WARN NET/IB : Got \033\033[0m]52;c;ZXZpbA==\033\033[0m\\ \x7f\x9b31m\u202e with error 12\n"


@pytest.mark.parametrize("form", ["table", "json"])
def test_a_log_does_not_control_the_terminal(tmp_path: Path, form: str) -> None:
    """An escape sequence may remain when another one is removed from its middle."""
    log = tmp_path / "log"
    log.write_text(HOSTILE, encoding="utf-8")
    output = bench_parse(str(log), "--format", form).stdout
    assert "with error 12" in output
    assert all(character.isprintable() or character == "\n" for character in output)


def test_the_device_list_of_a_mixed_fabric_is_a_cause(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(
        "n1:1:2 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_bond_0:1/RoCE [RO]; OOB eth0:10.0.0.1<0>\n"
        "n1:1:2 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer 10.0.0.2<33397> with "
        "status=12 opcode=0 len=0 vendor err 129 (Recv)\n"
    )
    (run,) = read(log.read_text(), "log").runs
    assert run.failures[0] == "NCCL-02"


def test_a_last_row_may_end_in_its_retransmits() -> None:
    """A server of iperf3 before 3.1 prints its total without the word sender (github.com/esnet/iperf/issues/71)."""
    text = (
        "Connecting to host h, port 5201\n"
        "[ ID] Interval           Transfer     Bandwidth       Retr\n"
        "[  4]   0.00-10.00  sec  10.8 GBytes  9.30 Gbits/sec  1245\n"
    )
    (run,) = read(text, "log").runs
    assert [(row.metric.value, row.value) for row in run.measurements] == [
        ("transfer", 10.8),
        ("bitrate", 9.3),
        ("retransmits", 1245),
    ]
