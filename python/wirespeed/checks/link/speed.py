"""Speed of the NIC's link

The link runs at the planned speed.

Impact:
    A link at half the speed halves the bandwidth of its rail, and a ring over all rails is as fast as the slowest one.

Fix:
    Replace the cable if a lane is dead. Set the port mode of a card that is in its default one, with slower ports. Set
    the speed at both ends if they negotiated another one. Up to 5 Gb/s, over twisted pairs, both ends negotiate: switch
    that on at both, and replace the cable if one of its four pairs is dead.

Example:
    $ ethtool enp29s0np0 | grep Speed
    Speed: 200000Mb/s

Source:
    Broadcom 957608-AN210, table 1, 2.6 items 8 and 9; IEEE 802.3, clauses 28 and 40.5.1
"""

from dataclasses import replace

from wirespeed.checks.compare import compare
from wirespeed.checks.impact import link_speed
from wirespeed.checks.model import CheckContext, Outcome
from wirespeed.results.findings import Fix, Status
from wirespeed.settings import FASTEST_NEGOTIATED, Nic

subject = Nic
needs = ("nic.link.speed",)
failures = (
    "NIC-06",
    "CAB-04",
)
causes = ("link.up",)
_WRONG = "the link runs at another speed than planned"
_compare = compare(
    *needs,
    wrong=_WRONG,
    fix="set the speed at both ends; replace the cable if a lane is dead",
    impact=link_speed,
)
_compare_negotiated = compare(
    *needs,
    wrong=_WRONG,
    fix="enable auto-negotiation at both ends; replace the cable if one of its four pairs is dead",
    impact=link_speed,
)


def check(context: CheckContext) -> Outcome:
    """The plan has a speed."""
    is_negotiated = context.get_intended_value("nic.link.speed") <= FASTEST_NEGOTIATED
    outcome = (_compare_negotiated if is_negotiated else _compare)(context)
    if outcome.status is not Status.FAIL or not _has_default_mode_speed(context):
        return outcome
    mode = Fix(
        f"the card may be in its default port mode, with ports of {outcome.found}: set the port mode that is planned "
        "(`wirespeed explain NIC-06`)"
    )
    return replace(outcome, fix=(mode, *outcome.fix))


def _has_default_mode_speed(context: CheckContext) -> bool:
    """Whether the speed is that of the card's default port mode, where another mode is planned."""
    model = context.plan.hardware.nics.get(context.entity.model)
    default_mode_speed = None if model is None else model.default_mode_speed
    return default_mode_speed is not None and default_mode_speed.value == context.get_found_value("nic.link.speed")
