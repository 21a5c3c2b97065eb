"""One setting of a ConnectX port as commands for root."""

from __future__ import annotations

from typing import Any

from wirespeed.platforms.model import SettingCommands
from wirespeed.platforms.nic.commands import commands_of_setting, join_arguments
from wirespeed.platforms.nic.mlx5.nvm import options, port
from wirespeed.platforms.nic.mlx5.view import lines
from wirespeed.settings import Device, Host, Place, is_address

_NVM = {
    "nic.nvm.rdma": "ROCE_CONTROL",
    "nic.nvm.relaxed_ordering": "PCI_WR_ORDERING",
    "nic.nvm.sriov": "SRIOV_EN",
    "nic.nvm.link_type": "LINK_TYPE",
    "nic.nvm.outstanding_reads": "MAX_ACC_OUT_READ",
}


def commands_for(place: Place, path: str, value: Any, device: Device) -> SettingCommands | None:
    """The commands that set a setting to a value."""
    if not isinstance(device, Host) or place.kind != "nic" or place.name not in device.nics:
        return None
    nic = device.nics[place.name]
    if path in _NVM:
        requested_values = [option for option in options(nic) if option.key.startswith(_NVM[path])]
        card = nic.pcie if is_address(nic.pcie) else place.name
        commands = tuple(
            join_arguments(
                "mlxconfig", "-y", "-d", card, "set", f"{parameter.key.format(port=port(nic))}={parameter.value}"
            )
            for parameter in requested_values
        )
        return (
            SettingCommands(commands, "takes effect after mlxfwreset or a reboot, which takes the link down")
            if commands
            else None
        )
    commands = commands_of_setting(lines(place.name, nic), path)
    return (
        SettingCommands(commands, "priorities and traffic classes of the port change under running traffic")
        if commands
        else None
    )
