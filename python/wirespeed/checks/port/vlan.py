"""VLAN of the switch port

Untagged frames of the switched port are in the VLAN of its rail.

Impact:
    In another VLAN the host reaches neither its gateway nor its peers.

Fix:
    Set the access VLAN of the port. If the switch lacks the VLAN, create it with its interface and address first.

Example:
    switchport access Vlan 12

Source:
    Broadcom 957608-AN210, 2.4.1
"""

from dataclasses import replace

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, Outcome, UnreadError
from wirespeed.results.findings import Status
from wirespeed.settings import Place, Port

subject = Port
needs = ("port.vlan",)
failures = ("RT-05",)
_FIX = "set the access VLAN of the port"
_compare = compare(
    *needs,
    wrong="untagged frames of the port are in another VLAN",
    labels={0: "none: untagged frames are dropped"},
    fix=_FIX,
)


def check(context: CheckContext) -> Outcome:
    """The fix names the VLAN if the switch lacks it: in a VLAN without its interface the port has no gateway."""
    outcome = _compare(context)
    if outcome.status is not Status.FAIL:
        return outcome
    number = str(context.get_intended_value("port.vlan"))
    if number not in context.plan.switches[context.place.device].vlans:
        return outcome
    try:
        if context.is_present(Place(context.place.device).child("vlan", number)):
            return outcome
    except UnreadError:
        return outcome
    sentence = f"create VLAN {number} with its interface and address (port.vlan-address), then {_FIX}"
    return replace(outcome, fix=tuple(replace(fix, sentence=sentence) for fix in outcome.fix))
