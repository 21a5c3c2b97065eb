"""DSCP map of the NIC

The NIC puts RDMA and congestion notifications into the planned priorities by their DSCP.

Why it hurts:
    A packet whose DSCP is not mapped arrives in the default priority, which is lossy.

How to fix:
    Set the map of DSCP to priorities.

Example:
    $ niccli --dev 1 qos --listmap --dscp2prio
    priority:3  dscp: 26

Source:
    Broadcom 957608-AN210, 2.5 and 2.6 item 2
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

over = Nic
needs = ("nic.qos.dscp_priority",)
failures = ("QOS-01",)
check = compare(
    *needs,
    wrong="DSCPs reach the wrong priorities of the NIC",
    fix="set the map of DSCP to priorities",
)
