"""Performance profile of the NIC

The NIC's resources are divided for RDMA, not for plain Ethernet.

Why it hurts:
    The default profile leaves too few on-chip resources to RDMA: rate and number of queue pairs stay below those of
    sister hosts.

How to fix:
    Set the profile to RoCE and reboot.

Example:
    $ niccli -i 1 nvm --getoption performance_profile
    performance_profile = 0 (Default)

Source:
    Broadcom 957608-AN210, 2.2.4.2 and 2.6 item 7
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

over = Nic
needs = ("nic.nvm.performance_profile",)
failures = ("NIC-02",)
check = compare(
    *needs,
    wrong="the NIC is tuned for plain Ethernet",
    fix="set the performance profile",
    consequence="reboot",
)
