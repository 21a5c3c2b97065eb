"""``show configuration``: the switch, its VLANs and ports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wirespeed.facts import COMPLETE, Observation, State
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.config_reader import (
    CHANNEL_SETTINGS,
    ReadValues,
    observe_settings,
    parse_number,
    quantity,
    read_settings,
    text,
)
from wirespeed.platforms.switch.indented_config import Line, lines_after
from wirespeed.platforms.switch.junos.commands import DEFAULT_FLOWLET_GAP, DEFAULT_PHYSICAL_MTU, FEC_KEYWORDS, L2_HEADER
from wirespeed.platforms.switch.junos.config_text import (
    ADDRESS,
    PORT_NAME,
    block,
    has_inheritance,
    lines_inside,
    statements,
    values,
)
from wirespeed.platforms.switch.junos.cos import find_bundle, port_cos, read_cos, watchdog_poll
from wirespeed.platforms.switch.junos.routing import accepts_any_peer, bgp, loopbacks, peers
from wirespeed.settings import Place
from wirespeed.units import Bandwidth, Duration

_PARTITIONS = {
    "ingress": {"lossless": "lossless_share", "lossless-headroom": "headroom_share", "lossy": "lossy_share"},
    "egress": {"lossless": "egress_lossless_share", "lossy": "egress_lossy_share"},
}


@dataclass(frozen=True, slots=True)
class Names:
    """VLAN numbers by name."""

    numbers: Mapping[str, int]

    def parse_numbers(self, members: list[str]) -> list[int] | None:
        """The numbers of members; None when one of them is no VLAN known here, such as a range or ``all``."""
        numbers = [int(member) if member.isdecimal() else self.numbers.get(member) for member in members]
        return None if None in numbers else sorted(value for value in numbers if value is not None)


def configuration(switch: Place, output: Output) -> Iterator[Observation]:
    """All settings of a configuration; nothing if its braces do not match, since it is truncated."""
    top = statements(output.text)
    if not top or not has_inheritance(top, output.text):
        return
    read_values = _read_switch(top)
    lldp = lines_inside(top, "protocols", "lldp")
    if not lldp:
        # Whether LLDP runs without a line differs between factory configurations.
        yield from observe_settings(switch, {"switch.lldp": (False, 0)}, output, State.ASSUMED)
    cos = read_cos(top)
    interfaces = lines_inside(top, "interfaces")
    ports = [line for line in interfaces if _is_port(line)]
    read_values |= watchdog_poll(cos, [line.text for line in ports])
    read_values |= bgp(top) | loopbacks(top)
    yield from observe_settings(switch, read_values, output)
    yield from peers(switch, top, output)
    vlans = {line.text: line for line in lines_inside(top, "vlans")}
    numbers = {name: _vlan_number(line) for name, line in vlans.items()}
    names = Names({name: number for name, number in numbers.items() if number is not None})
    advertised_ports = {line.text for line in lines_inside(top, "protocols", "router-advertisement")}
    elsewhere = {
        argument.removesuffix(".0")
        for instance in lines_inside(top, "routing-instances")
        for _, argument in lines_after(instance.inner, "interface")
    }
    for line in ports:
        place = switch.child("port", line.text)
        yield from _read_port(place, line, interfaces, names, advertised_ports, line.text in elsewhere, output)
        yield from port_cos(place, line, cos, output)
    irb = block(interfaces, "irb")
    for name, line in vlans.items():
        if (number := names.numbers.get(name)) is not None:
            yield from _read_vlan(switch.child("vlan", str(number)), line, irb, output)
    yield Observation(switch, "switch.ports", COMPLETE, output.source)
    yield Observation(switch, "switch.vlans", COMPLETE, output.source)
    if not accepts_any_peer(top):
        yield Observation(switch, "switch.peers", COMPLETE, output.source)


def _is_port(line: Line) -> bool:
    """A port, not the cage of sub-ports."""
    return PORT_NAME.fullmatch(line.text) is not None and not any(lines_after(line.inner, "number-of-sub-ports"))


def _read_switch(top: list[Line]) -> ReadValues:
    read_values: ReadValues = {"switch.routing": (True, 0)}
    lldp = block(top, "protocols", "lldp")
    if lldp is not None and lldp.inner:
        disable_line = next((line for line in lldp.inner if line.text == "disable"), None)
        read_values["switch.lldp"] = (disable_line is None, (disable_line or lldp).number)
    read_values |= _load_balancing(top) | _read_buffers(lines_inside(top, "class-of-service"))
    return read_values


def _load_balancing(top: list[Line]) -> ReadValues:
    read_values: ReadValues = {}
    key = block(top, "forwarding-options", "hash-key", "family inet")
    if key is not None:
        read_values["switch.load_balancing.hash_fields"] = (frozenset(line.text for line in key.inner), key.number)
    dynamic = block(top, "forwarding-options", "enhanced-hash-key", "ecmp-dlb")
    if dynamic is None:
        return {**read_values, "switch.load_balancing.mode": ("static", 0)}
    modes = [line for line in dynamic.inner if line.text in ("flowlet", "per-packet", "assigned-flow")]
    if len(modes) != 1 or not _several_next_hops(top):
        return read_values
    read_values["switch.load_balancing.mode"] = (modes[0].text, modes[0].number)
    if modes[0].text == "flowlet":
        read_in = read_settings(
            modes[0].inner,
            {
                "inactivity-interval": ("switch.load_balancing.flowlet_gap", quantity(Duration, "us")),
                "flowset-table-size": ("switch.load_balancing.flowlet_table", parse_number),
            },
        )
        read_in.setdefault("switch.load_balancing.flowlet_gap", (DEFAULT_FLOWLET_GAP, modes[0].number))
        read_values |= read_in
    return read_values


def _several_next_hops(top: list[Line]) -> bool:
    """Whether a policy exports all equal-cost paths to the forwarding table; without one it has a single next hop."""
    exported_policies = {
        name
        for _, argument in lines_after(lines_inside(top, "routing-options", "forwarding-table"), "export")
        for name in values(argument)
    }
    policies = [block(lines_inside(top, "policy-options"), f"policy-statement {name}") for name in exported_policies]
    return any("load-balance per-packet" in _read_texts(policy.inner) for policy in policies if policy is not None)


def _read_texts(lines: list[Line]) -> Iterator[str]:
    for line in lines:
        yield line.text.removeprefix("then ")
        yield from _read_texts(line.inner)


def _read_buffers(cos: list[Line]) -> ReadValues:
    read_values: ReadValues = {}
    for side, partitions in _PARTITIONS.items():
        for line, name in lines_after(lines_inside(cos, "shared-buffer", side), "buffer-partition"):
            if name in partitions:
                read_values |= read_settings(
                    line.inner, {"percent": (f"switch.buffers.{partitions[name]}", parse_number)}
                )
            if (side, name) == ("ingress", "lossless"):
                read_values |= read_settings(
                    line.inner, {"dynamic-threshold": ("switch.buffers.dynamic_threshold", parse_number)}
                )
        read_values |= read_settings(
            lines_inside(cos, "dedicated-buffer", side), {"percent": (f"switch.buffers.dedicated_{side}", parse_number)}
        )
    return read_values


def _read_port(
    place: Place,
    line: Line,
    interfaces: list[Line],
    names: Names,
    advertised_ports: set[str],
    elsewhere: bool,  # in a separate routing instance
    output: Output,
) -> Iterator[Observation]:
    read_values = read_settings(line.inner, {"description": ("port.description", text)})
    disable_line = next((inner for inner in line.inner if inner.text == "disable"), None)
    for options in ("ether-options", "gigether-options"):
        configured = read_settings(lines_inside(line.inner, options), {"fec": ("port.link.fec", FEC_KEYWORDS.get)})
        yield from observe_settings(place, configured, output, State.CONFIGURED)
    read_values["port.link.enabled"] = (disable_line is None, (disable_line or line).number)
    unit = lines_inside(line.inner, "unit 0")
    switching_line = block(unit, "family ethernet-switching")
    read_values["port.link.mtu"] = _read_mtu(line, unit)
    if switching_line is not None:
        read_values |= _read_vlans(line, switching_line, names)
    family_lines = [inner for family in ("inet", "inet6") for inner in lines_inside(unit, f"family {family}")]
    read_values["port.addresses"] = _read_addresses(family_lines, line.number)
    bare = block(unit, "family inet6") is not None and read_values["port.addresses"][0] == ()
    if elsewhere:
        read_values["port.addresses"] = (None, line.number)
    read_values["port.unnumbered"] = (bare and f"interface {line.text}.0" in advertised_ports, line.number)
    if find_bundle(line) is not None:  # then the aggregate's counts
        read_values = {path: value for path, value in read_values.items() if path not in CHANNEL_SETTINGS}
    yield from observe_settings(place, read_values, output)
    yield from _read_speed(place, line, interfaces, output)


def _read_mtu(line: Line, unit: list[Line]) -> tuple[int | None, int]:
    """The largest IP packet: that of the address families, and what the physical MTU leaves."""
    physical = read_settings(line.inner, {"mtu": ("mtu", parse_number)}).get("mtu", (DEFAULT_PHYSICAL_MTU, line.number))
    if physical[0] is None or physical[0] < L2_HEADER:
        return None, physical[1]
    smallest = (physical[0] - L2_HEADER, physical[1])
    for family in ("inet", "inet6"):
        inner = read_settings(lines_inside(unit, f"family {family}"), {"mtu": ("mtu", parse_number)}).get("mtu")
        if inner is not None:
            if inner[0] is None:
                return inner
            smallest = min(smallest, inner)
    return smallest


def _read_addresses(lines: list[Line], number: int) -> tuple[tuple[str, ...] | None, int]:
    if any(line.words[0] in ("dhcp", "dhcp-client") for line in lines):
        return None, number
    members = [line for line in lines if line.text.startswith("address ")]
    matches = [ADDRESS.fullmatch(line.text) for line in members]
    if not all(matches):
        return None, number
    return tuple(match[1] for match in matches if match), members[0].number if members else number


def _read_vlans(line: Line, switching_line: Line, names: Names) -> ReadValues:
    mode = read_settings(switching_line.inner, {"interface-mode": ("mode", text)}).get(
        "mode", ("access", switching_line.number)
    )[0]
    # "vlan { members vn2; }", and "vlan members vn2" where it is on one line.
    members_lines = [
        *lines_after(lines_inside(switching_line.inner, "vlan"), "members"),
        *lines_after(switching_line.inner, "vlan members"),
    ]
    if len(members_lines) != 1:
        return {}
    members, number = names.parse_numbers(values(members_lines[0][1])), members_lines[0][0].number
    if members is None:
        return {}
    if mode == "access":
        return {"port.vlan": (members[0] if len(members) == 1 else None, number)}
    # Juniper, native-vlan-id (QFX Series): by default, untagged packets are dropped on trunk interfaces.
    native: ReadValues = {"port.vlan": (0, number)}
    native |= read_settings(line.inner, {"native-vlan-id": ("port.vlan", parse_number)})
    tagged_vlans = tuple(member for member in members if member != native["port.vlan"][0])
    return {**native, "port.tagged_vlans": (tagged_vlans, number)}


def _read_speed(place: Place, line: Line, interfaces: list[Line], output: Output) -> Iterator[Observation]:
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
    read_values: Any = read_settings(line.inner, {"vlan-id": ("number", parse_number)}).get("number", (None, 0))[0]
    return read_values if isinstance(read_values, int) and 0 < read_values < 4095 else None


def _read_vlan(place: Place, line: Line, irb: Line | None, output: Output) -> Iterator[Observation]:
    read_values = read_settings(line.inner, {"description": ("vlan.description", text)})
    is_routed = next((argument for _, argument in lines_after(line.inner, "l3-interface")), "")
    unit = block(irb.inner, f"unit {is_routed.removeprefix('irb.')}") if irb and is_routed.startswith("irb.") else None
    if unit is None or irb is None:
        read_values["vlan.addresses"] = ((), line.number)
    else:
        family_lines = [inner for family in ("inet", "inet6") for inner in lines_inside(unit.inner, f"family {family}")]
        read_values["vlan.addresses"] = _read_addresses(family_lines, unit.number)
        read_values["vlan.mtu"] = _read_mtu(irb, unit.inner)
    yield from observe_settings(place, read_values, output)
