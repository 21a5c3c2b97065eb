"""The example's bundles: what the healthy one counts, one that lacks permission, and findings in other formats."""

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import inject_faults
import pytest
from typer.testing import CliRunner

from wirespeed.catalogue import load
from wirespeed.cli.app import app
from wirespeed.cluster import read
from wirespeed.collect.simulated_bundle import write_planned_bundle
from wirespeed.plan import build

EXAMPLE = Path(__file__).parents[2] / "examples" / "mi300x-4node"


def check(bundle: Path, *options: str) -> tuple[int, dict]:
    arguments = ["check", str(EXAMPLE / "cluster.yaml"), str(bundle), "--format", "json", *options]
    result = CliRunner().invoke(app, arguments)
    assert result.stderr == ""
    return result.exit_code, json.loads(result.stdout)


def bad(document: dict) -> list[dict]:
    return [finding for finding in document["findings"] if finding["status"] not in ("pass", "skip")]


def test_the_healthy_bundle_passes(healthy_bundle: Callable[[str], Path]) -> None:
    code, document = check(healthy_bundle(EXAMPLE.name), "--strict")
    assert code == 0
    assert {finding["status"] for finding in document["findings"]} == {"pass", "skip"}
    assert Counter(finding["status"] for finding in document["findings"])["pass"] > 1500


def test_lacking_permission_is_unknown_there_and_nowhere_else(tmp_path: Path) -> None:
    inject_faults.inject(EXAMPLE, tmp_path / "denied", ["13"])
    code, document = check(tmp_path / "denied")
    assert code == 3
    assert {finding["status"] for finding in bad(document)} == {"unknown"}
    assert Counter((finding["check"], finding["device"]) for finding in bad(document)) == {
        ("host.kernel-log", "node1"): 1,
        ("nic.relaxed-ordering", "node2"): 8,
        ("pcie.acs", "node2"): 24,  # the role of the bridges above NICs and GPUs is denied too
        ("pcie.link", "node2"): 32,
        ("nic.qos-ets", "node3"): 1,
        ("nic.qos-pfc", "node3"): 1,
        ("nic.qos-priority-tc", "node3"): 1,
        ("nic.qos-rate-limit", "node3"): 1,
    }
    reasons = {finding["check"]: finding["found"] for finding in bad(document)}
    assert reasons["host.kernel-log"] == (
        "host.kernel.errors not read; dmesg: permission: dmesg: read kernel buffer failed: Operation not permitted"
    )
    assert "access denied" in reasons["pcie.acs"]
    assert reasons["nic.qos-pfc"].startswith("nic.qos.pfc not read; niccli-qos on enp29s0np0: permission: ")


def test_the_mode_of_congestion_control_names_the_command_that_shows_it(
    healthy_bundle: Callable[[str], Path], tmp_path: Path
) -> None:
    """A real host: configfs has no folder of a device unless it is created (Arista and Broadcom, Lossless Network
    for AI/ML/Storage/HPC with RDMA, "view parameters"; configfs.c of bnxt_re)."""
    shutil.copytree(healthy_bundle(EXAMPLE.name), tmp_path / "bundle")
    manifest = json.loads((tmp_path / "bundle" / "manifest.json").read_text())
    (entry,) = (
        entry
        for device in manifest["devices"]
        if device["name"] == "node2"
        for entry in device["outputs"]
        if entry["command"] == "cc@enp67s0np0"
    )
    path = "/sys/kernel/config/bnxt_re/bnxt_re1/ports/1/cc"
    entry |= {"status": "failed", "exit_code": 2, "detail": f"grep: {path}: No such file or directory", "file": None}
    (tmp_path / "bundle" / "manifest.json").write_text(json.dumps(manifest))
    code, document = check(tmp_path / "bundle", "--only", "fabric.congestion-control")
    (finding,) = bad(document)
    assert (code, finding["status"], finding["unread"]) == (3, "unknown", "nic.qos.congestion")
    (fix,) = finding["fix"]
    assert fix["sentence"] == (
        "run the first command as root on node2, collect and check again, then run the second; `wirespeed collect` "
        "changes nothing on a host"
    )
    assert fix["commands"] == [
        "mkdir -p /sys/kernel/config/bnxt_re/bnxt_re1",
        "# collect and check again; then:",
        "rmdir /sys/kernel/config/bnxt_re/bnxt_re1",
    ]


@pytest.mark.parametrize(
    ("file", "check_id", "unread", "fix"),
    [
        (
            "lspci.out",
            "nic.relaxed-ordering",
            "pcie.relaxed_ordering not read; lspci: its output is empty (node2/lspci.out)",
            "collect node2 again as root: only root sees everything that lspci reads",
        ),
        (
            "ethtool-fec@enp29s0np0.out",
            "link.fec",
            "nic.link.fec not read; ethtool-fec on enp29s0np0: its output is empty (node2/ethtool-fec@enp29s0np0.out)",
            "collect node2 again",
        ),
    ],
)
def test_an_empty_output_is_named_with_its_file(
    file: str, check_id: str, unread: str, fix: str, healthy_bundle: Callable[[str], Path], tmp_path: Path
) -> None:
    bundle = shutil.copytree(healthy_bundle(EXAMPLE.name), tmp_path / "bundle")
    (bundle / "node2" / file).write_text("")
    code, document = check(bundle, "--only", check_id)
    assert code == 3
    finding = bad(document)[0]
    assert (finding["status"], finding["found"]) == ("unknown", unread)
    assert finding["evidence"][-1] == f"node2: {file.removesuffix('.out')} (node2/{file})"
    assert [entry["sentence"] for entry in finding["fix"]] == [fix]


def test_findings_of_one_check_or_status_alone(tmp_path: Path) -> None:
    inject_faults.inject(EXAMPLE, tmp_path / "one", ["02", "08"])
    code, document = check(tmp_path / "one", "--only", "port.mtu", "--status", "fail,warn")
    assert code == 1
    assert [(finding["check"], finding["place"]) for finding in document["findings"]] == [("port.mtu", "port Eth1/21")]
    assert document["counts"]["fail"] == 1
    assert document["notes"] == ["1 of 32 findings are shown (fail or warn)"]


@pytest.mark.parametrize("status", ["fail", "pass", "warn"])
def test_the_last_line_counts_all_findings(status: str, tmp_path: Path) -> None:
    inject_faults.inject(EXAMPLE, tmp_path / "one", ["08"])
    command = ["check", str(EXAMPLE / "cluster.yaml"), str(tmp_path / "one"), "--only", "port.mtu"]
    result = CliRunner().invoke(app, [*command, "--status", status])
    assert result.stdout.splitlines()[-1] == CliRunner().invoke(app, command).stdout.splitlines()[-1]
    assert result.stdout.splitlines()[-1].startswith("1 fail  0 warn  0 unknown  0 error  31 pass")
    document = json.loads(CliRunner().invoke(app, [*command, "--status", status, "--format", "json"]).stdout)
    assert (document["counts"]["fail"], document["counts"]["pass"]) == (1, 31)


@pytest.mark.parametrize("options", [("--status", "fail,pass"), ("--status", "pass", "--status", "fail,")])
def test_findings_that_passed_are_listed_if_selected(options: tuple[str, ...], tmp_path: Path) -> None:
    inject_faults.inject(EXAMPLE, tmp_path / "one", ["08"])
    command = ["check", str(EXAMPLE / "cluster.yaml"), str(tmp_path / "one"), "--only", "port.mtu,port.fec"]
    lines = CliRunner().invoke(app, [*command, *options]).stdout.splitlines()
    heads = [line.split()[:2] for line in lines if line.startswith(("FAIL", "PASS"))]
    assert heads == [["FAIL", "port.mtu"], ["PASS", "port.fec"], ["PASS", "port.mtu"]]
    assert not [line for line in CliRunner().invoke(app, command).stdout.splitlines() if line.startswith("PASS")]


@pytest.mark.slow
@pytest.mark.parametrize(("status", "cases", "failures"), [("fail", 1, 1), ("pass", 31 + 1, 1), ("warn", 1, 1)])
def test_junit_counts_failures_that_are_not_shown(status: str, cases: int, failures: int, tmp_path: Path) -> None:
    inject_faults.inject(EXAMPLE, tmp_path / "one", ["08"])
    command = ["check", str(EXAMPLE / "cluster.yaml"), str(tmp_path / "one"), "--only", "port.mtu", "-f", "junit"]
    suites = ElementTree.fromstring(CliRunner().invoke(app, [*command, "--status", status]).stdout)
    assert (suites.get("tests"), suites.get("failures")) == (str(cases), str(failures))


@pytest.mark.slow
def test_findings_as_a_table_and_as_junit(tmp_path: Path) -> None:
    inject_faults.inject(EXAMPLE, tmp_path / "one", ["08"])
    command = ["check", str(EXAMPLE / "cluster.yaml"), str(tmp_path / "one")]
    table = CliRunner().invoke(app, command, env={"COLUMNS": "100", "NO_COLOR": "1"})
    assert table.exit_code == 1
    assert "FAIL    port.mtu leaf1:Eth1/21\n" in table.stdout
    assert "1 fail  0 warn  0 unknown  0 error" in table.stdout
    junit = CliRunner().invoke(app, [*command, "--format", "junit"])
    suites = ElementTree.fromstring(junit.stdout)
    failures = [case.get("name") for case in suites.iter("testcase") if case.find("failure") is not None]
    assert failures == ["leaf1:Eth1/21"]


def test_a_fault_there_is_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^no fault '14'; there are 01-acs-reqredir, 02-nic-x8, "):
        inject_faults.inject(EXAMPLE, tmp_path / "out", ["14"])


@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        ('replace("no such line", "")', "the fault does not fit: no 'no such line'"),
        ('replace("l", "", anchor="no such line")', "the fault does not fit: substring not found"),
        ("str", "the fault changes nothing"),
    ],
)
def test_a_fault_that_does_not_fit_is_refused(edit: str, problem: str, tmp_path: Path) -> None:
    shutil.copy(EXAMPLE / "cluster.yaml", tmp_path)
    faults = f'from output_edits import replace\nFAULTS = {{"01-x": {{"node1/uname.out": {edit}}}}}\n'
    (tmp_path / "faults.py").write_text(faults)
    with pytest.raises(ValueError) as refusal:
        inject_faults.inject(tmp_path, tmp_path / "out", ["01"])
    assert str(refusal.value) == f"01-x: node1/uname.out: {problem}"


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["cluster-rail24", "cluster-eos", "cluster-eos-rail24", "cluster-ipv6"])
def test_every_variant_as_planned_passes(variant: str, tmp_path: Path) -> None:
    cluster = EXAMPLE / f"{variant}.yaml"
    write_planned_bundle(build(read(cluster), load()), tmp_path / "bundle")
    result = CliRunner().invoke(app, ["check", str(cluster), str(tmp_path / "bundle"), "--format", "json"])
    assert bad(json.loads(result.stdout)) == []
    assert result.exit_code == 0
