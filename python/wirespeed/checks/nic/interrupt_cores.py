"""Interrupt affinity of the NIC

Interrupts of the port go to the planned cores only: those of the NUMA node of the NIC.

Impact:
    A core of another NUMA node reads each packet over the link between the sockets, and the rate depends on where the
    scheduler places the receiver.

Fix:
    Set the interrupt affinity to the cores of the NIC's NUMA node, with irqbalance off.

Example:
    $ cat /proc/irq/100/smp_affinity_list
    3

Source:
    ESnet, 400G Testbed Configuration: set_irq_affinity_bynode.sh 1 eth100 eth200
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.interrupt_cores",)
failures = ("OS-13",)
check = compare(
    *needs,
    wrong="interrupts go to cores outside the planned set",
    fix="set the interrupt affinity to the planned cores",
)
