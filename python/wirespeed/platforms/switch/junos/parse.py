"""Junos command output to settings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirespeed.facts import Observation
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.output_values import number_lines, observe
from wirespeed.platforms.switch.junos.commands import FEC_MODES
from wirespeed.platforms.switch.junos.config_text import PORT_NAME
from wirespeed.platforms.switch.junos.configuration import configuration
from wirespeed.platforms.switch.lldp_neighbours import observe_neighbour
from wirespeed.platforms.switch.terminal import strip_terminal
from wirespeed.settings import Place
from wirespeed.units import Bandwidth

_PHYSICAL = re.compile(r"Physical interface: (\S+), (?:Enabled|Administratively down), Physical link is (Up|Down)")
_SPEED = re.compile(r"\bSpeed: ([0-9]+)Gbps\b")
_FEC = re.compile(r"Ethernet FEC Mode\s*:\s*(\S+)")
_SESSION = re.compile(
    r"(\S+) +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +\S+(?: [0-9:]+)? +([A-Z][A-Za-z]+|[0-9]+/\S+)\b.*"
)
_STATES = {"Establ": "Established", "OpenSent": "OpenSent", "OpenConfirm": "OpenConfirm", "Active": "Active"}
_STATES |= {"Connect": "Connect", "Idle": "Idle"}
_HEAD = 2
_COLUMNS = ("Local Interface", "Parent Interface", "Chassis Id", "Port info", "System Name")


def parse(outputs: Outputs) -> Iterator[Observation]:
    """All observations in the recorded outputs of one switch."""
    switch, outputs = Place(outputs.device), strip_terminal(outputs)
    if (output := outputs.get("configuration")) is not None and not _is_truncated(
        output, outputs.get("configuration-lines")
    ):
        yield from configuration(switch, output)
    for command, read in (
        ("version", _read_version),
        ("interfaces-extensive", _read_interfaces),
        ("lldp-neighbors", _lldp_neighbors),
        ("bgp-summary", _bgp_summary),
    ):
        if (output := outputs.get(command)) is not None:
            yield from read(switch, output)


def _is_truncated(output: Output, counted_lines: Output | None) -> bool:
    """Whether the configuration has fewer lines than the switch counts.

    Whether its two lines before the first stanza count is not known; a stanza has three or more.
    """
    count_match = (
        None if counted_lines is None else re.search(r"^Count: ([0-9]+) lines", counted_lines.text, re.MULTILINE)
    )
    return count_match is not None and output.text.rstrip().count("\n") + 1 + _HEAD < int(count_match[1])


def _read_version(switch: Place, output: Output) -> Iterator[Observation]:
    for number, line in number_lines(output):
        if match := re.fullmatch(r"Junos: (\S+)", line.strip()):
            yield observe(switch, "switch.os_version", match[1], output, number)


def _read_interfaces(switch: Place, output: Output) -> Iterator[Observation]:
    """The physical interfaces. Of a logical one nothing is taken."""
    port: Place | None = None
    for number, line in number_lines(output):
        if match := _PHYSICAL.match(line.strip()):
            port = switch.child("port", match[1]) if PORT_NAME.fullmatch(match[1]) else None
            if port is not None:
                yield observe(port, "port.link.up", match[2] == "Up", output, number)
        elif line.strip().startswith(("Physical interface:", "Logical interface")):
            port = None
        elif port is not None and (match := _SPEED.search(line)):
            yield observe(port, "port.link.speed", Bandwidth.from_unit(int(match[1]), "Gb/s"), output, number)
        elif port is not None and (match := _FEC.search(line)) and match[1] in FEC_MODES:
            yield observe(port, "port.link.fec", FEC_MODES[match[1]], output, number)


def _lldp_neighbors(switch: Place, output: Output) -> Iterator[Observation]:
    """A table whose columns begin where their headings do; the port column may be empty."""
    starts: list[int] | None = None
    for number, line in number_lines(output):
        if all(heading in line for heading in _COLUMNS):
            starts = [line.index(heading) for heading in _COLUMNS]
            continue
        name = line.split(" ")[0].removesuffix(".0")
        if starts is None or PORT_NAME.fullmatch(name) is None or len(line) <= starts[-1]:
            continue
        port = switch.child("port", name)
        device, info = line[starts[4] :].strip(), line[starts[3] : starts[4]].strip()
        yield from observe_neighbour(port, device, info, output.source_of_line(number))


def _bgp_summary(switch: Place, output: Output) -> Iterator[Observation]:
    """A session's state; with one table, an established session shows its counts of routes instead."""
    for number, line in number_lines(output):
        match = _SESSION.fullmatch(line.rstrip())
        if match is None or not re.fullmatch(r"[0-9a-f.:]+(%\S+)?", match[1]):
            continue
        state = "Established" if "/" in match[2] else _STATES.get(match[2])
        address, _, unit = match[1].partition("%")
        if state is not None:
            peer = switch.child("peer", unit.removesuffix(".0") if unit else address)
            yield observe(peer, "peer.state", state, output, number)
