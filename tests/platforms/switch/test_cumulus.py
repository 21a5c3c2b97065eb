"""Cumulus Linux: what is configured, what is printed back, and what is read when a line of it changes."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from platforms.round_trip import answers, build_facts, find_losses
from platforms.switch.devices import TC, link, ms, qos
from platforms.switch.test_declarations import remove_setting
from wirespeed.errors import Refusal
from wirespeed.facts import Facts, Source, assemble_facts
from wirespeed.platforms import Output, Outputs, platform
from wirespeed.platforms.switch.cumulus.nvue_config import expand_names
from wirespeed.platforms.templates import fill_template
from wirespeed.settings import (
    Bgp,
    BgpPeer,
    Discipline,
    Dscp,
    Ecn,
    Place,
    Port,
    Priority,
    Queue,
    Switch,
    SwitchQueue,
    Vlan,
    Watchdog,
    WatchdogAction,
    walk,
)
from wirespeed.settings.fabric import Buffers
from wirespeed.units import Bandwidth, Length, Size

GOLDEN = Path(__file__).parent / "golden"
CUMULUS = platform("switch", "cumulus")
LEAF = Place("leaf1")
PORTS = ["swp1s0", "swp1s1", "swp10s0"]
FIRST = LEAF.child("port", PORTS[0])
QUEUE = FIRST.child("queue", "3")

CLASSES = qos(
    pfc_queue={Priority(3): SwitchQueue(3)}, watchdog=Watchdog(True, WatchdogAction.DROP, ms(300))
)  # fmt: skip
QUEUES = {
    "0": Queue(Discipline.DWRR, 40),
    "3": Queue(Discipline.DWRR, 60, ecn=Ecn(True, Size(200_000), Size(2_000_000), probability=20)),
    "6": Queue(Discipline.STRICT),
}


def port(index: int, **changes: Any) -> Port:
    values: dict[str, Any] = {
        "description": f"node1 eth{index}",
        "link": link(mtu=9216, lanes=None, training=None),
        "addresses": (f"10.1.0.{2 * index}/31",),
        "breakout": 2,
        "qos": CLASSES,
        "queues": QUEUES,
        **changes,
    }
    return Port(**values)


def leaf(**changes: Any) -> Switch:
    values: dict[str, Any] = {
        "chip": "spectrum4",
        "routing": True,
        "watchdog_poll": ms(100),
        "buffers": Buffers(lossless=True),
        "ports": {name: port(index, cable_length=Length(4500)) for index, name in enumerate(PORTS)},
        **changes,
    }
    return Switch(**values)


CASES = {
    "routed": leaf(),
    "switched": leaf(
        ports={name: port(index, addresses=(), vlan=11 + index) for index, name in enumerate(PORTS)},
        vlans={str(11 + index): Vlan((f"192.168.{index}.254/24",), 9000, f"rail {index + 1}") for index in range(3)},
    ),
    "unnumbered": leaf(
        ports={
            name: port(index, addresses=(), unnumbered=True, breakout=None, link=link(mtu=9000, lanes=None))
            for index, name in enumerate(["swp51", "swp52"])
        },
        loopbacks=("10.255.0.1/32", "fd00::1/128"),
        bgp=Bgp(4200010000, "10.255.0.1", 64, True, ("10.255.0.1/32", "10.1.0.0/24")),
        peers={
            name: BgpPeer(4200000000, f"spine{index} swp1", True, True, False, True)
            for index, name in enumerate(["swp51", "swp52"], start=1)
        },
        buffers=Buffers(lossless=True, lossless_share=90, lossy_share=10),
    ),
    "lossy": leaf(
        watchdog_poll=None,
        buffers=Buffers(lossless=False),
        ports={"swp1": port(0, breakout=None, qos=replace(CLASSES, pfc=frozenset(), pfc_queue={}, watchdog=Watchdog()))},  # noqa: E501
    ),
    "other-priority": leaf(
        ports={
            "swp1": port(
                0,
                breakout=None,
                qos=qos(
                    pfc=frozenset({Priority(4)}),
                    pfc_queue={Priority(4): SwitchQueue(3)},
                    tc_queue={TC(n): SwitchQueue({4: 3, 6: 6}.get(n, 0)) for n in range(8)},
                    dscp_tc={Dscp(n): TC({26: 4, 48: 6}.get(n, 0)) for n in range(64)},
                    watchdog=Watchdog(True, WatchdogAction.DROP, ms(500)),
                ),
            )
        }
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_commands(case: str) -> None:
    golden = GOLDEN / f"cumulus-{case}.nv"
    text = fill_template(CUMULUS, "startup.j2", "leaf1", CASES[case])
    if os.environ.get("WIRESPEED_ACCEPT"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize(("template", "name"), [("apply.j2", "apply"), ("rollback.j2", "rollback")])
def test_apply_and_rollback(template: str, name: str) -> None:
    golden = GOLDEN / f"cumulus-routed.{name}.txt"
    text = fill_template(CUMULUS, template, "leaf1", CASES["routed"])
    if os.environ.get("WIRESPEED_ACCEPT"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_the_effects_of_an_older_release_name_its_keywords() -> None:
    """Before 5.15 addresses are `ip address`."""
    text = fill_template(CUMULUS, "apply.j2", "leaf1", replace(CASES["routed"], os_version="5.9.2"))
    assert "#   ip address, bridge domain           the port's addresses" in text and "traffic-pool" not in text


@pytest.mark.parametrize("case", CASES)
def test_settings_come_back(case: str) -> None:
    assert find_losses(CUMULUS, "leaf1", CASES[case]) == []


@pytest.mark.parametrize("case", CASES)
def test_the_rendered_commands_are_read_like_the_configuration(case: str) -> None:
    output = answers(CUMULUS, "leaf1", CASES[case]).outputs["config"]
    terminal_output = Output("config", fill_template(CUMULUS, "startup.j2", "leaf1", CASES[case]), output.source)
    assert build_facts(CUMULUS, Outputs("leaf1", {"config": terminal_output})).devices == (
        build_facts(CUMULUS, Outputs("leaf1", {"config": output})).devices
    )


def change_output(case: str, command: str, old: str, new: str) -> Facts:
    outputs = dict(answers(CUMULUS, "leaf1", CASES[case]).outputs)
    text = outputs[command].text
    assert old in text
    outputs[command] = Output(command, text.replace(old, new, 1), outputs[command].source)
    return assemble_facts(CUMULUS.parse(Outputs("leaf1", outputs)), devices=["leaf1"])


SET = "nv set "
CC = "nv set qos congestion-control default-global traffic-class 3"
SH = "nv set qos egress-shaper OWN"
SHAPER = "nv set interface swp1s0 qos egress-shaper profile OWN"
ES = "nv set qos egress-scheduler default-global traffic-class 3"
WD = "nv set interface swp1s0 qos pfc-watchdog state"
ROWS: list[tuple[str, str, str, str, Place, str, Any]] = [
    # a changed value
    ("unnumbered", "config", "swp51 link mtu 9000", "swp51 link mtu 1500", LEAF.child("port", "swp51"), "port.link.mtu",
     1500),
    ("routed", "config", "swp1s0 link fec rs", "swp1s0 link fec off", FIRST, "port.link.fec", "none"),
    ("routed", "config", "swp1 link breakout 2x", "swp1 link breakout 4x lanes-per-port 2", FIRST, "port.breakout", 4),
    ("routed", "config", f"{CC} min-threshold 200000", f"{CC} min-threshold 300000", QUEUE, "queue.ecn.minimum",
     Size(300_000)),
    ("routed", "config", f"{CC} ecn enable", f"{CC} ecn disable", QUEUE, "queue.ecn.enabled", False),
    ("routed", "config", f"{ES} mode dwrr", f"{ES} mode strict", QUEUE, "queue.discipline", Discipline.STRICT),
    ("routed", "config", "roce mode lossless", "roce mode lossy", FIRST, "port.qos.pfc", frozenset()),
    ("routed", "config", "roce mode lossless", "roce mode lossless-single-ipool", FIRST, "port.qos.pfc",
     frozenset({Priority(3)})),
    ("routed", "config", "roce mode lossless", "roce state disabled", FIRST, "port.qos.pfc", frozenset()),
    ("routed", "config", "trust l3", "trust l2", FIRST, "port.qos.trust", "dot1p"),
    ("routed", "config", "trust l3", "trust port", FIRST, "port.qos.trust", None),
    ("routed", "config", f"{WD} enable", f"{WD} disable", FIRST, "port.qos.watchdog.enabled", False),
    ("routed", "config", "robustness 3", "robustness 5", FIRST, "port.qos.watchdog.detect", ms(500)),
    ("routed", "config", "polling-interval 100", "polling-interval 200", LEAF, "switch.watchdog_poll", ms(200)),
    ("unnumbered", "config", "nv set router bfd state enabled\n", "", LEAF.child("peer", "swp51"), "peer.bfd", False),
    ("unnumbered", "config", "neighbor swp51 bfd profile ROCE", "neighbor swp51 bfd enable on",
     LEAF.child("peer", "swp51"), "peer.bfd", True),
    ("unnumbered", "config", "aspath-ignore enabled", "aspath-ignore off", LEAF, "switch.bgp.multipath_relax", False),
    ("unnumbered", "config", "neighbor swp51 remote-as 4200000000", "neighbor swp51 remote-as external",
     LEAF.child("peer", "swp51"), "peer.asn", None),
    ("routed", "interfaces", '"up"', '"down"', FIRST, "port.link.up", False),
    ("routed", "roce", "mode                lossless               lossless",
     "mode                lossy                  lossy", LEAF, "switch.buffers.lossless", False),
    ("routed", "roce", "pfc-priority      3", "pfc-priority      3,4", FIRST, "port.qos.pfc",
     frozenset({Priority(3), Priority(4)})),
    # a removed line: the default, or unknown
    ("unnumbered", "config", "nv set interface swp51 link mtu 9000\n", "", LEAF.child("port", "swp51"), "port.link.mtu",
     9216),
    ("routed", "config", "nv set interface swp1s0 link speed 400G\n", "", FIRST, "port.link.speed", None),
    ("routed", "config", f"{CC} min-threshold 200000\n", "", QUEUE, "queue.ecn.minimum", Size(150_000)),
    ("routed", "config", f"{ES} bw-percent 60\n", "", QUEUE, "queue.weight", 50),
    ("routed", "config", "nv set qos mapping default-global trust l3\n", "", FIRST, "port.qos.trust", "both"),
    ("lossy", "config", "nv set qos mapping default-global trust l3\n", "", LEAF.child("port", "swp1"), "port.qos.trust",  # noqa: E501
     "dot1p"),
    ("routed", "config", "nv set qos pfc-watchdog robustness 3\n", "", FIRST, "port.qos.watchdog.detect", ms(300)),
    ("routed", "config", f"{WD} enable\n", "", FIRST, "port.qos.watchdog.enabled", False),
    ("routed", "config", "nv set qos roce mode lossless\n", "", LEAF, "switch.buffers.lossless", True),
    ("unnumbered", "config", "nv set vrf default router bgp address-family ipv4-unicast network 10.1.0.0/24\n", "", LEAF,  # noqa: E501
     "switch.bgp.networks", ("10.255.0.1/32",)),
    # other forms of the same
    ("routed", "config", "swp1s0 ipv4 address", "swp1s0 ip address", FIRST, "port.addresses", ("10.1.0.0/31",)),
    ("routed", "config", f"{WD} enable", "nv set interface swp1s0-1 qos pfc-watchdog", FIRST, "port.qos.watchdog.enabled",  # noqa: E501
     True),
    ("routed", "config", f"{WD} enable", "nv set interface swp1s0 qos mapping profile OWN", FIRST, "port.qos.dscp_tc",
     None),
    ("routed", "config", f"{WD} enable", "nv set interface swp1s0 qos egress-scheduler profile OWN", QUEUE, "queue.weight",  # noqa: E501
     None),
    ("routed", "config", f"{WD} enable", f"{SH} traffic-class 3 max-rate 40000000\n{SHAPER}", QUEUE, "queue.shape",
     Bandwidth.gbps(40)),
    ("routed", "config", f"{WD} enable", f"{SH} traffic-class 2 max-rate 40000000\n{SHAPER}", QUEUE, "queue.shape",
     Bandwidth(0)),
    ("routed", "config", f"{WD} enable", f"{SH} port-max-rate 40000000\n{SHAPER}", QUEUE, "queue.shape",
     Bandwidth.gbps(40)),
    ("routed", "config", f"{WD} enable", f"{SH} port-max-rate 40000000\n", QUEUE, "queue.shape", Bandwidth(0)),
    ("routed", "config", f"{WD} enable", f"{SH} mode fast\n{SHAPER}", QUEUE, "queue.shape", None),
    ("routed", "config", f"{WD} enable", f"{SH} port-max-rate all\n{SHAPER}", QUEUE, "queue.shape", None),
    ("routed", "config", "cable-length 5", "cable-length 7", FIRST, "port.cable_length",
     Length.from_unit(7, "m")),
    ("routed", "config", "cable-length 5", "cable-length long", FIRST, "port.cable_length",
     None),
    ("routed", "config", f"{WD} enable", "nv set interface swp1s0 qos pfc profile OWN", FIRST, "port.cable_length",
     None),
    # cut short
    ("routed", "config", "nv set system hostname leaf1\n", "nv set syst", FIRST, "port.link.mtu", None),
]  # fmt: skip


@pytest.mark.parametrize(("case", "command", "old", "new", "place", "path", "value"), ROWS)
def test_one_line_changed(case: str, command: str, old: str, new: str, place: Place, path: str, value: Any) -> None:
    assert change_output(case, command, old, new).value(place, path) == value


@pytest.mark.parametrize(
    ("lines", "networks"),
    [
        ("state enabled", ()),
        ("enable on", ()),  # until 5.14
        ("address-family ipv4-unicast network 10.1.0.0/24", ("10.1.0.0/24",)),
        ("address-family ipv4-unicast multipaths ebgp 64", None),  # cut before the line that enables BGP
        ("address-family ipv4-unicast redistribute connected enable on\nenable on", None),  # prefixes not in the lines
    ],
)
def test_networks(lines: str, networks: tuple[str, ...] | None) -> None:
    text = "".join(f"nv set vrf default router bgp {line}\n" for line in lines.split("\n"))
    output = Output("config", text, Source("leaf1", "nv config show", "file"))
    assert build_facts(CUMULUS, Outputs("leaf1", {"config": output})).value(LEAF, "switch.bgp.networks") == networks


def test_states_of_sessions() -> None:
    text = '{"swp51": {"remote-as": 65001, "state": "established"}, "10.2.0.1": {"state": "idle"}, "swp52": {}, "": {}}'
    output = Output("bgp-neighbors", text, Source("leaf1", "nv show", "file"))
    states = {
        observation.place: observation.value
        for observation in CUMULUS.parse(Outputs("leaf1", {"bgp-neighbors": output}))
    }
    assert states == {LEAF.child("peer", "swp51"): "Established", LEAF.child("peer", "10.2.0.1"): "Idle"}


VENDOR = """\
nv set bridge domain br_default type vlan-aware
nv set bridge domain br_default vlan 20,30
nv set interface eth0 ipv4 dhcp-client state enabled
nv set interface lo ipv4 address 172.16.255.3/32
nv set interface swp1 ipv4 address 172.16.1.5/31
nv set interface swp1-2,32 type swp
nv set interface swp32 bridge domain br_default access 20
nv set interface vlan20 ipv4 address 10.0.20.1/24
nv set interface vlan20 type svi
nv set qos roce state enabled
nv set router bgp autonomous-system 65003
nv set system hostname leaf3
nv set vrf default router bgp address-family ipv4-unicast network 172.16.255.3/32
nv set vrf default router bgp neighbor 172.16.1.4 peer-group SPINES
nv set vrf default router bgp neighbor 172.16.1.4 type numbered
nv set vrf default router bgp peer-group SPINES description 'the spines'
nv set vrf default router bgp peer-group SPINES remote-as 65001
"""
"""The form in which a switch prints its configuration: sorted, names in ranges, defaults left out."""


def test_the_switches_own_form_is_read() -> None:
    output = Output("config", VENDOR, Source("leaf3", "nv config show -o commands", "config.txt"))
    facts = build_facts(CUMULUS, Outputs("leaf3", {"config": output}))
    leaf3 = Place("leaf3")
    device = facts.devices["leaf3"]
    assert isinstance(device, Switch)
    assert sorted(device.ports) == ["swp1", "swp2", "swp32"]
    assert sorted(device.vlans) == ["20", "30"]
    assert facts.value(leaf3.child("port", "swp32"), "port.vlan") == 20
    assert facts.value(leaf3.child("port", "swp2"), "port.qos.pfc") == frozenset({Priority(3)})
    assert facts.value(leaf3.child("port", "swp2").child("queue", "6"), "queue.discipline") is Discipline.STRICT
    assert facts.value(leaf3.child("port", "swp2"), "port.qos.tc_queue")[TC(7)] == SwitchQueue(0)
    peer = device.peers["172.16.1.4"]
    assert (peer.asn, peer.description, peer.unnumbered) == (65001, "the spines", False)


@pytest.mark.parametrize("line", ["nv set qos", "nv set vrf default router bgp neighbor 172.16.1.4 peer-group"])
def test_a_line_that_is_cut_changes_nothing(line: str) -> None:
    source = Source("leaf3", "nv config show -o commands", "config.txt")
    whole, cut = (
        build_facts(CUMULUS, Outputs("leaf3", {"config": Output("config", text, source)}))
        for text in (VENDOR, f"{VENDOR}{line}\n")
    )
    assert cut.devices == whole.devices


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("swp1-3,5", ["swp1", "swp2", "swp3", "swp5"]),
        ("swp9s0-1,swp10s0", ["swp9s0", "swp9s1", "swp10s0"]),
        ("lo", ["lo"]),
        ("0-2,7", ["0", "1", "2", "7"]),
        ("eth0,swp1", ["eth0", "swp1"]),
    ],
)
def test_lists_of_names(names: str, expected: list[str]) -> None:
    assert expand_names(names) == expected


def with_port(**changes: Any) -> Switch:
    return leaf(ports={PORTS[0]: port(0, **changes)})


REFUSED: list[tuple[Switch, str]] = [
    (
        with_port(breakout=None),
        "leaf1 swp1s0: port.breakout: found a port split into 1; expected sub-ports, such as swp1s0",
    ),
    (
        with_port(qos=replace(CLASSES, pfc_queue={Priority(3): SwitchQueue(4)})),
        "leaf1 swp1s0: port.qos.pfc_queue: found priority 3 pausing queue 4; "
        "expected queue 3, where switch priority 3 goes\n"
        "  hint: give the class of priority 3 the traffic_class 3 in `classes` of the switch",
    ),
    (
        with_port(qos=replace(CLASSES, watchdog=Watchdog(True, WatchdogAction.FORWARD, ms(250)))),
        "leaf1 swp1s0: port.qos.watchdog.action: found forward; expected drop\n  hint: the only action of NVUE\n"
        "leaf1 swp1s0: port.qos.watchdog.detect: found 250 ms; expected 1 to 1000 polling intervals of 100 ms",
    ),
    (
        leaf(watchdog_poll=ms(50), ports={}),
        "leaf1: switch.watchdog_poll: found 50 ms; expected 100 ms to 5000 ms",
    ),
    (
        leaf(ports={"swp1s0": port(0), "swp1s1": port(1, queues={"0": Queue(Discipline.DWRR, 100)})}),
        "leaf1: port.queues: found 2 different values on its ports; expected one value for all ports\n"
        "  hint: wirespeed writes NVUE's default-global profiles, which apply to every port",
    ),
]


@pytest.mark.parametrize(("switch", "message"), REFUSED)
def test_refused(switch: Switch, message: str) -> None:
    with pytest.raises(Refusal) as refusal:
        fill_template(CUMULUS, "startup.j2", "leaf1", switch)
    assert str(refusal.value) == message


COMMANDS: list[tuple[Place, str, Any, tuple[str, ...]]] = [
    (FIRST, "port.link.mtu", 9216, ("nv set interface swp1s0 link mtu 9216",)),
    (FIRST, "port.breakout", 2, ("nv set interface swp1 link breakout 2x",)),
    (FIRST, "port.link.speed", Bandwidth.gbps(400), ("nv set interface swp1s0 link speed 400G",)),
    (FIRST, "port.qos.trust", "dscp", ("nv set qos mapping default-global trust l3",)),
    (FIRST, "port.qos.dscp_tc", {26: 3}, ("nv set qos mapping default-global dscp 26 switch-priority 3",)),
    (FIRST, "port.qos.pfc", frozenset({3}), ("nv set qos roce mode lossless",)),
    (
        FIRST,
        "port.qos.pfc",
        frozenset({4}),
        ("nv set qos roce mode lossless", "nv set qos pfc default-global switch-priority 4"),
    ),
    (FIRST, "port.qos.watchdog.enabled", True, ("nv set interface swp1s0 qos pfc-watchdog state enable",)),
    (FIRST, "port.qos.watchdog.detect", ms(500), ("nv set qos pfc-watchdog robustness 5",)),
    (FIRST, "port.cable_length", Length.from_unit(5, "m"), ("nv set qos pfc default-global cable-length 5",)),
    (QUEUE, "queue.ecn.minimum", Size(150_000), (f"{CC} min-threshold 150000",)),
    (QUEUE, "queue.weight", 50, (f"{ES} bw-percent 50",)),
    (LEAF, "switch.bgp.asn", 65001, ("nv set router bgp autonomous-system 65001",)),
]


@pytest.mark.parametrize(("place", "path", "value", "lines"), COMMANDS)
def test_a_change_as_commands(place: Place, path: str, value: Any, lines: tuple[str, ...]) -> None:
    assert CUMULUS.commands_for is not None
    worded = CUMULUS.commands_for(place, path, value, CASES["routed"])
    assert worded is not None
    assert worded.commands == (*lines, "nv config apply", "nv config save")


def full() -> Switch:
    """A switch with an intent for every setting of NVUE that differs from its default."""
    classes = replace(CLASSES, tc_queue={TC(n): SwitchQueue(7 - n) for n in range(8)})
    marked = {**QUEUES, "6": replace(QUEUES["6"], ecn=Ecn(enabled=False))}
    disabled_link = replace(link(mtu=9000, lanes=None), enabled=False)
    return leaf(
        ports={"swp1s0": port(0, qos=classes, queues=marked, link=disabled_link, vlan=11, cable_length=Length(3000))},
        vlans={"11": Vlan(("192.168.1.254/24",), 8000, "rail 1")},
        loopbacks=("10.255.0.1/32",),
        bgp=Bgp(4200010000, "10.255.0.1", 32, True, ("10.255.0.1/32",)),
        peers={"swp1s0": BgpPeer(65001, "spine1", True, True, True, True)},
        buffers=Buffers(lossless_share=90, lossy_share=10),
    )


def test_what_is_declared_as_rendered_is_configured() -> None:
    switch = full()
    whole = _render(switch)
    places: dict[str, list[Place]] = {}
    for place, path, value in walk(switch, LEAF):
        if value is not None:
            places.setdefault(path, []).append(place)
    affected: set[str] = set()
    for path, settings_places in places.items():
        reduced_switch = switch
        for place in settings_places:
            reduced_switch = _remove_setting(reduced_switch, place, path)
        if _render(reduced_switch) != whole:
            affected.add(path)
    assert affected == {path for path, support in CUMULUS.settings.items() if support.rendered}


def _remove_setting(switch: Switch, place: Place, path: str) -> Switch:
    names_by_kind = dict(place.entities)
    if "peer" not in names_by_kind:
        return remove_setting(switch, place, path)
    peer = replace(switch.peers[names_by_kind["peer"]], **{path.rpartition(".")[2]: None})
    return replace(switch, peers={**switch.peers, names_by_kind["peer"]: peer})


def _render(switch: Switch) -> str:
    from wirespeed.platforms.templates import _create_environment

    assert CUMULUS.view is not None
    context = {"name": "leaf1", "device": switch, "unverified": [], **CUMULUS.view("leaf1", switch)}
    return _create_environment().get_template(f"{CUMULUS.folder}/templates/startup.j2").render(context)


@pytest.mark.parametrize(
    ("text", "device", "port"),
    [
        (
            '{"lldp": {"interface": [{"swp1": {"chassis": {"node1": {"id": {"type": "mac", "value": "x"}}}, '
            '"port": {"id": {"type": "ifname", "value": "eth1"}, "ttl": "120"}}}]}}',
            "node1",
            "eth1",
        ),
        (  # one neighbour alone, whose port identifier is a MAC address
            '{"lldp": {"interface": {"swp1": {"chassis": {"node1": {"id": {"type": "mac", "value": "x"}}}, '
            '"port": {"id": {"type": "mac", "value": "x"}, "descr": "eth1"}}}}}',
            "node1",
            "eth1",
        ),
        (  # a chassis that does not report its name, such as an agent of a NIC's firmware
            '{"lldp": {"interface": [{"swp1": {"chassis": {"id": {"type": "mac", "value": "x"}}, '
            '"port": {"id": {"type": "ifname", "value": "eth1"}}}}]}}',
            None,
            None,
        ),
        ('{"lldp": {}}', None, None),
        ('{"lldp": {"interface": [{"swp1": {"chassis": {"node1"', None, None),
    ],
)
def test_neighbours(text: str, device: str | None, port: str | None) -> None:
    output = Output("lldp", text, Source("leaf1", "lldp", "lldp.txt"))
    facts = build_facts(platform("switch", "cumulus"), Outputs("leaf1", {"lldp": output}))
    place = Place("leaf1", (("port", "swp1"),))
    assert facts.value(place, "port.neighbour.device") == device
    assert facts.value(place, "port.neighbour.port") == port


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("hostname  leaf01               leaf01 \nbuild     Cumulus Linux 5.5.0         \n", "5.5.0"),
        ("build            Cumulus Linux 5.12.1\nproduct-release  5.12.1\n", "5.12.1"),
        ("product-name       Cumulus Linux\nversion\n  product-release  5.15.0                 \n", "5.15.0"),
        ("product-name       Cumulus Linux\nversion\n  base-os          Debian GNU/Linux 12.10\n", None),
    ],
)
def test_the_release_is_in_one_of_three_rows(text: str, release: str | None) -> None:
    """As NVIDIA documents ``nv show system`` for 5.5, 5.12, 5.15 and 5.13, which has no row of it."""
    output = Output("system", text, Source("leaf1", "nv show system", "leaf1/system.out"))
    reading = build_facts(CUMULUS, Outputs("leaf1", {"system": output})).reading(LEAF, "switch.os_version")
    assert (None if reading is None else reading.value) == release
