"""Benchmarks between hosts that are network namespaces: real pings, real routes, real iperf3."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from needs import needs
from netns.leaf import leaf_as_rendered
from netns.network import TOOLS, network, run
from wirespeed import render
from wirespeed.benchmarks import run as running
from wirespeed.benchmarks.suites import suite
from wirespeed.cluster import read
from wirespeed.lab import Lab
from wirespeed.plan import Plan, build
from wirespeed.results.campaign import Grade, Outcome
from wirespeed.results.mesh import Mesh

CLUSTER = Path(__file__).parents[2] / "examples" / "mi300x-4node" / "cluster.yaml"
HOSTS = ["node1", "node2"]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Plan, Lab]]:
    """Two hosts and their leaf, configured by the rendered files."""
    needs(*TOOLS, root=True)
    folder = tmp_path_factory.mktemp("lab")
    plan = build(read(CLUSTER))
    render.write(render.files(plan, [*HOSTS, "leaf1"]), folder / "out", plan.name)
    roots = {host: folder / "out" / host for host in HOSTS}
    with network(plan, roots, "leaf1", leaf_as_rendered(plan, "leaf1", folder / "out")) as built:
        yield plan, built


def ran(
    plan: Plan, built: Lab, name: str, folder: Path, step_count: int | None = None, rails: int = 8
) -> tuple[running.CampaignResult, Mesh | None]:
    """A suite, or its first steps, on the first rails."""
    fabric = running.build_fabric(plan).limit_to_hosts(HOSTS)
    fabric = replace(fabric, endpoints=tuple(endpoint for endpoint in fabric.endpoints if endpoint.rail <= rails))
    request = running.Request(plan, fabric, render.Jobs(plan), seconds=1, bind=False)
    chosen = suite(name)
    campaign = running.make(chosen, request)
    result_folder = running.create_folder(folder, replace(campaign, steps=campaign.steps[:step_count]))
    campaign_result = running.run(
        chosen,
        request,
        result_folder,
        built.reach(),
        lambda step, outcome, text: running.grade(plan, fabric, step, outcome, text),
        running.RunOptions(parallel=2, retests=0),
        lambda progress: None,
        lambda: False,
    )
    return campaign_result, running.read_mesh(request, result_folder, campaign_result)


@pytest.mark.slow
def test_a_mesh_is_good_throughout_and_what_is_not_measured_is_unknown(lab: tuple[Plan, Lab], tmp_path: Path) -> None:
    campaign_result, mesh = ran(*lab, "mesh", tmp_path)
    assert mesh is not None
    assert {(row, grade): mesh.count(row, grade) for row in ("ping", "route") for grade in Grade} == {
        (row, grade): 128 if grade is Grade.GOOD else 0 for row in ("ping", "route") for grade in Grade
    }
    assert mesh.count("rdma", Grade.GOOD) == 0  # no RDMA devices here, or no perftest
    pings = [campaign_result.latest[step.id] for step in campaign_result.steps if step.test == "mesh ping"]
    assert [(ping.grade, ping.detail) for ping in pings] == [(Grade.GOOD, "128 of 128 good")] * 2


def test_iperf3_is_run_and_judged(lab: tuple[Plan, Lab], tmp_path: Path) -> None:
    needs("iperf3")
    campaign_result, _ = ran(*lab, "tcp", tmp_path, step_count=2)
    attempts = [campaign_result.latest[step.id] for step in campaign_result.steps]
    assert [attempt.status for attempt in attempts] == [Outcome.DONE] * 2
    assert all(" Gb/s" in (attempt.detail or "") for attempt in attempts)
    assert {step.client.host for step in campaign_result.steps} == {"node1"}


def test_an_interface_that_is_down_is_a_row_and_a_column(lab: tuple[Plan, Lab], tmp_path: Path) -> None:
    plan, built = lab
    interface = list(plan.hosts["node2"].nics)[2]
    run("ip", "-n", built.namespace("node2"), "link", "set", "dev", interface, "down")
    _, mesh = ran(plan, built, "mesh", tmp_path, step_count=2, rails=4)
    assert mesh is not None
    assert mesh.rows("ping") == ["    ..x."] * 4 + ["....    "] * 2 + ["xxxx    "] + ["....    "]
    assert mesh.rows("route") == ["    ...."] * 4 + ["....    "] * 2 + ["xxxx    "] + ["....    "]
    assert mesh.rows("rdma") == ["    ????"] * 4 + ["????    "] * 4  # its steps were left out
    details = mesh.cells["node2:bnxt_re2", "node1:bnxt_re0"].details
    assert details[1].startswith("route: planned via 10.1.0.20 dev enp86s0np0 table 103, found none: ")
