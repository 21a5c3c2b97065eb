"""The ``qos`` lines: the profiles of all ports, and those of single ports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from wirespeed.facts import Observation, State
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.config_reader import ReadValues, find_smallest_shape, observe_settings, parse_number
from wirespeed.platforms.switch.cumulus.commands import (
    DEFAULT_ECN,
    DEFAULT_POLL_MS,
    DEFAULT_ROBUSTNESS,
    OFF_KEYWORDS,
    ON_KEYWORDS,
    ROCE_MARKED,
    ROCE_PFC,
    ROCE_QUEUES,
    ROCE_SCHEDULING,
    TRUST,
)
from wirespeed.platforms.switch.cumulus.nvue_config import Statement, numbers, parse_on_off
from wirespeed.settings import Discipline, Dscp, Place, Priority, SwitchQueue, SwitchTrafficClass, WatchdogAction
from wirespeed.units import Bandwidth, Duration, Length, Size

_ALL_QUEUES = range(8)
_SETTINGS_OF_PROFILE = {  # the profile of a single port, and the settings that it replaces
    "mapping": ("port.qos.trust", "port.qos.dscp_tc"),
    "pfc": ("port.qos.pfc", "port.qos.pfc_queue", "port.cable_length"),
    "egress-queue-mapping": ("port.qos.tc_queue", "port.qos.pfc_queue"),
}


@dataclass(slots=True)
class Qos:
    """Settings of the switch, of each port and of each queue in the lines."""

    switch: ReadValues = field(default_factory=dict)
    port: ReadValues = field(default_factory=dict)
    queues: dict[int, ReadValues] = field(default_factory=dict)
    shapers: list[Statement] = field(default_factory=list)
    detect: tuple[Duration | None, int] = (None, 0)
    lossless: tuple[bool, int] = (False, 0)
    roce_pfc: bool = False  # whether the PFC priorities are those of the RoCE mode


def read_qos(statements: list[Statement]) -> Qos:
    """All lines of the profiles ``default-global``."""
    lines = [
        Statement(line.number, argument) for line in statements if (argument := line.words_after("qos")) is not None
    ]
    qos = Qos()
    roce, lossless, number = _read_mode(lines)
    qos.lossless = (lossless, number)
    for path, pool in (("lossless_share", "roce-lossless"), ("lossy_share", "default-lossy")):
        for line, value in _read_values(lines, "traffic-pool", pool, "memory-percent"):
            qos.switch[f"switch.buffers.{path}"] = (parse_number(value), line)
    _read_watchdog(lines, qos)
    _read_classes(lines, qos, roce, number)
    _read_pfc(lines, qos, lossless, number)
    _read_queues(lines, qos, roce, number)
    qos.shapers = [Statement(line.number, line.words[1:]) for line in lines if line.words[:1] == ("egress-shaper",)]
    return qos


def _read_mode(lines: list[Statement]) -> tuple[bool, bool, int]:
    """Whether the RoCE mode is on, whether it is lossless (the default), and the line."""
    enabled, mode, number = False, "lossless", 0
    for line in lines:
        if line.words[:1] != ("roce",):
            continue
        enabled, number = True, line.number
        match line.words:
            case ("roce", "enable" | "state", value) if value in OFF_KEYWORDS:
                return False, False, line.number
            case ("roce", "mode", value):
                mode = value
    return enabled, enabled and mode.startswith("lossless"), number


def _read_values(lines: list[Statement], *path: str) -> Iterator[tuple[int, str]]:
    for line in lines:
        argument = line.words_after(*path)
        if argument is not None and len(argument) == 1:
            yield line.number, argument[0]


def _read_watchdog(lines: list[Statement], qos: Qos) -> None:
    poll, polls = (DEFAULT_POLL_MS, 0), (DEFAULT_ROBUSTNESS, 0)
    for line_number, value in _read_values(lines, "pfc-watchdog", "polling-interval"):
        poll = (parse_number(value) or 0, line_number)
    for line_number, value in _read_values(lines, "pfc-watchdog", "robustness"):
        polls = (parse_number(value) or 0, line_number)
    qos.switch["switch.watchdog_poll"] = (Duration.from_unit(poll[0], "ms") if poll[0] else None, poll[1])
    is_known = poll[0] and polls[0]
    qos.detect = (Duration.from_unit(poll[0] * polls[0], "ms") if is_known else None, polls[1])


def _read_classes(lines: list[Statement], qos: Qos, roce: bool, number: int) -> None:
    trust = ("both" if roce else "dot1p", number)
    for line_number, value in _read_values(lines, "mapping", "default-global", "trust"):
        trust = (TRUST.get(value, ""), line_number)
    qos.port["port.qos.trust"] = (trust[0] or None, trust[1])
    classes = {Dscp(dscp): SwitchTrafficClass(dscp // 8) for dscp in range(64)}
    first = number
    for line in lines:
        argument = line.words_after("mapping", "default-global", "dscp")
        if argument is None or len(argument) != 3 or argument[1] != "switch-priority":
            continue
        members, target = numbers(argument[0]), parse_number(argument[2])
        if members is None or target is None or max(members) > 63 or target > 7:
            classes = {}
            break
        first = line.number
        classes |= {Dscp(dscp): SwitchTrafficClass(target) for dscp in members}
    if classes and trust[0] in ("dscp", "both"):
        qos.port["port.qos.dscp_tc"] = (classes, first)
    queues = {SwitchTrafficClass(n): SwitchQueue(ROCE_QUEUES[n] if roce else n) for n in _ALL_QUEUES}
    for line in lines:
        argument = line.words_after("egress-queue-mapping", "default-global", "switch-priority")
        if argument is not None and len(argument) == 3 and argument[1] == "traffic-class":
            members, target = numbers(argument[0]), parse_number(argument[2])
            if members is None or target is None or max(*members, target) > 7:
                return
            number = line.number
            queues |= {SwitchTrafficClass(traffic_class): SwitchQueue(target) for traffic_class in members}
    qos.port["port.qos.tc_queue"] = (queues, number)


def _read_pfc(lines: list[Statement], qos: Qos, lossless: bool, number: int) -> None:
    priorities: set[Priority] = set()
    for line in lines:
        match line.words:
            case ("pfc", "default-global", "switch-priority", listed):
                found_numbers = numbers(listed)
                if found_numbers is None or max(found_numbers) > 7:
                    return
                priorities |= {Priority(number) for number in found_numbers}
                number = line.number
            case ("pfc", "default-global", "cable-length", value):
                metres = parse_number(value)
                qos.port["port.cable_length"] = (
                    None if metres is None else Length.from_unit(metres, "m"),
                    line.number,
                )
            case ("pfc", "default-global", "rx" | "tx", value) if value not in ON_KEYWORDS:
                return  # half of PFC is no setting here
    qos.roce_pfc = lossless and not priorities
    pfc = frozenset(priorities or (map(Priority, ROCE_PFC) if lossless else ()))
    qos.port["port.qos.pfc"] = (pfc, number)
    queues = qos.port.get("port.qos.tc_queue", ({}, 0))[0]
    pauses = {
        priority: queues[SwitchTrafficClass(priority)]
        for priority in sorted(pfc)
        if SwitchTrafficClass(priority) in queues
    }
    qos.port["port.qos.pfc_queue"] = (pauses, number)


def _read_queues(lines: list[Statement], qos: Qos, roce: bool, number: int) -> None:
    qos.queues = {queue: _read_default(queue, roce, number) for queue in _ALL_QUEUES}
    named_queues: set[int] = set()
    for line in lines:
        match line.words:
            case ("egress-scheduler", "default-global", "traffic-class", listed, key, value):
                _set_for_queues(qos, listed, line, _build_scheduling(key, value))
            case ("congestion-control", "default-global", "traffic-class", listed, key, value):
                # A class of the profile is marked by default.
                for queue in {*(numbers(listed) or ())} & qos.queues.keys() - named_queues:
                    qos.queues[queue] |= _default_marking(line.number)
                    named_queues.add(queue)
                _set_for_queues(qos, listed, line, _build_marking(key, value))
    for queue_settings in qos.queues.values():
        if queue_settings.get("queue.discipline", (None, 0))[0] is Discipline.STRICT:
            queue_settings.pop("queue.weight", None)


def _set_for_queues(qos: Qos, members: str, line: Statement, setting: tuple[str, object] | None) -> None:
    for queue in numbers(members) or () if setting else ():
        if queue in qos.queues and setting:
            qos.queues[queue][setting[0]] = (setting[1], line.number)


def _read_default(queue: int, roce: bool, number: int) -> ReadValues:
    read_values: ReadValues = {"queue.ecn.enabled": (False, number)}
    if queue == 0 or (roce and queue in ROCE_MARKED):
        read_values = _default_marking(number)
    if roce and queue in ROCE_SCHEDULING:
        discipline, weight = ROCE_SCHEDULING[queue]
        read_values["queue.discipline"] = (discipline, number)
        if weight is not None:
            read_values["queue.weight"] = (weight, number)
    elif not roce:
        # NVIDIA Cumulus Linux 5.12 documentation: 12 percent for even queues, 13 for odd ones.
        read_values |= {"queue.discipline": (Discipline.DWRR, number), "queue.weight": (12 + queue % 2, number)}
    return read_values


def _default_marking(number: int) -> ReadValues:
    values = {"queue.ecn.enabled": True, **DEFAULT_ECN}
    return {path: (value, number) for path, value in values.items()}


def _build_scheduling(key: str, value: str) -> tuple[str, object] | None:
    match key:
        case "mode":
            return "queue.discipline", {"dwrr": Discipline.DWRR, "strict": Discipline.STRICT}.get(value)
        case "bw-percent":
            return "queue.weight", parse_number(value)
    return None


def _build_marking(key: str, value: str) -> tuple[str, object] | None:
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
    """Settings in effect on a port. Those that a profile of this port sets are not read.

    The PFC priorities of the lossless RoCE mode are the configured ones: `nv show qos roce` shows those in effect. No
    source states whether it shows those of the profile ``default-global`` too.
    """
    profiles = {line.words[1] for line in statements if line.words[:1] == ("qos",) and line.words[2:3] == ("profile",)}
    hidden_paths = {path for kind in profiles for path in _SETTINGS_OF_PROFILE.get(kind, ())}
    read_values: ReadValues = {path: value for path, value in qos.port.items() if path not in hidden_paths}
    read_values |= _watchdog_state(statements, qos)
    if qos.roce_pfc:
        configured = {path: read_values.pop(path) for path in ("port.qos.pfc",) if path in read_values}
        yield from observe_settings(place, configured, output, State.CONFIGURED)
    yield from observe_settings(place, read_values, output)
    for queue, queue_settings in qos.queues.items():
        shown_values: Mapping[str, tuple[object, int]] = {
            path: value
            for path, value in queue_settings.items()
            if not (path.startswith("queue.ecn") and "congestion-control" in profiles)
            and not (not path.startswith("queue.ecn") and "egress-scheduler" in profiles)
        } | {"queue.shape": _find_shape(statements, qos, queue)}
        yield from observe_settings(place.child("queue", str(queue)), dict(shown_values), output)


def _find_shape(statements: list[Statement], qos: Qos, queue: int) -> tuple[Bandwidth | None, int]:
    """The smaller rate of the shaper profile of a port: that of the queue or that of the port.

    Source: Cumulus Linux documentation, Quality of Service, Traffic Shaping: rates in kb/s, none by default.
    """
    shapes: list[tuple[Bandwidth | None, int]] = [(Bandwidth(0), 0)]
    profile = "default-global"
    for line in statements:
        match line.words:
            case ("qos", "egress-shaper", "profile", profile):
                continue
            case ("qos", "egress-shaper", *_):
                shapes.append((None, line.number))
    for line in qos.shapers:
        match line.words:
            case (name, *_) if name != profile:
                continue
            case (_, "port-max-rate", value):
                shapes.append((_parse_kilobits(value), line.number))
            case (_, "traffic-class", members, "max-rate", value):
                if queue in (numbers(members) or (queue,)):
                    shapes.append((_parse_kilobits(value), line.number))
            case (_,) | (_, "traffic-class", _) | (_, "traffic-class", _, "min-rate", _):
                continue
            case _:
                shapes.append((None, line.number))
    return find_smallest_shape(*shapes)


def _parse_kilobits(word: str) -> Bandwidth | None:
    rate = parse_number(word)
    return None if rate is None else Bandwidth(rate * 1000)


def _watchdog_state(statements: list[Statement], qos: Qos) -> ReadValues:
    state: tuple[bool | None, int] = (False, statements[0].number)
    for line in statements:
        match line.words:
            case ("qos", "pfc-watchdog"):
                state = (True, line.number)
            case ("qos", "pfc-watchdog", "state", value):
                state = (parse_on_off(value), line.number)
    read_values: ReadValues = {"port.qos.watchdog.enabled": state}
    if state[0]:
        read_values["port.qos.watchdog.action"] = (WatchdogAction.DROP, state[1])
        read_values["port.qos.watchdog.detect"] = (qos.detect[0], qos.detect[1] or state[1])
    return read_values
