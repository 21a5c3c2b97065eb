"""Values for the NVUE templates: common settings of all ports, and settings that NVUE cannot configure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wirespeed.errors import Problem
from wirespeed.platforms.releases import parse_release
from wirespeed.platforms.switch.cumulus.commands import (
    BFD_PROFILE,
    DEFAULT_MTU,
    FEC_KEYWORDS,
    ROCE_PFC,
    ROCE_QUEUES,
    TRUST_KEYWORDS,
    choose_family,
)
from wirespeed.platforms.switch.cumulus.release_keywords import find_keywords
from wirespeed.platforms.switch.policies import find_invalid_texts, frozen, sort_ports
from wirespeed.platforms.switch.watchdog import check_milliseconds
from wirespeed.settings import Device, Port, PortQos, Queue, Switch, WatchdogAction

EXAMPLE_VERSION = "5.15.0"
_POLLS = range(100, 5001)  # ms
"""Range of `qos pfc-watchdog polling-interval` in NVIDIA's OpenAPI files of NVUE 5.6 to 5.18."""


@dataclass(frozen=True, slots=True)
class DefaultProfiles:
    """The ``default-global`` profiles, which apply to every port."""

    qos: PortQos
    queues: tuple[tuple[int, Queue], ...]
    cable_length: int | None  # metres, of the longest cable


def view(name: str, device: Device) -> Mapping[str, Any]:
    """Computed values for the templates; ``problems`` lists settings that NVUE cannot express."""
    if not isinstance(device, Switch):
        raise TypeError("a switch platform renders a Switch")
    global_settings = _default_profiles(device)
    poll = device.watchdog_poll
    detect = global_settings.qos.watchdog.detect
    keywords = find_keywords(device)
    has_watchdog = poll is not None or any(port.qos.watchdog.enabled is not None for port in device.ports.values())
    return {
        "problems": list(_find_problems(name, device)),
        "shared": global_settings,
        "roce_pfc": list(ROCE_PFC),
        "roce_classes": [number for number, queue in ROCE_QUEUES.items() if number and number == queue],
        "pfc": sorted(int(entry) for entry in global_settings.qos.pfc or ()),
        "trust": TRUST_KEYWORDS.get(global_settings.qos.trust or ""),
        "dscp": [
            (int(d), int(tc)) for d, tc in sorted((global_settings.qos.dscp_tc or {}).items()) if int(tc) != int(d) // 8
        ],
        "queue_map": [
            (int(tc), int(queue))
            for tc, queue in sorted((global_settings.qos.tc_queue or {}).items())
            if int(queue) != (ROCE_QUEUES[int(tc)] if global_settings.qos.pfc else int(tc))
        ],
        "robustness": int(detect) // int(poll) if detect is not None and poll else None,
        "poll": None if poll is None else poll.milliseconds,
        "ports": sort_ports(device.ports),
        "neighbours": [
            (port_name, port) for port_name, port in sort_ports(device.ports) if port.neighbour.device is not None
        ],
        "cages": _build_cages(device),
        "vlans": sorted(device.vlans.items(), key=lambda entry: int(entry[0])),
        "quoted": lambda text: f"'{text}'" if " " in text else text,
        "default_mtu": DEFAULT_MTU,
        "fec_keywords": FEC_KEYWORDS,
        "family": choose_family,
        "keywords": keywords,
        "releases": keywords.format_releases(has_watchdog),
        "bfd_profile": BFD_PROFILE,
        "version": device.os_version or EXAMPLE_VERSION,
        "release_row": _find_release_row(device.os_version or EXAMPLE_VERSION),
    }


def _find_release_row(release: str) -> str | None:
    """The row of ``nv show system`` with the release: ``version`` from 5.15, ``build`` before 5.13, else none.

    Source: NVIDIA NVUE reference, Show Commands, System; Cumulus Linux 5.15 documentation, Show System Information.
    """
    number = parse_release(release)
    return "version" if number >= (5, 15) else "build" if number < (5, 13) else None


def _build_cages(switch: Switch) -> list[tuple[str, int]]:
    """The ports of the front panel that are split, in their order, with the number of their parts."""
    breakouts = {name.rpartition("s")[0]: port.breakout for name, port in sort_ports(switch.ports) if port.breakout}
    return list(breakouts.items())


def _default_profiles(switch: Switch) -> DefaultProfiles:
    ports = [port for _, port in sort_ports(switch.ports)]
    first = next((port for port in ports if port.qos != PortQos() or port.queues), Port())
    lengths = [port.cable_length for port in ports if port.cable_length is not None]
    return DefaultProfiles(
        qos=first.qos,
        queues=tuple(sorted((int(number), queue) for number, queue in first.queues.items())),
        cable_length=max(1, -(-max(lengths) // 1000)) if lengths else None,
    )


def _find_problems(name: str, switch: Switch) -> Iterator[Problem]:
    yield from find_invalid_texts(name, switch, "'")
    ports = sort_ports(switch.ports)
    for path, values in (
        ("port.qos.dscp_tc", {frozen(port.qos.dscp_tc) for _, port in ports} - {None}),
        ("port.qos.tc_queue", {frozen(port.qos.tc_queue) for _, port in ports} - {None}),
        ("port.qos.pfc", {port.qos.pfc for _, port in ports} - {None}),
        ("port.queues", {frozen(port.queues) for _, port in ports} - {None, ()}),
    ):
        if len(values) > 1:
            yield Problem(
                f"{name}: {path}",
                f"{len(values)} different values on its ports",
                "one value for all ports",
                "wirespeed writes NVUE's default-global profiles, which apply to every port",
            )
    yield from check_milliseconds(f"{name}: switch.watchdog_poll", switch.watchdog_poll, _POLLS)
    messages: set[str] = set()
    for port_name, port in ports:
        for problem in _check_port(port_name, port, switch):
            if problem.found + problem.expected not in messages:  # problems shared by all ports are reported once
                messages.add(problem.found + problem.expected)
                yield Problem(f"{name} {problem.location}", problem.found, problem.expected, problem.hint)


def _check_port(name: str, port: Port, switch: Switch) -> Iterator[Problem]:
    qos, dog = port.qos, port.qos.watchdog
    if (port.breakout is not None) != ("s" in name.removeprefix("swp")):
        yield Problem(f"{name}: port.breakout", f"a port split into {port.breakout or 1}", "sub-ports, such as swp1s0")
    if qos.trust not in (None, *TRUST_KEYWORDS):
        yield Problem(f"{name}: port.qos.trust", str(qos.trust), f"one of {', '.join(TRUST_KEYWORDS)}")
    for priority, queue in (qos.pfc_queue or {}).items():
        leaves = {int(tc): int(target) for tc, target in (qos.tc_queue or {}).items()}.get(int(priority))
        if leaves is not None and leaves != int(queue):
            yield Problem(
                f"{name}: port.qos.pfc_queue",
                f"priority {priority} pausing queue {queue}",
                f"queue {leaves}, where switch priority {priority} goes",
                f"give the class of priority {priority} the traffic_class {priority} in `classes` of the switch",
            )
    if dog.action not in (None, WatchdogAction.DROP):
        yield Problem(f"{name}: port.qos.watchdog.action", str(dog.action), "drop", "the only action of NVUE")
    poll = switch.watchdog_poll
    if dog.detect is not None and (not poll or dog.detect % poll or not 1 <= dog.detect // poll <= 1000):
        yield Problem(f"{name}: port.qos.watchdog.detect", str(dog.detect), f"1 to 1000 polling intervals of {poll}")
    for number, discipline in port.queues.items():
        if discipline.ecn.minimum_fill is not None or discipline.ecn.maximum_fill is not None:
            yield Problem(f"{name} queue {number}: queue.ecn.minimum_fill", "percent", "bytes")
