"""LLDP agents in the NIC's firmware

The NIC's firmware runs no LLDP agent, neither for the nearest bridge nor for the nearest non-TPMR bridge.

Impact:
    The agent carries DCBX: the firmware then controls the QoS of the port and refuses the settings of the driver.

Fix:
    Disable both options and reboot.

Example:
    $ niccli -i 1 nvm --getoption lldp_nearest_bridge
    lldp_nearest_bridge = 1 (Enabled)

Source:
    Broadcom 957608-AN210, 2.2.4.4 and 5.1 question 5
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

subject = Nic
needs = (
    "nic.nvm.lldp_nearest_bridge",
    "nic.nvm.lldp_nearest_non_tpmr_bridge",
)
failures = ("NIC-01",)
check = compare(
    *needs,
    wrong="a firmware LLDP agent controls the QoS of the NIC",
    fix="disable the LLDP agents in the NIC's NVRAM",
    consequence="reboot",
)
