"""MTU of the VLAN interface

The MTU of the VLAN interface (SVI) is at least that of every host behind the switch. A planned reserve above it is not
needed: a routed interface carries the packets of hosts, without further headers.

Impact:
    On some switches the VLAN interface has a separate MTU: large packets between rails are dropped although every port
    would forward them, and jobs end with completion error 12.

Fix:
    Set the MTU of the VLAN interface.

Example:
    interface Vlan11
     mtu 1500

Source:
    Broadcom 957608-AN210, 2.4.1 (hosts of 9000 bytes, irb interfaces with family inet mtu 9000) and 5.1 question 2
"""

from contextlib import suppress

from wirespeed.checks.model import (
    CheckContext,
    InapplicableError,
    NoIntentError,
    Outcome,
    UnreadError,
    failure,
    success,
)
from wirespeed.settings import Place, Vlan

subject = Vlan
needs = ("vlan.mtu", "nic.link.mtu", "switch.vlans")
failures = ("SW-01",)


def check(context: CheckContext) -> Outcome:
    """Smaller than the largest MTU of the hosts whose packets the switch routes is a failure."""
    intended = context.get_intended_value("vlan.mtu")
    if not context.is_present():
        raise InapplicableError("the VLAN interface is absent, see port.vlan-address")
    found = context.get_found_value("vlan.mtu")
    needed = min(intended, max(_list_host_mtus(context), default=intended))
    expected = f"{intended} bytes"
    if needed < intended:
        expected += f" (at least {needed}, the largest MTU of the hosts)"
    if found < needed:
        return failure(
            "the MTU of the VLAN interface is too small",
            expected,
            f"{found} bytes",
            context.build_change("set the MTU of the VLAN interface", "vlan.mtu", intended),
        )
    return success(expected, f"{found} bytes")


def _list_host_mtus(context: CheckContext) -> list[int]:
    """The planned and the found MTU of every NIC cabled to this switch, which routes between all of its VLANs."""
    mtus: list[int] = []
    for end, cable in context.cables.items():
        host_end = cable.other_end(end.device)
        if end.device != context.place.device or host_end.device not in context.plan.hosts:
            continue
        nic = Place(host_end.device).child("nic", host_end.port)
        for read in (context.get_intended_value, context.get_found_value):
            with suppress(NoIntentError, UnreadError):
                mtus.append(int(read("nic.link.mtu", nic)))
    return mtus
