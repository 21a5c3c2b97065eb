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

    @property
    def is_held(self) -> bool:
        """Whether its queue grew because the next device paused it: nothing was marked or dropped."""
        return self.paused_us > 0 and not self.ecn_marks and not self.drops
