"""Model of a GPU or NIC

Vendor and device numbers of each GPU and NIC are those of the planned model.

Impact:
    Limits, drivers and firmware are planned for another card: a GPU with other links or a NIC with fewer lanes looks
    like a fault of the network.

Fix:
    Replace the card, or write the model that is installed in the cluster file.

Example:
    $ lspci -nn -s 1b:00.0
    1b:00.0 Processing accelerators [1200]: Advanced Micro Devices, Inc. [AMD/ATI] Device [1002:74a1]

Source:
    Broadcom 957608-AN210, appendix B.1 (type of GPU); pci.ids of the PCI ID project, version 2026.08.22
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import PcieFunction

subject = PcieFunction
needs = ("pcie.device_ids",)
failures = ("PCI-15",)
check = compare(
    *needs,
    wrong="the card is of another model than planned",
    fix="replace the card, or write the installed model in the cluster file",
    by_hand=True,
)
