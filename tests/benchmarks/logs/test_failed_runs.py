"""Notes on failed runs: whether the values can be used, and where the cause is."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from wirespeed.benchmarks import parse
from wirespeed.benchmarks.logs.failed_runs import list_notes
from wirespeed.cli.app import app
from wirespeed.results.benchmarks import RunStatus

SAMPLES = Path(__file__).parents[2] / "samples"
OTHER_END = "read the log of the other end: its first error is the cause; without a log, start it first"
USABLE = "the values are usable: perftest prints a row after all its iterations, and the error came later"


@pytest.mark.parametrize(
    ("sample", "notes"),
    [
        ("perftest/ib_send_bw.client.txt", (OTHER_END, USABLE)),
        ("perftest/ib_write_bw_gbits_D5.server.txt", (OTHER_END,)),
        ("perftest/uml-ib_write_bw_R_tos.client.txt", (OTHER_END,)),
        ("perftest/err-nodev.txt", ()),
        ("perftest/ib_write_bw_a.client.txt", ()),  # complete
        ("nccl_tests/failure.txt", ()),
    ],
)
def test_notes(sample, notes):
    assert list_notes(parse((SAMPLES / sample).read_text(encoding="utf-8"))[0]) == notes


def test_an_error_without_a_known_cause_is_noted():
    """Local protection error of buffers in host memory: the known causes concern GPU memory."""
    text = (
        "gpu01:4711:4790 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0\n"
        "gpu01:4711:4790 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer 10.0.0.5<33397> with "
        "status=4 opcode=32611 len=32611 vendor err 81 (Send)\n"
    )
    (run,) = parse(text)
    assert list_notes(run) == ("no cause of this error is known",)


@pytest.mark.parametrize(("status", "is_noted"), [(5, True), (12, False)])
def test_flushed_work_follows_another_error(status: int, is_noted: bool):
    text = (
        "gpu01:4711:4790 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer 10.0.0.5<33397> with "
        f"status={status} opcode=0 len=0 vendor err 249 (Recv)\n"
    )
    notes = list_notes(parse(text)[0])
    assert [note.startswith("status 5 follows another error") for note in notes] == [True] * is_noted


NCCL_HEADER = """\
# nThread 1 nGpus 1 minBytes 8 maxBytes 32 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid   4100 on      node1 device  0 [0x07] AMD Instinct MI300X
#  Rank  1 Group  0 Pid   4100 on      node2 device  0 [0x07] AMD Instinct MI300X
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
"""
NCCL_ROW = "  8  2  float  sum  -1  29.20  0.00  0.00  0  28.90  0.00  0.00  0\n"
COMPLETION = (
    "node1:4100:4160 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer 10.1.0.17<51234> with "
    "status=12 opcode=0 len=0 vendor err 129 (Recv) localGid ::ffff:10.1.0.3 remoteGids::ffff:10.1.0.17\n"
)
OSU = "# OSU MPI Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)\n1           1.23\n2           2.45\n"
RETRIES = (
    "[node1:4100:0:4100] ib_mlx5_log.c:171 Transport retry count exceeded on mlx5_0:1/RoCE (synd 0x15 vend 0x81)\n"
)
WARNING = (
    "[1700000000.1] [node1:4100:0] ib_md.c:1184 UCX WARN  IB: ibv_fork_init() was disabled or failed, yet a fork()\n"
)
HELP_COUNT = "[node1:04100] 1 more process has sent help message help-mpi-btl-openib.txt / error in device init\n"


@pytest.mark.parametrize(
    ("text", "status", "failures"),
    [
        (NCCL_HEADER, RunStatus.TRUNCATED, ""),
        (NCCL_HEADER + COMPLETION, RunStatus.FAILED, "NIC-05 SW-01 OS-05 RT-10 OS-04 OS-06 NIC-15"),
        (NCCL_HEADER + NCCL_ROW + COMPLETION, RunStatus.FAILED, "CAB-01 SW-02 CAB-02 NIC-17 SW-06"),
        (NCCL_HEADER + COMPLETION + NCCL_ROW, RunStatus.TRUNCATED, ""),  # the run went on
        (
            NCCL_HEADER + "node1:4100:4160 [0] misc/socket.cc:483 NCCL WARN socketStartConnect: Connect to "
            "10.1.0.7<45231> failed : Software caused connection abort\n",
            RunStatus.FAILED,
            "OS-14 OS-06 RT-10",
        ),
        (
            NCCL_HEADER + "node1:4100:4160 [0] transport/net_ib.cc:90 NCCL WARN NET/IB : bnxt_re0:1 Got "
            "non-fatal async event: port error(10)\n",
            RunStatus.TRUNCATED,
            "",
        ),
        (OSU, RunStatus.END_UNKNOWN, ""),
        (OSU + RETRIES, RunStatus.FAILED, "MPI-03 CAB-01 SW-02 CAB-02 NIC-17 SW-06"),
        (
            f"{OSU}{RETRIES}==== backtrace (tid:   4100) ====\n 0  libucs.so.0(ucs_handle_error+0x2e4)\n",
            RunStatus.FAILED,
            "MPI-03 CAB-01 SW-02 CAB-02 NIC-17 SW-06",
        ),
        (OSU + WARNING, RunStatus.END_UNKNOWN, ""),
        (OSU + HELP_COUNT, RunStatus.END_UNKNOWN, ""),
    ],
)  # fmt: skip
def test_an_error_after_the_values_of_a_run_without_an_end(text, status, failures):
    (run,) = parse(text)
    assert (run.status, " ".join(run.failures)) == (status, failures)


@pytest.mark.parametrize(("text", "code"), [(NCCL_HEADER, 3), (NCCL_HEADER + COMPLETION, 1), (OSU + RETRIES, 1)])
def test_a_proven_failure_without_values_to_judge_exits_as_one(tmp_path, text, code):
    log = tmp_path / "run.log"
    log.write_text(text, encoding="utf-8")
    cluster = SAMPLES.parents[1] / "examples" / "mi300x-4node" / "cluster.yaml"
    result = CliRunner().invoke(app, ["bench", "judge", str(log), "-c", str(cluster)])
    assert result.exit_code == code, result.output
