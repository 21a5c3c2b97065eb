"""The ``qos`` lines: the profiles of all ports, and those of single ports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from wirespeed.facts import Observation
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.config_reader import Found, observe_settings, parse_number
from wirespeed.platforms.switch.cumulus.commands import (
    DEFAULT_ECN,
    DEFAULT_MARKED,
    DEFAULT_POLL_MS,
    DEFAULT_ROBUSTNESS,
    OFF,
    ON,
    ROCE_QUEUES,
    TRUST,
)
from wirespeed.platforms.switch.cumulus.nvue_config import Statement, numbers, parse_on_off
from wirespeed.settings import Discipline, Dscp, Place, Priority, SwitchQueue, SwitchTrafficClass, WatchdogAction
from wirespeed.units import Duration, Size

_MS = 10**9
_ALL = range(8)
_SETTINGS_OF_PROFILE = {  # the profile of a single port, and the settings that it replaces
    "mapping": ("port.qos.trust", "port.qos.dscp_tc"),
    "pfc": ("port.qos.pfc", "port.qos.pfc_queue"),
    "egress-queue-mapping": ("port.qos.tc_queue", "port.qos.pfc_queue"),
}


@dataclass(slots=True)
class Qos:
    """Settings of the switch, of each port and of each queue in the lines."""

    switch: Found = field(default_factory=dict)
    port: Found = field(default_factory=dict)
    queues: dict[int, Found] = field(default_factory=dict)
    detect: tuple[Duration | None, int] = (None, 0)
    lossless: tuple[bool, int] = (False, 0)


def qos_of(statements: list[Statement]) -> Qos:
    """All lines of the profiles ``default-global``."""
    lines = [Statement(line.number, rest) for line in statements if (rest := line.words_after("qos")) is not None]
    found = Qos()
    roce, lossless, number = _mode(lines)
    found.lossless = (lossless, number)
    for path, pool in (("lossless_share", "roce-lossless"), ("lossy_share", "default-lossy")):
        for line, value in _values(lines, "traffic-pool", pool, "memory-percent"):
            found.switch[f"switch.buffers.{path}"] = (parse_number(value), line)
    _watchdog(lines, found)
    _classes(lines, found, roce, number)
    _pfc(lines, found, lossless, number)
    _queues(lines, found, roce, number)
    return found


def _mode(lines: list[Statement]) -> tuple[bool, bool, int]:
    """Whether the RoCE mode is on, whether it is lossless (the default), and the line."""
    enabled, mode, number = False, "lossless", 0
    for line in lines:
        if line.words[0] != "roce":
            continue
        enabled, number = True, line.number
        match line.words:
            case ("roce", "enable" | "state", value) if value in OFF:
                return False, False, line.number
            case ("roce", "mode", value):
                mode = value
    return enabled, enabled and mode.startswith("lossless"), number


def _values(lines: list[Statement], *path: str) -> Iterator[tuple[int, str]]:
    for line in lines:
        rest = line.words_after(*path)
        if rest is not None and len(rest) == 1:
            yield line.number, rest[0]


def _watchdog(lines: list[Statement], found: Qos) -> None:
    poll, polls = (DEFAULT_POLL_MS, 0), (DEFAULT_ROBUSTNESS, 0)
    for at, value in _values(lines, "pfc-watchdog", "polling-interval"):
        poll = (parse_number(value) or 0, at)
    for at, value in _values(lines, "pfc-watchdog", "robustness"):
        polls = (parse_number(value) or 0, at)
    found.switch["switch.watchdog_poll"] = (Duration(poll[0] * _MS) if poll[0] else None, poll[1])
    known = poll[0] and polls[0]
    found.detect = (Duration(poll[0] * polls[0] * _MS) if known else None, polls[1])


def _classes(lines: list[Statement], found: Qos, roce: bool, number: int) -> None:
    trust = ("both" if roce else "dot1p", number)
    for at, value in _values(lines, "mapping", "default-global", "trust"):
        trust = (TRUST.get(value, ""), at)
    found.port["port.qos.trust"] = (trust[0] or None, trust[1])
    classes = {Dscp(dscp): SwitchTrafficClass(dscp // 8) for dscp in range(64)}
    first = number
    for line in lines:
        rest = line.words_after("mapping", "default-global", "dscp")
        if rest is None or len(rest) != 3 or rest[1] != "switch-priority":
            continue
        listed, target = numbers(rest[0]), parse_number(rest[2])
        if listed is None or target is None or max(listed) > 63 or target > 7:
            classes = {}
            break
        first = line.number
        classes |= {Dscp(dscp): SwitchTrafficClass(target) for dscp in listed}
    if classes and trust[0] in ("dscp", "both"):
        found.port["port.qos.dscp_tc"] = (classes, first)
    queues = {SwitchTrafficClass(n): SwitchQueue(ROCE_QUEUES[n] if roce else n) for n in _ALL}
    for line in lines:
        rest = line.words_after("egress-queue-mapping", "default-global", "switch-priority")
        if rest is not None and len(rest) == 3 and rest[1] == "traffic-class":
            listed, target = numbers(rest[0]), parse_number(rest[2])
            if listed is None or target is None or max(*listed, target) > 7:
                return
            number = line.number
            queues |= {SwitchTrafficClass(traffic_class): SwitchQueue(target) for traffic_class in listed}
    found.port["port.qos.tc_queue"] = (queues, number)


def _pfc(lines: list[Statement], found: Qos, lossless: bool, number: int) -> None:
    priorities: set[Priority] = set()
    for line in lines:
        match line.words:
            case ("pfc", "default-global", "switch-priority", listed):
                found_numbers = numbers(listed)
                if found_numbers is None or max(found_numbers) > 7:
                    return
                priorities |= {Priority(number) for number in found_numbers}
                number = line.number
            case ("pfc", "default-global", "rx" | "tx", value) if value not in ON:
                return  # half of PFC is no setting here
    pfc = frozenset(priorities or ({Priority(3)} if lossless else set()))
    found.port["port.qos.pfc"] = (pfc, number)
    queues = found.port.get("port.qos.tc_queue", ({}, 0))[0]
    pauses = {
        priority: queues[SwitchTrafficClass(priority)]
        for priority in sorted(pfc)
        if SwitchTrafficClass(priority) in queues
    }
    found.port["port.qos.pfc_queue"] = (pauses, number)


def _queues(lines: list[Statement], found: Qos, roce: bool, number: int) -> None:
    found.queues = {queue: _default(queue, roce, number) for queue in _ALL}
    named: set[int] = set()
    for line in lines:
        match line.words:
            case ("egress-scheduler", "default-global", "traffic-class", listed, key, value):
                _set_for_queues(found, listed, line, _scheduling(key, value))
            case ("congestion-control", "default-global", "traffic-class", listed, key, value):
                # A class of the profile is marked by default.
                for queue in {*(numbers(listed) or ())} & found.queues.keys() - named:
                    found.queues[queue] |= _default_marking(line.number)
                    named.add(queue)
                _set_for_queues(found, listed, line, _marking(key, value))
    for queue_settings in found.queues.values():
        if queue_settings.get("queue.discipline", (None, 0))[0] is Discipline.STRICT:
            queue_settings.pop("queue.weight", None)


def _set_for_queues(found: Qos, listed: str, line: Statement, setting: tuple[str, object] | None) -> None:
    for queue in numbers(listed) or () if setting else ():
        if queue in found.queues and setting:
            found.queues[queue][setting[0]] = (setting[1], line.number)


def _default(queue: int, roce: bool, number: int) -> Found:
    found: Found = {"queue.ecn.enabled": (False, number)}
    if queue == 0 or (roce and queue in DEFAULT_MARKED):
        found = _default_marking(number)
    if roce and queue in (0, 3):
        found |= {"queue.discipline": (Discipline.DWRR, number), "queue.weight": (50, number)}
    elif roce and queue == 6:
        found["queue.discipline"] = (Discipline.STRICT, number)
    elif not roce:
        # NVIDIA Cumulus Linux 5.12 documentation: 12 percent for even queues, 13 for odd ones.
        found |= {"queue.discipline": (Discipline.DWRR, number), "queue.weight": (12 + queue % 2, number)}
    return found


def _default_marking(number: int) -> Found:
    values = {"queue.ecn.enabled": True, **DEFAULT_ECN}
    return {path: (value, number) for path, value in values.items()}


def _scheduling(key: str, value: str) -> tuple[str, object] | None:
    match key:
        case "mode":
            return "queue.discipline", {"dwrr": Discipline.DWRR, "strict": Discipline.STRICT}.get(value)
        case "bw-percent":
            return "queue.weight", parse_number(value)
    return None


def _marking(key: str, value: str) -> tuple[str, object] | None:
    number = parse_number(value)
    match key:
        case "ecn":
            return "queue.ecn.enabled", parse_on_off(value)
        case "min-threshold":
            return "queue.ecn.minimum", None if number is None else Size(number)
        case "max-threshold":
            return "queue.ecn.maximum", None if number is None else Size(number)
        case "probability":
            return "queue.ecn.probability", number
    return None


def port_qos(place: Place, statements: list[Statement], qos: Qos, output: Output) -> Iterator[Observation]:
    """Settings in effect on a port. Those that a profile of this port sets are not read."""
    profiles = {line.words[1] for line in statements if line.words[0] == "qos" and line.words[2:3] == ("profile",)}
    hidden = {path for kind in profiles for path in _SETTINGS_OF_PROFILE.get(kind, ())}
    found: Found = {path: value for path, value in qos.port.items() if path not in hidden}
    found |= _watchdog_state(statements, qos)
    yield from observe_settings(place, found, output)
    for queue, queue_settings in qos.queues.items():
        shown: Mapping[str, tuple[object, int]] = {
            path: value
            for path, value in queue_settings.items()
            if not (path.startswith("queue.ecn") and "congestion-control" in profiles)
            and not (not path.startswith("queue.ecn") and "egress-scheduler" in profiles)
        }
        yield from observe_settings(place.child("queue", str(queue)), dict(shown), output)


def _watchdog_state(statements: list[Statement], qos: Qos) -> Found:
    state: tuple[bool | None, int] = (False, statements[0].number)
    for line in statements:
        match line.words:
            case ("qos", "pfc-watchdog"):
                state = (True, line.number)
            case ("qos", "pfc-watchdog", "state", value):
                state = (parse_on_off(value), line.number)
    found: Found = {"port.qos.watchdog.enabled": state}
    if state[0]:
        found["port.qos.watchdog.action"] = (WatchdogAction.DROP, state[1])
        found["port.qos.watchdog.detect"] = (qos.detect[0], qos.detect[1] or state[1])
    return found
