"""Devices and cables of a plan, for reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wirespeed.plan import Plan
    from wirespeed.results.topology import Topology


def build_topology(plan: Plan) -> Topology:
    """Build the topology: nodes and edges in the order of the plan."""
    from wirespeed.results.topology import Edge, Node, Topology

    return Topology(
        tuple(Node(name, plan.roles[name], device.model or "unknown model") for name, device in plan.devices.items()),
        tuple(
            Edge(cable.a.device, cable.a.port, cable.b.device, cable.b.port, str(cable.speed), cable.rail)
            for cable in plan.cables
        ),
    )
