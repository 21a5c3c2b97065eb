"""Configuration and output of Enterprise SONiC for routing, buffers and shapers."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from platforms.round_trip import answers, find_losses
from platforms.switch.devices import link, priority_groups, qos, queues, routed_switch
from wirespeed.errors import Refusal
from wirespeed.facts import Facts, Source, assemble_facts
from wirespeed.platforms import Output, Outputs, platform
from wirespeed.platforms.templates import fill_answer, fill_template
from wirespeed.settings import BgpPeer, Discipline, Place, Port, Queue, Switch, Vlan
from wirespeed.settings.fabric import Buffers
from wirespeed.settings.routing import Bgp
from wirespeed.units import Bandwidth, Size

GOLDEN = Path(__file__).parent / "golden"
SONIC = platform("switch", "enterprise-sonic")
LEAF = Place("leaf1")

BASE = routed_switch(["Eth1/1", "Eth1/2"], qos(tc_pg=priority_groups()), link())
UPLINK = Port(description="spine1 Eth1/1", link=link(), unnumbered=True)
FABRIC = replace(
    BASE,
    ports={**BASE.ports, "Eth1/33": UPLINK, "Eth1/34": replace(UPLINK, addresses=("10.2.0.0/31",), unnumbered=None)},
    loopbacks=("10.255.0.1/32",),
    buffers=Buffers(lossless=True, shared_headroom=Size(3_500_000)),
    bgp=Bgp(
        4_200_010_001, "10.255.0.1", maximum_paths=4, multipath_relax=True, networks=("10.255.0.1/32", "10.1.0.0/31")
    ),
    peers={
        "Eth1/33": BgpPeer(4_200_000_000, "spine1 Eth1/1", unnumbered=True, ipv4=True, bfd=True, state="Established"),
        "10.2.0.1": BgpPeer(4_200_000_000, "spine2 Eth1/1", ipv4=True, ipv6=True, state="Active"),
    },
)
SHAPED = replace(
    BASE,
    ports={
        name: replace(port, queues={**queues(), "0": Queue(Discipline.DWRR, 50, shape=Bandwidth.gbps(40))})
        for name, port in BASE.ports.items()
    },
)


def golden(name: str, text: str) -> None:
    """Hold a text against its file; WIRESPEED_ACCEPT=1 writes the file anew."""
    if os.environ.get("WIRESPEED_ACCEPT"):
        (GOLDEN / name).write_text(text, encoding="utf-8")
    assert text == (GOLDEN / name).read_text(encoding="utf-8")


def test_configuration_of_a_leaf_with_routes() -> None:
    golden("enterprise-sonic-fabric.cfg", fill_template(SONIC, "startup.j2", "leaf1", FABRIC))


def test_running_configuration_of_a_leaf_with_routes() -> None:
    golden("enterprise-sonic-fabric.running-config.txt", fill_answer(SONIC, "running-config", "leaf1", FABRIC))


@pytest.mark.parametrize("switch", [FABRIC, SHAPED], ids=["routes", "shaped"])
def test_settings_come_back(switch: Switch) -> None:
    assert find_losses(SONIC, "leaf1", switch) == []


def read(command: str, old: str, new: str, switch: Switch = FABRIC) -> Facts:
    """What is read with one change in what the device prints."""
    outputs = dict(answers(SONIC, "leaf1", switch).outputs)
    text = outputs[command].text
    assert old in text
    outputs[command] = Output(command, text.replace(old, new, 1), outputs[command].source)
    return assemble_facts(SONIC.parse(Outputs("leaf1", outputs)), devices=["leaf1"])


UNNUMBERED, NUMBERED = LEAF.child("peer", "Eth1/33"), LEAF.child("peer", "10.2.0.1")
PORT = LEAF.child("port", "Eth1/33")
ROWS: list[tuple[str, str, str, Place, str, Any]] = [
    # a changed value
    ("running-config", "remote-as 4200000000", "remote-as 65001", NUMBERED, "peer.asn", 65001),
    ("running-config", "maximum-paths 4", "maximum-paths 1", LEAF, "switch.bgp.maximum_paths", 1),
    ("running-config", "router-id 10.255.0.1", "router-id 10.255.0.2", LEAF, "switch.bgp.router_id", "10.255.0.2"),
    ("running-config", "interface Loopback 0", "interface Loopback0", LEAF, "switch.loopbacks", ("10.255.0.1/32",)),
    ("running-config", "buffer init lossless", "roce enable", LEAF, "switch.buffers.lossless", True),
    (
        "running-config",
        "neighbor interface Eth1/33",
        "neighbor interface Eth 1/33",
        UNNUMBERED,
        "peer.unnumbered",
        True,
    ),
    ("bgp-ipv4-summary", " 1\n", " Idle (Admin)\n", UNNUMBERED, "peer.state", None),
    ("bgp-ipv4-summary", " 1\n", " Idle\n", UNNUMBERED, "peer.state", "Idle"),
    # a line taken away is the default
    ("running-config", "   activate\n", "", NUMBERED, "peer.ipv4", False),
    ("running-config", " bestpath as-path multipath-relax\n", "", LEAF, "switch.bgp.multipath_relax", False),
    ("running-config", "  maximum-paths 4\n", "", LEAF, "switch.bgp.maximum_paths", 1),
    ("running-config", "  network 10.1.0.0/31\n", "", LEAF, "switch.bgp.networks", ("10.255.0.1/32",)),
    ("running-config", "  bfd\n", "", UNNUMBERED, "peer.bfd", False),
    ("running-config", " ipv6 enable\n", "", PORT, "port.unnumbered", False),
    ("running-config", "buffer init lossless\n", "", LEAF, "switch.buffers.lossless", False),
    # what makes no sense is unknown
    ("running-config", "router-id 10.255.0.1", "router-id leaf1", LEAF, "switch.bgp.router_id", None),
    ("running-config", "maximum-paths 4", "maximum-paths all", LEAF, "switch.bgp.maximum_paths", None),
    ("running-config", "remote-as 4200000000", "remote-as external", NUMBERED, "peer.asn", None),
    # another instance than the default one is not the fabric's
    ("running-config", "router bgp 4200010001", "router bgp 4200010001 vrf VrfA", LEAF, "switch.bgp.asn", None),
]


@pytest.mark.parametrize(("command", "old", "new", "place", "path", "value"), ROWS)
def test_one_line(command: str, old: str, new: str, place: Place, path: str, value: Any) -> None:
    assert read(command, old, new).value(place, path) == value


SWITCHED = replace(BASE, vlans={"11": Vlan(("192.168.1.254/24",), 9100)})
VLAN_LINES = "interface Vlan11\n ip address 192.168.1.254/24\n!\n"


@pytest.mark.parametrize(
    ("old", "new", "complete"),
    [
        ("", "", True),
        (VLAN_LINES, "", True),  # absent, though a text from the host name to a port was read
        ("hostname leaf1\n", "", False),
        ("interface Eth1/1\n", "interface PortChannel1\n", True),  # Eth1/2 is read
    ],
)
def test_vlans_are_complete_before_the_ports(old: str, new: str, complete: bool) -> None:
    facts = read("running-config", old, new, SWITCHED)
    assert facts.complete(LEAF, "switch.vlans") is complete


def test_vlans_of_a_text_that_ends_before_the_ports_are_not_complete() -> None:
    text = fill_answer(SONIC, "running-config", "leaf1", SWITCHED).partition("interface Eth1/1\n")[0]
    assert VLAN_LINES in text
    for part in (text, text + "interface Eth1/1\n mtu 9100\n", f"{text}interface Eth1/1\n!\n{VLAN_LINES}"):
        outputs = Outputs(
            "leaf1",
            {"running-config": Output("running-config", part, Source("leaf1", "running-config", "running-config.out"))},
        )
        assert not assemble_facts(SONIC.parse(outputs), devices=["leaf1"]).complete(LEAF, "switch.vlans")


@pytest.mark.parametrize(
    ("line", "value"), [(" unreliable-los off\n", "off"), (" unreliable-los on\n", "on"), ("", "auto")]
)
def test_signal_monitoring_of_a_port_is_read(line: str, value: str) -> None:
    """Words and default: dellemc.enterprise_sonic, sonic_interfaces; 957608-AN210, section 2.5.2, has auto."""
    ports = {name: replace(port, signal_monitoring="auto") for name, port in BASE.ports.items()}
    printed = " standalone-link-training\n unreliable-los auto\n"
    changed = printed.replace(" unreliable-los auto\n", line)
    facts = read("running-config", printed, changed, replace(BASE, ports=ports))
    assert facts.value(LEAF.child("port", "Eth1/1"), "port.signal_monitoring") == value


def test_a_shaper_in_packets_is_no_bandwidth() -> None:
    queue = LEAF.child("port", "Eth1/1").child("queue", "0")
    assert read("running-config", "pir 40000000", "pir 10000000", SHAPED).value(queue, "queue.shape") == (
        Bandwidth.gbps(10)
    )
    read_values = read("running-config", "meter-type bytes", "meter-type packets", SHAPED)
    assert read_values.value(queue, "queue.shape") is None
    assert read("running-config", "  meter-type bytes\n  pir 40000000\n", "", SHAPED).value(queue, "queue.shape") == 0
    limited = "qos scheduler-policy ROCE\n !\n port\n  pir 10000000"
    read_values = read("running-config", "qos scheduler-policy ROCE", limited, SHAPED)
    assert read_values.value(queue, "queue.shape") == Bandwidth.gbps(10)


def test_a_shaper_faster_than_it_can_configure_is_refused() -> None:
    ports = {name: replace(port, queues={"0": Queue(shape=Bandwidth.gbps(800))}) for name, port in BASE.ports.items()}
    with pytest.raises(Refusal, match=r"queue\.shape: found 800 Gb/s; expected 0 to 400 Gb/s in steps of 1 kb/s"):
        fill_template(SONIC, "startup.j2", "leaf1", replace(BASE, ports=ports))


COMMANDS: list[tuple[Place, str, Any, tuple[str, ...], str | None]] = [
    (LEAF, "switch.bgp.asn", 65001, ("router bgp 65001",), "all BGP sessions restart"),
    (LEAF, "switch.bgp.maximum_paths", 4, (
        "router bgp 4200010001",
        "address-family ipv4 unicast", "maximum-paths 4", "exit",
        "address-family ipv6 unicast", "maximum-paths 4", "exit",
    ), None),
    (LEAF, "switch.bgp.networks", ("10.255.0.1/32",), (
        "router bgp 4200010001", "address-family ipv4 unicast", "network 10.255.0.1/32", "exit",
    ), None),
    (LEAF, "switch.loopbacks", ("10.255.0.1/32",), ("interface Loopback 0", "ip address 10.255.0.1/32"), None),
    (LEAF, "switch.buffers.lossless", True, ("buffer init lossless",),
     "the configuration is saved and the switch reboots"),
    (UNNUMBERED, "peer.ipv4", True, (
        "router bgp 4200010001", "neighbor interface Eth1/33", "capability extended-nexthop",
        "address-family ipv4 unicast", "activate",
    ), "the session restarts"),
    (NUMBERED, "peer.bfd", False, ("router bgp 4200010001", "neighbor 10.2.0.1", "no bfd"), None),
    (PORT, "port.unnumbered", True, ("interface Eth1/33", "ipv6 enable"), "the sessions over the port restart"),
    (LEAF.child("port", "Eth1/1").child("queue", "0"), "queue.shape", Bandwidth.gbps(40), (
        "qos scheduler-policy ROCE", "queue 0", "type dwrr", "weight 50", "meter-type bytes", "pir 40000000", "exit",
        "queue 3", "type dwrr", "weight 50", "exit", "queue 6", "type strict", "exit", "exit",
        "interface Eth1/1", "scheduler-policy ROCE",
    ), "all ports with this policy change"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "path", "value", "lines", "consequence"), COMMANDS)
def test_commands_of_a_setting(
    place: Place, path: str, value: Any, lines: tuple[str, ...], consequence: str | None
) -> None:
    assert SONIC.commands_for is not None
    worded = SONIC.commands_for(place, path, value, FABRIC)
    assert worded is not None
    assert worded.commands == ("sonic-cli", "configure terminal", *lines, "end", "write memory", "exit")
    assert worded.consequence == consequence


STATISTICS = """\
Interface     Queue  Status       Storms    Storms    TX     TX     RX     RX     TX Last  TX Last  RX Last  RX Last
Eth1/1        3      operational  0         0         0      0      0      0      0        0        0        0
Eth1/1        4      stormed      1         0         0      7      0      0      0        7        0        0
Eth1/2        3      operational  2         2         0      0      0      0      0        0        0        0
Eth1/3        3      N/A          0         0         0      0      0      0      0        0        0        0
"""
"""Columns: AMD's public collector for Dell SONiC; states: sonic-swss, pfcactionhandler.cpp."""


def test_a_stormed_queue_is_a_watchdog_that_acts() -> None:
    name = "pfc-watchdog-statistics"
    output = Output(name, STATISTICS, Source("leaf1", name, f"leaf1/{name}.out"))
    facts = assemble_facts(SONIC.parse(Outputs("leaf1", {name: output})), devices=["leaf1"])
    assert [
        facts.value(Place("leaf1").child("port", f"Eth1/{number}"), "port.qos.watchdog.active") for number in (1, 2, 3)
    ] == [True, False, None]
    assert facts.value(Place("leaf1").child("port", "Eth1/1"), "port.qos.watchdog.stuck_queues") == {4}
