"""Check that the place of a fault exists, and that its times are consistent."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from wirespeed.cluster import Origin
from wirespeed.errors import Problem, Refusal, did_you_mean
from wirespeed.plan import Plan
from wirespeed.simulation.workload.fault_entries import (
    CnpDelay,
    Fault,
    FrameLoss,
    LinkDown,
    Miswiring,
    PfcLoss,
    SlowReceiver,
    StuckNic,
    TimedFault,
    WrongSetting,
)
from wirespeed.simulation.workload.file import Traffic, list_late_times, nanoseconds
from wirespeed.simulation.workload.traffic_names import TrafficNames

Refuse = Callable[..., Problem]
"""A problem of a fault: its key, what was found, what was expected, a hint."""
_AT_NICS = (StuckNic, SlowReceiver, CnpDelay)
_ONCE = (FrameLoss, PfcLoss)
"""Kinds that a cable may have only once, because they last for the whole run."""


def list_unknown_places(plan: Plan, names: TrafficNames) -> list[Problem]:
    """The devices, ports and classes of faults that are not in the plan, of a file with wrong values."""
    checking = _FaultChecker(plan)
    return [
        problem
        for index, fault in names.faults.items()
        for problem in checking.names(fault, make_refuse(names.origin, index))
    ]


def check(plan: Plan, traffic: Traffic) -> None:
    """Check the faults of a traffic file against the plan.

    Raises:
        Refusal: a device, port or class is not in the plan, or has no cable, or the times do not fit; each with its
            line.
    """
    checking = _FaultChecker(plan)
    problems = [
        problem
        for index, fault in enumerate(traffic.faults)
        for problem in checking.fault(fault, make_refuse(traffic.origin, index))
    ]
    if problems:
        raise Refusal(problems)


def make_refuse(origin: Origin, index: int) -> Refuse:
    """Make the function that creates problems of one fault of the file."""

    def problem(key: str, found: str, expected: str, hint: str | None = None) -> Problem:
        return Problem(origin.locate("faults", index, key), found, expected, hint)

    return problem


class _FaultChecker:
    """Checks faults; it stores the cables of earlier faults."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._cables = {
            f"{end.device}:{end.port}": number for number, cable in enumerate(plan.cables) for end in (cable.a, cable.b)
        }
        self._used_places: set[tuple[str, int]] = set()

    def fault(self, fault: Fault, refuse: Refuse) -> Iterator[Problem]:
        if isinstance(fault, LinkDown | WrongSetting) and (fault.node is None) == (fault.port is None):
            found = "neither node nor port" if fault.node is None else "node and port"
            yield refuse("kind", found, "one of the two")
            return
        problems = [*self.names(fault, refuse)]
        yield from problems
        if isinstance(fault, TimedFault) and fault.until is not None:
            start = nanoseconds(fault.start)
            if nanoseconds(fault.until) <= start:
                yield refuse("until", f"until {fault.until}", f"a time after its start, {start} ns")
        times = {key: getattr(fault, key, None) for key in ("start", "until")}
        for key, found_time, expected_time in list_late_times(**times):
            yield refuse(key, found_time, expected_time)
        if not problems:
            yield from self._check_repeated(fault, refuse)

    def names(self, fault: Fault, refuse: Refuse) -> Iterator[Problem]:
        """Problems of the place and the class of a fault, if it has them."""
        if not isinstance(fault, LinkDown | WrongSetting) or fault.node is not None or fault.port is not None:
            yield from self._check_place(fault, refuse)
        yield from self._check_class(fault, refuse)

    def _check_place(self, fault: Fault, refuse: Refuse) -> Iterator[Problem]:
        if isinstance(fault, Miswiring):
            if len(fault.ports) != 2:
                yield refuse("ports", f"{len(fault.ports)} ports", "two")
            for port in fault.ports:
                yield from self._check_port(port, "ports", refuse)
        elif isinstance(fault, _AT_NICS):
            yield from self._check_nic(fault.port, refuse)
        elif isinstance(fault, LinkDown | WrongSetting) and fault.node is not None:
            devices = list(self._plan.devices)
            if fault.node not in devices:
                hint = did_you_mean(fault.node, devices)
                yield refuse("node", f"the node {fault.node!r}", "a host or switch of the cluster", hint)
        else:
            yield from self._check_port(fault.port or "", "port", refuse)

    def _check_port(self, name: str, key: str, refuse: Refuse) -> Iterator[Problem]:
        if name not in self._cables:
            expected = "a port with a cable, such as " + next(iter(self._cables))
            yield refuse(key, f"the port {name!r}", expected, did_you_mean(name, list(self._cables)))

    def _check_nic(self, name: str, refuse: Refuse) -> Iterator[Problem]:
        nics = [cable for cable in self._cables if cable.partition(":")[0] in self._plan.hosts]
        if name not in nics:
            found = f"the port {name!r}" + (" of a switch" if name in self._cables else "")
            yield refuse("port", found, "a NIC with a cable, such as " + nics[0], did_you_mean(name, nics))

    def _check_class(self, fault: Fault, refuse: Refuse) -> Iterator[Problem]:
        if not isinstance(fault, StuckNic | WrongSetting) or fault.traffic_class is None:
            return
        classes = list(self._plan.classes)
        if fault.traffic_class not in classes:
            hint = did_you_mean(fault.traffic_class, classes)
            yield refuse("class", f"the class {fault.traffic_class!r}", f"one of {', '.join(classes)}", hint)

    def _check_repeated(self, fault: Fault, refuse: Refuse) -> Iterator[Problem]:
        """Problems of a fault that repeats one which may occur only once."""
        if isinstance(fault, Miswiring):
            first, second = (self._cables[port] for port in fault.ports)
            if first == second:
                yield refuse("ports", "both ends of a cable", "ports of two cables")
            for port in fault.ports:
                if (fault.kind, self._cables[port]) in self._used_places:
                    yield refuse("ports", f"{port}, whose cable an earlier fault exchanges", "each cable once")
            self._used_places |= {(fault.kind, first), (fault.kind, second)}
        elif isinstance(fault, _ONCE):
            place = (fault.kind, self._cables[fault.port])
            if place in self._used_places:
                yield refuse("port", f"{fault.port}, whose cable an earlier {fault.kind} has", "each cable once")
            self._used_places.add(place)
