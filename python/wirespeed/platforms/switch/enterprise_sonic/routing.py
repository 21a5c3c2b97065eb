"""``router bgp``: the speaker and its sessions, and the state of the sessions.

Forms: dellemc.enterprise_sonic, examples of sonic_bgp, sonic_bgp_af, sonic_bgp_neighbors and sonic_bgp_neighbors_af.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from wirespeed.facts import COMPLETE, Observation
from wirespeed.platforms.declaration import list_declared_defaults
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.config_reader import (
    Reader,
    ReadValues,
    flag,
    observe_settings,
    parse_number,
    read_settings,
    set_defaults,
    text,
)
from wirespeed.platforms.switch.indented_config import Line, lines_after
from wirespeed.settings import Place

_FAMILIES = {"ipv4 unicast": "peer.ipv4", "ipv6 unicast": "peer.ipv6"}


def _parse_address(argument: str) -> str | None:
    try:
        return str(ipaddress.ip_address(argument))
    except ValueError:
        return None


_SPEAKER: Mapping[str, tuple[str, Reader]] = {
    "router-id": ("switch.bgp.router_id", _parse_address),
    "bestpath as-path multipath-relax": ("switch.bgp.multipath_relax", flag(True)),
}
_PEER: Mapping[str, tuple[str, Reader]] = {
    "remote-as": ("peer.asn", parse_number),
    "description": ("peer.description", text),
    "bfd": ("peer.bfd", lambda argument: True),  # a profile may follow
}


def bgp(switch: Place, top: list[Line], output: Output) -> Iterator[Observation]:
    """The default instance; those of a VRF carry no traffic of the fabric."""
    speakers = list(_read_whole(top))
    for line, argument in lines_after(speakers, "router bgp"):
        if " vrf " in f" {argument} ":
            continue
        read_values = read_settings(line.inner, _SPEAKER)
        read_values["switch.bgp.asn"] = (parse_number(argument), line.number)
        set_defaults(
            read_values, list_declared_defaults("switch/enterprise_sonic", "switch.bgp.multipath_relax"), line.number
        )
        read_values.update(_list_families(line))
        yield from observe_settings(switch, read_values, output)
        groups = {name: inner for inner, name in lines_after(line.inner, "peer-group")}
        for inner, name in lines_after(line.inner, "neighbor"):
            yield from _read_peer(switch, inner, name, groups, output)
        # Blocks after it may have been cut off; and neighbours of a range have sessions without a block of theirs.
        if not any(inner in top or "listen" in inner.words for inner in line.inner):
            yield Observation(switch, "switch.peers", COMPLETE, output.source_of_line(line.number))


def _read_whole(top: list[Line]) -> Iterator[Line]:
    """Speakers with all their blocks: the examples print the blocks within ``router bgp`` or, as far in, after it."""
    speaker: Line | None = None
    for line in top:
        if speaker is not None and line.words[0] in ("neighbor", "peer-group", "address-family"):
            speaker.inner.append(line)
            continue
        if speaker is not None:
            yield speaker
        speaker = replace(line, inner=list(line.inner)) if line.text_after("router bgp") else None
    if speaker is not None:
        yield speaker


def _list_families(line: Line) -> ReadValues:
    """Paths and prefixes of both address families. The fewest paths count: a route of that family has no more."""
    networks: list[str] = []
    paths: list[int | None] = []
    line_number = line.number
    for block, family in lines_after(line.inner, "address-family"):
        if family not in _FAMILIES:
            continue
        line_number = line_number if line_number != line.number else block.number
        networks += [argument.split()[0] for _, argument in lines_after(block.inner, "network") if argument]
        path_counts = [
            parse_number(argument)
            for _, argument in lines_after(block.inner, "maximum-paths")
            if not argument.startswith("ibgp")
        ]
        paths += path_counts or [1]  # BGP uses one path by default (RFC 4271, section 9.1.2)
    read_values: ReadValues = {"switch.bgp.networks": (tuple(networks), line_number)}
    path_numbers = [number for number in paths if number is not None]
    if path_numbers and len(path_numbers) == len(paths):
        read_values["switch.bgp.maximum_paths"] = (min(path_numbers), line_number)
    return read_values


def _read_peer(
    switch: Place, line: Line, name: str, groups: Mapping[str, Line], output: Output
) -> Iterator[Observation]:
    """A session; settings it lacks come from its peer group."""
    port = re.fullmatch(r"interface (Eth(?:ernet)?) ?([0-9/]+)", name)
    key = port[1] + port[2] if port else _parse_address(name)
    if key is None:
        return
    group_name = next((argument for _, argument in lines_after(line.inner, "peer-group")), None)
    if group_name is not None and group_name not in groups:
        return
    group = [] if group_name is None else groups[group_name].inner
    settings = [inner for inner in group if inner.words[0] != "description"] + line.inner
    read_values = read_settings(settings, _PEER)
    set_defaults(read_values, list_declared_defaults("switch/enterprise_sonic", "peer.bfd"), line.number)
    read_values["peer.unnumbered"] = (port is not None, line.number)
    for family, path in _FAMILIES.items():
        blocks = [inner for inner, argument in lines_after(settings, "address-family") if argument == family]
        active = any(inner.text == "activate" for block in blocks for inner in block.inner)
        read_values[path] = (active, blocks[-1].number if blocks else line.number)
    yield from observe_settings(switch.child("peer", key), read_values, output)


def bgp_summary(switch: Place, output: Output) -> Iterator[Observation]:
    """States of the sessions: the last cell is a number of prefixes once a session is established."""
    columns: list[str] = []
    for number, line in enumerate(output.text.split("\n")[:-1], start=1):
        cells = line.split()
        if cells[:1] == ["Neighbor"]:
            columns = cells
        elif columns and len(cells) == len(columns) and columns[-1] == "State/PfxRcd":
            state = "Established" if cells[-1].isdecimal() else cells[-1]
            yield Observation(switch.child("peer", cells[0]), "peer.state", state, output.source_of_line(number))
