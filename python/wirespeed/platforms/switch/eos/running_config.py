"""``show running-config``: the switch, its VLANs and ports."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wirespeed.facts import COMPLETE, Observation, State
from wirespeed.platforms.declaration import list_declared_defaults
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.config_reader import (
    CHANNEL_SETTINGS,
    ON_OFF,
    VLAN_SETTINGS,
    Reader,
    ReadValues,
    addresses,
    choice,
    flag,
    list_defined_vlans,
    observe_settings,
    parse_number,
    read_native_vlan,
    read_settings,
    set_defaults,
    text,
)
from wirespeed.platforms.switch.eos.bgp import bgp
from wirespeed.platforms.switch.eos.qos import DscpMap, Globals, parse_seconds, port_qos
from wirespeed.platforms.switch.eos.values import DEFAULT_DSCP_TC, DEFAULT_L2_MTU, DEFAULT_MTU, parse_speed
from wirespeed.platforms.switch.indented_config import Line, lines_after, numbers, parse_lines
from wirespeed.settings import Dscp, Place, SwitchQueue, SwitchTrafficClass, WatchdogRecovery

_SWITCH: Mapping[str, tuple[str, Reader]] = {
    "ip routing": ("switch.routing", flag(True)),
    "ip routing ipv6 interfaces": ("switch.routing", flag(True)),  # RFC 8950: IPv4 over ports without IPv4 addresses
    "no ip routing": ("switch.routing", flag(False)),
    "lldp run": ("switch.lldp", flag(True)),
    "no lldp run": ("switch.lldp", flag(False)),
    "priority-flow-control all off": ("switch.pfc", flag(False)),
    "no priority-flow-control all off": ("switch.pfc", flag(True)),
    # The older form: intel/intelRSD, PSME/agent/network/src/hal/eos_eapi, set_switch_pfc_enabled.cpp
    "priority-flow-control all mode off": ("switch.pfc", flag(False)),
    "no priority-flow-control all mode off": ("switch.pfc", flag(True)),
    "hardware counter feature ecn": ("switch.ecn_counters", choice({"out": True})),
}
_PORT: Mapping[str, tuple[str, Reader]] = {
    "description": ("port.description", text),
    "mtu": ("port.link.mtu", parse_number),
    "error-correction encoding": ("port.link.fec", choice({"reed-solomon": "rs", "fire-code": "fc"})),
    "no error-correction encoding": ("port.link.fec", flag("none")),
    "flowcontrol send": ("port.link.pause_send", ON_OFF),
    "flowcontrol receive": ("port.link.pause_receive", ON_OFF),
    "phy link training": ("port.link.training", flag(True)),
    "no phy link training": ("port.link.training", flag(False)),
    "shutdown": ("port.link.enabled", flag(False)),
    "no shutdown": ("port.link.enabled", flag(True)),
    "switchport access vlan": ("port.vlan", parse_number),
}
_TRUNK_MODES = ("switchport mode trunk", "switchport mode trunk phone")
"""The second is for a phone with a host behind it, whose untagged frames are in the native VLAN (Arista AVD)."""
_FRAME_LIMIT = re.compile(r"l2 (mtu|mru) ")
"""A limit of frames beside the MTU (Arista AVD's schema, l2_mtu and l2_mru); how many bytes of IP it leaves is open."""
_PAUSES = ("port.link.pause_send", "port.link.pause_receive")


def running_config(switch: Place, output: Output) -> Iterator[Observation]:
    """All settings of a whole running configuration.

    One that does not end in ``end`` was cut short and is not read: a missing line is not a default.
    """
    top = parse_lines(output.text)
    if not top or top[-1].text != "end":
        return
    read_values = read_settings((line for line in top if "vrf" not in line.words), _SWITCH)
    set_defaults(
        read_values,
        list_declared_defaults("switch/eos", "switch.lldp", "switch.pfc", "switch.ecn_counters"),
        top[-1].number,
    )
    global_settings, defaults = _read_globals(top), _read_defaults(top)
    read_values["switch.loopbacks"] = next(
        (addresses(line) for line in top if line.text == "interface Loopback0"), ((), top[-1].number)
    )
    yield from observe_settings(switch, read_values, output)
    if global_settings.poll is not None:
        yield from observe_settings(switch, {"switch.watchdog_poll": global_settings.poll}, output, State.CONFIGURED)
    yield from bgp(switch, top, output)
    defined_numbers = list_defined_vlans(top)  # the interface of a VLAN that is not there is down
    for line, name in lines_after(top, "interface"):
        if re.fullmatch(r"Ethernet[0-9/]+", name):
            yield from _read_port(switch.child("port", name), line, global_settings, defaults, output)
        elif (match := re.fullmatch(r"Vlan([0-9]+)", name)) and (
            defined_numbers is None or int(match[1]) in defined_numbers
        ):
            yield from _read_vlan(switch.child("vlan", match[1]), line, defaults.mtu, output)
    yield Observation(switch, "switch.ports", COMPLETE, output.source)
    yield Observation(switch, "switch.vlans", COMPLETE, output.source)


@dataclass(frozen=True, slots=True)
class _Defaults:
    """Defaults of a port without statements."""

    routed: bool
    mtu: int | None  # of a routed port; None when its line makes no sense
    enabled: bool


def _read_defaults(top: list[Line]) -> _Defaults:
    """``switchport default mode routed`` and ``interface defaults`` (Arista AVD's templates)."""
    mtu: int | None = DEFAULT_MTU
    enabled = True
    for line in top:
        for inner in line.inner if line.text == "interface defaults" else ():
            if (argument := inner.text_after("mtu")) is not None:
                mtu = parse_number(argument)
            if inner.text == "ethernet":
                enabled = not any(line.text == "shutdown" for line in inner.inner)
    return _Defaults(any(line.text == "switchport default mode routed" for line in top), mtu, enabled)


def _read_port(
    place: Place, line: Line, global_settings: Globals, defaults: _Defaults, output: Output
) -> Iterator[Observation]:
    if any(lines_after(line.inner, "profile")):
        return  # settings of interface profiles and their precedence are not read
    read_values = read_settings(line.inner, _PORT)
    is_routed = defaults.routed
    for inner in line.inner:
        if inner.text in ("switchport", "no switchport"):
            is_routed = inner.text == "no switchport"
    set_defaults(
        read_values,
        {
            "port.link.mtu": defaults.mtu if is_routed else DEFAULT_L2_MTU,
            "port.link.enabled": defaults.enabled,
        },
        line.number,
    )
    if frame_line := next((inner.number for inner in line.inner if _FRAME_LIMIT.match(inner.text)), None):
        read_values["port.link.mtu"] = (None, frame_line)
    if is_routed:
        read_values.pop("port.vlan", None)
    elif any(inner.text in _TRUNK_MODES for inner in line.inner):
        read_values["port.vlan"] = read_native_vlan(line)
    else:
        set_defaults(read_values, list_declared_defaults("switch/eos", "port.vlan"), line.number)
    read_values["port.addresses"] = addresses(line)
    link_local = next((inner.number for inner in line.inner if inner.text == "ipv6 enable"), None)
    link_local_line = is_routed and link_local is not None and read_values["port.addresses"][0] == ()
    read_values["port.unnumbered"] = (link_local_line, link_local or line.number)
    is_member = any(lines_after(line.inner, "channel-group"))
    yield from observe_settings(
        place,
        {path: value for path, value in read_values.items() if not is_member or path not in CHANNEL_SETTINGS},
        output,
    )
    # No source confirms that global pause is off by default.
    pauses: ReadValues = {path: (False, line.number) for path in _PAUSES if path not in read_values}
    yield from observe_settings(place, pauses, output, State.ASSUMED)
    yield from _read_speed(place, line, output)
    if is_member:
        return  # its classes and queues are the port channel's
    yield from port_qos(place, line, is_routed, global_settings, output)


def _read_speed(place: Place, line: Line, output: Output) -> Iterator[Observation]:
    for inner, argument in lines_after(line.inner, "speed"):
        speed = parse_speed(argument)
        if speed is not None:
            # Only the configured speed: what the link runs at is in "show interfaces status".
            yield Observation(place, "port.link.speed", speed[0], output.source_of_line(inner.number), State.CONFIGURED)
            if speed[1] is not None:
                yield Observation(
                    place, "port.link.lanes", speed[1], output.source_of_line(inner.number), State.CONFIGURED
                )


def _read_vlan(place: Place, line: Line, mtu: int | None, output: Output) -> Iterator[Observation]:
    read_values = read_settings(line.inner, VLAN_SETTINGS)
    set_defaults(read_values, {"vlan.mtu": mtu}, line.number)
    read_values["vlan.addresses"] = addresses(line)
    yield from observe_settings(place, read_values, output)


def _read_globals(top: list[Line]) -> Globals:
    watchdog: ReadValues = {}
    poll: tuple[Any, int] | None = None
    for line, argument in lines_after(top, "priority-flow-control pause watchdog"):
        match argument.split():
            case ["default", "timeout", value]:
                watchdog["timeout"] = (parse_seconds(value), line.number)
            case ["default", "recovery-time", value, *mode] if mode in ([], ["forced"]):
                watchdog["recovery-time"] = (parse_seconds(value), line.number)
                recovery = WatchdogRecovery.FORCED if mode else WatchdogRecovery.AUTO
                watchdog["recovery"] = (recovery, line.number)
            case ["default", "polling-interval", value]:
                poll = (parse_seconds(value), line.number)
            case ["action", value]:
                watchdog["action"] = (value, line.number)
            case ["override", "action", "drop"]:
                watchdog["override"] = (True, line.number)
    return Globals(
        profiles={name: line for line, name in lines_after(top, "qos profile")},
        dscp_tc=_dscp_tc(top),
        tc_queue=_tc_queue(top),
        tc_dscp=_tc_dscp(top),
        watchdog=watchdog,
        poll=poll,
    )


def _dscp_tc(top: list[Line]) -> DscpMap | None:
    """The map in effect: the default with the configured changes. None if a line of it is malformed."""
    read_values = dict(DEFAULT_DSCP_TC)
    number: int | None = None
    for line, argument in lines_after(top, "qos map dscp"):
        members, _, target = argument.partition(" to traffic-class ")
        values, match = numbers(members), re.fullmatch(r"([0-7])(?: drop-precedence [0-9])?", target)
        if values is None or max(values) > 63 or match is None:
            return None
        number = number or line.number
        read_values.update({Dscp(value): SwitchTrafficClass(int(match[1])) for value in values})
    return read_values, number


def _tc_queue(top: list[Line]) -> tuple[Mapping[SwitchTrafficClass, SwitchQueue], int | None] | None:
    read_values = {SwitchTrafficClass(number): SwitchQueue(number) for number in range(8)}
    number: int | None = None
    for line, argument in lines_after(top, "qos map traffic-class"):
        match = re.fullmatch(r"([0-7 ]+) to (?:uc-)?tx-queue (\S+)", argument)
        if match is None:
            continue
        if not re.fullmatch(r"[0-7]", match[2]):
            return None
        number = number or line.number
        read_values.update({SwitchTrafficClass(int(tc)): SwitchQueue(int(match[2])) for tc in match[1].split()})
    return read_values, number


def _tc_dscp(top: list[Line]) -> tuple[Mapping[SwitchTrafficClass, Dscp], int] | None:
    read_values: dict[SwitchTrafficClass, Dscp] = {}
    number = 0
    for line, argument in lines_after(top, "qos map traffic-class"):
        match = re.fullmatch(r"([0-7 ]+) to dscp ([0-9]{1,2})", argument)
        if match is not None and int(match[2]) < 64:
            number = number or line.number
            read_values.update({SwitchTrafficClass(int(tc)): Dscp(int(match[2])) for tc in match[1].split()})
    return (read_values, number) if read_values else None
