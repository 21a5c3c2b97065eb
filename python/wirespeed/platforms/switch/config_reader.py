"""Settings from configuration lines. A malformed line makes its setting unknown; without a line it has its default."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from wirespeed.facts import Observation, State
from wirespeed.number_ranges import parse_ranges
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.indented_config import Line, lines_after, numbers
from wirespeed.settings import Place
from wirespeed.units import Bandwidth, Quantity

ReadValues = dict[str, tuple[Any, int]]
"""Path to value and line number (0: no single line); a None value marks a line that was malformed."""

Reader = Callable[[str], Any]
"""Converts the text after a line's keywords to a value. None if it is malformed."""


def read_settings(lines: Iterable[Line], table: Mapping[str, tuple[str, Reader]]) -> ReadValues:
    """The settings of a block. Of several lines for one path the last wins, as on the device."""
    read_values: ReadValues = {}
    for line in lines:
        words = line.words
        for length in range(min(len(words), 4), 0, -1):
            entry = table.get(" ".join(words[:length]))
            if entry is not None:
                path, reader = entry
                read_values[path] = (reader(" ".join(words[length:])), line.number)
                break
    return read_values


def set_defaults(read_values: ReadValues, values: Mapping[str, Any], line: int) -> None:
    """Add the default of every setting without a line."""
    for path, value in values.items():
        read_values.setdefault(path, (value, line))


def observe_settings(
    place: Place, read_values: ReadValues, output: Output, state: State = State.RUNNING
) -> Iterator[Observation]:
    """Observations of the values that are valid."""
    for path, (value, line) in read_values.items():
        if value is not None:
            yield Observation(place, path, value, output.source_of_line(line) if line else output.source, state)


def find_smallest_shape(*shapes: tuple[Bandwidth | None, int]) -> tuple[Bandwidth | None, int]:
    """The shaper in effect of those of a queue and of its port: 0 is none, None one that was not read."""
    limits = [shape for shape in shapes if shape[0] != 0]
    return min(limits or shapes, key=lambda shape: -1 if shape[0] is None else shape[0])


def flag(value: Any) -> Reader:
    """A line without operands that means this value."""
    return lambda argument: value if argument == "" else None


def parse_number(argument: str) -> int | None:
    """A whole number."""
    return int(argument) if re.fullmatch(r"[0-9]{1,10}", argument) else None


_AS_DOT = 1 << 16


def parse_asn(text: str) -> int | None:
    """A number of an autonomous system, also as ``65120.12100`` (RFC 5396)."""
    match = re.fullmatch(r"(?:([0-9]{1,5})\.)?([0-9]{1,10})", text)
    if match is None or (match[1] and int(match[2]) >= _AS_DOT):
        return None
    return int(match[1] or 0) * _AS_DOT + int(match[2])


def quantity(kind: type[Quantity], unit: str, suffix: str = "") -> Reader:
    """A whole number of a unit, which the line abbreviates to ``suffix``: ``400G``."""

    def parse(argument: str) -> Quantity | None:
        number = parse_number(argument.removesuffix(suffix)) if argument.endswith(suffix) else None
        return None if number is None else kind.from_unit(number, unit)

    return parse


def choice(values: Mapping[str, Any]) -> Reader:
    """One of these keywords."""
    return values.get


def text(argument: str) -> str | None:
    """Free text, without the quotes some systems put round it."""
    unquoted_text = argument[1:-1] if len(argument) > 1 and argument[0] == argument[-1] == '"' else argument
    return unquoted_text or None


_VRF = re.compile(r"(ip )?vrf ")
_OPTIONS = re.compile(r"( secondary)?( route-preference [0-9]+)?( tag [0-9]+)?$")
"""Behind an address: the last two are of the route to its network (NX-OS; batfish, nxos_interface_ip_address)."""


def addresses(line: Line) -> tuple[tuple[str, ...] | None, int]:
    """The addresses of an interface block, IPv4 first, and the line of the first. None if one is malformed."""
    addresses_by_line: list[tuple[Line, str | None]] = []
    if other_entry := next((inner for inner in line.inner if _VRF.match(inner.text)), None):
        return None, other_entry.number  # of another routing table than the fabric's
    for family, prefix in ((4, "ip address"), (6, "ipv6 address")):
        addresses_by_line += [
            (inner, _parse_address(_OPTIONS.sub("", argument), family))
            for inner, argument in lines_after(line.inner, prefix)
        ]
    if any(address is None for _, address in addresses_by_line):
        return None, line.number
    return tuple(address for _, address in addresses_by_line if address), addresses_by_line[0][
        0
    ].number if addresses_by_line else line.number


def _parse_address(text: str, family: int) -> str | None:
    """An address with its prefix length, spelled as RFC 5952 has it; None for other texts."""
    if re.fullmatch(r"[0-9a-fA-F.:]+/[0-9]{1,3}", text) is None:
        return None
    try:
        address = ipaddress.ip_interface(text)
    except ValueError:
        return None
    return str(address) if address.version == family else None


def list_defined_vlans(top: Iterable[Line]) -> set[int] | None:
    """The VLANs of lines ``vlan 1,11-18``, and VLAN 1. None if a line is malformed."""
    read_values = {1}
    for _, argument in lines_after(top, "vlan"):
        if argument[:1].isdecimal():
            members = numbers(argument)
            if members is None:
                return None
            read_values.update(members)
    return read_values


_DEFAULT_NATIVE_VLAN = 1


def read_native_vlan(line: Line) -> tuple[int | None, int]:
    """The VLAN of untagged frames on a trunk, which ignores its access VLAN; 0 if it drops them.

    The native VLAN is 1 by default, and all VLANs are allowed (Arista EOS User Manual, Virtual LANs, and Cisco Nexus
    9000 Series NX-OS Interfaces Configuration Guide, Layer 2 Interfaces: ``switchport trunk native vlan``, ``switchport
    trunk allowed vlan``). A long list continues in lines with ``add``.
    """
    native: int | None = _DEFAULT_NATIVE_VLAN
    number = line.number
    for inner, argument in lines_after(line.inner, "switchport trunk native vlan"):
        native, number = 0 if argument == "tag" else parse_number(argument), inner.number
    allowed: frozenset[int] | None = None
    allowed_line = number
    for inner, argument in lines_after(line.inner, "switchport trunk allowed vlan"):
        vlans = frozenset[int]() if argument == "none" else parse_ranges(argument.removeprefix("add "))
        if vlans is None:
            return None, inner.number
        allowed, allowed_line = (allowed or frozenset()) | vlans, inner.number
    if native is not None and allowed is not None and native not in allowed:
        return 0, allowed_line
    return native, number


ON_OFF = choice({"on": True, "off": False})

VLAN_SETTINGS: Mapping[str, tuple[str, Reader]] = {
    "description": ("vlan.description", text),
    "mtu": ("vlan.mtu", parse_number),
}
"""Lines of the interface of a VLAN."""

CHANNEL_SETTINGS = ("port.link.mtu", "port.vlan", "port.addresses", "port.unnumbered")
"""Settings that a port takes from its port channel."""

BYTE_UNITS = {"bytes": 1, "kbytes": 1000, "mbytes": 1_000_000}
"""Bytes in each unit of a WRED threshold."""

RATE_PREFIXES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
"""Bits per second of each prefix of a shaper's rate."""
