"""Leaves and spines: which routes a switch must have, how it is configured, and that the real daemons find them."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from labs import EXAMPLES, ROUTERS, built

from needs import needs
from wirespeed import lab, render
from wirespeed.cluster import read
from wirespeed.errors import Refusal
from wirespeed.lab.design import list_links
from wirespeed.lab.fabric import build_switch, link_local, list_expected_routes
from wirespeed.plan import build
from wirespeed.reach import Status

CLUSTER = EXAMPLES / "arista-leaf-spine" / "cluster.yaml"
_ADDRESSES = "addresses: {scheme: link-31, pool: 10.1.0.0/24, fabric: 10.2.0.0/24, loopbacks: 10.255.0.0/24}"
_ROUTING = "routing: {underlay: bgp-numbered, bfd: true}"
UNDERLAYS = {
    "numbered": (_ADDRESSES, _ROUTING),
    "unnumbered": (
        "addresses: {scheme: link-31, pool: 10.1.0.0/24, loopbacks: 10.255.0.0/24}",
        "routing: {underlay: bgp-unnumbered}",
    ),
    "numbered 6": (
        "addresses: {scheme: link-127, pool: fd00::/64, fabric: fd01::/64, loopbacks: 10.255.0.0/24}",
        _ROUTING,
    ),
    "subnets 6": (
        "addresses: {scheme: leaf-64, pool: fd00::/48, loopbacks: 10.255.0.0/24}",
        "routing: {underlay: bgp-unnumbered, bfd: true}",
    ),
    "subnets": (
        "addresses: {scheme: leaf-26, pool: 10.1.0.0/16, fabric: 10.2.0.0/24, loopbacks: 10.255.0.0/24}",
        "routing: {underlay: bgp-numbered}",
    ),
}


def cluster_with(underlay: str, folder: Path) -> Path:
    """The example with other addresses and routing."""
    addresses, routing = UNDERLAYS[underlay]
    path = folder / "cluster.yaml"
    path.write_text(CLUSTER.read_text().replace(_ADDRESSES, addresses).replace(_ROUTING, routing))
    return path


def test_every_switch_needs_every_subnet_of_hosts_over_all_its_paths() -> None:
    plan = build(read(CLUSTER))
    links = list_links(plan, list(plan.devices))
    switches = {name: build_switch(plan, name, links) for name in plan.switches}
    routes = {
        name: {network: [hop.neighbour.device for hop in hops] for network, hops in networks.items()}
        for name, networks in list_expected_routes(switches, links).items()
    }
    up = ["spine1", "spine1", "spine2", "spine2"]
    down = {
        f"10.1.0.{last}/31": [leaf, leaf] for leaf, lasts in (("leaf1", (0, 2)), ("leaf2", (4, 6))) for last in lasts
    }
    assert routes == {
        "leaf1": {"10.1.0.4/31": up, "10.1.0.6/31": up},
        "leaf2": {"10.1.0.0/31": up, "10.1.0.2/31": up},
        "spine1": down,
        "spine2": down,
    }


def test_a_switch_announces_what_is_in_the_lab() -> None:
    plan = build(read(CLUSTER))
    links = list_links(plan, ["node1", "node3", *plan.switches])
    assert build_switch(plan, "leaf1", links).bgp.networks == ("10.255.0.1/32", "10.1.0.0/31")


@pytest.mark.parametrize("underlay", ["numbered", "unnumbered"])
def test_a_speaker_as_commands_of_its_daemons(underlay: str, tmp_path: Path) -> None:
    plan = build(read(cluster_with(underlay, tmp_path)))
    links = list_links(plan, ["node1", "leaf1", "spine1"])
    daemons = render.routing_daemons("leaf1", build_switch(plan, "leaf1", links))
    text = "".join(f"# {daemon}\n{text}" for daemon, text in daemons.items())
    golden = Path(__file__).parent / f"speaker-{underlay}.txt"
    if os.environ.get("WIRESPEED_ACCEPT") == "1":
        golden.write_text(text)
    assert text == golden.read_text()


def test_a_switch_without_sessions_has_no_daemon() -> None:
    plan = build(read(EXAMPLES / "mi300x-4node" / "cluster.yaml"))
    assert render.routing_daemons("leaf1", plan.switches["leaf1"]) == {}


@pytest.mark.lab
@pytest.mark.parametrize("underlay", UNDERLAYS)
def test_hosts_of_two_leaves_reach_each_other_over_equal_paths(underlay: str, tmp_path: Path) -> None:
    needs(*ROUTERS)
    with built(cluster_with(underlay, tmp_path), 4, "bgp") as (plan, built_lab):
        assert (built_lab.switches, len(built_lab.links)) == (("leaf1", "leaf2", "spine1", "spine2"), 12)
        nics = [
            (plan.hosts[host].nics["ens7f0np0"].addresses or ("",))[0].partition("/")[0] for host in built_lab.hosts
        ]
        size = 9000 - (48 if ":" in nics[0] else 28)
        ran = built_lab.run("node1", "ping", "-nq", "-c1", "-w5", "-Mdo", f"-s{size}", "-I", nics[0], nics[3])
        assert ran.status is Status.OK, ran
        summary = json.loads(built_lab.run("leaf1", "vtysh", "-c", "show bgp summary json").stdout)
        states = {peer["state"] for family in summary.values() for peer in family["peers"].values()}
        assert states == {"Established"}


@pytest.mark.lab
@pytest.mark.parametrize("underlay", UNDERLAYS)
def test_kernels_have_the_routes_that_daemons_would_find(underlay: str, tmp_path: Path) -> None:
    with built(cluster_with(underlay, tmp_path), 4, "kernel", daemons=False) as (plan, built_lab):
        assert {device.daemons for device in built_lab.state.devices[4:]} == {()}
        nics = [
            (plan.hosts[host].nics["ens7f0np0"].addresses or ("",))[0].partition("/")[0] for host in built_lab.hosts
        ]
        ran = built_lab.run("node1", "ping", "-nq", "-c1", "-w5", "-I", nics[0], nics[3])
        assert ran.status is Status.OK, ran


_PODS = """
version: 1
name: pods
hosts:
  node[1-8]: {model: dell-r740-xeon-5218, os: ubuntu-20.04, nics: 1 x broadcom-bcm957508-p2100g}
switches:
  leaf[1-4]: {model: arista-7060dx4-32, role: leaf}
  spine[1-4]: {model: arista-7060dx4-32, role: spine}
  core[1-2]: {model: arista-7060dx4-32, role: core}
fabric:
  pods: 2
  leaf_spine: {uplinks: 2, cable: fibre-400g, length: 10 m}
  spine_core: {uplinks: 2, cable: fibre-400g, length: 10 m}
cabling: {pattern: by-host, length: 3 m}
addresses: {scheme: link-31, pool: 10.1.0.0/24, loopbacks: 10.255.0.0/24}
routing: {underlay: bgp-unnumbered}
"""
_PLANES = """
version: 1
name: planes
hosts:
  node[1-4]: {model: dell-xe9680-mi300x, os: ubuntu-22.04, nics: 8 x broadcom-bcm957608-p1400gd}
switches:
  leaf[1-4]: {model: dell-z9664f, os: dell-sonic, role: leaf}
  spine[1-4]: {model: dell-z9664f, os: dell-sonic, role: spine}
fabric:
  planes: 2
  leaf_spine: {uplinks: 2, cable: fibre-400g, length: 10 m}
cabling: {pattern: by-host, cable: dac-400g, length: 3 m}
addresses: {scheme: link-31, pool: 10.1.0.0/24, loopbacks: 10.255.0.0/24}
routing: {underlay: bgp-unnumbered, bfd: true}
"""


@pytest.mark.lab
@pytest.mark.parametrize(
    ("text", "source", "reachable_host", "elsewhere"),
    [
        (_PODS, "10.1.0.1", "10.1.0.15", None),  # the last host, in the other pod
        # The first NICs of the first host and of the last are in one plane; its second NIC is in the other.
        (_PLANES, "10.1.0.1", "10.1.0.49", "10.1.0.51"),
    ],
    ids=["pods", "planes"],
)
def test_three_tiers_and_planes(
    text: str, source: str, reachable_host: str, elsewhere: str | None, tmp_path: Path
) -> None:
    needs(*ROUTERS)
    path = tmp_path / "cluster.yaml"
    path.write_text(text)
    with built(path, 8 if text is _PODS else 4, "tiers") as (_, built_lab):
        assert lab.status(built_lab.name).whole

        def answers(target: str) -> bool:
            ran = built_lab.run("node1", "ping", "-nq", "-c1", "-w5", "-I", source, target)
            return ran.status is Status.OK

        assert answers(reachable_host)
        assert elsewhere is None or not answers(elsewhere)


def test_the_address_that_a_kernel_makes_of_a_mac_address() -> None:
    assert link_local("00:00:5e:00:53:01") == "fe80::200:5eff:fe00:5301"


@pytest.mark.lab
def test_a_dead_spine_removes_half_of_the_paths() -> None:
    needs(*ROUTERS)
    with built(CLUSTER, 4, "ecmp") as (_, built_lab):

        def hops() -> int:
            routes = built_lab.run("leaf1", "ip", "-json", "route", "show", "10.1.0.4/31").stdout
            return max((len(route.get("nexthops", ())) for route in json.loads(routes or b"[]")), default=0)

        assert hops() == 4
        policy = built_lab.run("leaf1", "cat", "/proc/sys/net/ipv4/fib_multipath_hash_policy").stdout
        assert policy == b"1\n"
        for link in built_lab.list_links("spine2"):
            end = link.end("spine2")
            subprocess.run(
                ["ip", "-n", built_lab.namespace("spine2"), "link", "set", "dev", end.interface, "down"], check=True
            )
        deadline = time.monotonic() + 60
        while hops() != 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        assert hops() == 2


def test_a_lab_without_its_daemons_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    needs("ip", root=True)
    plan = build(read(CLUSTER))
    hosts = lab.select_hosts(plan, 4)
    design = lab.design(plan, "none", hosts, render.files(plan, hosts), render.routing_daemons)
    monkeypatch.setattr("wirespeed.lab.machine._PROGRAM_PATHS", dict.fromkeys(("bgpd", "bfdd", "zebra"), ("/nowhere",)))
    with pytest.raises(Refusal) as refusal:
        lab.up(design, CLUSTER, lambda line: None)
    assert "no zebra, bfdd, bgpd; expected the package frr" in str(refusal.value)
