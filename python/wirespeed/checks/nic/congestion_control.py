"""Congestion control of the NIC enabled

The NIC sends congestion notification packets (CNPs), and reduces its rate when it receives them, on the planned
priorities.

Impact:
    With congestion control off, ECN marks of the switches have no effect: only PFC limits the senders, and it also
    stops traffic that does not cause the congestion.

Fix:
    Enable congestion control for the RDMA priority on every NIC.

Example:
    $ cat /sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc/ecn_enable
    0x0
    0x0 is disabled, 0x1 is enabled

Source:
    Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, RoCE Congestion Control on Broadcom
    Ethernet NIC Adapters
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, Outcome
from wirespeed.checks.wording import format_numbers
from wirespeed.results.findings import Status
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.qos.ecn", "nic.qos.ecn_priorities")
failures = ("NIC-11",)
_compare = compare(needs[0], wrong="congestion control is off on the NIC", fix="enable congestion control")
_compare_priorities = compare(
    needs[1],
    wrong="congestion control is on for other priorities than planned",
    fix="set the priorities under congestion control",
    labels=format_numbers,
)


def check(context: CheckContext) -> Outcome:
    """The priorities count only where the plan has them and congestion control is on."""
    outcome = _compare(context)
    if outcome.status is not Status.PASS or not context.entity.qos.ecn or context.entity.qos.ecn_priorities is None:
        return outcome
    return _compare_priorities(context)
