"""NUMA node of the GPU

The GPU is attached to the planned NUMA node. If a socket has another number of NUMA nodes than planned, only
the socket is compared.

Impact:
    Ranks are bound to the planned node. If the GPU is attached to another node, every transfer between GPU and host
    memory crosses the link between the nodes.

Fix:
    Compare the slot with the plan and move the card. If the server model is wrong, correct its numa_node.

Example:
    $ cat /sys/bus/pci/devices/0000:85:00.0/numa_node
    1

Source:
    Johansen, Fast Multi-GPU communication over PCI Express, section 3.1, figure 3.1
"""

from wirespeed.checks.model import CheckContext, InapplicableError, Outcome
from wirespeed.checks.numa import NEEDS, check_numa_node
from wirespeed.settings import Gpu, Place, is_address

subject = Gpu
needs = (*NEEDS, "host.pcie")
failures = ("PCI-14",)


def check(context: CheckContext) -> Outcome:
    """The plan has a node or a socket for the GPU."""
    address = context.get_intended_value("gpu.pcie")
    if not is_address(address):
        raise InapplicableError("its address was not found")
    host = Place(context.place.device)
    if context.facts.complete(host, "host.pcie") and address not in context.list_members("host.pcie", host):
        raise InapplicableError("lspci does not list the GPU (gpu.presence)")
    function = host.child("pcie", address)
    return check_numa_node(context, function, "the GPU is attached to another NUMA node than planned")
