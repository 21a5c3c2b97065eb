"""CPUs of a NUMA node

Each planned NUMA node exists and has the planned CPUs: nodes per socket and the order in which the kernel numbers the
cores are as in the catalogue and the BIOS plan.

Impact:
    Rendered lists of cores (interrupts, ranks) belong to another node, and so to another socket than NIC and memory.

Fix:
    Set the BIOS attributes for nodes per socket and for the enumeration of cores (linear or round robin) as planned, or
    correct cpus: numbering of the server model.

Example:
    $ lscpu | grep "NUMA node1"
    NUMA node1 CPU(s):   1,3,5,7,9,11,13,15

Source:
    Broadcom 957608-AN210, section 3.1, table 2 (core enumeration); ESnet, 400G Testbed Configuration, numactl -H
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import NumaNode

subject = NumaNode
needs = ("numa.cpus", "host.numa")
failures = ("PCI-11",)
presence = True
check = compare(
    "numa.cpus",
    wrong="the NUMA node has other CPUs than planned",
    absent="the NUMA node is not present",
    fix="set nodes per socket and core enumeration in the BIOS as planned",
    by_hand=True,
)
