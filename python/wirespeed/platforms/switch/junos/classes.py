"""Class of service in Junos's terms: forwarding classes, classifiers, congestion notification profiles, schedulers.

A forwarding class represents its queue, so the number of a switch traffic class is that of its queue.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wirespeed.platforms.switch.policies import frozen, name_policies, sort_ports
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
    """Scheduling of a class of a scheduler map, and its drop profile ``marking``."""

    name: str
    forwarding_class: str
    queue: Queue
    marking: str | None


@dataclass(frozen=True, slots=True)
class Bound:
    """Policies applied to an interface."""

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
    """Class of service of all ports."""
    classes = _build_classes(switch)
    names = {class_.queue: class_.name for class_ in classes}
    classifiers = name_policies(switch, CLASSIFIER, lambda port: frozen(port.qos.dscp_tc))
    profiles = name_policies(switch, PROFILE, build_profile_key)
    maps = name_policies(switch, MAP, build_map_key)
    markings = _build_markings(switch)
    bound = [
        (
            name,
            classifiers.get(frozen(port.qos.dscp_tc)),
            profiles.get(build_profile_key(port)),
            maps.get(build_map_key(port)),
        )
        for name, port in sort_ports(switch.ports)
    ]
    return ClassOfService(
        classes=classes,
        classifiers=tuple((name, _code_points(dict(read_values), names)) for read_values, name in classifiers.items()),
        profiles=tuple(
            _build_profile(name, next(p for p in switch.ports.values() if build_profile_key(p) == read_values))
            for read_values, name in profiles.items()
        ),
        markings=tuple((name, ecn) for ecn, name in markings.items()),
        maps=tuple(
            (name, _build_schedulers(name, dict(read_values), names, markings)) for read_values, name in maps.items()
        ),
        bound=_build_bound(bound),
    )


def build_profile_key(port: Port) -> Any:
    """The key of a congestion notification profile. None for a port without lossless priorities."""
    if not port.qos.pfc:
        return None
    return (port.qos.pfc, frozen(port.qos.pfc_queue), port.qos.watchdog, frozen(port.qos.dscp_tc))


def build_map_key(port: Port) -> Any:
    """The key of a scheduler map. None for a port without intent for its queues."""
    return tuple(sorted(port.queues.items(), key=lambda entry: int(entry[0]))) or None


def lossless_queues(port: Port) -> dict[int, int]:
    """The queue of each lossless priority."""
    stopped_queues = port.qos.pfc_queue or {}
    return {
        int(priority): int(stopped_queues[priority])
        for priority in sorted(port.qos.pfc or ())
        if priority in stopped_queues
    }


def _build_classes(switch: Switch) -> tuple[ForwardingClass, ...]:
    queues: set[int] = set()
    priorities: dict[int, int] = {}
    strict: set[int] = set()
    for port in switch.ports.values():
        queues |= {int(tc) for tc in (port.qos.dscp_tc or {}).values()} | {int(number) for number in port.queues}
        priorities |= {queue: priority for priority, queue in lossless_queues(port).items()}
        strict |= {int(number) for number, queue in port.queues.items() if queue.discipline is Discipline.STRICT}
    queues |= priorities.keys()
    forwarding_classes: list[ForwardingClass] = []
    used_values: set[str] = set()
    for queue in sorted(queues):
        name = (
            "best-effort" if queue == 0 else "NO-LOSS" if queue in priorities else "CNP" if queue in strict else "LOSSY"
        )
        name = name if name not in used_values else f"{name}-{queue}"
        used_values.add(name)
        forwarding_classes.append(ForwardingClass(name, queue, priorities.get(queue)))
    return tuple(forwarding_classes)


def _code_points(dscp_tc: Mapping[Any, Any], names: Mapping[int, str]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    by_class: dict[str, list[int]] = {}
    for dscp, tc in sorted(dscp_tc.items()):
        by_class.setdefault(names[int(tc)], []).append(int(dscp))
    return tuple((name, tuple(read_values)) for name, read_values in sorted(by_class.items()))


def _build_profile(name: str, port: Port) -> Profile:
    pauses = lossless_queues(port)
    lossless = set(pauses.values())
    return Profile(
        name=name,
        watchdog=port.qos.watchdog,
        dscps=tuple(int(dscp) for dscp, tc in sorted((port.qos.dscp_tc or {}).items()) if int(tc) in lossless),
        pauses=tuple(sorted(pauses.items())),
    )


def _build_markings(switch: Switch) -> dict[Ecn, str]:
    read_values: dict[Ecn, str] = {}
    for _, port in sort_ports(switch.ports):
        for queue in port.queues.values():
            ecn = queue.ecn
            if ecn.enabled and ecn.minimum_fill is not None and ecn.maximum_fill is not None and ecn not in read_values:
                read_values[ecn] = MARKING if not read_values else f"{MARKING}-{len(read_values) + 1}"
    return read_values


def _build_schedulers(
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


def _build_bound(ports: list[tuple[str, str | None, str | None, str | None]]) -> tuple[Bound, ...]:
    """One entry for all interfaces if their settings are equal, else one for each."""
    profiles = {port_profile[1:] for port_profile in ports}
    if profiles == {(None, None, None)} or not ports:
        return ()
    if len(profiles) == 1:
        _, classifier, profile, scheduler_map = ports[0]
        return (Bound("et-*", "*", classifier, profile, scheduler_map),)
    return tuple(
        Bound(name, "0", classifier, profile, scheduler_map)
        for name, classifier, profile, scheduler_map in ports
        if (classifier, profile, scheduler_map) != (None, None, None)
    )


def dscp_bits(value: int) -> str:
    """``011010``."""
    return format(value, "06b")


def priority_bits(value: int) -> str:
    """``011``."""
    return format(value, "03b")
