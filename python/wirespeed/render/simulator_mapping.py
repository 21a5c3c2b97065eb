"""What the simulator runs instead of NIC drivers."""

from __future__ import annotations

from collections.abc import Mapping

from wirespeed.platforms import SimulatorMapping, platforms


def simulator_mappings() -> Mapping[str, SimulatorMapping]:
    """By kernel driver; drivers without congestion control in the simulator are left out."""
    known = [one for (kind, _), one in platforms().items() if kind == "nic"]
    return {
        driver: one.simulator_mapping for one in known for driver in one.drivers if one.simulator_mapping is not None
    }
