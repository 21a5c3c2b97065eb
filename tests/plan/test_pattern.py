"""Fabrics by their pattern: who is cabled to whom, in which port, with which address."""

from __future__ import annotations

from collections import Counter
from ipaddress import ip_address, ip_interface, ip_network

import pytest

from wirespeed.cluster import read_text
from wirespeed.plan import Cable, Plan, build
from wirespeed.plan.tiers import find_tiers

TEXT = """\
version: 1
name: fabric
hosts:
  node[001-{hosts}]: {{model: dell-xe9680-mi300x, os: ubuntu-22.04, nics: 8 x broadcom-bcm957608-p1400gd}}
switches:
  leaf[001-{leaves}]: {{model: dell-z9664f, role: leaf}}
  spine[001-{spines}]: {{model: dell-z9664f, role: spine}}
{cores}fabric: {fabric}
cabling: {{pattern: by-rail, cable: dac-400g, length: 3 m}}
addresses: {addresses}
"""
CORES = "  core[001-{}]: {{model: dell-z9664f, role: core}}\n"
LEAF_26 = "{scheme: leaf-26, pool: 10.0.0.0/16, loopbacks: 10.255.0.0/16}"
LEAF_64 = "{scheme: leaf-64, pool: 'fd00::/48', loopbacks: 10.255.0.0/16}"
LINK_127 = "{scheme: link-127, pool: 'fd00:0:0:1::/64', fabric: 'fd00:0:0:2::/64', loopbacks: 10.255.0.0/16}"


def fabric(hosts: int, leaves: int, spines: int, cores: int, links: str, addresses: str = LEAF_26) -> Plan:
    shown_cores = CORES.format(f"{cores:03d}") if cores else ""
    text = TEXT.format(
        hosts=f"{hosts:03d}",
        leaves=f"{leaves:03d}",
        spines=f"{spines:03d}",
        cores=shown_cores,
        fabric=links,
        addresses=addresses,
    )
    return build(read_text(text, "fabric.yaml"))


TWO_TIERS = (16, 8, 4, 0, "{leaf_spine: {uplinks: 16, cable: fibre-400g, length: 30 m}}")
PODS = (32, 16, 8, 16, "{pods: 2, leaf_spine: {uplinks: 16}, spine_core: {uplinks: 32}}")
GROUPED = (32, 16, 8, 16, "{pods: 2, leaf_spine: {uplinks: 16}, spine_core: {uplinks: 8}}")
PLANES = (16, 16, 8, 8, "{planes: 2, pods: 2, leaf_spine: {uplinks: 8}, spine_core: {uplinks: 8}}")
SPLIT_RAILS = (64, 16, 8, 0, "{leaf_spine: {uplinks: 32}}")
CLUSTERS = {"two": TWO_TIERS, "pods": PODS, "grouped": GROUPED, "planes": PLANES, "split": SPLIT_RAILS}


@pytest.fixture(scope="module", params=CLUSTERS.values(), ids=CLUSTERS)
def plan(request: pytest.FixtureRequest) -> Plan:
    return fabric(*request.param)


def cables_between_switches(plan: Plan) -> list[Cable]:
    return [cable for cable in plan.cables if cable.rail is None]


def test_no_port_has_two_cables(plan: Plan) -> None:
    ends = Counter(end for cable in plan.cables for end in (cable.a, cable.b))
    assert set(ends.values()) == {1}
    assert len(ends) == sum(len(host.nics) for host in plan.hosts.values()) + sum(
        len(switch.ports) for switch in plan.switches.values()
    )


def test_uplinks_are_striped_evenly(plan: Plan) -> None:
    pairs = Counter((cable.a.device, cable.b.device) for cable in cables_between_switches(plan))
    for role in ("leaf", "spine"):
        counts = {count for (lower, _), count in pairs.items() if plan.roles[lower] == role}
        assert len(counts) <= 1


def test_a_rail_of_a_host_is_on_a_leaf_of_its_rail(plan: Plan) -> None:
    rails: dict[str, set[int]] = {}
    for cable in plan.cables:
        if cable.rail is not None:
            rails.setdefault(cable.b.device, set()).add(cable.rail)
    assert all(len(leaves) == 1 for leaves in rails.values())


def test_cables_upward_take_the_last_ports() -> None:
    plan = fabric(*TWO_TIERS)
    assert [(cable.a.port, cable.b.device, cable.b.port) for cable in cables_between_switches(plan)[:5]] == [
        ("Eth1/49", "spine001", "Eth1/1"),
        ("Eth1/50", "spine001", "Eth1/2"),
        ("Eth1/51", "spine001", "Eth1/3"),
        ("Eth1/52", "spine001", "Eth1/4"),
        ("Eth1/53", "spine002", "Eth1/1"),
    ]
    assert {cable.cable for cable in cables_between_switches(plan)} == {"fibre-400g"}


def test_pods_meet_in_the_cores_alone() -> None:
    plan = fabric(*PODS)
    lower = [cable for cable in cables_between_switches(plan) if plan.roles[cable.a.device] == "leaf"]
    for cable in lower:
        assert (int(cable.a.device[4:]) - 1) // 8 == (int(cable.b.device[5:]) - 1) // 4
    hosts = {cable.a.device for cable in plan.cables if cable.b.device in ("leaf001", "leaf008")}
    assert hosts == {f"node{number:03d}" for number in range(1, 17)}


def test_each_spine_meets_every_core_or_its_group_of_them() -> None:
    reached = {
        name: {cable.b.device for cable in cables_between_switches(plan) if cable.a.device == "spine006"}
        for name, plan in (("mesh", fabric(*PODS)), ("groups", fabric(*GROUPED)))
    }
    assert len(reached["mesh"]) == 16
    assert reached["groups"] == {"core005", "core006", "core007", "core008"}  # the 2nd spine of its pod


def test_planes_are_apart() -> None:
    plan = fabric(*PLANES)
    planes = find_tiers({name: plan.roles[name] for name in plan.switches}, cables_between_switches(plan))
    tops = {group for name, group in planes.group.items() if plan.roles[name] == "core"}
    assert len(tops) == 2
    for cable in plan.cables:
        if cable.rail is not None:
            assert (cable.rail - 1) % 2 == (int(cable.b.device[4:]) - 1) // 8


@pytest.mark.parametrize("addresses", [LEAF_26, LEAF_64, LINK_127])
def test_every_nic_shares_a_subnet_with_its_leaf(addresses: str) -> None:
    plan = fabric(*SPLIT_RAILS, addresses)
    networks = set()
    for cable in plan.cables[:512]:
        nic = plan.hosts[cable.a.device].nics[cable.a.port]
        nic_interface = ip_interface((nic.addresses or ())[0])
        port = plan.switches[cable.b.device].ports[cable.b.port]
        routed = port.addresses or plan.switches[cable.b.device].vlans[str(port.vlan)].addresses or ()
        assert ip_interface(routed[0]).network == nic_interface.network
        assert ip_interface(routed[0]).ip != nic_interface.ip
        networks.add(nic_interface.ip)
    assert len(networks) == 512


@pytest.mark.parametrize("addresses", [LEAF_26, LEAF_64, LINK_127])
def test_a_subnet_is_announced_by_one_leaf(addresses: str) -> None:
    plan = fabric(*SPLIT_RAILS, addresses)
    homes: dict[str, str] = {}
    for name, switch in plan.switches.items():
        for network in switch.bgp.networks or ():
            assert homes.setdefault(network, name) == name
    subnets = [ip_network(network) for network in homes if not network.endswith("/32")]
    assert len(subnets) == (512 if addresses == LINK_127 else 16)


def test_ipv6_reaches_every_setting_of_a_host() -> None:
    plan = fabric(*TWO_TIERS, LEAF_64)
    host = plan.hosts["node003"]
    nic = host.nics["enp29s0np0"]
    assert nic.addresses == ("fd00::3/64",)
    assert nic.gids["3"].address == "fd00::3"
    assert host.rules["from fd00::3/128"].table == 101
    assert host.routes["101 ::/0"].gateway == "fd00::ffff"
    assert host.routes["101 fd00::/64"].gateway == ""


@pytest.mark.parametrize(
    ("addresses", "families"), [(LEAF_26, (True, None)), (LEAF_64, (True, True)), (LINK_127, (None, True))]
)
def test_sessions_carry_the_family_of_the_hosts(addresses: str, families: tuple[bool | None, bool | None]) -> None:
    plan = fabric(*TWO_TIERS, addresses)
    for switch in plan.switches.values():
        assert {(peer.ipv4, peer.ipv6) for peer in switch.peers.values()} == {families}
        loopback = f"{switch.bgp.router_id}/32" in (switch.bgp.networks or ())
        assert loopback == (families[0] is True)
        for name in switch.peers:
            assert name in switch.ports or ip_address(name).version == 6


def test_pods_of_scale() -> None:
    """The pattern of examples/scale-32768, at a hundredth of its size."""
    plan = fabric(64, 16, 16, 8, "{pods: 4, leaf_spine: {uplinks: 32}, spine_core: {uplinks: 32}}")
    assert len(plan.cables) == 512 + 512 + 512
    for switch in plan.switches.values():
        assert len(switch.ports) == 64
    assert {switch.bgp.maximum_paths for name, switch in plan.switches.items() if plan.roles[name] == "leaf"} == {32}
