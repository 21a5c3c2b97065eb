"""A failed run names the first fatal error of NCCL, with the NICs that log and cluster file identify."""

from __future__ import annotations

import pytest
from judge_support import plan

from wirespeed.benchmarks.judge.logs import judge_logs
from wirespeed.benchmarks.tools.reader import read
from wirespeed.report import runs


def completion(peer="192.168.0.2", remote=""):
    gid = f" remoteGids {remote}" if remote else ""
    return (
        f"NET/IB : Got completion from peer {peer}<51234> with status=12 opcode=0 len=0 vendor err 129 (Send)"
        f" localGid ::ffff:10.1.0.3{gid} hca bnxt_re1"
    )


MODIFY = (
    "Call to ibv_modify_qp failed with 110 Connection timed out, on dev bnxt_re1:1, curr state INIT, next state RTR,"
    " local GID index 3, local GID ::ffff:10.1.0.3, remote GID ::ffff:10.1.0.17"
)
FAILURE = "node1: Test NCCL failure common.cu:379 'remote process exited or there was a network error'"


def judge_failure(message: str, *tail: str):
    text = "\n".join(
        (
            "node1:4100:4160 [0] NCCL INFO NET/IB : Using [0]bnxt_re1:1/RoCE [RO]; OOB eno1:192.168.0.1<0>",
            f"node1:4100:4160 [0] transport/net_ib.cc:1295 NCCL WARN {message}",
            *tail,
            "",
        )
    )
    return judge_logs([("a.log", read(text))], plan())[0]


@pytest.mark.parametrize(
    ("message", "source", "target"),
    [
        (completion(remote="::ffff:10.1.0.17"), "node1:bnxt_re1", "node2:bnxt_re0"),
        (completion(remote="::ffff:10.1.0.17").replace("Gids ", "Gids"), "node1:bnxt_re1", "node2:bnxt_re0"),
        (completion(remote="::ffff:10.9.9.9"), "node1:bnxt_re1", "10.9.9.9"),
        (completion(remote="fe80::aabb:2"), "node1:bnxt_re1", "192.168.0.2"),
        (completion(), "node1:bnxt_re1", "192.168.0.2"),
        # the socket is on a NIC of the plan: it names the host, and not the NIC of the connection
        (completion(peer="10.1.0.17"), "node1:bnxt_re1", "node2"),
        (completion(peer="node-x").replace(" hca bnxt_re1", ""), "node1:bnxt_re1", None),
        (completion(peer="node-x").replace("localGid ::ffff:10.1.0.3 hca bnxt_re1", ""), "node1", None),
        (MODIFY, "node1:bnxt_re1", "node2:bnxt_re0"),
    ],
)  # fmt: skip
def test_ends_of_the_first_fatal_error(message, source, target):
    error = judge_failure(message, FAILURE).fatal_error
    assert (error.source, error.target, error.line) == (source, target, 2)
    assert error.text == f"transport/net_ib.cc:1295 {message.strip()}"


def test_the_text_is_printed_once():
    message = completion(remote="::ffff:10.1.0.17")
    after_table, without_table = judge_failure(message, FAILURE), judge_failure(message)
    ends = "node1:bnxt_re1 → node2:bnxt_re0 (a.log:2)"
    assert runs.format_fatal_error(after_table) == f"{ends}: transport/net_ib.cc:1295 {message}"
    assert message in without_table.error
    assert runs.format_fatal_error(without_table) == ends


def test_a_warning_is_no_fatal_error():
    assert judge_failure("NET/IB : No device found.", FAILURE).fatal_error is None
