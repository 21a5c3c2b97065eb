"""The BGP lines: the speaker, and its neighbours."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.facts import Observation
from wirespeed.platforms.model import Output
from wirespeed.platforms.output_values import parse_json_object
from wirespeed.platforms.switch.config_reader import ReadValues, observe_settings, parse_number
from wirespeed.platforms.switch.cumulus.commands import OFF_KEYWORDS, ON_KEYWORDS
from wirespeed.platforms.switch.cumulus.nvue_config import Statement, parse_on_off
from wirespeed.platforms.switch.json_output import find_mapping, find_source
from wirespeed.settings import Place

_DEFAULT = ("vrf", "default", "router", "bgp")
_STATES = {
    state.lower(): state for state in ("Idle", "Connect", "Active", "OpenSent", "OpenConfirm", "Established")
}  # RFC 4271, section 8.2.2


def bgp(statements: list[Statement]) -> ReadValues:
    """The BGP speaker of the default VRF.

    One that announces nothing has no line for it. That none is missing is known from the line that enables BGP, which
    NVUE prints after those of the address families.
    """
    read_values: ReadValues = {}
    enabled, redistributes = 0, False
    networks: list[str] = []
    line_number = 0
    for line in statements:
        match line.words:
            case ("router", "bgp", "autonomous-system", value):
                read_values.setdefault("switch.bgp.asn", (parse_number(value), line.number))
            case ("router", "bgp", "router-id", value):
                read_values.setdefault("switch.bgp.router_id", (value, line.number))
            case ("vrf", "default", "router", "bgp", "autonomous-system", value):  # its own, before that of all
                read_values["switch.bgp.asn"] = (parse_number(value), line.number)
            case ("vrf", "default", "router", "bgp", "router-id", value):
                read_values["switch.bgp.router_id"] = (value, line.number)
            case (*_, "address-family", "ipv4-unicast", "multipaths", "ebgp", value) if line.words_after(*_DEFAULT):
                read_values["switch.bgp.maximum_paths"] = (parse_number(value), line.number)
            case (*_, "path-selection", "multipath", "aspath-ignore", value) if line.words_after(*_DEFAULT):
                read_values["switch.bgp.multipath_relax"] = (parse_on_off(value), line.number)
            case (*_, "address-family", "ipv4-unicast" | "ipv6-unicast", "network", value) if line.words_after(
                *_DEFAULT
            ):
                networks.append(value)
                line_number = line_number or line.number
            case ("vrf", "default", "router", "bgp", "enable" | "state", value) if value in ON_KEYWORDS:
                enabled = line.number
            case (*_, "redistribute", _, "enable" | "state", value) if line.words_after(*_DEFAULT):
                redistributes = redistributes or value in ON_KEYWORDS
            case ("router", "bgp", "enable" | "state", value) if value in OFF_KEYWORDS:
                return {}
    if networks or (enabled and not redistributes):
        read_values["switch.bgp.networks"] = (tuple(networks), line_number or enabled)
    return read_values


def list_unnumbered_ports(statements: list[Statement]) -> set[str]:
    """Ports that are neighbours."""
    return {
        line.words[5]
        for line in statements
        if line.words_after(*_DEFAULT, "neighbor", "*") is not None and line.words[5].startswith("swp")
    }


def accepts_any_peer(statements: list[Statement]) -> bool:
    """Whether a range accepts neighbours without a line of theirs (``dynamic-neighbor`` of NVUE's models)."""
    return any(line.words_after(*_DEFAULT, "dynamic-neighbor", "listen-range") for line in statements)


def peers(switch: Place, statements: list[Statement], output: Output) -> Iterator[Observation]:
    """Neighbours of the default VRF by address or port; a peer group's lines are its members' too."""
    peers: dict[str, list[Statement]] = {}
    groups: dict[str, list[Statement]] = {}
    for line in statements:
        for kind, target in (("neighbor", peers), ("peer-group", groups)):
            argument = line.words_after(*_DEFAULT, kind, "*")
            if argument:
                target.setdefault(line.words[5], []).append(Statement(line.number, argument))
    is_bfd_on = any(line.words == ("router", "bfd", "state", word) for line in statements for word in ON_KEYWORDS)
    for name, lines in peers.items():
        group_name = [
            group
            for line in lines
            if (argument := line.words_after("peer-group"))
            for group in groups.get(argument[0], [])
        ]
        session = _read_session(name, [*group_name, *lines], is_bfd_on)
        yield from observe_settings(switch.child("peer", name), session, output)


def peer_states(switch: Place, output: Output) -> Iterator[Observation]:
    """``nv show vrf default router bgp neighbor``: states of the sessions, by address or port."""
    data = parse_json_object(output) or {}
    for name in data:
        state = _STATES.get(str(find_mapping(data, name).get("state")).lower())
        if name and state is not None:
            yield Observation(switch.child("peer", name), "peer.state", state, find_source(output, name))


def _read_session(name: str, lines: list[Statement], is_bfd_on: bool) -> ReadValues:
    number = lines[-1].number
    read_values: ReadValues = {
        "peer.unnumbered": (name.startswith("swp"), number),
        "peer.ipv4": (True, number),
        "peer.ipv6": (False, number),
        "peer.bfd": (False, number),
    }
    for line in lines:
        match line.words:
            case ("remote-as", value):  # "external" contains no number
                read_values["peer.asn"] = (parse_number(value), line.number)
            case ("description", value):
                read_values["peer.description"] = (value, line.number)
            case ("bfd", "enable" | "state", value):
                read_values["peer.bfd"] = (parse_on_off(value), line.number)
            case ("bfd", "profile", _):  # of use only while BFD of the switch is on
                read_values["peer.bfd"] = (is_bfd_on, line.number)
            case ("address-family", "ipv4-unicast" | "ipv6-unicast" as family, "enable" | "state", value):
                read_values[f"peer.{family[:4]}"] = (parse_on_off(value), line.number)
    return read_values
