"""Kernel modules by purpose, from the catalogue."""

from __future__ import annotations

from wirespeed.checks.model import Here


def drives_gpu(here: Here) -> bool:
    """Whether this module drives a GPU."""
    return here.place.name in {gpu.module for gpu in here.plan.hardware.gpus.values()}


def is_peer_memory(here: Here) -> bool:
    """Whether a NIC reaches GPU memory by this module; some kernels have it built in."""
    return here.place.name in {nic.peer_memory for nic in here.plan.hardware.nics.values()}
