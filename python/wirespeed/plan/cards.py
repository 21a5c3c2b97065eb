"""Cards with several NIC ports in the slots of a server.

The catalogue has one NIC port per slot, or the ports of one card where a document names them. Further ports are further
functions of the same card: below the same port of the PCIe tree, on the link of the same slot. A card with several
ports is a device with several functions, whether or not a cable is connected to each: the names of its interfaces and
the numbers of its RDMA devices count all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wirespeed.catalogue.model import NicModel, NicSlot, PcieBranch, ServerModel
from wirespeed.cluster import HostSpec
from wirespeed.plan.problems import Problems

_FIRST_PORT = re.compile(r"(.*?)(?:f0)?np0")


def fill_slots(spec: HostSpec, server: ServerModel, nic: NicModel, problems: Problems) -> ServerModel | None:
    """The server with as many NIC ports in each slot as the cluster file uses. None, and problems are noted, if its
    slots cannot hold them."""
    count, cards = spec.nics.count, sorted(list_cards(server.pcie))
    ports = spec.part.ports_per_card
    if ports is not None and ports > nic.ports.value:
        expected_ports = f"at most {nic.ports.value}, the ports of {spec.nics.model}"
        problems.refuse((*spec.path, "ports_per_card"), f"{ports} ports of each card", expected_ports)
        return None
    if ports is None and count > len(server.nic_slots) and cards:
        ports = -(-count // len(cards))
    largest_count = len(cards) * min(ports or nic.ports.value, nic.ports.value)
    if count > (len(server.nic_slots) if ports is None else largest_count):
        slots = f", the slots of {spec.model}"
        if cards and largest_count > len(cards):
            slot_count = f"{len(cards)} slot{'s' if len(cards) > 1 else ''}"
            slots = f": {slot_count} of {spec.model} × {largest_count // len(cards)} ports of a card"
        if spec.part.ports_per_card is None and largest_count < len(server.nic_slots):
            largest_count, slots = len(server.nic_slots), f", the NIC ports of {spec.model} (nic_slots)"
        problems.refuse((*spec.path, "nics"), f"{count} NIC ports", f"at most {largest_count}{slots}")
        return None
    filled_server = server if ports is None else _expand_cards(server, cards, ports)
    return _name_first_functions(filled_server) if nic.ports.value > 1 else filled_server


def number_rdma_devices(server: ServerModel, nic: NicModel) -> dict[int, int]:
    """The number of the RDMA device of each NIC port, by its position from 1.

    The kernel numbers the devices of a name in the order in which the driver registers them, one for each PCIe function
    (drivers/infiniband/core/device.c, alloc_name: the lowest free number), so that unused ports count too. Without a
    PCIe tree it is not known which ports are of one card: they are numbered one after the other.
    """
    numbers: dict[int, int] = {}
    first = 0
    for card in sorted(list_cards(server.pcie)):
        numbers |= {position: first + port for port, position in enumerate(card)}
        first += max(len(card), nic.ports.value)
    every_position = range(1, len(server.nic_slots) + 1)
    return numbers if numbers.keys() >= set(every_position) else {position: position - 1 for position in every_position}


def _name_first_functions(server: ServerModel) -> ServerModel:
    """The server with the names that its only NIC ports of cards have where the card has further functions.

    The catalogue's names are those of cards with one port: enp29s0np0 is enp29s0f0np0 of a card with two
    (systemd.net-naming-scheme(7)). Names that the cluster file states stay.
    """
    single = {card[0] for card in list_cards(server.pcie) if len(card) == 1}
    slots = [
        slot
        if position not in single or slot.stated or not (match := _FIRST_PORT.fullmatch(slot.interface or ""))
        else slot.model_copy(update={"interface": f"{match[1]}f0np0"})
        for position, slot in enumerate(server.nic_slots, 1)
    ]
    return server.model_copy(update={"nic_slots": slots})


def list_cards(branches: Sequence[PcieBranch]) -> Iterator[tuple[int, ...]]:
    """The NIC ports of each card, as positions from 1."""
    for branch in branches:
        if branch.nics:
            yield tuple(branch.nics)
        yield from list_cards(branch.switch)


def _expand_cards(server: ServerModel, cards: Sequence[tuple[int, ...]], ports: int) -> ServerModel:
    """The server with this number of ports on each card; rails count the ports of a card one after the other."""
    slots = [
        slot
        for card in cards
        for slot in _list_ports([server.nic_slots[position - 1] for position in card][:ports], ports)
    ]
    positions = {card: list(range(first * ports + 1, (first + 1) * ports + 1)) for first, card in enumerate(cards)}
    pcie = [_renumber(branch, positions) for branch in server.pcie]
    return server.model_copy(update={"nic_slots": slots, "pcie": pcie})


def _list_ports(slots: Sequence[NicSlot], ports: int) -> list[NicSlot]:
    """The ports of a card. The kernel names those that the catalogue lacks by function and port: ens7f0np0, ens7f1np1
    (systemd.net-naming-scheme(7): f for functions of a device with several, np for the name of the port)."""
    if len(slots) == ports:
        return list(slots)
    match = _FIRST_PORT.fullmatch(slots[0].interface or "")
    names = [f"{match[1]}f{number}np{number}" if match else None for number in range(ports)]
    return [NicSlot(interface=name, gpu=slots[0].gpu) for name in names]


def _renumber(branch: PcieBranch, positions: dict[tuple[int, ...], list[int]]) -> PcieBranch:
    return branch.model_copy(
        update={
            "nics": positions[tuple(branch.nics)] if branch.nics else [],
            "switch": [_renumber(below, positions) for below in branch.switch],
        }
    )
