"""``show running-configuration``: the switch, its VLANs and ports."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from wirespeed.facts import COMPLETE, Observation, State
from wirespeed.platforms.declaration import list_declared_defaults
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.config_reader import (
    CHANNEL_SETTINGS,
    VLAN_SETTINGS,
    Reader,
    addresses,
    choice,
    flag,
    observe_settings,
    parse_number,
    quantity,
    read_settings,
    set_defaults,
    text,
)
from wirespeed.platforms.switch.enterprise_sonic.commands import FEC_KEYWORDS
from wirespeed.platforms.switch.enterprise_sonic.qos import Policies, build_policies, port_qos
from wirespeed.platforms.switch.enterprise_sonic.routing import bgp
from wirespeed.platforms.switch.indented_config import Line, lines_after, parse_lines
from wirespeed.settings import Place
from wirespeed.units import Bandwidth, Duration, Length, Size

PORT_NAME = re.compile(r"Eth(ernet)?[0-9]+(/[0-9]+)*")
_VLAN_NAME = re.compile(r"Vlan([0-9]+)")

_FEC = {word.lower(): fec for fec, word in FEC_KEYWORDS.items()}


def _vlan_number(argument: str) -> int | None:
    return parse_number(argument.removeprefix("Vlan").strip())


_SWITCH_DEFAULTS = list_declared_defaults(
    "switch/enterprise_sonic", "switch.lldp", "switch.routing", "switch.buffers.lossless"
)
_PORT_DEFAULTS = list_declared_defaults(
    "switch/enterprise_sonic", "port.link.mtu", "port.link.training", "port.unnumbered", "port.signal_monitoring"
)
_SWITCH: Mapping[str, tuple[str, Reader]] = {
    "lldp enable": ("switch.lldp", flag(True)),
    "no lldp enable": ("switch.lldp", flag(False)),
    "priority-flow-control watchdog polling-interval": ("switch.watchdog_poll", quantity(Duration, "ms")),
    "buffer init lossless": ("switch.buffers.lossless", flag(True)),
    "roce enable": ("switch.buffers.lossless", flag(True)),  # which makes the lossless buffers too
    "buffer pool ingress_lossless_pool shared-headroom-size": ("switch.buffers.shared_headroom", quantity(Size, "B")),
}
_PORT: Mapping[str, tuple[str, Reader]] = {
    "description": ("port.description", text),
    "mtu": ("port.link.mtu", parse_number),
    "fec": ("port.link.fec", lambda argument: _FEC.get(argument.lower())),
    "standalone-link-training": ("port.link.training", flag(True)),
    "no standalone-link-training": ("port.link.training", flag(False)),
    "shutdown": ("port.link.enabled", flag(False)),
    "no shutdown": ("port.link.enabled", flag(True)),
    "unreliable-los": ("port.signal_monitoring", choice({"auto": "auto", "on": "on", "off": "off"})),
    "cable-length": ("port.cable_length", quantity(Length, "m", "m")),
    "switchport access": ("port.vlan", _vlan_number),
    "ipv6 enable": ("port.unnumbered", flag(True)),
}


def running_config(switch: Place, output: Output) -> Iterator[Observation]:
    """All settings of a running configuration.

    Blocks end in a line ``!``: a last block without one was cut short and is not read. No line ends the whole text:
    ports that are not in it may have been cut off, so the list of ports is never complete. VLAN interfaces are printed
    before all ports (Broadcom 957608-AN210, 2.4.1): between the host name and a port all of them were read.
    """
    rows = output.text.split("\n")
    end_line = next((number for number in range(len(rows), 0, -1) if rows[number - 1].rstrip() == "!"), 0)
    top = [line for line in parse_lines("\n".join(rows[:end_line])) if line.number < end_line]
    if not top:
        return
    read_values = read_settings(top, _SWITCH)
    if any(line.words[0] == "interface" for line in top):  # printed after a line that disables LLDP
        set_defaults(read_values, _SWITCH_DEFAULTS, 0)
    yield from observe_settings(switch, read_values, output)
    policies = build_policies(top)
    splits = _read_splits(top)
    for line, argument in lines_after(top, "interface"):
        name = argument.replace(" ", "")
        if PORT_NAME.fullmatch(name):
            yield from _read_port(switch.child("port", name), line, policies, output)
            if (split := splits.get(name.removeprefix("Eth").rpartition("/")[0])) is not None:
                yield Observation(
                    switch.child("port", name), "port.breakout", split[0], output.source_of_line(split[1])
                )
        elif match := _VLAN_NAME.fullmatch(name):
            yield from _read_vlan(switch.child("vlan", match[1]), line, output)
        elif name == "Loopback0":
            yield from observe_settings(switch, {"switch.loopbacks": addresses(line)}, output)
    if _has_all_vlans(top):
        yield Observation(switch, "switch.vlans", COMPLETE, output.source)
    yield from bgp(switch, top, output)


def _has_all_vlans(top: list[Line]) -> bool:
    """Whether the text reaches from the host name to a port, with no VLAN interface behind the first port."""
    names = [argument.replace(" ", "") for _, argument in lines_after(top, "interface")]
    first_port = next((index for index, name in enumerate(names) if PORT_NAME.fullmatch(name)), None)
    if first_port is None or not any(line.words[0] == "hostname" for line in top):
        return False
    return not any(_VLAN_NAME.fullmatch(name) for name in names[first_port:])


_SPLIT = re.compile(r"breakout port ([0-9]+/[0-9]+) mode ([0-9]+)x[0-9]+G")


def _read_splits(top: list[Line]) -> dict[str, tuple[int, int]]:
    """Number of sub-ports of each split port of the front panel, and its line."""
    matches = ((_SPLIT.fullmatch(argument), line.number) for line, argument in lines_after(top, "interface"))
    return {match[1]: (int(match[2]), number) for match, number in matches if match is not None}


def _read_port(place: Place, line: Line, policies: Policies, output: Output) -> Iterator[Observation]:
    read_values = read_settings(line.inner, _PORT)
    set_defaults(read_values, _PORT_DEFAULTS, line.number)
    read_values["port.addresses"] = addresses(line)
    if read_values["port.addresses"][0] == () and read_values["port.unnumbered"][0] is False:
        # A switched port that is an untagged member of no VLAN drops untagged frames: SONiC removes each port from the
        # default VLAN (sonic-swss, portsorch.cpp, removeDefaultVlanMembers).
        set_defaults(read_values, {"port.vlan": 0}, _find_tagged_line(line))
    is_member = any(lines_after(line.inner, "channel-group"))
    yield from observe_settings(
        place,
        {path: value for path, value in read_values.items() if not is_member or path not in CHANNEL_SETTINGS},
        output,
    )
    for inner, argument in lines_after(line.inner, "speed"):
        mbps = parse_number(argument)
        if mbps:
            # Only the configured speed: what the link runs at is in "show interface status".
            speed = Bandwidth.from_unit(mbps, "Mb/s")
            yield Observation(place, "port.link.speed", speed, output.source_of_line(inner.number), State.CONFIGURED)
    yield from port_qos(place, line, policies, output)


def _find_tagged_line(line: Line) -> int:
    """The line of the VLANs that a port is a tagged member of; without one, that of the port."""
    return next((inner.number for inner, _ in lines_after(line.inner, "switchport trunk allowed")), line.number)


def _read_vlan(place: Place, line: Line, output: Output) -> Iterator[Observation]:
    read_values = read_settings(line.inner, VLAN_SETTINGS)
    set_defaults(read_values, list_declared_defaults("switch/enterprise_sonic", "vlan.mtu"), line.number)
    read_values["vlan.addresses"] = addresses(line)
    yield from observe_settings(place, read_values, output)
