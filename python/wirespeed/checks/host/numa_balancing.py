"""Automatic NUMA balancing

The kernel does not move pages between NUMA nodes by itself.

Why it hurts:
    Balancing unmaps pages to see who touches them. Buffers of running collectives stall on those faults: rates vary
    from run to run and dip within one.

How to fix:
    Set kernel.numa_balancing to 0, now and in /etc/sysctl.d for the next boot.

Example:
    $ cat /proc/sys/kernel/numa_balancing
    1

Source:
    Broadcom 957608-AN210, 2.6 item 17
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Sysctl

over = Sysctl
needs = ("sysctl.value",)
failures = ("OS-01",)
check = compare(
    "sysctl.value",
    wrong="automatic NUMA balancing is on",
    fix="switch automatic NUMA balancing off",
    only=lambda here: here.place.name == "kernel.numa_balancing",
)
