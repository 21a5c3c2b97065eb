"""What a traffic file lets go wrong: faults by the names of the cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wirespeed.errors import Problem, Refused, did_you_mean
from wirespeed.plan import End, Plan
from wirespeed.simulation.workload.file import FaultEntry, Traffic
from wirespeed.units import Duration


@dataclass(frozen=True, slots=True)
class LinkDown:
    """A cable that carries nothing, or all cables of a device."""

    device: str
    port: str | None
    """One end of the cable; None: all of the device."""
    from_ns: int
    until_ns: int | None
    detection_ns: int
    convergence_ns: int


def faults_of(plan: Plan, traffic: Traffic) -> tuple[LinkDown, ...]:
    """The faults of a traffic file, in its order.

    Raises:
        Refused: a device or port is not in the plan, or has no cable, or the times do not fit; each with its line.
    """
    problems = [
        problem for index, entry in enumerate(traffic.faults) for problem in _problems(plan, traffic, index, entry)
    ]
    if problems:
        raise Refused(problems)
    return tuple(_fault(entry) for entry in traffic.faults)


def _problems(plan: Plan, traffic: Traffic, index: int, entry: FaultEntry) -> Iterator[Problem]:
    def problem(key: str, found: str, expected: str, hint: str | None = None) -> Problem:
        return Problem(traffic.origin.at("faults", index, key), found, expected, hint)

    if (entry.node is None) == (entry.port is None):
        found = "neither node nor port" if entry.node is None else "node and port"
        yield problem("kind", found, "one of the two")
    elif entry.node is not None:
        devices = [*plan.hosts, *plan.switches]
        if entry.node not in devices:
            hint = did_you_mean(entry.node, devices)
            yield problem("node", f"the node {entry.node!r}", "a host or switch of the cluster", hint)
    elif entry.port is not None:
        ends = [_shown(end) for cable in plan.cables for end in (cable.a, cable.b)]
        if entry.port not in ends:
            hint = did_you_mean(entry.port, ends)
            yield problem("port", f"the port {entry.port!r}", "a port with a cable, such as " + ends[0], hint)
    if entry.until is not None and _ns(entry.until) <= _ns(entry.start):
        yield problem("until", f"until {entry.until}", f"a time after its start, {_ns(entry.start)} ns")


def _fault(entry: FaultEntry) -> LinkDown:
    device, _, port = (entry.node or entry.port or "").partition(":")
    return LinkDown(
        device=device,
        port=port or None,
        from_ns=_ns(entry.start),
        until_ns=None if entry.until is None else _ns(entry.until),
        detection_ns=_ns(entry.detection),
        convergence_ns=_ns(entry.convergence),
    )


def _shown(end: End) -> str:
    return f"{end.device}:{end.port}"


def _ns(time: Duration | None) -> int:
    """Whole nanoseconds, not before the time."""
    return 0 if time is None else -(-int(time) // 1000)
