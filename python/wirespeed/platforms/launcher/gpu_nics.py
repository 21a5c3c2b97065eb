"""Which NIC serves which GPU, as benchmarks name them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wirespeed.settings import Host


@dataclass(frozen=True, slots=True)
class Pair:
    """A NIC and the GPU it serves, as perftest names them."""

    rail: int
    rdma_device: str
    gpu: int | None
    interface: str
    address: str | None


def pairing(host: Host) -> Iterator[Pair]:
    """NICs in rail order with the GPU each serves."""
    for interface, nic in sorted(host.nics.items(), key=lambda entry: (entry[1].rail or 0, entry[0])):
        if nic.rail is None or nic.rdma_device is None:
            continue
        address = nic.addresses[0].partition("/")[0] if nic.addresses else None
        gpu = int(nic.gpu.removeprefix("GPU")) if nic.gpu else None
        yield Pair(nic.rail, nic.rdma_device, gpu, interface, address)
