"""Routes between switches: numbers, sessions and announcements that agree at both ends."""

from __future__ import annotations

from ipaddress import ip_interface, ip_network

import pytest

from wirespeed.cluster import read_text
from wirespeed.plan import Cable, End, Plan, build
from wirespeed.plan.tiers import find_tiers
from wirespeed.units import Bandwidth

TWO_TIERS = """\
version: 1
name: two-tiers
hosts:
  node[1-4]: {model: dell-xe9680-mi300x, os: ubuntu-22.04, nics: 8 x broadcom-bcm957608-p1400gd}
switches:
  leaf[1-4]: {model: dell-z9664f, role: leaf}
  spine[1-2]: {model: arista-7060dx5-64s, role: spine}
links: [{a: "leaf[1-4]", b: "spine[1-2]", count: 3}]
cabling: {pattern: by-rail}
addresses: {scheme: link-31, pool: 10.1.0.0/16, loopbacks: 10.255.0.0/24}
"""
THREE_TIERS = """\
version: 1
name: three-tiers
hosts:
  node[1-4]: {model: dell-xe9680-mi300x, os: ubuntu-22.04, nics: 8 x broadcom-bcm957608-p1400gd}
switches:
  "leaf-a[1-2],leaf-b[1-2]": {model: dell-z9664f, role: leaf}
  "spine-a[1-2],spine-b[1-2]": {model: dell-z9664f, role: spine}
  core[1-4]: {model: dell-z9664f, role: core}
links:
  - {a: "leaf-a[1-2]", b: "spine-a[1-2]", count: 2}
  - {a: "leaf-b[1-2]", b: "spine-b[1-2]", count: 2}
  - {a: "spine-a1,spine-b1", b: "core[1-2]", count: 2}
  - {a: "spine-a2,spine-b2", b: "core[3-4]", count: 2}
addresses: {scheme: link-31, pool: 10.1.0.0/16, loopbacks: 10.255.0.0/24}
"""
NUMBERED = TWO_TIERS.replace("loopbacks:", "fabric: 10.2.0.0/24, loopbacks:")


@pytest.fixture(
    scope="module", params=[TWO_TIERS, NUMBERED, THREE_TIERS], ids=["unnumbered", "numbered", "three-tiers"]
)
def plan(request: pytest.FixtureRequest) -> Plan:
    return build(read_text(request.param, "routed.yaml"))


def cables_between_switches(plan: Plan) -> list[Cable]:
    return [cable for cable in plan.cables if cable.a.device in plan.switches]


def test_a_session_on_every_cable_agrees_at_both_ends(plan: Plan) -> None:
    sessions = 0
    for cable in cables_between_switches(plan):
        for end, other_end in ((cable.a, cable.b), (cable.b, cable.a)):
            local_switch, peer_switch = plan.switches[end.device], plan.switches[other_end.device]
            port, far = local_switch.ports[end.port], peer_switch.ports[other_end.port]
            key = str(ip_interface(far.addresses[0]).ip) if far.addresses else end.port
            peer = local_switch.peers[key]
            assert (peer.asn, peer.description) == (peer_switch.bgp.asn, f"{other_end.device} {other_end.port}")
            assert peer.unnumbered == port.unnumbered == (None if far.addresses else True)
            assert peer.asn != local_switch.bgp.asn
            sessions += 1
    assert sessions == sum(len(switch.peers) for switch in plan.switches.values())


def test_numbered_ports_of_a_cable_share_a_subnet() -> None:
    plan = build(read_text(NUMBERED, "routed.yaml"))
    for cable in cables_between_switches(plan):
        ends = [plan.switches[end.device].ports[end.port].addresses or () for end in (cable.a, cable.b)]
        assert len({ip_interface(address).network for addresses in ends for address in addresses}) == 1


def test_every_switch_is_named_by_its_own_loopback(plan: Plan) -> None:
    names = [switch.bgp.router_id for switch in plan.switches.values()]
    assert len(set(names)) == len(names)
    for switch in plan.switches.values():
        assert switch.loopbacks == (f"{switch.bgp.router_id}/32",)
        assert f"{switch.bgp.router_id}/32" in (switch.bgp.networks or ())


def test_every_nic_is_announced_by_its_leaf_alone(plan: Plan) -> None:
    for host in plan.hosts.values():
        for nic in host.nics.values():
            address = ip_interface((nic.addresses or ("",))[0]).ip
            homes = [
                name
                for name, switch in plan.switches.items()
                if any(address in ip_network(network) for network in switch.bgp.networks or ())
            ]
            assert len(homes) == 1 and plan.roles[homes[0]] == "leaf"


def test_leaves_are_systems_of_their_own_and_spines_share_one() -> None:
    plan = build(read_text(TWO_TIERS, "routed.yaml"))
    assert [switch.bgp.asn for switch in plan.switches.values()] == [
        4200010000,
        4200010001,
        4200010002,
        4200010003,
        4200000000,
        4200000000,
    ]
    assert plan.switches["leaf1"].bgp.maximum_paths == 6  # two spines, three cables to each
    assert plan.switches["spine1"].bgp.maximum_paths == 3


def test_the_spines_of_a_pod_share_a_system_and_the_top_another() -> None:
    plan = build(read_text(THREE_TIERS, "routed.yaml"))
    numbers = {name: switch.bgp.asn for name, switch in plan.switches.items()}
    assert numbers["spine-a1"] == numbers["spine-a2"] != numbers["spine-b1"] == numbers["spine-b2"]
    assert len({numbers[f"core{index}"] for index in range(1, 5)}) == 1
    assert len(set(numbers.values())) == 4 + 2 + 1
    paths = {name: switch.bgp.maximum_paths for name, switch in plan.switches.items()}
    assert (paths["leaf-a1"], paths["spine-a1"], paths["core1"]) == (4, 4, 2)


def test_a_system_per_switch() -> None:
    plan = build(read_text(TWO_TIERS + "routing: {asn: {base: 64512, leaves: 64600, per: switch}}\n", "routed.yaml"))
    assert [switch.bgp.asn for switch in plan.switches.values()] == [64600, 64601, 64602, 64603, 64512, 64513]


def test_bfd_and_paths_as_configured() -> None:
    plan = build(read_text(TWO_TIERS + "routing: {bfd: true, ecmp: 64}\n", "routed.yaml"))
    assert {switch.bgp.maximum_paths for switch in plan.switches.values()} == {64}
    assert {peer.bfd for switch in plan.switches.values() for peer in switch.peers.values()} == {True}


def test_a_cluster_on_one_leaf_routes_nothing_between_switches() -> None:
    text = TWO_TIERS.replace('links: [{a: "leaf[1-4]", b: "spine[1-2]", count: 3}]\n', "")
    plan = build(read_text(text, "routed.yaml"))
    for switch in plan.switches.values():
        assert switch.bgp.asn is None and not switch.peers and switch.loopbacks is None


def test_tiers_of_a_ring_without_leaves() -> None:
    ring = [Cable(End(f"s{a}", "1"), End(f"s{(a + 1) % 3}", "2"), Bandwidth.gbps(400)) for a in range(3)]
    tiers = find_tiers(dict.fromkeys(("s0", "s1", "s2"), "core"), ring)
    assert set(tiers.height.values()) == {0}
    assert tiers.group == {"s0": "s0", "s1": "s1", "s2": "s2"}
