"""The quality-of-service lines of a profile and of an interface, which are the same lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wirespeed.facts import Observation, State
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.config_reader import (
    Found,
    Reader,
    choice,
    flag,
    observe_settings,
    read_settings,
    set_defaults,
)
from wirespeed.platforms.switch.eos.values import ACTIONS, parse_shape
from wirespeed.platforms.switch.indented_config import Line, lines_after
from wirespeed.settings import Discipline, Dscp, Place, Priority, SwitchQueue, SwitchTrafficClass, WatchdogAction
from wirespeed.units import Duration, Size

DscpMap = tuple[Mapping[Dscp, SwitchTrafficClass], int | None]
_UNITS = {"bytes": 1, "kbytes": 1000, "mbytes": 1_000_000}
_THRESHOLDS = re.compile(
    r"minimum-threshold (\d{1,9}) ([a-z]+) maximum-threshold (\d{1,9}) ([a-z]+)"
    r"(?: max-mark-probability (\d{1,3}))?(?: weight \d+)?"
)
_TRUST: Mapping[str, tuple[str, Reader]] = {
    "qos trust": ("port.qos.trust", choice({"dscp": "dscp", "cos": "dot1p"})),
    "no qos trust": ("port.qos.trust", flag("none")),
}


@dataclass(frozen=True, slots=True)
class Globals:
    """Settings of the whole switch that apply to each of its ports."""

    profiles: Mapping[str, Line]
    dscp_tc: DscpMap | None
    tc_queue: tuple[Mapping[SwitchTrafficClass, SwitchQueue], int | None] | None
    tc_dscp: tuple[Mapping[SwitchTrafficClass, Dscp], int] | None
    watchdog: Found
    poll: tuple[Any, int] | None


def seconds_of(word: str) -> Duration | None:
    """A number of seconds, as the watchdog's times are printed."""
    try:
        return Duration.parse(f"{word} s")
    except ValueError:
        return None


def port_qos(place: Place, line: Line, routed: bool, shared: Globals, output: Output) -> Iterator[Observation]:
    """What is in effect on a port: its profile's lines, then its own. Nothing when its profile is not defined."""
    lines = list(line.inner)
    number = line.number
    for inner, name in lines_after(line.inner, "service-profile"):
        if name not in shared.profiles:
            return
        lines = [*shared.profiles[name].inner, *lines]
        number = inner.number
    found = read_settings(lines, _TRUST)
    # EOS 4.36 user guide: a routed port trusts DSCP, a switched one the 802.1p priority.
    set_defaults(found, {"port.qos.trust": "dscp" if routed else "dot1p"}, number)
    if found["port.qos.trust"][0] == "dscp" and shared.dscp_tc is not None:
        found["port.qos.dscp_tc"] = (shared.dscp_tc[0], shared.dscp_tc[1] or number)
    if shared.tc_queue is not None:
        found["port.qos.tc_queue"] = (shared.tc_queue[0], shared.tc_queue[1] or number)
    if shared.tc_dscp is not None:
        found["port.qos.tc_dscp"] = shared.tc_dscp
    found["port.qos.pfc_queue"] = (
        {priority: SwitchQueue(int(priority)) for priority in map(Priority, range(8))},
        number,
    )
    found.update(_watchdog(lines, shared))
    yield from observe_settings(place, found, output)
    # "show priority-flow-control status" shows what is in effect: DCBX can change it.
    yield from observe_settings(place, {"port.qos.pfc": _pfc(lines, number)}, output, State.CONFIGURED)
    yield from _queues(place, lines, number, output)


def _pfc(lines: list[Line], number: int) -> tuple[frozenset[Priority] | None, int]:
    enabled = False
    lossless: set[Priority] = set()
    for line, rest in lines_after(lines, "priority-flow-control"):
        if rest in ("on", "mode on"):
            enabled, number = True, line.number
        elif match := re.fullmatch(r"priority ([0-7]) (no-drop|drop)", rest):
            change = lossless.add if match[2] == "no-drop" else lossless.discard
            change(Priority(int(match[1])))
            number = line.number
        elif rest.startswith("priority"):
            return None, line.number
    return (frozenset(lossless) if enabled else frozenset()), number


def _watchdog(lines: list[Line], shared: Globals) -> Found:
    """Nothing without a line about the watchdog of the port."""
    found: Found = {}
    for line in lines:
        if line.text == "no priority-flow-control pause watchdog":
            found = {"enabled": (False, line.number)}
        elif line.text == "priority-flow-control pause watchdog":
            found.setdefault("enabled", (True, line.number))
        elif (rest := line.text_after("priority-flow-control pause watchdog port action")) is not None:
            found["action"] = (rest, line.number)
        elif (rest := line.text_after("priority-flow-control pause watchdog port timer")) is not None:
            match = re.match(r"timeout (\S+) polling-interval \S+ recovery-time (\S+)", rest)
            found["timeout"] = (seconds_of(match[1]) if match else None, line.number)
            found["recovery-time"] = (seconds_of(match[2]) if match else None, line.number)
    if "enabled" not in found:
        return {}
    enabled, number = found.pop("enabled")
    if not enabled:
        return {"port.qos.watchdog.enabled": (False, number)}
    found = {**shared.watchdog, **found}
    # Without an action the port only stops reacting to pauses, which is to go on sending.
    word, line_number = found.get("action", ("no-drop", number))
    action: WatchdogAction | None = ACTIONS.get(word)
    effective: Found = {
        "port.qos.watchdog.enabled": ("timeout" in found, number),
        "port.qos.watchdog.action": (action, line_number),
    }
    for key, path in (("timeout", "port.qos.watchdog.detect"), ("recovery-time", "port.qos.watchdog.restore")):
        if key in found:
            effective[path] = found[key]
    return effective


def _queues(place: Place, lines: list[Line], number: int, output: Output) -> Iterator[Observation]:
    blocks: dict[int, tuple[int, list[Line]]] = {queue: (number, []) for queue in range(8)}
    for line in lines:
        if match := re.fullmatch(r"(?:uc-)?tx-queue ([0-7])", line.text):
            blocks[int(match[1])] = (line.number, [*blocks[int(match[1])][1], *line.inner])
    for queue, (at, inner) in blocks.items():
        at_queue = place.child("queue", str(queue))
        found = _queue(inner, at)
        if "queue.discipline" not in found:  # no source confirms strict as the default
            yield from observe_settings(at_queue, {"queue.discipline": (Discipline.STRICT, at)}, output, State.ASSUMED)
        yield from observe_settings(at_queue, found, output)


def _queue(lines: list[Line], number: int) -> Found:
    found: Found = {"queue.ecn.enabled": (False, number)}
    for line in lines:
        if line.text in ("no priority", "priority strict"):
            discipline = Discipline.DWRR if line.text == "no priority" else Discipline.STRICT
            found["queue.discipline"] = (discipline, line.number)
        elif match := re.fullmatch(r"bandwidth (guaranteed )?percent ([0-9]{1,3})", line.text):
            found["queue.guaranteed" if match[1] else "queue.weight"] = (int(match[2]), line.number)
        elif (rest := line.text_after("shape rate")) is not None:
            found["queue.shape"] = (parse_shape(rest), line.number)
        elif (rest := line.text_after("random-detect ecn")) is not None and rest != "count":
            found.update(_thresholds(rest, line.number))
    return found


def _thresholds(rest: str, line: int) -> Found:
    """Thresholds in time or in segments of a chip are known to mark; how many bytes they are is not."""
    match = _THRESHOLDS.fullmatch(rest)
    if match is None:
        return {"queue.ecn.enabled": (None, line)}
    low, low_unit, high, high_unit, probability = match.groups()
    found: Found = {"queue.ecn.enabled": (True, line)}
    if low_unit in _UNITS and high_unit in _UNITS:
        found["queue.ecn.minimum"] = (Size(int(low) * _UNITS[low_unit]), line)
        found["queue.ecn.maximum"] = (Size(int(high) * _UNITS[high_unit]), line)
    if probability is not None:
        found["queue.ecn.probability"] = (int(probability), line)
    return found
