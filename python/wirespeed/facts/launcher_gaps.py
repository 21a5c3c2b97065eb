"""Reasons why launch settings were not read, of the planned launcher alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from wirespeed.facts.model import Facts
from wirespeed.settings import Device, Host


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
        own_gaps = tuple(
            gap for gap in device_gaps if not launchers or not gap.launchers or launchers & {*gap.launchers}
        )
        if own_gaps:
            gaps[device, path] = own_gaps
    return replace(facts, gaps=gaps)
