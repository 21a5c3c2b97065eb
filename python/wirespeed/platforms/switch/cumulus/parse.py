"""NVUE command output to settings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirespeed.facts import COMPLETE, Observation, State
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.output_values import number_lines, observe, parse_json_object
from wirespeed.platforms.switch.config_reader import (
    CHANNEL_SETTINGS,
    ReadValues,
    observe_settings,
    parse_number,
    quantity,
)
from wirespeed.platforms.switch.cumulus.commands import DEFAULT_MTU, FEC, ON_KEYWORDS
from wirespeed.platforms.switch.cumulus.nvue_config import (
    Statement,
    expand_names,
    numbers,
    of_interfaces,
    parse_statements,
)
from wirespeed.platforms.switch.cumulus.qos import port_qos, read_qos
from wirespeed.platforms.switch.cumulus.routing import accepts_any_peer, bgp, list_unnumbered_ports, peer_states, peers
from wirespeed.platforms.switch.json_output import find_mapping, find_source
from wirespeed.platforms.switch.lldp_neighbours import observe_neighbour
from wirespeed.platforms.switch.terminal import strip_terminal
from wirespeed.settings import Place, Priority
from wirespeed.units import Bandwidth

_PORT = re.compile(r"swp[0-9]+(s[0-9]+)?")
_SPEED = quantity(Bandwidth, "Gb/s", "G")


def parse(outputs: Outputs) -> Iterator[Observation]:
    """All observations in the recorded outputs of one switch."""
    switch, outputs = Place(outputs.device), strip_terminal(outputs)
    if (output := outputs.get("system")) is not None:
        yield from _read_release(switch, output)
    configuration: list[Observation] = []
    if (output := outputs.get("config")) is not None:
        configuration.extend(_read_config(switch, output))
        yield from configuration
    if (output := outputs.get("roce")) is not None:
        yield from _read_roce(switch, output)
        yield from _read_priorities(configuration, output)
    if (output := outputs.get("interfaces")) is not None:
        yield from _read_interfaces(switch, output)
    if (output := outputs.get("lldp")) is not None:
        yield from _read_lldp(switch, output)
    if (output := outputs.get("bgp-neighbors")) is not None:
        yield from peer_states(switch, output)


def _read_release(switch: Place, output: Output) -> Iterator[Observation]:
    """The release of ``nv show system``: ``product-release 5.15.0``, below ``version`` since 5.15.

    ``build`` (``Cumulus Linux 5.5.0``) is the row of releases before ``product-release``. 5.13 and 5.14 have neither.

    Source: NVIDIA NVUE reference, Show Commands, System; Cumulus Linux 5.15 documentation, Show System Information.
    """
    rows: dict[str, tuple[str, int]] = {}
    for number, line in number_lines(output):
        if match := re.match(r"\s*(product-release\s+|build\s+Cumulus Linux )([0-9]+\.[0-9]+\S*)(\s|$)", line):
            rows.setdefault(match[1].split()[0], (match[2], number))
    if row := rows.get("product-release") or rows.get("build"):
        yield observe(switch, "switch.os_version", row[0], output, row[1])


def _read_config(switch: Place, output: Output) -> Iterator[Observation]:
    statements = parse_statements(output.text)
    if not statements:
        return
    qos = read_qos(statements)
    interfaces: dict[str, list[Statement]] = {}
    for name, line, argument in of_interfaces(statements):
        interfaces.setdefault(name, []).append(Statement(line.number, argument))
    loopbacks = _read_addresses(interfaces.get("lo", []))
    read_values: ReadValues = {
        "switch.routing": (True, 0),
        **qos.switch,
        **bgp(statements),
        "switch.loopbacks": loopbacks,
    }
    yield from observe_settings(switch, read_values, output)
    # "nv show qos roce" shows the result.
    yield from observe_settings(switch, {"switch.buffers.lossless": qos.lossless}, output, State.CONFIGURED)
    yield from peers(switch, statements, output)
    cages: dict[str, tuple[int, int]] = {}
    ports = {name: statements_of_port for name, statements_of_port in interfaces.items() if _PORT.fullmatch(name)}
    for name, port_statements in ports.items():
        for line in port_statements:
            breakout = line.words[2] if line.words[:2] == ("link", "breakout") and len(line.words) > 2 else ""
            if match := re.fullmatch(r"([0-9]+)x", breakout):
                cages[name] = (int(match[1]), line.number)
    bond_members, neighbours = _bond_members(interfaces), list_unnumbered_ports(statements)
    for name, port_statements in ports.items():
        if name not in cages:
            read_values = _read_port(name, port_statements, cages)
            read_values["port.unnumbered"] = (name in neighbours, port_statements[0].number)
            if name in bond_members:  # then the bond's count
                read_values = {path: value for path, value in read_values.items() if path not in CHANNEL_SETTINGS}
            place = switch.child("port", name)
            yield from observe_settings(place, read_values, output)
            yield from port_qos(place, port_statements, qos, output)
    yield from _read_vlans(switch, statements, interfaces, output)
    yield Observation(switch, "switch.ports", COMPLETE, output.source)
    yield Observation(switch, "switch.vlans", COMPLETE, output.source)
    if not accepts_any_peer(statements):
        yield Observation(switch, "switch.peers", COMPLETE, output.source)


def _read_port(name: str, statements: list[Statement], cages: dict[str, tuple[int, int]]) -> ReadValues:
    number = statements[0].number
    read_values: ReadValues = {
        "port.link.mtu": (DEFAULT_MTU, number),
        "port.link.enabled": (True, number),
        "port.addresses": _read_addresses(statements),
    }
    cage = name.rpartition("s")[0]
    if cage in cages:
        read_values["port.breakout"] = cages[cage]
    for line in statements:
        match line.words:
            case ("link", "mtu", value):
                read_values["port.link.mtu"] = (parse_number(value), line.number)
            case ("link", "speed", value):
                read_values["port.link.speed"] = (_SPEED(value), line.number)
            case ("link", "fec", value):
                read_values["port.link.fec"] = (FEC.get(value), line.number)
            case ("link", "state", value):
                read_values["port.link.enabled"] = ({"up": True, "down": False}.get(value), line.number)
            case ("description", value):
                read_values["port.description"] = (value, line.number)
            case ("bridge", "domain", _, "access", value):
                read_values["port.vlan"] = (parse_number(value), line.number)
    return read_values


def _bond_members(interfaces: dict[str, list[Statement]]) -> set[str]:
    """Ports that are members of a bond."""
    lines = (line.words for statements in interfaces.values() for line in statements)
    members = {words[2] for words in lines if words[:2] == ("bond", "member") and len(words) > 2}
    return {name for names in members for name in expand_names(names)}


def _read_addresses(statements: list[Statement]) -> tuple[tuple[str, ...] | None, int]:
    """Addresses of an interface, in the newer spelling or the older ``ip address``; None when they are a VRF's."""
    address_lines: list[tuple[str, int]] = []
    for line in statements:
        match line.words:
            case ("ip", "vrf", table) | ("vrf", table) if table != "default":
                return None, line.number
            case ("ip" | "ipv4" | "ipv6", "address", address):
                address_lines.append((address, line.number))
    return tuple(address for address, _ in address_lines), address_lines[0][1] if address_lines else 0


def _read_vlans(
    switch: Place, statements: list[Statement], interfaces: dict[str, list[Statement]], output: Output
) -> Iterator[Observation]:
    numbers: dict[int, int] = {}
    for line in statements:
        argument = line.words_after("bridge", "domain", "*", "vlan")
        if argument:
            numbers |= {int(name): line.number for name in expand_names(argument[0]) if name.isdecimal()}
    for number, line_number in numbers.items():
        name = f"vlan{number}"
        vlan_statements = interfaces.get(name, [])
        addresses = _read_addresses(vlan_statements)
        read_values: ReadValues = {"vlan.addresses": (addresses[0], addresses[1] or line_number)}
        if vlan_statements:
            read_values["vlan.mtu"] = (DEFAULT_MTU, vlan_statements[0].number)
        for line in vlan_statements:
            match line.words:
                case ("link", "mtu", value):
                    read_values["vlan.mtu"] = (parse_number(value), line.number)
                case ("description", value):
                    read_values["vlan.description"] = (value, line.number)
        yield from observe_settings(switch.child("vlan", str(number)), read_values, output)


def _read_roce(switch: Place, output: Output) -> Iterator[Observation]:
    """The table's last column is what was applied; ``state`` is the newer word for ``enable``."""
    enabled: bool | None = None
    for number, line in number_lines(output):
        words = line.split()
        if words and words[0] in ("enable", "state") and len(words) > 1:
            enabled = words[-1] in ON_KEYWORDS
            if not enabled:
                yield observe(switch, "switch.buffers.lossless", False, output, number)
        elif enabled and len(words) > 1 and words[0] == "mode":
            yield observe(switch, "switch.buffers.lossless", words[-1].startswith("lossless"), output, number)


def _read_priorities(configuration: list[Observation], output: Output) -> Iterator[Observation]:
    """The PFC priorities in effect, of every port without a PFC profile that only it uses.

    Source: NVIDIA NVUE reference, Show Commands, `nv show interface <interface-id> qos roce status`: ``pfc-priority``
    is the switch priority on which PFC is enabled. The first column is what is in operation.
    """
    for number, line in number_lines(output):
        match line.split():
            case ("pfc-priority", listed, *_) if (priorities := numbers(listed)) is not None and max(priorities) < 8:
                for reading in configuration:
                    if reading.path == "port.qos.pfc" and reading.state is State.CONFIGURED:
                        yield observe(reading.place, reading.path, frozenset(map(Priority, priorities)), output, number)


def _read_interfaces(switch: Place, output: Output) -> Iterator[Observation]:
    data = parse_json_object(output) or {}
    for name in data:
        status = find_mapping(find_mapping(data, name), "link").get("oper-status")
        if _PORT.fullmatch(name) and status in ("up", "down"):
            yield Observation(switch.child("port", name), "port.link.up", status == "up", find_source(output, name))


def _read_lldp(switch: Place, output: Output) -> Iterator[Observation]:
    """Neighbours of lldpd: a list of one-key objects, or one object where there is only one neighbour."""
    interfaces = find_mapping(parse_json_object(output) or {}, "lldp").get("interface")
    for entry in interfaces if isinstance(interfaces, list) else [interfaces]:
        for name, neighbour in entry.items() if isinstance(entry, dict) else ():
            if not _PORT.fullmatch(name) or not isinstance(neighbour, dict):
                continue
            chassis, port = find_mapping(neighbour, "chassis"), find_mapping(neighbour, "port")
            place, source = switch.child("port", name), find_source(output, name)
            # The key is the chassis name, or "id" for a chassis without name.
            has_name = len(chassis) == 1 and isinstance(next(iter(chassis.values())), dict) and "id" not in chassis
            port_id = find_mapping(port, "id")
            said_port = port_id.get("value") if port_id.get("type") == "ifname" else port.get("descr")
            yield from observe_neighbour(place, next(iter(chassis)) if has_name else None, said_port, source)
