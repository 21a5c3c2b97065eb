"""Settings from configuration lines. A line sets a path; a malformed one leaves it unknown; none leaves its default."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from wirespeed.facts import Observation, State
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.indented_config import Line, lines_after, numbers
from wirespeed.settings import Place
from wirespeed.units import Quantity

Found = dict[str, tuple[Any, int]]
"""Path to value and line number (0: no single line); a None value marks a line that was malformed."""

Reader = Callable[[str], Any]
"""The text after a line's keywords to a value; None when it is malformed."""


def read_settings(lines: Iterable[Line], table: Mapping[str, tuple[str, Reader]]) -> Found:
    """The settings of a block. Of several lines for one path the last wins, as on the device."""
    found: Found = {}
    for line in lines:
        words = line.words
        for length in range(min(len(words), 4), 0, -1):
            entry = table.get(" ".join(words[:length]))
            if entry is not None:
                path, reader = entry
                found[path] = (reader(" ".join(words[length:])), line.number)
                break
    return found


def set_defaults(found: Found, values: Mapping[str, Any], line: int) -> None:
    """Give what no line set the value that is then in effect."""
    for path, value in values.items():
        found.setdefault(path, (value, line))


def observe_settings(place: Place, found: Found, output: Output, state: State = State.RUNNING) -> Iterator[Observation]:
    """What was found and made sense."""
    for path, (value, line) in found.items():
        if value is not None:
            yield Observation(place, path, value, output.source_of_line(line) if line else output.source, state)


def flag(value: Any) -> Reader:
    """A line without operands that means this value."""
    return lambda rest: value if rest == "" else None


def parse_number(rest: str) -> int | None:
    """A whole number."""
    return int(rest) if re.fullmatch(r"[0-9]{1,10}", rest) else None


def quantity(kind: type[Quantity], unit: str, suffix: str = "") -> Reader:
    """A whole number of a unit, which the line abbreviates to ``suffix``: ``400G``."""

    def parse(rest: str) -> Quantity | None:
        number = parse_number(rest.removesuffix(suffix)) if rest.endswith(suffix) else None
        return None if number is None else kind.from_unit(number, unit)

    return parse


def choice(values: Mapping[str, Any]) -> Reader:
    """One of these keywords."""
    return values.get


def text(rest: str) -> str | None:
    """Free text, without the quotes some systems put round it."""
    unquoted = rest[1:-1] if len(rest) > 1 and rest[0] == rest[-1] == '"' else rest
    return unquoted or None


_VRF = re.compile(r"(ip )?vrf ")


def addresses(line: Line) -> tuple[tuple[str, ...] | None, int]:
    """The addresses of an interface block, IPv4 first, and the line of the first; None when one makes no sense."""
    found: list[tuple[Line, str | None]] = []
    if other := next((inner for inner in line.inner if _VRF.match(inner.text)), None):
        return None, other.number  # of another routing table than the fabric's
    for family, prefix in ((4, "ip address"), (6, "ipv6 address")):
        found += [
            (inner, _address(rest.removesuffix(" secondary"), family))
            for inner, rest in lines_after(line.inner, prefix)
        ]
    if any(address is None for _, address in found):
        return None, line.number
    return tuple(address for _, address in found if address), found[0][0].number if found else line.number


def _address(text: str, family: int) -> str | None:
    """An address with its prefix length, spelled as RFC 5952 has it; None for anything else."""
    if re.fullmatch(r"[0-9a-fA-F.:]+/[0-9]{1,3}", text) is None:
        return None
    try:
        address = ipaddress.ip_interface(text)
    except ValueError:
        return None
    return str(address) if address.version == family else None


def defined_vlans(top: Iterable[Line]) -> set[int] | None:
    """The VLANs that lines ``vlan 1,11-18`` define, 1 always being there; None when one of them makes no sense."""
    found = {1}
    for _, rest in lines_after(top, "vlan"):
        if rest[:1].isdecimal():
            listed = numbers(rest)
            if listed is None:
                return None
            found.update(listed)
    return found


ON_OFF = choice({"on": True, "off": False})
