"""Configured cable lengths against those of the planned cables."""

from __future__ import annotations

from wirespeed.settings import Switch
from wirespeed.units import Length

_METRE = Length.from_unit(1, "m")


def find_longest_cable(switch: Switch) -> Length:
    """The longest planned cable length of the ports; 0 if none is known."""
    lengths = [port.cable_length for port in switch.ports.values() if port.cable_length is not None]
    return max(lengths, default=Length(0))


def exceeds_cable(configured: Length, longest: Length) -> bool:
    """Whether a port is configured for a longer cable than any of its switch. Switches take whole metres."""
    return configured >= longest + _METRE
