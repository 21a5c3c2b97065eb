"""Values for the files of Slurm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wirespeed.platforms.launcher import cores
from wirespeed.platforms.launcher.library_variables import environment, export_lines
from wirespeed.settings import Device, Host

_OWN_BINDING = ("mvapich2", "mvapich3")
"""Libraries that bind their ranks themselves, by a variable."""


def view(name: str, device: Device) -> Mapping[str, Any]:
    """Functions for the templates."""
    if not isinstance(device, Host):
        raise TypeError(f"{name} is no host")
    launch = device.launch
    return {
        "starts": launch.launcher == "slurm",
        "names": lambda: [variable for variable, _ in environment(launch)],
        "exported": lambda: export_lines(environment(launch)),
        "binding": cpu_binding(device),
        "plugin": plugin(device),
    }


def plugin(host: Host) -> str:
    """The process management interface of the ranks."""
    return "pmi2" if host.launch.library in _OWN_BINDING else "pmix"


def cpu_binding(host: Host) -> str:
    """Core binding by srun. Its default may bind a rank to one core, which the threads of the library then share."""
    if host.launch.cores is None or host.launch.library in _OWN_BINDING:
        return "none"
    return "mask_cpu:" + ",".join(map(cores.mask, host.launch.cores))
