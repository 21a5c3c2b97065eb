"""What is rendered for two hosts and the leaf, loaded into a real kernel."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from needs import needs
from netns.leaf import leaf_as_rendered
from netns.network import NETPLAN, TOOLS, network, run
from netns.reach import verify
from wirespeed import render
from wirespeed.cluster import read
from wirespeed.lab.names import interfaces
from wirespeed.plan import Plan, build

EXAMPLES = Path(__file__).parents[2] / "examples" / "mi300x-4node"
HOSTS = ("node1", "node2")
CLUSTERS = ("cluster.yaml", "cluster-rail24.yaml", "cluster-eos.yaml", "cluster-eos-rail24.yaml", "cluster-ipv6.yaml")


def render_hosts(cluster: str, folder: Path) -> tuple[Plan, dict[str, Path]]:
    plan = build(read(EXAMPLES / cluster))
    render.write(render.files(plan, [*HOSTS, "leaf1"]), folder, plan.name)
    return plan, {host: folder / host for host in HOSTS}


@pytest.mark.slow
@pytest.mark.parametrize("cluster", CLUSTERS)
def test_every_pair_of_nics_is_reached_along_the_planned_path(cluster: str, tmp_path: Path) -> None:
    needs(*TOOLS, root=True)
    plan, roots = render_hosts(cluster, tmp_path / "out")
    with network(plan, roots, "leaf1", leaf_as_rendered(plan, "leaf1", tmp_path / "out")) as built:
        assert verify(plan, built, *HOSTS) == []


def test_a_packet_without_a_source_leaves_by_a_rail(tmp_path: Path) -> None:
    """Broadcom 957608-AN210, section 2.4.2, sends it by table 101; the management default route had it otherwise."""
    needs(*TOOLS, root=True)
    plan, roots = render_hosts("cluster.yaml", tmp_path / "out")
    remote = (plan.hosts["node2"].nics["enp86s0np0"].addresses or ("",))[0].partition("/")[0]
    with network(plan, roots, "leaf1", leaf_as_rendered(plan, "leaf1", tmp_path / "out")) as built:
        namespace = built.namespace("node1")
        for line in (
            "link add mgmt type veth peer name switch",
            "link set switch up",
            "address add 10.77.69.2/24 dev mgmt",
            "link set mgmt up",
            "route add default via 10.77.69.1 dev mgmt",
        ):
            run("ip", "-n", namespace, *line.split())
        answers = [
            run("ip", "-o", "-n", namespace, "route", "get", target).split()[:7]
            for target in (remote, "10.77.69.9", "192.0.2.1")
        ]
        by_interface = run("ip", "-o", "-n", namespace, "route", "get", remote, "oif", "enp67s0np0").split()[:7]
        run("ip", "-n", namespace, "link", "set", "enp29s0np0", "down")
        in_order = [run("ip", "-o", "-n", namespace, "route", "get", remote).split()[:7]]
        run("ip", "-n", namespace, "link", "set", "enp67s0np0", "down")
        in_order.append(run("ip", "-o", "-n", namespace, "route", "get", remote).split()[:7])
    assert answers == [
        [remote, "via", "10.1.0.0", "dev", "enp29s0np0", "src", "10.1.0.1"],
        ["10.77.69.9", "dev", "mgmt", "src", "10.77.69.2", "uid", "0"],
        ["192.0.2.1", "via", "10.77.69.1", "dev", "mgmt", "src", "10.77.69.2"],
    ]
    second = [remote, "via", "10.1.0.2", "dev", "enp67s0np0", "src", "10.1.0.3"]
    assert by_interface == second  # traceroute -i
    assert in_order == [second, [remote, "via", "10.1.0.4", "dev", "enp86s0np0", "src", "10.1.0.5"]]


@pytest.mark.slow
def test_the_next_rail_takes_over_when_the_switch_ends_a_link(tmp_path: Path) -> None:
    """Without carrier systemd-networkd removes the addresses and routes of the interface."""
    needs(*TOOLS, root=True)
    plan, roots = render_hosts("cluster.yaml", tmp_path / "out")
    remote = (plan.hosts["node2"].nics["enp86s0np0"].addresses or ("",))[0].partition("/")[0]
    first_cable = next(cable for cable in plan.cables if cable.a.device == "node1")
    with network(plan, roots, "leaf1", leaf_as_rendered(plan, "leaf1", tmp_path / "out")) as built:
        port = interfaces(plan.switches["leaf1"].ports)[first_cable.b.port]
        run("ip", "-n", built.namespace("leaf1"), "link", "set", port, "down")
        end = time.monotonic() + 20
        path = []
        while path[3:4] != ["enp67s0np0"] and time.monotonic() < end:
            time.sleep(0.1)
            path = ["", *run("ip", "-o", "-n", built.namespace("node1"), "route", "get", remote).split()[1:7]]
    assert path == ["", "via", "10.1.0.2", "dev", "enp67s0np0", "src", "10.1.0.3"]


def no_rule(nic: dict[str, Any]) -> None:
    del nic["routing-policy"]


def no_route(nic: dict[str, Any]) -> None:
    nic["routes"].remove([route for route in nic["routes"] if route["table"] != 254][-1])


def no_address(nic: dict[str, Any]) -> None:
    # Its routes and rule stay: networkd must then fail to serve them.
    nic["addresses"] = []


@pytest.mark.parametrize("cluster", ["cluster.yaml", "cluster-rail24.yaml"])
@pytest.mark.parametrize("change", [no_rule, no_route, no_address])
def test_one_thing_removed_is_found(cluster: str, change: Callable[[dict[str, Any]], None], tmp_path: Path) -> None:
    needs(*TOOLS, root=True)
    plan, roots = render_hosts(cluster, tmp_path / "out")
    document = yaml.safe_load((roots["node1"] / NETPLAN).read_text())
    change(document["network"]["ethernets"]["enp67s0np0"])
    (roots["node1"] / NETPLAN).write_text(yaml.safe_dump(document))
    address = (plan.hosts["node1"].nics["enp67s0np0"].addresses or ("",))[0]
    removed_rule = ("enp67s0np0", address.partition("/")[0] + "/32")
    with network(
        plan, roots, "leaf1", leaf_as_rendered(plan, "leaf1", tmp_path / "out"), omissions=removed_rule
    ) as built:
        problems = verify(plan, built, *HOSTS)
    assert problems
    assert all(address.partition("/")[0] in problem for problem in problems)
