"""Commands that change one launch setting."""

from __future__ import annotations

from typing import Any

from wirespeed.platforms.launcher.commands import format_line
from wirespeed.platforms.model import SettingCommands
from wirespeed.settings import Device, Host, Place


def commands_for(place: Place, path: str, value: Any, device: Device) -> SettingCommands | None:
    """The commands that set a launch setting to its intended value."""
    if not isinstance(device, Host) or place.entities or device.launch.library not in ("nccl", "rccl"):
        return None
    return format_line(f"/etc/{device.launch.library}.conf", path, device.launch)
