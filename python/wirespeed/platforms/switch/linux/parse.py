"""Output of iproute2, procps and FRRouting on a switch of a lab.

A lab has no ports without a cable, nor VLANs and sessions of such ports alone. Their absence proves nothing, so no
collection is ever complete.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from wirespeed.facts import Observation
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.output_values import (
    number_lines,
    observe,
    parse_json_object,
    parse_json_objects,
    parse_whole,
)
from wirespeed.platforms.switch.json_output import find_mapping, find_source
from wirespeed.settings import Place

_VLAN = re.compile(r"vlan([0-9]{1,4})")
_FORWARDING_LINE = re.compile(r"net\.ipv4\.ip_forward = ([01])")
_GLOBAL = ("global", "0")  # names of the scope, /etc/iproute2/rt_scopes


def parse(outputs: Outputs) -> Iterator[Observation]:
    """Ports, VLANs and sessions."""
    switch = Place(outputs.device)
    ports: dict[str, str] = {}
    if output := outputs.get("ip-addr"):
        links = parse_json_objects(output) or []
        ports = {str(link.get("ifname")): str(link.get("ifalias") or link.get("ifname")) for _, link in links}
        yield from _read_links(switch, output, ports)
    if output := outputs.get("forwarding"):
        for number, line in number_lines(output):
            if match := _FORWARDING_LINE.fullmatch(line):
                yield observe(switch, "switch.routing", match[1] == "1", output, number)
    if output := outputs.get("bgp-summary"):
        yield from _read_sessions(switch, output, ports)


def _read_links(switch: Place, output: Output, ports: Mapping[str, str]) -> Iterator[Observation]:
    objects = parse_json_objects(output)
    if objects is None:
        return
    for line, link in objects:
        name = link.get("ifname")
        kind = find_mapping(link, "linkinfo").get("info_kind")
        vlan = _VLAN.fullmatch(str(name))
        if name == "lo":
            yield observe(switch, "switch.loopbacks", _format_addresses(link), output, line)
        elif kind == "bridge" and vlan:
            place = switch.child("vlan", str(int(vlan[1])))
            yield observe(place, "vlan.addresses", _format_addresses(link), output, line)
            if (mtu := parse_whole(link.get("mtu"))) is not None:
                yield observe(place, "vlan.mtu", mtu, output, line)
        elif isinstance(name, str) and name and kind != "bridge" and link.get("link_type") == "ether":
            yield from _read_port(switch.child("port", ports[name]), link, output, line)


def _read_port(place: Place, link: Mapping[str, Any], output: Output, line: int) -> Iterator[Observation]:
    flags = link.get("flags")
    if isinstance(flags, list):
        yield observe(place, "port.link.enabled", "UP" in flags, output, line)
        yield observe(place, "port.link.up", {"UP", "LOWER_UP"} <= {str(flag) for flag in flags}, output, line)
    if (mtu := parse_whole(link.get("mtu"))) is not None:
        yield observe(place, "port.link.mtu", mtu, output, line)
    yield observe(place, "port.addresses", _format_addresses(link), output, line)
    if vlan := _VLAN.fullmatch(str(link.get("master"))):
        yield observe(place, "port.vlan", int(vlan[1]), output, line)


def _format_addresses(link: Mapping[str, Any]) -> tuple[str, ...]:
    entries = link.get("addr_info")
    return tuple(
        f"{entry['local']}/{entry['prefixlen']}"
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, dict) and {"local", "prefixlen"} <= entry.keys() and entry.get("scope") in _GLOBAL
    )


def _read_sessions(switch: Place, output: Output, ports: Mapping[str, str]) -> Iterator[Observation]:
    """``show bgp summary json``: a session in several address families works when all of them do."""
    data = parse_json_object(output)
    if data is None:
        return
    objects: dict[str, dict[str, Any]] = {}
    for family in data:
        speaker = find_mapping(data, family)
        if (asn := parse_whole(speaker.get("as"))) is not None:
            yield Observation(switch, "switch.bgp.asn", asn, find_source(output, "as"))
        if isinstance(speaker.get("routerId"), str):
            yield Observation(switch, "switch.bgp.router_id", speaker["routerId"], find_source(output, "routerId"))
        for name, peer in find_mapping(speaker, "peers").items():
            if name and isinstance(peer, dict) and objects.get(name, {}).get("state", "Established") == "Established":
                objects[name] = peer
    for name, peer in objects.items():
        place = switch.child("peer", ports.get(name, name))
        if isinstance(peer.get("state"), str):
            yield Observation(place, "peer.state", peer["state"], find_source(output, name))
        if (asn := parse_whole(peer.get("remoteAs"))) is not None:
            yield Observation(place, "peer.asn", asn, find_source(output, name))
