"""A lab in a terminal: its devices, and its cables."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from wirespeed.report import wording
from wirespeed.results.lab import DeviceStatus, EndStatus, LabStatus, LinkStatus, Phase

_MOST_MISSING = 3
"""Maximum lines about missing settings of a device; the others are counted."""


def table(lab: LabStatus, console: Console) -> None:
    """Print the lab, its devices and its cables."""
    carrying = sum(link.up for link in lab.links)
    state = f"{lab.phase.value} since {lab.started}" if lab.phase is Phase.UP else f"incomplete ({lab.phase.value})"
    console.print(
        Text(
            wording.line(f"lab {lab.name} of cluster {lab.cluster}: {state}; {carrying} of {len(lab.links)} links up")
        ),
        style="bold",
        soft_wrap=True,
    )
    for fault in lab.faults:
        console.print(Text(wording.line(f"fault: {fault}"), style="bold red"), soft_wrap=True)
    console.print(_build_device_table(lab))
    console.print(_build_link_table(lab))
    for device in lab.devices:
        for line in _list_missing_lines(device):
            console.print(Text(wording.line(line), style="red"), soft_wrap=True)


def _build_device_table(lab: LabStatus) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("device", "role", "namespace", "daemons", "addresses, rules, routes"):
        table.add_column(column, overflow="fold")
    for device in lab.devices:
        cells = (device.name, device.role.value, device.namespace, _format_daemons(device), _settings_cell(device))
        table.add_row(*(wording.line(cell) for cell in cells), style=None if device.whole else "red")
    return table


def _build_link_table(lab: LabStatus) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("cable", "to", "rail", "state", "MTU"):
        table.add_column(column, overflow="fold")
    for link in lab.links:
        rail = "" if link.rail is None else str(link.rail)
        cells = (_end_name(link.a), _end_name(link.b), rail, _format_ends(link, "state"), _format_ends(link, "mtu"))
        table.add_row(*(wording.line(cell) for cell in cells), style=None if link.up else "red")
    return table


def _format_daemons(device: DeviceStatus) -> str:
    ended = [daemon.name for daemon in device.daemons if not daemon.running]
    if ended:
        return f"not running: {', '.join(ended)}"
    return ", ".join(daemon.name for daemon in device.daemons) or "-"


def _settings_cell(device: DeviceStatus) -> str:
    if not device.exists:
        return "no namespace"
    return f"{device.expected - len(device.missing)} of {device.expected}"


def _list_missing_lines(device: DeviceStatus) -> Iterator[str]:
    for line in device.missing[:_MOST_MISSING]:
        yield f"{device.name}: missing {line}"
    if len(device.missing) > _MOST_MISSING:
        yield f"{device.name}: {len(device.missing) - _MOST_MISSING} more missing"


def _end_name(end: EndStatus) -> str:
    """``leaf1:Eth1/1``, and the kernel's name of the interface if it differs."""
    kernel = "" if end.port == end.interface else f" ({end.interface})"
    return f"{end.device}:{end.port}{kernel}"


def _format_ends(link: LinkStatus, field: str) -> str:
    a, b = getattr(link.a, field), getattr(link.b, field)
    return str(a) if a == b else f"{a} | {b}"
