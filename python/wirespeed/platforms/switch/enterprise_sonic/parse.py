"""Enterprise SONiC command output to settings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from wirespeed.facts import Observation
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.output_values import complete_lines, is_mac_address
from wirespeed.platforms.switch.enterprise_sonic.routing import bgp_summary
from wirespeed.platforms.switch.enterprise_sonic.running_config import PORT_NAME, running_config
from wirespeed.platforms.switch.terminal import strip_terminal
from wirespeed.platforms.switch.watchdog import QueueState, observe_stuck_queues
from wirespeed.settings import Place
from wirespeed.units import Bandwidth

_LLDP = ("LocalPort", "RemoteDevice", "RemotePortID", "Capability", "RemotePortDescr")


def parse(outputs: Outputs) -> Iterator[Observation]:
    """All observations in the recorded outputs of one switch."""
    switch, outputs = Place(outputs.device), strip_terminal(outputs)
    for command, read in (
        ("running-config", running_config),
        ("version", _read_version),
        ("interface-status", _interface_status),
        ("lldp-table", _lldp_table),
        ("bgp-ipv4-summary", bgp_summary),
        ("bgp-ipv6-summary", bgp_summary),
        ("pfc-watchdog-statistics", _pfc_watchdog),
    ):
        if (output := outputs.get(command)) is not None:
            yield from read(switch, output)


def _read_version(switch: Place, output: Output) -> Iterator[Observation]:
    for number, line in complete_lines(output):
        if match := re.fullmatch(r"Software Version\s+:\s+'?([^'\s]+)'?\s*", line):
            yield Observation(switch, "switch.os_version", match[1], output.source_of_line(number))


def _interface_status(switch: Place, output: Output) -> Iterator[Observation]:
    """Descriptions hold blanks, so rows are read from the right, by the header's columns."""
    columns: list[str] = []
    for number, line in complete_lines(output):
        cells = line.replace("Alternate Name", "Alternate-Name").split()
        if cells[:2] == ["Name", "Description"]:
            columns = cells
        if not columns or not cells or PORT_NAME.fullmatch(cells[0]) is None:
            continue
        right = columns[2:]
        if not right or len(cells) < len(right) + 1:
            continue  # an empty cell: it is unknown which
        row = dict(zip(right, cells[-len(right) :], strict=True))
        port, source = switch.child("port", cells[0]), output.source_of_line(number)
        if row.get("Oper") not in ("up", "down") or not row.get("MTU", "").isdecimal():
            continue
        yield Observation(port, "port.link.up", row["Oper"] == "up", source)
        speed = row.get("Speed", "")
        if row["Oper"] == "up" and speed.isdecimal() and int(speed):
            yield Observation(port, "port.link.speed", Bandwidth.from_unit(int(speed), "Mb/s"), source)
        if row.get("AutoNeg") in ("on", "off"):
            yield Observation(port, "port.link.autonegotiation", row["AutoNeg"] == "on", source)


def _pfc_watchdog(switch: Place, output: Output) -> Iterator[Observation]:
    """Whether a queue of a port is stormed: interface, queue and status of each row.

    Form: AMD's public collector for Dell SONiC switches; the states are those that orchagent stores (sonic-swss,
    pfcactionhandler.cpp).
    """
    states: list[QueueState] = []
    for number, line in complete_lines(output):
        match = re.match(r"(Eth\S+) +([0-7]) +(operational|stormed)( +[0-9]+){10}", line)
        if match is not None and PORT_NAME.fullmatch(match[1]):
            states.append(QueueState(switch.child("port", match[1]), int(match[2]), match[3] == "stormed", number))
    yield from observe_stuck_queues(states, output)


def _lldp_table(switch: Place, output: Output) -> Iterator[Observation]:
    """A table whose cells begin where their headings do; names that are too long for theirs run into the next.

    A neighbour that gives its MAC address as port identifier names the port in the description.
    """
    starts: list[int] = []
    for number, line in complete_lines(output):
        if all(heading in line for heading in _LLDP):
            starts = [line.index(heading) for heading in _LLDP]
            continue
        if not starts or PORT_NAME.fullmatch(line.split(" ")[0]) is None:
            continue
        name, device, remote_port, _ = (line[begin:end].strip() for begin, end in pairwise(starts))
        if any(line[begin - 1 : begin] != " " for begin in starts[1:4]) or not (name and device and remote_port):
            continue  # cells cannot be assigned to columns
        description_words = line[starts[4] - 1 :].split()  # some releases print its heading one blank too far
        port, source = switch.child("port", name), output.source_of_line(number)
        yield Observation(port, "port.neighbour.device", device, source)
        name = description_words[-1] if is_mac_address(remote_port) and description_words else remote_port
        yield Observation(port, "port.neighbour.port", name, source)
