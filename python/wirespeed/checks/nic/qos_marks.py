"""DSCP and priority of NIC traffic

RDMA data and congestion notifications leave the NIC with the planned DSCP and priority.

Impact:
    The DSCP determines the queue in every switch. With another DSCP RDMA runs in the default class and loses packets.
    With the wrong DSCP on notifications, senders react to congestion too late.

Fix:
    Set DSCP and priority, and check that the configuration file contains them for the next driver load (nic.qos-file).

Example:
    $ cat /sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc/cnp_dscp
    0x2e

Source:
    Broadcom 957608-AN210, 2.5 and 2.6 item 2
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, Outcome, UnreadError
from wirespeed.facts import State
from wirespeed.results.findings import Status
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.qos.roce_dscp", "nic.qos.roce_priority", "nic.qos.cnp_dscp", "nic.qos.cnp_priority")
failures = ("QOS-01", "QOS-05")
_compare = compare(
    *needs,
    wrong="DSCP or priority of NIC traffic is not as planned",
    fix="set DSCP and priority of RDMA data and of congestion notifications",
)


def check(context: CheckContext) -> Outcome:
    """A file that is applied when the driver loads does not show what the NIC does now."""
    outcome = _compare(context)
    if outcome.status is not Status.PASS or any(reading.state is State.RUNNING for _, _, reading in context.used):
        return outcome
    _, path, _ = context.used[0]
    gaps = context.facts.list_gaps(context.place, path)
    reasons = "; ".join(map(str, gaps))
    reason = "only the file for the next driver load shows it"
    raise UnreadError(path, f"{reason}; {reasons}" if reasons else reason, gaps, place=context.place)
