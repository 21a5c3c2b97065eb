"""``router bgp`` of a running configuration."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from ipaddress import ip_address, ip_network

from wirespeed.facts import COMPLETE, Observation
from wirespeed.platforms.declaration import list_declared_defaults
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.config_reader import ReadValues, observe_settings, parse_asn, parse_number, set_defaults
from wirespeed.platforms.switch.indented_config import Line, lines_after
from wirespeed.settings import Place


def bgp(switch: Place, top: list[Line], output: Output) -> Iterator[Observation]:
    """The speaker, and the sessions of the default VRF with the lines of their templates."""
    line = next((line for line in top if re.fullmatch(r"router bgp [0-9.]{1,11}", line.text)), None)
    if line is not None:
        yield from observe_settings(switch, _read_speaker(line), output)
        templates = {name: inner.inner for inner, name in lines_after(line.inner, "template peer")}
        for inner, name in lines_after(line.inner, "neighbor"):
            peer = _parse_name(name)
            if peer is not None:
                yield from observe_settings(switch.child("peer", peer), _read_session(inner, peer, templates), output)
    if line is None or all(_parse_name(name) for _, name in lines_after(line.inner, "neighbor")):
        yield Observation(switch, "switch.peers", COMPLETE, output.source)


def _parse_name(text: str) -> str | None:
    """An address, or the port of an unnumbered session."""
    if re.fullmatch(r"Ethernet[0-9]+(/[0-9]+){1,2}", text):
        return text
    try:
        return str(ip_address(text))
    except ValueError:
        return None


def _read_speaker(line: Line) -> ReadValues:
    read_values: ReadValues = {
        "switch.bgp.asn": (parse_asn(line.words[2]), line.number),
        "switch.bgp.multipath_relax": (False, line.number),
    }
    paths: list[tuple[int | None, int]] = []
    networks: list[tuple[str, int]] = []
    for inner in line.inner:
        if (argument := inner.text_after("router-id")) is not None:
            read_values["switch.bgp.router_id"] = (_parse_name(argument), inner.number)
        elif inner.text == "bestpath as-path multipath-relax":
            read_values["switch.bgp.multipath_relax"] = (True, inner.number)
        elif inner.text in ("address-family ipv4 unicast", "address-family ipv6 unicast"):
            path_counts = [
                (parse_number(argument), inner_line.number)
                for inner_line, argument in lines_after(inner.inner, "maximum-paths")
            ]
            paths += path_counts or [(1, inner.number)]
            networks += [
                (argument.partition(" route-map ")[0], inner_line.number)
                for inner_line, argument in lines_after(inner.inner, "network")
            ]
    path_numbers = [(number, line_number) for number, line_number in paths or [(1, line.number)] if number is not None]
    if len(path_numbers) == max(len(paths), 1):  # a route of the family with the fewest has no more
        read_values["switch.bgp.maximum_paths"] = min(path_numbers)
    try:
        prefixes = tuple(str(ip_network(prefix)) for prefix, _ in networks)
        read_values["switch.bgp.networks"] = (prefixes, networks[0][1] if networks else line.number)
    except ValueError:
        pass
    return read_values


def _read_session(line: Line, name: str, templates: Mapping[str, list[Line]]) -> ReadValues:
    """The lines of a session precede those of its template; what comes from other templates is not known."""
    read_values: ReadValues = {"peer.unnumbered": (name.startswith("Ethernet"), line.number)}
    names = [name for _, name in lines_after(line.inner, "inherit peer")]
    lines = [*(inner for name in names for inner in templates.get(name, ())), *line.inner]
    known_count = sum(name in templates for name in names)
    inherits = sum(inner.words[0] == "inherit" for inner in lines) > known_count
    for inner in lines:
        if (argument := inner.text_after("remote-as")) is not None:
            read_values["peer.asn"] = (parse_asn(argument), inner.number)
        elif (argument := inner.text_after("description")) is not None:
            read_values["peer.description"] = (argument, inner.number)
        elif inner.text == "bfd":
            read_values["peer.bfd"] = (True, inner.number)
        elif match := re.fullmatch(r"address-family (ipv4|ipv6) unicast", inner.text):
            read_values[f"peer.{match[1]}"] = (True, inner.number)
    if not inherits:
        set_defaults(
            read_values, list_declared_defaults("switch/nxos", "peer.bfd", "peer.ipv4", "peer.ipv6"), line.number
        )
    return read_values
