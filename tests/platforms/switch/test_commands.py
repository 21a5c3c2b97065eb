"""One change as commands of the device."""

from __future__ import annotations

from typing import Any

import pytest

from platforms.switch.test_render import CASES
from wirespeed.settings import Discipline, Place, WatchdogAction
from wirespeed.units import Bandwidth, Duration, Size

FLAP = "the link goes down and comes up again"
LEAF = Place("leaf1")


def port(case: str) -> Place:
    """The case's first port."""
    return LEAF.child("port", next(iter(CASES[case][1].ports)))


ROWS: list[tuple[str, tuple[str, ...], str, Any, tuple[str, ...], str | None]] = [
    ("eos-routed", ("port",), "port.link.mtu", 9214, ("interface Ethernet1/1", "mtu 9214"), None),
    ("eos-routed", ("port",), "port.link.speed", Bandwidth.gbps(400), ("interface Ethernet1/1", "speed 400g-8"), FLAP),
    (
        "eos-routed",
        ("port",),
        "port.link.fec",
        "rs",
        ("interface Ethernet1/1", "error-correction encoding reed-solomon"),
        FLAP,
    ),
    ("eos-routed", ("port",), "port.link.pause_send", False, ("interface Ethernet1/1", "flowcontrol send off"), None),
    ("eos-routed", ("port",), "port.qos.trust", "dscp", ("interface Ethernet1/1", "qos trust dscp"), None),
    (
        "eos-routed",
        ("port",),
        "port.qos.pfc",
        frozenset({3}),
        (
            "interface Ethernet1/1",
            "priority-flow-control on",
            *(f"priority-flow-control priority {number} drop" for number in range(3)),
            "priority-flow-control priority 3 no-drop",
            *(f"priority-flow-control priority {number} drop" for number in range(4, 8)),
        ),
        "the commands change the port alone: correct its qos profile too, if it has one",
    ),
    (
        "eos-routed",
        ("port",),
        "port.addresses",
        ("10.1.0.0/31",),
        ("interface Ethernet1/1", "no switchport", "ip address 10.1.0.0/31"),
        "the port becomes a routed port; its addresses are unreachable until the host answers ARP again",
    ),
    (
        "eos-routed",
        ("port",),
        "port.qos.dscp_tc",
        {26: 3, 48: 6},
        ("qos map dscp 26 to traffic-class 3", "qos map dscp 48 to traffic-class 6"),
        "the map of the whole switch changes; packets in flight change their queue",
    ),
    (
        "eos-routed",
        ("port",),
        "port.qos.watchdog.detect",
        Duration(10**12),
        (
            "interface Ethernet1/1",
            "priority-flow-control pause watchdog port timer timeout 1.00 polling-interval 0.100 recovery-time 0.40",
        ),
        None,
    ),
    (
        "eos-routed",
        ("port", "3"),
        "queue.ecn.enabled",
        True,
        (
            "interface Ethernet1/1",
            "uc-tx-queue 3",
            "random-detect ecn minimum-threshold 1048 kbytes maximum-threshold 2097 kbytes "
            "max-mark-probability 5 weight 0",
        ),
        "the commands change the port alone: correct its qos profile too, if it has one",
    ),
    (
        "eos-routed",
        ("port", "3"),
        "queue.ecn_counter",
        True,
        ("interface Ethernet1/1", "uc-tx-queue 3", "random-detect ecn count"),
        "the commands change the port alone: correct its qos profile too, if it has one",
    ),
    ("eos-routed", (), "switch.ecn_counters", True, ("hardware counter feature ecn out",), None),
    (
        "eos-jericho",
        ("port", "6"),
        "queue.discipline",
        Discipline.STRICT,
        ("interface Ethernet1/1", "tx-queue 6", "priority strict"),
        "the commands change the port alone: correct its qos profile too, if it has one",
    ),
    ("eos-routed", (), "switch.routing", True, ("ip routing",), None),
    ("eos-routed", (), "switch.routing", False, ("no ip routing",), None),
    ("eos-routed", (), "switch.lldp", True, ("lldp run",), None),
    ("eos-routed", (), "switch.lldp", False, ("no lldp run",), None),
    ("dell-routed", (), "switch.lldp", True, ("lldp enable",), None),
    ("dell-routed", (), "switch.lldp", False, ("no lldp enable",), None),
    ("dell-routed", ("port",), "port.link.mtu", 9100, ("interface Eth1/1", "mtu 9100"), None),
    ("dell-routed", ("port",), "port.link.speed", Bandwidth.gbps(400), ("interface Eth1/1", "speed 400000"), FLAP),
    (
        "eos-switched",
        ("port",),
        "port.vlan",
        11,
        ("vlan 11", "interface Ethernet1/1", "switchport", "switchport mode access", "switchport access vlan 11"),
        "the port leaves its VLAN; its addresses are unreachable until the host answers ARP again",
    ),
    (
        "dell-switched",
        ("port",),
        "port.vlan",
        11,
        ("interface Eth1/1", "switchport access Vlan 11"),
        "the port leaves its VLAN; its addresses are unreachable until the host answers ARP again",
    ),
    (
        "dell-routed",
        ("port",),
        "port.qos.trust",
        "dscp",
        ("interface Eth1/1", "qos-map dscp-tc ROCE"),
        "packets in flight change their queue",
    ),
    (
        "dell-routed",
        ("port",),
        "port.qos.dscp_tc",
        {26: 3},
        (
            "qos map dscp-tc ROCE",
            "dscp 26 traffic-class 3",
            "exit",
            "interface Eth1/1",
            "qos-map dscp-tc ROCE",
        ),
        "all ports with this policy change; packets in flight change their queue",
    ),
    (
        "dell-routed",
        ("port",),
        "port.qos.pfc",
        frozenset({3}),
        (
            "interface Eth1/1",
            *(f"no priority-flow-control priority {number}" for number in range(3)),
            "priority-flow-control priority 3",
            *(f"no priority-flow-control priority {number}" for number in range(4, 8)),
        ),
        None,
    ),
    (
        "dell-routed",
        ("port",),
        "port.qos.pfc",
        {3: True, 4: False},
        ("interface Eth1/1", "priority-flow-control priority 3", "no priority-flow-control priority 4"),
        None,
    ),
    (
        "eos-routed",
        ("port",),
        "port.qos.pfc",
        {3: True, 4: False},
        (
            "interface Ethernet1/1",
            "priority-flow-control on",
            "priority-flow-control priority 3 no-drop",
            "priority-flow-control priority 4 drop",
        ),
        "the commands change the port alone: correct its qos profile too, if it has one",
    ),
    (
        "dell-routed",
        ("port",),
        "port.qos.watchdog.action",
        WatchdogAction.DROP,
        ("interface Eth1/1", "priority-flow-control watchdog action drop"),
        None,
    ),
    (
        "dell-routed",
        ("port",),
        "port.qos.watchdog.enabled",
        True,
        ("interface Eth1/1", "priority-flow-control watchdog on detect-time 200"),
        None,
    ),
    (
        "dell-routed",
        ("port", "3"),
        "queue.ecn.minimum",
        Size(1_048_000),
        (
            "qos wred-policy ROCE",
            "green minimum-threshold 1048 maximum-threshold 2097 drop-probability 5",
            "ecn green",
            "exit",
            "interface Eth1/1",
            "queue 3 wred-policy ROCE",
        ),
        "all ports with this policy change",
    ),
    (
        "dell-routed",
        ("port", "3"),
        "queue.weight",
        50,
        (
            *("qos scheduler-policy ROCE", "queue 0", "type dwrr", "weight 50", "exit"),
            *("queue 3", "type dwrr", "weight 50", "exit", "queue 6", "type strict", "exit", "exit"),
            *("interface Eth1/1", "scheduler-policy ROCE"),
        ),
        "all ports with this policy change",
    ),
]


def frame(case: str, lines: tuple[str, ...]) -> tuple[str, ...]:
    """The commands around the change."""
    if case.startswith("eos"):
        return ("configure", *lines, "end", "write memory")
    return ("sonic-cli", "configure terminal", *lines, "end", "write memory", "exit")


@pytest.mark.parametrize(("case", "entities", "path", "value", "lines", "consequence"), ROWS)
def test_commands_of_a_setting(
    case: str, entities: tuple[str, ...], path: str, value: Any, lines: tuple[str, ...], consequence: str | None
) -> None:
    platform_entry, switch = CASES[case]
    place = LEAF if not entities else port(case)
    for number in entities[1:]:
        place = place.child("queue", number)
    assert platform_entry.commands_for is not None
    worded = platform_entry.commands_for(place, path, value, switch)
    assert worded is not None
    assert worded.commands == frame(case, lines)
    assert worded.consequence == consequence


@pytest.mark.parametrize("case", ["eos-routed", "dell-routed"])
def test_every_rendered_setting_has_commands(case: str) -> None:
    """A finding about a rendered setting always has the commands that set it."""
    from wirespeed.settings import walk

    platform_entry, switch = CASES[case]
    assert platform_entry.commands_for is not None
    without_commands = [
        str(path)
        for place, path, value in walk(switch, LEAF)
        if value is not None
        and platform_entry.support(path).rendered
        and not (place.kind == "queue" and place.name != "3")
        and platform_entry.commands_for(place, path, value, switch) is None
    ]
    assert without_commands == []


@pytest.mark.parametrize("case", ["eos-routed", "dell-routed"])
def test_no_commands_for_what_is_not_configured(case: str) -> None:
    platform_entry, switch = CASES[case]
    assert platform_entry.commands_for is not None
    assert platform_entry.commands_for(port(case), "port.link.up", True, switch) is None
    assert platform_entry.commands_for(port(case), "port.neighbour.device", "node1", switch) is None
