"""PCIe relaxed ordering in the NIC's memory

The NIC's non-volatile option for PCIe relaxed ordering is on.

Why it hurts:
    With the option off the NIC orders all its writes strictly, whatever the kernel allows. Host-memory bandwidth
    then stays below line rate on hosts whose I/O die serialises such writes.

How to fix:
    Switch the option on and reboot.

Example:
    $ niccli -i 1 nvm --getoption pcie_relaxed_ordering
    pcie_relaxed_ordering = 0 (Disabled)

Source:
    Broadcom 957608-AN210, 2.2.4.3 and 2.6 item 7
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

over = Nic
needs = ("nic.nvm.relaxed_ordering",)
failures = ("PCI-04",)
check = compare(
    *needs,
    wrong="relaxed ordering is off in the NIC's memory",
    fix="switch relaxed ordering on in the NIC's memory",
    consequence="reboot",
)
