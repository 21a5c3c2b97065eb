"""``router bgp``: the speaker and its sessions, and the state of the sessions.

Forms: dellemc.enterprise_sonic, examples of sonic_bgp, sonic_bgp_af, sonic_bgp_neighbors and sonic_bgp_neighbors_af.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from wirespeed.facts import COMPLETE, Observation
from wirespeed.platforms.declaration import declared_defaults
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.config_reader import (
    Found,
    Reader,
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


def _address(rest: str) -> str | None:
    try:
        return str(ipaddress.ip_address(rest))
    except ValueError:
        return None


_SPEAKER: Mapping[str, tuple[str, Reader]] = {
    "router-id": ("switch.bgp.router_id", _address),
    "bestpath as-path multipath-relax": ("switch.bgp.multipath_relax", flag(True)),
}
_PEER: Mapping[str, tuple[str, Reader]] = {
    "remote-as": ("peer.asn", parse_number),
    "description": ("peer.description", text),
    "bfd": ("peer.bfd", lambda rest: True),  # a profile may follow
}


def bgp(switch: Place, top: list[Line], output: Output) -> Iterator[Observation]:
    """The default instance; those of a VRF carry no traffic of the fabric."""
    speakers = list(_whole(top))
    for line, rest in lines_after(speakers, "router bgp"):
        if " vrf " in f" {rest} ":
            continue
        found = read_settings(line.inner, _SPEAKER)
        found["switch.bgp.asn"] = (parse_number(rest), line.number)
        set_defaults(found, declared_defaults("switch/enterprise_sonic", "switch.bgp.multipath_relax"), line.number)
        found.update(_families(line))
        yield from observe_settings(switch, found, output)
        groups = {name: inner for inner, name in lines_after(line.inner, "peer-group")}
        for inner, name in lines_after(line.inner, "neighbor"):
            yield from _peer(switch, inner, name, groups, output)
        if not any(inner in top for inner in line.inner):  # else blocks after it may have been cut off
            yield Observation(switch, "switch.peers", COMPLETE, output.source_of_line(line.number))


def _whole(top: list[Line]) -> Iterator[Line]:
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


def _families(line: Line) -> Found:
    """Paths and prefixes of both address families. The fewest paths count: a route of that family has no more."""
    networks: list[str] = []
    paths: list[int | None] = []
    at = line.number
    for block, family in lines_after(line.inner, "address-family"):
        if family not in _FAMILIES:
            continue
        at = at if at != line.number else block.number
        networks += [rest.split()[0] for _, rest in lines_after(block.inner, "network") if rest]
        given = [
            parse_number(rest) for _, rest in lines_after(block.inner, "maximum-paths") if not rest.startswith("ibgp")
        ]
        paths += given or [1]  # BGP uses one path by default (RFC 4271, section 9.1.2)
    found: Found = {"switch.bgp.networks": (tuple(networks), at)}
    known = [number for number in paths if number is not None]
    if known and len(known) == len(paths):
        found["switch.bgp.maximum_paths"] = (min(known), at)
    return found


def _peer(switch: Place, line: Line, name: str, groups: Mapping[str, Line], output: Output) -> Iterator[Observation]:
    """A session; settings it lacks come from its peer group."""
    port = re.fullmatch(r"interface (Eth(?:ernet)?) ?([0-9/]+)", name)
    key = port[1] + port[2] if port else _address(name)
    if key is None:
        return
    joined = next((rest for _, rest in lines_after(line.inner, "peer-group")), None)
    if joined is not None and joined not in groups:
        return
    group = [] if joined is None else groups[joined].inner
    settings = [inner for inner in group if inner.words[0] != "description"] + line.inner
    found = read_settings(settings, _PEER)
    set_defaults(found, declared_defaults("switch/enterprise_sonic", "peer.bfd"), line.number)
    found["peer.unnumbered"] = (port is not None, line.number)
    for family, path in _FAMILIES.items():
        blocks = [inner for inner, rest in lines_after(settings, "address-family") if rest == family]
        active = any(inner.text == "activate" for block in blocks for inner in block.inner)
        found[path] = (active, blocks[-1].number if blocks else line.number)
    yield from observe_settings(switch.child("peer", key), found, output)


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
