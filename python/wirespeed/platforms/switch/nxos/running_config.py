"""``show running-config``: the switch, its VLANs and ports."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from wirespeed.facts import COMPLETE, Observation, State
from wirespeed.platforms.declaration import declared_defaults
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.config_reader import (
    ON_OFF,
    Found,
    Reader,
    addresses,
    choice,
    defined_vlans,
    flag,
    observe_settings,
    parse_number,
    read_settings,
    set_defaults,
    text,
)
from wirespeed.platforms.switch.indented_config import Line, lines_after, lines_of
from wirespeed.platforms.switch.nxos.bgp import bgp
from wirespeed.platforms.switch.nxos.qos import Globals, globals_of, port_qos
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
_CHANNEL_SETTINGS = ("port.link.mtu", "port.vlan", "port.addresses", "port.unnumbered")
"""What a port in a port channel has from the port channel."""
_VLAN: Mapping[str, tuple[str, Reader]] = {
    "description": ("vlan.description", text),
    "mtu": ("vlan.mtu", parse_number),
}


def running_config(switch: Place, output: Output) -> Iterator[Observation]:
    """All settings of a whole running configuration.

    NX-OS writes no last line, so the command also prints the host name. If the last line is not the name in the
    configuration, the output was cut short and is not read: a missing line is not a default.
    """
    top = lines_of(output.text)
    names = [name for _, name in lines_after(top, "hostname")]
    if len(names) != 1 or top[-1].text != names[0] or not output.text.rstrip("\r").endswith("\n"):
        return
    shared = globals_of(top)
    lldp = next((line.number for line in top if line.text == "feature lldp"), None)
    loopback = next((line for line in top if line.text == "interface loopback0"), None)
    found: Found = {
        "switch.routing": (True, 0),
        "switch.lldp": (lldp is not None, lldp or top[-1].number),
        "switch.loopbacks": ((), top[-1].number) if loopback is None else addresses(loopback),
    }
    if "switch.watchdog_poll" in shared.times:
        found["switch.watchdog_poll"] = shared.times["switch.watchdog_poll"]
    yield from observe_settings(switch, found, output)
    yield from bgp(switch, top, output)
    routed = any(line.text == "no system default switchport" for line in top)
    off = any(line.text == "system default switchport shutdown" for line in top)
    defined = defined_vlans(top)  # the interface of a VLAN that is not there is down
    for line, name in lines_after(top, "interface"):
        if re.fullmatch(r"Ethernet[0-9]+(/[0-9]+){1,2}", name):
            yield from _port(switch.child("port", name), line, (routed, not off), shared, output)
        elif (match := re.fullmatch(r"Vlan([0-9]+)", name)) and (defined is None or int(match[1]) in defined):
            yield from _vlan(switch.child("vlan", match[1]), line, output)
    yield Observation(switch, "switch.ports", COMPLETE, output.source)
    yield Observation(switch, "switch.vlans", COMPLETE, output.source)


def _port(
    place: Place, line: Line, unsaid: tuple[bool, bool], shared: Globals, output: Output
) -> Iterator[Observation]:
    """``unsaid``: whether a port without statement is routed, and whether a switched one is enabled."""
    routed, enabled = unsaid
    found = read_settings(line.inner, _PORT)
    if any(lines_after(line.inner, "inherit port-profile")):
        return  # its settings for the port are not read
    for inner in line.inner:
        if inner.text in ("switchport", "no switchport"):
            routed = inner.text == "no switchport"
    set_defaults(
        found,
        declared_defaults("switch/nxos", "port.link.mtu", "port.link.pause_send", "port.link.pause_receive"),
        line.number,
    )
    if routed:  # whether it is on without a line depends on how the switch was set up at first
        found.pop("port.vlan", None)
    else:
        set_defaults(found, declared_defaults("switch/nxos", "port.vlan") | {"port.link.enabled": enabled}, line.number)
    alone = next((inner.number for inner in line.inner if inner.text == _LINK_LOCAL), None)
    found["port.addresses"] = addresses(
        replace(line, inner=[inner for inner in line.inner if inner.text != _LINK_LOCAL])
    )
    only = routed and alone is not None and found["port.addresses"][0] == ()
    found["port.unnumbered"] = (only, alone or line.number)
    bundled = any(lines_after(line.inner, "channel-group"))
    yield from observe_settings(
        place, {path: value for path, value in found.items() if not bundled or path not in _CHANNEL_SETTINGS}, output
    )
    for inner, rest in lines_after(line.inner, "speed"):
        if (speed := parse_number(rest)) is not None:  # what the link runs at is in "show interface status"
            value = Bandwidth.from_unit(speed, "Mb/s")
            yield Observation(place, "port.link.speed", value, output.source_of_line(inner.number), State.CONFIGURED)
    if not bundled:  # else its classes and queues are the port channel's
        yield from port_qos(place, line, shared, output)


def _vlan(place: Place, line: Line, output: Output) -> Iterator[Observation]:
    found = read_settings(line.inner, _VLAN)
    set_defaults(found, declared_defaults("switch/nxos", "vlan.mtu"), line.number)
    found["vlan.addresses"] = addresses(line)
    yield from observe_settings(place, found, output)
