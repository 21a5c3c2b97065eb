"""PFC disabled globally

PFC is not disabled globally.

Impact:
    The global switch-off is for emergencies and is easily forgotten. Every port still has its lossless priorities in
    its configuration, but none is lossless: packets are dropped as soon as a queue is full.

Fix:
    Remove the global switch-off.

Example:
    $ show running-config | include priority-flow-control all
    priority-flow-control all off

Source:
    Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, PFC Watchdog; Arista EOS reference,
    priority-flow-control all off
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Switch

subject = Switch
needs = ("switch.pfc",)
failures = ("SW-02",)
check = compare(
    *needs,
    wrong="PFC is disabled globally",
    fix="remove the global PFC switch-off",
    labels={True: "on", False: "off"},
)
