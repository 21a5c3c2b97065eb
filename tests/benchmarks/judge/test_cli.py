"""``wirespeed bench judge`` from log to exit code."""

import json
import re
from pathlib import Path

import pytest
from judge_support import CLUSTER
from typer.testing import CliRunner

from wirespeed.cli.app import app
from wirespeed.cli.exit import Exit
from wirespeed.errors import Refusal

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


ENDS = ("--from", "node1:bnxt_re0", "--to", "node2:bnxt_re4")


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
        (write_bw(391.0), ENDS, Exit.PASSED),
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


SAMPLES = CLUSTER.parents[2] / "tests" / "samples"


@pytest.mark.parametrize(
    "sample", ["osu/osu74_allreduce_f.txt", "osu/osu53_latency.txt", "rocm_bandwidth/one-copy.txt"]
)
def test_a_log_of_which_nothing_is_judged_is_incomplete(sample):
    """Logs of real tools."""
    arguments = ["bench", "judge", str(SAMPLES / sample), "-c", str(CLUSTER), *ENDS[:2]]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == Exit.INCOMPLETE, result.output
    assert result.stdout.splitlines()[-1].startswith("UNKNOWN: nothing is judged; ")
    assert "nothing of this run is judged" in result.stdout
    assert "not judged: " in result.stdout  # and why


QPERF = "rc_bw:\n    bw        =  {} GB/sec\n    msg_rate  =   731 K/sec\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (QPERF.format("47.9") * 2, Exit.PASSED),
        (QPERF.format("47.9") + QPERF.format("XX.X"), Exit.INCOMPLETE),
        (QPERF.format("XX.X") + QPERF.format("47.9"), Exit.INCOMPLETE),
        (QPERF.format("47.9") + "rc_bw:\n", Exit.INCOMPLETE),
    ],
)
def test_a_repeated_test_without_its_value_is_incomplete(tmp_path, text, code):
    """The value of one run is not that of another run of the same test, whose value is masked or cut."""
    result = run(tmp_path, text, *ENDS)
    assert result.exit_code == code, result.output


def test_a_masked_matrix_is_incomplete_and_named(tmp_path):
    matrix = (SAMPLES / "nvbandwidth" / "one-node.txt").read_text(encoding="utf-8").partition("Running device_to")[0]
    result = run(tmp_path, re.sub(r"\d+\.\d\d\b", "XXX.XX", matrix))
    assert result.exit_code == Exit.INCOMPLETE, result.output
    assert "found XXX.XX, XXX.XX, XXX.XX in row 0; expected numbers; left out" in result.stderr


def test_a_log_with_judged_and_informative_tables_passes():
    """Document 002, section A.3.9: staged copies and latencies stand beside copies with peer access."""
    root = CLUSTER.parents[2]
    log = root / "tests" / "validation" / "reconstructed" / "p2p-bandwidth-latency.log"
    cluster = str(root / "examples" / "pcie-lending" / "cluster.yaml")
    result = CliRunner().invoke(app, ["bench", "judge", str(log), "-c", cluster, "--from", "abel2:dis0"])
    assert result.exit_code == Exit.PASSED, result.output


def test_the_number_of_ranks_and_hosts_is_an_option():
    """A log of osu_alltoall states no number of ranks; without it nothing is known."""
    log = str(SAMPLES / "osu" / "osu53_alltoall.txt")
    arguments = ["bench", "judge", log, "-c", str(CLUSTER)]
    unknown = CliRunner().invoke(app, arguments)
    assert "the log does not contain the number of ranks: give it with --ranks" in " ".join(unknown.stdout.split())
    stated = CliRunner().invoke(app, [*arguments, "--ranks", "64", "--nodes", "4", "-f", "json"])
    verdicts = json.loads(stated.stdout)["runs"][0]["verdicts"]
    assumed = {text for verdict in verdicts for text in (verdict["physical"] or {"assumptions": ()})["assumptions"]}
    assert "64 ranks spread evenly over 4 hosts of mi300x-4node" in assumed


def test_latencies_beside_judged_bandwidths_are_information(tmp_path):
    sample = str(SAMPLES / "osu" / "osu53_latency.txt")
    assert run(tmp_path, write_bw(391.0), sample, *ENDS).exit_code == Exit.PASSED


def test_json_is_a_document(tmp_path):
    result = run(tmp_path, write_bw(391.0), "--format", "json")
    document = json.loads(result.stdout)
    assert (document["kind"], document["schema"], document["cluster"]) == ("bench-verdicts", 4, "mi300x-4node")
    (judged,) = document["runs"]
    assert (judged["tool"], judged["status"]) == ("perftest", "complete")
    average = next(verdict for verdict in judged["verdicts"] if verdict["measurement"]["metric"] == "bw_avg")
    assert average["judgement"] == "pass"
    assert average["physical"]["bottleneck"] == "line rate × RoCEv2 framing"
    assert average["physical"]["value"] == pytest.approx(392.06, abs=0.01)
    assert average["measurement"]["line"] == 17


def test_same_input_same_bytes(tmp_path):
    assert run(tmp_path, write_bw(391.0), "--format", "json").stdout == (
        run(tmp_path, write_bw(391.0), "--format", "json").stdout
    )


def test_the_table_states_measured_limits_and_verdict(tmp_path):
    result = run(tmp_path, write_bw(391.0))
    assert "391.0" in result.stdout
    assert "392.1" in result.stdout
    assert "pass" in result.stdout
    assert "the log names bnxt_re0 but no host" in result.stdout
    assert result.stdout.endswith("\nPASS: 1 pass of 1 judged measurement\n")


@pytest.mark.parametrize(("value", "start"), [(350.0, "WARN: 1 warn of 1 "), (230.0, "FAIL: 1 fail of 1 ")])
def test_the_last_line_is_the_verdict_of_all_runs(tmp_path, value, start):
    assert run(tmp_path, write_bw(value)).stdout.splitlines()[-1].startswith(start)


@pytest.mark.parametrize("nic", ["node1:enp29s0np0", "node1:bnxt_re0"])
def test_a_nic_is_named_as_port_or_by_its_rdma_device(tmp_path, nic):
    assert run(tmp_path, write_bw(391.0), "--from", nic).exit_code == Exit.PASSED


def test_help_names_every_option():
    result = CliRunner().invoke(app, ["bench", "judge", "--help"])
    assert result.exit_code == 0
    for option in ("--cluster", "--from", "--to", "--algorithm", "--collective", "--profile", "--format"):
        assert option in result.stdout


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (
            (),
            "the log does not name the two NICs; give them with --from HOST:NIC and --to HOST:NIC, "
            "such as --from node1:enp29s0np0 --to node2:enp29s0np0",
        ),
        (
            ENDS[:2],
            "--to is missing: the other end is assumed to be the same kind of NIC as node1:bnxt_re0; "
            "give it with --to HOST:NIC, such as --to node2:enp29s0np0",
        ),
        (
            ENDS[2:],
            "--from is missing: the other end is assumed to be the same kind of NIC as node2:bnxt_re4; "
            "give it with --from HOST:NIC, such as --from node1:enp29s0np0",
        ),
        (ENDS, None),
    ],
)
def test_missing_ends_are_requested(tmp_path, options, hint):
    hints = [line for line in run(tmp_path, write_bw(391.0), *options).stderr.splitlines() if line.startswith("hint")]
    assert hints == ([f"hint: {tmp_path / 'write_bw.txt'}: {hint}"] if hint else [])


def test_short_options_and_standard_input():
    arguments = ["bench", "judge", "-", "-c", str(CLUSTER), *ENDS, "-f", "json"]
    result = CliRunner().invoke(app, arguments, input=write_bw(391.0))
    assert result.exit_code == Exit.PASSED
    assert json.loads(result.stdout)["runs"][0]["file"] == "standard input"


def test_nothing_to_judge_is_refused():
    result = CliRunner().invoke(app, ["bench", "judge", "-c", str(CLUSTER)])
    assert isinstance(result.exception, Refusal)
    assert str(result.exception) == "bench: no log is given\n  hint: give logs, folders of logs, or --campaign"


def test_runs_are_compared_with_each_other(tmp_path):
    """Of a folder of logs, with a baseline and without."""
    single_queue_pair, several_queue_pairs = write_bw(300.0), write_bw(391.0).replace("of qps   : 1", "of qps   : 8")
    (tmp_path / "many.txt").write_text(several_queue_pairs, encoding="utf-8")
    arguments = ["bench", "judge", str(tmp_path), "-c", str(CLUSTER), *ENDS, "--profile", "field"]
    result = run(tmp_path, single_queue_pair, *ENDS, "--profile", "field")
    assert "Runs compared" not in result.stdout  # one log alone
    result = CliRunner().invoke(app, [*arguments, "-f", "json"])
    (relation,) = json.loads(result.stdout)["relations"]
    assert (relation["name"], relation["judgement"], relation["value"]) == (
        "one-queue-pair",
        "fail",
        pytest.approx(300 / 391),
    )
    assert result.exit_code == Exit.FAILED
    (tmp_path / "many.txt").write_text(write_bw(301.0), encoding="utf-8")
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})
    assert (
        "unknown: one-queue-pair: nothing to compare with: no comparable run queue_pairs from 2; wirespeed bench run"
        in result.stdout
    )


def test_a_copy_of_a_log_confirms_nothing(tmp_path):
    copy = tmp_path / "copy.txt"
    copy.write_text(write_bw(230.0), encoding="utf-8")
    result = run(tmp_path, write_bw(230.0), str(copy), *ENDS)
    assert "failed in a single run" in " ".join(result.stdout.split())
    assert "bad 2 times" not in result.stdout
    assert "found the same bytes as" in result.stderr


@pytest.mark.parametrize("second", ["", "write_bw.txt"])
def test_a_file_that_is_named_twice_confirms_nothing(tmp_path, second):
    """As a file, or as a file of the folder that is also named."""
    first = str(tmp_path) if not second else str(tmp_path / second)
    result = run(tmp_path, write_bw(230.0), first, *ENDS)
    assert "failed in a single run" in " ".join(result.stdout.split())
    assert "found the same file a second time; expected another measurement; ignored" in result.stderr


def test_other_files_of_a_folder_are_skipped(tmp_path):
    for number in range(7):
        (tmp_path / f"notes{number}.md").write_text("# notes\n", encoding="utf-8")
    (tmp_path / "good.txt").write_text(write_bw(391.0), encoding="utf-8")
    result = CliRunner().invoke(app, ["bench", "judge", str(tmp_path), "-c", str(CLUSTER), *ENDS])
    assert result.exit_code == Exit.PASSED
    assert result.stderr.count(".md: found 1 line of other text") == 5
    assert "warning: " not in result.stderr
    assert "skipped: 2 more files" in result.stderr
    assert result.stderr.count("give the whole output with its header lines") == 1


def test_the_last_line_counts_logs_without_a_bandwidth(tmp_path):
    masked = tmp_path / "masked.txt"
    masked.write_text(re.sub(r"\d+\.\d\d(?= )", "XXX.XX", write_bw(391.0)), encoding="utf-8")
    result = run(tmp_path, write_bw(391.0), str(masked), *ENDS)
    assert result.exit_code == Exit.INCOMPLETE
    assert "UNKNOWN: 1 pass of 1 judged measurement; 1 run without a bandwidth to judge" in result.stdout


@pytest.mark.parametrize("campaign", ["night", "latest", "1"])
def test_a_stored_campaign_is_judged(tmp_path, campaign):
    run(tmp_path, write_bw(230.0))
    store = str(tmp_path / "store.db")
    arguments = ["bench", "parse", str(tmp_path / "write_bw.txt"), "--store", store, "--label", "night"]
    assert CliRunner().invoke(app, arguments).exit_code == Exit.PASSED
    command = ["bench", "judge", "--campaign", campaign, "--store", store, "-c", str(CLUSTER), *ENDS, "-f", "json"]
    result = CliRunner().invoke(app, command)
    (judged,) = json.loads(result.stdout)["runs"]
    assert judged["file"] == str(tmp_path / "write_bw.txt")
    assert {verdict["judgement"] for verdict in judged["verdicts"]} == {"fail", "skip"}
    assert result.exit_code == Exit.FAILED
