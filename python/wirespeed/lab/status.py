"""State of a lab: processes, links, addresses, rules and routes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from wirespeed.errors import Refusal, refuse
from wirespeed.lab import readiness, state
from wirespeed.lab.processes import list_processes, programs
from wirespeed.reach import Status, run
from wirespeed.results.lab import (
    UP,
    DaemonStatus,
    DeviceStatus,
    EndStatus,
    LabDevice,
    LabEnd,
    LabState,
    LabStatus,
    LinkStatus,
    Phase,
)

_AT_ONCE = 8
_LIMIT_S = 60

Interfaces = Mapping[str, Mapping[str, Any]]


def status(name: str) -> LabStatus:
    """The status of a lab, also of an incomplete one.

    Raises:
        Refusal: no such lab exists, or only its namespaces do.
    """
    lab_names = [lab for lab in state.names() if state.exists(lab)]
    stored = state.load(name) if name in lab_names else None
    if stored is None and name in lab_names:
        raise refuse(f"lab {name}", "remains of a lab", "a running lab", f"remove it with `wirespeed lab down {name}`")
    if stored is None:
        hint = f"labs: {', '.join(lab_names)}" if lab_names else "`wirespeed lab up CLUSTER` starts one"
        raise refuse("lab", f"no lab {name!r}", "a running lab", hint)
    try:
        return _read_status(stored)
    except Refusal:
        present_state = state.load(name)
        if present_state is not None and present_state.phase is not Phase.LEAVING:
            raise
        return _read_status(stored, exists=False)  # it was removed during the reading


def statuses() -> list[LabStatus]:
    """The status of every lab with a record."""
    all_statuses = []
    for name in state.names():
        try:
            all_statuses.append(status(name))
        except Refusal:
            if state.load(name) is not None:
                raise
    return all_statuses


def _read_status(lab: LabState, exists: bool = True) -> LabStatus:
    existing = set(state.namespaces(lab.name)) if exists else set()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        devices = tuple(pool.map(lambda device: _read_device(lab, device, device.namespace in existing), lab.devices))
        interfaces = dict(
            zip(
                (device.name for device in lab.devices),
                pool.map(lambda device: _read_interfaces(device) if device.namespace in existing else {}, lab.devices),
                strict=True,
            )
        )
    links = tuple(
        LinkStatus(_build_end(link.a, interfaces), _build_end(link.b, interfaces), link.rail) for link in lab.links
    )
    faults = tuple(fault.title for fault in lab.faults)
    return LabStatus(lab.name, lab.cluster, lab.file, lab.started, lab.phase, devices, links, faults)


def _read_device(lab: LabState, device: LabDevice, exists: bool) -> DeviceStatus:
    running_programs = programs(list_processes([device.namespace])) if exists else set()
    present_lines: set[str] = set()
    if exists and device.expects:
        folder = state.device_folder(lab.name, device.name)
        present_lines = readiness.list_configured_lines(
            device.namespace, folder, readiness.list_families(device.expects)
        )
    return DeviceStatus(
        device.name,
        device.role,
        device.namespace,
        exists,
        tuple(DaemonStatus(daemon, daemon in running_programs) for daemon in device.daemons),
        len(device.expects),
        tuple(line for line in device.expects if line not in present_lines),
    )


def _read_interfaces(device: LabDevice) -> Interfaces:
    """Interfaces of a namespace by name, from `ip`."""
    ran = run(("ip", "-n", device.namespace, "-json", "link", "show"), _LIMIT_S)
    if ran.status is not Status.OK:
        raise refuse(device.name, f"ip link: {ran.detail}", "the interfaces of a namespace")
    return {link["ifname"]: link for link in json.loads(ran.stdout)}


def _build_end(end: LabEnd, interfaces: Mapping[str, Interfaces]) -> EndStatus:
    link = interfaces[end.device].get(end.interface)
    if link is None:
        return EndStatus(end.device, end.port, end.interface, "gone", None)
    flags = link.get("flags", ())
    carrier = UP if "LOWER_UP" in flags else "no carrier"
    return EndStatus(end.device, end.port, end.interface, carrier if "UP" in flags else "down", link.get("mtu"))
