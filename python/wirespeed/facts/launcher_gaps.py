"""Reasons why launch settings were not read, of the planned launcher alone."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace

from wirespeed.facts.model import Facts, Gap
from wirespeed.settings import Device, Host

_WITHOUT_HOST_FILE = "slurm"  # it selects the hosts of a job itself


def drop_other_launchers(facts: Facts, devices: Mapping[str, Device]) -> Facts:
    """Facts without the gaps of commands that show another library or launcher than the planned one of the host.

    The commands of all launchers run on every host, because none of them shows which one is in use.
    """
    planned = {
        name: {device.launch.library, device.launch.launcher}
        for name, device in devices.items()
        if isinstance(device, Host) and device.launch.library is not None
    }
    gaps = {}
    for (device, path), device_gaps in facts.gaps.items():
        launchers = planned.get(device)
        own_gaps = tuple(gap for gap in device_gaps if launchers is None or _is_of_launcher(gap, launchers))
        if own_gaps:
            gaps[device, path] = own_gaps
    return replace(facts, gaps=gaps)


def _is_of_launcher(gap: Gap, launchers: Set[str | None]) -> bool:
    """Whether a command shows settings of the planned library or launcher."""
    if gap.is_host_file and _WITHOUT_HOST_FILE in launchers:
        return False
    return not gap.launchers or bool(launchers & {*gap.launchers})
