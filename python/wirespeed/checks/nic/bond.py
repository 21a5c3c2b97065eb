"""Bond and its ports

A bond has the planned mode and link monitoring, and each planned port belongs to it.

Impact:
    A port outside the bond, or a bond without link monitoring, gives no redundancy: when the active port fails, the
    host loses its connection. With another mode the switch and the host may not agree which port carries a packet.

Fix:
    Apply the rendered network configuration.

Example:
    $ ip -d link show bond0
    4: bond0: <BROADCAST,MULTICAST,MASTER,UP,LOWER_UP> mtu 1500 ...
        bond mode balance-rr miimon 0 ...

Source:
    A. K. Johansen, Fast Multi-GPU communication over PCI Express, A.3.7; Linux kernel, networking/bonding.rst
"""

from dataclasses import replace

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, Outcome, UnreadError
from wirespeed.results.findings import Status
from wirespeed.settings import Nic, Place

subject = Nic
needs = ("nic.bond.mode", "nic.bond.monitor", "nic.controller", "host.nics")
failures = ("OS-21",)
_compare = compare(*needs[:3], wrong="the bond is not as planned", fix="apply the rendered network configuration")


def check(context: CheckContext) -> Outcome:
    """A port can belong to no bond that does not exist: that follows from the missing bond."""
    outcome = _compare(context)
    if outcome.status is not Status.FAIL or not context.entity.controller:
        return outcome
    bond = Place(context.place.device).child("nic", context.entity.controller)
    try:
        is_present = context.is_present(bond)
    except UnreadError:
        return outcome
    return outcome if is_present else replace(outcome, causes=("nic.presence",), cause_place=bond)
