"""Commands whose answer is that something does not exist: it is planned, so it is a failure and not unknown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wirespeed.checks import run
from wirespeed.cluster import read
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.plan import build
from wirespeed.plan.locate import locate
from wirespeed.results.findings import Finding

CLUSTER = Path(__file__).parents[2] / "examples" / "mi300x-4node" / "cluster.yaml"
NO_FILE = "cat: /etc/bnxt_re/bnxt_re.conf: No such file or directory\n"
NO_DEVICE = "No IB devices found\n"


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    bundle = tmp_path_factory.mktemp("absent") / "bundle"
    write_planned_bundle(build(read(CLUSTER)), bundle)
    return bundle


@pytest.mark.slow
@pytest.mark.parametrize(
    ("output", "errors", "exit_code", "expected"),
    [
        ("", "cat: /etc/wirespeed/hostfile: No such file or directory\n", 1, ("fail", "no such file")),
        ("", "", 0, ("fail", "0 hosts; missing: node1, node2, node3, node4")),
        ("# none\n", "", 0, ("fail", "0 hosts; missing: node1, node2, node3, node4")),
        ("", "cat: /etc/wirespeed/hostfile: Permission denied\n", 1, ("unknown", None)),
    ],
)
def test_a_host_file_without_hosts(
    healthy: Path, output: str, errors: str, exit_code: int, expected: tuple[str, str | None]
) -> None:
    (finding,) = find(healthy, "launch.hosts", ("hostfile", output, errors, exit_code))
    assert finding.status == expected[0]
    if expected[1] is not None:
        assert finding.found == expected[1]
        assert [fix.sentence for fix in finding.fix] == ["install the rendered host file with apply.sh"]


def test_only_the_planned_library_explains_what_was_not_read(healthy: Path) -> None:
    """Collecting reads the files of every launcher; those of others do not exist."""
    (finding,) = find(
        healthy,
        "launch.rdma-devices",
        ("nccl-conf", "", "", 0),
        ("rccl-conf", "", "", 0),
        ("nccl-job", "", "", 1),
        launchers=("mvapich2", "mvapich3", "slurm"),
    )
    assert finding.status == "unknown"
    assert "nccl-job" in finding.found
    assert "mvapich" not in finding.found


def find(
    bundle: Path, check: str, *answers: tuple[str, str, str, int], launchers: tuple[str, ...] = ()
) -> list[Finding]:
    """The findings of node1 after these answers of its commands: id, output, errors and exit code.

    ``launchers`` are further launchers whose commands the bundle lacks.
    """
    file = bundle / "manifest.json"
    manifest_text = file.read_text()
    texts: dict[Path, str] = {}
    errors_file = "node1/{}.err"
    manifest = json.loads(manifest_text)
    node = next(device for device in manifest["devices"] if device["name"] == "node1")
    node["platforms"] += [{"kind": "launcher", "name": name} for name in launchers]
    for command, output, errors, exit_code in answers:
        for entry in node["outputs"]:
            if entry["command"].partition("@")[0] == command:
                texts[bundle / entry["file"]] = (bundle / entry["file"]).read_text()
                (bundle / entry["file"]).write_text(output)
                (bundle / errors_file.format(command)).write_text(errors)
                entry |= {"errors": errors_file.format(command) if errors else None, "exit_code": exit_code}
    file.write_text(json.dumps(manifest))
    plan, facts = build(read(CLUSTER)), read_facts(bundle)
    findings = [
        finding for finding in run(locate(plan, facts), facts) if (finding.check, finding.device) == (check, "node1")
    ]
    file.write_text(manifest_text)
    for path, text in texts.items():
        path.write_text(text)
    return findings


def test_a_configuration_file_that_does_not_exist(healthy: Path) -> None:
    findings = find(healthy, "nic.qos-file", ("bnxt-re-conf", "", NO_FILE, 1))
    assert len(findings) == 8
    assert {(finding.status, finding.summary, finding.found, finding.fix[0].sentence) for finding in findings} == {
        (
            "fail",
            "the rendered file is not installed",
            "no /etc/bnxt_re/bnxt_re.conf",
            "render the cluster file, and install the rendered /etc/bnxt_re/bnxt_re.conf with apply.sh",
        )
    }


@pytest.mark.parametrize(("line", "summary"), [("OVERRIDE=1", "the configuration file contains OVERRIDE=1"), ("", "")])
def test_an_option_of_another_file_warns(healthy: Path, line: str, summary: str) -> None:
    """Broadcom 957608-AN210, 2.2.1.3: OVERRIDE is an option of roceConfigFile."""
    text = (healthy / "node1" / "bnxt-re-conf@enp29s0np0.out").read_text()
    findings = find(healthy, "nic.qos-file", ("bnxt-re-conf", f"{text}{line}\n", "", 0))
    assert len(findings) == 8
    assert {(finding.status, finding.summary) for finding in findings} == {
        ("warn", summary) if summary else ("pass", findings[0].summary)
    }


def test_a_configuration_file_that_may_not_be_read_is_unknown(healthy: Path) -> None:
    errors = NO_FILE.replace("No such file or directory", "Permission denied")
    findings = find(healthy, "nic.qos-file", ("bnxt-re-conf", "", errors, 1))
    assert {finding.status for finding in findings} == {"unknown"}
    assert all("Permission denied" in finding.found for finding in findings)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answers", "status", "found_text"),
    [
        (
            [("ibv-devinfo", "", NO_DEVICE, 255)],
            "fail",
            "No IB devices found; the kernel has bnxt_re0, bnxt_re1, bnxt_re2 and 5 more",
        ),
        # no driver is loaded, which other checks report
        (
            [("ibv-devinfo", "", NO_DEVICE, 255), ("rdma-devices", "", "", 0)],
            "unknown",
            "host.rdma_libraries not read; ibv-devinfo: its output is empty: No IB devices found"
            " (node1/ibv-devinfo.out)",
        ),
        # libibverbs without sysfs
        (
            [("ibv-devinfo", "", "Failed to get IB devices list: Function not implemented\n", 255)],
            "unknown",
            "host.rdma_libraries not read; ibv-devinfo: its output is empty: Failed to get IB devices list: Function"
            " not implemented (node1/ibv-devinfo.out)",
        ),
    ],
)
def test_devices_of_the_kernel_without_a_library(
    healthy: Path, answers: list[tuple[str, str, str, int]], status: str, found_text: str
) -> None:
    (finding,) = find(healthy, "software.rdma-libraries", *answers)
    assert (finding.status, finding.found) == (status, found_text)
    if status == "fail":
        assert (finding.summary, finding.expected) == (
            "no RDMA device has a user-space library",
            "a library for each device",
        )
