"""Messages of the kernel log that concern planned devices."""

from __future__ import annotations

from collections.abc import Mapping

from wirespeed.settings import Host, KernelMessage, MessageKind, PcieFunction, PcieLink, is_address, list_bridges


def concerns_planned_device(message: KernelMessage, planned: Host, found_functions: Mapping[str, PcieFunction]) -> bool:
    """Whether the message may concern a planned NIC or GPU, or a bridge above one.

    A message of another device names functions that were found, and none of them is on a planned bus. Device memory
    without an address is also another device's where its function was not found and all planned ones were. Without
    planned functions, or where a planned NIC was not found, every message counts; one of a switch between GPUs always
    does. A NIC's link as slow as planned is no error.
    """
    if message.link is not None:
        return _is_slower_than_planned(planned, message.devices[0], message.link)
    planned_addresses = _list_planned_addresses(planned, found_functions)
    if not message.devices or not planned_addresses or message.kind is MessageKind.GPU_SWITCH_ERROR:
        return True
    if message.kind is MessageKind.MACHINE_ERROR and not message.is_corrected:
        return True  # it stops the whole machine
    if not set(message.devices) <= found_functions.keys():
        return message.kind is not MessageKind.UNASSIGNED_BAR or not _are_all_found(planned, found_functions)
    devices = {address[:-2] for address in planned_addresses}
    return any(address[:-2] in devices for address in message.devices)


def _are_all_found(planned: Host, found_functions: Mapping[str, PcieFunction]) -> bool:
    """Whether every planned NIC and GPU is on the bus: a device that is not is none of them."""
    addresses = [nic.pcie for nic in planned.nics.values()] + [gpu.pcie for gpu in planned.gpus.values()]
    return all(address in found_functions for address in addresses)


def _list_planned_addresses(planned: Host, found_functions: Mapping[str, PcieFunction]) -> set[str]:
    """The planned functions and the bridges above them; empty where a planned NIC was not found."""
    if not all(nic.pcie and is_address(nic.pcie) for nic in planned.nics.values()):
        return set()
    addresses = [nic.pcie for nic in planned.nics.values()] + [gpu.pcie for gpu in planned.gpus.values()]
    names = {*planned.pcie, *filter(None, addresses)} & found_functions.keys()
    return names | {bridge for name in names for bridge in list_bridges(found_functions, name)}


def _is_slower_than_planned(planned: Host, address: str, found_link: PcieLink) -> bool:
    """Whether a NIC's link had less than the narrowest planned link above it. Idle GPUs lower their rate."""
    if address not in {nic.pcie for nic in planned.nics.values()}:
        return False
    links = [
        planned.pcie[name].link for name in (address, *list_bridges(planned.pcie, address)) if name in planned.pcie
    ]
    capacities = [link.speed * link.width for link in links if link.speed and link.width]
    return bool(capacities) and (found_link.speed or 0) * (found_link.width or 0) < min(capacities)
