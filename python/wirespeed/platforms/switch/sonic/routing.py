"""CONFIG_DB: BGP in the tables of the FRR management framework, or in those that the images' own daemon reads."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from wirespeed.facts import COMPLETE, Observation
from wirespeed.platforms.model import Output
from wirespeed.platforms.output_values import parse_json_object, parse_whole
from wirespeed.platforms.switch.config_reader import ReadValues, observe_settings
from wirespeed.platforms.switch.json_output import find_mapping, find_source
from wirespeed.platforms.switch.sonic.tables import Row, Tables
from wirespeed.platforms.switch.sonic.values import DEFAULT_FAMILY, FAMILIES, TRUE_FALSE, VRF
from wirespeed.settings import Place


def bgp(switch: Place, tables: Tables, output: Output) -> Iterator[Observation]:
    """The speaker of the main routing table and its sessions."""
    speaker = tables.row("BGP_GLOBALS", VRF)
    local = tables.row("DEVICE_METADATA", "localhost")
    if speaker is None:
        if local is not None and (asn := parse_whole(local.get("bgp_asn"))) is not None:
            yield Observation(switch, "switch.bgp.asn", asn, output.source_of_line(local.find_line("bgp_asn")))
    else:
        yield from observe_settings(switch, _read_speaker(tables, speaker), output)
    for key, row in tables.table("BGP_NEIGHBOR"):
        if len(key) == 1 or (len(key) == 2 and key[0] == VRF):
            yield from observe_settings(switch.child("peer", key[-1]), _read_peer(tables, key[-1], row), output)
    # Neighbours of a range have sessions without a row (sonic-buildimage, sonic-frr-mgmt-framework, frrcfgd.py).
    ranges = [key for key, _ in tables.table("BGP_GLOBALS_LISTEN_PREFIX") if key[0] == VRF]
    if speaker is not None and not ranges:
        yield Observation(switch, "switch.peers", COMPLETE, output.source)


def _read_speaker(tables: Tables, row: Row) -> ReadValues:
    relax = row.get("load_balance_mp_relax")
    networks = [
        (key[2], entry.line) for key, entry in tables.table("BGP_GLOBALS_AF_NETWORK") if len(key) == 3 and key[0] == VRF
    ]
    read_values: ReadValues = {
        "switch.bgp.asn": (parse_whole(row.get("local_asn")), row.find_line("local_asn")),
        "switch.bgp.router_id": (row.get("router_id"), row.find_line("router_id")),
        "switch.bgp.multipath_relax": (TRUE_FALSE.get(relax or "false"), row.find_line("load_balance_mp_relax")),
        "switch.bgp.networks": (tuple(network for network, _ in networks), networks[0][1] if networks else row.line),
    }
    paths = [
        (parse_whole(entry.get("max_ebgp_paths")), entry.find_line("max_ebgp_paths"))
        for key, entry in tables.table("BGP_GLOBALS_AF")
        if len(key) == 2 and key[0] == VRF and key[1] in FAMILIES
    ]
    path_numbers = [(number, line) for number, line in paths if number is not None]
    if path_numbers and len(path_numbers) == len(paths):  # a route of the family with the fewest has no more
        read_values["switch.bgp.maximum_paths"] = min(path_numbers)
    return read_values


def _read_peer(tables: Tables, name: str, row: Row) -> ReadValues:
    group_name = row.get("peer_group_name")
    group = None if group_name is None else tables.row("BGP_PEER_GROUP", f"{VRF}|{group_name}")
    read_values: ReadValues = {
        "peer.asn": _session_value(row, group, "asn", parse_whole),
        "peer.description": (row.get("name"), row.find_line("name")),
        "peer.bfd": _session_value(row, group, "bfd", lambda word: TRUE_FALSE.get(word or "false")),
        "peer.unnumbered": (not _is_address(name), row.line),
    }
    if group_name is not None and group is None and row.get("bfd") is None:
        del read_values["peer.bfd"]
    speaker = tables.row("BGP_GLOBALS", VRF)
    for family, path in FAMILIES.items():
        rows = [
            family_row
            for family_row in (
                tables.row("BGP_NEIGHBOR_AF", f"{VRF}|{name}|{family}"),
                tables.row("BGP_PEER_GROUP_AF", f"{VRF}|{group_name}|{family}"),
            )
            if family_row is not None
        ]
        status = next((family_row for family_row in rows if family_row.get("admin_status") is not None), None)
        if status is not None:
            read_values[path] = (_ACTIVE.get(status.get("admin_status") or ""), status.find_line("admin_status"))
        elif speaker is not None and family == DEFAULT_FAMILY:
            is_default = TRUE_FALSE.get(speaker.get("default_ipv4_unicast") or "false")
            read_values[path] = (is_default, speaker.find_line("default_ipv4_unicast"))
        elif rows or speaker is not None:
            read_values[path] = (False, rows[0].line if rows else row.line)
        asn = read_values["peer.asn"][0]
        is_external = speaker is not None and asn is not None and str(asn) != speaker.get("local_asn")
        if is_external and read_values[path][0] and not _has_policies(tables, rows):
            read_values[path] = (False, rows[0].line if rows else row.line)
    return read_values


_ACTIVE = {"true": True, "up": True, "false": False, "down": False}
_POLICIES = ("route_map", "prefix_list", "filter_list")


def _has_policies(tables: Tables, rows: Sequence[Row]) -> bool:
    """Whether a session has a policy in both directions: without one, FRR exchanges nothing over eBGP (RFC 8212)."""
    return all(
        any(_has_policy(tables, row, f"{policy}_{direction}") for row in rows for policy in _POLICIES)
        for direction in ("in", "out")
    )


def _has_policy(tables: Tables, row: Row, field: str) -> bool:
    """A filter list of an AS path set that is absent or empty denies every route."""
    if not field.startswith("filter_list"):
        return field in row.present
    paths = tables.row("AS_PATH_SET", row.get(field) or "")
    return paths is not None and "as_path_set_member" in paths.present


def _session_value(row: Row, group: Row | None, field: str, read: Callable[[str | None], Any]) -> tuple[Any, int]:
    """The value of a session, else of its peer group."""
    first = group if group is not None and row.get(field) is None else row
    return read(first.get(field)), first.find_line(field)


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def bgp_summary(switch: Place, output: Output) -> Iterator[Observation]:
    """``show bgp summary json`` of FRR: states of the sessions. One in several families works when all of them do."""
    data = parse_json_object(output) or {}
    states: dict[str, str] = {}
    for family in data:
        for name, peer in find_mapping(find_mapping(data, family), "peers").items():
            state = peer.get("state") if isinstance(peer, dict) else None
            if name and isinstance(state, str) and states.get(name, "Established") == "Established":
                states[name] = state
    for name, state in states.items():
        yield Observation(switch.child("peer", name), "peer.state", state, find_source(output, name))
