"""Faults in the form of a scenario: rules for links and NIC ports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NotRequired, TypedDict

from wirespeed.errors import Refusal
from wirespeed.plan import Plan
from wirespeed.simulation import scenario_types as form
from wirespeed.simulation.devices import Devices
from wirespeed.simulation.faults.places import make_refuse
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
    """The parts of a scenario that describe faults."""

    items: list[form.Fault] = field(default_factory=list)
    """Items of ``faults``."""
    links: dict[int, CableFault] = field(default_factory=dict)
    """Additional keys of links."""
    devices: list[form.Device] = field(default_factory=list)
    """Additional items of ``devices``."""


def build_rules(plan: Plan, traffic: Traffic, names: Names, devices: Devices) -> Rules:
    """The faults of a traffic file that `check` has accepted. ``names`` and ``devices`` are those of the plan.

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
                    refuse = make_refuse(traffic.origin, index)
                    problems.append(
                        refuse("receive_buffer", f"{size:,} bytes", f"at least {needed.minimum_bytes:,}", hint)
                    )
                port = planned[fault.port]
                pipe: form.Pipe = {**_find_pipe(plan, devices, port, names), **needed.pipe(size)}
                rules.devices.append({"ports": [port], "parameters": {"nic": {"pipe": pipe}}})
        if (rule := _build_rule(plan, fault, names, ports)) is not None:
            rules.items.append(rule)
    if problems:
        raise Refusal(problems)
    return rules


def _build_rule(plan: Plan, fault: Fault, names: Names, ports: Mapping[str, int]) -> form.Fault | None:
    """The rule of a fault; None for a fault that is not an item of the core's ``faults``."""
    match fault:
        case LinkDown():
            node = fault.node or ""
            target: _Target = {"link": ports[fault.port] // 2} if fault.port else {"node": names.node(node)}
            return {
                "kind": "link-down",
                **_format_time(fault),
                **target,
                "detection_ns": nanoseconds(fault.detection),
                "convergence_ns": nanoseconds(fault.convergence),
            }
        case BitErrors():
            floor: _Floor = {"floor_ber": fault.floor_ber} if fault.floor_ber else {}
            return {
                "kind": "bit-errors",
                **_format_time(fault),
                "link": ports[fault.port] // 2,
                "ber": fault.ber,
                "fec": fault.fec,
                **floor,
            }
        case Miswiring():
            planned = names.by_name()
            return {"kind": "miswired", "links": [planned[port] // 2 for port in fault.ports]}
        case StuckNic():
            traffic_class = plan.classes.get(fault.traffic_class or "")
            priority: _Priority = {"priority": int(traffic_class.priority)} if traffic_class else {}
            return {"kind": "stuck-nic", **_format_time(fault), **_find_nic_port(names, fault.port), **priority}
        case SlowReceiver():
            nic = _find_nic_port(names, fault.port)
            return {"kind": "slow-receiver", **_format_time(fault), **nic, "gbps": int(fault.rate) / 1e9}
        case CnpLoss():
            link = ports[fault.port] // 2
            return {"kind": "cnp-loss", **_format_time(fault), "link": link, "probability": fault.probability}
        case CnpDelay():
            nic = _find_nic_port(names, fault.port)
            return {"kind": "cnp-delay", **_format_time(fault), **nic, "delay_ns": nanoseconds(fault.delay)}
        case FrameLoss() | PfcLoss() | WrongSetting():
            return None


def _format_time(fault: Fault) -> _Time:
    if not isinstance(fault, TimedFault):
        return {}
    time: _Time = {"from_ns": nanoseconds(fault.start)} if fault.start else {}
    if fault.until is not None:
        time["until_ns"] = nanoseconds(fault.until)
    return time


def _find_nic_port(names: Names, port: str) -> _NicPort:
    """A NIC port by host and index, which is independent of its cable."""
    host, _, interface = port.partition(":")
    nic_port = names.nic(Endpoint(host, interface))
    if nic_port.index:
        return {"node": nic_port.node, "nic_port": nic_port.index}
    return {"node": nic_port.node}


def _receive_buffer(plan: Plan, fault: SlowReceiver) -> PauseThresholds:
    """The thresholds of the receive buffer for the planned cable."""
    port = fault.port
    host, _, interface = port.partition(":")
    nic = plan.hosts[host].nics[interface]
    cable = next(
        entry
        for entry in plan.cables
        if port in (f"{entry.a.device}:{entry.a.port}", f"{entry.b.device}:{entry.b.port}")
    )
    return pause_thresholds(plan, nic, cable)


def _find_pipe(plan: Plan, devices: Devices, port: int, names: Names) -> form.Pipe:
    """The pipe that a NIC already has to memory; else one that is never slower than the wire."""
    node = names.node(names.ends[port].device)
    pipe = devices.parameters.get("nic", {}).get("pipe")
    for overrides in devices.items:
        if "priorities" not in overrides and (node in overrides.get("nodes", ()) or port in overrides.get("ports", ())):
            pipe = overrides["parameters"].get("nic", {}).get("pipe", pipe)
    return pipe or {"gbps": -(-int(plan.cables[port // 2].speed) // 10**9), "latency_ns": 0}
