"""Cores of the NIC's interrupts

Interrupts of the port go to the planned cores alone: those of the NUMA node that the NIC hangs on.

Why it hurts:
    A core of another node reads each packet across the link between the sockets, and the rate depends on where the
    scheduler put the receiver.

How to fix:
    Give the interrupts to the cores of the NIC's node, with irqbalance off.

Example:
    $ cat /proc/irq/100/smp_affinity_list
    3

Source:
    ESnet, 400G Testbed Configuration: set_irq_affinity_bynode.sh 1 eth100 eth200
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

over = Nic
needs = ("nic.interrupt_cores",)
failures = ("OS-13",)
check = compare(
    *needs,
    wrong="interrupts go to cores that are not near the NIC",
    fix="give the interrupts to the planned cores",
)
