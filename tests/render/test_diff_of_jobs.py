"""``diff`` of a bundle: configuration files of jobs that are absent, and host files that Slurm does not have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import wirespeed

CLUSTER = """\
version: 1
name: c
hosts:
  node[1-2]: {model: HOST, control_interface: eno1}
switches:
  leaf1: {model: dell-z9664f, os: dell-sonic, role: leaf}
cabling: {pattern: by-host, length: 3 m}
addresses: {scheme: link-31, pool: 10.1.0.0/16}
launch: {library: LIBRARY, launcher: LAUNCHER}
"""
CPU_HOST = "dell-r740-xeon-5218, os: ubuntu-20.04, nics: 1 x broadcom-bcm957508-p2100g"
GPU_HOST = "dell-xe9680-mi300x, os: ubuntu-22.04, nics: 8 x broadcom-bcm957608-p1400gd"


def collect_as_planned(folder: Path, host: str, library: str, launcher: str) -> tuple[Path, Path]:
    file, bundle = folder / "cluster.yaml", folder / "bundle"
    text = CLUSTER.replace("HOST", host).replace("LIBRARY", library).replace("LAUNCHER", launcher)
    file.write_text(text, encoding="utf-8")
    assert wirespeed("collect", "--as-planned", file, "-o", bundle).returncode == 0
    return file, bundle


@pytest.mark.parametrize(
    ("host", "library", "launcher"),
    [
        (CPU_HOST, "mvapich2", "mpirun-rsh"),
        (CPU_HOST, "mvapich2", "slurm"),
        (CPU_HOST, "mvapich3", "hydra"),
        (CPU_HOST, "mvapich3", "slurm"),
        (CPU_HOST, "openmpi", "mpirun"),
        (CPU_HOST, "openmpi", "slurm"),
        (GPU_HOST, "rccl", "mpirun"),
        (GPU_HOST, "rccl", "slurm"),
    ],
)
def test_hosts_as_planned_do_not_differ(host: str, library: str, launcher: str, tmp_path: Path) -> None:
    result = wirespeed("diff", *collect_as_planned(tmp_path, host, library, launcher))
    assert (result.returncode, result.stdout) == (0, "no differences\n")


@pytest.mark.parametrize(
    ("message", "code", "lines"),
    [
        (
            "cat: /etc/wirespeed/mvapich2-hosts: No such file or directory\n",
            1,
            [
                "node1 host.launch.hosts: expected node1, node2, absent (no /etc/wirespeed/mvapich2-hosts)",
                "node1 host.launch.ranks_per_host: expected 1, absent (no /etc/wirespeed/mvapich2-hosts)",
                "node1 host.launch.other_ranks: expected none, absent (no /etc/wirespeed/mvapich2-hosts)",
            ],
        ),
        (
            "cat: /etc/wirespeed/mvapich2-hosts: Permission denied\n",
            3,
            [
                *(
                    f"node1 host.launch.{setting}: not read (mvapich2-hosts: its output is empty: "
                    "cat: /etc/wirespeed/mvapich2-hosts: Permission denied (node1/mvapich2-hosts.out))"
                    for setting in ("hosts", "ranks_per_host", "other_ranks")
                ),
                "no differences in the settings that were read",
            ],
        ),
    ],
)
def test_an_absent_host_file(message: str, code: int, lines: list[str], tmp_path: Path) -> None:
    """A file that may not be read is unknown."""
    file, bundle = collect_as_planned(tmp_path, CPU_HOST, "mvapich2", "mpirun-rsh")
    manifest = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))
    (entry,) = (
        entry
        for device in manifest["devices"]
        if device["name"] == "node1"
        for entry in device["outputs"]
        if entry["command"] == "mvapich2-hosts"
    )
    entry |= {"exit_code": 1, "errors": "node1/mvapich2-hosts.err"}
    (bundle / entry["file"]).write_bytes(b"")
    (bundle / entry["errors"]).write_text(message, encoding="utf-8")
    (bundle / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    result = wirespeed("diff", file, bundle, columns=400)
    assert (result.returncode, result.stdout.splitlines()) == (code, lines)
