"""``show configuration``: the switch, its VLANs and ports."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wirespeed.facts import COMPLETE, Observation, State
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.config_reader import (
    Found,
    observe_settings,
    parse_number,
    quantity,
    read_settings,
    text,
)
from wirespeed.platforms.switch.indented_config import Line, lines_after
from wirespeed.platforms.switch.junos.commands import DEFAULT_FLOWLET_GAP, DEFAULT_PHYSICAL_MTU, L2_HEADER
from wirespeed.platforms.switch.junos.config_text import block, has_inheritance, lines_inside, statements, values
from wirespeed.platforms.switch.junos.cos import bundle_of, cos_of, port_cos, watchdog_poll
from wirespeed.platforms.switch.junos.routing import bgp, loopbacks, peers
from wirespeed.settings import Place
from wirespeed.units import Bandwidth, Duration

_PORT = re.compile(r"et-[0-9]+/[0-9]+/[0-9]+(:[0-9]+)?")
_ADDRESS = re.compile(r"address ([0-9a-fA-F.:]+/[0-9]{1,3})")
_PARTITIONS = {
    "ingress": {"lossless": "lossless_share", "lossless-headroom": "headroom_share", "lossy": "lossy_share"},
    "egress": {"lossless": "egress_lossless_share", "lossy": "egress_lossy_share"},
}


_CHANNEL_SETTINGS = ("port.link.mtu", "port.addresses", "port.unnumbered")
"""What a port in an aggregated interface has from that."""


@dataclass(frozen=True, slots=True)
class Names:
    """VLAN numbers by name."""

    numbers: Mapping[str, int]

    def numbers_of(self, members: list[str]) -> list[int] | None:
        """The numbers of members; None when one of them is no VLAN known here, such as a range or ``all``."""
        found = [int(member) if member.isdecimal() else self.numbers.get(member) for member in members]
        return None if None in found else sorted(value for value in found if value is not None)


def configuration(switch: Place, output: Output) -> Iterator[Observation]:
    """All settings of a configuration; nothing if its braces do not match, since it is truncated."""
    top = statements(output.text)
    if not top or not has_inheritance(top, output.text):
        return
    found = _switch(top)
    lldp = lines_inside(top, "protocols", "lldp")
    if not lldp:
        # Whether LLDP runs without a line differs between factory configurations.
        yield from observe_settings(switch, {"switch.lldp": (False, 0)}, output, State.ASSUMED)
    cos = cos_of(top)
    interfaces = lines_inside(top, "interfaces")
    ports = [line for line in interfaces if _is_port(line)]
    found |= watchdog_poll(cos, [line.text for line in ports])
    found |= bgp(top) | loopbacks(top)
    yield from observe_settings(switch, found, output)
    yield from peers(switch, top, output)
    vlans = {line.text: line for line in lines_inside(top, "vlans")}
    numbers = {name: _vlan_number(line) for name, line in vlans.items()}
    names = Names({name: number for name, number in numbers.items() if number is not None})
    advertised = {line.text for line in lines_inside(top, "protocols", "router-advertisement")}
    elsewhere = {
        rest.removesuffix(".0")
        for instance in lines_inside(top, "routing-instances")
        for _, rest in lines_after(instance.inner, "interface")
    }
    for line in ports:
        place = switch.child("port", line.text)
        yield from _port(place, line, interfaces, names, advertised, line.text in elsewhere, output)
        yield from port_cos(place, line, cos, output)
    irb = block(interfaces, "irb")
    for name, line in vlans.items():
        if (number := names.numbers.get(name)) is not None:
            yield from _vlan(switch.child("vlan", str(number)), line, irb, output)
    yield Observation(switch, "switch.ports", COMPLETE, output.source)
    yield Observation(switch, "switch.vlans", COMPLETE, output.source)
    yield Observation(switch, "switch.peers", COMPLETE, output.source)


def _is_port(line: Line) -> bool:
    """A port, not the cage of sub-ports."""
    return _PORT.fullmatch(line.text) is not None and not any(lines_after(line.inner, "number-of-sub-ports"))


def _switch(top: list[Line]) -> Found:
    found: Found = {"switch.routing": (True, 0)}
    lldp = block(top, "protocols", "lldp")
    if lldp is not None and lldp.inner:
        off = next((line for line in lldp.inner if line.text == "disable"), None)
        found["switch.lldp"] = (off is None, (off or lldp).number)
    found |= _load_balancing(top) | _buffers(lines_inside(top, "class-of-service"))
    return found


def _load_balancing(top: list[Line]) -> Found:
    found: Found = {}
    key = block(top, "forwarding-options", "hash-key", "family inet")
    if key is not None:
        found["switch.load_balancing.hash_fields"] = (frozenset(line.text for line in key.inner), key.number)
    dynamic = block(top, "forwarding-options", "enhanced-hash-key", "ecmp-dlb")
    if dynamic is None:
        return {**found, "switch.load_balancing.mode": ("static", 0)}
    modes = [line for line in dynamic.inner if line.text in ("flowlet", "per-packet", "assigned-flow")]
    if len(modes) != 1 or not _several_next_hops(top):
        return found
    found["switch.load_balancing.mode"] = (modes[0].text, modes[0].number)
    if modes[0].text == "flowlet":
        read_in = read_settings(
            modes[0].inner,
            {
                "inactivity-interval": ("switch.load_balancing.flowlet_gap", quantity(Duration, "us")),
                "flowset-table-size": ("switch.load_balancing.flowlet_table", parse_number),
            },
        )
        read_in.setdefault("switch.load_balancing.flowlet_gap", (DEFAULT_FLOWLET_GAP, modes[0].number))
        found |= read_in
    return found


def _several_next_hops(top: list[Line]) -> bool:
    """Whether a policy gives the forwarding table all equal paths; without one it has a single next hop to choose."""
    exported = {
        name
        for _, rest in lines_after(lines_inside(top, "routing-options", "forwarding-table"), "export")
        for name in values(rest)
    }
    policies = [block(lines_inside(top, "policy-options"), f"policy-statement {name}") for name in exported]
    return any("load-balance per-packet" in _texts(policy.inner) for policy in policies if policy is not None)


def _texts(lines: list[Line]) -> Iterator[str]:
    for line in lines:
        yield line.text.removeprefix("then ")
        yield from _texts(line.inner)


def _buffers(cos: list[Line]) -> Found:
    found: Found = {}
    for side, partitions in _PARTITIONS.items():
        for line, name in lines_after(lines_inside(cos, "shared-buffer", side), "buffer-partition"):
            if name in partitions:
                found |= read_settings(line.inner, {"percent": (f"switch.buffers.{partitions[name]}", parse_number)})
            if (side, name) == ("ingress", "lossless"):
                found |= read_settings(
                    line.inner, {"dynamic-threshold": ("switch.buffers.dynamic_threshold", parse_number)}
                )
        found |= read_settings(
            lines_inside(cos, "dedicated-buffer", side), {"percent": (f"switch.buffers.dedicated_{side}", parse_number)}
        )
    return found


def _port(
    place: Place,
    line: Line,
    interfaces: list[Line],
    names: Names,
    advertised: set[str],
    elsewhere: bool,  # in a routing instance of its own
    output: Output,
) -> Iterator[Observation]:
    found = read_settings(line.inner, {"description": ("port.description", text)})
    off = next((inner for inner in line.inner if inner.text == "disable"), None)
    found["port.link.enabled"] = (off is None, (off or line).number)
    unit = lines_inside(line.inner, "unit 0")
    switching = block(unit, "family ethernet-switching")
    found["port.link.mtu"] = _mtu(line, unit)
    if switching is not None:
        found |= _vlans(line, switching, names)
    family_lines = [inner for family in ("inet", "inet6") for inner in lines_inside(unit, f"family {family}")]
    found["port.addresses"] = _addresses(family_lines, line.number)
    bare = block(unit, "family inet6") is not None and found["port.addresses"][0] == ()
    if elsewhere:
        found["port.addresses"] = (None, line.number)
    found["port.unnumbered"] = (bare and f"interface {line.text}.0" in advertised, line.number)
    if bundle_of(line) is not None:  # then the aggregate's counts
        found = {path: value for path, value in found.items() if path not in _CHANNEL_SETTINGS}
    yield from observe_settings(place, found, output)
    yield from _speed(place, line, interfaces, output)


def _mtu(line: Line, unit: list[Line]) -> tuple[int | None, int]:
    """The largest IP packet: that of the address families, and what the physical MTU leaves."""
    physical = read_settings(line.inner, {"mtu": ("mtu", parse_number)}).get("mtu", (DEFAULT_PHYSICAL_MTU, line.number))
    if physical[0] is None:
        return physical
    smallest = (physical[0] - L2_HEADER, physical[1])
    for family in ("inet", "inet6"):
        inner = read_settings(lines_inside(unit, f"family {family}"), {"mtu": ("mtu", parse_number)}).get("mtu")
        if inner is not None:
            if inner[0] is None:
                return inner
            smallest = min(smallest, inner)
    return smallest


def _addresses(lines: list[Line], number: int) -> tuple[tuple[str, ...] | None, int]:
    listed = [line for line in lines if line.text.startswith("address ")]
    matches = [_ADDRESS.fullmatch(line.text) for line in listed]
    if not all(matches):
        return None, number
    return tuple(match[1] for match in matches if match), listed[0].number if listed else number


def _vlans(line: Line, switching: Line, names: Names) -> Found:
    mode = read_settings(switching.inner, {"interface-mode": ("mode", text)}).get("mode", ("access", switching.number))[
        0
    ]
    # "vlan { members vn2; }", and "vlan members vn2" where it is on one line.
    members_lines = [
        *lines_after(lines_inside(switching.inner, "vlan"), "members"),
        *lines_after(switching.inner, "vlan members"),
    ]
    if len(members_lines) != 1:
        return {}
    members, number = names.numbers_of(values(members_lines[0][1])), members_lines[0][0].number
    if members is None:
        return {}
    if mode == "access":
        return {"port.vlan": (members[0] if len(members) == 1 else None, number)}
    native = read_settings(line.inner, {"native-vlan-id": ("port.vlan", parse_number)})
    tagged = tuple(member for member in members if "port.vlan" not in native or member != native["port.vlan"][0])
    return {**native, "port.tagged_vlans": (tagged, number)}


def _speed(place: Place, line: Line, interfaces: list[Line], output: Output) -> Iterator[Observation]:
    cage_name, _, part = line.text.partition(":")
    cage = block(interfaces, cage_name) if part else None
    settings = read_settings((cage or line).inner, {"speed": ("port.link.speed", quantity(Bandwidth, "Gb/s", "g"))})
    # Only the configured speed: what the link runs at is in "show interfaces extensive".
    yield from observe_settings(place, settings, output, State.CONFIGURED)
    if cage is not None:
        yield from observe_settings(
            place, read_settings(cage.inner, {"number-of-sub-ports": ("port.breakout", parse_number)}), output
        )


def _vlan_number(line: Line) -> int | None:
    found: Any = read_settings(line.inner, {"vlan-id": ("number", parse_number)}).get("number", (None, 0))[0]
    return found if isinstance(found, int) and 0 < found < 4095 else None


def _vlan(place: Place, line: Line, irb: Line | None, output: Output) -> Iterator[Observation]:
    found = read_settings(line.inner, {"description": ("vlan.description", text)})
    routed = next((rest for _, rest in lines_after(line.inner, "l3-interface")), "")
    unit = block(irb.inner, f"unit {routed.removeprefix('irb.')}") if irb and routed.startswith("irb.") else None
    if unit is None or irb is None:
        found["vlan.addresses"] = ((), line.number)
    else:
        family_lines = [inner for family in ("inet", "inet6") for inner in lines_inside(unit.inner, f"family {family}")]
        found["vlan.addresses"] = _addresses(family_lines, unit.number)
        found["vlan.mtu"] = _mtu(irb, unit.inner)
    yield from observe_settings(place, found, output)
