"""Communicators in NCCL debug lines, one paragraph each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from rich.table import Table

from wirespeed.cli.bench_table import format_causes
from wirespeed.cli.console import escape, standard_output
from wirespeed.report.wording import plural
from wirespeed.results.nccl import MIXED_LINKS, Communicator, NcclNic, NcclPath, NcclWarning, describe_mixed_links
from wirespeed.units import Size


def show(communicator: Communicator, explained: Collection[str] = (), errors: Collection[str] = ()) -> None:
    """Print one communicator; ``explained`` are failures whose titles are printed with its run, ``errors`` their texts.

    A warning that is printed as the error of a run is not repeated.
    """
    size = f", {communicator.ranks} ranks" if communicator.ranks is not None else ""
    nodes = f" on {communicator.nodes} nodes" if communicator.nodes is not None else ""
    library = escape(f"{communicator.library} {communicator.version}" if communicator.version else "NCCL or RCCL")
    standard_output().print(
        f"[bold]{library} communicator{size}{nodes}[/]  {_format_state(communicator)}", soft_wrap=True
    )
    for name, value in _list_rows(communicator):
        standard_output().print(f"  {name}: {escape(value)}", soft_wrap=True)
    for warning in communicator.warnings:
        if _is_printed(warning, errors):
            continue
        times = f" ({warning.count} times)" if warning.count > 1 else ""
        style = "red" if warning.fatal else "yellow"
        standard_output().print(
            f"  [{style}]{escape(warning.host or 'warning')}[/] {escape(warning.text)}{times}", soft_wrap=True
        )
    for conflict in communicator.conflicts:
        values = ", ".join(conflict.values)
        text = escape(f"{conflict.variable} differs between processes ({values}): {conflict.effect}")
        standard_output().print(f"  [yellow]WARN[/] {text}", soft_wrap=True)
        standard_output().print(f"       fix: {escape(conflict.fix)}", soft_wrap=True)
    mixed_links = describe_mixed_links(communicator.nics)
    if mixed_links is not None:
        standard_output().print(f"  [yellow]WARN[/] {escape(mixed_links)}", soft_wrap=True)
    lists = (
        *(warning.failures for warning in communicator.warnings),
        MIXED_LINKS if mixed_links is not None else (),
        *(conflict.failures for conflict in communicator.conflicts),
    )
    failures = dict.fromkeys(failure for failures in lists for failure in failures)
    for line in format_causes([failure for failure in failures if failure not in explained]):
        standard_output().print(f"  {line}", soft_wrap=True)
    if communicator.paths:
        standard_output().print(_build_path_table(communicator))
    if communicator.choices:
        standard_output().print(_build_choice_table(communicator))
    standard_output().print()


def repeats_errors(communicator: Communicator, errors: Collection[str]) -> bool:
    """Whether a communicator contains only warnings that are printed as errors of runs, as a pasted one does."""
    has_more = any(_list_rows(communicator)) or communicator.conflicts or communicator.paths or communicator.choices
    warnings = communicator.warnings
    return (
        not has_more
        and bool(warnings)
        and all(warning.count == 1 and _is_printed(warning, errors) for warning in warnings)
    )


def _is_printed(warning: NcclWarning, errors: Collection[str]) -> bool:
    text = f"{warning.host}: {warning.text}" if warning.host else warning.text
    return any(text in error for error in errors)


def _format_state(communicator: Communicator) -> str:
    fatal = sum(error.count for error in communicator.fatal_errors)
    if fatal:
        return f"[red]failed: {plural(fatal, 'fatal error')}[/]"
    if communicator.complete:
        return "[green]initialized[/]"
    return f"[yellow]initialization log incomplete{'' if communicator.ranks is not None else ' (ranks unknown)'}[/]"


def _format_device(nic: NcclNic) -> str:
    properties = [word for word in (nic.link, "SHARP" if nic.sharp else None) if word]
    return f"{nic.name} ({', '.join(properties)})" if properties else nic.name


def _list_rows(communicator: Communicator) -> Iterator[tuple[str, str]]:
    network = [communicator.network, *communicator.plugins]
    if any(network):
        yield "network", ", ".join(word for word in network if word)
    if communicator.tuner is not None:
        yield "tuner", communicator.tuner
    nics = dict.fromkeys(_format_device(nic) for nic in communicator.nics)
    if nics:
        yield "NICs", ", ".join(nics)
    if communicator.gdrdma is not None:
        network_connections = sum(path.connections for path in communicator.paths if path.gdrdma is not None)
        direct = sum(path.connections for path in communicator.paths if path.gdrdma)
        yield "GPUDirect RDMA", f"{direct} of {network_connections} connections"
    counts = (
        ("collectives", communicator.channels),
        ("NVLS", communicator.nvls_channels),
        ("point-to-point", communicator.p2p_channels),
    )
    channels = [f"{count} for {name}" for name, count in counts if count]
    if channels:
        yield "channels", ", ".join(channels)
    if communicator.rings or communicator.trees:
        counts_of_graphs = (plural(len(communicator.rings), "ring"), plural(len(communicator.trees), "tree"))
        yield "graph", ", ".join(counts_of_graphs)
    for name, numbers in (("GID index", communicator.gid_indices), ("path MTU", communicator.path_mtus)):
        if numbers:
            yield name, ", ".join(str(number) for number in numbers)
    if communicator.traffic_class is not None:
        yield "traffic class", str(communicator.traffic_class)
    if communicator.environment:
        yield "environment", "  ".join(f"{name}={value}" for name, value in communicator.environment.items())
    conflicting = {conflict.variable for conflict in communicator.conflicts}
    for variable, values in communicator.differing_environment.items():
        if variable not in conflicting:
            yield f"{variable} differs between processes", ", ".join(values)


def _build_path_table(communicator: Communicator) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("host", "transport", "NIC", "direction", "GPUDirect RDMA"):
        table.add_column(name)
    table.add_column("connections", justify="right")
    names = {(nic.host, nic.device): nic.name for nic in communicator.nics}
    for path in communicator.paths:
        gdrdma = {True: "yes", False: "no", None: ""}[path.gdrdma]
        device = _format_nic(path, names)
        table.add_row(
            escape(path.host), escape(path.transport), device, path.direction or "", gdrdma, str(path.connections)
        )
    return table


def _format_nic(path: NcclPath, names: Mapping[tuple[str, int], str]) -> str:
    """``mlx5_0 (NIC 0)``; only the number if the log does not list the NICs."""
    if path.device is None:
        return ""
    name = names.get((path.host, path.device))
    nic = f"{name} (NIC {path.device})" if name else f"NIC {path.device}"
    return escape(f"{nic} through another GPU (PXN)" if path.forwarded else nic)


def _format_channels(first: int, last: int) -> str:
    """``2 (0 to 1)``: the count of channels and their numbers."""
    return f"1 ({first})" if first == last else f"{last - first + 1} ({first} to {last})"


def _build_choice_table(communicator: Communicator) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("function", "size", "algorithm", "protocol", "channels"):
        table.add_column(name)
    for choice in communicator.choices:
        channels = _format_channels(*choice.channels) if choice.channels else ""
        table.add_row(
            escape(choice.function or ""),
            str(Size(choice.size_bytes)),
            escape(choice.algorithm),
            escape(choice.protocol),
            channels,
        )
    return table
