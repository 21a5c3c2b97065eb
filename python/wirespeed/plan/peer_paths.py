"""Functions that peer-to-peer traffic between GPUs and NICs crosses, and whose Access Control Services redirect it.

As the kernel decides it (Linux 6.18, drivers/pci/p2pdma.c, calc_map_type_and_dist and pci_bridge_has_acs_redir): of two
functions below a common bridge, themselves and every bridge up to the common one, this included. Traffic between two
functions without a common bridge crosses the root ports of both, which redirect requests to the validation logic of the
root complex (PCI Express Base Specification 5.0, 6.12.1.1 and 6.12.3).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from wirespeed.settings import Host, PcieFunction, find_common_bridge, list_bridges

_PORTS = ("switch-downstream", None)


def list_crossed_functions(functions: Mapping[str, PcieFunction], host: Host) -> frozenset[str]:
    """The functions of the tree that traffic between a GPU and another GPU or a NIC of the host crosses.

    GPUs and NICs are at the addresses or positions that the host has for them. Downstream ports above them, and bridges
    whose role was not read, are always part of it: another device can be the peer.
    """
    crossed = {
        function
        for first, second in _list_neighbours(functions, host)
        for function in _list_functions_of_path(functions, first, second)
    }
    crossed |= {
        function
        for pair in _list_planned_pairs(host)
        if find_common_bridge(functions, *pair) is None
        for endpoint in pair
        for function in list_bridges(functions, endpoint)
    }
    return frozenset(crossed) | list_ports(functions, list_peers(host))


def plan_root_ports(host: Host) -> dict[str, PcieFunction]:
    """The planned functions of a host, with ACS off also on the root ports between a NIC and its GPU."""
    crossed = list_crossed_functions(host.pcie, host)
    return {
        name: replace(function, acs=frozenset()) if function.role == "root-port" and name in crossed else function
        for name, function in host.pcie.items()
    }


def list_ports(functions: Mapping[str, PcieFunction], endpoints: Iterable[str]) -> frozenset[str]:
    """The downstream ports of PCIe switches above these functions, and the bridges whose role was not read."""
    above = {bridge for endpoint in endpoints for bridge in list_bridges(functions, endpoint)}
    return frozenset(bridge for bridge in above if bridge in functions and functions[bridge].role in _PORTS)


def list_peers(host: Host) -> tuple[str, ...]:
    """The functions of the NICs and GPUs."""
    addresses = [*(nic.pcie for nic in host.nics.values()), *(gpu.pcie for gpu in host.gpus.values())]
    return tuple(address for address in addresses if address is not None)


def _list_neighbours(functions: Mapping[str, PcieFunction], host: Host) -> Iterator[tuple[str, str]]:
    """Each GPU with each other GPU and each NIC below a common bridge."""
    gpus = [gpu.pcie for gpu in host.gpus.values() if gpu.pcie is not None]
    nics = [nic.pcie for nic in host.nics.values() if nic.pcie is not None]
    for first, second in (*itertools.combinations(gpus, 2), *itertools.product(gpus, nics)):
        if find_common_bridge(functions, first, second) is not None:
            yield first, second


def _list_planned_pairs(host: Host) -> Iterator[tuple[str, str]]:
    """Each NIC with the GPU that it serves."""
    for nic in host.nics.values():
        gpu = host.gpus.get(nic.gpu or "")
        if nic.pcie is not None and gpu is not None and gpu.pcie is not None:
            yield nic.pcie, gpu.pcie


def _list_functions_of_path(functions: Mapping[str, PcieFunction], first: str, second: str) -> Iterator[str]:
    common = find_common_bridge(functions, first, second)
    for endpoint in (first, second):
        yield endpoint
        for bridge in list_bridges(functions, endpoint):
            yield bridge
            if bridge == common:
                break
