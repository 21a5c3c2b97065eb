"""NX-OS command output to settings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from wirespeed.facts import Observation
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.output_values import is_mac_address
from wirespeed.platforms.switch.json_output import find_mapping, find_source, observe_documents
from wirespeed.platforms.switch.lldp_neighbours import observe_neighbour
from wirespeed.platforms.switch.nxos.running_config import running_config
from wirespeed.platforms.switch.terminal import strip_terminal
from wirespeed.platforms.switch.watchdog import QueueState, observe_stuck_queues
from wirespeed.settings import Place, WatchdogAction
from wirespeed.units import Bandwidth

_DOWN = ("notconnec", "disabled", "sfpAbsent", "xcvrAbsen", "linkFlapE", "channelDo")
"""Words of a link that is down, as far as the column of the table prints them; JSON has them whole, ``notconnect``.

Sources: recordings in networktocode/ntc-templates and CiscoTestAutomation/genieparser; public scripts that read the
JSON of NX-API. Other words are of links that are down, too, but no source lists them.
"""


def parse(outputs: Outputs) -> Iterator[Observation]:
    """All observations in the recorded outputs of one switch."""
    switch, outputs = Place(outputs.device), strip_terminal(outputs)
    if (output := outputs.get("running-config")) is not None:
        yield from running_config(switch, output)
    readers = {
        "version": _read_version,
        "interface-status": _interface_status,
        "lldp-neighbors": _lldp_neighbors,
        "bgp-sessions": _bgp_sessions,
    }
    yield from observe_documents(switch, outputs, readers)
    if (output := outputs.get("pfc-watchdog")) is not None:
        yield from _pfc_watchdog(switch, output)


def rows(data: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """The rows of a table: NX-OS prints a table of one row as an object instead of a list."""
    read_values = find_mapping(data, f"TABLE_{name}").get(f"ROW_{name}")
    members = read_values if isinstance(read_values, list) else [read_values]
    return [row for row in members if isinstance(row, dict)]


def _read_version(switch: Place, output: Output, data: Mapping[str, Any]) -> Iterator[Observation]:
    """Release and model. Form of the release: recorded outputs in public repositories, NX-OS 9.3 and 10.2."""
    if isinstance(version := data.get("nxos_ver_str"), str):
        yield Observation(switch, "switch.os_version", version, find_source(output, "nxos_ver_str"))
    chassis = data.get("chassis_id")
    if isinstance(chassis, str) and (match := re.fullmatch(r"Nexus9000 (\S+) [Cc]hassis", chassis.strip())):
        yield Observation(switch, "switch.model", f"cisco-n9k-{match[1].lower()}", find_source(output, "chassis_id"))


def _pfc_watchdog(switch: Place, output: Output) -> Iterator[Observation]:
    """Whether the watchdog of a port is enabled, its action, and whether it acts on a queue.

    Form: Cisco Nexus 9000 NX-OS QoS configuration guide; as recorded in a public exporter's test of its parser.
    """
    states: list[QueueState] = []
    port: Place | None = None
    for number, line in enumerate(output.text.split("\n"), start=1):
        source = output.source_of_line(number)
        if match := re.match(r"(Ethernet[0-9/]+) Interface PFC watchdog: \[(Enabled|Disabled)\]", line):
            port = switch.child("port", match[1])
            yield Observation(port, "port.qos.watchdog.enabled", match[2] == "Enabled", source)
        elif port is not None and (match := re.match(r"Disable-action +: (Yes|No)\b", line)):
            action = WatchdogAction.ALERT if match[1] == "Yes" else WatchdogAction.DROP
            yield Observation(port, "port.qos.watchdog.action", action, source)
        elif port is not None and (match := re.match(r"\| QOS GROUP ([0-7]) \[(Active|Shutdown)\] +PFC \[YES\]", line)):
            states.append(QueueState(port, int(match[1]), match[2] == "Shutdown", number))
    yield from observe_stuck_queues(states, output)


def _interface_status(switch: Place, output: Output, data: Mapping[str, Any]) -> Iterator[Observation]:
    for row in rows(data, "interface"):
        name = str(row.get("interface"))
        if re.fullmatch(r"Ethernet[0-9/]+", name) is None:
            continue
        port, source = switch.child("port", name), find_source(output, name)
        state = str(row.get("state"))
        up = True if state == "connected" else False if state.startswith(_DOWN) else None
        if up is not None:
            yield Observation(port, "port.link.up", up, source)
        speed = re.fullmatch(r"(?:a-)?([0-9]{1,4})G", str(row.get("speed")))  # a-100G: by autonegotiation
        if up and speed:
            yield Observation(port, "port.link.speed", Bandwidth.from_unit(int(speed[1]), "Gb/s"), source)


def _lldp_neighbors(switch: Place, output: Output, data: Mapping[str, Any]) -> Iterator[Observation]:
    for row in rows(data, "nbor_detail"):
        match = re.fullmatch(r"Eth(?:ernet)?([0-9/]+)", str(row.get("l_port_id")))
        if match is None:
            continue
        port = switch.child("port", f"Ethernet{match[1]}")
        source = find_source(output, str(row["l_port_id"]))
        # A neighbour that gives its MAC address as port identifier names the port in the description.
        by_address = is_mac_address(str(row.get("port_id"))) and row.get("port_desc")
        port_key = "port_desc" if by_address else "port_id"
        yield from observe_neighbour(port, row.get("sys_name"), row.get(port_key), source)


def _bgp_sessions(switch: Place, output: Output, data: Mapping[str, Any]) -> Iterator[Observation]:
    """States of the sessions of the default VRF; an unnumbered one is named ``fe80::1%Ethernet1/1``."""
    for vrf in rows(data, "vrf"):
        for session in rows(vrf, "neighbor") if vrf.get("vrf-name-out") == "default" else ():
            name, state = session.get("neighbor-id"), session.get("state")
            if isinstance(name, str) and isinstance(state, str) and state:
                address, _, port = name.partition("%")
                if peer := port or address:
                    yield Observation(switch.child("peer", peer), "peer.state", state, find_source(output, name))
