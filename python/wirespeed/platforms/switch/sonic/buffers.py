"""Lossless priority groups: configured in CONFIG_DB, and in effect in APPL_DB, which the orchestration agent reads.

In the traditional buffer model the buffer manager adds the rows of both databases itself, for a speed and cable length
of pg_profile_lookup.ini. In the dynamic one it calculates a profile for each row of CONFIG_DB without one, and writes
it to APPL_DB alone. A profile is lossless if it has ``xoff`` or a calculated headroom (sonic-swss, buffermgr.cpp and
buffermgrdyn.cpp). ``xoff`` is the headroom of the group in bytes; the speed and the cable length it was looked up or
calculated for are in the name of the profile.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from wirespeed.facts import Observation, State
from wirespeed.platforms.model import Output
from wirespeed.platforms.output_values import parse_whole
from wirespeed.platforms.switch.config_reader import ReadValues, observe_settings
from wirespeed.platforms.switch.indented_config import numbers
from wirespeed.platforms.switch.sonic.tables import Row, Tables, parse_dump
from wirespeed.platforms.switch.sonic.values import PORT_NAME
from wirespeed.settings import Place, PriorityGroup
from wirespeed.units import Bandwidth, Length, Size

_PROFILE = re.compile(r"pg_lossless_([0-9]{1,7})_([0-9]{1,6})m(_.*)?_profile")
"""Name of a profile that the buffer manager made: speed in Mb/s, cable length (getDynamicProfileName,
doSpeedUpdateTask)."""


@dataclass(slots=True)
class _Groups:
    """The lossless groups of a port, and the least that their profiles are for; each with its line."""

    members: set[int] = field(default_factory=set)
    line: int = 0
    headrooms: list[tuple[Size | None, int]] = field(default_factory=list)
    speeds: list[tuple[Bandwidth, int]] = field(default_factory=list)
    lengths: list[tuple[Length, int]] = field(default_factory=list)

    def add(self, number: int, line: int, name: str, profile: Row | None) -> None:
        """A group with the name of its profile; None for one that is not calculated yet."""
        self.members.add(number)
        self.line = self.line or line
        if match := _PROFILE.fullmatch(name):
            self.speeds.append((Bandwidth.from_unit(int(match[1]), "Mb/s"), line))
            self.lengths.append((Length.from_unit(int(match[2]), "m"), line))
        if profile is not None and profile.get("xoff") is not None:
            size = parse_whole(profile.get("xoff"))
            self.headrooms.append((None if size is None else Size(size), profile.find_line("xoff")))

    def read_values(self) -> ReadValues:
        """The settings of both databases; the headroom is unknown if that of a group is no number."""
        groups = frozenset(PriorityGroup(number) for number in self.members if number <= PriorityGroup.last)
        read_values: ReadValues = {"port.qos.lossless_groups": (groups, self.line)}
        if self.speeds:
            read_values["port.headroom_speed"] = min(self.speeds)
        sizes = [(size, line) for size, line in self.headrooms if size is not None]
        if sizes and len(sizes) == len(self.headrooms):
            read_values["port.headroom"] = min(sizes)
        return read_values


def configured_groups(switch: Place, tables: Tables, ports: Collection[str], output: Output) -> Iterator[Observation]:
    """The lossless groups of CONFIG_DB. The configured cable length is in another table."""
    metadata = tables.row("DEVICE_METADATA", "localhost")
    is_dynamic = metadata is not None and metadata.get("buffer_model") == "dynamic"
    groups = {name: _Groups() for name in ports}
    for port, number, row in tables.by_port_and_number("BUFFER_PG"):
        name = row.reference("profile") or "NULL"
        profile = tables.row("BUFFER_PROFILE", name)
        if port in groups and (is_dynamic if name == "NULL" else _is_lossless(profile)):
            groups[port].add(number, row.line, name, profile)
    for port, group in groups.items():
        yield from observe_settings(switch.child("port", port), group.read_values(), output, State.CONFIGURED)


def buffer_tables(switch: Place, output: Output, ports: Collection[Place]) -> Iterator[Observation]:
    """The lossless groups of APPL_DB, and the shortest cable for which a port has headroom."""
    rows = parse_dump(output.text)
    if rows is None:
        return
    groups = {port: _Groups() for port in ports}
    for port_name, number, row in _list_groups(rows):
        group, name = groups.setdefault(switch.child("port", port_name), _Groups()), row.get("profile") or ""
        profile = rows.get(f"BUFFER_PROFILE_TABLE:{name}")
        if _is_lossless(profile):
            group.add(number, row.find_line("profile"), name, profile)
    for port, group in groups.items():
        lengths: ReadValues = {"port.cable_length": min(group.lengths)} if group.lengths else {}
        yield from observe_settings(port, {**group.read_values(), **lengths}, output)


def _list_groups(rows: Mapping[str, Row]) -> Iterator[tuple[str, int, Row]]:
    """The rows of priority groups, whose keys are ``BUFFER_PG_TABLE:Ethernet0,Ethernet4:3-4``."""
    for key, row in rows.items():
        table, *names = key.split(":")
        if table == "BUFFER_PG_TABLE" and len(names) == 2:
            ports = [name for name in names[0].split(",") if PORT_NAME.fullmatch(name) is not None]
            yield from ((port, number, row) for port in ports for number in numbers(names[1]) or ())


def _is_lossless(profile: Row | None) -> bool:
    return profile is not None and (profile.get("xoff") is not None or profile.get("headroom_type") == "dynamic")
