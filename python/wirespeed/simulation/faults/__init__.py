"""Faults of a traffic file, applied to a plan and a scenario."""

from wirespeed.simulation.faults.places import check, list_unknown_places
from wirespeed.simulation.faults.rules import CableFault, Rules, build_rules
from wirespeed.simulation.faults.settings import find_priority, wrongly_set
from wirespeed.simulation.faults.wiring import exchange_ports, turn_cables

__all__ = [
    "CableFault",
    "Rules",
    "build_rules",
    "check",
    "exchange_ports",
    "find_priority",
    "list_unknown_places",
    "turn_cables",
    "wrongly_set",
]
