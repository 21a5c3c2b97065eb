"""``wirespeed report``: from files to a report in every format."""

import dataclasses
import io
import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import history_sample
import pytest
import report_sample
from rich.console import Console
from typer.testing import CliRunner

from wirespeed.benchmarks.run import create_folder
from wirespeed.cli.app import app
from wirespeed.cli.exit import Exit
from wirespeed.errors import Refusal
from wirespeed.report import junit, terminal, ticket
from wirespeed.results import json as results
from wirespeed.results.benchmarks import RunStatus
from wirespeed.results.campaign import Attempt, Campaign, Command, Grade, Outcome, Step
from wirespeed.results.documents import SCHEMAS
from wirespeed.results.peers import Peers

EXAMPLE = Path(__file__).parents[2] / "examples/mi300x-4node"
CLUSTER = EXAMPLE / "cluster.yaml"

DEVICES = "\n".join(
    f"#  Rank {rank} Pid 1 on node1 device {rank} [0000:{bus}:00.0] AMD Instinct MI300X"
    for rank, bus in enumerate(("1c", "42", "55", "68", "9e", "c2", "d4", "e6"))
)
LOG = f"""\
# nThread 1 nGpus 8 warmup iters: 5 iters: 20 validation: 1
#
# Using devices
{DEVICES}
#
#                                                       out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
       65536         16384     float     sum      -1    36.04    1.82    3.18      0    35.82    1.83    3.20      0
     1048576        262144     float     sum      -1    61.50   17.05   29.84      0    61.35   17.09   29.91      0
  1073741824     268435456     float     sum      -1   5808.6  184.85  323.49      0   5817.4  184.57  323.00      0
  2147483648     536870912     float     sum      -1    11975  179.33  313.83      0    12357  173.79  304.13      0
  4294967296    1073741824     float     sum      -1    23577  182.17  318.80      0    23740  180.92  316.61      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 216.611
#
"""
SLOW = (
    LOG.replace("23577  182.17  318.80", "47154   91.09  159.40")
    .replace("23740  180.92  316.61", "47480   90.46  158.30")
    .replace("216.611", "176.902")
)


def report(*arguments):
    result = CliRunner().invoke(app, ["report", str(CLUSTER), *map(str, arguments)])
    if isinstance(result.exception, Refusal):
        raise result.exception
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result


@pytest.fixture
def log(tmp_path):
    file = tmp_path / "all_reduce.log"
    file.write_text(LOG)
    return file


def test_a_failed_run_and_a_comparison_are_counted(tmp_path):
    failed = dataclasses.replace(report_sample.RUN, verdicts=(), status=RunStatus.FAILED)
    content = dataclasses.replace(history_sample.WHOLE, findings=(), runs=(failed,), relations=())
    stream = io.StringIO()
    terminal.summary(content, Console(file=stream, width=120))
    assert stream.getvalue().startswith("benchmarks  1 run failed  0 fail  0 warn")
    assert "\ncomparison  " in stream.getvalue() and " worse, " in stream.getvalue()


@pytest.mark.parametrize(
    ("status", "row", "case"),
    [
        (
            RunStatus.TRUNCATED,
            "- **truncated** {run}: the log ends before the run does; nothing to judge (`{file}`)",
            "truncated: the log ends before the run does",
        ),
        (
            RunStatus.COMPLETE,
            "- **unknown** {run}: the log contains no bandwidth to judge (`{file}`)",
            "the log contains no bandwidth to judge",
        ),
    ],
)
def test_a_run_without_a_verdict_is_no_pass(status, row, case):
    run = dataclasses.replace(report_sample.RUN, verdicts=(), status=status)
    content = dataclasses.replace(report_sample.REPORT, findings=(), runs=(run, report_sample.RUN), relations=())
    described = f"`{run.title}`, {run.ranks} ranks"
    assert row.format(run=described, file=run.file) in ticket.text(content)
    (error,) = (
        error
        for error in ElementTree.fromstring(junit.text(content)).iter("error")
        if error.attrib["message"] == case and error.attrib["type"] == "unknown"
    )
    assert error.text == run.file


def test_html_by_the_name_of_the_output(tmp_path, log):
    target = tmp_path / "report.html"
    result = report("--bench", log, "-o", target)
    assert result.stdout == f"{target}\n"
    assert result.stderr == "benchmarks  0 fail  0 warn  0 unknown  6 pass  4 not judged\n"
    page = target.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "<h1>mi300x-4node</h1>" in page
    assert "4 × dell-xe9680-mi300x, ubuntu-22.04, each with 8 × broadcom-bcm957608-p1400gd" in page
    assert "DSCP 0-25, 27-47, 49-63; priority 0; lossy; DWRR 50 %" in page
    assert "1 GiB out-of-place 323.5 GB/s" in page


def test_json_carries_plan_topology_runs_and_numbers(log):
    result = report("--bench", log, "--format", "json")
    body = json.loads(result.stdout)
    assert (body["kind"], body["cluster"], body["recorded"]) == ("report", "mi300x-4node", None)
    assert len(body["topology"]["nodes"]) == 5
    assert body["topology"]["edges"][0] == {
        "a": "node1",
        "a_port": "enp29s0np0",
        "b": "leaf1",
        "b_port": "Eth1/1",
        "speed": "400 Gb/s",
        "rail": 1,
    }
    assert body["inputs"][1] == {"name": str(log), "detail": "benchmark log, 1 run"}
    assert any("IEEE 802.1Q" in row["source"] for row in body["computed"])
    busbw = [row for row in body["runs"][0]["verdicts"] if row["measurement"]["metric"] == "busbw"]
    assert len(busbw) == 10
    assert all(row["physical"]["value"] == 448.0 for row in busbw)


def test_junit(log):
    root = ElementTree.fromstring(report("--bench", log, "--format", "junit").stdout)
    assert [int(root.get(name)) for name in ("failures", "errors")] == [0, 0]
    assert int(root.get("tests")) >= 6


def test_terminal_is_what_standard_output_gets(log):
    text = report("--bench", log).stdout
    assert text.startswith("mi300x-4node\n  host: 4 × dell-xe9680-mi300x\n")
    assert "busbw out-of-place in GB/s" in text


@pytest.mark.parametrize(("text", "code"), [(LOG, Exit.PASSED), (SLOW, Exit.FAILED)])
def test_the_exit_code_is_that_of_the_verdicts(tmp_path, text, code):
    log = tmp_path / "all_reduce.log"
    log.write_text(text)
    assert report("--bench", log).exit_code == code


def test_a_report_without_evidence_is_incomplete():
    assert "nothing was checked or judged" in report().output
    result = report()
    assert result.exit_code == Exit.INCOMPLETE
    assert "mi300x-4node" in result.stdout


def test_a_format_that_the_output_does_not_name_is_refused(tmp_path, log):
    result = CliRunner().invoke(app, ["report", str(CLUSTER), "--bench", str(log), "-o", str(tmp_path / "r.pdf")])
    assert str(result.exception) == (
        f"--output: no format for the name {tmp_path / 'r.pdf'}\n"
        "  hint: use a name that ends in .html, .htm, .json, .xml, .prom, .md, .txt, or add --format"
    )
    assert not (tmp_path / "r.pdf").exists()


def test_the_same_files_give_the_same_bytes(tmp_path, log):
    pages = []
    for name in ("a.html", "b.html"):
        report("--bench", log, "-o", tmp_path / name)
        pages.append((tmp_path / name).read_bytes())
    assert pages[0] == pages[1]


def test_a_healthy_bundle_passes(healthy_bundle, tmp_path):
    target = tmp_path / "report.html"
    result = report("--bundle", healthy_bundle(EXAMPLE.name), "-o", target)
    assert result.exit_code == Exit.PASSED
    assert "Everything passed: " in target.read_text(encoding="utf-8")


def test_a_faulty_bundle_fails_with_the_commands_that_mend_it(tmp_path):
    faulty = tmp_path / "faulty"
    subprocess.run([sys.executable, EXAMPLE.parent / "inject_faults.py", EXAMPLE, faulty, "04"], check=True)
    result = report("--bundle", faulty, "--format", "json")
    assert result.exit_code == Exit.FAILED
    body = json.loads(result.stdout)
    (failed,) = [finding for finding in body["findings"] if finding["status"] == "fail"]
    assert (failed["check"], failed["device"]) == ("address.rule", "node4")
    assert failed["fix"][0]["commands"] == ["ip rule add from 10.1.0.55/32 table 104 priority 1004"]
    assert body["recorded"] is not None


def document(tmp_path, name):
    kind, result = {
        "peers": ("bench-peers", history_sample.PEERS),
        "comparison": ("bench-comparison", history_sample.COMPARISON),
        "history": ("bench-history", history_sample.HISTORY),
    }[name]
    file = tmp_path / f"{name}.json"
    file.write_text(results.document(kind, SCHEMAS[kind], **{name: result}), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("name", "code", "section"),
    [
        ("peers", Exit.FAILED, "Peers"),  # one suspect is confirmed
        ("comparison", Exit.FAILED, "Comparison"),
        ("history", Exit.PASSED, "History"),
    ],
)
def test_what_other_commands_printed_is_a_section(tmp_path, name, code, section):
    result = report("--result", document(tmp_path, name), "-o", tmp_path / "report.html")
    assert result.exit_code == code
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f">{section}</h2>" in page
    assert f"{name}.json" in page


def test_a_suspect_that_was_slow_once_leaves_it_incomplete(tmp_path):
    file = tmp_path / "peers.json"
    peers = Peers((history_sample.LEAVES,))
    file.write_text(results.document("bench-peers", 2, peers=peers), encoding="utf-8")
    assert report("--result", file).exit_code == Exit.INCOMPLETE


def test_what_bench_run_wrote_is_judged_between_its_nics(tmp_path):
    ends = ("node1:bnxt_re0", "node2:bnxt_re0")
    command = Command("node1", ("ib_write_bw",))
    step = Step("a", "ib_write_bw", " -> ".join(ends), command, 30, 3, source=ends[0], target=ends[1])
    folder = create_folder(tmp_path / "pairs", Campaign("", "pairs", "mi300x-4node", (step,)))
    log = folder.keep(step, 1, (EXAMPLE / "bench/ib-write-bw-bidirectional.log").read_bytes(), None)
    folder.note(Attempt("a", 1, Outcome.DONE, 0, "2026-11-21T08:00:00Z", 3.0, Grade.GOOD, log))
    result = report("--bench", tmp_path / "pairs", "--format", "prometheus")
    assert result.exit_code == Exit.PASSED
    labels = 'host="node1",metric="bw_avg",nic="bnxt_re0",peer_host="node2",peer_nic="bnxt_re0",size="8388608"'
    assert labels in result.stdout
    assert "node1:bnxt_re0 → node2:bnxt_re0" in report("--bench", tmp_path / "pairs").stdout


@pytest.mark.parametrize(("name", "start"), [("a.prom", "# HELP wirespeed_"), ("a.md", "# mi300x-4node\n")])
def test_the_name_of_the_output_states_the_format(tmp_path, log, name, start):
    report("--bench", log, "-o", tmp_path / name)
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)


def test_a_log_as_the_cluster_file_has_a_hint(tmp_path):
    (tmp_path / "run.log").write_text("text\n", encoding="utf-8")
    process = subprocess.run(
        [sys.executable, "-m", "wirespeed", "report", "run.log"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 2
    assert "hint: `wirespeed report CLUSTER.yaml --bench run.log` reports a benchmark log\n" in process.stderr


UNKNOWN_NIC = """\
---------------------------------------------------------------------------------------
                    RDMA_Write BW Test
 Dual-port       : OFF		Device         : mlx5_7
 Number of qps   : 4		Transport type : IB
 Mtu             : 4096[B]
 Link type       : Ethernet
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 1048576    5000             391.1             390.1            0.045
---------------------------------------------------------------------------------------
"""


@pytest.fixture
def log_of_unknown_nic(tmp_path):
    file = tmp_path / "write_bw.log"
    file.write_text(UNKNOWN_NIC)
    return file


@pytest.mark.parametrize(
    ("style", "arrow"), [("ticket", "->"), ("junit", "-&gt;"), ("html", "→"), ("terminal", "→"), ("prometheus", "")]
)
def test_options_name_the_nics_of_a_log_with_an_unknown_nic(log_of_unknown_nic, style, arrow):
    """As in ``bench judge``."""
    unknown = report("--bench", log_of_unknown_nic, "-f", style)
    assert unknown.exit_code == Exit.INCOMPLETE
    source, target = "node1:bnxt_re0", "node2:bnxt_re1"
    judged = report("--bench", log_of_unknown_nic, "--from", source, "--to", target, "-f", style)
    named = f"{source} {arrow} {target}" if arrow else 'host="node1",judgement="pass",nic="bnxt_re0",peer_host="node2"'
    assert (judged.exit_code, named in judged.stdout) == (Exit.PASSED, True)


def test_one_named_nic_is_in_the_report_with_a_hint_for_the_other(log_of_unknown_nic):
    result = report("--bench", log_of_unknown_nic, "--from", "node1:bnxt_re0", "-f", "ticket")
    assert "- **pass** `ib_write_bw on mi300x-4node`, `from node1:bnxt_re0` bw_avg" in result.stdout
    assert "hint:" in result.stderr and "--to is missing" in result.stderr


def test_a_nic_is_named_for_a_benchmark_log_only(log_of_unknown_nic):
    with pytest.raises(Refusal, match=r"--from: no benchmark log is given"):
        report("--from", "node1:bnxt_re0")
    with pytest.raises(Refusal, match=r"--to: found host 'node9'"):
        report("--bench", log_of_unknown_nic, "--to", "node9:bnxt_re0")
