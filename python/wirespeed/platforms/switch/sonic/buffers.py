"""Lossless priority groups: configured in CONFIG_DB, and in effect in APPL_DB, which the orchestration agent reads.

In the traditional buffer model the buffer manager adds the rows of both databases itself, for a speed and cable length
of pg_profile_lookup.ini. In the dynamic one it calculates a profile for each row of CONFIG_DB without one, and writes
it to APPL_DB alone. A profile is lossless if it has ``xoff`` or a calculated headroom (sonic-swss, buffermgr.cpp and
buffermgrdyn.cpp).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from wirespeed.facts import Observation, State
from wirespeed.platforms.model import Output
from wirespeed.platforms.switch.config_reader import ReadValues, observe_settings
from wirespeed.platforms.switch.indented_config import numbers
from wirespeed.platforms.switch.sonic.tables import Row, Tables, parse_dump
from wirespeed.platforms.switch.sonic.values import PORT_NAME
from wirespeed.settings import Place, PriorityGroup
from wirespeed.units import Length

_PROFILE = re.compile(r"pg_lossless_[0-9]+_([0-9]{1,6})m(_.*)?_profile")
"""Name of a profile that the buffer manager made: speed and cable length (getDynamicProfileName, doSpeedUpdateTask)."""


def configured_groups(switch: Place, tables: Tables, ports: Collection[str], output: Output) -> Iterator[Observation]:
    """The lossless groups of CONFIG_DB."""
    metadata = tables.row("DEVICE_METADATA", "localhost")
    is_dynamic = metadata is not None and metadata.get("buffer_model") == "dynamic"
    groups: dict[str, set[int]] = {name: set() for name in ports}
    lines: dict[str, int] = {}
    for port, number, row in tables.by_port_and_number("BUFFER_PG"):
        name = row.reference("profile") or "NULL"
        profile = tables.row("BUFFER_PROFILE", name)
        if port in groups and (is_dynamic if name == "NULL" else _is_lossless(profile)):
            groups[port].add(number)
            lines.setdefault(port, row.line)
    for port, members in groups.items():
        read_values: ReadValues = {"port.qos.lossless_groups": (_convert_groups(members), lines.get(port, 0))}
        yield from observe_settings(switch.child("port", port), read_values, output, State.CONFIGURED)


def buffer_tables(switch: Place, output: Output, ports: Collection[Place]) -> Iterator[Observation]:
    """The lossless groups of APPL_DB, and the shortest cable for which a port has headroom."""
    rows = parse_dump(output.text)
    if rows is None:
        return
    groups: dict[Place, set[int]] = {port: set() for port in ports}
    lengths: dict[Place, tuple[Length, int]] = {}
    lines: dict[Place, int] = {}
    for name, number, row in _list_groups(rows):
        port, profile = switch.child("port", name), row.get("profile") or ""
        members = groups.setdefault(port, set())
        if not _is_lossless(rows.get(f"BUFFER_PROFILE_TABLE:{profile}")):
            continue
        members.add(number)
        line = row.find_line("profile")
        lines.setdefault(port, line)
        if match := _PROFILE.fullmatch(profile):
            length = (Length.from_unit(int(match[1]), "m"), line)
            lengths[port] = min(lengths.get(port, length), length)
    for port, members in groups.items():
        read_values: ReadValues = {"port.qos.lossless_groups": (_convert_groups(members), lines.get(port, 0))}
        if port in lengths:
            read_values["port.cable_length"] = lengths[port]
        yield from observe_settings(port, read_values, output)


def _list_groups(rows: Mapping[str, Row]) -> Iterator[tuple[str, int, Row]]:
    """The rows of priority groups, whose keys are ``BUFFER_PG_TABLE:Ethernet0,Ethernet4:3-4``."""
    for key, row in rows.items():
        table, *names = key.split(":")
        if table == "BUFFER_PG_TABLE" and len(names) == 2:
            ports = [name for name in names[0].split(",") if PORT_NAME.fullmatch(name) is not None]
            yield from ((port, number, row) for port in ports for number in numbers(names[1]) or ())


def _is_lossless(profile: Row | None) -> bool:
    return profile is not None and (profile.get("xoff") is not None or profile.get("headroom_type") == "dynamic")


def _convert_groups(members: set[int]) -> frozenset[PriorityGroup]:
    return frozenset(PriorityGroup(number) for number in members if number <= PriorityGroup.last)
