"""Table of the seven numbers of every traffic class on the devices of a plan."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.plan.classes import DEFAULT
from wirespeed.plan.model import Plan
from wirespeed.settings import (
    Dscp,
    Nic,
    NicCosQueue,
    NicTrafficClass,
    Port,
    Priority,
    PriorityGroup,
    SwitchQueue,
    SwitchTrafficClass,
    TrafficClass,
)


@dataclass(frozen=True, slots=True)
class ClassNumbers:
    """One traffic class on one NIC model and one switch operating system. None: not known."""

    name: str
    nic: str
    switch: str
    dscp: tuple[Dscp, ...]
    priority: Priority
    nic_traffic_class: NicTrafficClass | None
    nic_cos_queue: NicCosQueue | None
    switch_traffic_class: SwitchTrafficClass | None
    switch_queue: SwitchQueue | None
    priority_group: PriorityGroup | None


def class_numbers(plan: Plan) -> tuple[ClassNumbers, ...]:
    """Every class on every distinct pair of NIC model and switch system, in the order of the plan."""
    nics = dict.fromkeys(
        (nic.model or "", tuple(_read_nic_numbers(nic, traffic_class) for traffic_class in plan.classes.values()))
        for host in plan.hosts.values()
        for nic in host.nics.values()
    )
    ports = dict.fromkeys(
        (switch.os or "", tuple(_read_port_numbers(port, traffic_class) for traffic_class in plan.classes.values()))
        for switch in plan.switches.values()
        for port in switch.ports.values()
    )
    return tuple(
        dict.fromkeys(
            ClassNumbers(
                traffic_class.name,
                model,
                system,
                tuple(sorted(traffic_class.dscp)),
                traffic_class.priority,
                tc,
                cos,
                switch_tc,
                queue,
                group,
            )
            for model, nic in nics
            for system, port in ports
            for traffic_class, (tc, cos), (switch_tc, queue, group) in zip(
                plan.classes.values(), nic, port, strict=True
            )
        )
    )


def has_nic_class(nic: Nic, traffic_class: TrafficClass) -> bool:
    """Whether the NIC has the class. It lacks classes that switches alone configure, and sends their DSCPs in its
    default class."""
    dscp_priority = nic.qos.dscp_priority
    if dscp_priority is None or traffic_class.name == DEFAULT:
        return True
    return traffic_class.priority in {dscp_priority.get(dscp) for dscp in traffic_class.dscp}


def _read_nic_numbers(nic: Nic, traffic_class: TrafficClass) -> tuple[NicTrafficClass | None, NicCosQueue | None]:
    if not has_nic_class(nic, traffic_class):
        return None, None
    priority = traffic_class.priority
    return (nic.qos.priority_tc or {}).get(priority), (nic.qos.priority_cos or {}).get(priority)


def _read_port_numbers(
    port: Port, traffic_class: TrafficClass
) -> tuple[SwitchTrafficClass | None, SwitchQueue | None, PriorityGroup | None]:
    traffic_class_number = (port.qos.dscp_tc or {}).get(min(traffic_class.dscp)) if traffic_class.dscp else None
    if traffic_class_number is None:
        return None, None, None
    return (
        traffic_class_number,
        (port.qos.tc_queue or {}).get(traffic_class_number),
        (port.qos.tc_pg or {}).get(traffic_class_number),
    )
