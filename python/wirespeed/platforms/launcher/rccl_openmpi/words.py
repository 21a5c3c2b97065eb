"""One launch setting as what to type."""

from __future__ import annotations

import shlex
from typing import Any

from wirespeed.platforms.launcher.rccl_openmpi.view import hostfile, rccl
from wirespeed.platforms.model import Worded
from wirespeed.settings import Device, Host, Place

_VARIABLES = {
    "host.launch.rdma_devices": "NCCL_IB_HCA",
    "host.launch.gid_index": "NCCL_IB_GID_INDEX",
    "host.launch.dscp": "NCCL_IB_TC",
    "host.launch.control_interface": "NCCL_SOCKET_IFNAME",
}


def word(place: Place, path: str, value: Any, device: Device) -> Worded | None:
    """The commands that give a launch setting its intended value."""
    if not isinstance(device, Host) or place.within:
        return None
    if path in ("host.launch.hosts", "host.launch.ranks_per_host"):
        lines = hostfile(device.launch.hosts or (), device.launch.ranks_per_host or 1).split("\n")
        return Worded((f"printf '%s\\n' {shlex.join(lines)} > /etc/wirespeed/hostfile",), "acts on the next job")
    variable = _VARIABLES.get(path)
    said = dict(rccl(place.device, device.launch))
    if variable not in said:
        return None
    line = shlex.quote(f"{variable}={said[variable]}")
    commands = (f"sed -i '/^{variable}=/d' /etc/rccl.conf", f"echo {line} >> /etc/rccl.conf")
    return Worded(commands, "acts on the next job")
