"""Suites through a real Slurm: srun, salloc and sbatch of the distribution, on three hosts (`slurm_cluster`)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from needs import needs
from slurm_cluster import HEAD, Slurm, slurm
from wirespeed.cli import flows

ROOT = Path(__file__).parents[3]
CLUSTER = ROOT / "examples" / "arista-leaf-spine" / "cluster.yaml"  # four hosts of one NIC, two under each leaf
HOSTS = ("node1", "node2", "node3")
PATIENCE_S = 120


@pytest.fixture(scope="module")
def cluster() -> Iterator[Slurm]:
    with slurm(flows.plan_cluster(CLUSTER), HOSTS) as started:
        yield started


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """Two of our own MPI programs that print tables as OSU's do, under OSU's names; others are not installed."""
    needs("mpicc")
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("osu_latency", "osu_allreduce"):
        source = ROOT / "tests" / "mpi" / f"{name}.c"
        subprocess.run(["mpicc", "-O1", "-o", folder / name, source], check=True)
    return folder


def bench_run(suite: str, target: Path, *options: str | Path) -> list[str]:
    """A suite by Slurm. No core is bound to: veth devices belong to no NUMA node."""
    arguments = [sys.executable, "-m", "wirespeed", "bench", "run", suite, "-c", CLUSTER, "-o", target, "--yes"]
    unbound = () if "mpi" in arguments else ("--no-bind",)  # mpirun places its ranks
    return [str(word) for word in (*arguments, "--launcher", "slurm", *unbound, "--profile", "lab", *options)]


def salloc(*command: str) -> tuple[str, ...]:
    return ("salloc", "--exclusive", "--no-kill", "--nodelist=node[1-3]", *command)


def attempts(target: Path) -> dict[str, dict[str, Any]]:
    rows = json.loads((target / "summary.json").read_text())["steps"]
    return {row["step"]: row["attempt"] for row in rows}


ANY_RATE = """\
version: 1
base: lab
title: Passes at any rate above 0, which depends on what else this machine does
fractions:
  tcp:
    pass: {value: 0, source: the test is of steps and hosts}
    warn: {value: 0, source: the test is of steps and hosts}
"""


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.slow
def test_tcp_between_the_nodes_of_an_allocation(cluster: Slurm, tmp_path: Path) -> None:
    """Of the plan's four hosts those of the job; iperf3 is real, and runs on the hosts of its step."""
    needs("iperf3")
    target, profile = tmp_path / "out", tmp_path / "any-rate.yaml"
    profile.write_text(ANY_RATE)
    options = ("--seconds", "1", "--profile", profile)
    completed = cluster.run(HEAD, *salloc(*bench_run("tcp", target, *options)))
    assert completed.returncode == 0, completed.stderr
    assert "tcp on arista-leaf-spine: 4 runs on 3 NICs of 3 hosts" in completed.stderr
    assert {name: attempt["status"] for name, attempt in attempts(target).items()} == {
        "iperf3.node1-bnxt-re0.node2-bnxt-re0": "done",
        "iperf3.node3-bnxt-re0.node1-bnxt-re0": "done",
        "iperf3.node2-bnxt-re0.node1-bnxt-re0": "done",
        "iperf3.node1-bnxt-re0.node3-bnxt-re0": "done",
    }
    assert {attempt["grade"] for attempt in attempts(target).values()} == {"good"}
    text = (target / attempts(target)["iperf3.node1-bnxt-re0.node3-bnxt-re0"]["log"]).read_text()
    log = json.JSONDecoder().raw_decode(text)[0]  # srun's own remarks follow
    assert log["start"]["system_info"].split()[1] == "node1"
    assert {(connection["local_host"], connection["remote_host"]) for connection in log["start"]["connected"]} == {
        ("10.1.0.1", "10.1.0.5")
    }
    assert (
        "% of 99 Gb/s (line rate × TCP framing)" in attempts(target)["iperf3.node1-bnxt-re0.node3-bnxt-re0"]["detail"]
    )


@pytest.mark.slow
def test_mpi_from_a_batch_script(cluster: Slurm, programs: Path, tmp_path: Path) -> None:
    """Options of the script for its tasks are not applied to the steps; what is not installed is missing."""
    target, script = tmp_path / "out", tmp_path / "script.sh"
    command = " ".join(bench_run("mpi", target, "--path", programs))
    script.write_text(
        "#!/bin/sh\n#SBATCH --nodelist=node[1-3]\n#SBATCH --exclusive\n#SBATCH --ntasks-per-node=2\n"
        f"#SBATCH --hint=nomultithread\n{command}\n"
    )
    code = cluster.batch(script, f"--output={tmp_path / 'job.log'}")
    output = (tmp_path / "job.log").read_text()
    assert code == 3, output
    assert "mpi on arista-leaf-spine: 16 runs on 3 hosts" in output
    tables = {name: attempt for name, attempt in attempts(target).items() if "latency" in name or "allreduce" in name}
    assert {name: (table["status"], table["grade"]) for name, table in tables.items()} == {
        "osu-latency.node1.node2": ("done", "skip"),
        "osu-latency.node3.node1": ("done", "skip"),
        "osu-allreduce-leaf.node1.node2": ("done", "skip"),
        "osu-allreduce-pod.node1.3-hosts.node3": ("done", "skip"),
    }
    assert {attempt["status"] for name, attempt in attempts(target).items() if name not in tables} == {"missing"}


@pytest.mark.slow
def test_ctrl_c_leaves_no_step_in_the_allocation(cluster: Slurm, tmp_path: Path) -> None:
    needs("iperf3", "pgrep")
    target = tmp_path / "out"
    command = bench_run("tcp", target, "--seconds", "600")
    # A shell that outlives the interrupted command, as a terminal's does.
    script = '"$@"; echo ended $?; while [ -n "$(squeue -h --steps)" ]; do sleep 0.1; done; echo empty'
    process = cluster.start(HEAD, *salloc("bash", "-c", script, "bash", *command))
    wait_until(lambda: len(_steps(cluster)) == 2)  # of three hosts' one pair: a server and a client
    process_id = subprocess.run(["pgrep", "-fx", " ".join(command)], capture_output=True, text=True, check=True)
    os.kill(int(process_id.stdout), signal.SIGINT)
    stdout, stderr = process.communicate(timeout=PATIENCE_S)
    assert stdout.splitlines()[-2:] == ["ended 130", "empty"], stderr
    assert f"interrupted: --resume continues the run in {target}" in stderr


def _steps(cluster: Slurm) -> list[str]:
    parts = cluster.run(HEAD, "squeue", "--noheader", "--steps", "--format=%i").stdout.split()
    return [step for step in parts if step.rpartition(".")[2].isdigit()]


@pytest.mark.lab
def test_a_node_that_fails_affects_no_result_of_others(cluster: Slurm, tmp_path: Path) -> None:
    needs("iperf3")
    target = tmp_path / "out"
    process = cluster.start(HEAD, *salloc(*bench_run("tcp", target, "--seconds", "5", "--retest", "0")))
    wait_until(lambda: len(_steps(cluster)) == 2)
    cluster.power_off("node2")
    _, stderr = process.communicate(timeout=5 * PATIENCE_S)
    cluster.boot("node2")
    grades = {name: attempt["grade"] for name, attempt in attempts(target).items()}
    assert {grade for name, grade in grades.items() if "node2" in name} <= {"bad", "unknown"}, stderr
    of_others = {grade for name, grade in grades.items() if "node2" not in name}
    assert of_others and of_others <= {"good", "warn"}, stderr  # the namespaces' links are slower than planned
    assert "unreachable: the server on node2: srun: error: " in stderr
    assert process.returncode == 1
