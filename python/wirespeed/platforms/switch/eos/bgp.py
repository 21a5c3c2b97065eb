"""``router bgp`` of a running configuration: the speaker and its sessions.

Spelling and order: Arista AVD's templates, and configurations that cEOS printed. A session takes from its peer group
what its own lines do not set. Lines of a VRF are within the VRF's block and are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network

from wirespeed.facts import COMPLETE, Observation, State
from wirespeed.platforms.declaration import list_declared_defaults
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.config_reader import (
    Reader,
    ReadValues,
    flag,
    observe_settings,
    parse_asn,
    read_settings,
    set_defaults,
)
from wirespeed.platforms.switch.eos.interfaces import expand_interfaces
from wirespeed.platforms.switch.indented_config import Line, lines_after
from wirespeed.settings import Place


def _parse_number(argument: str) -> int | None:
    """``maximum-paths 64`` and ``maximum-paths 64 ecmp 64``: paths, and the most that any protocol may have."""
    match = re.fullmatch(r"([0-9]{1,4})( ecmp [0-9]{1,4})?", argument)
    return int(match[1]) if match else None


def _router_id(argument: str) -> str | None:
    try:
        return str(ip_address(argument))
    except ValueError:
        return None


_SPEAKER: Mapping[str, tuple[str, Reader]] = {
    "router-id": ("switch.bgp.router_id", _router_id),
    "maximum-paths": ("switch.bgp.maximum_paths", _parse_number),
    "bgp bestpath as-path multipath-relax": ("switch.bgp.multipath_relax", flag(True)),
}
_NOT_RELAXED = "no bgp bestpath as-path multipath-relax"


@dataclass(slots=True)
class _SessionLines:
    """Settings in the lines of a session or of a peer group."""

    line: int
    found: ReadValues = field(default_factory=dict)
    group: str | None = None
    port: bool = False


def bgp(switch: Place, top: list[Line], output: Output) -> Iterator[Observation]:
    """The speaker, and the sessions of the default VRF."""
    line = next((line for line in top if re.fullmatch(r"router bgp [0-9.]+", line.text)), None)
    if line is None:
        yield Observation(switch, "switch.peers", COMPLETE, output.source)
        return
    yield from _read_speaker(switch, line, output)
    ports = [name for _, name in lines_after(top, "interface") if name.startswith("Ethernet")]
    sessions, whole = _read_sessions(line, ports)
    for name, session in sessions.items():
        yield from observe_settings(switch.child("peer", name), session, output)
    if whole:
        yield Observation(switch, "switch.peers", COMPLETE, output.source)


def _read_speaker(switch: Place, line: Line, output: Output) -> Iterator[Observation]:
    read_values = read_settings(line.inner, _SPEAKER)
    read_values["switch.bgp.asn"] = (parse_asn(line.words[2]), line.number)
    set_defaults(read_values, list_declared_defaults("switch/eos", "switch.bgp.maximum_paths"), line.number)
    for inner in line.inner:
        if inner.text == _NOT_RELAXED:
            read_values["switch.bgp.multipath_relax"] = (False, inner.number)
    if "switch.bgp.multipath_relax" not in read_values:  # no source confirms that it is on by default
        assumed_settings: ReadValues = {"switch.bgp.multipath_relax": (True, line.number)}
        yield from observe_settings(switch, assumed_settings, output, State.ASSUMED)
    read_values["switch.bgp.networks"] = _read_networks(line)
    yield from observe_settings(switch, read_values, output)


def _read_networks(line: Line) -> tuple[tuple[str, ...] | None, int]:
    families = [line, *(inner for inner in line.inner if inner.text in ("address-family ipv4", "address-family ipv6"))]
    networks = [
        (inner, argument.partition(" ")[0])
        for family in families
        for inner, argument in lines_after(family.inner, "network")
    ]
    try:
        prefixes = tuple(str(ip_network(prefix)) for _, prefix in networks)
    except ValueError:
        return None, line.number
    return prefixes, networks[0][0].number if networks else line.number


def _read_sessions(line: Line, ports: Iterable[str]) -> tuple[dict[str, ReadValues], bool]:
    """Sessions by name, and whether they are all: every line of one was understood, and none is accepted by range."""
    groups: dict[str, _SessionLines] = {}
    sessions: dict[str, _SessionLines] = {}
    # Neighbours of a range have sessions without a line of theirs.
    whole = not any(lines_after(line.inner, "bgp listen range"))
    for inner in line.inner:
        argument = inner.text_after("neighbor")
        if argument is None:
            continue
        words = argument.split()
        if words[:1] == ["interface"]:
            names = expand_interfaces(words[1], ports) if len(words) > 1 else None
            whole = whole and names is not None
            for name in names or ():
                sessions[name] = _port_session(inner, words[2:])
        elif len(words) > 1:
            address = _session_name(words[0])
            owners = groups if address is None else sessions
            _record_session(
                owners.setdefault(address or words[0], _SessionLines(inner.number)), inner, argument.partition(" ")[2]
            )
    _refuse(line, sessions, groups)
    _activate(line, sessions, groups)
    return {name: _read_effective(session, groups) for name, session in sessions.items()}, whole


def _session_name(word: str) -> str | None:
    try:
        return str(ip_address(word))
    except ValueError:
        return None


def _port_session(line: Line, words: list[str]) -> _SessionLines:
    session = _SessionLines(line.number, port=True)
    for key, value in zip(words[::2], words[1::2], strict=False):
        if key == "peer-group":
            session.group = value
        elif key == "remote-as":
            session.found["peer.asn"] = (parse_asn(value), line.number)
    return session


def _record_session(session: _SessionLines, line: Line, argument: str) -> None:
    if match := re.fullmatch(r"peer[ -]group (\S+)", argument):
        session.group = match[1]
    elif match := re.fullmatch(r"remote-as (\S+)", argument):
        session.found["peer.asn"] = (parse_asn(match[1]), line.number)
    elif match := re.fullmatch(r"description (.+)", argument):
        session.found["peer.description"] = (match[1], line.number)
    elif argument == "bfd":
        session.found["peer.bfd"] = (True, line.number)


def _refuse(line: Line, sessions: Mapping[str, _SessionLines], groups: Mapping[str, _SessionLines]) -> None:
    """``no neighbor … bfd``, which overrides the group."""
    for inner, argument in lines_after(line.inner, "no neighbor"):
        name, _, option = argument.partition(" ")
        session = sessions.get(_session_name(name) or "") or groups.get(name)
        if session is not None and option == "bfd":
            session.found["peer.bfd"] = (False, inner.number)


def _activate(line: Line, sessions: Mapping[str, _SessionLines], groups: Mapping[str, _SessionLines]) -> None:
    """Address families of sessions and groups; IPv4 is on for all unless the speaker disables it."""
    if not any(inner.text == "no bgp default ipv4-unicast" for inner in line.inner):
        for session in sessions.values():
            session.found.setdefault("default.ipv4", (True, session.line))
    for family in ("ipv4", "ipv6"):
        blocks = [inner for inner in line.inner if inner.text == f"address-family {family}"]
        for inner in (inner_line for block in blocks for inner_line in block.inner):
            match = re.fullmatch(r"(no )?neighbor (\S+) activate", inner.text)
            if match is None:
                continue
            session_lines = sessions.get(_session_name(match[2]) or "") or groups.get(match[2])
            if session_lines is not None:
                session_lines.found[f"peer.{family}"] = (match[1] is None, inner.number)


def _read_effective(session: _SessionLines, groups: Mapping[str, _SessionLines]) -> ReadValues:
    values = dict(session.found)
    ipv4 = values.pop("default.ipv4", (False, session.line))
    group = groups.get(session.group or "")
    read_values: ReadValues = {
        **(group.found if group else {}),
        **values,
        "peer.unnumbered": (session.port, session.line),
    }
    read_values.setdefault("peer.ipv4", ipv4)
    set_defaults(read_values, list_declared_defaults("switch/eos", "peer.ipv6", "peer.bfd"), session.line)
    return read_values
