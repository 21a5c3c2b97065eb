"""Lanes of the switch port

The port runs over the planned number of electrical lanes.

Impact:
    Both ends of a link need the same number of lanes at the same speed: with another one the link stays down.

Fix:
    Set speed and lanes of the port in one command.

Example:
    interface Ethernet1/1
       speed 200g-2

Source:
    IEEE 802.3, 200GBASE-CR2 and 200GBASE-CR4; Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA:
    speed 200g-4
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, InapplicableError, Outcome
from wirespeed.settings import Port

subject = Port
needs = ("port.link.lanes", "port.link.speed")
failures = ("NIC-06", "CAB-04")
causes = ("port.speed",)
_compare = compare(
    "port.link.lanes",
    wrong="the port is configured with another number of lanes than planned",
    fix="set speed and lanes of the port",
    consequence="link flap",
)


def check(context: CheckContext) -> Outcome:
    """A configuration without lanes leaves them to switch and transceiver; the speed is compared by port.speed."""
    context.get_intended_value("port.link.lanes")
    is_speed_read = context.facts.reading(context.place, "port.link.speed") is not None
    if is_speed_read and context.facts.reading(context.place, "port.link.lanes") is None:
        raise InapplicableError("the configuration leaves the lanes to the switch")
    return _compare(context)
