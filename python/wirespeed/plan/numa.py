"""NUMA nodes of a server, and their CPUs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from wirespeed.catalogue.model import ServerModel
from wirespeed.plan.core_binding import build_topology
from wirespeed.settings import BiosAttribute, NumaNode, PcieFunction
from wirespeed.units import Size

_LOCAL_DISTANCE = 10
"""Distance of a node to itself: ACPI specification 6.5, section 5.2.17 (SLIT)."""


def nodes_per_socket(server: ServerModel, bios: Mapping[str, BiosAttribute]) -> int:
    """NUMA nodes of a socket: by the planned BIOS attribute nps or sub-numa, else as in the catalogue, else one.

    Zero means one node of all sockets (NPS0 of AMD's EPYC).
    """
    nps = bios["nps"].value if "nps" in bios else None
    if nps is not None and nps.isdecimal():
        return int(nps)
    if "sub-numa" in bios:
        return 2 if bios["sub-numa"].value == "enabled" else 1
    return server.cpus.numa_nodes.value if server.cpus else 1


def has_smt(bios: Mapping[str, BiosAttribute]) -> bool:
    """Whether a core has all of its hardware threads: the planned BIOS does not disable them."""
    return "smt" not in bios or bios["smt"].value != "disabled"


def renumber_node(function: PcieFunction, server: ServerModel, bios: Mapping[str, BiosAttribute]) -> PcieFunction:
    """A function with the node that it has with the planned BIOS attributes; the catalogue's is of the factory's.

    None where a socket has several nodes and not those of the catalogue: which one is not known.
    """
    nodes = nodes_per_socket(server, bios)
    if nodes == nodes_per_socket(server, {}):
        return function
    return replace(function, numa_node={0: 0, 1: function.socket}.get(nodes))


def plan_numa_nodes(server: ServerModel, bios: Mapping[str, BiosAttribute], memory: Size | None) -> dict[str, NumaNode]:
    """The NUMA nodes by number: the hardware threads of their cores, their share of the memory of the host, distances.

    Distances are planned for one node per socket, if the catalogue has that between sockets. Empty if the catalogue has
    no CPUs.
    """
    if server.cpus is None:
        return {}
    nodes = nodes_per_socket(server, bios)
    topology = build_topology(server.cpus, None, nodes or 1, smt=has_smt(bios))
    groups = [cores for socket in topology.sockets for cores in socket] if nodes else [topology.cores]
    total = len(topology.cores)
    share = None if memory is None else Size(memory // len(groups))
    far = server.cpus.socket_distance.value if server.cpus.socket_distance and nodes == 1 else None
    return {
        str(number): NumaNode(
            frozenset(core + thread * total for thread in range(topology.siblings) for core in cores),
            share,
            None if far is None else tuple(_LOCAL_DISTANCE if node == number else far for node in range(len(groups))),
        )
        for number, cores in enumerate(groups)
    }
