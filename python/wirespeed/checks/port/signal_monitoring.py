"""Signal monitoring of the switch port

The port monitors the received signal as planned.

Impact:
    Not known: Broadcom's guide sets it on every port, and no public source describes what a port does with another
    value.

Fix:
    Set the signal monitoring of the port.

Example:
    interface Eth1/1
     unreliable-los off

Source:
    Broadcom 957608-AN210, 2.5.2
"""

from dataclasses import replace

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, Outcome
from wirespeed.results.findings import Status
from wirespeed.settings import Port

subject = Port
needs = ("port.signal_monitoring",)
failures = ("CAB-01",)
_compare = compare(
    *needs,
    wrong="signal monitoring of the port is not as planned",
    fix="set the signal monitoring of the port",
)
_REASON = "no public source describes the effect of another value"


def check(context: CheckContext) -> Outcome:
    """A difference only warns."""
    outcome = _compare(context)
    if outcome.status is not Status.FAIL:
        return outcome
    return replace(outcome, status=Status.WARN, warning_reasons=(_REASON,))
