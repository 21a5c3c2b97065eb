"""DSCP-to-priority map of the NIC

The NIC maps the DSCPs of RDMA data and congestion notifications to the planned priorities.

Impact:
    A packet whose DSCP is not mapped gets the default priority, which is lossy.

Fix:
    Set the DSCP-to-priority map.

Example:
    $ niccli --dev 1 qos --listmap --dscp2prio
    priority:3  dscp: 26

Source:
    Broadcom 957608-AN210, 2.5 and 2.6 item 2
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.qos.dscp_priority",)
failures = ("QOS-01",)
causes = ("nic.nvm-dcbx", "nic.nvm-lldp")
check = compare(
    *needs,
    wrong="the NIC maps DSCPs to the wrong priorities",
    fix="set the DSCP-to-priority map",
)
