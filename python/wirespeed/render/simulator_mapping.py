"""What the simulator runs in place of NICs, in the words of their platforms."""

from __future__ import annotations

from collections.abc import Mapping

from wirespeed.platforms import SimulatorMapping, platforms


def simulator_mappings() -> Mapping[str, SimulatorMapping]:
    """By kernel driver; drivers of which the simulator knows no congestion control are not in it."""
    known = [one for (kind, _), one in platforms().items() if kind == "nic"]
    return {
        driver: one.simulator_mapping for one in known for driver in one.drivers if one.simulator_mapping is not None
    }
