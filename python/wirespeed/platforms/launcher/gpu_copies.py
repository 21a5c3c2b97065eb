"""Programs that copy between the GPUs of a host, by the vendor of the GPUs.

nvbandwidth runs all its tests without options (NVIDIA/nvbandwidth README), p2pBandwidthLatencyTest of the CUDA samples
has none that a first look needs; TransferBench has the presets p2p and a2a (ROCm/TransferBench, src/client/Presets).
"""

from __future__ import annotations

_PROGRAMS: dict[str, tuple[tuple[str, ...], ...]] = {
    "nvidia": (("nvbandwidth",), ("p2pBandwidthLatencyTest",)),
    "amd": (("TransferBench", "p2p"), ("TransferBench", "a2a")),
}


def list_gpu_copies(vendor: str) -> tuple[tuple[str, ...], ...]:
    """The programs with their options; () for a vendor of whose GPUs none is known. ``vendor``: as in the catalogue."""
    return _PROGRAMS.get(vendor, ())
