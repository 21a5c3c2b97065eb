"""Faults as a scenario has them: rules put on links and NIC ports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wirespeed.errors import Refused
from wirespeed.plan import Plan
from wirespeed.simulation.devices import Devices
from wirespeed.simulation.faults.places import nanoseconds, refusing
from wirespeed.simulation.faults.wiring import exchanged
from wirespeed.simulation.names import Names
from wirespeed.simulation.nics import Tree
from wirespeed.simulation.receive_buffer import Pausing, pausing
from wirespeed.simulation.workload import Fault, Seat, Traffic
from wirespeed.simulation.workload.fault_entries import (
    BitErrors,
    CnpDelay,
    CnpLoss,
    For,
    FrameLoss,
    LinkDown,
    Miswired,
    PfcLoss,
    SlowReceiver,
    StuckNic,
    WrongSetting,
)


@dataclass(slots=True)
class Rules:
    """What faults are in a scenario."""

    items: list[Tree] = field(default_factory=list)
    """Of its ``faults``."""
    links: dict[int, Tree] = field(default_factory=dict)
    """More keys of single links."""
    devices: list[Tree] = field(default_factory=list)
    """More items of its ``devices``."""


def rules_of(plan: Plan, traffic: Traffic, names: Names, devices: Devices) -> Rules:
    """The faults of a traffic file that `check` has found to fit. ``names`` and ``devices`` are those of the plan.

    Raises:
        Refused: a NIC's receive buffer is too small; with its line.
    """
    ports = exchanged(names.by_name(), traffic.faults)
    planned = names.by_name()
    rules = Rules()
    problems = []
    for index, fault in enumerate(traffic.faults):
        match fault:
            case FrameLoss():
                rules.links.setdefault(ports[fault.port] // 2, {})["loss"] = fault.probability
            case PfcLoss():
                rules.links.setdefault(ports[fault.port] // 2, {})["pfc_lost_from_ns"] = nanoseconds(fault.start)
            case SlowReceiver():
                needed, size = _pausing(plan, fault), int(fault.receive_buffer)
                if size < needed.least:
                    hint = "the headroom of its cable and an MTU"
                    refuse = refusing(traffic, index)
                    problems.append(refuse("receive_buffer", f"{size:,} bytes", f"at least {needed.least:,}", hint))
                port = planned[fault.port]
                pipe = {**_pipe_of(plan, devices, port, names), **needed.of(size)}
                rules.devices.append({"ports": [port], "parameters": {"nic": {"pipe": pipe}}})
        if (rule := _rule(plan, fault, names, ports)) is not None:
            rules.items.append({"kind": fault.kind, **_times(fault), **rule})
    if problems:
        raise Refused(problems)
    return rules


def _rule(plan: Plan, fault: Fault, names: Names, ports: Mapping[str, int]) -> Tree | None:
    """Where a fault is put, and what it does; None of one that is none of the core's ``faults``."""
    match fault:
        case LinkDown():
            where = {"link": ports[fault.port] // 2} if fault.port else {"node": names.node(fault.node or "")}
            return where | {
                "detection_ns": nanoseconds(fault.detection),
                "convergence_ns": nanoseconds(fault.convergence),
            }
        case BitErrors():
            floor = {"floor_ber": fault.floor_ber} if fault.floor_ber else {}
            return {"link": ports[fault.port] // 2, "ber": fault.ber, "fec": fault.fec, **floor}
        case Miswired():
            planned = names.by_name()
            return {"links": [planned[port] // 2 for port in fault.ports]}
        case StuckNic():
            known = plan.classes.get(fault.traffic_class or "")
            return _nic(names, fault.port) | ({"priority": int(known.priority)} if known else {})
        case SlowReceiver():
            return _nic(names, fault.port) | {"gbps": int(fault.rate) / 1e9}
        case CnpLoss():
            return {"link": ports[fault.port] // 2, "probability": fault.probability}
        case CnpDelay():
            return _nic(names, fault.port) | {"delay_ns": nanoseconds(fault.delay)}
        case FrameLoss() | PfcLoss() | WrongSetting():
            return None


def _times(fault: Fault) -> Tree:
    if not isinstance(fault, For):
        return {}
    times: dict[str, Any] = {"from_ns": nanoseconds(fault.start)} if fault.start else {}
    return times if fault.until is None else times | {"until_ns": nanoseconds(fault.until)}


def _nic(names: Names, port: str) -> Tree:
    """A NIC port as its host's; the core finds it whichever cable it has."""
    host, _, interface = port.partition(":")
    found = names.nic(Seat(host, interface))
    return {"node": found.node} | ({"nic_port": found.index} if found.index else {})


def _pausing(plan: Plan, fault: SlowReceiver) -> Pausing:
    """What the receive buffer needs, behind the planned cable."""
    port = fault.port
    host, _, interface = port.partition(":")
    nic = plan.hosts[host].nics[interface]
    cable = next(one for one in plan.cables if port in (f"{one.a.device}:{one.a.port}", f"{one.b.device}:{one.b.port}"))
    return pausing(plan, nic, cable)


def _pipe_of(plan: Plan, devices: Devices, port: int, names: Names) -> Tree:
    """What stands between a NIC and memory already; else what is never slower than the wire."""
    node = names.node(names.ends[port].device)
    found = devices.parameters.get("nic", {}).get("pipe")
    for item in devices.items:
        if "priorities" not in item and (node in item.get("nodes", ()) or port in item.get("ports", ())):
            found = item["parameters"].get("nic", {}).get("pipe", found)
    return found or {"gbps": -(-int(plan.cables[port // 2].speed) // 10**9), "latency_ns": 0}
