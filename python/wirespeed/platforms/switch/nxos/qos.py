"""Policies of a running configuration, and the settings in effect on a port."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from wirespeed.facts import Observation, State
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.config_reader import ReadValues, observe_settings, parse_number
from wirespeed.platforms.switch.indented_config import Line, lines_after, numbers
from wirespeed.platforms.switch.nxos.values import (
    DEFAULT_CLASS_MTU,
    DEFAULT_POLL,
    DEFAULT_RESTORE,
    DEFAULT_SHUTDOWN,
    marking,
    parse_queue,
    parse_shape,
)
from wirespeed.settings import Discipline, Dscp, Place, Priority, SwitchQueue, SwitchTrafficClass, WatchdogAction
from wirespeed.units import Bandwidth, Duration

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
    class_mtu: ReadValues  # path of the MTU of all classes
    watched: bool
    times: ReadValues  # paths of the watchdog


def read_globals(top: list[Line]) -> Globals:
    """The policies, and the bindings of ``system qos``."""
    bound = {
        kind: (argument.removesuffix(" no-stats"), inner.number)
        for line in top
        if line.text == "system qos"
        for kind in ("type qos input", "type queuing output", "type network-qos")
        for inner, argument in lines_after(line.inner, f"service-policy {kind}")
    }
    paused_queues, line_number = _list_paused_queues(top, bound.get("type network-qos"))
    return Globals(
        maps=_read_maps(top),
        system_input=bound.get("type qos input"),
        queuing={name: line for line, name in lines_after(top, "policy-map type queuing")},
        system_queuing=bound.get("type queuing output"),
        paused=paused_queues,
        paused_line=line_number,
        class_mtu=_read_class_mtu(top, bound.get("type network-qos")),
        watched=any(line.text == f"{_WATCHDOG} on" for line in top),
        times=_read_times(top),
    )


def port_qos(place: Place, line: Line, global_settings: Globals, output: Output) -> Iterator[Observation]:
    """Settings in effect on a port: from the policies of the port, else from those of the system."""
    read_values: ReadValues = {}
    bound = _read_bound(line, "type qos input") or global_settings.system_input
    if bound is None:
        read_values["port.qos.trust"] = ("none", line.number)
    elif (class_map := global_settings.maps.get(bound[0])) is not None:
        read_values["port.qos.trust"] = ("dscp", bound[1])
        read_values["port.qos.dscp_tc"] = class_map
    read_values["port.qos.tc_queue"] = (
        {SwitchTrafficClass(number): SwitchQueue(number) for number in range(8)},
        line.number,
    )
    read_values.update(_read_pfc(line, global_settings))
    yield from observe_settings(place, read_values, output)
    # "show queuing pfc-queue detail" shows what is in effect.
    yield from observe_settings(place, _read_watchdog(line, global_settings), output, State.CONFIGURED)
    queuing_policy = _read_bound(line, "type queuing output") or global_settings.system_queuing
    if queuing_policy is not None and queuing_policy[0] in global_settings.queuing:
        yield from _read_queues(place, global_settings.queuing[queuing_policy[0]], output)


def _read_bound(line: Line, kind: str) -> tuple[str, int] | None:
    bound = ((argument, inner.number) for inner, argument in lines_after(line.inner, f"service-policy {kind}"))
    return next(((name.removesuffix(" no-stats"), number) for name, number in bound), None)


def _read_maps(top: list[Line]) -> dict[str, tuple[Mapping[Dscp, SwitchTrafficClass], int] | None]:
    classes: dict[str, list[int] | None] = {}
    for line, argument in lines_after(top, "class-map type qos"):
        if not argument:
            continue
        members = [numbers(inner.text_after("match dscp") or "") for inner in line.inner]
        known_sets = [dscps for dscps in members if dscps is not None and max(dscps) < 64]
        complete = (
            bool(members) and len(known_sets) == len(members) and (len(members) == 1 or " match-any" in f" {argument}")
        )
        classes[argument.split()[-1]] = [dscp for dscps in known_sets for dscp in dscps] if complete else None
    return {name: _read_map(line, classes) for line, name in lines_after(top, "policy-map type qos")}


def _read_map(
    policy: Line, classes: Mapping[str, list[int] | None]
) -> tuple[Mapping[Dscp, SwitchTrafficClass], int] | None:
    """The first matching class of a packet applies; unmatched packets use group 0."""
    read_values: dict[Dscp, SwitchTrafficClass] = {}
    for inner, argument in lines_after(policy.inner, "class"):
        name = argument.removeprefix("type qos ").strip()
        groups = [match[1] for action in inner.inner if (match := re.fullmatch(r"set qos-group ([0-7])", action.text))]
        dscps = list(range(64)) if name == "class-default" else classes.get(name)
        if dscps is None or len(groups) > 1 or (not groups and name != "class-default"):
            return None
        for dscp in dscps:
            read_values.setdefault(Dscp(dscp), SwitchTrafficClass(int(groups[0]) if groups else 0))
    return {Dscp(dscp): read_values.get(Dscp(dscp), SwitchTrafficClass(0)) for dscp in range(64)}, policy.number


def _read_class_mtu(top: list[Line], bound: tuple[str, int] | None) -> ReadValues:
    """The least MTU of the classes in effect; one without a line has the default."""
    policies = {name: line for line, name in lines_after(top, "policy-map type network-qos")}
    if bound is None or bound[0] not in policies:
        return {}
    mtus: list[tuple[int, int]] = []
    for inner, _ in lines_after(policies[bound[0]].inner, "class type network-qos"):
        lines = [(parse_number(text), line.number) for line, text in lines_after(inner.inner, "mtu")]
        if any(mtu is None for mtu, _ in lines):
            return {}
        mtus += [(mtu, number) for mtu, number in lines if mtu is not None] or [(DEFAULT_CLASS_MTU, inner.number)]
    return {"switch.class_mtu": min(mtus)} if mtus else {}


def _list_paused_queues(
    top: list[Line], bound: tuple[str, int] | None
) -> tuple[Mapping[Priority, SwitchQueue] | None, int]:
    """Lossless priorities with their queues. The default policy of the system has none."""
    if bound is None:
        return {}, 0
    policy = next((line for line, name in lines_after(top, "policy-map type network-qos") if name == bound[0]), None)
    if policy is None:
        return None, bound[1]
    read_values: dict[Priority, SwitchQueue] = {}
    line_number = policy.number
    for inner, name in lines_after(policy.inner, "class type network-qos"):
        queue = parse_queue(name, "c-8q-nq")
        for inner_line, argument in lines_after(inner.inner, "pause"):
            match = re.fullmatch(r"pfc-cos ([0-7])", argument)
            if match is None or queue is None:
                return None, inner_line.number
            read_values[Priority(int(match[1]))] = SwitchQueue(queue)
            line_number = inner_line.number
    return read_values, line_number


def _read_pfc(line: Line, global_settings: Globals) -> ReadValues:
    """``auto``, the default, depends on the neighbour: then the state of PFC is unknown."""
    mode = next(
        ((argument, inner.number) for inner, argument in lines_after(line.inner, "priority-flow-control mode")), None
    )
    if mode is not None and mode[0] == "off":
        return {"port.qos.pfc": (frozenset(), mode[1])}
    if global_settings.paused is None:
        return {}
    read_values: ReadValues = {
        "port.qos.pfc_queue": (global_settings.paused, global_settings.paused_line or line.number)
    }
    if mode is not None and mode[0] == "on":
        read_values["port.qos.pfc"] = (frozenset(global_settings.paused), global_settings.paused_line or mode[1])
    return read_values


def _read_times(top: list[Line]) -> ReadValues:
    """The interval the watchdog looks at, and the multiples of it after which it acts and relents."""
    times = {"watch-dog interval": DEFAULT_POLL, "watch-dog shutdown-multiplier": DEFAULT_SHUTDOWN}
    times["auto-restore multiplier"] = DEFAULT_RESTORE
    line_number = dict.fromkeys(times, 0)
    for words in times:
        for line, argument in lines_after(top, f"priority-flow-control {words}"):
            number = parse_number(argument)
            if number is None:
                return {}
            times[words], line_number[words] = number, line.number
    poll = times["watch-dog interval"]
    paths = {
        "switch.watchdog_poll": (poll, "watch-dog interval"),
        "port.qos.watchdog.detect": (poll * times["watch-dog shutdown-multiplier"], "watch-dog shutdown-multiplier"),
        "port.qos.watchdog.restore": (poll * times["auto-restore multiplier"], "auto-restore multiplier"),
    }
    return {path: (Duration.from_unit(number, "ms"), line_number[words]) for path, (number, words) in paths.items()}


def _read_watchdog(line: Line, global_settings: Globals) -> ReadValues:
    """The watchdog is enabled if the lines of both switch and port enable it."""
    mode = next(
        ((argument, inner.number) for inner, argument in lines_after(line.inner, _WATCHDOG)), ("off", line.number)
    )
    if not global_settings.watched or not mode[0].startswith("on"):
        return {"port.qos.watchdog.enabled": (False, mode[1])}
    action = WatchdogAction.ALERT if mode[0] == "on disable-action" else WatchdogAction.DROP
    times = {path: value for path, value in global_settings.times.items() if path.startswith("port.")}
    return {
        "port.qos.watchdog.enabled": (True, mode[1]),
        "port.qos.watchdog.action": (action if mode[0] in ("on", "on disable-action") else None, mode[1]),
        **times,
    }


def _read_queues(place: Place, policy: Line, output: Output) -> Iterator[Observation]:
    for inner, name in lines_after(policy.inner, "class type queuing"):
        queue = parse_queue(name, "c-out-8q-q")
        if queue is not None:
            yield from observe_settings(place.child("queue", str(queue)), _read_queue(inner), output)


def _read_queue(line: Line) -> ReadValues:
    read_values: ReadValues = {
        "queue.ecn.enabled": (False, line.number),
        "queue.shape": (Bandwidth(0), 0),
    }
    for inner in line.inner:
        if match := re.fullmatch(r"bandwidth remaining percent ([0-9]{1,3})", inner.text):
            read_values["queue.discipline"] = (Discipline.DWRR, inner.number)
            read_values["queue.weight"] = (int(match[1]), inner.number)
        elif re.fullmatch(r"priority( level [1-8])?", inner.text):
            read_values["queue.discipline"] = (Discipline.STRICT, inner.number)
        elif (argument := inner.text_after("shape")) is not None:
            read_values["queue.shape"] = (parse_shape(argument), inner.number)
        elif (argument := inner.text_after("random-detect")) is not None:
            ecn = marking(argument)
            read_values["queue.ecn.enabled"] = (ecn and ecn.enabled, inner.number)
            if ecn is not None and ecn.enabled:
                read_values["queue.ecn.minimum"] = (ecn.minimum, inner.number)
                read_values["queue.ecn.maximum"] = (ecn.maximum, inner.number)
                read_values["queue.ecn.probability"] = (ecn.probability, inner.number)
    return read_values
