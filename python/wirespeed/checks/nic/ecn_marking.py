"""ECN code point of the NIC's RDMA packets

RDMA packets leave the NIC with an ECN-capable code point, 01 or 10 in binary; 00 is not ECN-capable.

Impact:
    A switch cannot mark a packet that is not ECN-capable: where it would mark others, it drops it, and RDMA
    retransmits. No congestion notification reduces the rate of the sender.

Fix:
    Set the ECN code point of RDMA data on every NIC.

Example:
    $ cat /sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc/ecn_marking
    0
    0 is Not-ECT, 0x1 is ECT(1), 0x2 is ECT(0)

Source:
    RFC 3168, section 5; Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, Configuration and
    Verification of ECN on Arista Switches
"""

from wirespeed.checks.model import CheckContext, Outcome, failure, success
from wirespeed.settings import Ect, Nic

subject = Nic
needs = ("nic.qos.ect",)
failures = ("NIC-11",)


def check(context: CheckContext) -> Outcome:
    """Switches mark ECT(0) and ECT(1) equally (RFC 3168, section 5)."""
    intended, found = context.get_intended_value("nic.qos.ect"), context.get_found_value("nic.qos.ect")
    if found is not Ect.NOT_ECT or intended is Ect.NOT_ECT:
        return success(intended, found)
    fix = context.build_change("set the ECN code point of RDMA data", "nic.qos.ect", intended)
    return failure("RDMA packets are not ECN-capable", intended, found, fix)
