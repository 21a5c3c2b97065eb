"""Policies, maps, and what is bound to a port."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wirespeed.facts import Observation
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.config_reader import Found, observe_settings, parse_number, quantity
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

Named = tuple[Any, int]
"""A policy's content (None when a line of it makes no sense) and its line."""


@dataclass(frozen=True, slots=True)
class Policies:
    """The policies and maps of a switch, by name; maps by kind and name."""

    maps: Mapping[tuple[str, str], Named]
    schedulers: Mapping[str, Mapping[int, Found]]
    wred: Mapping[str, Found]


def policies_of(top: list[Line]) -> Policies:
    """All that are defined."""
    kinds = {kind: (key, target) for kind, key, target in MAPS.values()}
    maps: dict[tuple[str, str], Named] = {}
    for line, rest in lines_after(top, "qos map"):
        kind, _, name = rest.partition(" ")
        if kind in kinds:
            maps[kind, name] = (_map(line, *kinds[kind]), line.number)
    return Policies(
        maps=maps,
        schedulers={name: _scheduler(line) for line, name in lines_after(top, "qos scheduler-policy")},
        wred={name: _wred(line) for line, name in lines_after(top, "qos wred-policy")},
    )


def _map(line: Line, key: str, target: str) -> Mapping[Any, Any] | None:
    found: dict[Any, Any] = {}
    for inner in line.inner:
        match = re.fullmatch(rf"{key} ([0-9,\-]+) {target} ([0-9]{{1,2}})", inner.text)
        keys = numbers(match[1]) if match else None
        if match is None or keys is None:
            return None
        try:
            value = _KEYS[target](int(match[2]))
            found.update({_KEYS[key](number): value for number in keys})
        except ValueError:
            return None
    return found


def _scheduler(line: Line) -> Mapping[int, Found]:
    """Queues of a policy. Weights are relative, so a queue's share is its weight's part of all of them."""
    queues: dict[int, Found] = {}
    for block, rest in lines_after(line.inner, "queue"):
        number = parse_number(rest)
        if number is None:
            continue
        found = queues.setdefault(number, {})
        for inner in block.inner:
            match inner.words:
                case ["type", word]:
                    kind = {"dwrr": Discipline.DWRR, "strict": Discipline.STRICT}.get(word)
                    found["queue.discipline"] = (kind, inner.number)
                case ["weight", word]:
                    found["queue.weight"] = (parse_number(word), inner.number)
                case ["pir", word]:
                    found["queue.shape"] = (_KILOBITS(word), inner.number)
        if any(inner.text == "meter-type packets" for inner in block.inner) and "queue.shape" in found:
            found["queue.shape"] = (None, found["queue.shape"][1])  # packets a second are no bandwidth
    shared = [
        found
        for found in queues.values()
        if "queue.weight" in found or found.get("queue.discipline", (None, 0))[0] is Discipline.DWRR
    ]
    weights: list[Any] = [found.get("queue.weight", (None, 0))[0] for found in shared]
    if None in weights or not sum(weights):
        return {
            number: {key: value for key, value in found.items() if key != "queue.weight"}
            for number, found in queues.items()
        }
    for found in queues.values():
        if "queue.weight" in found:
            weight, at = found["queue.weight"]
            found["queue.weight"] = (round(100 * weight / sum(weights)), at)
    return queues


def _wred(line: Line) -> Found:
    found: Found = {"queue.ecn.enabled": (False, line.number)}
    for inner in line.inner:
        if inner.text in ("ecn green", "ecn all"):
            found["queue.ecn.enabled"] = (True, inner.number)
        elif inner.text.startswith("green"):
            match = _GREEN.fullmatch(inner.text)
            low, high, probability = match.groups() if match else (None, None, None)
            found["queue.ecn.minimum"] = (Size(int(low) * KBYTE) if low else None, inner.number)
            found["queue.ecn.maximum"] = (Size(int(high) * KBYTE) if high else None, inner.number)
            found["queue.ecn.probability"] = (int(probability) if probability else None, inner.number)
    return found


def port_qos(place: Place, line: Line, policies: Policies, output: Output) -> Iterator[Observation]:
    """What is bound to a port. A binding to something that is not defined leaves its settings unknown."""
    found: Found = {}
    bound = {kind: (name, inner.number) for inner, (kind, name) in _bindings(line)}
    for path, (kind, _, _) in MAPS.items():
        if kind in bound:
            name, at = bound[kind]
            mapping, defined_at = policies.maps.get((kind, name), (None, at))
            found[path] = (mapping, defined_at)
    trust = "dscp" if "dscp-tc" in bound else "dot1p" if "dot1p-tc" in bound else "none"
    found["port.qos.trust"] = (trust, bound.get(f"{trust}-tc", ("", line.number))[1])
    found["port.qos.pfc"] = _pfc(line)
    found.update(_watchdog(line))
    yield from observe_settings(place, found, output)
    yield from _queues(place, line, policies, output)


def _bindings(line: Line) -> Iterator[tuple[Line, tuple[str, str]]]:
    for inner, rest in lines_after(line.inner, "qos-map"):
        kind, _, name = rest.partition(" ")
        yield inner, (kind, name)


def _pfc(line: Line) -> tuple[frozenset[Priority] | None, int]:
    priorities: set[Priority] = set()
    at = line.number
    for inner, rest in lines_after(line.inner, "priority-flow-control priority"):
        listed = numbers(rest)
        if listed is None or max(listed) > Priority.last:
            return None, inner.number
        priorities.update(map(Priority, listed))
        at = inner.number
    return frozenset(priorities), at


def _watchdog(line: Line) -> Found:
    found: Found = {"port.qos.watchdog.enabled": (False, line.number)}
    for inner, rest in lines_after(line.inner, "priority-flow-control watchdog"):
        match rest.split():
            case ["action", word]:
                action = WatchdogAction(word) if word in ("drop", "forward", "alert") else None
                found["port.qos.watchdog.action"] = (action, inner.number)
            case ["on", "detect-time", word]:
                found["port.qos.watchdog.enabled"] = (True, inner.number)
                found["port.qos.watchdog.detect"] = (_MILLISECONDS(word), inner.number)
            case ["restore-time", word]:
                found["port.qos.watchdog.restore"] = (_MILLISECONDS(word), inner.number)
    return found


def _queues(place: Place, line: Line, policies: Policies, output: Output) -> Iterator[Observation]:
    queues: dict[int, Found] = {number: {"queue.ecn.enabled": (False, line.number)} for number in range(8)}
    for _, name in lines_after(line.inner, "scheduler-policy"):
        for number, found in policies.schedulers.get(name, {}).items():
            queues.setdefault(number, {}).update(found)
    for inner, _ in lines_after(line.inner, "queue"):
        match inner.words:
            case ["queue", word, "wred-policy", name] if word.isdecimal():
                undefined: Found = {"queue.ecn.enabled": (None, inner.number)}
                queues.setdefault(int(word), {}).update(policies.wred.get(name, undefined))
    for number, found in queues.items():
        yield from observe_settings(place.child("queue", str(number)), found, output)
