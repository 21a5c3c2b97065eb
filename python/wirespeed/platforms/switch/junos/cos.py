"""The ``class-of-service`` stanza, as settings of the ports it is applied to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from wirespeed.facts import Observation
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.config_reader import Found, observe_settings, parse_number, read_settings, text
from wirespeed.platforms.switch.indented_config import Line, lines_after
from wirespeed.platforms.switch.junos.commands import DEFAULT_DETECTION, DEFAULT_POLL_MS, DEFAULT_RECOVERY_MS
from wirespeed.platforms.switch.junos.config_text import block, lines_inside, values
from wirespeed.settings import Discipline, Dscp, Place, Priority, SwitchQueue, SwitchTrafficClass, WatchdogAction
from wirespeed.units import Duration

_CLASS = re.compile(r"class (\S+) queue-num ([0-7])((?: no-loss)?)(?: pfc-priority ([0-7]))?")
_ALL = range(8)
_DEFAULT_PAUSES = {Priority(3): SwitchQueue(3), Priority(4): SwitchQueue(4)}
"""Juniper documentation, code-point (output): without an output stanza, these two."""


@dataclass(frozen=True, slots=True)
class Class:
    """A forwarding class."""

    queue: int
    pfc_priority: int | None


@dataclass(frozen=True, slots=True)
class Cos:
    """What the stanza defines, by name. Without one, Junos has ``best-effort`` as queue 0 (AN210's uses it so)."""

    stanza: list[Line]
    classes: Mapping[str, Class]

    def definition(self, kind: str, name: str | None) -> Line | None:
        """A classifier, profile, map … by its name."""
        return None if name is None else block(self.stanza, kind, name)


def cos_of(top: list[Line]) -> Cos:
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
    """What is applied to an interface. ``sure`` is False where a wildcard and the interface's own lines meet."""

    profile: tuple[str, int] | None
    scheduler_map: tuple[str, int] | None
    classifier: tuple[str, int] | None
    dot1p: tuple[str, int] | None
    sure: bool


def _interface_cos(cos: Cos, name: str) -> InterfaceCos:
    stanzas = [
        line
        for line in lines_inside(cos.stanza, "interfaces")
        if fnmatchcase(name, "*" if line.text == "all" else line.text)
    ]
    if len(stanzas) != 1:
        # None: nothing is applied. Several: which line wins for which is not known here.
        return InterfaceCos(None, None, None, None, not stanzas)
    inner = stanzas[0].inner
    units = [line for line in inner if line.text in ("unit 0", "unit *")]
    classifiers = [line for unit in units for line in lines_inside(unit.inner, "classifiers")]
    return InterfaceCos(
        profile=_first_reference(inner, "congestion-notification-profile"),
        scheduler_map=_first_reference(inner, "scheduler-map"),
        classifier=_first_reference(classifiers, "dscp"),
        dot1p=_first_reference(classifiers, "ieee-802.1"),
        # A traffic control profile schedules the queues instead of a map; it is not read.
        sure=len(units) < 2 and not any(lines_after(inner, "output-traffic-control-profile")),
    )


def bundle_of(port: Line) -> str | None:
    """The aggregated interface that a port belongs to, and has its classes and addresses from."""
    options = [inner for kind in ("ether-options", "gigether-options") for inner in lines_inside(port.inner, kind)]
    members = [rest for option in options for words in ("802.3ad", "bundle") if (rest := option.text_after(words))]
    nested = [inner.text for option in options if option.text == "802.3ad" for inner in option.inner]
    return next(iter([*members, *nested]), None)


def _first_reference(lines: Iterable[Line], words: str) -> tuple[str, int] | None:
    return next(((rest, line.number) for line, rest in lines_after(lines, words)), None)


def watchdog_poll(cos: Cos, ports: Iterable[str]) -> Found:
    """The polling interval, where every watched port has the same."""
    found = {
        interval
        for name in ports
        if (profile := _interface_cos(cos, name).profile) is not None
        and (dog := block(lines_inside(cos.stanza, "congestion-notification-profile", profile[0]), "pfc-watchdog"))
        and (interval := _milliseconds(dog, "poll-interval", DEFAULT_POLL_MS))
    }
    return {"switch.watchdog_poll": found.pop()} if len(found) == 1 else {}


def port_cos(place: Place, port: Line, cos: Cos, output: Output) -> Iterator[Observation]:
    """Classes, PFC, watchdog and queues of a port."""
    applied = _interface_cos(cos, port.text)
    if not applied.sure or bundle_of(port) is not None:
        return
    found: Found = {
        "port.qos.tc_queue": ({SwitchTrafficClass(n): SwitchQueue(n) for n in _ALL}, port.number),
    }
    classes = _forwarding_classes(cos, applied, found)
    profile = cos.definition("congestion-notification-profile", applied.profile[0] if applied.profile else None)
    if applied.profile is None:
        found["port.qos.pfc"] = (frozenset(), port.number)
        found["port.qos.watchdog.enabled"] = (False, port.number)
    elif profile is not None:
        found["port.qos.pfc"] = (_pfc(profile, cos, classes), profile.number)
        found["port.qos.pfc_queue"] = _pauses(profile)
        found |= _watchdog(profile)
    yield from observe_settings(place, found, output)
    yield from _queues(place, cos, applied, port.number, output)


def _forwarding_classes(cos: Cos, applied: InterfaceCos, found: Found) -> Mapping[Dscp, str] | None:
    """The forwarding class of each code point that the classifier names; what it does not name is unknown."""
    if applied.classifier is None:
        if applied.dot1p is not None:
            found["port.qos.trust"] = ("dot1p", applied.dot1p[1])
        return None
    name, number = applied.classifier
    found["port.qos.trust"] = ("dscp" if applied.dot1p is None else "both", number)
    classifier = block(lines_inside(cos.stanza, "classifiers"), f"dscp {name}")
    classes: dict[Dscp, str] = {}
    for line, forwarding_class in lines_after(classifier.inner if classifier else [], "forwarding-class"):
        for inner, rest in lines_after(line.inner, "loss-priority"):
            bits = values(rest.partition(" code-points ")[2])
            if not bits or any(re.fullmatch(r"[01]{6}", bit) is None for bit in bits):
                return None
            classes |= {Dscp(int(bit, 2)): forwarding_class for bit in bits}
            number = inner.number
    if not classes or any(name not in cos.classes for name in classes.values()):
        return None
    found["port.qos.dscp_tc"] = (
        {dscp: SwitchTrafficClass(cos.classes[class_].queue) for dscp, class_ in classes.items()},
        number,
    )
    return classes


def _pfc(profile: Line, cos: Cos, classes: Mapping[Dscp, str] | None) -> frozenset[Priority] | None:
    """The priorities of the lossless classes of which every code point is paused for."""
    tagged = [rest for line, rest in lines_after(lines_inside(profile.inner, "input", "ieee-802.1"), "code-point")]
    if tagged:
        return frozenset(Priority(int(bits, 2)) for bits in tagged) if all(map(_three_bits, tagged)) else None
    paused = {
        rest
        for line, rest in lines_after(lines_inside(profile.inner, "input", "dscp"), "code-point")
        if any(inner.text == "pfc" for inner in line.inner)
    }
    if not paused:
        return frozenset()
    if classes is None:
        return None
    found: set[Priority] = set()
    for name, class_ in cos.classes.items():
        dscps = {format(int(dscp), "06b") for dscp, forwarding_class in classes.items() if forwarding_class == name}
        if class_.pfc_priority is not None and dscps and dscps <= paused:
            found.add(Priority(class_.pfc_priority))
    return frozenset(found)


def _three_bits(bits: str) -> bool:
    return re.fullmatch(r"[01]{3}", bits) is not None


def _pauses(profile: Line) -> tuple[Mapping[Priority, SwitchQueue] | None, int]:
    output = block(profile.inner, "output", "ieee-802.1")
    if output is None:
        return _DEFAULT_PAUSES, profile.number
    found: dict[Priority, SwitchQueue] = {}
    for line, bits in lines_after(output.inner, "code-point"):
        queues = [value for _, rest in lines_after(line.inner, "flow-control-queue") for value in values(rest)]
        if not _three_bits(bits) or len(queues) != 1 or re.fullmatch(r"[0-7]", queues[0]) is None:
            return None, line.number
        found[Priority(int(bits, 2))] = SwitchQueue(int(queues[0]))
    return found, output.number


def _watchdog(profile: Line) -> Found:
    dog = block(profile.inner, "pfc-watchdog")
    if dog is None:
        return {"port.qos.watchdog.enabled": (False, profile.number)}
    action = read_settings(dog.inner, {"watchdog-action": ("action", text)}).get("action", ("drop", dog.number))
    found: Found = {
        "port.qos.watchdog.enabled": (True, dog.number),
        "port.qos.watchdog.action": (WatchdogAction.DROP if action[0] == "drop" else None, action[1]),
        "port.qos.watchdog.restore": _milliseconds(dog, "recovery", DEFAULT_RECOVERY_MS),
    }
    poll = _milliseconds(dog, "poll-interval", DEFAULT_POLL_MS)
    polls = read_settings(dog.inner, {"detection": ("polls", parse_number)}).get(
        "polls", (DEFAULT_DETECTION, dog.number)
    )
    known = poll[0] is not None and polls[0] is not None
    found["port.qos.watchdog.detect"] = (Duration(poll[0] * polls[0]) if known else None, polls[1])
    return found


def _milliseconds(dog: Line, words: str, otherwise: int) -> tuple[Duration | None, int]:
    number, line = read_settings(dog.inner, {words: ("number", parse_number)}).get("number", (otherwise, dog.number))
    return (None if number is None else Duration.from_unit(number, "ms")), line


def _queues(place: Place, cos: Cos, applied: InterfaceCos, number: int, output: Output) -> Iterator[Observation]:
    """Queues of the classes in the scheduler map. No source describes the scheduling of other classes."""
    found: dict[int, Found] = {queue: {"queue.ecn.enabled": (False, number)} for queue in _ALL}
    scheduler_map = cos.definition("scheduler-maps", applied.scheduler_map[0] if applied.scheduler_map else None)
    if applied.scheduler_map is not None and scheduler_map is None:
        return
    for _line, rest in lines_after(scheduler_map.inner if scheduler_map else [], "forwarding-class"):
        name, _, scheduler = rest.partition(" scheduler ")
        known, served = cos.classes.get(name), cos.definition("schedulers", scheduler)
        if known is not None and served is not None:
            found[known.queue] = _queue(served, cos)
        elif known is not None:
            found[known.queue] = {}
    for queue, settings in found.items():
        yield from observe_settings(place.child("queue", str(queue)), settings, output)


def _queue(scheduler: Line, cos: Cos) -> Found:
    found = read_settings(scheduler.inner, {"priority": ("queue.discipline", _discipline)})
    found.setdefault("queue.discipline", (Discipline.DWRR, scheduler.number))
    if found["queue.discipline"][0] is Discipline.DWRR:
        found |= read_settings(scheduler.inner, {"transmit-rate percent": ("queue.weight", parse_number)})
    marked = next((line for line in scheduler.inner if line.text == "explicit-congestion-notification"), None)
    found["queue.ecn.enabled"] = (marked is not None, (marked or scheduler).number)
    if marked is None:
        return found
    profiles = [
        rest for _, rest in lines_after(scheduler.inner, "drop-profile-map loss-priority any protocol any drop-profile")
    ]
    profile = cos.definition("drop-profiles", profiles[0] if len(profiles) == 1 else None)
    slope = block(profile.inner, "interpolate") if profile else None
    return found | (_slope(slope) if slope else {})


def _discipline(rest: str) -> Discipline | None:
    return {"strict-high": Discipline.STRICT, "low": Discipline.DWRR}.get(rest)


def _slope(slope: Line) -> Found:
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
