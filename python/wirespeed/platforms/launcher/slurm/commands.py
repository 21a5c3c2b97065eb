"""Commands that change one launch setting."""

from __future__ import annotations

from typing import Any

from wirespeed.platforms.model import SettingCommands
from wirespeed.settings import Device, Host, Place

_FILE = "/etc/systemd/system/slurmd.service.d/90-wirespeed.conf"


def commands_for(place: Place, path: str, value: Any, device: Device) -> SettingCommands | None:
    """The commands that set a launch setting to its intended value."""
    if not isinstance(device, Host) or place.entities or path != "host.launch.memlock" or value != "unlimited":
        return None
    return SettingCommands(
        (
            "mkdir -p /etc/systemd/system/slurmd.service.d",
            f"printf '%s\\n' '[Service]' LimitMEMLOCK=infinity > {_FILE}",
            "systemctl daemon-reload",
            "systemctl try-restart slurmd.service",
        ),
        "slurmd restarts; running jobs keep the limits they started with",
    )
