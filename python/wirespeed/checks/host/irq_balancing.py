"""Interrupt balancing

The daemon that moves interrupts between cores runs only where that is planned.

Why it hurts:
    It moves the interrupts of a NIC to cores of another NUMA node, from where every packet crosses the link between
    the sockets, and undoes the placement that was set at boot.

How to fix:
    Mask irqbalance, then place the interrupts.

Example:
    $ systemctl is-active irqbalance.service
    active

Source:
    ESnet, 400G Testbed Configuration: disable irqbalance
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

over = Host
needs = ("host.irq_balancing",)
failures = ("OS-13",)
check = compare(
    *needs,
    wrong="interrupts are balanced otherwise than planned",
    fix="mask irqbalance, or unmask it where balancing is planned",
)
