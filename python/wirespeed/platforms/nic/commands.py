"""Commands that configure a NIC port, with their settings: a boot script runs all, a fix those of its setting."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wirespeed.settings import Nic, NicQos, NicTrafficClass, Priority


@dataclass(frozen=True, slots=True)
class Line:
    """A command line of a POSIX shell, and the settings it changes."""

    text: str
    settings: tuple[str, ...]


def join_arguments(*arguments: object) -> str:
    """Words as one types them."""
    return shlex.join(str(word) for word in arguments)


def write(value: object, path: str) -> str:
    """A value into a file of the kernel's."""
    return f"echo {shlex.quote(str(value))} > {shlex.quote(path)}"


def commands_of_setting(lines: Iterable[Line], path: str) -> tuple[str, ...]:
    """The command lines that change a setting."""
    return tuple(line.text for line in lines if path in line.settings)


def pause_off(interface: str, nic: Nic) -> Iterator[Line]:
    """Global pause, which PFC replaces."""
    if nic.link.pause_receive is None or nic.link.pause_send is None:
        return
    switch_keywords = {True: "on", False: "off"}
    arguments = ("rx", switch_keywords[nic.link.pause_receive], "tx", switch_keywords[nic.link.pause_send])
    yield Line(
        join_arguments("ethtool", "-A", interface, *arguments), ("nic.link.pause_receive", "nic.link.pause_send")
    )


def rdma_cm(nic: Nic) -> Iterator[Line]:
    """RoCE version and marks of connections of rdma_cm; the folder exists only while it is used."""
    if nic.rdma_device is None or nic.roce_version is None:
        return
    folder = f"/sys/kernel/config/rdma_cm/{nic.rdma_device}"
    writes = [write(nic.roce_version, f"{folder}/ports/1/default_roce_mode")]
    if nic.qos.roce_dscp is not None:
        writes.append(write(tos(nic.qos), f"{folder}/ports/1/default_roce_tos"))
    text = " && ".join([join_arguments("mkdir", "-p", folder), *writes, join_arguments("rmdir", folder)])
    yield Line(text, ("nic.roce_version", "nic.qos.connection_dscp", "nic.qos.roce_dscp", "nic.qos.ect"))


def tos(qos: NicQos) -> int:
    """The ToS byte of RoCE data: its DSCP, and the ECN code point below."""
    assert qos.roce_dscp is not None
    return qos.roce_dscp.tos + (qos.ect.bits if qos.ect else 0)


def default_priority(qos: NicQos) -> Priority:
    """The priority of all traffic without a planned class: the lowest one in the busiest traffic class."""
    priority_map = qos.priority_tc or {}
    count: dict[NicTrafficClass, int] = {}
    for tc in priority_map.values():
        count[tc] = count.get(tc, 0) + 1
    busiest = max(count, key=lambda tc: (count[tc], -tc)) if count else None
    return min((priority for priority, tc in priority_map.items() if tc == busiest), default=Priority(0))
