"""The quality-of-service lines of a profile and of an interface, which are the same lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wirespeed.facts import Observation, State
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.config_reader import (
    BYTE_UNITS,
    Reader,
    ReadValues,
    choice,
    find_smallest_shape,
    flag,
    observe_settings,
    read_settings,
    set_defaults,
)
from wirespeed.platforms.switch.eos.values import ACTIONS, parse_shape
from wirespeed.platforms.switch.indented_config import Line, lines_after
from wirespeed.settings import (
    Discipline,
    Dscp,
    Place,
    Priority,
    SwitchQueue,
    SwitchTrafficClass,
    WatchdogAction,
    WatchdogRecovery,
)
from wirespeed.units import Bandwidth, Duration, Size

DscpMap = tuple[Mapping[Dscp, SwitchTrafficClass], int | None]
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
    watchdog: ReadValues
    poll: tuple[Any, int] | None


def parse_seconds(word: str) -> Duration | None:
    """A number of seconds, as the watchdog's times are printed."""
    try:
        return Duration.parse(f"{word} s")
    except ValueError:
        return None


def port_qos(
    place: Place, line: Line, is_routed: bool, global_settings: Globals, output: Output
) -> Iterator[Observation]:
    """Settings in effect on a port: the lines of its profile, then those of the port. Empty if its profile is not
    defined."""
    lines = list(line.inner)
    number = line.number
    for inner, name in lines_after(line.inner, "service-profile"):
        if name not in global_settings.profiles:
            return
        lines = [*global_settings.profiles[name].inner, *lines]
        number = inner.number
    read_values = read_settings(lines, _TRUST)
    # EOS 4.36 user guide: a routed port trusts DSCP, a switched one the 802.1p priority.
    set_defaults(read_values, {"port.qos.trust": "dscp" if is_routed else "dot1p"}, number)
    has_policy = any(lines_after(lines, "service-policy type qos input"))  # its classes set traffic classes, too
    if read_values["port.qos.trust"][0] == "dscp" and global_settings.dscp_tc is not None and not has_policy:
        read_values["port.qos.dscp_tc"] = (global_settings.dscp_tc[0], global_settings.dscp_tc[1] or number)
    if global_settings.tc_queue is not None:
        read_values["port.qos.tc_queue"] = (global_settings.tc_queue[0], global_settings.tc_queue[1] or number)
    if global_settings.tc_dscp is not None:
        read_values["port.qos.tc_dscp"] = global_settings.tc_dscp
    read_values["port.qos.pfc_queue"] = (
        {priority: SwitchQueue(int(priority)) for priority in map(Priority, range(8))},
        number,
    )
    yield from observe_settings(place, read_values, output)
    # "show priority-flow-control status" shows what is in effect: DCBX can change it.
    configured_values = {"port.qos.pfc": _read_pfc(lines, number), **_read_watchdog(lines, global_settings)}
    yield from observe_settings(place, configured_values, output, State.CONFIGURED)
    yield from _read_queues(place, lines, number, output)


def _read_pfc(lines: list[Line], number: int) -> tuple[frozenset[Priority] | None, int]:
    enabled = False
    lossless: set[Priority] = set()
    removal = next((line for line in reversed(lines) if line.text == "no priority-flow-control"), None)
    if removal is not None:
        lines, number = lines[lines.index(removal) :], removal.number
    for line, argument in lines_after(lines, "priority-flow-control"):
        # "mode on" is the older form: intel/intelRSD, PSME/agent/network/src/hal/eos_eapi, set_port_pfc_enabled.cpp
        if argument in ("on", "mode on"):
            enabled, number = True, line.number
        elif match := re.fullmatch(r"priority ([0-7]) (no-drop|drop)", argument):
            change = lossless.add if match[2] == "no-drop" else lossless.discard
            change(Priority(int(match[1])))
            number = line.number
        elif argument.startswith("priority"):
            return None, line.number
    return (frozenset(lossless) if enabled else frozenset()), number


def _read_watchdog(lines: list[Line], global_settings: Globals) -> ReadValues:
    """A port without a line about its watchdog has that of the switch; nothing if there is none.

    Source: Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, PFC Watchdog, whose lines are those
    of the switch alone.
    """
    read_values: ReadValues = {}
    for line in lines:
        if line.text == "no priority-flow-control pause watchdog":
            read_values = {"enabled": (False, line.number)}
        elif line.text == "priority-flow-control pause watchdog":
            read_values.setdefault("enabled", (True, line.number))
        elif (argument := line.text_after("priority-flow-control pause watchdog port action")) is not None:
            read_values["action"] = (argument, line.number)
        elif (argument := line.text_after("priority-flow-control pause watchdog port timer")) is not None:
            match = re.fullmatch(r"timeout (\S+) polling-interval (\S+) recovery-time (\S+)( forced)?", argument)
            times = match.groups()[:3] if match else ("", "", "")
            for key, time in zip(("timeout", "polling-interval", "recovery-time"), times, strict=True):
                read_values[key] = (parse_seconds(time), line.number)  # none of "auto": the PFC status has its interval
            recovery = WatchdogRecovery.FORCED if match and match[4] else WatchdogRecovery.AUTO
            read_values["recovery"] = (recovery if match else None, line.number)
    if "enabled" not in read_values and "timeout" in global_settings.watchdog:
        read_values["enabled"] = (True, global_settings.watchdog["timeout"][1])
    if "enabled" not in read_values:
        return {}
    enabled, number = read_values.pop("enabled")
    if not enabled:
        return {"port.qos.watchdog.enabled": (False, number)}
    common = {} if global_settings.poll is None else {"polling-interval": global_settings.poll}
    read_values = {**global_settings.watchdog, **common, **read_values}
    # Without an action the port only stops reacting to pauses, which is to continue sending.
    action: tuple[WatchdogAction | None, int] = (WatchdogAction.FORWARD, number)
    if "override" in read_values:
        action = (WatchdogAction.DROP, read_values["override"][1])
    elif "action" in read_values:
        word, line_number = read_values["action"]
        action = (ACTIONS.get(word), line_number)
    effective: ReadValues = {
        "port.qos.watchdog.enabled": ("timeout" in read_values, number),
        "port.qos.watchdog.action": action,
    }
    paths = {"timeout": "detect", "recovery-time": "restore", "recovery": "recovery", "polling-interval": "poll"}
    for key, path in ((key, f"port.qos.watchdog.{field}") for key, field in paths.items()):
        if key in read_values:
            effective[path] = read_values[key]
    return effective


def _read_queues(place: Place, lines: list[Line], number: int, output: Output) -> Iterator[Observation]:
    blocks: dict[int, tuple[int, list[Line]]] = {queue: (number, []) for queue in range(8)}
    port_shape: tuple[Bandwidth | None, int] = (Bandwidth(0), 0)
    for line in lines:
        if (argument := line.text_after("shape rate")) is not None:
            port_shape = (parse_shape(argument), line.number)
        if match := re.fullmatch(r"(?:uc-)?tx-queue ([0-7])", line.text):
            blocks[int(match[1])] = (line.number, [*blocks[int(match[1])][1], *line.inner])
    for queue, (line_number, inner) in blocks.items():
        at_queue = place.child("queue", str(queue))
        read_values = _read_queue(inner, line_number)
        queue_shape = read_values.get("queue.shape", (Bandwidth(0), 0))
        read_values["queue.shape"] = find_smallest_shape(queue_shape, port_shape)
        if "queue.discipline" not in read_values:  # no source confirms strict as the default
            yield from observe_settings(
                at_queue, {"queue.discipline": (Discipline.STRICT, line_number)}, output, State.ASSUMED
            )
        yield from observe_settings(at_queue, read_values, output)


def _read_queue(lines: list[Line], number: int) -> ReadValues:
    read_values: ReadValues = {"queue.ecn.enabled": (False, number), "queue.ecn_counter": (False, number)}
    for line in lines:
        if line.text in ("no priority", "priority strict"):
            discipline = Discipline.DWRR if line.text == "no priority" else Discipline.STRICT
            read_values["queue.discipline"] = (discipline, line.number)
        elif match := re.fullmatch(r"bandwidth (guaranteed )?percent ([0-9]{1,3})", line.text):
            read_values["queue.guaranteed" if match[1] else "queue.weight"] = (int(match[2]), line.number)
        elif (argument := line.text_after("shape rate")) is not None:
            read_values["queue.shape"] = (parse_shape(argument), line.number)
        elif line.text == "random-detect ecn count":
            read_values["queue.ecn_counter"] = (True, line.number)
        elif (argument := line.text_after("random-detect ecn")) is not None:
            read_values.update(_parse_thresholds(argument, line.number))
    return read_values


def _parse_thresholds(argument: str, line: int) -> ReadValues:
    """Thresholds in time or in segments of a chip are known to mark; how many bytes they are is not."""
    match = _THRESHOLDS.fullmatch(argument)
    if match is None:
        return {"queue.ecn.enabled": (None, line)}
    low, low_unit, high, high_unit, probability = match.groups()
    read_values: ReadValues = {"queue.ecn.enabled": (True, line)}
    if low_unit in BYTE_UNITS and high_unit in BYTE_UNITS:
        read_values["queue.ecn.minimum"] = (Size(int(low) * BYTE_UNITS[low_unit]), line)
        read_values["queue.ecn.maximum"] = (Size(int(high) * BYTE_UNITS[high_unit]), line)
    if probability is not None:
        read_values["queue.ecn.probability"] = (int(probability), line)
    return read_values
