"""What a traffic file lets go wrong, put on a plan and into a scenario."""

from wirespeed.simulation.faults.places import check
from wirespeed.simulation.faults.rules import CableFault, Rules, rules_of
from wirespeed.simulation.faults.settings import priority_of, wrongly_set
from wirespeed.simulation.faults.wiring import exchange_ports, turn_cables

__all__ = ["CableFault", "Rules", "check", "exchange_ports", "priority_of", "rules_of", "turn_cables", "wrongly_set"]
