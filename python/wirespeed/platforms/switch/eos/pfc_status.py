"""``show priority-flow-control status``: priorities, and the watchdog's values in effect.

Form: Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, PFC on EOS. It prints times with one
decimal, so that a configured time that is printed so is taken as configured. "Override action drop" makes every stuck
queue drop, whatever action is configured (Arista AVD's schema, priority_flow_control.watchdog). "Global PFC" is
not read: that document prints Disabled above ports that have PFC enabled and count pauses, although intel/intelRSD
(PSME, eos_eapi, show_priority_flow_control_parser.cpp) takes it for the switch of all ports. Nor is the word for the
action of a switch without one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from wirespeed.facts import Observation
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.config_reader import ReadValues, observe_settings
from wirespeed.platforms.switch.eos.interfaces import long_name
from wirespeed.platforms.switch.eos.qos import parse_seconds
from wirespeed.platforms.switch.eos.values import ACTIONS
from wirespeed.settings import Place, Priority, WatchdogAction, WatchdogRecovery
from wirespeed.units import Duration

# Port, enabled or not, active, watchdog, priorities, action, timeout, recovery with mode, polling as set and in effect.
_PORT = re.compile(
    r"(?P<port>Et[0-9/]+) +(?P<enabled>[ED]) +(?P<active>[A-]) +(?P<watchdog>[W-]) +(?P<priorities>[0-7]*) +"
    r"(?P<action>\S+) +(?P<timeout>\S+) +(?P<recovery>\S+) / (?P<mode>\S+) +"
    r"(?P<poll>\S+) / (?P<poll_in_effect>\S+)"
)
_PRIORITIES = {
    "The hardware supports PFC on priorities ": "switch.pfc_priorities",
    "PFC receive processing is enabled on priorities ": "switch.pfc_receive_priorities",
}
_GLOBAL = re.compile(
    r"The PFC watchdog (timeout|recovery-time|polling-interval|action|override action drop) is (\S+)(.*)"
)
_ENABLED, _DETECT, _RESTORE, _RECOVERY, _ACTION, _POLL = (
    f"port.qos.watchdog.{field}" for field in ("enabled", "detect", "restore", "recovery", "action", "poll")
)
_HALF_DIGIT = Duration.parse("50 ms")
"""Half of the last digit printed."""

Configured = Mapping[tuple[Place, str], Any]
"""Values of the running configuration."""


def pfc_status(switch: Place, output: Output, configured: Configured) -> Iterator[Observation]:
    """The capabilities of the switch, each port's priorities in effect, and watchdog values other than configured."""
    global_values: ReadValues = {}
    for number, line in enumerate(output.text.split("\n"), start=1):
        for opening, path in _PRIORITIES.items():
            if line.startswith(opening) and (priorities := _parse_priorities(line.removeprefix(opening))) is not None:
                yield from observe_settings(switch, {path: (priorities, number)}, output)
        if (match := _GLOBAL.match(line)) is not None:
            global_values |= _read_global(match, number)
        if (match := _PORT.match(line)) is not None and (name := long_name(match["port"])) is not None:
            yield from _read_port(switch.child("port", name), match, number, global_values, output, configured)
    if _POLL in global_values:
        polls: ReadValues = {"switch.watchdog_poll": global_values[_POLL]}
        if (switch, "switch.watchdog_poll") in configured:
            polls = _select_changed(switch, polls, configured)
        yield from observe_settings(switch, polls, output)


def _parse_priorities(text: str) -> frozenset[Priority] | None:
    words = text.split()
    return frozenset(map(Priority, map(int, words))) if all(re.fullmatch("[0-7]", word) for word in words) else None


def _read_global(match: re.Match[str], number: int) -> ReadValues:
    kind, word, suffix = match.groups()
    if kind == "action":
        return {_ACTION: (ACTIONS.get(word), number)}
    if kind == "override action drop":
        return {"override": (True, number)} if word == "true" else {}
    time = parse_seconds(word)
    if kind == "polling-interval":
        return {_POLL: (time, number)}
    if kind == "timeout":
        return {_DETECT: (time, number)}
    mode = re.search(r"\((auto|forced)\)", suffix)
    return {_RESTORE: (time, number), _RECOVERY: (WatchdogRecovery(mode[1]) if mode else None, number)}


def _read_port(
    port: Place, match: re.Match[str], number: int, global_values: ReadValues, output: Output, configured: Configured
) -> Iterator[Observation]:
    priorities = frozenset(map(Priority, map(int, match["priorities"]))) if match["enabled"] == "E" else frozenset()
    read_values: ReadValues = {
        "port.qos.pfc": (priorities, number),
        "port.qos.pfc_active": (match["active"] == "A", number),
        "port.qos.watchdog.active": (match["watchdog"] == "W", number),
    }
    yield from observe_settings(port, read_values, output)
    # A dash is the value of the whole switch.
    watchdog: ReadValues = {path: value for path, value in global_values.items() if path != "override"}
    if match["action"] != "-":
        watchdog[_ACTION] = (ACTIONS.get(match["action"]), number)
    if match["timeout"] != "-":
        watchdog[_DETECT] = (parse_seconds(match["timeout"]), number)
    if match["recovery"] != "-":
        watchdog[_RESTORE] = (parse_seconds(match["recovery"]), number)
    if match["mode"] in ("auto", "forced"):
        watchdog[_RECOVERY] = (WatchdogRecovery(match["mode"]), number)
    if (poll := match["poll"] if match["poll_in_effect"] == "-" else match["poll_in_effect"]) != "-":
        watchdog[_POLL] = (parse_seconds(poll), number)
    if "override" in global_values:
        watchdog[_ACTION] = (WatchdogAction.DROP, global_values["override"][1])
    changed = _select_changed(port, watchdog, configured)
    if _DETECT in changed and not changed[_DETECT][0]:
        changed = {_ENABLED: (False, changed[_DETECT][1])}  # no timeout, no watchdog
    elif configured.get((port, _ENABLED)) is True:
        defaults = {path: value for path, value in watchdog.items() if (port, path) not in configured}
        changed = {**defaults, **changed}
    yield from observe_settings(port, changed, output)


def _select_changed(place: Place, read_values: ReadValues, configured: Configured) -> ReadValues:
    """The values that differ from the configured ones by more than their last digit; none without a configured one."""
    return {
        path: (value, line)
        for path, (value, line) in read_values.items()
        if (place, path) in configured and not _is_printed_so(configured[place, path], value)
    }


def _is_printed_so(configured: Any, printed: Any) -> bool:
    if isinstance(configured, Duration) and isinstance(printed, Duration):
        return abs(int(configured) - int(printed)) <= int(_HALF_DIGIT)
    return bool(configured == printed)
