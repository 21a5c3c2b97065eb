"""RDMA packets that were lost

The RDMA port has sent nothing again, and no packet was missing before another, here or at the other end.

Why it hurts:
    RoCE is made for a network that drops nothing. After a loss most NICs send everything again from the missing packet
    on, or wait for a timeout first: one packet in a thousand can cost most of the bandwidth.

How to fix:
    Counters grow since the port came up. Collect once more after some load and give the first bundle to --since: what
    is still counted is lost now. Retries without sequence errors are acknowledgements that came late or never: a lossy
    way back, or an end that is too busy; they only warn. Look where the packets go: errors of cables (link.fec), PFC
    and the lossless queue on every port of the path (nic.qos-pfc, qos.pfc), an MTU that is too small (port.mtu).

Example:
    $ rdma statistic show link bnxt_re0/1
    link bnxt_re0/1 sent_pkts 253952 out_of_seq_request 0 rcvd_seq_err 35 completer_retry_err 49

Source:
    IBTA volume 1, section 9.7.5.1.2 and 9.7.6; Linux drivers/infiniband/sw/rxe/rxe_hw_counters.c,
    hw/mlx5/counters.c, hw/bnxt_re/hw_counters.c
"""

from wirespeed.checks.model import Here, Outcome, failed, passed, warned
from wirespeed.results.findings import Fix
from wirespeed.settings import Nic

over = Nic
needs = ("nic.counters.retries", "nic.counters.sequence_errors", "nic.rdma_device")
failures = ("CAB-02", "SW-02")

_WANTED = "0 retries, 0 sequence errors"


def check(here: Here) -> Outcome:
    """Nobody plans losses; only that the NIC does RDMA."""
    here.intended("nic.rdma_device")
    retries, errors = (here.found(path) for path in needs[:2])
    when = here.facts.counted_since
    found = f"{retries} retries, {errors} sequence errors" + (f" since {when}" if when else "")
    if not retries and not errors:
        return passed(_WANTED, found)
    if not errors:
        fix = Fix("see whether the other end is overloaded, and whether the timeouts of the job fit the path")
        return warned("acknowledgements came late or never", _WANTED, found, fix)
    if when is None:
        fix = Fix("collect again after some load, and check that with --since and this bundle")
        return warned("RDMA packets were lost since the port came up", _WANTED, found, fix)
    fix = Fix("find where packets are dropped: cables, PFC and the lossless queue, MTU on every port of the path")
    return failed("RDMA packets are lost", _WANTED, found, fix)
