"""Values for the templates of a host with a bridge: lent and borrowed devices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wirespeed.platforms.gpu_addresses import list_gpu_addresses
from wirespeed.platforms.nic.dolphin.parse import SERVICES
from wirespeed.settings import Device, Host


def view(name: str, device: Device) -> Mapping[str, Any]:
    """Loans with their numbers, and the GPUs that the driver lists."""
    if not isinstance(device, Host):
        raise TypeError(f"{name} is no host")
    loans = list(device.loans.items())
    return {
        "lent": [entry for entry in loans if entry[1].borrowed is False],
        "gpu_addresses": list_gpu_addresses(device),
        "borrowed": [entry for entry in loans if entry[1].borrowed],
        "borrowed_gpus": [entry for entry in loans if entry[1] in device.borrowed_gpus],
        "services": SERVICES,
        "lends_gpus": bool(device.lent_gpus),
    }
