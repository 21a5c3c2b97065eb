"""Adds the servers, GPUs and NICs that the cluster file describes to the catalogue."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from wirespeed.catalogue import Catalogue
from wirespeed.catalogue.model import (
    CpuTopology,
    Entry,
    GpuLinks,
    GpuModel,
    Memory,
    NicModel,
    NicSlot,
    PcieAbility,
    PcieBranch,
    ServerModel,
    SourcedValue,
)
from wirespeed.cluster import Cluster
from wirespeed.cluster.fields import SlotSize
from wirespeed.cluster.hardware import CpusPart, GpuPart, MemoryPart, NicModelPart, PcieBranchPart, ServerPart
from wirespeed.cluster.part import Part
from wirespeed.plan.problems import Problems

_Path = tuple[str | int, ...]
_Entry = TypeVar("_Entry", bound=Entry)
_NEEDED = ("cpu_vendor", "slot_pcie", "nic_slots", "pcie")
"""Keys of a server without a base."""


def add_hardware(cluster: Cluster, catalogue: Catalogue, problems: Problems) -> Catalogue:
    """The catalogue with the hardware of the cluster file. Problems are noted where it is impossible."""
    hardware = cluster.hardware
    if not (hardware.servers or hardware.gpus or hardware.nics):
        return catalogue
    _check_names(cluster, catalogue, problems)
    builder = _Builder(cluster, problems)
    gpus = {name: gpu for name, part in hardware.gpus.items() if (gpu := builder.gpu(name, part, catalogue.gpus))}
    nics = {name: nic for name, part in hardware.nics.items() if (nic := builder.nic(name, part, catalogue.nics))}
    catalogue = dataclasses.replace(catalogue, gpus={**catalogue.gpus, **gpus}, nics={**catalogue.nics, **nics})
    servers = {
        name: server for name, part in hardware.servers.items() if (server := builder.server(name, part, catalogue))
    }
    return dataclasses.replace(catalogue, servers={**catalogue.servers, **servers})


def _check_names(cluster: Cluster, catalogue: Catalogue, problems: Problems) -> None:
    """Refuse names of the catalogue; warn of hardware that nothing uses."""
    hardware = cluster.hardware
    servers = {spec.model for spec in cluster.hosts.values()}
    nics = {spec.nics.model for spec in cluster.hosts.values()}
    gpus = {part.gpu for part in hardware.servers.values()}
    kinds: tuple[tuple[str, Mapping[str, Part], Mapping[str, Entry], set[Any]], ...] = (
        ("servers", hardware.servers, catalogue.servers, servers),
        ("gpus", hardware.gpus, catalogue.gpus, gpus),
        ("nics", hardware.nics, catalogue.nics, nics),
    )
    for kind, parts, entries, used_names in kinds:
        for name in parts:
            path = ("hardware", kind, name)
            if name in entries:
                hint = f"write `{name}-2: {{base: {name}}}` for a variant of it"
                problems.refuse(path, f"{name!r}, a name of {_KINDS[kind]} in the catalogue", "another name", hint)
            elif name not in used_names:
                user = "server of `hardware.servers`" if kind == "gpus" else "host"
                problems.warn(path, f"{name!r}, which no {user} uses", "hardware that is used")


_KINDS = {"servers": "a server", "gpus": "a GPU", "nics": "a NIC"}


class _Builder:
    """Builds entries of the catalogue from parts of the cluster file; their source is the part's, else its line."""

    def __init__(self, cluster: Cluster, problems: Problems) -> None:
        self._cluster, self._problems = cluster, problems

    def gpu(self, name: str, part: GpuPart, entries: Mapping[str, GpuModel]) -> GpuModel | None:
        """A GPU; None, and problems are noted, if it is impossible."""
        path, base = ("hardware", "gpus", name), entries.get(part.base)
        if base is None:
            self._problems.refuse_unknown((*path, "base"), "GPU model", part.base, entries)
            return None
        source = self._find_source(path, part.source)
        changes: dict[str, Any] = {"title": name, **_list_values(part, ("title", "pci_id"))}
        if part.pci_id is not None:
            changes["other_pci_ids"] = []
        if part.bars is not None:
            changes["bars"] = SourcedValue(value=part.bars, source=source)
        if part.pcie is not None:
            changes["pcie"] = _build_ability(part.pcie, source)
        if part.links is not None:
            links = part.links
            changes["links"] = GpuLinks(
                name=links.name,
                per_gpu=SourcedValue(value=links.per_gpu, source=source),
                full_mesh=links.full_mesh,
                peak=SourcedValue(value=links.peak, source=source),
                usable=_add_source(links.usable, source),
            )
        return base.model_copy(update=changes)

    def nic(self, name: str, part: NicModelPart, entries: Mapping[str, NicModel]) -> NicModel | None:
        """A NIC; None, and problems are noted, if it is impossible."""
        path, base = ("hardware", "nics", name), entries.get(part.base)
        if base is None:
            self._problems.refuse_unknown((*path, "base"), "NIC model", part.base, entries)
            return None
        source = self._find_source(path, part.source)
        changes: dict[str, Any] = {"title": name, "description": source, **_list_values(part, ("title", "pci_id"))}
        for key in ("ports", "speed", "message_rate", "queue_pairs"):
            if (value := _add_source(getattr(part, key), source)) is not None:
                changes[key] = value
        if part.pcie is not None:
            changes["pcie"] = _build_ability(part.pcie, source)
        return base.model_copy(update=changes)

    def server(self, name: str, part: ServerPart, catalogue: Catalogue) -> ServerModel | None:
        """A server; None, and problems are noted, if it is impossible."""
        path = ("hardware", "servers", name)
        base = catalogue.servers.get(part.base or "")
        if part.base is not None and base is None:
            self._problems.refuse_unknown((*path, "base"), "server model", part.base, catalogue.servers)
            return None
        if part.gpu is not None and part.gpu not in catalogue.gpus:
            self._problems.refuse_unknown((*path, "gpu"), "GPU model", part.gpu, catalogue.gpus)
            return None
        absent = [key for key in _NEEDED if base is None and getattr(part, key) is None]
        for key in absent:
            hint = "add it, or add `base`: a server of the catalogue, whose value is then used"
            self._problems.refuse(path, f"missing key {key!r}", "", hint)
        branches = [
            self._build_branch(branch, (*path, "pcie", number)) for number, branch in enumerate(part.pcie or ())
        ]
        if absent or None in branches:
            return None
        source = self._find_source(path, part.source)
        values = {} if base is None else {key: getattr(base, key) for key in ServerModel.model_fields}
        values |= {"title": name, "source": source, **_list_values(part, ("title", "vendor", "cpu_vendor", "gpu"))}
        if part.pcie is not None:
            values["pcie"] = branches
        values |= _convert_values(part, source)
        server = self._build(ServerModel, path, values)
        if server is not None and server.gpu_count and server.gpu is None:
            self._problems.refuse(path, "GPUs in pcie without a model", "gpu: and their model")
        return server

    def _build_branch(self, part: PcieBranchPart, path: _Path) -> PcieBranch | None:
        below = [self._build_branch(branch, (*path, "switch", number)) for number, branch in enumerate(part.switch)]
        if None in below:
            return None
        link = _build_ability(part.link, self._cluster.origin.locate(*path)) if part.link else None
        values = {"nics": part.nics, "gpu": part.gpu, "switch": below, "link": link, "numa_node": part.numa_node}
        return self._build(PcieBranch, path, values)

    def _build(self, model: type[_Entry], path: _Path, values: Mapping[str, Any]) -> _Entry | None:
        """An entry, unless its own rules refuse it."""
        try:
            return model(**values)
        except ValidationError as error:
            for details in error.errors():
                text = details["msg"].removeprefix("Value error, ")
                for inner_path, problem in details.get("ctx", {}).get("problems", [((), text)]):
                    found, _, expected = problem.partition("; expected ")
                    self._problems.refuse((*path, *inner_path), found, expected)
            return None

    def _find_source(self, path: _Path, source: str | None) -> str:
        return source or self._cluster.origin.locate(*path)


def _convert_values(part: ServerPart, source: str) -> dict[str, Any]:
    """The values of a server, in the types of the catalogue, that the part contains."""
    values: dict[str, Any] = {
        "cpus": None if part.cpus is None else _build_cpus(part.cpus, source),
        "memory": None if part.memory is None else _build_memory(part.memory, source),
        "slot_pcie": None if part.slot_pcie is None else _build_ability(part.slot_pcie, source),
        "nic_slots": None
        if part.nic_slots is None
        else [NicSlot(interface=slot.interface, gpu=slot.gpu, stated=True) for slot in part.nic_slots],
        **{
            key: _add_source(getattr(part, key), source)
            for key in ("max_payload", "socket_link", "ordered_writes", "tcp_core")
        },
    }
    return {key: value for key, value in values.items() if value is not None}


def _build_cpus(part: CpusPart, source: str) -> CpuTopology:
    counts = {
        key: SourcedValue(value=getattr(part, key), source=source)
        for key in ("sockets", "cores", "threads", "numa_nodes", "numbering")
    }
    return CpuTopology(model=part.model or "CPU", **counts)


def _build_memory(part: MemoryPart, source: str) -> Memory:
    return Memory(
        channels=SourcedValue(value=part.channels, source=source),
        speed=SourcedValue(value=part.speed, source=source),
        cache=_add_source(part.cache, source),
        sockets=_add_source(part.sockets, source),
    )


def _build_ability(slot: SlotSize, source: str) -> PcieAbility:
    return PcieAbility(
        speed=SourcedValue(value=slot.speed, source=source), width=SourcedValue(value=slot.width, source=source)
    )


def _add_source(value: Any, source: str) -> SourcedValue[Any] | None:
    return None if value is None else SourcedValue(value=value, source=source)


def _list_values(part: BaseModel, keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: value for key in keys if (value := getattr(part, key)) is not None}
