"""Faults by the names of a cluster: what they are in a scenario, what a run shows, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from planned_scenarios import made, traffic
from small_scenarios import wirespeed

from wirespeed.cli.exit import Exit
from wirespeed.cluster import read
from wirespeed.errors import Refused
from wirespeed.plan import Plan, build
from wirespeed.simulation.opened import open_folder

FABRIC = Path(__file__).parents[2] / "examples" / "arista-leaf-spine"
SENT = "version: 1\ntraffic:\n  - {pattern: permutation, size: 64 kB, queue_pairs: 8}\nfaults:\n"
TIMES = "detection: 10 us, convergence: 0.2 ms"


@pytest.fixture(scope="module")
def plan() -> Plan:
    return build(read(FABRIC / "cluster.yaml"))


def faults(plan: Plan, folder: Path, entry: str) -> list[dict[str, object]]:
    _, document = made(plan, folder, f"{SENT}  - {{{entry}}}\n")
    return document["faults"]


def test_a_device_is_its_node(plan: Plan, tmp_path: Path) -> None:
    (fault,) = faults(plan, tmp_path, f"kind: link-down, node: spine1, start: 1.5 us, until: 3 ms, {TIMES}")
    node = [*plan.hosts, *plan.switches].index("spine1")
    times = {"from_ns": 1500, "until_ns": 3_000_000, "detection_ns": 10_000, "convergence_ns": 200_000}
    assert fault == {"kind": "link-down", "node": node, **times}


def test_a_port_is_its_cable_by_either_end(plan: Plan, tmp_path: Path) -> None:
    for number, cable in enumerate(plan.cables):
        for end in (cable.a, cable.b):
            (fault,) = faults(plan, tmp_path, f"kind: link-down, port: {end.device}:{end.port}, {TIMES}")
            times = {"detection_ns": 10_000, "convergence_ns": 200_000}
            assert fault == {"kind": "link-down", "link": number, **times}


def test_without_faults_the_scenario_has_none(plan: Plan, tmp_path: Path) -> None:
    _, document = made(plan, tmp_path, SENT.removesuffix("faults:\n"))
    assert "faults" not in document


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            f"kind: link-down, node: spin1, {TIMES}",
            "5: found the node 'spin1'; expected a host or switch of the cluster\n  hint: did you mean 'spine1'?",
        ),
        (
            f"kind: link-down, port: spine1:Ethernet99/1, {TIMES}",
            "5: found the port 'spine1:Ethernet99/1'; expected a port with a cable, such as ",
        ),
        (f"kind: link-down, {TIMES}", "5: found neither node nor port; expected one of the two"),
        (
            f"kind: link-down, node: spine1, port: 'spine1:Ethernet1/1', {TIMES}",
            "5: found node and port; expected one of the two",
        ),
        (
            f"kind: link-down, node: spine1, start: 2 us, until: 2 us, {TIMES}",
            "5: found until 2 us; expected a time after its start, 2000 ns",
        ),
    ],
)
def test_what_does_not_fit(plan: Plan, tmp_path: Path, entry: str, message: str) -> None:
    with pytest.raises(Refused) as refused:
        faults(plan, tmp_path, entry)
    assert message in str(refused.value)


def test_a_failed_spine_carries_nothing_and_is_called_by_its_name(tmp_path: Path) -> None:
    out = tmp_path / "out"
    sent = traffic(tmp_path, f"{SENT}  - {{kind: link-down, node: spine1, start: 5 us, {TIMES}}}\n")
    done = wirespeed(FABRIC / "cluster.yaml", "-t", str(sent), "-o", str(out), "--format", "json")
    assert done.returncode == Exit.PASSED, done.stderr
    summary = json.loads(done.stdout)
    assert summary["completed"] == summary["flows"] == 32
    assert summary["drops"] > 0
    assert summary["losses"] > 0
    device = dict(
        zip(*pq.read_table(out / "names.parquet", columns=["port", "device"]).to_pydict().values(), strict=True)
    )
    frames = dict(
        zip(*pq.read_table(out / "ports.parquet", columns=["port", "frames"]).to_pydict().values(), strict=True)
    )
    through = {name: sum(frames[port] for port in frames if device[port] == name) for name in ("spine1", "spine2")}
    assert 0 < through["spine1"] < through["spine2"] / 2
    network = open_folder(out).network()
    assert network.names == ("node1", "node2", "node3", "node4", "leaf1", "leaf2", "spine1", "spine2")
    assert {network.names[node] for node in network.switches} == {"leaf1", "leaf2", "spine1", "spine2"}
