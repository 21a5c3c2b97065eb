"""Configuration files of jobs that are planned and do not exist: a failure, and no advice to collect again."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from wirespeed.checks import run
from wirespeed.cluster import read_text
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.plan import Plan, build
from wirespeed.plan.locate import locate
from wirespeed.results.findings import Status

CLUSTER = """\
version: 1
name: c
hosts:
  node[1-2]: {model: HOST}
switches:
  leaf1: {model: dell-z9664f, os: dell-sonic, role: leaf}
cabling: {pattern: by-host}
addresses: {scheme: link-31, pool: 10.1.0.0/16}
launch: LAUNCH
"""
CPU_HOST = "dell-r740-xeon-5218, os: ubuntu-20.04, nics: 1 x broadcom-bcm957508-p2100g"
GPU_HOST = "dell-xe9680-mi300x, os: ubuntu-22.04, nics: 8 x broadcom-bcm957608-p1400gd"
MISSING = "No such file or directory"


def plan_cluster(host: str, launch: str) -> Plan:
    return build(read_text(CLUSTER.replace("HOST", host).replace("LAUNCH", launch), "c.yaml"))


def write_answers(bundle: Path, answers: dict[str, tuple[str, str]]) -> None:
    """Let commands of node1 print this output and these errors."""
    file = bundle / "manifest.json"
    manifest = json.loads(file.read_text())
    node = next(device for device in manifest["devices"] if device["name"] == "node1")
    for entry in node["outputs"]:
        if entry["command"] in answers:
            text, errors = answers[entry["command"]]
            (bundle / entry["file"]).write_text(text)
            if errors:
                entry |= {"errors": f"node1/{entry['command']}.err", "exit_code": 1}
                (bundle / entry["errors"]).write_text(errors)
    file.write_text(json.dumps(manifest))


def no_file(name: str, reason: str = MISSING) -> tuple[str, str]:
    return "", f"cat: {name}: {reason}\n"


@pytest.mark.parametrize(
    ("host", "launch", "answers", "failures", "unknown"),
    [
        (
            CPU_HOST,
            "{library: mvapich2, ranks: 16}",
            {"mvapich2-conf": no_file("/etc/mvapich2.conf")},
            ["launch.gid-index: no /etc/mvapich2.conf"],
            [],
        ),
        # of the environment of a job nothing is known without root
        (
            CPU_HOST,
            "{library: mvapich2, ranks: 16}",
            {"mvapich2-conf": no_file("/etc/mvapich2.conf"), "mvapich2-job": ("", "grep: /proc/1: Permission denied")},
            ["launch.gid-index: no /etc/mvapich2.conf"],
            [],
        ),
        (
            CPU_HOST,
            "{library: mvapich2, ranks: 16}",
            {"mvapich2-conf": no_file("/etc/mvapich2.conf", "Permission denied")},
            [],
            ["launch.gid-index", "launch.rdma-devices", "launch.variables"],
        ),
        (
            CPU_HOST,
            "{library: openmpi, ranks: 16}",
            {"ucx-conf": no_file("/etc/ucx/ucx.conf")},
            ["launch.dscp: no /etc/ucx/ucx.conf"],
            [],
        ),
        # hosts differ in the NICs of jobs: the MPI that starts collectives needs the list of the host
        (
            f"{GPU_HOST}, except: {{node2: {{nic: {{enp67s0np0: {{jobs: false}}}}}}}}",
            "{library: rccl}",
            {
                "mpi-ucx-conf": no_file("/etc/ucx/ucx.conf"),
                "ucx-conf": no_file("/etc/ucx/ucx.conf"),
            },
            ["launch.mpi-devices: no /etc/ucx/ucx.conf"],
            [],
        ),
        # Open MPI, whose mpirun starts the job, reads another file, which is not planned
        (
            GPU_HOST,
            "{library: rccl}",
            {"rccl-conf": no_file("/etc/rccl.conf"), "nccl-conf": no_file("/etc/nccl.conf")},
            ["launch.dscp: no /etc/rccl.conf or /etc/nccl.conf"],
            [],
        ),
        (
            GPU_HOST,
            "{library: rccl}",
            {"rccl-conf": no_file("/etc/rccl.conf"), "nccl-conf": ("# empty\n", "")},
            [],
            ["launch.dscp", "launch.gid-index", "launch.rdma-devices", "launch.settings", "launch.variables"],
        ),
    ],
)
def test_a_planned_file_that_does_not_exist_is_one_failure(
    tmp_path: Path,
    host: str,
    launch: str,
    answers: dict[str, tuple[str, str]],
    failures: list[str],
    unknown: list[str],
) -> None:
    plan = plan_cluster(host, launch)
    bundle = tmp_path / "bundle"
    write_planned_bundle(plan, bundle)
    write_answers(bundle, answers)
    facts = read_facts(bundle)
    findings = run(locate(plan, facts), facts)
    counted = [finding for finding in findings if finding.status is Status.FAIL and finding.cause is None]
    assert [f"{finding.check}: {finding.found}" for finding in counted] == failures
    assert all(finding.summary == "the rendered file is not installed" for finding in counted)
    assert all(
        re.search(r"/etc/\S+, which sets host\.launch\.\w+( = \w|$)", finding.expected or "") for finding in counted
    )
    assert sorted({finding.check for finding in findings if finding.status is Status.UNKNOWN}) == unknown
