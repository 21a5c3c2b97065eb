"""Bandwidth lost because of a finding, from the same limits that the judge uses."""

from __future__ import annotations

import dataclasses

from wirespeed.limits import pcie
from wirespeed.limits.bound import number, tightest
from wirespeed.limits.nic import build_slot, catalogue_speed, cite_description, nic_goodput, nic_tcp_goodput
from wirespeed.plan import Plan
from wirespeed.plan.classes import ROCE
from wirespeed.results.findings import Impact
from wirespeed.results.verdicts import Bound
from wirespeed.settings import Nic, PcieFunction
from wirespeed.units import Bandwidth

USUAL_MTU = 1500
"""Bytes, of an interface whose MTU is not planned (IEEE 802.3 clause 3.2.7)."""


def compute_impact(designed: Bound | None, observed: Bound | None) -> Impact | None:
    """The difference of a bound and a lower one, in their unit. None without a loss, or if a bound is unknown.

    Raises:
        ValueError: the units differ.
    """
    if designed is None or observed is None:
        return None
    if designed.unit != observed.unit:
        raise ValueError(f"bounds in different units: {designed.unit} and {observed.unit}")
    loss = designed.value - observed.value
    if loss <= 0:
        return None
    basis = (
        f"planned {number(designed.value)} {designed.unit} ({designed.bottleneck}), "
        f"as found {number(observed.value)} {observed.unit} ({observed.bottleneck})"
    )
    return Impact(round(loss, 2), designed.unit, basis)


def nic_bandwidth(
    plan: Plan,
    host: str,
    interface: str,
    *,
    speed: Bandwidth | None = None,
    path_mtu: int | None = None,
    mtu: int | None = None,
    pcie_speed: int | None = None,
    pcie_width: int | None = None,
    max_payload: int | None = None,
) -> Bound | None:
    """Payload one NIC of the plan moves in one direction, Gb/s, with observed values instead of planned ones.

    See `limit_nic`. ``pcie_speed`` is in MT/s, ``path_mtu``, ``mtu`` and ``max_payload`` in bytes. None: the plan has
    no speed.

    Raises:
        KeyError: the plan has no such host or interface.
        ValueError: the path MTU or the PCIe link does not exist, or the MTU is smaller than the headers.
    """
    nic = plan.hosts[host].nics[interface]
    function = nic_function(plan, host, nic)
    if path_mtu is not None:
        nic = dataclasses.replace(nic, rdma_mtu=path_mtu)
    link = dataclasses.replace(nic.link, speed=speed or nic.link.speed, mtu=mtu or nic.link.mtu)
    nic = dataclasses.replace(nic, link=link)
    if function is not None:
        slot = dataclasses.replace(
            function.link,
            speed=pcie_speed if pcie_speed is not None else function.link.speed,
            width=pcie_width if pcie_width is not None else function.link.width,
        )
        function = dataclasses.replace(function, link=slot, max_payload=max_payload or function.max_payload)
    limit = limit_nic(plan, nic, function)
    return limit[1] if limit is not None else None


def is_bridge(plan: Plan, nic: Nic) -> bool:
    """Whether a NIC is a PCIe bridge to another host."""
    model = plan.hardware.nics.get(nic.model or "")
    return model is not None and model.ntb is not None


def limit_nic(plan: Plan, nic: Nic, function: PcieFunction | None) -> tuple[str, Bound] | None:
    """What limits one direction of a NIC, and its traffic: that of a PCIe bridge, RDMA, or TCP.

    TCP is that of an interface without RDMA, or of a cluster without a class for RoCE: the MTU of the interface limits
    it, the path MTU limits RDMA. None: the plan has no speed.

    Raises:
        ValueError: the path MTU or the PCIe link does not exist, or the MTU is smaller than the headers.
    """
    speed = catalogue_speed(plan, nic)
    if is_bridge(plan, nic):
        slot = build_slot(function, [])
        return ("PCIe bridge", tightest([pcie.one_way(slot)])) if slot is not None else None
    if carries_rdma(plan, nic):
        bound = nic_goodput(nic, function, speed=speed)
        return ("RDMA write", _cite_terms(plan, nic, function, bound)) if bound is not None else None
    mtu = nic.link.mtu or USUAL_MTU
    nic = dataclasses.replace(nic, link=dataclasses.replace(nic.link, mtu=mtu))
    bound = nic_tcp_goodput(nic, function, speed=speed)
    return (f"TCP with MTU {mtu}", _cite_terms(plan, nic, function, bound)) if bound is not None else None


def _cite_terms(plan: Plan, nic: Nic, function: PcieFunction | None, bound: Bound) -> Bound:
    terms = tuple(cite_description(plan, nic, function, term) for term in bound.terms)
    return dataclasses.replace(bound, terms=terms)


def estimate_nic_impact(
    plan: Plan,
    host: str,
    interface: str,
    *,
    speed: Bandwidth | None = None,
    path_mtu: int | None = None,
    mtu: int | None = None,
    pcie_speed: int | None = None,
    pcie_width: int | None = None,
    max_payload: int | None = None,
) -> Impact | None:
    """What one NIC loses, Gb/s of payload in one direction, through observed values: an x8 link, a small path MTU, …

    Of a slot that ports of a card share, each port has an even share.
    For example 161.7 Gb/s on a 400 Gb/s NIC at 32 GT/s:
    ``estimate_nic_impact(plan, "node1", "enp29s0np0", pcie_width=8)``.
    None: no loss, or the plan has no speed.

    Raises:
        KeyError: the plan has no such host or interface.
        ValueError: the path MTU or the PCIe link does not exist, or the MTU is smaller than the headers.
    """
    as_found = nic_bandwidth(
        plan,
        host,
        interface,
        speed=speed,
        path_mtu=path_mtu,
        mtu=mtu,
        pcie_speed=pcie_speed,
        pcie_width=pcie_width,
        max_payload=max_payload,
    )
    planned = nic_bandwidth(plan, host, interface)
    if any(value is not None for value in (pcie_speed, pcie_width, max_payload)):  # of the slot, so of all its ports
        ports = _count_slot_ports(plan, host, interface)
        planned, as_found = (_share_slot(bound, ports) if bound is not None else None for bound in (planned, as_found))
    impact = compute_impact(planned, as_found)
    if impact is None or has_roce_class(plan):
        return impact
    return dataclasses.replace(impact, basis=f"{impact.basis}; {TCP_TRAFFIC}")


def _count_slot_ports(plan: Plan, host: str, interface: str) -> int:
    """The planned ports of the card of a NIC, which share the slot of the card."""
    nics = plan.hosts[host].nics
    slot = find_slot_address(plan, host, nics[interface])
    return max(sum(slot is not None and find_slot_address(plan, host, nic) == slot for nic in nics.values()), 1)


def _share_slot(bound: Bound, ports: int) -> Bound:
    """The limit of one port while all ports of its card are in use: each has an even share of the slot."""
    if ports == 1:
        return bound
    terms = [
        dataclasses.replace(
            term,
            name=f"{term.name}, shared by {ports} ports",
            value=term.value / ports,
            formula=f"({term.formula}) / {ports} ports of the card",
        )
        if term.name.startswith("NIC slot")
        else term
        for term in bound.terms
    ]
    return tightest(terms, bound.assumptions)


def find_slot_address(plan: Plan, host: str, nic: Nic) -> str | None:
    """What the functions of one card have in common: the bridge above them, else their address without the function.

    None if the address of the NIC is unknown.
    """
    function = nic_function(plan, host, nic)
    parent = function.parent if function is not None else None
    return parent or (nic.pcie.rpartition(".")[0] if nic.pcie is not None else None)


def estimate_gpu_impact(
    plan: Plan, host: str, gpu: str, *, pcie_speed: int | None = None, pcie_width: int | None = None
) -> Impact | None:
    """What the PCIe slot of a GPU loses in one direction, Gb/s, through an observed rate in MT/s or width.

    None: no loss, or the plan has no slot.

    Raises:
        ValueError: such a PCIe link does not exist.
    """
    function = gpu_function(plan, host, gpu)
    planned = build_slot(function, [])
    if function is None or planned is None:
        return None
    as_found = dataclasses.replace(
        planned, rate=pcie_speed or planned.rate, lanes=pcie_width if pcie_width is not None else planned.lanes
    )
    terms = (pcie.one_way(slot, f"PCIe slot of {gpu}") for slot in (planned, as_found))
    return compute_impact(*(tightest([term]) for term in terms))


TCP_TRAFFIC = "TCP traffic, because the cluster file has no class for RoCE"


def has_roce_class(plan: Plan) -> bool:
    """Whether a class of the cluster is for RoCE: by its name, or because it is lossless or has congestion control."""
    return any(
        traffic_class.name == ROCE or traffic_class.lossless or traffic_class.congestion is not None
        for traffic_class in plan.classes.values()
    )


def carries_rdma(plan: Plan, nic: Nic) -> bool:
    """Whether a NIC has an RDMA device, and the cluster a class for its traffic."""
    return has_roce_class(plan) and nic.rdma_device is not None


def nic_function(plan: Plan, host: str, nic: Nic) -> PcieFunction | None:
    """The PCIe function of a NIC with its link: as planned, else as NIC and server slot of the catalogue train it."""
    return _find_function(plan, host, nic.pcie, _nic_ability(plan, nic))


def gpu_function(plan: Plan, host: str, gpu: str) -> PcieFunction | None:
    """The PCIe function of a GPU with its link, as `nic_function`. None when the host has no such GPU."""
    gpu_settings = plan.hosts[host].gpus.get(gpu)
    if gpu_settings is None:
        return None
    model = plan.hardware.gpus.get(gpu_settings.model) if gpu_settings.model else None
    ability = (model.pcie.speed.value, model.pcie.width.value) if model else None
    return _find_function(plan, host, gpu_settings.pcie, ability)


def _find_function(plan: Plan, host: str, address: str | None, ability: tuple[int, int] | None) -> PcieFunction | None:
    owner = plan.hosts[host]
    function = owner.pcie.get(address) if address else None
    server = plan.hardware.servers.get(owner.model) if owner.model else None
    if function is None:
        function = PcieFunction()
    link = function.link
    if (link.speed is None or link.width is None) and ability is not None:
        slot = (server.slot_pcie.speed.value, server.slot_pcie.width.value) if server else ability
        link = dataclasses.replace(
            link,
            speed=link.speed if link.speed is not None else min(ability[0], slot[0]),
            width=link.width if link.width is not None else min(ability[1], slot[1]),
        )
    if link.speed is None or link.width is None:
        return None
    payload = function.max_payload
    if payload is None and server is not None and server.max_payload is not None:
        payload = server.max_payload.value
    return dataclasses.replace(function, link=link, max_payload=payload)


def _nic_ability(plan: Plan, nic: Nic) -> tuple[int, int] | None:
    model = plan.hardware.nics.get(nic.model) if nic.model else None
    return (model.pcie.speed.value, model.pcie.width.value) if model else None
