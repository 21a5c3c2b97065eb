"""The PCIe functions of a server by position, as `wirespeed.settings.pcie` names them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wirespeed.catalogue.model import PcieAbility, PcieBranch, ServerModel
from wirespeed.settings import PcieFunction, PcieLink


@dataclass(frozen=True, slots=True)
class Position:
    """A position in the PCIe tree of a server, for a bridge, a NIC port or a GPU."""

    name: str
    role: str
    parent: str | None
    switch: str | None  # the nearest PCIe switch above
    link: PcieLink  # fastest link of the port above; of a root port, its own
    numa_node: int | None
    socket: int | None
    nic: int | None = None  # position in the server's NIC slots, from 1
    gpu: int | None = None


def list_positions(server: ServerModel) -> tuple[Position, ...]:
    """The positions of a server, bridges before what is below them."""
    return tuple(_Walk(server).walk())


def nic_position(server: ServerModel, nic: int) -> Position:
    """The position of a NIC port, given as a position in the server's NIC slots, from 1."""
    return next(position for position in list_positions(server) if position.nic == nic)


def gpu_positions(server: ServerModel) -> dict[str, Position]:
    """The positions of the GPUs, by name."""
    positions = {position.gpu: position for position in list_positions(server) if position.gpu is not None}
    return {f"GPU{index}": positions[index] for index in sorted(positions)}


class _Walk:
    def __init__(self, server: ServerModel) -> None:
        self._server = server
        self._switches = 0

    def walk(self) -> Iterator[Position]:
        for number, branch in enumerate(self._server.pcie, 1):
            name = f"root{number}"
            per_socket = self._server.cpus.numa_nodes.value if self._server.cpus else 1
            socket = None if branch.numa_node is None else branch.numa_node // per_socket
            yield Position(name, "root-port", None, None, self._link(branch), branch.numa_node, socket)
            yield from self._walk_below(branch, name, None, (branch.numa_node, socket))

    def _walk_below(
        self, branch: PcieBranch, port: str, switch: str | None, near: tuple[int | None, int | None]
    ) -> Iterator[Position]:
        link = self._link(branch)
        for function, nic in enumerate(branch.nics):
            yield Position(f"{port}.{function}", "endpoint", port, switch, link, *near, nic=nic)
        if branch.gpu is not None:
            yield Position(f"{port}.0", "endpoint", port, switch, link, *near, gpu=branch.gpu)
        if branch.switch:
            self._switches += 1
            name = f"switch{self._switches}"
            yield Position(name, "switch-upstream", port, switch, link, *near)
            yield from self._walk_ports(branch.switch, name, near)

    def _walk_ports(
        self, branches: Sequence[PcieBranch], switch: str, near: tuple[int | None, int | None]
    ) -> Iterator[Position]:
        for number, branch in enumerate(branches, 1):
            name = f"{switch}/port{number}"
            yield Position(name, "switch-downstream", switch, switch, self._link(branch), *near)
            yield from self._walk_below(branch, name, switch, near)

    def _link(self, branch: PcieBranch) -> PcieLink:
        return convert_ability(branch.link or self._server.slot_pcie)


def convert_ability(ability: PcieAbility) -> PcieLink:
    """The fastest link of a card or a slot."""
    return PcieLink(ability.speed.value, ability.width.value)


def plan_function(position: Position, link: PcieLink) -> PcieFunction:
    """The planned function at a position. ACS is off on downstream ports of switches: there, traffic between a NIC and
    a GPU turns round."""
    return PcieFunction(
        role=position.role,
        parent=position.parent,
        switch=position.switch,
        acs=frozenset() if position.role == "switch-downstream" else None,
        link=link,
        numa_node=position.numa_node if position.role == "endpoint" else None,
        socket=position.socket if position.role == "endpoint" else None,
    )
