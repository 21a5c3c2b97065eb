"""PFC of the whole switch

The switch does not keep PFC off on every port with one setting.

Why it hurts:
    Such a switch-off is meant for emergencies and is easily left behind. Every port still shows its lossless
    priorities in its configuration, yet none is lossless: packets are dropped as soon as a queue fills.

How to fix:
    Take the switch-off back.

Example:
    $ show running-config | include priority-flow-control all
    priority-flow-control all off

Source:
    Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, PFC Watchdog; Arista EOS reference,
    priority-flow-control all off
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Switch

over = Switch
needs = ("switch.pfc",)
failures = ("SW-02",)
check = compare(
    *needs,
    wrong="PFC is switched off on every port at once",
    fix="let PFC work on this switch again",
    says={True: "on", False: "off"},
)
