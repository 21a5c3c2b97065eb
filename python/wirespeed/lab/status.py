"""State of a lab: processes, links, addresses, rules and routes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from wirespeed.errors import Refusal, refuse
from wirespeed.lab import readiness, state
from wirespeed.lab.processes import processes_of, programs
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
    """How a lab is; one that an interrupted command left, as far as it was built.

    Raises:
        Refusal: there is none, or nothing is known of it but its namespaces.
    """
    known = [lab for lab in state.names() if state.exists(lab)]
    kept = state.load(name) if name in known else None
    if kept is None and name in known:
        raise refuse(f"lab {name}", "remains of a lab", "a running lab", f"remove it with `wirespeed lab down {name}`")
    if kept is None:
        hint = f"labs: {', '.join(known)}" if known else "`wirespeed lab up CLUSTER` starts one"
        raise refuse("lab", f"no lab {name!r}", "a running lab", hint)
    try:
        return _read_status(kept)
    except Refusal:
        now = state.load(name)
        if now is not None and now.phase is not Phase.LEAVING:
            raise
        return _read_status(kept, exists=False)  # it was removed while it was looked at


def statuses() -> list[LabStatus]:
    """Every lab; one that goes while they are looked at is left out, and so is what has no record."""
    found = []
    for name in state.names():
        try:
            found.append(status(name))
        except Refusal:
            if state.load(name) is not None:
                raise
    return found


def _read_status(kept: LabState, exists: bool = True) -> LabStatus:
    known = set(state.namespaces(kept.name)) if exists else set()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        devices = tuple(pool.map(lambda device: _device(kept, device, device.namespace in known), kept.devices))
        interfaces = dict(
            zip(
                (device.name for device in kept.devices),
                pool.map(lambda device: _interfaces(device) if device.namespace in known else {}, kept.devices),
                strict=True,
            )
        )
    links = tuple(LinkStatus(_end(link.a, interfaces), _end(link.b, interfaces), link.rail) for link in kept.links)
    faults = tuple(fault.title for fault in kept.faults)
    return LabStatus(kept.name, kept.cluster, kept.file, kept.started, kept.phase, devices, links, faults)


def _device(lab: LabState, device: LabDevice, exists: bool) -> DeviceStatus:
    running = programs(processes_of([device.namespace])) if exists else set()
    found: set[str] = set()
    if exists and device.expects:
        folder = state.device_folder(lab.name, device.name)
        found = readiness.has(device.namespace, folder, readiness.families(device.expects))
    return DeviceStatus(
        device.name,
        device.role,
        device.namespace,
        exists,
        tuple(DaemonStatus(daemon, daemon in running) for daemon in device.daemons),
        len(device.expects),
        tuple(line for line in device.expects if line not in found),
    )


def _interfaces(device: LabDevice) -> Interfaces:
    """Interfaces of a namespace by name, from `ip`."""
    ran = run(("ip", "-n", device.namespace, "-json", "link", "show"), _LIMIT_S)
    if ran.status is not Status.OK:
        raise refuse(device.name, f"ip link: {ran.detail}", "the interfaces of a namespace")
    return {link["ifname"]: link for link in json.loads(ran.stdout)}


def _end(end: LabEnd, interfaces: Mapping[str, Interfaces]) -> EndStatus:
    link = interfaces[end.device].get(end.interface)
    if link is None:
        return EndStatus(end.device, end.port, end.interface, "gone", None)
    flags = link.get("flags", ())
    carrier = UP if "LOWER_UP" in flags else "no carrier"
    return EndStatus(end.device, end.port, end.interface, carrier if "UP" in flags else "down", link.get("mtu"))
