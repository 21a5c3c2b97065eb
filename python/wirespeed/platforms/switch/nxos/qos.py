"""Policies of a running configuration, and what is in effect on a port."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from wirespeed.facts import Observation
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.config_reader import Found, observe_settings, parse_number
from wirespeed.platforms.switch.indented_config import Line, lines_after, numbers
from wirespeed.platforms.switch.nxos.values import (
    DEFAULT_POLL,
    DEFAULT_RESTORE,
    DEFAULT_SHUTDOWN,
    marking,
    queue_of,
)
from wirespeed.settings import Discipline, Dscp, Place, Priority, SwitchQueue, SwitchTrafficClass, WatchdogAction
from wirespeed.units import Duration

_MS = 10**9
_WATCHDOG = "priority-flow-control watch-dog-interval"


@dataclass(frozen=True, slots=True)
class Globals:
    """Settings of the whole switch that apply to each of its ports."""

    maps: Mapping[str, tuple[Mapping[Dscp, SwitchTrafficClass], int] | None]  # qos policies; None: not understood
    system_input: tuple[str, int] | None
    queuing: Mapping[str, Line]
    system_queuing: tuple[str, int] | None
    paused: Mapping[Priority, SwitchQueue] | None  # None when the network-qos policy is not understood
    paused_line: int
    watched: bool
    times: Found  # paths of the watchdog


def globals_of(top: list[Line]) -> Globals:
    """The policies, and what ``system qos`` binds."""
    bound = {
        kind: (rest.removesuffix(" no-stats"), inner.number)
        for line in top
        if line.text == "system qos"
        for kind in ("type qos input", "type queuing output", "type network-qos")
        for inner, rest in lines_after(line.inner, f"service-policy {kind}")
    }
    paused, at = _paused_queues(top, bound.get("type network-qos"))
    return Globals(
        maps=_maps(top),
        system_input=bound.get("type qos input"),
        queuing={name: line for line, name in lines_after(top, "policy-map type queuing")},
        system_queuing=bound.get("type queuing output"),
        paused=paused,
        paused_line=at,
        watched=any(line.text == f"{_WATCHDOG} on" for line in top),
        times=_times(top),
    )


def port_qos(place: Place, line: Line, shared: Globals, output: Output) -> Iterator[Observation]:
    """What is in effect on a port: what it is bound to, else what the system is bound to."""
    found: Found = {}
    bound = _bound(line, "type qos input") or shared.system_input
    if bound is None:
        found["port.qos.trust"] = ("none", line.number)
    elif (classified := shared.maps.get(bound[0])) is not None:
        found["port.qos.trust"] = ("dscp", bound[1])
        found["port.qos.dscp_tc"] = classified
    found["port.qos.tc_queue"] = (
        {SwitchTrafficClass(number): SwitchQueue(number) for number in range(8)},
        line.number,
    )
    found.update(_pfc(line, shared))
    found.update(_watchdog(line, shared))
    yield from observe_settings(place, found, output)
    queuing = _bound(line, "type queuing output") or shared.system_queuing
    if queuing is not None and queuing[0] in shared.queuing:
        yield from _queues(place, shared.queuing[queuing[0]], output)


def _bound(line: Line, kind: str) -> tuple[str, int] | None:
    bound = ((rest, inner.number) for inner, rest in lines_after(line.inner, f"service-policy {kind}"))
    return next(((name.removesuffix(" no-stats"), number) for name, number in bound), None)


def _maps(top: list[Line]) -> dict[str, tuple[Mapping[Dscp, SwitchTrafficClass], int] | None]:
    classes: dict[str, list[int] | None] = {}
    for line, rest in lines_after(top, "class-map type qos"):
        listed = [numbers(inner.text_after("match dscp") or "") for inner in line.inner]
        understood = [dscps for dscps in listed if dscps is not None and max(dscps) < 64]
        complete = bool(listed) and len(understood) == len(listed) and (len(listed) == 1 or " match-any" in f" {rest}")
        classes[rest.split()[-1]] = [dscp for dscps in understood for dscp in dscps] if complete else None
    return {name: _map(line, classes) for line, name in lines_after(top, "policy-map type qos")}


def _map(policy: Line, classes: Mapping[str, list[int] | None]) -> tuple[Mapping[Dscp, SwitchTrafficClass], int] | None:
    """The first class that matches a packet has it; what none matches goes to group 0."""
    found: dict[Dscp, SwitchTrafficClass] = {}
    for inner, rest in lines_after(policy.inner, "class"):
        name = rest.removeprefix("type qos ").strip()
        groups = [match[1] for action in inner.inner if (match := re.fullmatch(r"set qos-group ([0-7])", action.text))]
        dscps = list(range(64)) if name == "class-default" else classes.get(name)
        if dscps is None or len(groups) > 1 or (not groups and name != "class-default"):
            return None
        for dscp in dscps:
            found.setdefault(Dscp(dscp), SwitchTrafficClass(int(groups[0]) if groups else 0))
    return {Dscp(dscp): found.get(Dscp(dscp), SwitchTrafficClass(0)) for dscp in range(64)}, policy.number


def _paused_queues(top: list[Line], bound: tuple[str, int] | None) -> tuple[Mapping[Priority, SwitchQueue] | None, int]:
    """Lossless priorities with their queues. The system's own policy, when nothing is bound, has none."""
    if bound is None:
        return {}, 0
    policy = next((line for line, name in lines_after(top, "policy-map type network-qos") if name == bound[0]), None)
    if policy is None:
        return None, bound[1]
    found: dict[Priority, SwitchQueue] = {}
    at = policy.number
    for inner, name in lines_after(policy.inner, "class type network-qos"):
        queue = queue_of(name, "c-8q-nq")
        for inner_line, rest in lines_after(inner.inner, "pause"):
            match = re.fullmatch(r"pfc-cos ([0-7])", rest)
            if match is None or queue is None:
                return None, inner_line.number
            found[Priority(int(match[1]))] = SwitchQueue(queue)
            at = inner_line.number
    return found, at


def _pfc(line: Line, shared: Globals) -> Found:
    """``auto``, the default, depends on the neighbour: then the state of PFC is unknown."""
    mode = next(((rest, inner.number) for inner, rest in lines_after(line.inner, "priority-flow-control mode")), None)
    if mode is not None and mode[0] == "off":
        return {"port.qos.pfc": (frozenset(), mode[1])}
    if shared.paused is None:
        return {}
    found: Found = {"port.qos.pfc_queue": (shared.paused, shared.paused_line or line.number)}
    if mode is not None and mode[0] == "on":
        found["port.qos.pfc"] = (frozenset(shared.paused), shared.paused_line or mode[1])
    return found


def _times(top: list[Line]) -> Found:
    """The interval the watchdog looks at, and the multiples of it after which it acts and relents."""
    times = {"watch-dog interval": DEFAULT_POLL, "watch-dog shutdown-multiplier": DEFAULT_SHUTDOWN}
    times["auto-restore multiplier"] = DEFAULT_RESTORE
    at = dict.fromkeys(times, 0)
    for words in times:
        for line, rest in lines_after(top, f"priority-flow-control {words}"):
            number = parse_number(rest)
            if number is None:
                return {}
            times[words], at[words] = number, line.number
    poll = times["watch-dog interval"]
    paths = {
        "switch.watchdog_poll": (poll, "watch-dog interval"),
        "port.qos.watchdog.detect": (poll * times["watch-dog shutdown-multiplier"], "watch-dog shutdown-multiplier"),
        "port.qos.watchdog.restore": (poll * times["auto-restore multiplier"], "auto-restore multiplier"),
    }
    return {path: (Duration(number * _MS), at[words]) for path, (number, words) in paths.items()}


def _watchdog(line: Line, shared: Globals) -> Found:
    """The watchdog is enabled if the lines of both switch and port enable it."""
    mode = next(((rest, inner.number) for inner, rest in lines_after(line.inner, _WATCHDOG)), ("off", line.number))
    if not shared.watched or not mode[0].startswith("on"):
        return {"port.qos.watchdog.enabled": (False, mode[1])}
    action = WatchdogAction.ALERT if mode[0] == "on disable-action" else WatchdogAction.DROP
    times = {path: value for path, value in shared.times.items() if path.startswith("port.")}
    return {
        "port.qos.watchdog.enabled": (True, mode[1]),
        "port.qos.watchdog.action": (action if mode[0] in ("on", "on disable-action") else None, mode[1]),
        **times,
    }


def _queues(place: Place, policy: Line, output: Output) -> Iterator[Observation]:
    for inner, name in lines_after(policy.inner, "class type queuing"):
        queue = queue_of(name, "c-out-8q-q")
        if queue is not None:
            yield from observe_settings(place.child("queue", str(queue)), _queue(inner), output)


def _queue(line: Line) -> Found:
    found: Found = {"queue.ecn.enabled": (False, line.number)}
    for inner in line.inner:
        if match := re.fullmatch(r"bandwidth remaining percent ([0-9]{1,3})", inner.text):
            found["queue.discipline"] = (Discipline.DWRR, inner.number)
            found["queue.weight"] = (int(match[1]), inner.number)
        elif re.fullmatch(r"priority( level [1-8])?", inner.text):
            found["queue.discipline"] = (Discipline.STRICT, inner.number)
        elif (rest := inner.text_after("random-detect")) is not None:
            ecn = marking(rest)
            found["queue.ecn.enabled"] = (ecn and ecn.enabled, inner.number)
            if ecn is not None and ecn.enabled:
                found["queue.ecn.minimum"] = (ecn.minimum, inner.number)
                found["queue.ecn.maximum"] = (ecn.maximum, inner.number)
                found["queue.ecn.probability"] = (ecn.probability, inner.number)
    return found
