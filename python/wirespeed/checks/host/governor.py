"""Frequency governor

All cores run under the planned frequency governor.

Why it hurts:
    Under powersave, ondemand or schedutil a core starts each burst at a low clock. TCP at hundreds of gigabits is bound
    by single cores, and latency of small messages gets a tail.

How to fix:
    Set the governor at every boot; power settings of the BIOS may take it away from the system.

Example:
    $ cat /sys/devices/system/cpu/cpufreq/policy0/scaling_governor
    powersave

Source:
    ESnet, 400G Testbed Configuration, Set CPU governors
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

over = Host
needs = ("host.governor",)
failures = ("PCI-12",)
check = compare(
    *needs,
    wrong="cores run under another frequency governor",
    fix="set the governor of all cores",
)
