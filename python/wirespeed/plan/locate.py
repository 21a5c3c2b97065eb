"""Planned PCIe functions matched with those found, by topology.

A planned function is named by its position (`wirespeed.settings.pcie`). Of a host whose functions were read, `locate`
replaces positions by addresses:

* a NIC is the device behind its interface; without the interface, the function at its address in the cluster file, else
  the network function of its vendor that is left over;
* a GPU has the index that its vendor's tool prints; without it, or if GPUs are missing, GPUs are taken in the order of
  their addresses, so that as many as possible share PCIe switches with NICs and are at NUMA nodes as planned; borrowed
  GPUs, which the tool numbers by address too, are left out;
* bridges are those found above these NICs and GPUs, however many levels there are: GPUs and NICs can contain switches.

A host without the planned program for traffic classes keeps the one that it has.

What could not be matched keeps its position, and what is known to be absent is left out.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from wirespeed.catalogue import Catalogue
from wirespeed.catalogue.model import NicModel
from wirespeed.facts import Facts
from wirespeed.plan.core_location import locate_interrupts, locate_ranks
from wirespeed.plan.model import Plan
from wirespeed.settings import (
    Host,
    PcieFunction,
    PcieLink,
    Place,
    find_common_bridge,
    list_bridges,
)

_NETWORK_CLASSES = ("02",)
_GPU_CLASSES = ("03", "12")
_NTB_CLASSES = ("06",)
"""Base classes of network controllers, of display controllers and processing accelerators, and of bridges; source: PCI
Code and ID Assignment Specification."""


def locate(plan: Plan, facts: Facts) -> Plan:
    """The plan with the addresses that its PCIe functions have in the facts."""
    hosts = {name: _locate_host(name, host, facts, plan.hardware) for name, host in plan.hosts.items()}
    return replace(plan, hosts=hosts)


def _locate_host(name: str, host: Host, facts: Facts, hardware: Catalogue) -> Host:
    device = facts.devices.get(name)
    if not isinstance(device, Host):
        return host
    place = Place(name)
    return _Location(
        replace(host, qos_program=_find_qos_program(host, device)),
        device,
        hardware,
        functions_are_complete=facts.complete(place, "host.pcie"),
        nics_are_complete=facts.complete(place, "host.nics"),
        gpus_are_complete=facts.complete(place, "host.gpus"),
    ).locate()


def _find_qos_program(host: Host, device: Host) -> str | None:
    """The program that sets traffic classes on a host that lacks the planned one. None: the planned one."""
    if host.qos_tools is None or not device.qos_tools or host.qos_tools & device.qos_tools:
        return None
    return device.qos_program if device.qos_program in device.qos_tools else min(device.qos_tools)


@dataclass(slots=True)
class _Location:
    """A planned host and what was found of it."""

    host: Host
    found: Host
    hardware: Catalogue
    functions_are_complete: bool
    nics_are_complete: bool
    gpus_are_complete: bool

    def locate(self) -> Host:
        addresses = self._match_nics()
        addresses |= self._match_gpus(addresses)
        host = replace(
            self.host,
            nics={
                name: replace(nic, pcie=addresses.get(nic.pcie or "", nic.pcie)) for name, nic in self.host.nics.items()
            },
            gpus={
                name: replace(gpu, pcie=addresses.get(gpu.pcie or "", gpu.pcie)) for name, gpu in self.host.gpus.items()
            },
        )
        server = self.hardware.servers.get(host.model or "")
        cores = locate_ranks(host, self.found, server.cpus if server else None)
        host = replace(
            host,
            nics=locate_interrupts(host.nics, self.found),
            launch=host.launch if cores == host.launch.cores else replace(host.launch, cores=cores),
        )
        if self.functions_are_complete:
            return replace(host, pcie=self._place_functions(addresses))
        return replace(host, pcie={addresses.get(name, name): function for name, function in self.host.pcie.items()})

    def _match_nics(self) -> dict[str, str]:
        """The address of each NIC that was found, by planned name."""
        addresses: dict[str, str] = {}
        for interface, nic in self.host.nics.items():
            found_nic = self.found.nics.get(interface)
            if nic.pcie is not None and found_nic is not None and found_nic.pcie is not None:
                addresses[nic.pcie] = found_nic.pcie
        used = set(addresses.values())
        for nic in self.host.nics.values():
            name, address = nic.pcie, nic.slot_address
            if name is None or address is None or name in addresses or address in used:
                continue
            if address in self.found.pcie:
                addresses[name] = address
        return addresses | self._match_nics_without_interface(addresses)

    def _match_nics_without_interface(self, addresses: Mapping[str, str]) -> dict[str, str]:
        """NICs whose interface was not found, if as many functions of their vendor are left over."""
        gpus = {gpu.pcie for gpu in self.host.gpus.values()}
        names = [
            name
            for name, function in self.host.pcie.items()
            if function.role == "endpoint" and name not in gpus and name not in addresses
        ]
        models = [self.hardware.nics.get(nic.model or "") for nic in self.host.nics.values()]
        models_of_host = {model.title: model for model in models if model is not None}.values()
        used = {nic.pcie for nic in self.found.nics.values()}
        candidates = sorted(
            address
            for address, function in self.found.pcie.items()
            if address not in used and any(_is_nic(function, model) for model in models_of_host)
        )
        if len(candidates) != len(names):
            return {}
        return dict(zip(names, candidates, strict=True))

    def _match_gpus(self, nics: Mapping[str, str]) -> dict[str, str]:
        """The address of each GPU that was found, by planned name."""
        names = {gpu: settings.pcie for gpu, settings in self.host.gpus.items() if settings.pcie is not None}
        listed = {gpu: settings.pcie for gpu, settings in self.found.gpus.items() if settings.pcie is not None}
        candidates = sorted({*listed.values(), *self._list_gpu_functions()})
        own_gpus = self._list_own_gpus(candidates, names.values())
        if len(candidates) > len(names) and len(own_gpus) == len(names):
            return dict(zip(names.values(), own_gpus, strict=True))
        if len(own_gpus) < len(names) and self._separates_borrowed_gpus(names.values()):
            return self._match_remaining_gpus(list(names.values()), own_gpus, nics)
        if names and set(names) <= set(listed):
            return {names[gpu]: listed[gpu] for gpu in names}
        if len(candidates) >= len(names):
            return dict(zip(names.values(), candidates, strict=False))
        return self._match_remaining_gpus(list(names.values()), candidates, nics)

    def _list_own_gpus(self, candidates: Sequence[str], names: Collection[str]) -> list[str]:
        """The GPUs of a host that also lists borrowed ones, which are below bridges of the lender. Empty if planned
        GPUs are below switches too."""
        if any(self.host.pcie[name].switch is not None for name in names if name in self.host.pcie):
            return []
        return [address for address in candidates if len(list_bridges(self.found.pcie, address)) == 1]

    def _separates_borrowed_gpus(self, names: Collection[str]) -> bool:
        """Whether the tree of a borrower shows which of its GPUs are in the host, although some are missing."""
        return (
            bool(self.host.borrowed_gpus)
            and self.functions_are_complete
            and any(function.role == "root-port" for function in self.found.pcie.values())
            and all(self.host.pcie[name].switch is None for name in names if name in self.host.pcie)
        )

    def _list_gpu_functions(self) -> list[str]:
        models = [self.hardware.gpus.get(gpu.model or "") for gpu in self.host.gpus.values()]
        vendors = {model.pci_id.partition(":")[0] for model in models if model is not None and model.pci_id}
        return [
            address
            for address, function in self.found.pcie.items()
            if _is_of_class(function, _GPU_CLASSES) and _list_vendors(function) & vendors
        ]

    def _match_remaining_gpus(
        self, names: Sequence[str], candidates: Sequence[str], nics: Mapping[str, str]
    ) -> dict[str, str]:
        """Fewer GPUs than planned, in the order of their addresses: those are missing without which most of the others
        share a PCIe switch with the NIC that serves them, then with other NICs as planned, and then are at the planned
        NUMA node."""
        names_by_function = {gpu.pcie: name for name, gpu in self.host.gpus.items()}
        gpu_of_nic = {nic.pcie: nic.gpu for nic in self.host.nics.values()}

        def count_agreements(present: tuple[str, ...]) -> tuple[int, int, int]:
            served = agreeing = near = 0
            for gpu, address in zip(present, candidates, strict=True):
                near += self._is_at_planned_node(gpu, address)
                for nic, address_of_nic in nics.items():
                    is_shared = share_switch(self.found.pcie, address_of_nic, address)
                    served += is_shared and gpu_of_nic.get(nic) == names_by_function[gpu]
                    agreeing += is_shared == self._share_planned_switch(nic, gpu)
            return served, agreeing, near

        present_names = max(itertools.combinations(names, len(candidates)), key=count_agreements)
        return dict(zip(present_names, candidates, strict=True))

    def _is_at_planned_node(self, name: str, address: str) -> bool:
        planned, function = self.host.pcie.get(name), self.found.pcie.get(address)
        return planned is not None and function is not None and planned.numa_node == function.numa_node is not None

    def _share_planned_switch(self, first: str, second: str) -> bool:
        switches = [self.host.pcie[name].switch if name in self.host.pcie else None for name in (first, second)]
        return switches[0] is not None and switches[0] == switches[1]

    def _place_functions(self, addresses: Mapping[str, str]) -> dict[str, PcieFunction]:
        """The planned NICs and GPUs, and every bridge found above them."""
        functions: dict[str, PcieFunction] = {}
        endpoints_below: dict[str, list[str]] = {}
        has_acs_intent = any(function.acs is not None for function in self.host.pcie.values())
        for name, function in self.host.pcie.items():
            if function.role != "endpoint" or (name not in addresses and self._is_absent(name)):
                continue
            address = addresses.get(name, name)
            found_function = self.found.pcie.get(address)
            parent = found_function.parent if found_function else None
            acs = frozenset[str]() if has_acs_intent else None
            functions[address] = replace(function, parent=parent, acs=acs)
            for bridge in list_bridges(self.found.pcie, address):
                endpoints_below.setdefault(bridge, []).append(name)
        for bridge, names in endpoints_below.items():
            found_bridge = self.found.pcie.get(bridge, PcieFunction())
            functions[bridge] = PcieFunction(
                role=found_bridge.role,
                parent=found_bridge.parent,
                acs=frozenset() if has_acs_intent else None,
                link=self._plan_uplink(names) if found_bridge.role in ("switch-upstream", None) else PcieLink(),
            )
        return functions

    def _is_absent(self, name: str) -> bool:
        """Whether the device of a planned function is known to be absent."""
        for interface, nic in self.host.nics.items():
            if nic.pcie == name:
                return self.nics_are_complete and interface not in self.found.nics
        return any(gpu.pcie == name for gpu in self.host.gpus.values())

    def _plan_uplink(self, names: Sequence[str]) -> PcieLink:
        """The link of a switch's upstream port above these planned functions.

        It is as fast as that of the planned switch above them, the slowest of several; where none is planned, as fast
        as the fastest of them. A switch above one card alone is part of the card, and as fast as the card.
        """
        functions = [self.host.pcie[name] for name in names]
        links = [function.link for function in functions]
        uplinks = [
            self.host.pcie[switch].link for switch in {function.switch for function in functions} if switch is not None
        ]
        if not uplinks:
            return _combine_links(links, max)
        if len({function.parent for function in functions}) == 1:
            uplinks += links
        return _combine_links(uplinks, min)


def share_switch(functions: Mapping[str, PcieFunction], first: str | None, second: str | None) -> bool:
    """Whether traffic of two functions can turn round below the root complex.

    One bridge above both is enough: a link has one device at its end, so below a common root port there is a switch.
    """
    return find_common_bridge(functions, first, second) is not None


def _is_nic(function: PcieFunction, model: NicModel) -> bool:
    """Whether a function is a NIC by the model's vendor. One that is a bridge between hosts is made of another vendor's
    chip; its card has the vendor's number."""
    if model.card_vendor is not None:
        vendor = (function.subsystem_id or "").partition(":")[0]
        classes = _NTB_CLASSES if model.ntb else _NETWORK_CLASSES
        return function.role == "endpoint" and vendor == model.card_vendor and _is_of_class(function, classes)
    vendor = (model.pci_id or "").partition(":")[0]
    return vendor in _list_vendors(function) and _is_of_class(function, _NETWORK_CLASSES)


def _is_of_class(function: PcieFunction, classes: Sequence[str]) -> bool:
    return (function.device_class or "")[:2] in classes


def _list_vendors(function: PcieFunction) -> frozenset[str]:
    return frozenset(device.partition(":")[0] for device in function.device_ids or ())


def _combine_links(links: Sequence[PcieLink], choose: Callable[[Sequence[int]], int]) -> PcieLink:
    speeds = [link.speed for link in links if link.speed is not None]
    widths = [link.width for link in links if link.width is not None]
    return PcieLink(choose(speeds) if speeds else None, choose(widths) if widths else None)
