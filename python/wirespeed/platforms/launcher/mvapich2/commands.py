"""Commands that change one launch setting."""

from __future__ import annotations

from typing import Any

from wirespeed.platforms.launcher.commands import format_line, whole
from wirespeed.platforms.launcher.hosts import HOST_FILE, format_lines
from wirespeed.platforms.model import SettingCommands
from wirespeed.settings import Device, Host, Place


def commands_for(place: Place, path: str, value: Any, device: Device) -> SettingCommands | None:
    """The commands that set a launch setting to its intended value."""
    if not isinstance(device, Host) or place.entities or device.launch.library != "mvapich2":
        return None
    launch = device.launch
    if path in HOST_FILE and launch.launcher != "slurm":
        return whole("/etc/wirespeed/mvapich2-hosts", format_lines(launch, ":").split("\n"))
    return format_line("/etc/mvapich2.conf", path, launch, " = ")
