"""DCBX in the NIC's firmware

The NIC's firmware does not run DCBX.

Impact:
    Firmware that runs DCBX controls the QoS of the port and refuses the settings of the driver. After a reboot RDMA
    then runs in a lossy class.

Fix:
    Disable the option and reboot, then check nic.qos-pfc again.

Example:
    $ niccli -i 1 nvm --getoption dcbx_mode
    dcbx_mode = 1 (IEEE)

Source:
    Broadcom 957608-AN210, 2.2.4.4 and 5.1 question 5
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.nvm.dcbx",)
failures = ("NIC-01",)
check = compare(
    *needs,
    wrong="firmware DCBX controls the QoS of the NIC",
    fix="disable DCBX in the NIC's NVRAM",
    consequence="reboot",
)
