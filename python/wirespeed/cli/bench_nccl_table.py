"""Communicators in NCCL debug lines, one paragraph each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.markup import escape
from rich.table import Table

from wirespeed.cli.console import out
from wirespeed.results.nccl import Communicator, NcclPath
from wirespeed.units import Size


def show(one: Communicator) -> None:
    """Print one communicator."""
    size = f"{one.ranks} ranks" if one.ranks is not None else "ranks: unknown"
    nodes = f" on {one.nodes} nodes" if one.nodes is not None else ""
    state = "[green]initialized[/]" if one.complete else "[yellow]initialization log incomplete[/]"
    library = escape(f"{one.library} {one.version}" if one.version else "NCCL or RCCL")
    out().print(f"[bold]{library} communicator, {size}{nodes}[/]  {state}", soft_wrap=True)
    for name, value in _rows(one):
        out().print(f"  {name}: {escape(value)}", soft_wrap=True)
    for warning in one.warnings:
        times = f" ({warning.count} times)" if warning.count > 1 else ""
        causes = f" [dim]see wirespeed explain {' '.join(warning.failures)}[/]" if warning.failures else ""
        out().print(f"  [yellow]{escape(warning.host)}[/] {escape(warning.text)}{times}{causes}", soft_wrap=True)
    if one.paths:
        out().print(_paths(one.paths))
    if one.choices:
        out().print(_choices(one))
    out().print()


def _rows(one: Communicator) -> Iterator[tuple[str, str]]:
    network = [one.network, *one.plugins]
    if any(network):
        yield "network", ", ".join(word for word in network if word)
    nics = dict.fromkeys(f"{nic.name}{f' ({nic.link})' if nic.link else ''}" for nic in one.nics)
    if nics:
        yield "NICs", ", ".join(nics)
    if one.gdrdma is not None:
        over = sum(path.connections for path in one.paths if path.gdrdma is not None)
        direct = sum(path.connections for path in one.paths if path.gdrdma)
        yield "GPUDirect RDMA", f"{direct} of {over} connections"
    counts = (("collectives", one.channels), ("NVLS", one.nvls_channels), ("point-to-point", one.p2p_channels))
    channels = [f"{count} for {name}" for name, count in counts if count]
    if channels:
        yield "channels", ", ".join(channels)
    if one.rings or one.trees:
        yield "rings, trees", f"{len(one.rings)}, {len(one.trees)}"
    for name, numbers in (("GID index", one.gid_indices), ("path MTU", one.path_mtus)):
        if numbers:
            yield name, ", ".join(str(number) for number in numbers)
    if one.traffic_class is not None:
        yield "traffic class", str(one.traffic_class)
    if one.environment:
        yield "environment", "  ".join(f"{name}={value}" for name, value in one.environment.items())
    for variable, values in one.differing_environment.items():
        yield f"{variable} differs between processes", ", ".join(values)


def _paths(paths: Iterable[NcclPath]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("host", "transport", "NIC", "direction", "GPUDirect RDMA"):
        table.add_column(name)
    table.add_column("connections", justify="right")
    for path in paths:
        gdrdma = {True: "yes", False: "no", None: ""}[path.gdrdma]
        device = "" if path.device is None else f"{path.device}{' via another GPU (PXN)' if path.forwarded else ''}"
        table.add_row(
            escape(path.host), escape(path.transport), device, path.direction or "", gdrdma, str(path.connections)
        )
    return table


def _choices(one: Communicator) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("function", "size", "algorithm", "protocol", "channels"):
        table.add_column(name)
    for choice in one.choices:
        channels = f"{choice.channels[0]} to {choice.channels[1]}" if choice.channels else ""
        table.add_row(
            escape(choice.function or ""),
            str(Size(choice.size_bytes)),
            escape(choice.algorithm),
            escape(choice.protocol),
            channels,
        )
    return table
