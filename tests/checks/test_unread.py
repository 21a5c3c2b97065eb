"""Every finding about a setting that was not read has a fix, whatever failed; proves consistency only."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import small_cluster as small

from wirespeed.catalogue import load
from wirespeed.checks import run
from wirespeed.checks.model import UnreadError
from wirespeed.checks.unread import list_reading_fixes
from wirespeed.cli.flows import add_commands
from wirespeed.cluster import read
from wirespeed.collect import read_facts
from wirespeed.facts import Gap, GapKind, Source, assemble_facts
from wirespeed.plan import build
from wirespeed.plan.locate import locate
from wirespeed.results.findings import Finding, Status

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = ("arista-leaf-spine", "mi300x-4node", "pcie-lending")


def list_unknown_findings(name: str, bundle: Path) -> list[Finding]:
    plan = build(read(EXAMPLES / name / "cluster.yaml"), load())
    facts = read_facts(bundle)
    located = locate(plan, facts)
    return [finding for finding in add_commands(plan, run(located, facts)) if finding.status is Status.UNKNOWN]


def edit_entries(bundle: Path, edit: Callable[[dict[str, Any]], dict[str, Any] | None]) -> None:
    """Edit the entry of each command, or leave it out."""
    path = bundle / "manifest.json"
    manifest = json.loads(path.read_text())
    for device in manifest["devices"]:
        device["outputs"] = [edited for entry in device["outputs"] if (edited := edit(entry)) is not None]
    path.write_text(json.dumps(manifest))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("status", ["missing", "permission", "timeout", "failed", "not-applicable", None])
def test_what_no_command_showed_has_a_fix(
    name: str, status: str | None, healthy_bundle: Callable[[str], Path], tmp_path: Path
) -> None:
    bundle = shutil.copytree(healthy_bundle(name), tmp_path / "bundle")
    change = {"status": status, "file": None, "exit_code": 1}
    edit_entries(bundle, lambda entry: None if status is None else entry | change)
    findings = list_unknown_findings(name, bundle)
    assert len(findings) > 30
    assert [(finding.check, finding.found) for finding in findings if not finding.fix] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["", "x\n"])
def test_what_no_output_contains_has_a_fix(
    name: str, text: str, healthy_bundle: Callable[[str], Path], tmp_path: Path
) -> None:
    bundle = shutil.copytree(healthy_bundle(name), tmp_path / "bundle")
    for file in bundle.glob("*/*.out"):
        file.write_text(text)
    findings = list_unknown_findings(name, bundle)
    assert len(findings) > 30
    assert [(finding.check, finding.found) for finding in findings if not finding.fix] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "check"),
    [
        ("nvm-dcbx-mode@enp29s0np0.out", "nic.nvm-dcbx"),
        ("rocm-topology.out", "gpu.links"),
        ("lspci.out", "pcie.link"),
    ],
)
def test_one_output_in_another_format_has_a_fix(
    file: str, check: str, healthy_bundle: Callable[[str], Path], tmp_path: Path
) -> None:
    bundle = shutil.copytree(healthy_bundle("mi300x-4node"), tmp_path / "bundle")
    (bundle / "node1" / file).write_text("x\n")
    findings = list_unknown_findings("mi300x-4node", bundle)
    assert check in {finding.check for finding in findings}
    assert [(finding.check, finding.found) for finding in findings if not finding.fix] == []


def test_a_setting_of_another_device_is_named_with_its_port(
    healthy_bundle: Callable[[str], Path], tmp_path: Path
) -> None:
    """A check of a NIC needs settings of the leaf's port."""
    bundle = shutil.copytree(healthy_bundle("mi300x-4node"), tmp_path / "bundle")
    (bundle / "leaf1/running-config.out").write_text("")
    (finding, *_) = [
        finding
        for finding in list_unknown_findings("mi300x-4node", bundle)
        if finding.device == "node1" and finding.check == "fabric.congestion-control"
    ]
    assert finding.found is not None and finding.found.startswith("queue.ecn.enabled of leaf1:Eth1/")
    assert finding.unread_device == "leaf1"
    assert [fix.sentence for fix in finding.fix] == ["collect leaf1 again"]


def test_the_file_for_the_next_driver_load_does_not_show_the_marks_of_now(
    healthy_bundle: Callable[[str], Path], tmp_path: Path
) -> None:
    bundle = shutil.copytree(healthy_bundle("arista-leaf-spine"), tmp_path / "bundle")
    change = {"status": "failed", "file": None, "exit_code": 2}
    edit_entries(bundle, lambda entry: entry | change if entry["command"].startswith("cc@") else entry)
    findings = [
        finding
        for finding in list_unknown_findings("arista-leaf-spine", bundle)
        if (finding.check, finding.device) == ("nic.qos-marks", "node1")
    ]
    (finding,) = findings
    assert finding.found == (
        "nic.qos.roce_dscp not read; only the file for the next driver load shows it; cc on ens7f0np0: it failed"
    )
    assert [command for fix in finding.fix for command in fix.commands] == [
        "mkdir -p /sys/kernel/config/bnxt_re/bnxt_re0",
        "# collect and check again; then:",
        "rmdir /sys/kernel/config/bnxt_re/bnxt_re0",
    ]


@pytest.mark.parametrize(
    ("gaps", "sentences"),
    [
        (
            [
                Gap("mvapich2-conf", "its output is empty", GapKind.EMPTY),
                Gap("mvapich2-job", "its output is empty", GapKind.EMPTY, needs_root=True, needs_job=True),
                Gap("nccl-job", "its output is empty", GapKind.EMPTY, needs_root=True, needs_job=True),
            ],
            [
                "start a job on node1, then collect node1 again as root: the output of mvapich2-job, nccl-job is from "
                "running jobs"
            ],
        ),
        (
            [
                Gap("lspci", "its output is empty", GapKind.EMPTY, needs_root=True),
                Gap("ethtool", "not run", GapKind.NOT_RUN),
            ],
            ["collect node1 again as root: only root sees everything that lspci reads"],
        ),
    ],
)
def test_one_fix_contains_the_fixes_that_it_includes(gaps: list[Gap], sentences: list[str]) -> None:
    fixes = list_reading_fixes("node1", UnreadError("host.launch.cores", "not read", tuple(gaps)))
    assert [fix.sentence for fix in fixes] == sentences


def test_a_program_without_a_line_may_not_be_installed() -> None:
    """A program has no default, unlike a setting of a device."""
    source = Source("node1", "job-programs", "node1/job-programs.out")
    reason = "its output does not contain the value in a known format"
    gap = Gap("job-programs", reason, GapKind.NOT_IN_OUTPUT, (source,))
    (fix,) = list_reading_fixes("node1", UnreadError("host.software.osu", "not read", (gap,)))
    assert fix.sentence == (
        "look for the program in node1/job-programs.out. If a line shows its version, report that line. If no "
        "line does, the program may not be installed"
    )
    (fix,) = list_reading_fixes("node1", UnreadError("host.cpu_governor", "not read", (gap,)))
    assert "the device uses a default value" in fix.sentence


def test_a_share_in_another_form_is_not_compared() -> None:
    """The scheduling of the queue was read, so that its scheduler was: a rate or the remainder is no share."""
    weight = (small.ROCE_QUEUE, "queue.weight")
    observed = [value for value in small.observations() if (value.place, value.path) != weight]
    findings = small.by_id("qos.scheduler", assemble_facts(observed))
    (finding,) = (finding for finding in findings if finding.status is Status.UNKNOWN)
    assert (finding.status, finding.found) == (
        Status.UNKNOWN,
        "queue.weight not read; no line shows a share in percent; another form of it, such as a rate, is not compared "
        "with a share",
    )
    assert [fix.sentence for fix in finding.fix] == [
        "look at the scheduler of the queue on leaf1, and configure its share in percent"
    ]
