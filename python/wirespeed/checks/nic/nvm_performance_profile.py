"""Performance profile of the NIC

The performance profile of the NIC is RoCE, not plain Ethernet.

Impact:
    The default profile reserves too few on-chip resources for RDMA: rate and number of queue pairs are below those of
    other hosts.

Fix:
    Set the profile to RoCE and reboot.

Example:
    $ niccli -i 1 nvm --getoption performance_profile
    performance_profile = 0 (Default)

Source:
    Broadcom 957608-AN210, 2.2.4.2 and 2.6 item 7
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.nvm.performance_profile",)
failures = ("NIC-02",)
check = compare(
    *needs,
    wrong="the performance profile of the NIC is not as planned",
    fix="set the performance profile",
    consequence="reboot",
)
