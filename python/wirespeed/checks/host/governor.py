"""CPU frequency governor

All cores use the planned CPU frequency governor.

Impact:
    With powersave, ondemand or schedutil a core starts each burst at a low clock. TCP at hundreds of gigabits per
    second is limited by single cores, and the tail latency of small messages grows.

Fix:
    Set the governor at every boot. Power settings of the BIOS may prevent the operating system from setting it.

Example:
    $ cat /sys/devices/system/cpu/cpufreq/policy0/scaling_governor
    powersave

Source:
    ESnet, 400G Testbed Configuration, Set CPU governors
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

subject = Host
needs = ("host.governor",)
failures = ("PCI-12",)
check = compare(
    *needs,
    wrong="cores use another frequency governor",
    fix="set the governor of all cores",
)
