"""Values for the files of NCCL and RCCL, and settings that the files cannot contain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wirespeed.platforms.launcher.gpu_nics import pairing
from wirespeed.platforms.launcher.library_variables import (
    library_variables,
    list_ucx_file_variables,
    list_unsupported_settings,
)
from wirespeed.settings import Device, Host


def view(name: str, device: Device) -> Mapping[str, Any]:
    """Functions for the templates."""
    if not isinstance(device, Host):
        raise TypeError(f"{name} is no host")
    return {
        "problems": list_unsupported_settings(name, device),
        "variables": lambda: library_variables(device.launch),
        "ucx_variables": lambda: list_ucx_file_variables(device.launch),
        "pairing": lambda: list(pairing(device)),
    }
