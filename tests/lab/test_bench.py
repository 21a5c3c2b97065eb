"""Benchmarks between the hosts of a lab: real iperf3, real MPI ranks, and nothing left of what they needed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from labs import built
from typer.testing import CliRunner

from needs import needs
from ssh_server import first_port
from wirespeed import lab
from wirespeed.benchmarks import read
from wirespeed.cli.app import app
from wirespeed.errors import Refusal
from wirespeed.lab import state
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import RunStatus

pytestmark = pytest.mark.lab

PROGRAMS = Path(__file__).parents[1] / "mpi"
CLUSTER = """
version: 1
name: small
hosts:
  node[1-2]: {model: dell-xe9680-mi300x, os: ubuntu-22.04, nics: 2 x broadcom-bcm957608-p1400gd}
switches:
  leaf1: {model: dell-z9664f, os: dell-sonic, role: leaf}
cabling: {pattern: by-host, cable: dac-400g, length: 3 m}
addresses: {scheme: link-31, pool: 10.1.0.0/16}
"""
NIC = "enp29s0np0"


@pytest.fixture(scope="module")
def two_hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Plan, lab.Lab]]:
    """Two hosts with two NICs each, and their leaf."""
    file = tmp_path_factory.mktemp("cluster") / "cluster.yaml"
    file.write_text(CLUSTER)
    with built(file, 2, "bench") as two_host_lab:
        yield two_host_lab


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our own MPI programs, under OSU's names."""
    needs("mpicc", "mpirun")
    folder = tmp_path_factory.mktemp("programs")
    for source in PROGRAMS.glob("*.c"):
        subprocess.run(["mpicc", "-O1", "-o", folder / source.stem, source], check=True)
    return folder


def ran(built_lab: lab.Lab, *command: str) -> tuple[dict[str, dict[str, Any]], str]:
    """Attempts by step, and the announcement."""
    arguments = ["lab", "bench", *command, "--name", built_lab.name, "-f", "json", "--port", first_port()]
    completed = CliRunner().invoke(app, arguments)
    document = json.loads(completed.stdout)
    assert document["cluster"] == f"lab {built_lab.name}"
    return {row["step"]: row["attempt"] for row in document["steps"]}, completed.stderr


def lab_namespaces(built_lab: lab.Lab) -> list[str]:
    """Those there are now."""
    return [path.name for path in Path("/run/netns").glob(f"wsl-{built_lab.name}-*")]


def count_sent_bytes(built_lab: lab.Lab, host: str, interface: str) -> int:
    """Bytes that an interface has sent."""
    statistics = built_lab.run(host, "ip", "-json", "-statistics", "link", "show", "dev", interface)
    sent_bytes: int = json.loads(statistics.stdout)[0]["stats64"]["tx"]["bytes"]
    return sent_bytes


def test_iperf3_stands_against_the_labs_own_limit(two_hosts: tuple[Plan, lab.Lab], tmp_path: Path) -> None:
    needs("iperf3")
    _, built_lab = two_hosts
    bytes_at_start = count_sent_bytes(built_lab, "node1", NIC)
    steps, announced = ran(built_lab, "tcp", "-o", str(tmp_path / "tcp"), "--seconds", "1")
    assert "not the speed of the cluster" in announced
    assert {step["status"] for step in steps.values()} == {"done"}
    direct = [name for name in steps if name.startswith("direct.")]
    assert (len(direct), len(steps)) == (2, 6)  # both directions; two NICs in both directions
    assert {steps[name]["grade"] for name in direct} == {"skip"}
    for name in steps.keys() - set(direct):
        assert "(baseline)" in steps[name]["detail"]
    assert count_sent_bytes(built_lab, "node1", NIC) - bytes_at_start > 1 << 20


def test_ranks_of_mpi_run_on_hosts_without_sshd_over_the_nics(
    two_hosts: tuple[Plan, lab.Lab], programs: Path, tmp_path: Path
) -> None:
    _, built_lab = two_hosts
    bytes_at_start = {nic: count_sent_bytes(built_lab, "node1", nic) for nic in (NIC, "enp67s0np0")}
    steps, _ = ran(built_lab, "mpi", "-o", str(tmp_path / "mpi"), "--path", str(programs))
    step_by_name = {name.partition(".node1")[0]: step for name, step in steps.items() if not name.startswith("direct.")}
    statuses = {name: step["status"] for name, step in step_by_name.items()}
    assert statuses == {
        "osu-latency": "done",
        "osu-bw": "done",
        "osu-bibw": "missing",
        "osu-mbw-mr": "missing",
        "osu-init-leaf": "missing",
        "osu-mbw-mr-leaf": "missing",
        "osu-allreduce-leaf": "done",
        "osu-alltoall-leaf": "missing",
    }
    # With few cores, a value of the smallest message may be printed as 0; the report then states that there was none.
    assert re.search(r"\(baseline\)|baseline gave no such figure", step_by_name["osu-bw"]["detail"])
    assert step_by_name["osu-latency"]["grade"] == "skip"
    logs = [tmp_path / "mpi" / step["log"] for name, step in step_by_name.items() if statuses[name] == "done"]
    runs = [run for log in logs for run in read(log.read_text(), log.name).runs]
    assert [run.status for run in runs] == [RunStatus.COMPLETE] * 3
    # 16 messages of 4 MiB in one direction, and more in the other.
    assert sum(count_sent_bytes(built_lab, "node1", nic) - bytes_ for nic, bytes_ in bytes_at_start.items()) > 64 << 20


def test_what_benchmarks_need_is_gone_afterwards_and_after_a_kill(two_hosts: tuple[Plan, lab.Lab]) -> None:
    _, built_lab = two_hosts
    namespaces = set(lab_namespaces(built_lab))
    assert namespaces == {device.namespace for device in built_lab.state.devices}
    with lab.benchmark_network(built_lab, 9000) as whole:
        assert set(whole.hosts) == {"node1", "node2", *lab.PAIR}
        assert len(lab_namespaces(built_lab)) == len(namespaces) + 3
        with pytest.raises(Refusal, match="benchmarks that run in it"), lab.benchmark_network(built_lab, 9000):
            pass
        sizes = [whole.run(host, "cat", f"/sys/class/net/{lab.PAIR_INTERFACE}/mtu").stdout for host in lab.PAIR]
        assert sizes == [b"9000\n"] * 2
        agent = whole.run("node1", *lab.AGENT, "node2", "hostname; ls -d /run/systemd")
        assert agent.stdout.decode().split() == ["node2", "/run/systemd"]
        stranger = whole.run("node1", *lab.AGENT, "node3", "hostname")
        assert (stranger.exit_code, stranger.stderr.decode()) == (1, "no host node3 in this lab\n")
    assert set(lab_namespaces(built_lab)) == namespaces
    assert lab.CONTROL not in built_lab.run("node1", "ls", "/sys/class/net").stdout.decode().split()


def test_what_a_killed_run_left_is_no_hindrance(two_hosts: tuple[Plan, lab.Lab], tmp_path: Path) -> None:
    needs("iperf3")
    _, built_lab = two_hosts
    arguments = [
        "bench",
        "tcp",
        "--name",
        built_lab.name,
        "-o",
        str(tmp_path / "out"),
        "--seconds",
        "60",
        "--port",
        first_port(),
    ]
    running = subprocess.Popen([sys.executable, "-m", "wirespeed", "lab", *arguments], stderr=subprocess.DEVNULL)
    while not (built_lab.folder("node1") / "run" / "wirespeed-enter").exists():  # the last that is made
        assert running.poll() is None
        time.sleep(0.05)
    running.kill()
    running.wait()
    assert built_lab.namespace("node1").replace("node1", "direct-1") in lab_namespaces(built_lab)
    assert sorted(path.name for path in state.ROOT.glob(f"{built_lab.name}*")) == [
        built_lab.name,
        f"{built_lab.name}.lock",
    ]
    with lab.benchmark_network(built_lab, None) as whole:
        assert whole.run("direct-1", "ping", "-nq", "-c1", "-w5", "198.19.0.1").exit_code == 0
    assert set(lab_namespaces(built_lab)) == {device.namespace for device in built_lab.state.devices}


def test_commands_are_shown_and_none_is_run(two_hosts: tuple[Plan, lab.Lab]) -> None:
    _, built_lab = two_hosts
    completed = CliRunner().invoke(app, ["lab", "bench", "--name", built_lab.name, "--dry-run"])
    lines = completed.stdout.splitlines()
    assert f"wirespeed lab exec --name {built_lab.name} node2 -- iperf3 -s -1 -B 10.1.0.5 -p 18600  # server" in lines
    assert set(lab_namespaces(built_lab)) == {device.namespace for device in built_lab.state.devices}


@pytest.mark.parametrize("suite", ["pairs", "collectives", "mesh"])
def test_what_a_namespace_cannot_run_is_refused(two_hosts: tuple[Plan, lab.Lab], suite: str) -> None:
    with pytest.raises(Refusal) as refusal:
        CliRunner().invoke(app, ["lab", "bench", suite, "--name", two_hosts[1].name], catch_exceptions=False)
    problem = refusal.value.problems[0]
    assert (problem.found, problem.expected) == (
        f"the suite {suite}, which needs RDMA or GPUs",
        "one of gpcnet, mpi, ping, tcp, udp",
    )
