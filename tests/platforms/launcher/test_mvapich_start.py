"""The start of MVAPICH's jobs with mpirun_rsh: host names for a few ranks, a host file for many."""

from __future__ import annotations

import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from launches import LAUNCHES

from wirespeed.platforms import Job
from wirespeed.platforms.launcher.mvapich import start
from wirespeed.reach import LONGEST_COMMAND, Call
from wirespeed.settings import Host

LAUNCH = replace(LAUNCHES["mvapich2"][0], launcher="mpirun-rsh", environment={"MINE": "a 'b' $c, %s"})


def build_command(hosts: int, ranks: int, name: str) -> tuple[str, ...]:
    names = tuple(f"{name}{number:03}" for number in range(1, hosts + 1))
    return start(Job(names, ranks, ("./osu allreduce", "-m", "$x"), Host(launch=LAUNCH)))


@pytest.mark.parametrize(
    ("hosts", "ranks", "arguments", "host_file"),
    [
        (2, 1, ["-np", "2", "n001", "n002"], []),
        (2, 8, ["-np", "16", *["n001"] * 8, *["n002"] * 8], []),
        (2, 9, ["-np", "18", "-hostfile", "/dev/fd/3"], ["n001:9", "n002:9"]),
        (3, 128, ["-np", "384", "-hostfile", "/dev/fd/3"], ["n001:128", "n002:128", "n003:128"]),
    ],
)
def test_mpirun_rsh_gets_a_host_file_of_many_ranks(
    tmp_path: Path, hosts: int, ranks: int, arguments: list[str], host_file: list[str]
) -> None:
    """A host and its number of ranks on each line (MVAPICH2 2.3.7 user guide, section 5.2.1)."""
    program = tmp_path / "mpirun_rsh"
    program.write_text('#!/bin/sh\nfor word; do echo "[$word]"; done\n[ "$3" != -hostfile ] || cat "$4"\nexit 7\n')
    program.chmod(0o755)
    text = shlex.join(build_command(hosts, ranks, "n"))
    path = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    process = subprocess.run(["sh", "-c", text], capture_output=True, text=True, env=path, check=False)
    lines = process.stdout.splitlines()
    words = [line[1:-1] for line in lines if line.startswith("[")]
    assert (process.returncode, process.stderr) == (7, "")
    assert words[: len(arguments)] == arguments
    assert "=" in words[len(arguments)]
    assert words[-5:] == ["MINE=a 'b' $c, %s", "OMP_NUM_THREADS=4", "./osu allreduce", "-m", "$x"]
    assert [line for line in lines if not line.startswith("[")] == host_file


def test_a_job_of_8192_ranks_is_shorter_than_the_longest_argument() -> None:
    """With a name for each rank it had 221,907 bytes on 64 hosts with such names."""
    command = build_command(64, 128, "dc1-rack07-compute-gpu-")
    assert Call("dc1-rack07-compute-gpu-001", command, 198).length < LONGEST_COMMAND // 20
