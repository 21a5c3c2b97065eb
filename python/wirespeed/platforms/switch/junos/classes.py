"""Class of service in Junos's terms: forwarding classes, classifiers, congestion notification profiles, schedulers.

A forwarding class stands for its queue, so the number of a switch traffic class is that of its queue.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wirespeed.platforms.switch.policies import frozen, name_policies, sorted_ports
from wirespeed.settings import Discipline, Ecn, Port, Queue, Switch, Watchdog

CLASSIFIER, PROFILE, MAP, MARKING = "ROCE", "ROCE-PFC", "ROCE-MAP", "ROCE-ECN"


@dataclass(frozen=True, slots=True)
class ForwardingClass:
    """A forwarding class; the priority is that of its PFC pause, None for a lossy class."""

    name: str
    queue: int
    pfc_priority: int | None


@dataclass(frozen=True, slots=True)
class Profile:
    """A congestion notification profile."""

    name: str
    watchdog: Watchdog
    dscps: tuple[int, ...]  # that are paused for
    pauses: tuple[tuple[int, int], ...]  # priority of a received pause, and the queue it stops


@dataclass(frozen=True, slots=True)
class Scheduler:
    """How a class of a scheduler map is served, and marked by the drop profile ``marking``."""

    name: str
    forwarding_class: str
    queue: Queue
    marking: str | None


@dataclass(frozen=True, slots=True)
class Bound:
    """What is applied to an interface."""

    interface: str
    unit: str
    classifier: str | None
    profile: str | None
    scheduler_map: str | None


@dataclass(frozen=True, slots=True)
class ClassOfService:
    """The ``class-of-service`` stanza."""

    classes: tuple[ForwardingClass, ...]
    classifiers: tuple[tuple[str, tuple[tuple[str, tuple[int, ...]], ...]], ...]  # name, then class and code points
    profiles: tuple[Profile, ...]
    markings: tuple[tuple[str, Ecn], ...]
    maps: tuple[tuple[str, tuple[Scheduler, ...]], ...]
    bound: tuple[Bound, ...]


def class_of_service(switch: Switch) -> ClassOfService:
    """What all ports together need."""
    classes = _classes(switch)
    names = {class_.queue: class_.name for class_ in classes}
    classifiers = name_policies(switch, CLASSIFIER, lambda port: frozen(port.qos.dscp_tc))
    profiles = name_policies(switch, PROFILE, profile_of)
    maps = name_policies(switch, MAP, map_of)
    markings = _markings(switch)
    bound = [
        (
            name,
            classifiers.get(frozen(port.qos.dscp_tc)),
            profiles.get(profile_of(port)),
            maps.get(map_of(port)),
        )
        for name, port in sorted_ports(switch.ports)
    ]
    return ClassOfService(
        classes=classes,
        classifiers=tuple((name, _code_points(dict(found), names)) for found, name in classifiers.items()),
        profiles=tuple(
            _profile(name, next(p for p in switch.ports.values() if profile_of(p) == found))
            for found, name in profiles.items()
        ),
        markings=tuple((name, ecn) for ecn, name in markings.items()),
        maps=tuple((name, _schedulers(name, dict(found), names, markings)) for found, name in maps.items()),
        bound=_bound(bound),
    )


def profile_of(port: Port) -> Any:
    """What makes a congestion notification profile; None for a port without lossless priorities."""
    if not port.qos.pfc:
        return None
    return (port.qos.pfc, frozen(port.qos.pfc_queue), port.qos.watchdog, frozen(port.qos.dscp_tc))


def map_of(port: Port) -> Any:
    """What makes a scheduler map; None for a port without intent for its queues."""
    return tuple(sorted(port.queues.items(), key=lambda entry: int(entry[0]))) or None


def lossless_queues(port: Port) -> dict[int, int]:
    """The queue of each lossless priority."""
    stopped = port.qos.pfc_queue or {}
    return {int(priority): int(stopped[priority]) for priority in sorted(port.qos.pfc or ()) if priority in stopped}


def _classes(switch: Switch) -> tuple[ForwardingClass, ...]:
    queues: set[int] = set()
    priorities: dict[int, int] = {}
    strict: set[int] = set()
    for port in switch.ports.values():
        queues |= {int(tc) for tc in (port.qos.dscp_tc or {}).values()} | {int(number) for number in port.queues}
        priorities |= {queue: priority for priority, queue in lossless_queues(port).items()}
        strict |= {int(number) for number, queue in port.queues.items() if queue.discipline is Discipline.STRICT}
    queues |= priorities.keys()
    found: list[ForwardingClass] = []
    taken: set[str] = set()
    for queue in sorted(queues):
        name = (
            "best-effort" if queue == 0 else "NO-LOSS" if queue in priorities else "CNP" if queue in strict else "LOSSY"
        )
        name = name if name not in taken else f"{name}-{queue}"
        taken.add(name)
        found.append(ForwardingClass(name, queue, priorities.get(queue)))
    return tuple(found)


def _code_points(dscp_tc: Mapping[Any, Any], names: Mapping[int, str]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    by_class: dict[str, list[int]] = {}
    for dscp, tc in sorted(dscp_tc.items()):
        by_class.setdefault(names[int(tc)], []).append(int(dscp))
    return tuple((name, tuple(found)) for name, found in sorted(by_class.items()))


def _profile(name: str, port: Port) -> Profile:
    pauses = lossless_queues(port)
    lossless = set(pauses.values())
    return Profile(
        name=name,
        watchdog=port.qos.watchdog,
        dscps=tuple(int(dscp) for dscp, tc in sorted((port.qos.dscp_tc or {}).items()) if int(tc) in lossless),
        pauses=tuple(sorted(pauses.items())),
    )


def _markings(switch: Switch) -> dict[Ecn, str]:
    found: dict[Ecn, str] = {}
    for _, port in sorted_ports(switch.ports):
        for queue in port.queues.values():
            ecn = queue.ecn
            if ecn.enabled and ecn.minimum_fill is not None and ecn.maximum_fill is not None and ecn not in found:
                found[ecn] = MARKING if not found else f"{MARKING}-{len(found) + 1}"
    return found


def _schedulers(
    map_name: str, queues: Mapping[str, Queue], names: Mapping[int, str], markings: Mapping[Ecn, str]
) -> tuple[Scheduler, ...]:
    suffix = map_name.removeprefix(MAP)
    return tuple(
        Scheduler(
            name=f"{names[int(number)]}{suffix}",
            forwarding_class=names[int(number)],
            queue=queue,
            marking=markings.get(queue.ecn),
        )
        for number, queue in queues.items()
    )


def _bound(ports: list[tuple[str, str | None, str | None, str | None]]) -> tuple[Bound, ...]:
    """One entry for all interfaces if their settings are equal, else one for each."""
    same = {applied[1:] for applied in ports}
    if same == {(None, None, None)} or not ports:
        return ()
    if len(same) == 1:
        _, classifier, profile, scheduler_map = ports[0]
        return (Bound("et-*", "*", classifier, profile, scheduler_map),)
    return tuple(
        Bound(name, "0", classifier, profile, scheduler_map)
        for name, classifier, profile, scheduler_map in ports
        if (classifier, profile, scheduler_map) != (None, None, None)
    )
