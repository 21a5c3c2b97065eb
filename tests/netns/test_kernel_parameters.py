"""Kernel parameters of a tuned host, written to a real kernel in the order of the rendered file and of a fix."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from needs import needs
from wirespeed import render
from wirespeed.cluster import read
from wirespeed.plan import Plan, build
from wirespeed.results.findings import Change

CLUSTER = Path(__file__).parents[2] / "examples" / "esnet-400g" / "cluster.yaml"
THRESHOLDS = "net.ipv4.ipfrag_low_thresh net.ipv4.ipfrag_high_thresh"


@pytest.fixture(scope="module")
def plan() -> Plan:
    needs("unshare", "sysctl", root=True)
    return build(read(CLUSTER))


def run_in_new_network(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["unshare", "--net", "sh", "-ec", script], capture_output=True, text=True, check=False)


def test_the_kernel_accepts_the_file(plan: Plan, tmp_path: Path) -> None:
    """The parameters of fragments: a new network namespace has the defaults of a booted host."""
    (file,) = [file for file in render.files(plan, ["node1"]) if file.path == "/etc/sysctl.d/90-wirespeed.conf"]
    lines = [line for line in file.text.splitlines() if line.startswith("net.ipv4.ipfrag_")]
    (tmp_path / "90.conf").write_text("".join(f"{line}\n" for line in lines))
    process = run_in_new_network(f"sysctl -q -p {tmp_path / '90.conf'}; sysctl -n {THRESHOLDS}")
    assert (process.returncode, process.stderr, process.stdout.split()) == (0, "", ["446464", "512000"])


@pytest.mark.parametrize("name", THRESHOLDS.split())
def test_the_kernel_accepts_the_fix_of_one_parameter(plan: Plan, name: str) -> None:
    change_commands = render.commands_for(plan, "node1", Change(f"node1 sysctl {name}", "sysctl.value", "4194304"))
    assert change_commands is not None
    writes = [line for line in change_commands.commands if line.startswith("sysctl -w")]
    process = run_in_new_network(" && ".join(writes))
    assert (process.returncode, process.stderr) == (0, "")


def test_the_fix_of_a_qdisc_makes_the_queues_anew(plan: Plan) -> None:
    """Replacing an mq by an mq leaves its queues as they are; a namespace has the machine's default discipline."""
    needs("tc")
    change = render.commands_for(plan, "node1", Change("node1 nic eth100", "nic.qdisc", "pfifo"))
    assert change is not None
    fix = "\n".join(line for line in change.commands if line.startswith("tc "))
    show = "tc qdisc show dev eth100 | cut -d ' ' -f 2 | sort | uniq -c"
    process = run_in_new_network(
        f"""ip link add eth100 numtxqueues 2 type veth peer name peer numtxqueues 2
        tc qdisc replace dev eth100 root mq
        {show}
        tc qdisc replace dev eth100 root handle 1: mq
        for queue in 1 2; do tc qdisc replace dev eth100 parent 1:$queue pfifo; done
        {fix}
        {show}"""
    )
    assert (process.returncode, process.stderr) == (0, "")
    lines = process.stdout.splitlines()
    assert lines[: len(lines) // 2] == lines[len(lines) // 2 :]
    assert "pfifo" not in process.stdout.split()
