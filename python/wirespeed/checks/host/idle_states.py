"""Idle states of the cores

Cores enter no deeper idle state than planned.

Why it hurts:
    A core takes time to leave a deep state. A packet that wakes it waits so long, which
    shows as jitter in latency and as a ring that overflows at the start of a burst.

How to fix:
    Switch the other states off at every boot, or in the BIOS.

Example:
    $ cat /sys/devices/system/cpu/cpu0/cpuidle/state2/disable
    0

Source:
    ESnet, 400G Testbed Configuration: disable C state, cpupower idle-set -d 2
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

over = Host
needs = ("host.idle_states",)
failures = ("PCI-12",)
check = compare(
    *needs,
    wrong="cores enter deeper idle states than planned",
    fix="switch the deeper idle states off",
)
