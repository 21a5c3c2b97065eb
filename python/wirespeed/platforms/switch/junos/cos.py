"""The ``class-of-service`` stanza, as settings of the ports it is applied to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from wirespeed.facts import Observation
from wirespeed.platforms.declaration import list_declared_pairs
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.config_reader import (
    RATE_PREFIXES,
    ReadValues,
    find_smallest_shape,
    observe_settings,
    parse_number,
    read_settings,
    text,
)
from wirespeed.platforms.switch.indented_config import Line, lines_after
from wirespeed.platforms.switch.junos.commands import DEFAULT_DETECTION, DEFAULT_POLL_MS, DEFAULT_RECOVERY_MS
from wirespeed.platforms.switch.junos.config_text import block, lines_inside, values
from wirespeed.settings import Discipline, Dscp, Place, Priority, SwitchQueue, SwitchTrafficClass, WatchdogAction
from wirespeed.units import Bandwidth, Duration

_CLASS = re.compile(r"class (\S+) queue-num ([0-7])((?: no-loss)?)(?: pfc-priority ([0-7]))?")
_ALL_QUEUES = range(8)
_DEFAULT_PAUSES = {
    Priority(priority): SwitchQueue(queue)
    for priority, queue in list_declared_pairs("switch/junos", "port.qos.pfc_queue").items()
}
"""Juniper documentation, code-point (output): without an output stanza, these two."""


@dataclass(frozen=True, slots=True)
class Class:
    """A forwarding class."""

    queue: int
    pfc_priority: int | None


@dataclass(frozen=True, slots=True)
class Cos:
    """Definitions of the stanza, by name. Without one, Junos has ``best-effort`` as queue 0 (AN210's uses it so)."""

    stanza: list[Line]
    classes: Mapping[str, Class]

    def definition(self, kind: str, name: str | None) -> Line | None:
        """A classifier, profile, map … by its name."""
        return None if name is None else block(self.stanza, kind, name)


def read_cos(top: list[Line]) -> Cos:
    """The stanza of a configuration."""
    stanza = lines_inside(top, "class-of-service")
    classes = {"best-effort": Class(0, None)}
    for line in lines_inside(stanza, "forwarding-classes"):
        if match := _CLASS.fullmatch(line.text):
            lossless = bool(match[3]) and match[4] is not None
            classes[match[1]] = Class(int(match[2]), int(match[4]) if lossless else None)
    return Cos(stanza, classes)


@dataclass(frozen=True, slots=True)
class InterfaceCos:
    """Policies applied to an interface. ``sure`` is False where a wildcard and the interface's own lines meet."""

    profile: tuple[str, int] | None
    scheduler_map: tuple[str, int] | None
    classifier: tuple[str, int] | None
    dot1p: tuple[str, int] | None
    shape: tuple[Bandwidth | None, int]
    sure: bool


def _interface_cos(cos: Cos, name: str) -> InterfaceCos:
    stanzas = [
        line
        for line in lines_inside(cos.stanza, "interfaces")
        if fnmatchcase(name, "*" if line.text == "all" else line.text)
    ]
    if len(stanzas) != 1:
        # None: nothing is applied. Several: which line wins for which is not known here.
        return InterfaceCos(None, None, None, None, (Bandwidth(0), 0), not stanzas)
    inner = stanzas[0].inner
    units = [line for line in inner if line.text in ("unit 0", "unit *")]
    classifiers = [line for unit in units for line in lines_inside(unit.inner, "classifiers")]
    return InterfaceCos(
        profile=_first_reference(inner, "congestion-notification-profile"),
        scheduler_map=_first_reference(inner, "scheduler-map"),
        classifier=_first_reference(classifiers, "dscp"),
        dot1p=_first_reference(classifiers, "ieee-802.1"),
        shape=_read_shape(inner),
        # A traffic control profile schedules the queues instead of a map; it is not read.
        sure=len(units) < 2 and not any(lines_after(inner, "output-traffic-control-profile")),
    )


def find_bundle(port: Line) -> str | None:
    """The aggregated interface that a port belongs to, and has its classes and addresses from."""
    options = [inner for kind in ("ether-options", "gigether-options") for inner in lines_inside(port.inner, kind)]
    members = [
        argument for option in options for words in ("802.3ad", "bundle") if (argument := option.text_after(words))
    ]
    nested_members = [inner.text for option in options if option.text == "802.3ad" for inner in option.inner]
    return next(iter([*members, *nested_members]), None)


def _first_reference(lines: Iterable[Line], text: str) -> tuple[str, int] | None:
    return next(((argument, line.number) for line, argument in lines_after(lines, text)), None)


def watchdog_poll(cos: Cos, ports: Iterable[str]) -> ReadValues:
    """The polling interval, if it is the same on every port with a watchdog."""
    read_values = {
        interval
        for name in ports
        if (profile := _interface_cos(cos, name).profile) is not None
        and (dog := block(lines_inside(cos.stanza, "congestion-notification-profile", profile[0]), "pfc-watchdog"))
        and (interval := _read_milliseconds(dog, "poll-interval", DEFAULT_POLL_MS))
    }
    return {"switch.watchdog_poll": read_values.pop()} if len(read_values) == 1 else {}


def port_cos(place: Place, port: Line, cos: Cos, output: Output) -> Iterator[Observation]:
    """Classes, PFC, watchdog and queues of a port."""
    applied_names = _interface_cos(cos, port.text)
    if not applied_names.sure or find_bundle(port) is not None:
        return
    read_values: ReadValues = {
        "port.qos.tc_queue": ({SwitchTrafficClass(n): SwitchQueue(n) for n in _ALL_QUEUES}, port.number),
    }
    classes = _read_forwarding_classes(cos, applied_names, read_values)
    profile = cos.definition(
        "congestion-notification-profile", applied_names.profile[0] if applied_names.profile else None
    )
    if applied_names.profile is None:
        read_values["port.qos.pfc"] = (frozenset(), port.number)
        read_values["port.qos.watchdog.enabled"] = (False, port.number)
    elif profile is not None:
        read_values["port.qos.pfc"] = (_read_pfc(profile, cos, classes), profile.number)
        read_values["port.qos.pfc_queue"] = _read_pauses(profile)
        read_values |= _read_watchdog(profile)
    yield from observe_settings(place, read_values, output)
    yield from _read_queues(place, cos, applied_names, port.number, output)


def _read_forwarding_classes(
    cos: Cos, applied_names: InterfaceCos, read_values: ReadValues
) -> Mapping[Dscp, str] | None:
    """The forwarding class of each code point in the classifier; others are unknown."""
    if applied_names.classifier is None:
        if applied_names.dot1p is not None:
            read_values["port.qos.trust"] = ("dot1p", applied_names.dot1p[1])
        return None
    name, number = applied_names.classifier
    read_values["port.qos.trust"] = ("dscp" if applied_names.dot1p is None else "both", number)
    classifier = block(lines_inside(cos.stanza, "classifiers"), f"dscp {name}")
    classes: dict[Dscp, str] = {}
    for line, forwarding_class in lines_after(classifier.inner if classifier else [], "forwarding-class"):
        for inner, argument in lines_after(line.inner, "loss-priority"):
            bits = values(argument.partition(" code-points ")[2])
            if not bits or any(re.fullmatch(r"[01]{6}", bit) is None for bit in bits):
                return None
            classes |= {Dscp(int(bit, 2)): forwarding_class for bit in bits}
            number = inner.number
    if not classes or any(name not in cos.classes for name in classes.values()):
        return None
    read_values["port.qos.dscp_tc"] = (
        {dscp: SwitchTrafficClass(cos.classes[class_].queue) for dscp, class_ in classes.items()},
        number,
    )
    return classes


def _read_pfc(profile: Line, cos: Cos, classes: Mapping[Dscp, str] | None) -> frozenset[Priority] | None:
    """The priorities of the lossless classes of which every code point is paused for."""
    tagged_vlans = [
        argument for line, argument in lines_after(lines_inside(profile.inner, "input", "ieee-802.1"), "code-point")
    ]
    if tagged_vlans:
        return (
            frozenset(Priority(int(bits, 2)) for bits in tagged_vlans) if all(map(_three_bits, tagged_vlans)) else None
        )
    paused_queues = {
        argument
        for line, argument in lines_after(lines_inside(profile.inner, "input", "dscp"), "code-point")
        if any(inner.text == "pfc" for inner in line.inner)
    }
    if not paused_queues:
        return frozenset()
    if classes is None:
        return None
    priorities: set[Priority] = set()
    for name, class_ in cos.classes.items():
        dscps = {format(int(dscp), "06b") for dscp, forwarding_class in classes.items() if forwarding_class == name}
        if class_.pfc_priority is not None and dscps and dscps <= paused_queues:
            priorities.add(Priority(class_.pfc_priority))
    return frozenset(priorities)


def _three_bits(bits: str) -> bool:
    return re.fullmatch(r"[01]{3}", bits) is not None


def _read_pauses(profile: Line) -> tuple[Mapping[Priority, SwitchQueue] | None, int]:
    output = block(profile.inner, "output", "ieee-802.1")
    if output is None:
        return _DEFAULT_PAUSES, profile.number
    read_values: dict[Priority, SwitchQueue] = {}
    for line, bits in lines_after(output.inner, "code-point"):
        queues = [value for _, argument in lines_after(line.inner, "flow-control-queue") for value in values(argument)]
        if not _three_bits(bits) or len(queues) != 1 or re.fullmatch(r"[0-7]", queues[0]) is None:
            return None, line.number
        read_values[Priority(int(bits, 2))] = SwitchQueue(int(queues[0]))
    return read_values, output.number


def _read_watchdog(profile: Line) -> ReadValues:
    dog = block(profile.inner, "pfc-watchdog")
    if dog is None:
        return {"port.qos.watchdog.enabled": (False, profile.number)}
    action = read_settings(dog.inner, {"watchdog-action": ("action", text)}).get("action", ("drop", dog.number))
    read_values: ReadValues = {
        "port.qos.watchdog.enabled": (True, dog.number),
        "port.qos.watchdog.action": (WatchdogAction.DROP if action[0] == "drop" else None, action[1]),
        "port.qos.watchdog.restore": _read_milliseconds(dog, "recovery", DEFAULT_RECOVERY_MS),
    }
    poll = _read_milliseconds(dog, "poll-interval", DEFAULT_POLL_MS)
    polls = read_settings(dog.inner, {"detection": ("polls", parse_number)}).get(
        "polls", (DEFAULT_DETECTION, dog.number)
    )
    known_values = poll[0] is not None and polls[0] is not None
    read_values["port.qos.watchdog.detect"] = (Duration(poll[0] * polls[0]) if known_values else None, polls[1])
    return read_values


def _read_milliseconds(dog: Line, text: str, otherwise: int) -> tuple[Duration | None, int]:
    number, line = read_settings(dog.inner, {text: ("number", parse_number)}).get("number", (otherwise, dog.number))
    return (None if number is None else Duration.from_unit(number, "ms")), line


def _read_queues(
    place: Place, cos: Cos, applied_names: InterfaceCos, number: int, output: Output
) -> Iterator[Observation]:
    """Queues of the classes in the scheduler map.

    No source describes the scheduling of other classes; they have no shaper but that of the port, because a shaper is a
    line of a scheduler or of an interface (Juniper CLI reference, shaping-rate, hierarchy level).
    """
    defaults: ReadValues = {"queue.ecn.enabled": (False, number), "queue.shape": applied_names.shape}
    read_values: dict[int, ReadValues] = {queue: dict(defaults) for queue in _ALL_QUEUES}
    scheduler_map = cos.definition(
        "scheduler-maps", applied_names.scheduler_map[0] if applied_names.scheduler_map else None
    )
    if applied_names.scheduler_map is not None and scheduler_map is None:
        return
    for _line, argument in lines_after(scheduler_map.inner if scheduler_map else [], "forwarding-class"):
        name, _, scheduler = argument.partition(" scheduler ")
        known_values, discipline = cos.classes.get(name), cos.definition("schedulers", scheduler)
        if known_values is not None and discipline is not None:
            read_values[known_values.queue] = _read_queue(discipline, cos)
            read_values[known_values.queue]["queue.shape"] = find_smallest_shape(
                _read_shape(discipline.inner), applied_names.shape
            )
        elif known_values is not None:
            read_values[known_values.queue] = {}
    for queue, settings in read_values.items():
        yield from observe_settings(place.child("queue", str(queue)), settings, output)


def _read_queue(scheduler: Line, cos: Cos) -> ReadValues:
    """The queue of a scheduler.

    Only transmit-rate gives a queue a smallest bandwidth, and its share of what is left (Juniper CLI reference,
    transmit-rate, QFX Series): a scheduler without it gives the queue none.
    """
    read_values = read_settings(scheduler.inner, {"priority": ("queue.discipline", _parse_discipline)})
    read_values.setdefault("queue.discipline", (Discipline.DWRR, scheduler.number))
    read_values |= read_settings(scheduler.inner, {"transmit-rate percent": ("queue.weight", parse_number)})
    rate = block(scheduler.inner, "transmit-rate")
    if rate is not None and len(rate.inner) == 1:  # with a second line, exact, it is a limit
        read_values |= read_settings(rate.inner, {"percent": ("queue.weight", parse_number)})
    is_weighted = read_values["queue.discipline"][0] is Discipline.DWRR
    if is_weighted and not any(line.words[:1] == ["transmit-rate"] for line in scheduler.inner):
        read_values["queue.weight"] = (0, scheduler.number)
    marking_line = next((line for line in scheduler.inner if line.text == "explicit-congestion-notification"), None)
    read_values["queue.ecn.enabled"] = (marking_line is not None, (marking_line or scheduler).number)
    if marking_line is None:
        return read_values
    profiles = [
        argument
        for _, argument in lines_after(scheduler.inner, "drop-profile-map loss-priority any protocol any drop-profile")
    ]
    profile = cos.definition("drop-profiles", profiles[0] if len(profiles) == 1 else None)
    slope = block(profile.inner, "interpolate") if profile else None
    return read_values | (_read_slope(slope) if slope else {})


def _read_shape(lines: Iterable[Line]) -> tuple[Bandwidth | None, int]:
    """The shaper of a scheduler or interface, and the limit of a scheduler by ``transmit-rate … exact``.

    A rate is written with k, m or g; None for a share of the port. Source: Juniper CLI reference,
    shaping-rate and transmit-rate (Schedulers); both are absolute largest rates.
    """
    shapes: list[tuple[Bandwidth | None, int]] = [(Bandwidth(0), 0)]
    for line in lines:
        argument = line.text_after("shaping-rate")
        if argument is None and line.text.endswith(" exact"):
            argument = line.text_after("transmit-rate")
        if argument is not None:
            match = re.fullmatch(r"([0-9]{1,12})([kmg]?)(?: exact)?", argument)
            shapes.append((Bandwidth(int(match[1]) * RATE_PREFIXES[match[2]]) if match else None, line.number))
    return find_smallest_shape(*shapes)


def _parse_discipline(argument: str) -> Discipline | None:
    return {"strict-high": Discipline.STRICT, "low": Discipline.DWRR}.get(argument)


def _read_slope(slope: Line) -> ReadValues:
    """A slope of two points that begins with 0; other curves have no two thresholds."""
    curve = {line.words[0]: (values(line.text_after(line.words[0]) or ""), line.number) for line in slope.inner}
    levels, number = curve.get("fill-level", ([], slope.number))
    chances, chance_number = curve.get("drop-probability", ([], slope.number))
    if not all(point.isdecimal() and len(point) < 4 for point in (*levels, *chances)):
        return {}
    if len(levels) != 2 or len(chances) != 2 or chances[0] != "0":
        return {}
    return {
        "queue.ecn.minimum_fill": (int(levels[0]), number),
        "queue.ecn.maximum_fill": (int(levels[1]), number),
        "queue.ecn.probability": (int(chances[1]), chance_number),
    }
