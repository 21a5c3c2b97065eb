"""Values for the templates of a host: routes and rules by interface, control registers, quoting."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from wirespeed.errors import Problem, Refusal
from wirespeed.number_ranges import format_ranges
from wirespeed.platforms.gpu_addresses import list_borrowed_addresses
from wirespeed.platforms.host.linux import bios
from wirespeed.platforms.host.linux.kernel_releases import choose_kernel_release
from wirespeed.platforms.host.linux.programs import list_programs, list_sms
from wirespeed.platforms.host.linux.tuning import coalescing_arguments, is_tuned, near, ring_arguments
from wirespeed.settings import Action, Device, Host, Nic, PcieFunction, Route, Rule, list_acs_bridges, split_route_name

_ACS_BITS = ("SrcValid", "TransBlk", "ReqRedir", "CmpltRedir", "UpstreamFwd", "EgressCtrl", "DirectTrans")
"""ACS control register, from bit 0, as named by lspci; source: PCI Express Base Specification 5.0, 7.7.11.3."""

Routes = list[tuple[int, str, Route]]
Rules = list[tuple[dict[str, str], Rule]]
Interface = tuple[str, Nic, Routes, Rules]
Routing = tuple[list[str], Routes, Rules]


def view(name: str, device: Device) -> Mapping[str, Any]:
    """Functions for the templates of a host."""
    if not isinstance(device, Host):
        raise TypeError(f"{name} is no host")
    interface_by_name: dict[str, Interface] = {}

    def routing(interface: str, protocol: str) -> Routing:
        if not interface_by_name:
            interface_by_name.update((entry[0], entry) for entry in interfaces(device))
        return (
            _of_protocol(interface_by_name[interface], protocol == "ipv6")
            if interface in interface_by_name
            else ([], [], [])
        )

    return {
        "kernel_release": device.kernel.version or choose_kernel_release(device.os),
        "interfaces": lambda: list(interfaces(device)),
        "bond_ports": lambda bond: [name for name, nic in device.nics.items() if nic.controller == bond],
        "routing": routing,
        "name_servers": lambda protocol: [
            server for server in device.resolver.servers or () if (":" in server) == (protocol == "ipv6")
        ],
        "acs": lambda: acs(name, device),
        "gpu_vendors": lambda: [vendor for module, vendor in _GPU_VENDORS.items() if module in device.modules],
        "tuned": lambda: is_tuned(device),
        "near": lambda: near(device),
        "job_programs": lambda: list_programs(device),
        "sms": lambda: list_sms(device),
        "has_older_toolkit": any(step.action is Action.HPC_SDK and step.files for step in device.steps.values()),
        "borrowed_gpus": list_borrowed_addresses(device),
        "borrows": bool(device.borrowed_gpus),
        "ring_arguments": ring_arguments,
        "coalescing_arguments": coalescing_arguments,
        "firmware_attributes": lambda: bios.firmware_attributes(device),
        "redfish_name": lambda attribute: bios.find_name(device, attribute),
        "redfish_system": lambda: bios.find_system(device) or "SYSTEM",
        "dmi_maker": lambda: next((maker for maker, vendor in bios.MAKERS.items() if vendor == device.vendor), None),
        "ranges": lambda numbers: ",".join(format_ranges(numbers)),
        "numa_nodes": lambda sockets: bios.nodes(device, sockets),
        "numa_node": lambda function: _find_node(device, function),
    }


def _find_node(host: Host, function: PcieFunction) -> int | None:
    """The planned NUMA node of a function; the first one of its socket where only that is planned."""
    if function.numa_node is not None or function.socket is None:
        return function.numa_node
    sockets = 1 + max(planned.socket or 0 for planned in host.pcie.values())
    return function.socket * max(1, len(host.numa) // sockets)


def interfaces(host: Host) -> Iterator[Interface]:
    """Every NIC that has addresses, with its routes (table, destination, route) and its rules (selector, rule)."""
    routes: dict[str, list[tuple[int, str, Route]]] = {}
    owners: dict[int, str] = {}
    for key, route in host.routes.items():
        table, destination = split_route_name(key)
        if route.device is not None:
            routes.setdefault(route.device, []).append((int(table), destination, route))
            owners.setdefault(int(table), route.device)
    rules: dict[str, list[tuple[dict[str, str], Rule]]] = {}
    for key, rule in host.rules.items():
        if rule.table in owners:
            rules.setdefault(owners[rule.table], []).append((selector(key), rule))
    for interface, nic in host.nics.items():
        if nic.addresses:
            # The connected route comes first: the gateway of the default route is reached through it.
            sorted_values = sorted(routes.get(interface, ()), key=lambda entry: (entry[0], bool(entry[2].gateway)))
            yield interface, nic, sorted_values, rules.get(interface, [])


def _of_protocol(interface: Interface, ipv6: bool) -> Routing:
    """Addresses, routes and rules of one IP version; the default route is written as a network."""
    _, nic, routes, rules = interface
    whole = "::/0" if ipv6 else "0.0.0.0/0"
    return (
        [address for address in nic.addresses or () if (":" in address) == ipv6],
        [
            (table, whole if destination == "default" else destination, route)
            for table, destination, route in routes
            if (":" in (route.gateway or "") + destination) == ipv6
        ],
        [(words, rule) for words, rule in rules if (":" in "".join(words.values())) == ipv6],
    )


def selector(key: str) -> dict[str, str]:
    """A rule's name, ``from 10.1.0.1/32 to 10.0.0.0/8``, as keywords and values."""
    words = key.split()
    return dict(zip(words[::2], words[1::2], strict=True))


_GPU_VENDORS = {"amdgpu": "0x1002", "nvidia": "0x10de"}
"""PCI vendor of GPUs by kernel module; source: pci.ids."""


def acs(name: str, host: Host) -> str | None:
    """The ACS control register of PCIe switches in setpci's hex, None without intent.

    Raises:
        Refusal: switches have different ones, which a script that finds them at run time cannot distinguish.
    """
    registers = {acs_register(function.acs or ()) for function in list_acs_bridges(host.pcie)}
    if len(registers) > 1:
        found = f"ACS control registers {', '.join(sorted(registers))}"
        raise Refusal([Problem(name, found, "the same on every PCIe switch")])
    return registers.pop() if registers else None


def acs_register(services: Collection[str]) -> str:
    """The ACS control register with these services on, in setpci's hex."""
    return f"{sum(1 << _ACS_BITS.index(service) for service in services):04x}"
