"""Kernel modules

Every planned kernel module is loaded or built in: the NIC's Ethernet and RDMA drivers.

Impact:
    Without its RDMA driver a NIC is a plain Ethernet card, and libraries fall back to TCP without a message.

Fix:
    Load the module. If it is missing, install the vendor's release for the running kernel.

Example:
    $ lsmod | grep bnxt
    bnxt_en               897024  1 bnxt_re

Source:
    Broadcom 957608-AN210, 2.6 item 1
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.modules import drives_gpu, has_service, is_peer_memory
from wirespeed.settings import Module

subject = Module
needs = ("module.loaded", "host.modules")
failures = ("NIC-03",)
presence = True

check = compare(
    "module.loaded",
    wrong="the kernel module is not loaded",
    fix="load the module, now and at every boot",
    labels={True: "loaded", False: "not loaded"},
    applies=lambda context: not any(exempts(context) for exempts in (drives_gpu, has_service, is_peer_memory)),
)
