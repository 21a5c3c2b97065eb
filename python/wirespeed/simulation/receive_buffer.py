"""The receive buffer of a simulated NIC port: what must fit above XOFF, and when it asks for pauses."""

from __future__ import annotations

from wirespeed.plan import Cable, Plan
from wirespeed.plan.headroom import headroom
from wirespeed.settings import Nic
from wirespeed.simulation.nics import Tree
from wirespeed.units import Length


def arriving(plan: Plan, nic: Nic, cable: Cable) -> int:
    """Bytes of one lossless priority that still arrive after an XOFF."""
    lossless = len(nic.qos.pfc or ()) or 1
    model = plan.hardware.cables.get(cable.cable or "")
    return int(headroom(cable.speed, cable.length or Length(0), nic.link.mtu or 0, lossless, cable=model).size)


def pausing(size: int, above: int, mtu: int) -> Tree:
    """A buffer of so many bytes: XOFF where no more than the headroom ``above`` is left, XON an MTU below.

    As Linux sets NVIDIA's (drivers/net/ethernet/mellanox/mlx5/core/en/port_buffer.c, update_xoff_threshold).
    """
    return {"receive_buffer_bytes": size, "xoff_bytes": size - above, "xon_bytes": size - above - mtu}
