"""Kernel modules by purpose, from the catalogue."""

from __future__ import annotations

from wirespeed.checks.model import CheckContext


def drives_gpu(context: CheckContext) -> bool:
    """Whether this module drives a GPU."""
    return context.place.name in {gpu.module for gpu in context.plan.hardware.gpus.values()}


def is_peer_memory(context: CheckContext) -> bool:
    """Whether a NIC reaches GPU memory by this module; some kernels have it built in."""
    return context.place.name in {nic.peer_memory for nic in context.plan.hardware.nics.values()}


def has_service(context: CheckContext) -> bool:
    """Whether a service of the vendor loads this module."""
    module = context.plan.hosts[context.place.device].modules.get(context.place.name)
    return module is not None and module.service is not None
