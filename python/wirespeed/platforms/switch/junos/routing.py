"""BGP of a configuration: speaker, sessions and announced prefixes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirespeed.facts import Observation
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.config_reader import (
    ReadValues,
    observe_settings,
    parse_asn,
    parse_number,
    read_settings,
    text,
)
from wirespeed.platforms.switch.indented_config import Line, lines_after
from wirespeed.platforms.switch.junos.commands import DEFAULT_PATHS
from wirespeed.platforms.switch.junos.config_text import ADDRESS, block, lines_inside
from wirespeed.settings import Place

_PREFIX = re.compile(r"route-filter ([0-9a-fA-F.:]+/[0-9]{1,3}) exact")


def bgp(top: list[Line]) -> ReadValues:
    """The speaker. That several systems' paths count as equal must hold in every group."""
    read_values = read_settings(
        lines_inside(top, "routing-options"),
        {"router-id": ("switch.bgp.router_id", text), "autonomous-system": ("switch.bgp.asn", _parse_asn)},
    )
    groups = [group for group in _list_groups(top) if _carries_unicast(group)]
    if not groups:
        return read_values
    multipath = [block(group.inner, "multipath") for group in groups]
    is_relaxed = all(
        statement is not None and any(line.text == "multiple-as" for line in statement.inner) for statement in multipath
    )
    read_values["switch.bgp.multipath_relax"] = (is_relaxed, (multipath[0] or groups[0]).number)
    if all(multipath):
        limit = read_settings(lines_inside(top, "chassis"), {"maximum-ecmp": ("limit", parse_number)})
        read_values["switch.bgp.maximum_paths"] = limit.get("limit", (DEFAULT_PATHS, groups[0].number))
    else:
        read_values["switch.bgp.maximum_paths"] = (1, groups[0].number)
    read_values |= _read_networks(top, groups)
    return read_values


def _parse_asn(argument: str) -> int | None:
    """A number that options may follow: ``loops 2``, ``asdot-notation`` (Juniper documentation, autonomous-system)."""
    return parse_asn(argument.partition(" ")[0])


def _read_networks(top: list[Line], groups: list[Line]) -> ReadValues:
    """Prefixes that the common policy of all groups exports.

    Without a policy BGP announces what it learned from BGP alone (Juniper documentation, export).
    """
    policies = {argument for group in groups for _, argument in lines_after(group.inner, "export")}
    if not policies and not _has_export(lines_inside(top, "protocols", "bgp")):
        return {"switch.bgp.networks": ((), groups[0].number)}
    policy = (
        block(lines_inside(top, "policy-options"), f"policy-statement {policies.pop()}") if len(policies) == 1 else None
    )
    if policy is None:
        return {}
    prefixes: list[str] = []
    for term, _ in lines_after(policy.inner, "term"):
        if any(line.text in ("then accept", "then") for line in term.inner):
            prefixes += [
                match[1]
                for line in lines_inside(term.inner, "from")
                if (match := _PREFIX.fullmatch(line.text)) is not None
            ]
    return {"switch.bgp.networks": (tuple(prefixes), policy.number)}


def _has_export(lines: list[Line]) -> bool:
    return any(line.words[0] == "export" or _has_export(line.inner) for line in lines)


def loopbacks(top: list[Line]) -> ReadValues:
    """Addresses of lo0."""
    unit = block(lines_inside(top, "interfaces"), "lo0", "unit 0")
    if unit is None:
        return {}
    lines = [line for family in ("inet", "inet6") for line in lines_inside(unit.inner, f"family {family}")]
    addresses = tuple(match[1] for line in lines if (match := ADDRESS.fullmatch(line.text)) is not None)
    return {"switch.loopbacks": (addresses, unit.number)}


def peers(switch: Place, top: list[Line], output: Output) -> Iterator[Observation]:
    """Sessions by address, unnumbered ones by port. Those of an internal group are within the own system."""
    own_asn = read_settings(lines_inside(top, "routing-options"), {"autonomous-system": ("peer.asn", _parse_asn)})
    for group in _list_groups(top):
        is_internal = any(line.text == "type internal" for line in group.inner)
        for line, address in lines_after(group.inner, "neighbor"):
            read_values = (own_asn if is_internal else {}) | _read_session([*group.inner, *line.inner], line.number)
            yield from observe_settings(switch.child("peer", address), read_values, output)
        for dynamic, _ in lines_after(group.inner, "dynamic-neighbor"):
            for line, unit in lines_after(lines_inside(dynamic.inner, "peer-auto-discovery"), "interface"):
                port = unit.removesuffix(".0")
                read_values = _read_session(group.inner, line.number) | {"peer.unnumbered": (True, line.number)}
                # Such a session has no description; its port has one.
                read_values |= read_settings(
                    lines_inside(top, "interfaces", port), {"description": ("peer.description", text)}
                )
                yield from observe_settings(switch.child("peer", port), read_values, output)


def accepts_any_peer(top: list[Line]) -> bool:
    """Whether a group accepts every neighbour in a range, which has no statement (Juniper documentation, allow)."""
    return any(line.words[0] == "allow" for group in _list_groups(top) for line in group.inner)


def _list_groups(top: list[Line]) -> list[Line]:
    return [line for line, _ in lines_after(lines_inside(top, "protocols", "bgp"), "group")]


def _carries_unicast(group: Line) -> bool:
    """Whether a group's sessions carry the fabric's routes: those of an overlay do not describe its paths."""
    families = [argument for _, argument in lines_after(group.inner, "family")]
    return not families or any(family in ("inet", "inet6") for family in families)


def _read_session(lines: list[Line], number: int) -> ReadValues:
    """A session from the lines of its group, then those of the neighbour."""
    read_values = read_settings(lines, {"peer-as": ("peer.asn", parse_asn), "description": ("peer.description", text)})
    has_watchdog = next((line for line in lines if line.text == "bfd-liveness-detection"), None)
    read_values["peer.bfd"] = (has_watchdog is not None, has_watchdog.number if has_watchdog else number)
    families = {argument: line for line, argument in lines_after(lines, "family")}
    # Without a family a session carries IPv4 routes (Juniper documentation, family).
    for path, family in (("peer.ipv4", "inet"), ("peer.ipv6", "inet6")):
        line = families.get(family)
        unicast = line is not None and any(inner.words[0] == "unicast" for inner in line.inner)
        read_values[path] = (unicast or (not families and family == "inet"), line.number if line else number)
    return read_values
