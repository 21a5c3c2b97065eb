"""Which hosts a command is for: in a Slurm allocation those of the allocation, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.cli import flows
from wirespeed.cli.host_selection import list_allocated_hosts, list_chosen_hosts
from wirespeed.errors import Refusal
from wirespeed.plan import Plan


@pytest.fixture(scope="module")
def plan() -> Plan:
    return flows.plan_cluster(Path(__file__).parents[2] / "examples" / "mi300x-4node" / "cluster.yaml")


@pytest.mark.parametrize(
    ("nodes", "option", "hosts"),
    [
        ("node[1-4]", None, ["node1", "node2", "node3", "node4"]),
        ("node3,node1", None, ["node1", "node3"]),
        ("login1,node[2-3],storage[01-12]", None, ["node2", "node3"]),
        ("node[1-3]", "node[3,1]", ["node1", "node3"]),
    ],
)
def test_hosts_of_an_allocation(
    plan: Plan, monkeypatch: pytest.MonkeyPatch, nodes: str, option: str | None, hosts: list[str]
) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "17")
    monkeypatch.setenv("SLURM_JOB_NODELIST", nodes)
    assert list_allocated_hosts(plan, option) == hosts


@pytest.mark.parametrize(
    ("nodes", "option", "message"),
    [
        (
            "node[1-2]",
            "node[2-3]",
            "--hosts: node3 is not a node of job 17\n  hint: its nodes are node[1-2]",
        ),
        ("rack[1-8]", None, "--launcher slurm: no node of job 17 (rack[1-8]) is a host of mi300x-4node"),
        (None, None, "--launcher slurm: no node of job 17 (no nodes) is a host of mi300x-4node"),
        (
            "node[1-",
            None,
            "SLURM_JOB_NODELIST: found 'node[1-'; expected a name or a node range such as node[001-128,130]\n"
            "  hint: a bracket is not closed, or not opened",
        ),
    ],
)
def test_hosts_outside_of_it_are_refused(
    plan: Plan, monkeypatch: pytest.MonkeyPatch, nodes: str | None, option: str | None, message: str
) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "17")
    monkeypatch.delenv("SLURM_JOB_NODELIST", raising=False)
    if nodes is not None:
        monkeypatch.setenv("SLURM_JOB_NODELIST", nodes)
    with pytest.raises(Refusal) as refusal:
        list_allocated_hosts(plan, option)
    assert str(refusal.value) == message


def test_without_a_range_it_is_for_all(plan: Plan) -> None:
    assert list_chosen_hosts(plan, None) is None
