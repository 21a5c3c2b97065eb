"""CPU idle states

Cores enter no deeper idle state than planned.

Impact:
    A core takes time to leave a deep idle state. A packet that wakes the core waits for that time: latency has jitter,
    and a receive ring overflows at the start of a burst.

Fix:
    Disable the deeper states at every boot, or in the BIOS.

Example:
    $ cat /sys/devices/system/cpu/cpu0/cpuidle/state2/disable
    0

Source:
    ESnet, 400G Testbed Configuration: disable C state, cpupower idle-set -d 2
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

subject = Host
needs = ("host.idle_states",)
failures = ("PCI-12",)
check = compare(
    *needs,
    wrong="cores enter deeper idle states than planned",
    fix="disable the deeper idle states",
)
