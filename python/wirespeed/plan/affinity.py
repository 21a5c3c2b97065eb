"""Place of each NIC in a host: slot, interface, rail, RDMA device and nearest GPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from wirespeed.catalogue import Catalogue
from wirespeed.catalogue.model import NicModel, PcieAbility, ServerModel
from wirespeed.cluster import HostSpec
from wirespeed.errors import did_you_mean, format_choices
from wirespeed.plan.cards import fill_slots, number_rdma_devices
from wirespeed.plan.pcie_tree import Position, nic_position
from wirespeed.plan.problems import Problems
from wirespeed.settings import PcieLink
from wirespeed.units import Bandwidth, format_pcie_link


@dataclass(frozen=True, slots=True)
class HostPort:
    """One NIC port of a host."""

    interface: str
    rail: int  # from 1
    rdma_device: str
    speed: Bandwidth
    mtu: int
    position: Position
    gpu: str | None
    slot: PcieLink  # fastest link of the slot
    slot_address: str | None  # PCIe address by the cluster file
    max_payload: int | None  # bytes
    max_read_request: int | None  # bytes


@dataclass(frozen=True, slots=True)
class Chassis:
    """Hardware and NIC ports, in rail order, of all hosts of one kind."""

    server: ServerModel
    nic: NicModel
    host_ports: tuple[HostPort, ...]


_LAST_RAIL = 255  # each has its own routing table, VLAN and third octet
_KEYS = {"slot_address": "PCIe address"}
MTU = 9000
"""Interface MTU of a host in bytes; source: Broadcom 957608-AN210, section 2.6, check 11."""


def build_chassis(spec: HostSpec, catalogue: Catalogue, problems: Problems) -> Chassis | None:
    """The hardware of a host with its NIC ports. None, and problems are noted, if it is impossible.

    Rail r is the server's r-th NIC slot, and the kernel numbers RDMA devices in the same order
    (Broadcom 957608-AN210, section 2.8.2: bnxt_re0 is enp29s0np0, bnxt_re4 is enp159s0np0), unused ports of cards
    included.
    """
    server = catalogue.servers.get(spec.model)
    nic = catalogue.nics.get(spec.nics.model)
    if server is None:
        names = sorted(catalogue.servers)
        hint = " ".join(
            filter(None, (did_you_mean(spec.model, names), "Or describe the server under `hardware.servers`"))
        )
        problems.refuse((*spec.path, "model"), f"the server model {spec.model!r}", format_choices(names), hint)
    if nic is None:
        problems.refuse_unknown((*spec.path, "nics"), "NIC model", spec.nics.model, catalogue.nics)
    if server is None or nic is None:
        return None
    filled_server = fill_slots(spec, server, nic, problems)
    if filled_server is None:
        return None
    host_ports = _host_ports(spec, filled_server, nic, catalogue.nics, problems)
    return Chassis(filled_server, nic, host_ports) if host_ports else None


def _host_ports(
    spec: HostSpec, server: ServerModel, nic: NicModel, nics: Mapping[str, NicModel], problems: Problems
) -> tuple[HostPort, ...]:
    count, slots, interfaces = spec.nics.count, server.nic_slots, spec.part.interfaces
    if interfaces is not None and (len(interfaces) != count or len(set(interfaces)) != count):
        problems.refuse(
            (*spec.path, "interfaces"),
            f"{len(set(interfaces))} different interfaces",
            f"{count}, one for each NIC in rail order",
        )
        return ()
    numbers = number_rdma_devices(server, nic)
    host_ports = []
    for position, slot in enumerate(slots[:count]):
        interface = interfaces[position] if interfaces else slot.interface
        if interface is None:
            problems.refuse(
                spec.path,
                f"no interface name for NIC {position + 1}",
                f"{count} name{'s' if count > 1 else ''}, as `ip link` shows on the host",
                "write interfaces: [NAME, …] here in rail order, or interface: NAME in each of the server's nic_slots",
            )
            return ()
        part = spec.part.nic.get(interface)
        slot_position = nic_position(server, position + 1)
        host_ports.append(
            HostPort(
                interface=interface,
                rail=(part and part.rail) or position + 1,
                rdma_device=(part and part.rdma_device) or f"{nic.rdma_prefix}{numbers[position + 1]}",
                speed=(part and part.speed) or nic.speed.value,
                mtu=(part and part.mtu) or spec.part.mtu or MTU,
                position=slot_position,
                gpu=None if slot.gpu is None else f"GPU{slot.gpu}",
                slot=PcieLink(part.slot.speed, part.slot.width) if part and part.slot else slot_position.link,
                slot_address=part.pcie if part else None,
                max_payload=part.max_payload if part else None,
                max_read_request=part.max_read_request if part else None,
            )
        )
        _check_slot(spec, host_ports[-1], nic, problems)
    for host_port in host_ports:
        path = (*spec.path, "nic", host_port.interface)
        if host_port.rail > _LAST_RAIL:
            problems.refuse((*path, "rail"), f"rail {host_port.rail}", f"a rail from 1 to {_LAST_RAIL}")
        if host_port.speed > nic.speed.value:
            problems.refuse(
                (*path, "speed"),
                f"{host_port.speed}",
                f"at most {nic.speed.value}, the speed of {spec.nics.model}",
                _advise_configuration(spec.nics.model, host_port.speed, nics),
            )
    for field in ("rail", "rdma_device", "slot_address"):
        values = [value for host_port in host_ports if (value := getattr(host_port, field)) is not None]
        repeated_value = next((value for value in values if values.count(value) > 1), None)
        if repeated_value is not None:
            problems.refuse(
                (*spec.path, "nic"),
                f"{_KEYS.get(field, field)} {repeated_value} on two NICs of a host",
                f"a {_KEYS.get(field, field)} for each",
            )
    for interface in spec.part.nic:
        interfaces = [host_port.interface for host_port in host_ports]
        if interface not in interfaces:
            problems.refuse(
                (*spec.path, "nic", interface),
                f"the interface {interface!r}",
                format_choices(interfaces),
                did_you_mean(interface, interfaces),
            )
    return tuple(host_ports)


def _advise_configuration(model: str, speed: Bandwidth, nics: Mapping[str, NicModel]) -> str:
    """Another configuration of the card, with fewer and faster ports; empty if the catalogue has none."""
    names = (name for name, nic in nics.items() if name.startswith(f"{model}-") and nic.speed.value >= speed)
    return next((f"nics: {name}, if the card is configured so" for name in names), "")


def train_link(card: PcieAbility, slot: PcieLink) -> PcieLink:
    """The link that a card trains in a slot: the lower speed and the smaller width of both."""
    return PcieLink(min(card.speed.value, slot.speed or 0), min(card.width.value, slot.width or 0))


FLIT_RATE = 64000
"""MT/s at which a link sends flits (PCI Express Base 6.0, section 4.2.3)."""


def pcie_rate(link: PcieLink) -> Bandwidth:
    """Data rate of a link after line coding and before TLP overhead.

    8b/10b at 2.5 and 5 GT/s, 128b/130b at 8 to 32 GT/s (PCI Express base specification, sections 4.2.1 and 4.2.2);
    at 64 GT/s 236 of 256 bytes of a flit carry TLPs (section 4.2.3 of 6.0).
    """
    speed, width = link.speed or 0, link.width or 0
    if speed <= 5000:
        share = Fraction(8, 10)
    elif speed < FLIT_RATE:
        share = Fraction(128, 130)
    else:
        share = Fraction(236, 256)
    return Bandwidth(int(speed * 10**6 * width * share))


def _check_slot(spec: HostSpec, host_port: HostPort, nic: NicModel, problems: Problems) -> None:
    link = train_link(nic.pcie, host_port.slot)
    part = spec.part.nic.get(host_port.interface)
    if part is not None and part.slot is not None and part.slot.speed > nic.pcie.speed.value:
        card, width = nic.pcie.speed.value, part.slot.width
        problems.warn(
            (*spec.path, "nic", host_port.interface, "slot"),
            f"a PCIe slot {format_pcie_link(part.slot.speed, width)}",
            f"at most {format_pcie_link(card, width)}, the fastest link of {spec.nics.model}",
            f"the link trains at {format_pcie_link(link.speed or 0, link.width or 0)}",
        )
    rate = pcie_rate(link)
    if rate < host_port.speed:
        path = (
            (*spec.path, "nic", host_port.interface, "slot")
            if host_port.interface in spec.part.nic
            else (*spec.path, "nics")
        )
        slot = f"{rate.gb_per_s:.1f} Gb/s ({format_pcie_link(link.speed or 0, link.width or 0)})"
        problems.warn(
            path,
            f"a NIC of {host_port.speed} in a PCIe slot of {slot}",
            "a slot at least as fast as the NIC",
            "the slot will be the limit",
        )
