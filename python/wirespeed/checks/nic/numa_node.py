"""NUMA node of the NIC

The NIC is attached to the planned NUMA node. If a socket has another number of NUMA nodes than planned, only
the socket is compared.

Impact:
    Interrupts, ranks and buffers are bound to the planned node. If the NIC is attached to another node, every packet
    crosses the link between the nodes.

Fix:
    Compare the slot with the plan and move the card. If the server model is wrong, correct its numa_node.

Example:
    $ cat /sys/class/net/eth100/device/numa_node
    0

Source:
    ESnet, 400G Testbed Configuration: NIC attached to NUMA node 1
"""

from wirespeed.checks.model import CheckContext, Outcome
from wirespeed.checks.nics import pcie_function
from wirespeed.checks.numa import NEEDS, check_numa_node
from wirespeed.settings import Nic

subject = Nic
needs = NEEDS
failures = ("PCI-14",)


def check(context: CheckContext) -> Outcome:
    """The plan has a node or a socket for the NIC."""
    return check_numa_node(context, pcie_function(context), "the NIC is attached to another NUMA node than planned")
