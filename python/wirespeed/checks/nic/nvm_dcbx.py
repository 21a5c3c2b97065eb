"""DCBX in the NIC's firmware

The NIC's firmware does not run DCBX.

Why it hurts:
    Firmware that runs DCBX owns the QoS of the port and refuses what the driver sets. After a reboot RDMA then runs
    in a lossy class.

How to fix:
    Switch the option off and reboot, then look at nic.qos-pfc again.

Example:
    $ niccli -i 1 nvm --getoption dcbx_mode
    dcbx_mode = 1 (IEEE)

Source:
    Broadcom 957608-AN210, 2.2.4.4 and 5.1 question 5
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

over = Nic
needs = ("nic.nvm.dcbx",)
failures = ("NIC-01",)
check = compare(
    *needs,
    wrong="firmware DCBX owns the QoS of the NIC",
    fix="switch DCBX off in the NIC's memory",
    consequence="reboot",
)
