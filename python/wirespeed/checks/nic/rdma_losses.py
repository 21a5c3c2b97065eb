"""RDMA retransmissions and sequence errors

The RDMA port has counted no retransmissions and no sequence errors.

Impact:
    RoCE expects a lossless network. After a loss most NICs retransmit everything from the missing packet on, or wait
    for a timeout first: one lost packet in a thousand can take most of the bandwidth.

Fix:
    The counters start when the port comes up. Collect again after some load and pass the first bundle to --since:
    counters that still increase show current loss. Retries without sequence errors mean that acknowledgements came late
    or were lost: loss on the reverse path, or an overloaded end; they only warn. Find the drops: cable errors
    (link.fec), PFC and the lossless queue on every port of the path (nic.qos-pfc, qos.pfc), an MTU that is too small
    (port.mtu).

Example:
    $ rdma statistic show link bnxt_re0/1
    link bnxt_re0/1 sent_pkts 253952 out_of_seq_request 0 rcvd_seq_err 35 completer_retry_err 49

Source:
    IBTA volume 1, section 9.7.5.1.2 and 9.7.6; Linux drivers/infiniband/sw/rxe/rxe_hw_counters.c,
    hw/mlx5/counters.c, hw/bnxt_re/hw_counters.c
"""

from wirespeed.checks.model import CheckContext, Outcome, failure, success, warning
from wirespeed.results.findings import Fix
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.counters.retries", "nic.counters.sequence_errors", "nic.rdma_device")
failures = ("CAB-02", "SW-02")

_NO_LOSSES = "0 retries, 0 sequence errors"


def check(context: CheckContext) -> Outcome:
    """Losses need no intent; the plan only states that the NIC does RDMA."""
    context.get_intended_value("nic.rdma_device")
    retries, errors = (context.get_found_value(path) for path in needs[:2])
    since = context.facts.counted_since
    found = f"{retries} retries, {errors} sequence errors" + (f" since {since}" if since else "")
    if not retries and not errors:
        return success(_NO_LOSSES, found)
    if not errors:
        fix = Fix("check whether the other end is overloaded, and whether the timeouts of the job fit the path")
        return warning("acknowledgements came late or were lost", _NO_LOSSES, found, fix)
    if since is None:
        fix = Fix("collect again after some load, and check with --since and this bundle")
        return warning("RDMA packets were lost after the port came up", _NO_LOSSES, found, fix)
    fix = Fix("find where packets are dropped: cables, PFC and the lossless queue, MTU on every port of the path")
    return failure("RDMA packets are lost", _NO_LOSSES, found, fix)
