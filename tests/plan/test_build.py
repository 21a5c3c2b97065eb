"""Plans of the example clusters: properties that hold for every scheme and switch, and golden files to read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from ipaddress import ip_address, ip_interface
from pathlib import Path

import pytest

from wirespeed import render
from wirespeed.cluster import Scheme, read, read_text
from wirespeed.plan import Plan, build
from wirespeed.settings import Place, Port, SwitchQueue, walk
from wirespeed.units import Bandwidth, Length, Size

EXAMPLES = Path(__file__).parents[2] / "examples"
GOLDEN = Path(__file__).parent / "golden"
FOUR = sorted((EXAMPLES / "mi300x-4node").glob("cluster*.yaml"))


@pytest.fixture(scope="module", params=FOUR, ids=lambda path: path.stem)
def plan(request: pytest.FixtureRequest) -> Plan:
    return build(read(request.param))


def listing(plan: Plan) -> Iterator[str]:
    """Settings of some devices of a plan, a line per setting, and all of its cables and computed numbers."""
    for name, device in plan.devices.items():
        for place, path, value in walk(device, Place(name)):
            if value is not None and _is_shown(place):
                yield f"{place}: {path} = {_text(value)}"
    for cable in plan.cables:
        yield f"{cable.a.device} {cable.a.port} -- {cable.b.device} {cable.b.port} {cable.speed} {cable.length}"
    for entry in plan.computed:
        yield f"{entry.name} = {entry.value}: {entry.formula} [{entry.source}]"


def _is_shown(place: Place) -> bool:
    """Of the first host two NICs and one PCIe switch; of others addressing; of a switch one port and its VLANs."""
    for kind, name in place.entities:
        if kind == "nic" and name not in ("enp29s0np0", "enp67s0np0"):
            return False
        if kind == "pcie" and not name.startswith(("root1", "switch1")):
            return False
        if kind == "port" and name not in ("Eth1/1", "Ethernet1/1"):
            return False
    return place.device in ("node1", "leaf1") or place.kind in ("rule", "route", "gid")


def _text(value: object) -> str:
    if isinstance(value, frozenset):
        return "{" + ", ".join(sorted(map(str, value))) + "}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_text(inner)}" for key, inner in value.items()) + "}"
    return str(value)


@pytest.mark.parametrize("file", FOUR, ids=lambda path: path.stem)
def test_golden(file: Path) -> None:
    lines = list(listing(build(read(file))))
    golden = GOLDEN / f"{file.stem}.txt"
    if os.environ.get("WIRESPEED_ACCEPT"):
        golden.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert lines == golden.read_text(encoding="utf-8").splitlines()


def test_every_nic_has_an_address_in_its_own_subnet(plan: Plan) -> None:
    networks = set()
    for host in plan.hosts.values():
        for nic in host.nics.values():
            (address,) = nic.addresses or ()
            assert address not in networks
            networks.add(address)
    assert len(networks) == 32


def test_every_gateway_is_the_switch_at_the_other_end(plan: Plan) -> None:
    ends = {cable.a: cable.b for cable in plan.cables}
    for end, peer in ends.items():
        host, switch = plan.hosts[end.device], plan.switches[peer.device]
        port = switch.ports[peer.port]
        routed = port.addresses or switch.vlans[str(port.vlan)].addresses or ()
        gateways = [
            route.gateway
            for key, route in host.routes.items()
            if route.device == end.port and key.endswith((" default", " ::/0"))
        ]
        assert gateways == [str(ip_interface(routed[0]).ip)]
        (address,) = host.nics[end.port].addresses or ()
        assert ip_interface(address).network == ip_interface(routed[0]).network


def test_a_packet_leaves_by_the_nic_whose_address_it_carries(plan: Plan) -> None:
    for host in plan.hosts.values():
        for interface, nic in host.nics.items():
            (address,) = nic.addresses or ()
            source = ip_interface(address).ip
            rule = host.rules[f"from {source}/{source.max_prefixlen}"]
            everywhere = "default" if source.version == 4 else "::/0"
            assert host.routes[f"{rule.table} {everywhere}"].device == interface
        priorities = [rule.priority for rule in host.rules.values()]
        assert len(set(priorities)) == len(host.nics)


def test_traffic_within_a_rail_is_switched(plan: Plan) -> None:
    """In a /24 per rail, every table has the connected route too, so that nothing hairpins through the leaf."""
    for host in plan.hosts.values():
        for nic in host.nics.values():
            (address,) = nic.addresses or ()
            network = ip_interface(address).network
            connected = host.routes.get(f"{100 + (nic.rail or 0)} {network}")
            assert (connected is not None) == (network.prefixlen == 24)
            assert connected is None or connected.gateway == ""


def test_the_gid_a_job_uses_is_the_nics_address(plan: Plan) -> None:
    for host in plan.hosts.values():
        for nic in host.nics.values():
            (address,) = nic.addresses or ()
            gid = nic.gids[str(host.launch.gid_index)]
            assert (gid.address, gid.type) == (str(ip_interface(address).ip), "RoCE v2")


def test_every_code_point_reaches_a_queue_that_is_served(plan: Plan) -> None:
    for switch in plan.switches.values():
        for port in switch.ports.values():
            assert port.qos.dscp_tc is not None and len(port.qos.dscp_tc) == 64
            assert {str(_queue(port, dscp)) for dscp in port.qos.dscp_tc} == set(port.queues)


def test_pfc_agrees_at_both_ends_and_stops_the_roce_queue(plan: Plan) -> None:
    for cable in plan.cables:
        nic = plan.hosts[cable.a.device].nics[cable.a.port]
        port = plan.switches[cable.b.device].ports[cable.b.port]
        assert nic.qos.pfc == port.qos.pfc
        assert nic.qos.roce_dscp is not None and nic.qos.roce_priority is not None and port.qos.pfc_queue is not None
        queue = _queue(port, nic.qos.roce_dscp)
        assert port.qos.pfc_queue[nic.qos.roce_priority] == queue
        assert port.queues[str(queue)].ecn.enabled


def _queue(port: Port, dscp: int) -> SwitchQueue:
    assert port.qos.dscp_tc is not None and port.qos.tc_queue is not None
    return port.qos.tc_queue[{int(key): value for key, value in port.qos.dscp_tc.items()}[dscp]]


def test_a_switch_takes_the_largest_packet_of_its_hosts(plan: Plan) -> None:
    for cable in plan.cables:
        nic = plan.hosts[cable.a.device].nics[cable.a.port]
        port = plan.switches[cable.b.device].ports[cable.b.port]
        assert (port.link.mtu or 0) >= (nic.link.mtu or 0) == 9000
        assert nic.rdma_mtu == 4096


def test_lldp_names_the_other_end(plan: Plan) -> None:
    for cable in plan.cables:
        neighbour = plan.switches[cable.b.device].ports[cable.b.port].neighbour
        assert (neighbour.device, neighbour.port) == (cable.a.device, cable.a.port)


def test_acs_is_off_where_traffic_between_nic_and_gpu_turns(plan: Plan) -> None:
    host = plan.hosts["node1"]
    for nic in host.nics.values():
        assert nic.pcie is not None and nic.gpu is not None
        for endpoint in (nic.pcie, host.gpus[nic.gpu].pcie or ""):
            bridge = host.pcie[host.pcie[endpoint].parent or ""]
            assert (bridge.role, bridge.acs) == ("switch-downstream", frozenset())


@pytest.mark.parametrize("example", ["arista-leaf-spine", "esnet-400g", "mi300x-4node"])
def test_the_acs_service_is_planned_where_its_unit_is_rendered(example: str) -> None:
    """A planned service without a unit would give a fix that cannot work."""
    plan = build(read(EXAMPLES / example / "cluster.yaml"))
    name, host = next(iter(plan.hosts.items()))
    units = [path for path in render.files(plan, [name]) if path.path.endswith("/wirespeed-acs.service")]
    assert (host.acs_service, len(units)) == ((True, 1) if host.gpus else (None, 0))


def test_the_same_file_gives_the_same_plan() -> None:
    assert list(listing(build(read(FOUR[0])))) == list(listing(build(read(FOUR[0]))))


def test_link_31_counts_through_hosts_then_rails() -> None:
    plan = build(read(EXAMPLES / "mi300x-4node" / "cluster.yaml"))
    flat = [nic.addresses for host in plan.hosts.values() for nic in host.nics.values()]
    assert flat == [(f"10.1.0.{2 * index + 1}/31",) for index in range(32)]


def test_a_thousand_hosts_on_unconnected_leaves() -> None:
    cluster = read(EXAMPLES / "scale-1024" / "cluster.yaml")
    plan = build(cluster)
    assert cluster.addresses.scheme is Scheme.LINK_31
    assert (len(plan.hosts), len(plan.switches), len(plan.cables)) == (1024, 128, 8192)
    assert {len(switch.ports) for switch in plan.switches.values()} == {64}
    assert all({cable.b.device for cable in plan.cables[8 * i : 8 * i + 8]} == {_leaf(i)} for i in range(1024))
    last = plan.hosts["node1024"].nics["enp231s0np0"].addresses or ()
    assert ip_address(last[0].split("/")[0]) == ip_address("10.0.63.255")
    assert len({id(switch.ports[name].qos) for switch in plan.switches.values() for name in switch.ports}) == 1


def _leaf(host: int) -> str:
    return f"leaf{host // 8 + 1:03d}"


TWO_TIERS = """\
version: 1
name: two-tiers
hosts:
  node[1-16]: {model: dell-xe9680-mi300x, os: ubuntu-22.04, nics: 8 x broadcom-bcm957608-p1400gd}
switches:
  leaf[1-8]: {model: dell-z9664f, role: leaf, ecn: {minimum: 1000500 B}, ports: {Eth1/1: {fec: none, mtu: 9050}}}
  spine[1-2]: {model: arista-7060dx5-64s, role: spine}
links: [{a: "leaf[1-8]", b: "spine[1-2]", count: 2, length: 30 m}]
cabling: {pattern: by-rail}
addresses: {scheme: link-31, pool: 10.1.0.0/16, fabric: 10.2.0.0/24, loopbacks: 10.255.0.0/24}
"""


@pytest.fixture(scope="module")
def two_tiers() -> Plan:
    return build(read_text(TWO_TIERS, "two-tiers.yaml"))


def test_by_rail_gives_each_rail_its_leaf(two_tiers: Plan) -> None:
    for cable in two_tiers.cables[:128]:
        assert cable.b.device == f"leaf{cable.rail}"


@pytest.mark.parametrize(
    ("pattern", "hosts", "leaves", "ports"),
    [
        ("by-host", 9, 8, [16, 8, 8, 8, 8, 8, 8, 8]),
        ("by-host", 2, 3, [4, 4, 8]),
        ("by-rail", 6, 3, [18, 18, 12]),
        ("by-rail", 4, 16, [2] * 16),
    ],
)
def test_nics_are_dealt_evenly(pattern: str, hosts: int, leaves: int, ports: list[int]) -> None:
    text = TWO_TIERS.replace("node[1-16]", f"node[1-{hosts}]").replace("leaf[1-8]", f"leaf[1-{leaves}]")
    plan = build(read_text(text.replace("by-rail", pattern), "dealt.yaml"))
    homes = [cable.b.device for cable in plan.cables if cable.rail]
    assert [homes.count(f"leaf{number}") for number in range(1, leaves + 1)] == ports


def test_parallel_links_between_switches(two_tiers: Plan) -> None:
    leaf_spine_cables = two_tiers.cables[128:]
    assert len(leaf_spine_cables) == 32
    pairs = [(cable.a.device, cable.b.device) for cable in leaf_spine_cables]
    assert all(pairs.count(pair) == 2 for pair in pairs)
    ends = [end for cable in leaf_spine_cables for end in (cable.a, cable.b)]
    assert len(set(ends)) == 64
    assert {cable.length for cable in leaf_spine_cables} == {Length(30_000)}
    assert two_tiers.switches["leaf1"].ports["Eth1/61"].addresses == ("10.2.0.0/31",)
    assert two_tiers.switches["spine1"].ports["Ethernet1/1"].addresses == ("10.2.0.1/31",)
    assert two_tiers.roles["spine2"] == "spine"


def test_a_port_is_overridden_in_place(two_tiers: Plan) -> None:
    ports = two_tiers.switches["leaf3"].ports
    assert (ports["Eth1/1"].link.fec, ports["Eth1/1"].link.mtu) == ("none", 9050)
    assert (ports["Eth1/2"].link.fec, ports["Eth1/2"].link.mtu) == ("rs", 9100)


def test_a_threshold_is_kept_as_requested_and_as_reported(two_tiers: Plan) -> None:
    place = Place("leaf1", (("port", "Eth1/1"), ("queue", "3")))
    minimum = two_tiers.switches["leaf1"].ports["Eth1/1"].queues["3"].ecn.minimum
    assert two_tiers.requested[place, "queue.ecn.minimum"] == Size(1_000_500)
    assert minimum == Size(1_001_000)
    assert (place, "queue.ecn.maximum") not in two_tiers.requested


def test_a_cabling_file_gives_back_the_plan_it_was_written_from(tmp_path: Path, two_tiers: Plan) -> None:
    rows = [
        f"{cable.a.device},{cable.a.port},{cable.b.device},{cable.b.port},{cable.length or ''},,,{cable.cable or ''}"
        for cable in two_tiers.cables
    ]
    (tmp_path / "cables.csv").write_text("\n".join(reversed(rows)), encoding="utf-8")
    text = TWO_TIERS.replace("{pattern: by-rail}", "{file: cables.csv}").splitlines()
    file = tmp_path / "cluster.yaml"
    file.write_text("\n".join(line for line in text if not line.startswith("links:")), encoding="utf-8")
    plan = build(read(file))
    assert sorted((cable.a, cable.b, cable.length) for cable in plan.cables if cable.length) == sorted(
        (cable.a, cable.b, cable.length) for cable in two_tiers.cables if cable.length
    )
    assert plan.cables[:128] == two_tiers.cables[:128]
    assert plan.hosts == two_tiers.hosts


def test_a_slower_port_slows_the_cable() -> None:
    text = TWO_TIERS.replace("{fec: none, mtu: 9050}", "{speed: 200 Gb/s}")
    plan = build(read_text(text, "slow.yaml"))
    assert plan.cables[0].speed == Bandwidth.gbps(200)
    assert plan.hosts["node1"].nics["enp29s0np0"].link.speed == Bandwidth.gbps(200)
    assert plan.switches["leaf1"].ports["Eth1/1"].link.lanes is None


def test_a_slower_port_has_the_lanes_that_its_system_is_configured_with() -> None:
    text = (
        "version: 1\nname: modular\n"
        "hosts: {'node[1-2]': {model: dell-r740-xeon-5218, os: ubuntu-20.04, nics: broadcom-bcm957508-n1200g}}\n"
        "switches: {leaf1: {model: arista-7804r3-36p, os: eos, role: leaf}}\n"
        "cabling: {pattern: by-host}\naddresses: {scheme: rail-24, pool: 10.1.0.0/16}\n"
    )
    link = build(read_text(text, "modular.yaml")).switches["leaf1"].ports["Ethernet3/1/1"].link
    assert (link.speed, link.lanes) == (Bandwidth.gbps(200), 4)


def test_a_slower_slot_is_warned_of_and_planned() -> None:
    text = TWO_TIERS.replace("p1400gd}", "p1400gd, nic: {enp29s0np0: {slot: gen4 x16}}}")
    plan = build(read_text(text, "slot.yaml"))
    link = plan.hosts["node1"].pcie["switch1/port2.0"].link
    assert (link.speed, link.width) == (16000, 16)
    assert any("252.1 Gb/s (gen4 x16)" in warning.found for warning in plan.warnings)


def test_dcqcn_d_is_a_step() -> None:
    classes = """\
classes:
  roce: {dscp: 26, priority: 3, lossless: true, share: 50%, congestion: dcqcn-d}
  cnp: {dscp: 48, priority: 7, strict: true}
"""
    plan = build(read_text(TWO_TIERS + classes, "step.yaml"))
    ecn = plan.switches["spine1"].ports["Ethernet1/1"].queues["3"].ecn
    assert (ecn.minimum, ecn.maximum, ecn.probability) == (Size(1_000_000), Size(1_000_000), 100)


def test_origins_name_the_line(two_tiers: Plan) -> None:
    assert two_tiers.origins["node7"] == "two-tiers.yaml:4"
    assert two_tiers.origins["spine2"] == "two-tiers.yaml:7"


def test_the_arp_values_of_a_cluster_file() -> None:
    """Broadcom 957608-AN210, section 2.4, sets arp_announce 1 and arp_ignore 2."""
    text = (EXAMPLES / "mi300x-4node" / "cluster.yaml").read_text(encoding="utf-8")
    scheme = "scheme: link-31"
    assert scheme in text
    plan = build(read_text(text.replace(scheme, f"{scheme}, arp_announce: 1, arp_ignore: 2"), "cluster.yaml"))
    sysctls = plan.hosts["node1"].sysctls
    values = [sysctls[f"net.ipv4.conf.all.{name}"].value for name in ("arp_announce", "arp_ignore")]
    assert values == ["1", "2"]
