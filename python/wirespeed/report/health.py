"""The status of each device, port and cable, from the findings about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wirespeed.report import ranking
from wirespeed.results.findings import Finding, Status
from wirespeed.results.topology import Edge, Topology

NOT_CHECKED = "none"
"""Status without any finding: neither good nor bad."""

_ORDER = (*(status.value for status in ranking.LISTED), "pass", "skip", NOT_CHECKED)
URGENCY = {status: rank for rank, status in enumerate(_ORDER)}
"""Rank of each status, the most urgent first."""


@dataclass(frozen=True, slots=True)
class CableState:
    """A cable and its status: a row of the table below the picture."""

    edge: Edge
    status: str


class Health:
    """The worst status of each device and port, from the findings about them."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self._devices: dict[str, list[Finding]] = {}
        self._ports: dict[tuple[str, str], list[Finding]] = {}
        for finding in findings:
            self._devices.setdefault(finding.device, []).append(finding)
            for word in set(finding.place.split()):
                self._ports.setdefault((finding.device, word), []).append(finding)

    def device(self, name: str) -> str:
        """The status of a device; ``none`` if nothing was checked."""
        return _find_status(self._devices.get(name, ()))

    def port(self, device: str, port: str) -> str:
        """The status of a port or NIC, by any of its names in findings; ``none`` without a finding."""
        return _find_status(self._ports.get((device, port), ()))

    def cable(self, edge: Edge) -> str:
        """The status of a cable: the worse one of its ends."""
        ends = (*self._ports.get((edge.a, edge.a_port), ()), *self._ports.get((edge.b, edge.b_port), ()))
        return _find_status(ends)

    def describe_devices(self, names: Sequence[str]) -> str:
        """The status of several devices, in a few words."""
        findings = [finding for name in names for finding in self._devices.get(name, ())]
        counted = ranking.counts(findings)
        parts = [f"{counted[status]} {status.value}" for status in ranking.LISTED if counted[status]]
        if parts:
            return ", ".join(parts)
        consequences = sum(finding.cause is not None for finding in findings)
        if consequences:
            return f"{consequences} {'follow' if consequences > 1 else 'follows'} from others"
        return f"{counted[Status.PASS]:,} pass" if counted[Status.PASS] else "not checked"


def cables(topology: Topology, findings: Iterable[Finding]) -> tuple[CableState, ...]:
    """Every cable with its status, as a table."""
    health = Health(findings)
    return tuple(CableState(edge, health.cable(edge)) for edge in topology.edges)


def select_most_urgent(statuses: Iterable[str]) -> str:
    """The most urgent of several statuses."""
    return min(statuses, key=URGENCY.__getitem__, default=NOT_CHECKED)


def describe_status(status: str) -> str:
    """The text of a status."""
    return "not checked" if status == NOT_CHECKED else status


def _find_status(findings: Iterable[Finding]) -> str:
    worst_status = ranking.worst(findings)
    return NOT_CHECKED if worst_status is None else worst_status.value
