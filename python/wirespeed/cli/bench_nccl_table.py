"""Communicators in NCCL debug lines, one paragraph each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.markup import escape
from rich.table import Table

from wirespeed.cli.console import standard_output
from wirespeed.results.nccl import Communicator, NcclPath
from wirespeed.units import Size


def show(communicator: Communicator) -> None:
    """Print one communicator."""
    size = f", {communicator.ranks} ranks" if communicator.ranks is not None else ""
    nodes = f" on {communicator.nodes} nodes" if communicator.nodes is not None else ""
    state = (
        "[green]initialized[/]"
        if communicator.complete
        else f"[yellow]initialization log incomplete{'' if communicator.ranks is not None else ' (ranks unknown)'}[/]"
    )
    library = escape(f"{communicator.library} {communicator.version}" if communicator.version else "NCCL or RCCL")
    standard_output().print(f"[bold]{library} communicator{size}{nodes}[/]  {state}", soft_wrap=True)
    for name, value in _rows(communicator):
        standard_output().print(f"  {name}: {escape(value)}", soft_wrap=True)
    for warning in communicator.warnings:
        times = f" ({warning.count} times)" if warning.count > 1 else ""
        causes = f" [dim]see `wirespeed explain {' '.join(warning.failures)}`[/]" if warning.failures else ""
        standard_output().print(
            f"  [yellow]{escape(warning.host)}[/] {escape(warning.text)}{times}{causes}", soft_wrap=True
        )
    if communicator.paths:
        standard_output().print(_paths(communicator.paths))
    if communicator.choices:
        standard_output().print(_choices(communicator))
    standard_output().print()


def _rows(communicator: Communicator) -> Iterator[tuple[str, str]]:
    network = [communicator.network, *communicator.plugins]
    if any(network):
        yield "network", ", ".join(word for word in network if word)
    nics = dict.fromkeys(f"{nic.name}{f' ({nic.link})' if nic.link else ''}" for nic in communicator.nics)
    if nics:
        yield "NICs", ", ".join(nics)
    if communicator.gdrdma is not None:
        over = sum(path.connections for path in communicator.paths if path.gdrdma is not None)
        direct = sum(path.connections for path in communicator.paths if path.gdrdma)
        yield "GPUDirect RDMA", f"{direct} of {over} connections"
    counts = (
        ("collectives", communicator.channels),
        ("NVLS", communicator.nvls_channels),
        ("point-to-point", communicator.p2p_channels),
    )
    channels = [f"{count} for {name}" for name, count in counts if count]
    if channels:
        yield "channels", ", ".join(channels)
    if communicator.rings or communicator.trees:
        yield "rings, trees", f"{len(communicator.rings)}, {len(communicator.trees)}"
    for name, numbers in (("GID index", communicator.gid_indices), ("path MTU", communicator.path_mtus)):
        if numbers:
            yield name, ", ".join(str(number) for number in numbers)
    if communicator.traffic_class is not None:
        yield "traffic class", str(communicator.traffic_class)
    if communicator.environment:
        yield "environment", "  ".join(f"{name}={value}" for name, value in communicator.environment.items())
    for variable, values in communicator.differing_environment.items():
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


def _choices(communicator: Communicator) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("function", "size", "algorithm", "protocol", "channels"):
        table.add_column(name)
    for choice in communicator.choices:
        channels = f"{choice.channels[0]} to {choice.channels[1]}" if choice.channels else ""
        table.add_row(
            escape(choice.function or ""),
            str(Size(choice.size_bytes)),
            escape(choice.algorithm),
            escape(choice.protocol),
            channels,
        )
    return table
