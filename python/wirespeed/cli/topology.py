"""Devices and cables of a plan, for reports."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wirespeed.plan import Plan
    from wirespeed.results.topology import Topology
    from wirespeed.settings import Device, Host, Nic

_LISTED = 3
"""GPUs or NICs of a socket up to this number are named, more are counted."""


def build_topology(plan: Plan) -> Topology:
    """Build the topology: nodes and edges in the order of the plan."""
    from wirespeed.report.picture import DETAILED
    from wirespeed.results.topology import Edge, Node, Topology
    from wirespeed.settings import Host

    def list_parts(name: str, device: Device) -> tuple[str, ...]:
        return tuple(_list_parts(plan, name, device)) if isinstance(device, Host) and is_detailed else ()

    is_detailed = len(plan.devices) <= DETAILED
    return Topology(
        tuple(
            Node(name, plan.roles[name], device.model or "unknown model", list_parts(name, device))
            for name, device in plan.devices.items()
        ),
        tuple(
            Edge(cable.a.device, cable.a.port, cable.b.device, cable.b.port, str(cable.speed), cable.rail)
            for cable in plan.cables
        ),
    )


def _list_parts(plan: Plan, name: str, host: Host) -> Iterator[str]:
    """GPUs and NICs by socket, borrowed GPUs, and the Ethernet interfaces beside the fabric."""
    numbers = {ntb.node_id: host_name for host_name, device in plan.hosts.items() for ntb in device.ntbs.values()}
    borrowers = {loan.device: numbers.get(loan.peer) for loan in host.loans.values() if not loan.borrowed}
    gpus: dict[int | None, list[str]] = {}
    for gpu_name, gpu in host.gpus.items():
        borrower = borrowers.get(gpu.pcie)
        gpus.setdefault(_find_socket(host, gpu.pcie), []).append(
            f"{gpu_name} (lent to {borrower})" if borrower else gpu_name
        )
    nics: dict[int | None, list[str]] = {}
    bridge = " (PCIe bridge)" if host.ntbs else ""
    for interface, nic in host.nics.items():
        if nic.model is not None:
            nics.setdefault(_find_socket(host, nic.pcie), []).append(f"{interface}{bridge}")
    for socket in sorted({*gpus, *nics}, key=lambda number: -1 if number is None else number):
        parts = [*_shorten(gpus.get(socket, ()), "GPUs"), *_shorten(nics.get(socket, ()), "NICs")]
        yield f"{'' if socket is None else f'socket {socket}: '}{', '.join(parts)}"
    borrowed = Counter((numbers.get(loan.peer), loan.gpu is not False) for loan in host.loans.values() if loan.borrowed)
    for (lender, is_gpu), count in borrowed.items():
        noun = "GPU" if is_gpu else "other device"
        yield f"borrowed: {count} {noun if count == 1 else f'{noun}s'} of {lender}"
    for interface, nic in host.nics.items():
        if nic.model is None and nic.addresses:
            yield f"{_name_ethernet(host, interface, nic)}: {', '.join(nic.addresses)}"


def _find_socket(host: Host, address: str | None) -> int | None:
    function = host.pcie.get(address or "")
    return function.socket if function else None


def _shorten(names: Sequence[str], kind: str) -> Sequence[str]:
    return names if len(names) <= _LISTED else (f"{len(names)} {kind}",)


def _name_ethernet(host: Host, interface: str, nic: Nic) -> str:
    ports = [name for name, port in host.nics.items() if port.controller == interface]
    return f"{interface} ({' + '.join(ports)})" if nic.bond.mode is not None else interface
