"""Cables in each second's port: a scenario exchanges the second ends of two links.

Port numbers follow the cables there, so a port with another's cable has another's number (`crates/sim`,
``faults/miswiring.rs``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from wirespeed.plan import Cable, Plan
from wirespeed.simulation.workload.fault_entries import Fault, Miswiring


def turn_cables(plan: Plan, faults: Iterable[Fault]) -> Plan:
    """The plan with the cables turned round whose first end is to be exchanged."""
    wrong = {port for fault in _wrong(faults) for port in fault.ports}
    if not wrong:
        return plan
    return replace(plan, cables=tuple(_with_second(cable, wrong) for cable in plan.cables))


def exchange_ports(ports: dict[str, int], faults: Iterable[Fault]) -> dict[str, int]:
    """Ports by their names once the cables are where they are: of a plan that was `turned`."""
    found = dict(ports)
    for fault in _wrong(faults):
        first, second = fault.ports
        found[first], found[second] = ports[second], ports[first]
    return found


def _wrong(faults: Iterable[Fault]) -> Iterator[Miswiring]:
    return (fault for fault in faults if isinstance(fault, Miswiring))


def _with_second(cable: Cable, wrong: set[str]) -> Cable:
    first = f"{cable.a.device}:{cable.a.port}"
    return replace(cable, a=cable.b, b=cable.a) if first in wrong else cable
