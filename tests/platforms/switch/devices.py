"""Switches built by hand, for tests of the switch platforms."""

from __future__ import annotations

from wirespeed.settings import (
    Discipline,
    Dscp,
    Ecn,
    Link,
    Neighbour,
    Port,
    PortQos,
    Priority,
    PriorityGroup,
    Queue,
    Switch,
    SwitchQueue,
    SwitchTrafficClass,
    Vlan,
    Watchdog,
    WatchdogAction,
)
from wirespeed.units import Bandwidth, Duration, Size

TC = SwitchTrafficClass


def ms(number: int) -> Duration:
    """Milliseconds."""
    return Duration(number * 10**9)


def qos(**changes: object) -> PortQos:
    """The default classes: RoCE on DSCP 26 in traffic class 3, notifications on 48 in 6, all other traffic in 0."""
    values: dict[str, object] = {
        "trust": "dscp",
        "dscp_tc": {Dscp(dscp): TC({26: 3, 48: 6}.get(dscp, 0)) for dscp in range(64)},
        "tc_queue": {TC(tc): SwitchQueue(tc) for tc in range(8)},
        "pfc_queue": {Priority(priority): SwitchQueue(priority) for priority in range(8)},
        "pfc": frozenset({Priority(3)}),
        "watchdog": Watchdog(action=WatchdogAction.DROP, detect=ms(200), restore=ms(400)),
        **changes,
    }
    return PortQos(**values)  # type: ignore[arg-type]


def priority_groups() -> dict[SwitchTrafficClass, PriorityGroup]:
    """Traffic class 3 in group 3, all others in 7."""
    return {TC(tc): PriorityGroup(3 if tc == 3 else 7) for tc in range(8)}


def queues(**ecn: object) -> dict[str, Queue]:
    """Two queues that share, one strict, and ECN on the lossless one."""
    thresholds: dict[str, object] = {
        "minimum": Size(1_048_000),
        "maximum": Size(2_097_000),
        "probability": 5,
        "enabled": True,
        **ecn,
    }
    return {
        "0": Queue(Discipline.DWRR, 50, ecn=Ecn(enabled=False)),
        "3": Queue(Discipline.DWRR, 50, ecn_counter=True, ecn=Ecn(**thresholds)),  # type: ignore[arg-type]
        "6": Queue(Discipline.STRICT, ecn=Ecn(enabled=False)),
    }


def link(**changes: object) -> Link:
    """A 400G port with Reed-Solomon FEC."""
    values: dict[str, object] = {
        "speed": Bandwidth.gbps(400),
        "lanes": 8,
        "enabled": True,
        "up": True,
        "mtu": 9100,
        "fec": "rs",
        "training": True,
        **changes,
    }
    return Link(**values)  # type: ignore[arg-type]


def routed_switch(names: list[str], port_qos: PortQos, port_link: Link) -> Switch:
    """One routed port per name."""
    return Switch(
        os_version="4.4.0",
        chip="tomahawk4",
        routing=True,
        lldp=True,
        watchdog_poll=ms(100),
        ports={
            name: Port(
                description=f"node1 eth{index}",
                link=port_link,
                addresses=(f"10.1.0.{2 * index}/31",),
                qos=port_qos,
                queues=queues(),
                neighbour=Neighbour("node1", f"eth{index}"),
            )
            for index, name in enumerate(names)
        },
    )


def vlan_switch(names: list[str], port_qos: PortQos, port_link: Link) -> Switch:
    """One switched port per name, each in its own VLAN."""
    return Switch(
        os_version="4.4.0",
        chip="tomahawk4",
        routing=True,
        lldp=True,
        ports={
            name: Port(
                description=f"node1 eth{index}",
                link=port_link,
                vlan=11 + index,
                qos=port_qos,
                queues=queues(),
                neighbour=Neighbour("node1", f"eth{index}"),
            )
            for index, name in enumerate(names)
        },
        vlans={
            str(11 + index): Vlan((f"192.168.{1 + index}.254/24",), 9000, f"rail {1 + index}")
            for index, _ in enumerate(names)
        },
    )
