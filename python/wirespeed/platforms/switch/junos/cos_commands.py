"""Changes of class of service, with the names of the planned profiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from wirespeed.platforms.switch.junos.classes import (
    ClassOfService,
    Scheduler,
    class_of_service,
    dscp_bits,
    priority_bits,
)
from wirespeed.settings import Discipline, Port, Switch

_COS = "class-of-service"


def cos_lines(port: str, queue: str | None, path: str, value: Any, switch: Switch) -> list[str] | None:
    """The statements that set one setting. None if no statement does."""
    cos = class_of_service(switch)
    bound = next((bound_port for bound_port in cos.bound if bound_port.interface in ("et-*", port)), None)
    if bound is None:
        return None
    if queue is not None:
        return None if bound.scheduler_map is None else _format_queue(cos, bound.scheduler_map, int(queue), path, value)
    interface = f"set {_COS} interfaces {bound.interface}"
    if path in ("port.qos.trust", "port.qos.dscp_tc"):
        if bound.classifier is None:
            return None
        applied_names = f"{interface} unit {bound.unit} classifiers dscp {bound.classifier}"
        points = value if isinstance(value, Mapping) else {}
        return [*_code_points(cos, bound.classifier, points), applied_names]
    if bound.profile is None:
        return None
    applied_names = f"{interface} congestion-notification-profile {bound.profile}"
    if path in ("port.qos.pfc", "port.qos.pfc_queue"):
        return [*_format_profile(cos, bound.profile, switch.ports[port], switch), applied_names]
    if _format_watchdog(path, value, switch) is None:
        return None
    qos = switch.ports[port].qos
    changed = replace(qos.watchdog, **{path.rpartition(".")[2]: value})
    planned_port = replace(switch.ports[port], qos=replace(qos, watchdog=changed))
    return [*_format_profile(cos, bound.profile, planned_port, switch), applied_names]


def _format_profile(cos: ClassOfService, name: str, port: Port, switch: Switch) -> list[str]:
    """A whole profile: a switch whose ports use a profile of another name gets a complete one."""
    profile = f"set {_COS} congestion-notification-profile {name}"
    qos = port.qos
    watchdog_lines = [
        f"{profile} pfc-watchdog{dog}"
        for setting in ("enabled", "detect", "restore")
        if (value := getattr(qos.watchdog, setting)) is not None
        and (dog := _format_watchdog(f"port.qos.watchdog.{setting}", value, switch)) is not None
    ]
    queue_lines = [
        f"{profile} output ieee-802.1 code-point {priority_bits(key)} flow-control-queue {int(queue)}"
        for key, queue in sorted((qos.pfc_queue or {}).items())
    ]
    return [*_format_pfc(cos, name), *queue_lines, *watchdog_lines]


def _code_points(cos: ClassOfService, classifier: str, points: Mapping[Any, Any]) -> list[str]:
    names = {class_.queue: class_.name for class_ in cos.classes}
    return [
        f"set {_COS} classifiers dscp {classifier} forwarding-class {names[int(tc)]} "
        f"loss-priority low code-points {dscp_bits(dscp)}"
        for dscp, tc in sorted(points.items())
        if int(tc) in names
    ]


def _format_pfc(cos: ClassOfService, name: str) -> list[str]:
    profile = next(profile for profile in cos.profiles if profile.name == name)
    return [
        *(
            f"set {_COS} forwarding-classes class {class_.name} queue-num {class_.queue} "
            f"no-loss pfc-priority {class_.pfc_priority}"
            for class_ in cos.classes
            if class_.pfc_priority is not None
        ),
        *(
            f"set {_COS} congestion-notification-profile {name} input dscp code-point {dscp_bits(dscp)} pfc"
            for dscp in profile.dscps
        ),
    ]


def _format_watchdog(path: str, value: Any, switch: Switch) -> str | None:
    match path:
        case "port.qos.watchdog.enabled":
            return "" if value else None
        case "port.qos.watchdog.restore":
            return f" recovery {value.milliseconds}"
        case "port.qos.watchdog.detect" if switch.watchdog_poll:
            return f" detection {int(value) // int(switch.watchdog_poll)}"
    return None


def _format_queue(cos: ClassOfService, map_name: str, number: int, path: str, value: Any) -> list[str] | None:
    schedulers = next(read_values for name, read_values in cos.maps if name == map_name)
    names = {class_.queue: class_.name for class_ in cos.classes}
    scheduler = next((scheduler for scheduler in schedulers if scheduler.forwarding_class == names.get(number)), None)
    if scheduler is None:
        return None
    priority_map = (
        f"set {_COS} scheduler-maps {map_name} forwarding-class {scheduler.forwarding_class} scheduler {scheduler.name}"
    )
    scheduler_path = f"set {_COS} schedulers {scheduler.name}"
    match path:
        case "queue.discipline":
            return [priority_map, f"{scheduler_path} priority {'strict-high' if value == Discipline.STRICT else 'low'}"]
        case "queue.weight":
            return [priority_map, f"{scheduler_path} transmit-rate percent {value}"]
        case "queue.ecn.enabled" if not value:
            return [f"delete {_COS} schedulers {scheduler.name} explicit-congestion-notification"]
    return _format_marking(scheduler, scheduler_path, path, value) if path.startswith("queue.ecn.") else None


def _format_marking(scheduler: Scheduler, scheduler_path: str, path: str, value: Any) -> list[str]:
    ecn = replace(scheduler.queue.ecn, **{path.rpartition(".")[2]: value})
    slope = f"{_COS} drop-profiles {scheduler.marking} interpolate"
    return [
        f"delete {slope}",  # what is set in a list is added to it
        f"set {slope} fill-level [ {ecn.minimum_fill} {ecn.maximum_fill} ] drop-probability [ 0 {ecn.probability} ]",
        f"{scheduler_path} drop-profile-map loss-priority any protocol any drop-profile {scheduler.marking}",
        f"{scheduler_path} explicit-congestion-notification",
    ]
