"""Template values of a NIC set with the kernel's tools: iproute2's dcb, ethtool and rdma_cm's configfs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wirespeed.platforms.nic.commands import Line, default_priority, join_arguments, pause_off, rdma_cm
from wirespeed.platforms.nic.dcb_output import ALGORITHM_NAMES, ROCE_PORT
from wirespeed.settings import Device, Host, Nic, NicQos

DRIVERS = ("ice", "i40e", "qede", "hns3")
"""Ethernet drivers with DCB in the kernel, an RDMA driver beside them, and no configuration tool of the vendor."""


def view(name: str, device: Device) -> Mapping[str, Any]:
    """Functions for the templates."""
    if not isinstance(device, Host):
        raise TypeError(f"{name} is no host")
    return {
        "ports": lambda: [(interface, list(lines(interface, nic))) for interface, nic in select_nics(device).items()],
        "by_rdma_cm": lambda: any(list(rdma_cm(nic)) for nic in select_nics(device).values()),
    }


def select_nics(host: Host) -> dict[str, Nic]:
    """The NICs of this platform with commands."""
    return {name: nic for name, nic in host.nics.items() if nic.driver.name in DRIVERS and nic.qos.priority_tc}


def lines(interface: str, nic: Nic) -> Iterator[Line]:
    """Every command of a port, in order."""
    yield from pause_off(interface, nic)
    yield from _build_dcb(interface, nic.qos)
    yield from rdma_cm(nic)


def _build_dcb(interface: str, qos: NicQos) -> Iterator[Line]:
    arguments: list[str] = []
    if qos.willing is not None:
        arguments += ["willing", "on" if qos.willing else "off"]
    if qos.tc_discipline:
        arguments += [
            "tc-tsa",
            *(f"{tc}:{ALGORITHM_NAMES[discipline]}" for tc, discipline in sorted(qos.tc_discipline.items())),
        ]
        arguments += ["tc-bw", "all:0", *(f"{tc}:{share}" for tc, share in sorted((qos.tc_share or {}).items()))]
    if qos.priority_tc:
        arguments += ["prio-tc", *(f"{priority}:{tc}" for priority, tc in sorted(qos.priority_tc.items()))]
    paths = ("nic.qos.willing", "nic.qos.tc_discipline", "nic.qos.tc_share", "nic.qos.priority_tc")
    yield Line(join_arguments("dcb", "ets", "set", "dev", interface, *arguments), paths)
    if qos.pfc is not None:
        pfc_arguments = (f"{priority}:on" for priority in sorted(qos.pfc))
        yield Line(
            join_arguments("dcb", "pfc", "set", "dev", interface, "prio-pfc", "all:off", *pfc_arguments),
            ("nic.qos.pfc",),
        )
    yield from _build_app(interface, qos)
    if qos.priority_buffer or qos.buffer_size:
        arguments = [
            "prio-buffer",
            *(f"{priority}:{number}" for priority, number in sorted((qos.priority_buffer or {}).items())),
        ]
        if qos.buffer_size:
            arguments += ["buffer-size", *(f"{buffer}:{int(size)}" for buffer, size in sorted(qos.buffer_size.items()))]
        yield Line(
            join_arguments("dcb", "buffer", "set", "dev", interface, *arguments),
            ("nic.qos.priority_buffer", "nic.qos.buffer_size"),
        )


def _build_app(interface: str, qos: NicQos) -> Iterator[Line]:
    """The application table. It is flushed first, because ``add`` keeps older entries."""
    paths = ("nic.qos.dscp_priority", "nic.qos.roce_priority")
    yield Line(
        join_arguments("dcb", "app", "flush", "dev", interface, "default-prio", "dgram-port-prio", "dscp-prio"), paths
    )
    arguments = ["default-prio", str(default_priority(qos))]
    if qos.roce_priority is not None:
        arguments += ["dgram-port-prio", f"{ROCE_PORT}:{qos.roce_priority}"]
    if qos.dscp_priority:
        arguments += ["dscp-prio", *(f"{dscp}:{priority}" for dscp, priority in sorted(qos.dscp_priority.items()))]
    yield Line(join_arguments("dcb", "app", "replace", "dev", interface, *arguments), paths)
