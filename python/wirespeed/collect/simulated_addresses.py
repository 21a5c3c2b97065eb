"""PCIe addresses and node GUIDs of simulated hosts.

A planned function has a position and no address; a device that prints its functions needs addresses. They are made
here, and only here, from the tree and from interface names that contain one (systemd.net-naming-scheme(7): enp29s0f1 is
function 1 of device 0 on bus 29).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count

from wirespeed.settings import Device, Host, PcieFunction, bdf, is_address, parse_function

_NAME = re.compile(r"enp([0-9]{1,3})s([0-9]{1,2})(?:f[0-7])?(?:np[0-9]+)?")


def assign_addresses(host: Host) -> Host:
    """The host with an address for each function that has a position: root ports on bus 0, and every link below with
    a separate bus, in the order of the tree."""
    if all(map(is_address, host.pcie)):
        return host
    addresses = _number_functions(host)
    return replace(
        host,
        nics={name: replace(nic, pcie=addresses.get(nic.pcie or "", nic.pcie)) for name, nic in host.nics.items()},
        gpus={name: replace(gpu, pcie=addresses.get(gpu.pcie or "", gpu.pcie)) for name, gpu in host.gpus.items()},
        pcie={
            addresses[name]: replace(function, parent=addresses.get(function.parent or "", function.parent))
            for name, function in host.pcie.items()
        },
    )


def assign_guids(devices: Mapping[str, Device]) -> dict[str, Device]:
    """The devices with a node GUID for each RDMA device without one: no two have the same (InfiniBand Architecture
    Specification, volume 1, section 14.2.5.3)."""
    numbers = count(1)
    return {
        name: replace(
            device,
            nics={
                interface: replace(nic, node_guid=_format_guid(next(numbers)))
                if nic.rdma_device and nic.node_guid is None
                else nic
                for interface, nic in device.nics.items()
            },
        )
        if isinstance(device, Host)
        else device
        for name, device in devices.items()
    }


def _format_guid(number: int) -> str:
    """A locally administered EUI-64."""
    return f"0200:00ff:fe{number >> 16:02x}:{number & 0xFFFF:04x}"


def _number_functions(host: Host) -> dict[str, str]:
    interfaces = {nic.pcie: interface for interface, nic in host.nics.items() if nic.pcie}
    roots = [name for name, function in host.pcie.items() if function.parent is None]
    links = [link for root in roots for link in _list_links(root, host.pcie)]
    buses = _number_buses([_find_bus(link, interfaces) for link in links])
    addresses = {name: f"0000:00:{number:02x}.0" for number, name in enumerate(roots, 1)}
    for link, bus in zip(links, buses, strict=True):
        for device, name in enumerate(link):
            is_endpoint = host.pcie[name].role == "endpoint"
            number, function = (0, parse_function(name)) if is_endpoint else (device, 0)
            addresses[name] = f"0000:{bus:02x}:{number:02x}.{function}"
    addresses = {name: name if is_address(name) else address for name, address in addresses.items()}
    for nic in host.nics.values():
        if nic.pcie and nic.slot_address and nic.slot_address not in addresses.values():
            addresses[nic.pcie] = nic.slot_address
    return addresses


def _list_links(parent: str, functions: Mapping[str, PcieFunction]) -> Iterator[list[str]]:
    """The functions on each bus below a bridge, depth first."""
    names = [name for name, function in functions.items() if function.parent == parent]
    if names:
        yield names
    for name in names:
        yield from _list_links(name, functions)


def _find_bus(link: list[str], interfaces: Mapping[str, str]) -> int | None:
    """The bus of a link whose functions have an address or an interface name with a bus."""
    for name in link:
        if is_address(name):
            return int(bdf(name).split(":")[1], 16)
        match = _NAME.fullmatch(interfaces.get(name, ""))
        if match and int(match[2]) == 0 and 0 < int(match[1]) < _BUSES:
            return int(match[1])
    return None


_BUSES = 256


def _number_buses(known_buses: list[int | None]) -> list[int]:
    """Ascending bus numbers: known ones as far as they ascend, and before each the numbers just below it."""
    numbers: list[int] = []
    waiting = 0  # links since the last known bus
    for bus in known_buses:
        previous = numbers[-1] if numbers else 0
        if bus is not None and bus > previous + waiting:
            numbers += [*range(bus - waiting, bus), bus]
            waiting = 0
        else:
            waiting += 1
    previous = numbers[-1] if numbers else 0
    return [*numbers, *range(previous + 1, previous + 1 + waiting)]
