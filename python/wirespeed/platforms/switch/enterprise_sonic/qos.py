"""Policies, maps, and their bindings to ports."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wirespeed.facts import Observation, State
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.config_reader import (
    ReadValues,
    find_smallest_shape,
    observe_settings,
    parse_number,
    quantity,
)
from wirespeed.platforms.switch.enterprise_sonic.commands import KBYTE, MAPS
from wirespeed.platforms.switch.indented_config import Line, lines_after, numbers
from wirespeed.settings import (
    Discipline,
    Dscp,
    Place,
    Priority,
    PriorityGroup,
    SwitchQueue,
    SwitchTrafficClass,
    WatchdogAction,
)
from wirespeed.units import Bandwidth, Duration, Size

_KILOBITS, _MILLISECONDS = quantity(Bandwidth, "kb/s"), quantity(Duration, "ms")


_KEYS: Mapping[str, Callable[[int], Any]] = {
    "dscp": Dscp,
    "dot1p": Priority,
    "traffic-class": SwitchTrafficClass,
    "pfc-priority": Priority,
    "queue": SwitchQueue,
    "priority-group": PriorityGroup,
    "pg": PriorityGroup,
}
_GREEN = re.compile(r"green minimum-threshold (\d{1,9}) maximum-threshold (\d{1,9})(?: drop-probability (\d{1,3}))?")

NamedLine = tuple[Any, int]
"""A policy's content (None if a line of it is malformed) and its line."""


@dataclass(frozen=True, slots=True)
class Policies:
    """The policies and maps of a switch, by name; maps by kind and name."""

    maps: Mapping[tuple[str, str], NamedLine]
    schedulers: Mapping[str, Mapping[int, ReadValues]]
    wred: Mapping[str, ReadValues]


def build_policies(top: list[Line]) -> Policies:
    """All that are defined."""
    kinds = {kind: (key, target) for kind, key, target in MAPS.values()}
    maps: dict[tuple[str, str], NamedLine] = {}
    for line, argument in lines_after(top, "qos map"):
        kind, _, name = argument.partition(" ")
        if kind in kinds:
            maps[kind, name] = (_read_map(line, *kinds[kind]), line.number)
    return Policies(
        maps=maps,
        schedulers={name: _read_scheduler(line) for line, name in lines_after(top, "qos scheduler-policy")},
        wred={name: _read_wred(line) for line, name in lines_after(top, "qos wred-policy")},
    )


def _read_map(line: Line, key: str, target: str) -> Mapping[Any, Any] | None:
    read_values: dict[Any, Any] = {}
    for inner in line.inner:
        match = re.fullmatch(rf"{key} ([0-9,\-]+) {target} ([0-9]{{1,2}})", inner.text)
        keys = numbers(match[1]) if match else None
        if match is None or keys is None:
            return None
        try:
            value = _KEYS[target](int(match[2]))
            read_values.update({_KEYS[key](number): value for number in keys})
        except ValueError:
            return None
    return read_values


def _read_scheduler(line: Line) -> Mapping[int, ReadValues]:
    """Queues of a policy. Weights are relative, so a queue's share is its weight's part of all of them."""
    queues: dict[int, ReadValues] = {}
    port_shapes = [_read_shape(block) for block in line.inner if block.text == "port"]
    for block, argument in lines_after(line.inner, "queue"):
        number = parse_number(argument)
        if number is None:
            continue
        read_values = queues.setdefault(number, {})
        for inner in block.inner:
            match inner.words:
                case ["type", word]:
                    kind = {"dwrr": Discipline.DWRR, "strict": Discipline.STRICT}.get(word)
                    read_values["queue.discipline"] = (kind, inner.number)
                case ["weight", word]:
                    read_values["queue.weight"] = (parse_number(word), inner.number)
        read_values["queue.shape"] = find_smallest_shape(_read_shape(block), *port_shapes)
    global_settings = [
        read_values
        for read_values in queues.values()
        if "queue.weight" in read_values or read_values.get("queue.discipline", (None, 0))[0] is Discipline.DWRR
    ]
    weights: list[Any] = [read_values.get("queue.weight", (None, 0))[0] for read_values in global_settings]
    if None in weights or not sum(weights):
        return {
            number: {key: value for key, value in read_values.items() if key != "queue.weight"}
            for number, read_values in queues.items()
        }
    for read_values in queues.values():
        if "queue.weight" in read_values:
            weight, line_number = read_values["queue.weight"]
            read_values["queue.weight"] = (round(100 * weight / sum(weights)), line_number)
    return queues


def _read_shape(block: Line) -> tuple[Bandwidth | None, int]:
    """The rate of a queue, or of a port (sonic-net/SONiC, QoS HLD of the management framework, "port", "pir")."""
    shape: tuple[Bandwidth | None, int] = (Bandwidth(0), 0)
    for line, argument in lines_after(block.inner, "pir"):
        shape = (_KILOBITS(argument), line.number)
    if shape[0] and any(line.text == "meter-type packets" for line in block.inner):
        return None, shape[1]  # packets a second are no bandwidth
    return shape


def _read_wred(line: Line) -> ReadValues:
    read_values: ReadValues = {"queue.ecn.enabled": (False, line.number)}
    for inner in line.inner:
        if inner.text in ("ecn green", "ecn all"):
            read_values["queue.ecn.enabled"] = (True, inner.number)
        elif inner.text.startswith("green"):
            match = _GREEN.fullmatch(inner.text)
            low, high, probability = match.groups() if match else (None, None, None)
            read_values["queue.ecn.minimum"] = (Size(int(low) * KBYTE) if low else None, inner.number)
            read_values["queue.ecn.maximum"] = (Size(int(high) * KBYTE) if high else None, inner.number)
            read_values["queue.ecn.probability"] = (int(probability) if probability else None, inner.number)
    return read_values


_SHOWN_BY_BINDING = ("port.qos.dot1p_tc", "port.qos.tc_queue", "port.qos.tc_pg", "port.qos.pfc_queue")
"""Maps whose binding the port shows: without it none of the planned entries holds. That of DSCP is ``trust``."""
_NO_POLICY: ReadValues = {
    "queue.discipline": (Discipline.DWRR, 0),
    "queue.weight": (round(100 / 8), 0),
    "queue.shape": (Bandwidth(0), 0),
}
"""Queues of a port without a scheduler policy share equally (opencomputeproject/SAI, inc/saischeduler.h: by default the
type is WRR and the weight 1)."""


def port_qos(place: Place, line: Line, policies: Policies, output: Output) -> Iterator[Observation]:
    """Policies bound to a port. A binding to an undefined policy makes its settings unknown."""
    read_values: ReadValues = {}
    bound = {kind: (name, inner.number) for inner, (kind, name) in _read_bindings(line)}
    for path, (kind, _, _) in MAPS.items():
        if kind in bound:
            name, line_number = bound[kind]
            mapping, defined_at = policies.maps.get((kind, name), (None, line_number))
            read_values[path] = (mapping, defined_at)
        elif path in _SHOWN_BY_BINDING:
            read_values[path] = ({}, line.number)
    trust = "dscp" if "dscp-tc" in bound else "dot1p" if "dot1p-tc" in bound else "none"
    read_values["port.qos.trust"] = (trust, bound.get(f"{trust}-tc", ("", line.number))[1])
    read_values["port.qos.pfc"] = _read_pfc(line)
    read_values.update(_read_watchdog(line))
    yield from observe_settings(place, read_values, output)
    if "pfc-priority-pg" not in bound:  # no source confirms the same number as the default
        groups = {Priority(number): PriorityGroup(number) for number in range(8)}
        yield from observe_settings(place, {"port.qos.pfc_pg": (groups, line.number)}, output, State.ASSUMED)
    yield from _read_queues(place, line, policies, output)


def _read_bindings(line: Line) -> Iterator[tuple[Line, tuple[str, str]]]:
    for inner, argument in lines_after(line.inner, "qos-map"):
        kind, _, name = argument.partition(" ")
        yield inner, (kind, name)


def _read_pfc(line: Line) -> tuple[frozenset[Priority] | None, int]:
    priorities: set[Priority] = set()
    line_number = line.number
    for inner, argument in lines_after(line.inner, "priority-flow-control priority"):
        members = numbers(argument)
        if members is None or max(members) > Priority.last:
            return None, inner.number
        priorities.update(map(Priority, members))
        line_number = inner.number
    return frozenset(priorities), line_number


def _read_watchdog(line: Line) -> ReadValues:
    read_values: ReadValues = {"port.qos.watchdog.enabled": (False, line.number)}
    for inner, argument in lines_after(line.inner, "priority-flow-control watchdog"):
        match argument.split():
            case ["action", word]:
                action = WatchdogAction(word) if word in ("drop", "forward", "alert") else None
                read_values["port.qos.watchdog.action"] = (action, inner.number)
            case ["on", "detect-time", word]:
                read_values["port.qos.watchdog.enabled"] = (True, inner.number)
                read_values["port.qos.watchdog.detect"] = (_MILLISECONDS(word), inner.number)
            case ["restore-time", word]:
                read_values["port.qos.watchdog.restore"] = (_MILLISECONDS(word), inner.number)
    return read_values


def _read_queues(place: Place, line: Line, policies: Policies, output: Output) -> Iterator[Observation]:
    queues: dict[int, ReadValues] = {number: {"queue.ecn.enabled": (False, line.number)} for number in range(8)}
    schedulers = list(lines_after(line.inner, "scheduler-policy"))
    if not schedulers:
        for read_values in queues.values():
            read_values.update({path: (value, line.number) for path, (value, _) in _NO_POLICY.items()})
    for _, name in schedulers:
        for number, read_values in policies.schedulers.get(name, {}).items():
            queues.setdefault(number, {}).update(read_values)
    for inner, _ in lines_after(line.inner, "queue"):
        match inner.words:
            case ["queue", word, "wred-policy", name] if word.isdecimal():
                undefined_settings: ReadValues = {"queue.ecn.enabled": (None, inner.number)}
                queues.setdefault(int(word), {}).update(policies.wred.get(name, undefined_settings))
    for number, read_values in queues.items():
        yield from observe_settings(place.child("queue", str(number)), read_values, output)
