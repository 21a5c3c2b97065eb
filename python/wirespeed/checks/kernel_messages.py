"""Messages of the kernel log: the devices that they concern, and whether the error was corrected."""

from __future__ import annotations

import re
from collections.abc import Mapping

from wirespeed.settings import Host, PcieFunction, is_address, list_bridges

_ADDRESS = re.compile(r"(?<![0-9a-f:])(?:([0-9a-f]{4}):)?([0-9a-f]{2}:[0-9a-f]{2}\.[0-7])(?![0-9a-f])")
_SWITCH = re.compile(r"\bSXid\b")
_LIMITED_LINK = re.compile(
    r"\b(?P<device>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]).*: [\d.]+ Gb/s available PCIe bandwidth, limited by "
    r"(?P<rate>[\d.]+) GT/s PCIe x(?P<width>\d+) link"
)
_MACHINE_CHECK = re.compile(r"\[Hardware Error\]: CPU \d+: Machine Check.* Bank \d+: (?P<status>[0-9a-f]{16})\b")
_UNCORRECTED = 1 << 61
"""UC in the status of a machine check: Intel SDM volume 3, 17.3.2.2; AMD64 manual volume 2, 9.3.2.3."""
_CORRECTED = re.compile(
    r"\[Hardware Error\]: (?:Corrected error|Machine check events logged|event severity: corrected)"
    r"|\bEDAC \S+: \d+ CE |\bSXid \([^)]*\): \d+, Non-fatal\b"
)


def is_corrected(message: str) -> bool:
    """Whether the hardware corrected the error. ``Machine check events logged`` includes corrected ones.

    Source: Linux arch/x86/kernel/cpu/mce/core.c, drivers/edac/mce_amd.c, drivers/edac/edac_mc.c,
    drivers/acpi/apei/ghes.c; NVIDIA Fabric Manager user guide, non-fatal NVSwitch SXid errors.
    """
    if match := _MACHINE_CHECK.search(message):
        return not int(match["status"], 16) & _UNCORRECTED
    return _CORRECTED.search(message) is not None


def is_limited_link(message: str) -> bool:
    """Whether the message states a link narrower or slower than the device when the kernel found it."""
    return _LIMITED_LINK.search(message) is not None


def concerns_planned_device(message: str, planned: Host, found_functions: Mapping[str, PcieFunction]) -> bool:
    """Whether the message may concern a planned NIC or GPU, or a bridge above one.

    A message of another device names functions that lspci lists, and none of them is on a planned bus. Without planned
    functions, or where a planned NIC was not found, every message counts. A NIC's link as slow as planned is no error.
    """
    if match := _LIMITED_LINK.search(message):
        return _is_slower_than_planned(planned, match["device"], float(match["rate"]), int(match["width"]))
    addresses = {f"{domain or '0000'}:{function}" for domain, function in _ADDRESS.findall(message)}
    planned_addresses = _list_planned_addresses(planned, found_functions)
    if not addresses or not planned_addresses or _SWITCH.search(message) or not addresses <= found_functions.keys():
        return True
    devices = {address[:-2] for address in planned_addresses}
    return any(address[:-2] in devices for address in addresses)


def _list_planned_addresses(planned: Host, found_functions: Mapping[str, PcieFunction]) -> set[str]:
    """The planned functions and the bridges above them; empty where a planned NIC was not found."""
    if not all(nic.pcie and is_address(nic.pcie) for nic in planned.nics.values()):
        return set()
    addresses = [nic.pcie for nic in planned.nics.values()] + [gpu.pcie for gpu in planned.gpus.values()]
    names = {*planned.pcie, *filter(None, addresses)} & found_functions.keys()
    return names | {bridge for name in names for bridge in list_bridges(found_functions, name)}


def _is_slower_than_planned(planned: Host, address: str, rate: float, width: int) -> bool:
    """Whether a NIC's link had less than the narrowest planned link above it. Idle GPUs lower their rate."""
    if address not in {nic.pcie for nic in planned.nics.values()}:
        return False
    links = [
        planned.pcie[name].link for name in (address, *list_bridges(planned.pcie, address)) if name in planned.pcie
    ]
    capacities = [link.speed * link.width for link in links if link.speed and link.width]
    return bool(capacities) and rate * 1000 * width < min(capacities)
