"""The simulator's equivalents of NIC drivers."""

from __future__ import annotations

from collections.abc import Mapping

from wirespeed.platforms import SimulatorMapping, platforms


def simulator_mappings() -> Mapping[str, SimulatorMapping]:
    """The equivalents by kernel driver, without drivers whose congestion control the simulator lacks."""
    nic_platforms = [platform for (kind, _), platform in platforms().items() if kind == "nic"]
    return {
        driver: platform.simulator_mapping
        for platform in nic_platforms
        for driver in platform.drivers
        if platform.simulator_mapping is not None
    }
