"""Output of eXpressWare's tools."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirespeed.facts import COMPLETE, Observation
from wirespeed.platforms.model import Outputs
from wirespeed.platforms.output_values import number_lines, observe
from wirespeed.settings import Place
from wirespeed.units import Size

SERVICES = ("dis_irm", "dis_nodemgr", "dis_sisci")
"""In the order of the command. Source: Dolphin, eXpressWare 5 installation and reference guide for Linux, chapter 6,
section 3.1: RPM package structure."""
_STATES = frozenset(
    {"active", "reloading", "inactive", "failed", "activating", "deactivating", "maintenance", "unknown"}
)
"""Of units: systemd, src/basic/unit-def.c; unknown: systemctl(1), is-active of older releases without such a unit."""
_NODE = re.compile(r"Card ([0-9]+) - NodeId: +([0-9]+)")
_PREFETCH = re.compile(r"Card ([0-9]+) - Prefetch memory space size: ([0-9]+)(?: MB)?")
_DEVICE = re.compile(r" *([0-9a-fA-F]+): (.*) \[([^\]]*)\]")
_NO_GPU = "No devices were found"  # nvidia-smi(1) ends with code 6 then
_BUS = re.compile(r"[0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9]")


def parse(outputs: Outputs) -> Iterator[Observation]:
    """Bridges, loans, and the GPUs that can be used."""
    host = Place(outputs.device)
    if output := outputs.get("ntb-node"):
        matches = [(number, match) for number, text in number_lines(output) if (match := _NODE.fullmatch(text))]
        for number, match in matches:
            yield observe(host.child("ntb", match[1]), "ntb.node_id", int(match[2]), output, number)
        if matches:
            yield observe(host, "host.ntbs", COMPLETE, output)
    if output := outputs.get("ntb-prefetch"):
        for number, text in number_lines(output):
            if match := _PREFETCH.fullmatch(text):
                size = Size(int(match[2]) * 2**20)
                yield observe(host.child("ntb", match[1]), "ntb.prefetch", size, output, number)
    if output := outputs.get("loans"):
        whole = True
        for number, text in number_lines(output):
            if match := _DEVICE.fullmatch(text):
                place = host.child("loan", match[1].lower())
                yield observe(place, "loan.listed", True, output, number)
                yield observe(place, "loan.state", match[3], output, number)
            elif text:
                whole = False
        if whole:
            yield observe(host, "host.loans", COMPLETE, output)
    if output := outputs.get("bridge-services"):
        states = output.text.split()
        if len(states) == len(SERVICES) and _STATES.issuperset(states):
            pairs = zip(SERVICES, states, strict=True)
            inactive = tuple(service for service, state in pairs if state not in ("active", "reloading"))
            yield observe(host, "host.inactive_services", inactive, output)
    if output := outputs.get("usable-gpus"):
        rows = [text for _, text in number_lines(output) if text]
        if rows == [_NO_GPU]:
            yield observe(host, "host.usable_gpus", 0, output)
        elif rows and all(_BUS.fullmatch(text) for text in rows):
            yield observe(host, "host.usable_gpus", len(rows), output)
