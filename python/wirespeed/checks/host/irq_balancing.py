"""Interrupt balancing (irqbalance)

irqbalance, which moves interrupts between cores, runs only where planned.

Impact:
    irqbalance moves the interrupts of a NIC to cores of another NUMA node. Every packet then crosses the link between
    the sockets, and the placement that was set at boot is lost.

Fix:
    Mask irqbalance, then set the interrupt affinity.

Example:
    $ systemctl is-active irqbalance.service
    active

Source:
    ESnet, 400G Testbed Configuration: disable irqbalance
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

subject = Host
needs = ("host.irq_balancing",)
failures = ("OS-13",)
check = compare(
    *needs,
    wrong="irqbalance is not as planned",
    fix="mask irqbalance, or unmask it where balancing is planned",
)
