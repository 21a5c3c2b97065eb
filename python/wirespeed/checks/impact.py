"""Estimated impact of a difference on a rail: payload in one direction, Gb/s."""

from __future__ import annotations

from ipaddress import ip_interface
from typing import Any

from wirespeed import wire
from wirespeed.checks.model import CheckContext, InapplicableError, NoIntentError, UnreadError
from wirespeed.checks.nics import pcie_function
from wirespeed.limits.impact import nic_bandwidth, nic_cost
from wirespeed.limits.nic import ipv6_alone
from wirespeed.results.findings import Cost
from wirespeed.settings import Place
from wirespeed.units import Bandwidth


def pcie_width(context: CheckContext, intended: Any, found: Any) -> Cost | None:
    """Of a NIC's PCIe link with fewer lanes."""
    return _cost(context, pcie_width=int(found))


def pcie_speed(context: CheckContext, intended: Any, found: Any) -> Cost | None:
    """Of a NIC's PCIe link at a lower signalling rate."""
    return _cost(context, pcie_speed=int(found))


def pcie_packets(context: CheckContext, intended: Any, found: Any) -> Cost | None:
    """Of a NIC's smaller MaxPayload, where one is planned. What smaller read requests cost depends on the latency of
    memory, which is not known."""
    place = pcie_function(context)
    try:
        context.intended_value("pcie.max_payload", place)
        return _cost(context, max_payload=int(context.found_value("pcie.max_payload", place)))
    except (NoIntentError, UnreadError):
        return None


def link_speed(context: CheckContext, intended: Any, found: Any) -> Cost | None:
    """Of an Ethernet link at a lower speed."""
    return _cost(context, speed=Bandwidth(found))


def path_mtu(context: CheckContext, intended: Any, found: Any) -> Cost | None:
    """Of a smaller RDMA path MTU."""
    return _cost(context, path_mtu=int(found))


def interface_mtu(context: CheckContext, intended: Any, found: Any) -> Cost | None:
    """Of a smaller MTU of the interface: the path MTU that still fits."""
    nic = context.plan.hosts[context.place.device].nics[context.place.name]
    fitting = wire.path_mtu_fitting(int(found), ipv6=ipv6_alone(nic.addresses))
    return None if fitting is None else _cost(context, path_mtu=fitting)


def whole_rail(context: CheckContext, intended: Any, found: Any) -> Cost | None:
    """Of a rail without traffic."""
    return _all_of(context, context.place, "the rail carries no traffic")


def no_route(context: CheckContext, address: str) -> Cost | None:
    """Of a NIC whose address has no route; None if it has neighbours in its subnet."""
    for name, nic in context.plan.hosts[context.place.device].nics.items():
        interfaces = map(ip_interface, nic.addresses or ())
        interface = next((candidate for candidate in interfaces if str(candidate.ip) == address), None)
        if interface is not None and interface.network.num_addresses <= POINT_TO_POINT:
            return _all_of(context, Place(context.place.device).child("nic", name), f"{interface.ip} has no route")
    return None


def impact_of_swapped_cable(context: CheckContext, planned: Place, plugged: Place) -> Cost | None:
    """Of a port with the cable of another NIC; None if that NIC is in the same subnet."""
    here_is = _networks(context, planned)
    if not here_is or here_is & _networks(context, plugged):
        return None
    return _all_of(context, planned, f"{plugged.device}:{plugged.name} has no address in the subnet of this port")


POINT_TO_POINT = 4
"""Addresses of the largest point-to-point subnet, a /30."""


def _networks(context: CheckContext, nic: Place) -> frozenset[object]:
    host = context.plan.hosts.get(nic.device)
    planned = host.nics.get(nic.name) if host else None
    return frozenset(ip_interface(address).network for address in (planned.addresses or () if planned else ()))


def dropped_frames(context: CheckContext, port_mtu: int) -> Cost | None:
    """Of a switch port that drops what the NIC behind it sends; None where packets of the path MTU still fit."""
    try:
        nic, _ = context.across()
    except InapplicableError:
        return None
    sender = context.plan.hosts[nic.device].nics[nic.name]
    planned = sender.rdma_mtu
    fitting = wire.path_mtu_fitting(port_mtu, ipv6=ipv6_alone(sender.addresses))
    if planned is None or (fitting is not None and fitting >= planned):
        return None
    return _all_of(context, nic, f"every full-size packet (path MTU {planned}) is dropped")


def _cost(context: CheckContext, **found: Any) -> Cost | None:
    try:
        return nic_cost(context.plan, context.place.device, context.place.name, **found)
    except ValueError:  # a width or MTU of no standard: the impact is not known
        return None


def _all_of(context: CheckContext, nic: Place, why: str) -> Cost | None:
    bound = nic_bandwidth(context.plan, nic.device, nic.name)
    if bound is None:
        return None
    return Cost(round(bound.value, 2), bound.unit, f"planned {bound.value:.2f} {bound.unit}, as found 0: {why}")
