"""Community SONiC command output to settings."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from wirespeed.facts import Observation
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.output_values import complete_lines, is_mac_address, parse_whole
from wirespeed.platforms.switch.lldp_neighbours import observe_neighbour
from wirespeed.platforms.switch.sonic.buffers import buffer_tables
from wirespeed.platforms.switch.sonic.configuration import config_db
from wirespeed.platforms.switch.sonic.routing import bgp_summary
from wirespeed.platforms.switch.sonic.values import FEC_KEYWORDS, PORT_NAME
from wirespeed.platforms.switch.terminal import strip_terminal
from wirespeed.platforms.switch.watchdog import QueueState, observe_stuck_queues
from wirespeed.settings import Place, WatchdogAction
from wirespeed.units import Bandwidth, Duration


def parse(outputs: Outputs) -> Iterator[Observation]:
    """All observations in the recorded outputs of one switch."""
    switch, outputs = Place(outputs.device), strip_terminal(outputs)
    watched: dict[Place, None] = {}
    ports: dict[Place, None] = {}
    for command, read in (
        ("config-db", config_db),
        ("version", _read_version),
        ("fec-status", _fec_status),
        ("interface-status", _interface_status),
        ("lldp-table", _lldp_table),
        ("pfcwd-config", _pfcwd_config),
        ("bgp-summary", bgp_summary),
    ):
        if (output := outputs.get(command)) is not None:
            for observation in read(switch, output):
                if observation.path == "port.qos.watchdog.detect":
                    watched[observation.place] = None
                if observation.path == "port.qos.lossless_groups":
                    ports[observation.place] = None
                yield observation
    if (output := outputs.get("pfcwd-stats")) is not None:
        yield from _pfcwd_stats(switch, output, tuple(watched))
    if (output := outputs.get("buffer-tables")) is not None:
        yield from buffer_tables(switch, output, ports)


def _read_version(switch: Place, output: Output) -> Iterator[Observation]:
    for number, line in complete_lines(output):
        if match := re.fullmatch(r"SONiC Software Version:\s+(?:SONiC\.)?(\S+)\s*", line):
            yield Observation(switch, "switch.os_version", match[1], output.source_of_line(number))


def _fec_status(switch: Place, output: Output) -> Iterator[Observation]:
    """The operational FEC, also of a port whose configured one is ``auto`` (sonic-utilities, intfutil).

    It precedes the column FEC of the interfaces' status, which repeats the configured value.
    """
    for number, row in _read_rows(output):
        if PORT_NAME.fullmatch(row.get("Interface", "")) is not None and row.get("FEC Oper") in FEC_KEYWORDS:
            port = switch.child("port", row["Interface"])
            yield Observation(port, "port.link.fec", row["FEC Oper"], output.source_of_line(number))


def _interface_status(switch: Place, output: Output) -> Iterator[Observation]:
    for number, row in _read_rows(output):
        if PORT_NAME.fullmatch(row.get("Interface", "")) is None or row.get("Oper") not in ("up", "down"):
            continue
        port, source = switch.child("port", row["Interface"]), output.source_of_line(number)
        yield Observation(port, "port.link.up", row["Oper"] == "up", source)
        if row["Oper"] != "up":
            continue  # the following rows are configured values, not running ones
        match = re.fullmatch(r"([0-9]+)(G|M)", row.get("Oper Speed", row.get("Speed", "")))
        if match:
            unit = 10**9 if match[2] == "G" else 10**6
            yield Observation(port, "port.link.speed", Bandwidth(int(match[1]) * unit), source)
        fec = row.get("FEC", "").removesuffix("(auto)")
        if fec in FEC_KEYWORDS:
            yield Observation(port, "port.link.fec", fec, source)


def _lldp_table(switch: Place, output: Output) -> Iterator[Observation]:
    """A neighbour that gives its MAC address as port identifier names the port in the description."""
    for number, row in _read_rows(output):
        name = row.get("LocalPort", "")
        if PORT_NAME.fullmatch(name) is None or not row.get("RemoteDevice"):
            continue
        port, source = switch.child("port", name), output.source_of_line(number)
        remote_port = row.get("RemotePortID", "")
        if is_mac_address(remote_port) and row.get("RemotePortDescr"):
            remote_port = row["RemotePortDescr"]
        yield from observe_neighbour(port, row["RemoteDevice"], remote_port, source)


def _pfcwd_config(switch: Place, output: Output) -> Iterator[Observation]:
    """The running watchdog; the interval is above the table."""
    for number, line in complete_lines(output):
        if match := re.fullmatch(r"Changed polling interval to ([0-9]{1,9})ms\s*", line):
            poll = Duration.from_unit(int(match[1]), "ms")
            yield Observation(switch, "switch.watchdog_poll", poll, output.source_of_line(number))
    for number, row in _read_rows(output):
        name, action = row.get("PORT", ""), row.get("ACTION", "")
        if PORT_NAME.fullmatch(name) is None:
            continue
        port, source = switch.child("port", name), output.source_of_line(number)
        if action in ("drop", "forward", "alert"):
            yield Observation(port, "port.qos.watchdog.action", WatchdogAction(action), source)
        for path, column in (("detect", "DETECTION TIME"), ("restore", "RESTORATION TIME")):
            if (time := parse_whole(row.get(column))) is not None:  # "infinite" is no time
                yield Observation(port, f"port.qos.watchdog.{path}", Duration.from_unit(time, "ms"), source)


def _pfcwd_stats(switch: Place, output: Output, watched: Collection[Place]) -> Iterator[Observation]:
    """Whether a queue of a port is stormed: pfcwd/main.py of sonic-utilities prints Ethernet0:3 and its status.

    It leaves out a queue whose counters, storms detected among them, are all zero: a watched port without a row was
    never stormed.
    """
    states: list[QueueState] = []
    listed: set[str] = set()
    header = next((number for number, line in complete_lines(output) if line.split()[:2] == ["QUEUE", "STATUS"]), None)
    for number, row in _read_rows(output):
        name, _, queue = row.get("QUEUE", "").partition(":")
        status = row.get("STATUS")
        listed.add(name)
        if PORT_NAME.fullmatch(name) is None or not queue.isdecimal() or status not in ("operational", "stormed"):
            continue
        states.append(QueueState(switch.child("port", name), int(queue), status == "stormed", number))
    yield from observe_stuck_queues(states, output)
    for port in watched:
        if header is not None and port.name not in listed:
            yield Observation(port, "port.qos.watchdog.active", False, output.source_of_line(header))


def _read_rows(output: Output) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows of tables whose columns lie within the dashes under their headers: cells may be empty and hold blanks."""
    header, columns = "", []
    names: list[str] = []
    for number, line in complete_lines(output):
        if re.fullmatch(r"\s*-{3,}(\s{2}-+)+\s*", line):
            columns = [(match.start(), match.end()) for match in re.finditer("-+", line)]
            names = [header[start:end].strip() for start, end in columns]
        elif columns and line.strip():
            yield (
                number,
                {
                    name: line[start : end if index + 1 < len(columns) else None].strip()
                    for index, (name, (start, end)) in enumerate(zip(names, columns, strict=True))
                },
            )
        else:
            columns = []
        header = line
