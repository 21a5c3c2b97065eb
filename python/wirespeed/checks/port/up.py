"""Link of the switch port

The port is enabled, and its link is up.

Impact:
    The rail behind a port that is down carries no traffic.

Fix:
    Enable the port; reseat or replace the cable.

Example:
    Eth1/1   node1 enp29s0np0   down   admin-down   off   400000   9100

Source:
    Broadcom 957608-AN210, 2.6 item 8
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, Outcome, failure
from wirespeed.settings import Port

subject = Port
needs = ("port.link.up", "port.link.enabled")
failures = ("CAB-01",)
causes = ("link.up", "port.up")  # at the other end of the cable
_compare = compare(
    needs[0],
    wrong="the port is down",
    fix="enable the port, and check both ends of the cable",
    by_hand=True,
    labels={True: "up", False: "down"},
)


def check(context: CheckContext) -> Outcome:
    """A port that its configuration disables is down whatever its cable is, now or after the next restart."""
    reading = context.facts.reading(context.place, needs[1])
    if not context.entity.link.enabled or reading is None or reading.value:
        return _compare(context)
    context.get_found_value(needs[1])
    return failure(
        "the configuration disables the port",
        "enabled",
        "disabled",
        context.build_change("enable the port", needs[1], True),
    )
