"""PCIe relaxed ordering enabled in the NIC's NVRAM

The non-volatile option of the NIC for PCIe relaxed ordering is on.

Impact:
    With the option off the NIC orders all its writes strictly, whatever the kernel allows. On hosts whose I/O die
    serialises such writes, host-memory bandwidth is below line rate.

Fix:
    Enable the option and reboot. Some applications receive wrong data with relaxed ordering: before you enable it, read
    `wirespeed explain NIC-18`, and leave it off with `nvm: {relaxed_ordering: false}` for such hosts.

Example:
    $ niccli -i 1 nvm --getoption pcie_relaxed_ordering
    pcie_relaxed_ordering = 0 (Disabled)

Source:
    Broadcom 957608-AN210, 2.2.4.3 and 2.6 item 7
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.nvm.relaxed_ordering",)
failures = ("PCI-04",)
check = compare(
    *needs,
    wrong="relaxed ordering is off in the NIC's NVRAM",
    fix="enable relaxed ordering in the NIC's NVRAM",
    consequence="reboot",
)
