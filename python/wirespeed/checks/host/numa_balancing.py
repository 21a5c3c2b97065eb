"""Automatic NUMA balancing

The kernel does not move pages between NUMA nodes automatically.

Impact:
    Balancing unmaps pages to find out which core uses them. The page faults stall running collectives: results vary
    from run to run and drop within a run.

Fix:
    Set kernel.numa_balancing to 0, now and in /etc/sysctl.d for the next boot.

Example:
    $ cat /proc/sys/kernel/numa_balancing
    1

Source:
    Broadcom 957608-AN210, 2.6 item 17
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Sysctl

subject = Sysctl
needs = ("sysctl.value",)
failures = ("OS-01",)
check = compare(
    "sysctl.value",
    wrong="automatic NUMA balancing is on",
    fix="disable automatic NUMA balancing",
    applies=lambda context: context.place.name == "kernel.numa_balancing",
)
