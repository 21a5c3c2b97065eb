"""Estimated impact of a difference on a rail: payload in one direction, Gb/s."""

from __future__ import annotations

from ipaddress import ip_interface
from typing import Any

from wirespeed import wire
from wirespeed.checks.model import CheckContext, InapplicableError, NoIntentError, UnreadError
from wirespeed.checks.nics import pcie_function
from wirespeed.limits.impact import (
    TCP_TRAFFIC,
    carries_rdma,
    estimate_gpu_impact,
    estimate_nic_impact,
    has_roce_class,
    nic_bandwidth,
)
from wirespeed.limits.nic import has_only_ipv6
from wirespeed.results.findings import Impact
from wirespeed.settings import Place
from wirespeed.units import Bandwidth


def pcie_width(context: CheckContext, intended: Any, found: Any) -> Impact | None:
    """Impact of a NIC's PCIe link with fewer lanes, at the rate that it has."""
    return _estimate_impact(context, pcie_width=int(found), pcie_speed=_find_lower(context, "pcie.link.speed"))


def pcie_speed(context: CheckContext, intended: Any, found: Any) -> Impact | None:
    """Impact of a NIC's PCIe link at a lower signalling rate, with the lanes that it has."""
    return _estimate_impact(context, pcie_speed=int(found), pcie_width=_find_lower(context, "pcie.link.width"))


def _find_lower(context: CheckContext, path: str) -> int | None:
    """The value of the NIC's PCIe function that was read, if it is lower than planned."""
    place = pcie_function(context)
    try:
        found, intended = context.get_found_value(path, place), context.get_intended_value(path, place)
    except (NoIntentError, UnreadError):
        return None
    return int(found) if found < intended else None


def gpu_link(context: CheckContext, intended: Any, found: Any) -> Impact | None:
    """Impact of a GPU's slower or narrower PCIe link; None for other functions, whose users are not known."""
    gpus = context.plan.hosts[context.place.device].gpus
    gpu = next((name for name, settings in gpus.items() if settings.pcie == context.place.name), None)
    if gpu is None:
        return None
    try:
        speed, width = (int(context.get_found_value(path)) for path in ("pcie.link.speed", "pcie.link.width"))
        return estimate_gpu_impact(context.plan, context.place.device, gpu, pcie_speed=speed, pcie_width=width)
    except (UnreadError, ValueError):  # ValueError: a link outside the standard
        return None


def pcie_packets(context: CheckContext, intended: Any, found: Any) -> Impact | None:
    """Impact of a NIC's smaller MaxPayload, if one is planned. That of smaller read requests depends on the latency of
    memory, which is unknown."""
    place = pcie_function(context)
    try:
        context.get_intended_value("pcie.max_payload", place)
        return _estimate_impact(context, max_payload=int(context.get_found_value("pcie.max_payload", place)))
    except (NoIntentError, UnreadError):
        return None


def link_speed(context: CheckContext, intended: Any, found: Any) -> Impact | None:
    """Impact of an Ethernet link at a lower speed."""
    return _estimate_impact(context, speed=Bandwidth(found))


def port_speed(context: CheckContext, intended: Any, found: Any) -> Impact | None:
    """Impact of a switch port at a lower speed on the NIC in it. None between switches: other paths take the load."""
    try:
        nic, _ = context.find_other_end()
    except InapplicableError:
        return None
    if nic.kind != "nic":
        return None
    planned = context.plan.hosts[nic.device].nics[nic.name].link.speed
    return _estimate_impact(context, nic, speed=Bandwidth(min(found, planned or found)))


def path_mtu(context: CheckContext, intended: Any, found: Any) -> Impact | None:
    """Impact of a smaller RDMA path MTU."""
    return _estimate_impact(context, path_mtu=int(found))


def interface_mtu(context: CheckContext, intended: Any, found: Any) -> Impact | None:
    """Impact of a smaller MTU of the interface: of RDMA, by the path MTU that fits it."""
    nic = context.plan.hosts[context.place.device].nics[context.place.name]
    if not carries_rdma(context.plan, nic):
        return _estimate_impact(context, mtu=int(found))
    fitting_mtu = wire.path_mtu_fitting(int(found), ipv6=has_only_ipv6(nic.addresses))
    return None if fitting_mtu is None else _estimate_impact(context, path_mtu=fitting_mtu)


def whole_rail(context: CheckContext, intended: Any, found: Any) -> Impact | None:
    """Impact of a rail without traffic."""
    return _estimate_rail_impact(context, context.place, "the rail carries no traffic")


def impact_of_missing_route(context: CheckContext, address: str) -> Impact | None:
    """Impact of a missing route or rule for the address of a NIC; None if it has neighbours in its subnet.

    Its packets are lost, or leave through another NIC.
    """
    for name, nic in context.plan.hosts[context.place.device].nics.items():
        interfaces = map(ip_interface, nic.addresses or ())
        interface = next((candidate for candidate in interfaces if str(candidate.ip) == address), None)
        if interface is not None and interface.network.num_addresses <= POINT_TO_POINT:
            return _estimate_rail_impact(
                context,
                Place(context.place.device).child("nic", name),
                f"no packet from {interface.ip} leaves through this NIC",
            )
    return None


def impact_of_swapped_cable(context: CheckContext, planned: Place, plugged: Place) -> Impact | None:
    """Impact of a cable to another NIC; None if that NIC is in the same subnet."""
    here_is = _list_networks(context, planned)
    if not here_is or here_is & _list_networks(context, plugged):
        return None
    return _estimate_rail_impact(
        context, planned, f"{plugged.device}:{plugged.name} has no address in the subnet of this port"
    )


POINT_TO_POINT = 4
"""Addresses of the largest point-to-point subnet, a /30."""


def _list_networks(context: CheckContext, nic: Place) -> frozenset[object]:
    host = context.plan.hosts.get(nic.device)
    planned = host.nics.get(nic.name) if host else None
    return frozenset(ip_interface(address).network for address in (planned.addresses or () if planned else ()))


def estimate_dropped_frames(context: CheckContext, port_mtu: int) -> Impact | None:
    """Impact of a switch port that drops packets of its NIC. None if packets of the path MTU fit."""
    try:
        nic, _ = context.find_other_end()
    except InapplicableError:
        return None
    sender = context.plan.hosts[nic.device].nics[nic.name]
    if not has_roce_class(context.plan):
        reason = f"every full-size packet (MTU {sender.link.mtu}) is dropped; {TCP_TRAFFIC}"
        return _estimate_rail_impact(context, nic, reason) if port_mtu < (sender.link.mtu or 0) else None
    planned = sender.rdma_mtu
    fitting_mtu = wire.path_mtu_fitting(port_mtu, ipv6=has_only_ipv6(sender.addresses))
    if planned is None or (fitting_mtu is not None and fitting_mtu >= planned):
        return None
    return _estimate_rail_impact(context, nic, f"every full-size packet (path MTU {planned}) is dropped")


def _estimate_impact(context: CheckContext, nic: Place | None = None, **found_values: Any) -> Impact | None:
    place = nic or context.place
    try:
        return estimate_nic_impact(context.plan, place.device, place.name, **found_values)
    except ValueError:  # a width or MTU outside the standards: the impact is unknown
        return None


def _estimate_rail_impact(context: CheckContext, nic: Place, reason: str) -> Impact | None:
    bound = nic_bandwidth(context.plan, nic.device, nic.name)
    if bound is None:
        return None
    return Impact(round(bound.value, 2), bound.unit, f"planned {bound.value:.2f} {bound.unit}, as found 0: {reason}")
