"""The BGP lines: the speaker, and its neighbours."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.facts import Observation
from wirespeed.platforms.model import Output
from wirespeed.platforms.output_values import parse_json_object
from wirespeed.platforms.switch.config_reader import Found, observe_settings, parse_number
from wirespeed.platforms.switch.cumulus.commands import OFF, ON
from wirespeed.platforms.switch.cumulus.nvue_config import Statement, parse_on_off
from wirespeed.platforms.switch.json_output import mapping_of, source_of
from wirespeed.settings import Place

_DEFAULT = ("vrf", "default", "router", "bgp")
_STATES = {
    state.lower(): state for state in ("Idle", "Connect", "Active", "OpenSent", "OpenConfirm", "Established")
}  # RFC 4271, section 8.2.2


def bgp(statements: list[Statement]) -> Found:
    """The speaker of the default VRF.

    One that announces nothing has no line for it. That none is missing is known from the line that enables BGP, which
    NVUE prints after those of the address families.
    """
    found: Found = {}
    enabled, redistributes = 0, False
    networks: list[str] = []
    at = 0
    for line in statements:
        match line.words:
            case ("router", "bgp", "autonomous-system", value):
                found.setdefault("switch.bgp.asn", (parse_number(value), line.number))
            case ("router", "bgp", "router-id", value):
                found.setdefault("switch.bgp.router_id", (value, line.number))
            case ("vrf", "default", "router", "bgp", "autonomous-system", value):  # its own, before that of all
                found["switch.bgp.asn"] = (parse_number(value), line.number)
            case ("vrf", "default", "router", "bgp", "router-id", value):
                found["switch.bgp.router_id"] = (value, line.number)
            case (*_, "address-family", "ipv4-unicast", "multipaths", "ebgp", value) if line.words_after(*_DEFAULT):
                found["switch.bgp.maximum_paths"] = (parse_number(value), line.number)
            case (*_, "path-selection", "multipath", "aspath-ignore", value) if line.words_after(*_DEFAULT):
                found["switch.bgp.multipath_relax"] = (parse_on_off(value), line.number)
            case (*_, "address-family", "ipv4-unicast" | "ipv6-unicast", "network", value) if line.words_after(
                *_DEFAULT
            ):
                networks.append(value)
                at = at or line.number
            case ("vrf", "default", "router", "bgp", "enable" | "state", value) if value in ON:
                enabled = line.number
            case (*_, "redistribute", _, "enable" | "state", value) if line.words_after(*_DEFAULT):
                redistributes = redistributes or value in ON
            case ("router", "bgp", "enable" | "state", value) if value in OFF:
                return {}
    if networks or (enabled and not redistributes):
        found["switch.bgp.networks"] = (tuple(networks), at or enabled)
    return found


def unnumbered_ports(statements: list[Statement]) -> set[str]:
    """Ports that are neighbours."""
    return {
        line.words[5]
        for line in statements
        if line.words_after(*_DEFAULT, "neighbor", "*") is not None and line.words[5].startswith("swp")
    }


def peers(switch: Place, statements: list[Statement], output: Output) -> Iterator[Observation]:
    """Neighbours of the default VRF by address or port; a peer group's lines are its members' too."""
    peers: dict[str, list[Statement]] = {}
    groups: dict[str, list[Statement]] = {}
    for line in statements:
        for kind, into in (("neighbor", peers), ("peer-group", groups)):
            rest = line.words_after(*_DEFAULT, kind, "*")
            if rest:
                into.setdefault(line.words[5], []).append(Statement(line.number, rest))
    for name, lines in peers.items():
        joined = [group for line in lines if line.words[0] == "peer-group" for group in groups.get(line.words[1], [])]
        yield from observe_settings(switch.child("peer", name), _session(name, [*joined, *lines]), output)


def peer_states(switch: Place, output: Output) -> Iterator[Observation]:
    """``nv show vrf default router bgp neighbor``: states of the sessions, by address or port."""
    data = parse_json_object(output) or {}
    for name in data:
        state = _STATES.get(str(mapping_of(data, name).get("state")).lower())
        if name and state is not None:
            yield Observation(switch.child("peer", name), "peer.state", state, source_of(output, name))


def _session(name: str, lines: list[Statement]) -> Found:
    number = lines[-1].number
    found: Found = {
        "peer.unnumbered": (name.startswith("swp"), number),
        "peer.ipv4": (True, number),
        "peer.ipv6": (False, number),
        "peer.bfd": (False, number),
    }
    for line in lines:
        match line.words:
            case ("remote-as", value):  # "external" contains no number
                found["peer.asn"] = (parse_number(value), line.number)
            case ("description", value):
                found["peer.description"] = (value, line.number)
            case ("bfd", "enable" | "state", value):
                found["peer.bfd"] = (parse_on_off(value), line.number)
            case ("address-family", "ipv4-unicast" | "ipv6-unicast" as family, "enable" | "state", value):
                found[f"peer.{family[:4]}"] = (parse_on_off(value), line.number)
    return found
