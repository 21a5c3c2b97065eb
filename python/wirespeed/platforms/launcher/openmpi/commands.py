"""Commands that change one launch setting."""

from __future__ import annotations

from typing import Any

from wirespeed.platforms.launcher.commands import format_line, whole
from wirespeed.platforms.launcher.hosts import HOST_FILE, format_lines
from wirespeed.platforms.model import SettingCommands
from wirespeed.settings import Device, Host, Place


def commands_for(place: Place, path: str, value: Any, device: Device) -> SettingCommands | None:
    """The commands that set a launch setting to its intended value."""
    if not isinstance(device, Host) or place.entities:
        return None
    launch = device.launch
    if path in HOST_FILE and launch.launcher == "mpirun":
        text = format_lines(launch, " slots=")
        return whole("/etc/wirespeed/hostfile", text.split("\n"))
    return format_line("/etc/ucx/ucx.conf", path, launch) if launch.library == "openmpi" else None
