"""One setting of a NIC as commands for root."""

from __future__ import annotations

from typing import Any

from wirespeed.platforms.model import SettingCommands
from wirespeed.platforms.nic.commands import commands_of_setting
from wirespeed.platforms.nic.dcb.view import lines
from wirespeed.settings import Device, Host, Place


def commands_for(place: Place, path: str, value: Any, device: Device) -> SettingCommands | None:
    """The commands that set a setting to a value."""
    if not isinstance(device, Host) or place.kind != "nic" or place.name not in device.nics:
        return None
    commands = commands_of_setting(lines(place.name, device.nics[place.name]), path)
    return (
        SettingCommands(commands, "priorities and traffic classes of the port change under running traffic")
        if commands
        else None
    )
