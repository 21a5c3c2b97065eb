"""EOS command output to settings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from wirespeed.facts import Observation
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.output_values import number_lines, observe
from wirespeed.platforms.switch.eos.interfaces import long_name
from wirespeed.platforms.switch.eos.pfc_status import pfc_status
from wirespeed.platforms.switch.eos.running_config import running_config
from wirespeed.platforms.switch.eos.values import SERIES_CHIPS
from wirespeed.platforms.switch.json_output import find_mapping, find_source, observe_documents
from wirespeed.platforms.switch.lldp_neighbours import observe_neighbour
from wirespeed.platforms.switch.terminal import strip_terminal
from wirespeed.settings import Place
from wirespeed.units import Bandwidth

_UP = {"connected": True, "notconnect": False, "errdisabled": False, "disabled": False, "inactive": False}
"""A port is inactive while another one uses its lanes; recorded in networktocode/ntc-templates, arista_eos."""

_ECN_COUNTERS = re.compile(r"ECN +out +\S+: [0-9][0-9, ]* +(?P<state>[A-Za-z]\S*)")
"""``ECN out Jericho2: 1 up``: feature, direction, counter resource with its engines, state (Arista and Broadcom,
Lossless Network for AI/ML/Storage/HPC with RDMA). Without a state: Arista, EOS user manual, egress SR-TE traffic
accounting."""


def parse(outputs: Outputs) -> Iterator[Observation]:
    """All observations in the recorded outputs of one switch."""
    switch, outputs = Place(outputs.device), strip_terminal(outputs)
    configured: dict[tuple[Place, str], Any] = {}
    if (output := outputs.get("running-config")) is not None:
        for observation in running_config(switch, output):
            configured[observation.place, observation.path] = observation.value
            yield observation
    readers = {
        "version": _read_version,
        "interfaces-status": _interfaces_status,
        "lldp-neighbors": _lldp_neighbors,
        "bgp-summary": _bgp_summary,
    }
    yield from observe_documents(switch, outputs, readers)
    if (output := outputs.get("pfc-status")) is not None:
        yield from pfc_status(switch, output, configured)
    if (output := outputs.get("counter-feature")) is not None:
        yield from _read_counter_feature(switch, output)


def _read_counter_feature(switch: Place, output: Output) -> Iterator[Observation]:
    """The state of the ECN counters. Older releases print none: the table ends with the counter resource."""
    for number, line in number_lines(output):
        if (match := _ECN_COUNTERS.fullmatch(line.strip())) is not None:
            yield observe(switch, "switch.ecn_counters_up", match["state"] == "up", output, number)
            return


def _read_version(switch: Place, output: Output, data: Mapping[str, Any]) -> Iterator[Observation]:
    """Release, model and chip. ``DCS-7060DX4-32-F`` ends in the direction of the airflow, front or rear."""
    if isinstance(version := data.get("version"), str):
        yield Observation(switch, "switch.os_version", version, find_source(output, "version"))
    model = data.get("modelName")
    if not isinstance(model, str) or not model.startswith("DCS-"):
        return
    source = find_source(output, "modelName")
    name = re.sub("-[FR]$", "", model.removeprefix("DCS-"))
    yield Observation(switch, "switch.model", f"arista-{name.lower()}", source)
    chip = next((chip for series, chip in SERIES_CHIPS.items() if model.startswith(f"DCS-{series}")), None)
    if chip is not None:
        yield Observation(switch, "switch.chip", chip, source)


def _interfaces_status(switch: Place, output: Output, data: Mapping[str, Any]) -> Iterator[Observation]:
    for name, status in find_mapping(data, "interfaceStatuses").items():
        if not name.startswith("Ethernet") or not isinstance(status, dict):
            continue
        port, source = switch.child("port", name), find_source(output, name)
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
        port, source = switch.child("port", entry["port"]), find_source(output, entry["port"])
        yield from observe_neighbour(port, entry.get("neighborDevice"), entry.get("neighborPort"), source)


def _bgp_summary(switch: Place, output: Output, data: Mapping[str, Any]) -> Iterator[Observation]:
    for name, session in find_mapping(find_mapping(find_mapping(data, "vrfs"), "default"), "peers").items():
        state = session.get("peerState") if isinstance(session, dict) else None
        address, _, port = name.partition("%")
        peer = long_name(port) if port else address
        if peer and isinstance(state, str):
            yield Observation(switch.child("peer", peer), "peer.state", state, find_source(output, name))
