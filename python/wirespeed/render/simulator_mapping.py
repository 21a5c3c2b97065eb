"""What the simulator runs instead of NIC drivers."""

from __future__ import annotations

from collections.abc import Mapping

from wirespeed.platforms import SimulatorMapping, platforms


def simulator_mappings() -> Mapping[str, SimulatorMapping]:
    """By kernel driver; drivers without congestion control in the simulator are left out."""
    known = [platform for (kind, _), platform in platforms().items() if kind == "nic"]
    return {
        driver: platform.simulator_mapping
        for platform in known
        for driver in platform.drivers
        if platform.simulator_mapping is not None
    }
