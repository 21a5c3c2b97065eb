"""``show running-config``: the switch, its VLANs and ports."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

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
from wirespeed.platforms.switch.indented_config import Line, lines_after, parse_lines
from wirespeed.platforms.switch.nxos.bgp import bgp
from wirespeed.platforms.switch.nxos.qos import Globals, port_qos, read_globals
from wirespeed.platforms.switch.nxos.values import FECS
from wirespeed.settings import Place
from wirespeed.units import Bandwidth

_LINK_LOCAL = "ipv6 address use-link-local-only"
_PORT: Mapping[str, tuple[str, Reader]] = {
    "description": ("port.description", text),
    "mtu": ("port.link.mtu", parse_number),
    "fec": ("port.link.fec", choice(FECS)),
    "flowcontrol send": ("port.link.pause_send", ON_OFF),
    "flowcontrol receive": ("port.link.pause_receive", ON_OFF),
    "shutdown": ("port.link.enabled", flag(False)),
    "no shutdown": ("port.link.enabled", flag(True)),
    "switchport access vlan": ("port.vlan", parse_number),
}


def running_config(switch: Place, output: Output) -> Iterator[Observation]:
    """All settings of a whole running configuration.

    NX-OS writes no last line, so the command also prints the host name. If the last line is not the name in the
    configuration, the output was cut short and is not read: a missing line is not a default.
    """
    top = parse_lines(output.text)
    names = [name for _, name in lines_after(top, "hostname")]
    if len(names) != 1 or top[-1].text != names[0] or not output.text.rstrip("\r").endswith("\n"):
        return
    global_settings = read_globals(top)
    lldp = next((line.number for line in top if line.text == "feature lldp"), None)
    loopback = next((line for line in top if line.text == "interface loopback0"), None)
    read_values: ReadValues = {
        "switch.routing": (True, 0),
        "switch.lldp": (lldp is not None, lldp or top[-1].number),
        "switch.loopbacks": ((), top[-1].number) if loopback is None else addresses(loopback),
    }
    if "switch.watchdog_poll" in global_settings.times:
        read_values["switch.watchdog_poll"] = global_settings.times["switch.watchdog_poll"]
    read_values.update(global_settings.class_mtu)
    yield from observe_settings(switch, read_values, output)
    yield from bgp(switch, top, output)
    is_routed = any(line.text == "no system default switchport" for line in top)
    disabled_line = any(line.text == "system default switchport shutdown" for line in top)
    defined_numbers = list_defined_vlans(top)  # the interface of a VLAN that is not there is down
    for line, name in lines_after(top, "interface"):
        if re.fullmatch(r"Ethernet[0-9]+(/[0-9]+){1,2}", name):
            yield from _read_port(
                switch.child("port", name), line, (is_routed, not disabled_line), global_settings, output
            )
        elif (match := re.fullmatch(r"Vlan([0-9]+)", name)) and (
            defined_numbers is None or int(match[1]) in defined_numbers
        ):
            yield from _read_vlan(switch.child("vlan", match[1]), line, output)
    yield Observation(switch, "switch.ports", COMPLETE, output.source)
    yield Observation(switch, "switch.vlans", COMPLETE, output.source)


def _read_port(
    place: Place, line: Line, unsaid: tuple[bool, bool], global_settings: Globals, output: Output
) -> Iterator[Observation]:
    """``unsaid``: whether a port without statement is routed, and whether a switched one is enabled."""
    is_routed, enabled = unsaid
    read_values = read_settings(line.inner, _PORT)
    if any(lines_after(line.inner, "inherit port-profile")):
        return  # its settings for the port are not read
    for inner in line.inner:
        if inner.text in ("switchport", "no switchport"):
            is_routed = inner.text == "no switchport"
    set_defaults(
        read_values,
        list_declared_defaults("switch/nxos", "port.link.mtu", "port.link.pause_send", "port.link.pause_receive"),
        line.number,
    )
    if is_routed:  # whether it is on without a line depends on how the switch was set up at first
        read_values.pop("port.vlan", None)
    else:
        if any(inner.text == "switchport mode trunk" for inner in line.inner):
            read_values["port.vlan"] = read_native_vlan(line)
        set_defaults(
            read_values,
            list_declared_defaults("switch/nxos", "port.vlan") | {"port.link.enabled": enabled},
            line.number,
        )
    link_local_line = next((inner.number for inner in line.inner if inner.text == _LINK_LOCAL), None)
    read_values["port.addresses"] = addresses(
        replace(line, inner=[inner for inner in line.inner if inner.text != _LINK_LOCAL])
    )
    is_unnumbered = is_routed and link_local_line is not None and read_values["port.addresses"][0] == ()
    read_values["port.unnumbered"] = (is_unnumbered, link_local_line or line.number)
    is_member = any(lines_after(line.inner, "channel-group"))
    yield from observe_settings(
        place,
        {path: value for path, value in read_values.items() if not is_member or path not in CHANNEL_SETTINGS},
        output,
    )
    for inner, argument in lines_after(line.inner, "speed"):
        if (speed := parse_number(argument)) is not None:  # what the link runs at is in "show interface status"
            value = Bandwidth.from_unit(speed, "Mb/s")
            yield Observation(place, "port.link.speed", value, output.source_of_line(inner.number), State.CONFIGURED)
    if not is_member:  # else its classes and queues are the port channel's
        yield from port_qos(place, line, global_settings, output)


def _read_vlan(place: Place, line: Line, output: Output) -> Iterator[Observation]:
    read_values = read_settings(line.inner, VLAN_SETTINGS)
    set_defaults(read_values, list_declared_defaults("switch/nxos", "vlan.mtu"), line.number)
    read_values["vlan.addresses"] = addresses(line)
    yield from observe_settings(place, read_values, output)
