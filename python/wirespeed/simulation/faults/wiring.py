"""Exchanged cables: a scenario swaps the second ends of two links.

Port numbers follow the cables, so a port with another cable has another number (`crates/sim`,
``faults/miswiring.rs``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from wirespeed.plan import Cable, Plan
from wirespeed.simulation.workload.fault_entries import Fault, Miswiring


def turn_cables(plan: Plan, faults: Iterable[Fault]) -> Plan:
    """The plan with those cables reversed whose first end is exchanged."""
    wrong = {port for fault in _select_miswirings(faults) for port in fault.ports}
    if not wrong:
        return plan
    return replace(plan, cables=tuple(_replace_second_end(cable, wrong) for cable in plan.cables))


def exchange_ports(ports: dict[str, int], faults: Iterable[Fault]) -> dict[str, int]:
    """Ports by name after the exchange, for a plan from `turn_cables`."""
    exchanged = dict(ports)
    for fault in _select_miswirings(faults):
        first, second = fault.ports
        exchanged[first], exchanged[second] = ports[second], ports[first]
    return exchanged


def _select_miswirings(faults: Iterable[Fault]) -> Iterator[Miswiring]:
    return (fault for fault in faults if isinstance(fault, Miswiring))


def _replace_second_end(cable: Cable, wrong: set[str]) -> Cable:
    first = f"{cable.a.device}:{cable.a.port}"
    return replace(cable, a=cable.b, b=cable.a) if first in wrong else cable
