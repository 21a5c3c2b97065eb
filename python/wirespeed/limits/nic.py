"""Capacity of one NIC port: the lower of its link with framing and its PCIe slot. For the judge and the checks.

Checks call `nic_goodput` for the planned and for the observed NIC; `wirespeed.limits.impact` computes the difference::

    designed = nic_goodput(nic, function)
    as_found = nic_goodput(nic, dataclasses.replace(function, link=PcieLink(speed=32000, width=8)))
    impact = compute_impact(designed, as_found)      # Impact(161.7, "Gb/s", "…")
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import lru_cache

from wirespeed import wire
from wirespeed.limits import framing, pcie, tcp
from wirespeed.limits.bound import GBPS, scale_bound, tightest
from wirespeed.limits.framing import Path
from wirespeed.limits.pcie import Slot
from wirespeed.plan import Plan
from wirespeed.results.verdicts import Bound, Term
from wirespeed.settings import Nic, PcieFunction
from wirespeed.units import Bandwidth

LARGEST_PATH_MTU = wire.PATH_MTUS[-1]


def nic_goodput(
    nic: Nic, function: PcieFunction | None = None, *, max_payload: int | None = None, speed: Bandwidth | None = None
) -> Bound | None:
    """Payload a NIC port can move in one direction, Gb/s, RDMA write in an endless stream.

    ``function`` is the NIC's PCIe function, for its slot; None leaves the slot out. ``max_payload`` (bytes) and
    ``speed`` are used where nic or function have none. None: no speed is known, so there is no limit.

    Raises:
        ValueError: the path MTU or the PCIe link does not exist.
    """
    assumptions: list[str] = []
    path = build_path(nic, assumptions, speed=speed)
    if path is None:
        return None
    terms = [framing.one_way(path)]
    slot = build_slot(function, assumptions, max_payload=max_payload)
    if slot is not None:
        terms.append(pcie.one_way(slot))
    return tightest(terms, assumptions)


def nic_tcp_goodput(nic: Nic, function: PcieFunction | None = None, *, speed: Bandwidth | None = None) -> Bound | None:
    """Payload a NIC port can move in one direction, Gb/s, in full TCP segments without options.

    Framing: IEEE 802.3 clauses 3 and 4, RFC 791 or 8200, and RFC 9293 (`wirespeed.limits.tcp`). ``function`` and
    ``speed`` as in `nic_goodput`. None: no speed or no MTU of the interface is known.

    Raises:
        ValueError: the MTU is smaller than the headers, or the PCIe link does not exist.
    """
    rate = nic.link.speed or speed
    if rate is None or nic.link.mtu is None:
        return None
    assumptions: list[str] = []
    terms = [tcp.tcp(rate, nic.link.mtu, ipv6=has_only_ipv6(nic.addresses))]
    slot = build_slot(function, assumptions)
    if slot is not None:
        terms.append(pcie.one_way(slot))
    return tightest(terms, assumptions)


def nic_goodput_two_way(
    nic: Nic,
    function: PcieFunction | None = None,
    *,
    max_payload: int | None = None,
    speed: Bandwidth | None = None,
    acks_per_packet: float = 0.0,
) -> Bound | None:
    """Payload of one direction while the other is as full, Gb/s: what each NIC moves in a collective.

    Each direction also carries the other's acknowledgements and, on PCIe, its read requests; otherwise as
    `nic_goodput`.

    Raises:
        ValueError: the path MTU or the PCIe link does not exist.
    """
    assumptions: list[str] = []
    path = build_path(nic, assumptions, speed=speed)
    if path is None:
        return None
    slot = build_slot(function, assumptions, max_payload=max_payload)
    bound = _compute_one_direction(path, slot, acks_per_packet)
    return dataclasses.replace(bound, assumptions=tuple(dict.fromkeys(assumptions)))


@lru_cache(maxsize=1024)
def _compute_one_direction(path: Path, slot: Slot | None, acks_per_packet: float) -> Bound:
    """Cached, because a cluster has few kinds of NICs."""
    rates = [framing.two_way(path, acks_per_packet=acks_per_packet)]
    if slot is not None:
        rates.append(pcie.two_way(slot))
    return scale_bound(tightest(rates), 0.5, "1/2, one direction")


def build_path(
    nic: Nic,
    assumptions: list[str],
    *,
    speed: Bandwidth | None = None,
    path_mtu: int | None = None,
    ipv6: bool | None = None,
) -> Path | None:
    """The path at this NIC; assumed values are added to ``assumptions``. None without a speed.

    ``ipv6``: IP version of RoCE if known, else that of the NIC's addresses.
    """
    rate = nic.link.speed or speed
    if rate is None:
        return None
    ipv6 = has_only_ipv6(nic.addresses) if ipv6 is None else ipv6
    fitting_mtu = wire.path_mtu_fitting(nic.link.mtu, ipv6=ipv6) if nic.link.mtu is not None else None
    mtu = path_mtu or nic.rdma_mtu or fitting_mtu
    if mtu is None:
        mtu = LARGEST_PATH_MTU
        assumptions.append(f"path MTU {mtu}, the largest: neither RDMA port nor interface has a value")
    version = "" if nic.addresses else f"{'IPv6' if ipv6 else 'IPv4'}, "
    assumptions.append(f"{version}no VLAN tag between host and switch")
    return Path(rate, mtu, wire.Encapsulation(ipv6=ipv6))


def build_slot(function: PcieFunction | None, assumptions: list[str], *, max_payload: int | None = None) -> Slot | None:
    """The PCIe slot of a function; assumed values are added to ``assumptions``. None without its link."""
    if function is None or function.link.speed is None or function.link.width is None:
        return None
    payload = function.max_payload or max_payload
    if payload is None:
        payload = pcie.USUAL_MAX_PAYLOAD
        assumptions.append(f"PCIe MaxPayload {payload} bytes (usual value; not collected)")
    return Slot(
        function.link.speed, function.link.width, payload, function.max_read_request or pcie.LARGEST_READ_REQUEST
    )


def has_only_ipv6(addresses: Sequence[str] | None) -> bool:
    """Whether the port has IPv6 addresses only."""
    return bool(addresses) and all(":" in address for address in addresses or ())


def catalogue_speed(plan: Plan, nic: Nic) -> Bandwidth | None:
    """The speed of a NIC's model."""
    model = plan.hardware.nics.get(nic.model) if nic.model else None
    return model.speed.value if model else None


def cite_description(plan: Plan, nic: Nic, function: PcieFunction | None, term: Term) -> Term:
    """A term of a NIC's port or slot, with the source of its value where a cluster file describes the NIC."""
    model = plan.hardware.nics.get(nic.model) if nic.model else None
    if model is None or model.description is None:
        return term
    is_speed = term.name.startswith("line rate") and model.speed.value == (nic.link.speed or model.speed.value)
    ability = model.pcie.speed.value, model.pcie.width.value
    is_slot = (
        term.name.startswith("NIC slot")
        and function is not None
        and (function.link.speed, function.link.width) == ability  # else the server's slot is slower
    )
    value = model.speed if is_speed else model.pcie.speed if is_slot else None
    if value is None or value.source != model.description:
        return term
    return dataclasses.replace(term, source=f"{term.source}; {'speed' if is_speed else 'PCIe link'}: {value.source}")


def list_ip_driver_terms(plan: Plan, nic: Nic, name: str) -> list[Term]:
    """What the IP interface over a PCIe bridge reaches, where the catalogue contains it."""
    model = plan.hardware.nics.get(nic.model) if nic.model else None
    rate = model.ntb.sockets if model is not None and model.ntb is not None else None
    if rate is None:
        return []
    formula = f"{rate.value} measured between two hosts"
    return [Term(f"IP driver of {name}", rate.value.gb_per_s, GBPS, formula, rate.source)]
