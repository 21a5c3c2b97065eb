"""The switch ports at which a simulation had most congestion."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CongestedPort:
    """One port, all its priorities together; ``port`` and ``peer`` are named DEVICE:PORT."""

    port: str
    peer: str
    max_queue_bytes: int
    ecn_marks: int
    drops: int
    paused_us: float
    """Of its longest paused priority."""
