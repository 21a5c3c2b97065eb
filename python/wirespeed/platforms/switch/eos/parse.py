"""What EOS prints, as settings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from wirespeed.facts import Observation
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.switch.eos.running import running_config
from wirespeed.platforms.switch.json import mapping_of, source_of
from wirespeed.settings import Place
from wirespeed.units import Bandwidth

_UP = {"connected": True, "notconnect": False, "errdisabled": False, "disabled": False}


def parse(outputs: Outputs) -> Iterator[Observation]:
    """Everything the recorded outputs of one switch say."""
    switch = Place(outputs.device)
    if (output := outputs.get("running-config")) is not None:
        yield from running_config(switch, output)
    for command, read in (
        ("version", _version),
        ("interfaces-status", _interfaces_status),
        ("lldp-neighbors", _lldp_neighbors),
    ):
        if (output := outputs.get(command)) is not None and (data := _json(output)) is not None:
            yield from read(switch, output, data)


def _json(output: Output) -> Mapping[str, Any] | None:
    """The document, None when it was cut short or is no JSON object."""
    try:
        data = json.loads(output.text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _version(switch: Place, output: Output, data: Mapping[str, Any]) -> Iterator[Observation]:
    if isinstance(version := data.get("version"), str):
        yield Observation(switch, "switch.os_version", version, source_of(output, "version"))


def _interfaces_status(switch: Place, output: Output, data: Mapping[str, Any]) -> Iterator[Observation]:
    for name, status in mapping_of(data, "interfaceStatuses").items():
        if not name.startswith("Ethernet") or not isinstance(status, dict):
            continue
        port, source = switch.thing("port", name), source_of(output, name)
        up = _UP.get(str(status.get("linkStatus")))
        if up is not None:
            yield Observation(port, "port.link.up", up, source)
        bandwidth = status.get("bandwidth")
        if up and isinstance(bandwidth, int) and bandwidth > 0:
            yield Observation(port, "port.link.speed", Bandwidth(bandwidth), source)
        if isinstance(negotiates := status.get("autoNegotiateActive"), bool):
            yield Observation(port, "port.link.autonegotiation", negotiates, source)


def _lldp_neighbors(switch: Place, output: Output, data: Mapping[str, Any]) -> Iterator[Observation]:
    neighbours = data.get("lldpNeighbors")
    for entry in neighbours if isinstance(neighbours, list) else ():
        if not isinstance(entry, dict) or not str(entry.get("port")).startswith("Ethernet"):
            continue
        port, source = switch.thing("port", entry["port"]), source_of(output, entry["port"])
        for path, key in (("port.neighbour.device", "neighborDevice"), ("port.neighbour.port", "neighborPort")):
            if isinstance(value := entry.get(key), str) and value:
                yield Observation(port, path, value, source)
