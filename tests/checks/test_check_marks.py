"""What a platform knows from memory only: another value in such an answer warns, and nothing of it fails.

Each row edits what one device of a planned cluster prints. The same edit of a form that is known fails.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from platforms.launches import LAUNCHES
from wirespeed.checks import run
from wirespeed.cluster import read as read_cluster
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.plan import Plan, build

EXAMPLES = Path(__file__).parents[2] / "examples"


@cache
def _plan(example: str) -> Plan:
    return build(read_cluster(EXAMPLES / example / "cluster.yaml"))


def _plan_with_launch(library: str) -> Plan:
    """The four hosts with a launch of another library."""
    plan = _plan("mi300x-4node")
    launch = next(launch for launch in LAUNCHES[library] if launch.library == library)
    planned_settings = replace(launch, rdma_devices=plan.hosts["node1"].launch.rdma_devices, gid_index=3)
    return replace(plan, hosts={name: replace(host, launch=planned_settings) for name, host in plan.hosts.items()})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cluster", "file", "pattern", "replacement", "check", "status"),
    [
        ("mi300x-4node", "nvm-dcbx-mode@enp29s0np0", "Disabled|disabled|= 0", "Enabled", "nic.nvm-dcbx", "warn"),
        ("mi300x-4node", "niccli-qos@enp29s0np0", "PFC enabled: 3", "PFC enabled: 4", "nic.qos-pfc", "fail"),
        ("mi300x-4node", "redfish-bios", "NotConfigured", "HpcProfile", "host.bios", "warn"),
        ("mi300x-4node", "redfish-bios", "PerfOptimized", "Custom", "host.bios", "fail"),
        (
            "mvapich2",
            "mvapich2-conf",
            "MV2_DEFAULT_GID_INDEX *= *3",
            "MV2_DEFAULT_GID_INDEX = 1",
            "launch.gid-index",
            "fail",
        ),
        (
            "mvapich3",
            "mvapich3-scripts",
            "MVP_DEFAULT_GID_INDEX=3",
            "MVP_DEFAULT_GID_INDEX=1",
            "launch.gid-index",
            "warn",
        ),
    ],
)
def test_a_form_from_memory_warns_at_worst(
    tmp_path: Path, cluster: str, file: str, pattern: str, replacement: str, check: str, status: str
) -> None:
    plan = _plan_with_launch(cluster) if cluster in LAUNCHES else _plan(cluster)
    write_planned_bundle(plan, tmp_path / "b")
    path = next((tmp_path / "b" / "node1").glob(f"{file}.out"))
    text = path.read_text()
    changed_text = re.sub(pattern, replacement, text)
    assert changed_text != text, text
    path.write_text(changed_text)
    findings = [
        finding
        for finding in run(plan, read_facts(tmp_path / "b"))
        if finding.device == "node1" and finding.check == check
    ]
    assert {str(value.status) for value in findings if value.status not in ("pass", "skip")} == {status}
