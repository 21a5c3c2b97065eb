"""``wirespeed bench judge`` from log to exit code."""

import json
from pathlib import Path

import pytest
from judge_support import CLUSTER
from typer.testing import CliRunner

from wirespeed.cli.app import app
from wirespeed.cli.exit import Exit

WRITE_BW = """\
---------------------------------------------------------------------------------------
                    RDMA_Write BW Test
 Dual-port       : OFF		Device         : bnxt_re0
 Number of qps   : 1		Transport type : IB
 Connection type : RC		Using SRQ      : OFF
 PCIe relax order: ON
 TX depth        : 128
 CQ Moderation   : 100
 Mtu             : 4096[B]
 Link type       : Ethernet
 GID index       : 3
 Max inline data : 0[B]
 rdma_cm QPs	 : OFF
 Data ex. method : Ethernet
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 65536      5000             393.10             {average}             {rate}
"""
END = "-" * 87 + "\n"


def write_bw(average, end=END):
    return WRITE_BW.format(average=f"{average:.2f}", rate=f"{average * 1e9 / 8 / 65536 / 1e6:.6f}") + end


def run(tmp_path: Path, text: str, *options: str):
    log = tmp_path / "write_bw.txt"
    log.write_text(text, encoding="utf-8")
    return CliRunner().invoke(app, ["bench", "judge", str(log), "--cluster", str(CLUSTER), *options])


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [
        (write_bw(391.0), (), Exit.PASSED),
        (write_bw(350.0), (), Exit.PASSED),
        (write_bw(350.0), ("--strict",), Exit.FAILED),
        (write_bw(230.0), (), Exit.FAILED),
        (write_bw(399.0), (), Exit.INCOMPLETE),
        (write_bw(391.0, end=""), (), Exit.INCOMPLETE),
        (write_bw(391.0), ("--from", "node1/bnxt_re0", "--to", "node2/bnxt_re4"), Exit.PASSED),
        (
            write_bw(391.0) + "Completion with error at client\nFailed status 12: wr_id 0 syndrom 0x81\n",
            (),
            Exit.FAILED,
        ),
    ],
)
def test_exit_code(tmp_path, text, options, code):
    result = run(tmp_path, text, *options)
    assert result.exit_code == code, result.output


def test_json_is_a_document(tmp_path):
    result = run(tmp_path, write_bw(391.0), "--format", "json")
    document = json.loads(result.stdout)
    assert (document["kind"], document["schema"], document["cluster"]) == ("bench-verdicts", 1, "mi300x-4node")
    (judged,) = document["runs"]
    assert (judged["tool"], judged["status"]) == ("perftest", "complete")
    average = next(one for one in judged["verdicts"] if one["measurement"]["metric"] == "bw_avg")
    assert average["judgement"] == "pass"
    assert average["physical"]["binding"] == "line rate × RoCEv2 framing"
    assert average["physical"]["value"] == pytest.approx(392.06, abs=0.01)
    assert average["measurement"]["line"] == 17


def test_same_input_same_bytes(tmp_path):
    assert run(tmp_path, write_bw(391.0), "--format", "json").stdout == (
        run(tmp_path, write_bw(391.0), "--format", "json").stdout
    )


def test_the_table_says_measured_limits_and_verdict(tmp_path):
    result = run(tmp_path, write_bw(391.0))
    assert "391.0" in result.stdout
    assert "392.1" in result.stdout
    assert "pass" in result.stdout
    assert "node1/bnxt_re0 stands for bnxt_re0 of the log" in result.stdout


def test_help_names_every_option():
    result = CliRunner().invoke(app, ["bench", "judge", "--help"])
    assert result.exit_code == 0
    for option in ("--cluster", "--from", "--to", "--algorithm", "--collective", "--profile", "--format"):
        assert option in result.stdout
