"""The seven numbers of every traffic class, side by side, as the devices of a plan have them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wirespeed.identity import Identity
from wirespeed.plan.model import Plan
from wirespeed.settings import (
    Dscp,
    NicCosQueue,
    NicQos,
    NicTrafficClass,
    PortQos,
    Priority,
    PriorityGroup,
    SwitchQueue,
    SwitchTrafficClass,
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
    """Every class on every pair of NIC model and switch system that differs, in the order of the plan."""
    return tuple(dict.fromkeys(_numbers(plan)))


def _numbers(plan: Plan) -> Iterator[ClassNumbers]:
    nics: dict[tuple[str, Identity[NicQos]], NicQos] = {
        (nic.model or "", Identity(nic.qos)): nic.qos for host in plan.hosts.values() for nic in host.nics.values()
    }
    ports: dict[tuple[str, Identity[PortQos]], PortQos] = {
        (switch.os or "", Identity(port.qos)): port.qos
        for switch in plan.switches.values()
        for port in switch.ports.values()
    }
    for (model, _), nic in nics.items():
        for (system, _), port in ports.items():
            for found in plan.classes.values():
                dscp = tuple(sorted(found.dscp))
                at = (port.dscp_tc or {}).get(dscp[0]) if dscp else None
                yield ClassNumbers(
                    name=found.name,
                    nic=model,
                    switch=system,
                    dscp=dscp,
                    priority=found.priority,
                    nic_traffic_class=(nic.priority_tc or {}).get(found.priority),
                    nic_cos_queue=(nic.priority_cos or {}).get(found.priority),
                    switch_traffic_class=at,
                    switch_queue=None if at is None else (port.tc_queue or {}).get(at),
                    priority_group=None if at is None else (port.tc_pg or {}).get(at),
                )
