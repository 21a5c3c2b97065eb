"""Faults as a scenario has them: rules put on links and NIC ports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NotRequired, TypedDict

from wirespeed.errors import Refusal
from wirespeed.plan import Plan
from wirespeed.simulation import scenario_types as form
from wirespeed.simulation.devices import Devices
from wirespeed.simulation.faults.places import refusal_of
from wirespeed.simulation.faults.wiring import exchange_ports
from wirespeed.simulation.plan_names import Names
from wirespeed.simulation.receive_buffer import PauseThresholds, pause_thresholds
from wirespeed.simulation.workload import Endpoint, Fault, Traffic
from wirespeed.simulation.workload.fault_entries import (
    BitErrors,
    CnpDelay,
    CnpLoss,
    FrameLoss,
    LinkDown,
    Miswiring,
    PfcLoss,
    SlowReceiver,
    StuckNic,
    TimedFault,
    WrongSetting,
)
from wirespeed.simulation.workload.file import nanoseconds


class CableFault(TypedDict, total=False):
    """Keys of a cable that loses frames."""

    loss: float
    pfc_lost_from_ns: int


class _Time(TypedDict, total=False):
    from_ns: int
    until_ns: int


class _Target(TypedDict, total=False):
    link: int
    node: int


class _Floor(TypedDict, total=False):
    floor_ber: float


class _Priority(TypedDict, total=False):
    priority: int


class _NicPort(TypedDict):
    node: int
    nic_port: NotRequired[int]


@dataclass(slots=True)
class Rules:
    """What faults are in a scenario."""

    items: list[form.Fault] = field(default_factory=list)
    """Of its ``faults``."""
    links: dict[int, CableFault] = field(default_factory=dict)
    """More keys of single links."""
    devices: list[form.Device] = field(default_factory=list)
    """More items of its ``devices``."""


def rules_of(plan: Plan, traffic: Traffic, names: Names, devices: Devices) -> Rules:
    """The faults of a traffic file that `check` has found to fit. ``names`` and ``devices`` are those of the plan.

    Raises:
        Refusal: a NIC's receive buffer is too small; with its line.
    """
    ports = exchange_ports(names.by_name(), traffic.faults)
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
                needed, size = _receive_buffer(plan, fault), int(fault.receive_buffer)
                if size < needed.minimum_bytes:
                    hint = "the headroom of its cable and an MTU"
                    refuse = refusal_of(traffic, index)
                    problems.append(
                        refuse("receive_buffer", f"{size:,} bytes", f"at least {needed.minimum_bytes:,}", hint)
                    )
                port = planned[fault.port]
                pipe: form.Pipe = {**_pipe_of(plan, devices, port, names), **needed.pipe(size)}
                rules.devices.append({"ports": [port], "parameters": {"nic": {"pipe": pipe}}})
        if (rule := _rule(plan, fault, names, ports)) is not None:
            rules.items.append(rule)
    if problems:
        raise Refusal(problems)
    return rules


def _rule(plan: Plan, fault: Fault, names: Names, ports: Mapping[str, int]) -> form.Fault | None:
    """Where a fault is put, and what it does; None of one that is none of the core's ``faults``."""
    match fault:
        case LinkDown():
            node = fault.node or ""
            target: _Target = {"link": ports[fault.port] // 2} if fault.port else {"node": names.node(node)}
            return {
                "kind": "link-down",
                **_time(fault),
                **target,
                "detection_ns": nanoseconds(fault.detection),
                "convergence_ns": nanoseconds(fault.convergence),
            }
        case BitErrors():
            floor: _Floor = {"floor_ber": fault.floor_ber} if fault.floor_ber else {}
            return {
                "kind": "bit-errors",
                **_time(fault),
                "link": ports[fault.port] // 2,
                "ber": fault.ber,
                "fec": fault.fec,
                **floor,
            }
        case Miswiring():
            planned = names.by_name()
            return {"kind": "miswired", "links": [planned[port] // 2 for port in fault.ports]}
        case StuckNic():
            known = plan.classes.get(fault.traffic_class or "")
            priority: _Priority = {"priority": int(known.priority)} if known else {}
            return {"kind": "stuck-nic", **_time(fault), **_nic(names, fault.port), **priority}
        case SlowReceiver():
            nic = _nic(names, fault.port)
            return {"kind": "slow-receiver", **_time(fault), **nic, "gbps": int(fault.rate) / 1e9}
        case CnpLoss():
            link = ports[fault.port] // 2
            return {"kind": "cnp-loss", **_time(fault), "link": link, "probability": fault.probability}
        case CnpDelay():
            nic = _nic(names, fault.port)
            return {"kind": "cnp-delay", **_time(fault), **nic, "delay_ns": nanoseconds(fault.delay)}
        case FrameLoss() | PfcLoss() | WrongSetting():
            return None


def _time(fault: Fault) -> _Time:
    if not isinstance(fault, TimedFault):
        return {}
    time: _Time = {"from_ns": nanoseconds(fault.start)} if fault.start else {}
    if fault.until is not None:
        time["until_ns"] = nanoseconds(fault.until)
    return time


def _nic(names: Names, port: str) -> _NicPort:
    """A NIC port as its host's; the core finds it whichever cable it has."""
    host, _, interface = port.partition(":")
    found = names.nic(Endpoint(host, interface))
    if found.index:
        return {"node": found.node, "nic_port": found.index}
    return {"node": found.node}


def _receive_buffer(plan: Plan, fault: SlowReceiver) -> PauseThresholds:
    """What the receive buffer needs, behind the planned cable."""
    port = fault.port
    host, _, interface = port.partition(":")
    nic = plan.hosts[host].nics[interface]
    cable = next(
        entry
        for entry in plan.cables
        if port in (f"{entry.a.device}:{entry.a.port}", f"{entry.b.device}:{entry.b.port}")
    )
    return pause_thresholds(plan, nic, cable)


def _pipe_of(plan: Plan, devices: Devices, port: int, names: Names) -> form.Pipe:
    """What stands between a NIC and memory already; else what is never slower than the wire."""
    node = names.node(names.ends[port].device)
    found = devices.parameters.get("nic", {}).get("pipe")
    for overrides in devices.items:
        if "priorities" not in overrides and (node in overrides.get("nodes", ()) or port in overrides.get("ports", ())):
            found = overrides["parameters"].get("nic", {}).get("pipe", found)
    return found or {"gbps": -(-int(plan.cables[port // 2].speed) // 10**9), "latency_ns": 0}
