"""How it is with each device, port and cable, from the findings that name them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wirespeed.report import ranking
from wirespeed.results.findings import Finding, Status
from wirespeed.results.topology import Edge, Topology

NONE = "none"
"""Where no finding names a thing: neither good nor bad."""

_ORDER = (*(status.value for status in ranking.LISTED), "pass", "skip", NONE)
URGENCY = {status: rank for rank, status in enumerate(_ORDER)}
"""Statuses by rank, the most urgent first."""


@dataclass(frozen=True, slots=True)
class CableState:
    """A cable and how it is with it: a row of the table behind the picture."""

    edge: Edge
    status: str


class Health:
    """The worst status of each device and port, from the findings that name them."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self._devices: dict[str, list[Finding]] = {}
        self._ports: dict[tuple[str, str], list[Finding]] = {}
        for finding in findings:
            self._devices.setdefault(finding.device, []).append(finding)
            for word in set(finding.place.split()):
                self._ports.setdefault((finding.device, word), []).append(finding)

    def device(self, name: str) -> str:
        """Of a device; ``none`` where nothing was checked."""
        return _find_status(self._devices.get(name, ()))

    def port(self, device: str, port: str) -> str:
        """Of a port or NIC, by any name that findings give it; ``none`` where no finding names it."""
        return _find_status(self._ports.get((device, port), ()))

    def cable(self, edge: Edge) -> str:
        """Of a cable: the worse of its ends."""
        ends = (*self._ports.get((edge.a, edge.a_port), ()), *self._ports.get((edge.b, edge.b_port), ()))
        return _find_status(ends)

    def describe_devices(self, names: Sequence[str]) -> str:
        """How it is with some devices, in a few words."""
        counted = ranking.counts(finding for name in names for finding in self._devices.get(name, ()))
        parts = [f"{counted[status]} {status.value}" for status in ranking.LISTED if counted[status]]
        if parts:
            return ", ".join(parts)
        return f"{counted[Status.PASS]:,} pass" if counted[Status.PASS] else "not checked"


def cables(topology: Topology, findings: Iterable[Finding]) -> tuple[CableState, ...]:
    """Every cable with its status, as a table."""
    health = Health(findings)
    return tuple(CableState(edge, health.cable(edge)) for edge in topology.edges)


def most_urgent(statuses: Iterable[str]) -> str:
    """The worst of some statuses."""
    return min(statuses, key=URGENCY.__getitem__, default=NONE)


def describe_status(status: str) -> str:
    """A status in words."""
    return "no finding names it" if status == NONE else status


def _find_status(findings: Iterable[Finding]) -> str:
    worst_status = ranking.worst(findings)
    return NONE if worst_status is None else worst_status.value
