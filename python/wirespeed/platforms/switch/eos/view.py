"""Values for the EOS templates: profiles, syntax of the chip family, values that differ from the default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wirespeed.platforms.switch.eos.bgp_view import speaker
from wirespeed.platforms.switch.eos.interfaces import short_name
from wirespeed.platforms.switch.eos.problems import problems
from wirespeed.platforms.switch.eos.values import (
    ACTION_KEYWORDS,
    DEFAULT_DSCP_TC,
    DEFAULT_L2_MTU,
    DEFAULT_MTU,
    FEC_KEYWORDS,
    TRUST_KEYWORDS,
    format_pfc,
    format_shape,
    format_speed,
    format_thresholds,
    global_action_line,
    global_timer_lines,
    global_watchdog,
    has_own_timer,
    queue_keyword,
    watchdog_timer,
)
from wirespeed.platforms.switch.interface_commands import address_lines
from wirespeed.platforms.switch.policies import group_by_target, name_policies, sort_ports
from wirespeed.settings import BgpPeer, Device, Port, Queue, Switch, Vlan, Watchdog, WatchdogAction, WatchdogRecovery
from wirespeed.units import Duration

PROFILE = "ROCE"

EXAMPLE_VERSION = "4.33.1F"
"""Version in simulated output by default; the first train that trains 400G links on all ports is 4.33.0F."""


@dataclass(frozen=True, slots=True)
class QueueSay:
    """A queue of a profile; ``queue`` is None where there is no intent."""

    number: int
    queue: Queue | None
    shape: str | None
    ecn: str | None  # thresholds as written in the configuration


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
    counted: tuple[
        int, ...
    ]  # queues that count the packets they mark: a profile cannot (aristanetworks/avd, qos-profiles.j2)
    watchdog_columns: Mapping[str, str]  # of the PFC status: its own watchdog values


def view(name: str, device: Device) -> Mapping[str, Any]:
    """Computed values for the templates; ``problems`` lists settings that EOS cannot express."""
    if not isinstance(device, Switch):
        raise TypeError("a switch platform renders a Switch")
    common = global_watchdog(device)
    names = name_policies(device, PROFILE, _build_policy)
    profiles: dict[str, Profile] = {}
    ports: list[PortSay] = []
    for port_name, port in sort_ports(device.ports):
        policy = _build_policy(port)
        profile = None if policy is None else names[policy]
        if profile is not None and profile not in profiles:
            profiles[profile] = _build_profile(profile, port, device, common)
        counted_lines = (
            ()
            if profile is None
            else tuple(sorted(int(number) for number, queue in port.queues.items() if queue.ecn_counter))
        )
        columns = _format_columns(None if profile is None else profiles[profile], device)
        ports.append(PortSay(port_name, port, profile, format_speed(port.link), counted_lines, columns))
    dscp_tc = next((port.qos.dscp_tc for port in device.ports.values() if port.qos.dscp_tc is not None), None) or {}
    tc_queue = next((port.qos.tc_queue for port in device.ports.values() if port.qos.tc_queue is not None), None) or {}
    changed_map = {dscp: tc for dscp, tc in dscp_tc.items() if DEFAULT_DSCP_TC[dscp] != tc}
    speaks = speaker(device)
    return {
        "problems": list(problems(name, device)),
        "queue_word": queue_keyword(device.chip) or "uc-tx-queue",
        "ecn_feature": device.ecn_counters,
        "dscp_tc": _join_by_target(dscp_tc),
        "dscp_tc_changed": _join_by_target(changed_map),
        "tc_queue": sorted((int(tc), int(queue)) for tc, queue in tc_queue.items()),
        "tc_queue_changed": sorted((int(tc), int(queue)) for tc, queue in tc_queue.items() if int(tc) != int(queue)),
        "profiles": [profiles[key] for key in sorted(profiles, key=lambda key: (len(key), key))],
        "ports": ports,
        "speaker": speaks,
        "loopbacks": device.loopbacks or (),
        "ipv6": _is_ipv6(device),
        "ip_routing": "ip routing ipv6 interfaces" if speaks.over_ipv6 else "ip routing",
        "summary": [(_summary_key(name, peer), peer) for name, peer in device.peers.items()],
        "vlans": sorted(device.vlans.items(), key=lambda entry: int(entry[0])),
        "neighbours": [port_view for port_view in ports if port_view.port.neighbour.device is not None],
        "hardware": _format_hardware(device.model),
        "pfc_line": format_pfc(device.os_version),
        "version": device.os_version or EXAMPLE_VERSION,
        "default_mtu": DEFAULT_MTU,
        "default_l2_mtu": DEFAULT_L2_MTU,
        "watchdog": common,
        "watchdog_lines": [*global_timer_lines(device), *global_action_line(common.action)],
        "short": _format_short,
        "short_name": short_name,
        "address_lines": address_lines,
        "fec_keywords": FEC_KEYWORDS,
        "action_keywords": ACTION_KEYWORDS,
    }


def _is_ipv6(switch: Switch) -> bool:
    """Whether the switch forwards IPv6 anywhere."""
    holders: list[Port | Vlan] = [*switch.ports.values(), *switch.vlans.values()]
    addresses = [address for holder in holders for address in holder.addresses or ()]
    unnumbered = any(port.unnumbered for port in switch.ports.values())
    return unnumbered or any(":" in address for address in (*addresses, *(switch.loopbacks or ())))


def _summary_key(name: str, peer: BgpPeer) -> str:
    """A session in a list of sessions: its address; an unnumbered one's is link-local, on its port."""
    return f"fe80::200:5eff:fe00:5301%{short_name(name)}" if peer.unnumbered else name


def _format_hardware(model: str | None) -> str:
    """``DCS-7060DX5-64S`` of the catalogue's ``arista-7060dx5-64s``."""
    return f"DCS-{(model or '7060DX5-64S').removeprefix('arista-').upper()}"


def _join_by_target(mapping: Mapping[Any, Any]) -> list[tuple[int, str]]:
    return [(tc, " ".join(map(str, keys))) for tc, keys in group_by_target(mapping.items())]


def _build_policy(port: Port) -> Any:
    qos = port.qos
    policy = (qos.trust, qos.pfc, qos.watchdog, tuple(sorted(port.queues.items())))
    return None if policy == (None, None, Watchdog(), ()) else policy


def _build_profile(name: str, port: Port, switch: Switch, common: Watchdog) -> Profile:
    watchdog = port.qos.watchdog
    differs = has_own_timer(watchdog, switch, common)
    members = {int(number): queue for number, queue in port.queues.items()}
    # An unlisted queue is strict by default and would starve the listed ones; queue 7 is the control plane's own.
    numbers = sorted({*members, *range(7)}) if members else []
    return Profile(
        name=name,
        trust=TRUST_KEYWORDS.get(port.qos.trust or ""),
        pfc=None if port.qos.pfc is None else tuple(sorted(map(int, port.qos.pfc))),
        watchdog=None if watchdog == Watchdog() else watchdog,
        timer=watchdog_timer(watchdog, switch) if watchdog.detect is not None and differs else None,
        action=watchdog.action if watchdog.action is not None and watchdog.action != common.action else None,
        queues=tuple(_build_queue(number, members.get(number)) for number in numbers),
    )


def _format_columns(profile: Profile | None, switch: Switch) -> Mapping[str, str]:
    """A port's own values of the watchdog, a dash for those of the switch."""
    columns = {"action": "-", "timeout": "-", "recovery": "- / -", "polling": "- / -"}
    if profile is None or profile.watchdog is None:
        return columns
    if profile.action is not None:
        columns["action"] = ACTION_KEYWORDS[profile.action]
    watchdog = profile.watchdog
    if profile.timer is not None and watchdog.detect is not None:
        restore = watchdog.restore if watchdog.restore is not None else watchdog.detect
        mode = watchdog.recovery or WatchdogRecovery.AUTO
        columns["timeout"] = _format_short(watchdog.detect)
        columns["recovery"] = f"{_format_short(restore)} / {mode}"
        poll = watchdog.poll or switch.watchdog_poll
        columns["polling"] = f"{_format_short(poll)} / {_format_short(poll)}" if poll else "auto / -"
    return columns


def _format_short(duration: Duration | None) -> str:
    return f"{duration.seconds:.1f}" if duration else "0.0"


def _build_queue(number: int, queue: Queue | None) -> QueueSay:
    shape = None if queue is None or not queue.shape else format_shape(queue.shape)
    return QueueSay(number, queue, shape, _build_ecn(queue))


def _build_ecn(queue: Queue | None) -> str | None:
    if queue is None or queue.ecn.enabled is False or queue.ecn.minimum is None or queue.ecn.maximum is None:
        return None
    return format_thresholds(queue.ecn)
