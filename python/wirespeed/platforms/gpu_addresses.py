"""The PCIe addresses of the GPUs that the driver of a host lists: its own ones and those that it borrows."""

from __future__ import annotations

from wirespeed.settings import Host, is_address

_FIRST_DEVICE = 4
"""The borrowed GPU of a published host is at 03:04.0, its own ones at 05:00.0 and 85:00.0 (Johansen, Fast Multi-GPU
communication over PCI Express, section 3.2.6)."""


def list_gpu_addresses(host: Host) -> tuple[str, ...]:
    """The addresses of all GPUs that a host can use, the borrowed ones last."""
    own_addresses = _list_own_addresses(host)
    return (*own_addresses, *list_borrowed_addresses(host))[: host.usable_gpus]


def list_borrowed_addresses(host: Host) -> tuple[str, ...]:
    """The addresses of the GPUs that a host borrows, on a separate bus: as many as it can use besides its own GPUs."""
    own_addresses = _list_own_addresses(host)
    loans = len(host.borrowed_gpus)
    count = loans if host.usable_gpus is None else max(host.usable_gpus - len(own_addresses), 0)
    buses = [int(address.split(":")[1], 16) for address in (*host.pcie, *own_addresses) if is_address(address)]
    bus = min(max(buses, default=0) + 1, 0xFF)
    return tuple(f"0000:{bus:02x}:{_FIRST_DEVICE + position:02x}.0" for position in range(count))


def _list_own_addresses(host: Host) -> list[str]:
    return [gpu.pcie for gpu in host.gpus.values() if is_address(gpu.pcie)]
