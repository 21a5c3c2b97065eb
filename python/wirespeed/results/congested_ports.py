"""The switch ports with the most congestion in a simulation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CongestedPort:
    """One port with all its priorities; ``port`` and ``peer`` have the form DEVICE:PORT."""

    port: str
    peer: str
    max_queue_bytes: int
    ecn_marks: int
    drops: int
    paused_us: float
    """Pause time of its longest paused priority."""
