"""``show running-configuration``: the switch, its VLANs and ports."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from wirespeed.facts import Observation, State
from wirespeed.platforms.declaration import declared_defaults
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.config_reader import (
    Reader,
    addresses,
    flag,
    observe_settings,
    parse_number,
    quantity,
    read_settings,
    set_defaults,
    text,
)
from wirespeed.platforms.switch.enterprise_sonic.commands import FEC_WORDS
from wirespeed.platforms.switch.enterprise_sonic.qos import Policies, policies_of, port_qos
from wirespeed.platforms.switch.enterprise_sonic.routing import bgp
from wirespeed.platforms.switch.indented_config import Line, lines_after, lines_of
from wirespeed.settings import Place
from wirespeed.units import Bandwidth, Duration, Length, Size

PORT_NAME = re.compile(r"Eth(ernet)?[0-9]+(/[0-9]+)*")

_FEC = {word.lower(): fec for fec, word in FEC_WORDS.items()}


def _vlan_number(rest: str) -> int | None:
    return parse_number(rest.removeprefix("Vlan").strip())


_SWITCH_DEFAULTS = declared_defaults(
    "switch/enterprise_sonic", "switch.lldp", "switch.routing", "switch.buffers.lossless"
)
_PORT_DEFAULTS = declared_defaults("switch/enterprise_sonic", "port.link.mtu", "port.link.training", "port.unnumbered")
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
    "fec": ("port.link.fec", lambda rest: _FEC.get(rest.lower())),
    "standalone-link-training": ("port.link.training", flag(True)),
    "no standalone-link-training": ("port.link.training", flag(False)),
    "shutdown": ("port.link.enabled", flag(False)),
    "no shutdown": ("port.link.enabled", flag(True)),
    "cable-length": ("port.cable_length", quantity(Length, "m", "m")),
    "switchport access": ("port.vlan", _vlan_number),
    "ipv6 enable": ("port.unnumbered", flag(True)),
}
_CHANNEL_SETTINGS = ("port.link.mtu", "port.vlan", "port.addresses", "port.unnumbered")
"""What a port in a port channel has from the port channel."""
_VLAN: Mapping[str, tuple[str, Reader]] = {
    "description": ("vlan.description", text),
    "mtu": ("vlan.mtu", parse_number),
}


def running_config(switch: Place, output: Output) -> Iterator[Observation]:
    """All settings of a running configuration.

    Blocks end in a line ``!``: a last block without one was cut short and is not read. No line ends the whole text:
    ports that are not in it may have been cut off, so the list of ports is never complete.
    """
    rows = output.text.split("\n")
    closed = next((number for number in range(len(rows), 0, -1) if rows[number - 1].rstrip() == "!"), 0)
    top = [line for line in lines_of("\n".join(rows[:closed])) if line.number < closed]
    if not top:
        return
    found = read_settings(top, _SWITCH)
    if any(line.words[0] == "interface" for line in top):  # printed after a line that disables LLDP
        set_defaults(found, _SWITCH_DEFAULTS, 0)
    yield from observe_settings(switch, found, output)
    policies = policies_of(top)
    splits = _splits(top)
    for line, rest in lines_after(top, "interface"):
        name = rest.replace(" ", "")
        if PORT_NAME.fullmatch(name):
            yield from _port(switch.child("port", name), line, policies, output)
            if (split := splits.get(name.removeprefix("Eth").rpartition("/")[0])) is not None:
                yield Observation(
                    switch.child("port", name), "port.breakout", split[0], output.source_of_line(split[1])
                )
        elif match := re.fullmatch(r"Vlan([0-9]+)", name):
            yield from _vlan(switch.child("vlan", match[1]), line, output)
        elif name == "Loopback0":
            yield from observe_settings(switch, {"switch.loopbacks": addresses(line)}, output)
    yield from bgp(switch, top, output)


_SPLIT = re.compile(r"breakout port ([0-9]+/[0-9]+) mode ([0-9]+)x[0-9]+G")


def _splits(top: list[Line]) -> dict[str, tuple[int, int]]:
    """Number of sub-ports of each split port of the front panel, and its line."""
    matches = ((_SPLIT.fullmatch(rest), line.number) for line, rest in lines_after(top, "interface"))
    return {match[1]: (int(match[2]), number) for match, number in matches if match is not None}


def _port(place: Place, line: Line, policies: Policies, output: Output) -> Iterator[Observation]:
    found = read_settings(line.inner, _PORT)
    set_defaults(found, _PORT_DEFAULTS, line.number)
    found["port.addresses"] = addresses(line)
    bundled = any(lines_after(line.inner, "channel-group"))
    yield from observe_settings(
        place, {path: value for path, value in found.items() if not bundled or path not in _CHANNEL_SETTINGS}, output
    )
    for inner, rest in lines_after(line.inner, "speed"):
        mbps = parse_number(rest)
        if mbps:
            # Only the configured speed: what the link runs at is in "show interface status".
            speed = Bandwidth.from_unit(mbps, "Mb/s")
            yield Observation(place, "port.link.speed", speed, output.source_of_line(inner.number), State.CONFIGURED)
    yield from port_qos(place, line, policies, output)


def _vlan(place: Place, line: Line, output: Output) -> Iterator[Observation]:
    found = read_settings(line.inner, _VLAN)
    set_defaults(found, declared_defaults("switch/enterprise_sonic", "vlan.mtu"), line.number)
    found["vlan.addresses"] = addresses(line)
    yield from observe_settings(place, found, output)
