"""Which NIC sits where in a host: slot, interface, rail, RDMA device, and the GPU it serves."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.catalogue import Catalogue
from wirespeed.catalogue.model import NicModel, ServerModel
from wirespeed.cluster import HostSpec
from wirespeed.errors import did_you_mean
from wirespeed.plan.problems import Problems
from wirespeed.settings import bdf
from wirespeed.units import Bandwidth


@dataclass(frozen=True, slots=True)
class Seat:
    """One NIC port of a host."""

    interface: str
    rail: int  # from 1
    rdma_device: str
    speed: Bandwidth
    mtu: int
    pcie: str | None
    gpu: str | None


@dataclass(frozen=True, slots=True)
class Chassis:
    """What all hosts of one kind share: hardware, and the seats of their NICs in rail order."""

    server: ServerModel
    nic: NicModel
    seats: tuple[Seat, ...]


MTU = 9000
"""Interface MTU of a host in bytes; source: Broadcom 957608-AN210, section 2.6, check 11."""


def chassis_of(spec: HostSpec, catalogue: Catalogue, problems: Problems) -> Chassis | None:
    """Seat the NICs of a host; None, with the reasons among the problems, when that is not possible.

    Rail r is the server's r-th NIC slot, and the kernel numbers RDMA devices in the same order
    (Broadcom 957608-AN210, section 2.8.2: bnxt_re0 is 1d:00.0, bnxt_re4 is 9f:00.0).
    """
    server = catalogue.servers.get(spec.model)
    nic = catalogue.nics.get(spec.nics.model)
    if server is None:
        known = sorted(catalogue.servers)
        problems.refuse(
            (*spec.path, "model"),
            f"the server model {spec.model!r}",
            f"one of {', '.join(known)}",
            did_you_mean(spec.model, known),
        )
    if nic is None:
        known = sorted(catalogue.nics)
        problems.refuse(
            (*spec.path, "nics"),
            f"the NIC model {spec.nics.model!r}",
            f"one of {', '.join(known)}",
            did_you_mean(spec.nics.model, known),
        )
    if server is None or nic is None:
        return None
    seats = _seats(spec, server, nic, problems)
    return Chassis(server, nic, seats) if seats else None


def _seats(spec: HostSpec, server: ServerModel, nic: NicModel, problems: Problems) -> tuple[Seat, ...]:
    count, slots, given = spec.nics.count, server.nic_slots, spec.part.interfaces
    if count > len(slots):
        problems.refuse((*spec.path, "nics"), f"{count} NICs", f"at most {len(slots)}, the slots of {spec.model}")
        return ()
    if given is not None and (len(given) != count or len(set(given)) != count):
        problems.refuse(
            (*spec.path, "interfaces"),
            f"{len(set(given))} different interfaces",
            f"{count}, one for each NIC in rail order",
        )
        return ()
    seats = []
    for position, slot in enumerate(slots[:count]):
        interface = given[position] if given else slot.interface
        if interface is None:
            problems.refuse(
                spec.path, f"no interface name for NIC {position + 1}", "interfaces: [name, …] in rail order"
            )
            return ()
        part = spec.part.nic.get(interface)
        seats.append(
            Seat(
                interface=interface,
                rail=(part and part.rail) or position + 1,
                rdma_device=(part and part.rdma_device) or f"{nic.rdma_prefix}{position}",
                speed=(part and part.speed) or nic.speed.value,
                mtu=(part and part.mtu) or spec.part.mtu or MTU,
                pcie=bdf(slot.address),
                gpu=None if slot.gpu is None else f"GPU{slot.gpu}",
            )
        )
    for interface in spec.part.nic:
        known = [seat.interface for seat in seats]
        if interface not in known:
            problems.refuse(
                (*spec.path, "nic", interface),
                f"the interface {interface!r}",
                f"one of {', '.join(known)}",
                did_you_mean(interface, known),
            )
    return tuple(seats)
