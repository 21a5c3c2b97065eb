"""Reasons why launch settings were not read, of the planned launcher alone."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace

from wirespeed.facts.model import Facts, Gap
from wirespeed.settings import Device, Host

_WITHOUT_HOST_FILE = "slurm"  # it selects the hosts of a job itself
_ONLY_IN_HOST_FILE = ("host.launch.hosts", "host.launch.other_ranks")
"""Settings that such a launcher reads from no file."""


def drop_other_launchers(facts: Facts, devices: Mapping[str, Device]) -> Facts:
    """Facts without the gaps of commands that show another library or launcher than the planned one of the host.

    The commands of all launchers run on every host, because none of them shows which one is in use. Under a launcher
    that selects hosts itself, the settings of host files are automatic.
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
    automatic = facts.automatic.union(
        (device, path)
        for device, launchers in planned.items()
        for path in _ONLY_IN_HOST_FILE
        if _WITHOUT_HOST_FILE in launchers
    )
    return replace(facts, gaps=gaps, automatic=automatic)


def _is_of_launcher(gap: Gap, launchers: Set[str | None]) -> bool:
    """Whether a command shows settings of the planned library or launcher."""
    if gap.is_host_file and _WITHOUT_HOST_FILE in launchers:
        return False
    return not gap.launchers or bool(launchers & {*gap.launchers})
