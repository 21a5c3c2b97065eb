"""The receive buffer of a simulated NIC port: its headroom above XOFF, and its pause thresholds."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.plan import Cable, Plan
from wirespeed.plan.headroom import headroom
from wirespeed.settings import Nic
from wirespeed.simulation import scenario_types as form
from wirespeed.units import Length


@dataclass(frozen=True, slots=True)
class PauseThresholds:
    """The sizes that a NIC port's receive buffer needs for its pauses, bytes."""

    headroom: int
    """Bytes of all lossless priorities that still arrive after an XOFF."""
    mtu: int

    @property
    def minimum_bytes(self) -> int:
        """The smallest buffer whose XON threshold is not negative."""
        return self.headroom + self.mtu

    def pipe(self, size: int) -> form.Pipe:
        """A buffer of this size: XOFF when only the headroom remains, XON one MTU below.

        Linux does the same for NVIDIA (drivers/net/ethernet/mellanox/mlx5/core/en/port_buffer.c,
        update_xoff_threshold).
        """
        xoff = size - self.headroom
        xon = xoff - self.mtu
        return {"receive_buffer_bytes": max(size, 0), "xoff_bytes": max(xoff, 0), "xon_bytes": max(xon, 0)}


def pause_thresholds(plan: Plan, nic: Nic, cable: Cable) -> PauseThresholds:
    """The thresholds of a NIC port with its planned cable."""
    lossless, mtu = len(nic.qos.pfc or ()) or 1, nic.link.mtu or 0
    model = plan.hardware.cables.get(cable.cable or "")
    headroom_bytes = int(headroom(cable.speed, cable.length or Length(0), mtu, lossless, cable=model).size)
    return PauseThresholds(lossless * headroom_bytes, mtu)
