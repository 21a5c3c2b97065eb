"""Values for the files of Open MPI and UCX."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from wirespeed.platforms.core_lists import format_core_list
from wirespeed.platforms.launcher.gpu_nics import pairing
from wirespeed.platforms.launcher.hosts import format_lines
from wirespeed.platforms.launcher.library_variables import (
    environment,
    export_lines,
    library_variables,
    list_ucx_file_variables,
    list_unsupported_settings,
)
from wirespeed.platforms.launcher.openmpi.job import AS_ROOT, OVER_UCX
from wirespeed.settings import Device, Host


def view(name: str, device: Device) -> Mapping[str, Any]:
    """Functions for the templates. Without ``starts`` another launcher runs the library's jobs."""
    if not isinstance(device, Host):
        raise TypeError(f"{name} is no host")
    launch = device.launch
    return {
        "as_root": shlex.join(AS_ROOT),
        "over_ucx": shlex.join(OVER_UCX),
        "problems": list_unsupported_settings(name, device),
        "starts": launch.launcher == "mpirun",
        "variables": lambda: library_variables(launch),
        "ucx_variables": lambda: list_ucx_file_variables(launch),
        "names": lambda: [variable for variable, _ in environment(launch)],
        "exported": lambda: export_lines(environment(launch)),
        "hostfile": lambda: format_lines(launch, " slots="),
        "ranks": lambda: [format_core_list(rank) for rank in launch.cores or ()],
        "pairing": lambda: list(pairing(device)),
    }
