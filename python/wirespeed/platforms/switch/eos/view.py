"""What the EOS templates need computed: profiles, words of the chip family, what differs from the default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wirespeed.errors import Problem
from wirespeed.platforms.switch.eos.words import (
    ACTION_WORDS,
    DEFAULT_DSCP_TC,
    DEFAULT_L2_MTU,
    DEFAULT_MTU,
    FEC_WORDS,
    global_watchdog,
    queue_word,
    seconds,
    speed_word,
    threshold_words,
    watchdog_timer,
)
from wirespeed.platforms.switch.policies import by_name, frozen, inverted, named, odd_texts
from wirespeed.settings import Device, Port, Queue, Switch, Watchdog, WatchdogAction

PROFILE = "ROCE"

EXAMPLE_VERSION = "4.33.1F"
"""What an answer says when the settings do not; the first train that trains 400G links on all ports is 4.33.0F."""


@dataclass(frozen=True, slots=True)
class QueueSay:
    """A queue of a profile; ``queue`` is None where there is no intent."""

    number: int
    queue: Queue | None
    ecn: str | None  # the thresholds in words


@dataclass(frozen=True, slots=True)
class Profile:
    """A ``qos profile``."""

    name: str
    trust: str | None
    pfc: tuple[int, ...] | None
    watchdog: Watchdog | None
    timer: str | None  # the port's own watchdog timer, where it differs from the switch's
    action: WatchdogAction | None  # the port's own watchdog action, likewise
    queues: tuple[QueueSay, ...]


@dataclass(frozen=True, slots=True)
class PortSay:
    """An interface."""

    name: str
    port: Port
    profile: str | None
    speed: str | None
    counted: tuple[int, ...]  # queues that count the packets they mark


def view(name: str, device: Device) -> Mapping[str, Any]:
    """Computed values for the templates; ``problems`` is what EOS cannot say of the switch."""
    if not isinstance(device, Switch):
        raise TypeError("a switch platform renders a Switch")
    common = global_watchdog(device)
    names = named(device, PROFILE, _policy)
    profiles: dict[str, Profile] = {}
    ports: list[PortSay] = []
    for port_name, port in by_name(device.ports):
        policy = _policy(port)
        profile = None if policy is None else names[policy]
        if profile is not None and profile not in profiles:
            profiles[profile] = _profile(profile, port, common)
        counted = () if profile is None else tuple(say.number for say in profiles[profile].queues if say.ecn)
        ports.append(PortSay(port_name, port, profile, speed_word(port.link), counted))
    dscp_tc = next((port.qos.dscp_tc for port in device.ports.values() if port.qos.dscp_tc is not None), None) or {}
    tc_queue = next((port.qos.tc_queue for port in device.ports.values() if port.qos.tc_queue is not None), None) or {}
    changed = {dscp: tc for dscp, tc in dscp_tc.items() if DEFAULT_DSCP_TC[dscp] != tc}
    return {
        "problems": list(_problems(name, device)),
        "queue_word": queue_word(device.chip) or "uc-tx-queue",
        "dscp_tc": _spaced(dscp_tc),
        "dscp_tc_changed": _spaced(changed),
        "tc_queue": sorted((int(tc), int(queue)) for tc, queue in tc_queue.items()),
        "tc_queue_changed": sorted((int(tc), int(queue)) for tc, queue in tc_queue.items() if int(tc) != int(queue)),
        "profiles": [profiles[key] for key in sorted(profiles, key=lambda key: (len(key), key))],
        "ports": ports,
        "vlans": sorted(device.vlans.items(), key=lambda item: int(item[0])),
        "neighbours": [say for say in ports if say.port.neighbour.device is not None],
        "hardware": _hardware(device.model),
        "version": device.os_version or EXAMPLE_VERSION,
        "default_mtu": DEFAULT_MTU,
        "default_l2_mtu": DEFAULT_L2_MTU,
        "watchdog": common,
        "seconds": seconds,
        "fec_words": FEC_WORDS,
        "action_words": ACTION_WORDS,
        "poll": None if device.watchdog_poll is None else f"{device.watchdog_poll.seconds:.3f}",
    }


def _hardware(model: str | None) -> str:
    """``DCS-7060DX5-64S`` of the catalogue's ``arista-7060dx5-64s``."""
    return f"DCS-{(model or '7060DX5-64S').removeprefix('arista-').upper()}"


def _spaced(mapping: Mapping[Any, Any]) -> list[tuple[int, str]]:
    return [(tc, " ".join(map(str, keys))) for tc, keys in inverted(mapping.items())]


def _policy(port: Port) -> Any:
    qos = port.qos
    policy = (qos.trust, qos.pfc, qos.watchdog, tuple(sorted(port.queues.items())))
    return None if policy == (None, None, Watchdog(), ()) else policy


def _profile(name: str, port: Port, common: Watchdog) -> Profile:
    own = port.qos.watchdog
    differs = (own.detect, own.restore) != (common.detect, common.restore)
    listed = {int(number): queue for number, queue in port.queues.items()}
    # An unlisted queue is strict by default and would starve the listed ones; queue 7 is the control plane's own.
    numbers = sorted({*listed, *range(7)}) if listed else []
    return Profile(
        name=name,
        trust={"dscp": "dscp", "dot1p": "cos"}.get(port.qos.trust or ""),
        pfc=None if port.qos.pfc is None else tuple(sorted(map(int, port.qos.pfc))),
        watchdog=None if own == Watchdog() else own,
        timer=watchdog_timer(own) if own.detect is not None and differs else None,
        action=own.action if own.action is not None and own.action != common.action else None,
        queues=tuple(QueueSay(number, listed.get(number), _ecn(listed.get(number))) for number in numbers),
    )


def _ecn(queue: Queue | None) -> str | None:
    if queue is None or queue.ecn.enabled is False or queue.ecn.minimum is None or queue.ecn.maximum is None:
        return None
    return threshold_words(queue.ecn)


def _problems(name: str, switch: Switch) -> Iterator[Problem]:
    ports = by_name(switch.ports)
    yield from odd_texts(name, switch)
    if any(port.queues for _, port in ports) and queue_word(switch.chip) is None:
        yield Problem(
            f"{name}: chip",
            repr(switch.chip) if switch.chip else "none",
            "a Trident or Tomahawk (uc-tx-queue), or a Jericho or Qumran (tx-queue)",
            "give the switch's model, or its chip",
        )
    for path, values in (
        ("port.qos.dscp_tc", {frozen(port.qos.dscp_tc) for _, port in ports} - {None}),
        ("port.qos.tc_queue", {frozen(port.qos.tc_queue) for _, port in ports} - {None}),
    ):
        if len(values) > 1:
            yield Problem(
                f"{name}: {path}",
                f"{len(values)} different maps on its ports",
                "one map for all ports",
                "EOS keeps this map for the whole switch",
            )
    for port_name, port in ports:
        yield from _port_problems(f"{name} {port_name}", port, switch)


def _port_problems(place: str, port: Port, switch: Switch) -> Iterator[Problem]:
    for priority in sorted(port.qos.pfc or ()):
        queue = (port.qos.pfc_queue or {}).get(priority)
        if queue is not None and int(queue) != int(priority):
            yield Problem(
                f"{place}: port.qos.pfc_queue",
                f"priority {priority} pausing queue {queue}",
                f"priority {priority} pausing queue {priority}",
                "on EOS the pause of a priority stops the queue of the same number",
            )
    watchdog = port.qos.watchdog
    for path, value in (("detect", watchdog.detect), ("restore", watchdog.restore)):
        if value is not None and (value % 10**10 or not 10**10 <= value <= 60 * 10**12):
            yield Problem(f"{place}: port.qos.watchdog.{path}", str(value), "10 ms to 60 s in steps of 10 ms")
    times = [value for value in (watchdog.detect, watchdog.restore) if value is not None]
    if switch.watchdog_poll is not None and times and switch.watchdog_poll * 2 > min(times):
        yield Problem(
            f"{place}: switch.watchdog_poll",
            str(switch.watchdog_poll),
            f"half of the shorter of detection and restoration time at most, {min(times) // 2 // 10**9} ms",
        )
