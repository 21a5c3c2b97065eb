"""Number of the host in the PCIe cluster

The bridge has the planned number. Devices are named by the number of their host, and lenders connect to it.

Why it hurts:
    With another number the loan's commands name a device or a host that is not there.

How to fix:
    Give the number to the host when the PCIe cluster is configured, or change the cluster file.

Example:
    $ dis_config -gn
    Card 1 - NodeId:  8

Source:
    Johansen, Fast Multi-GPU communication over PCI Express, appendix A.3.6 and A.3.10
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Ntb

over = Ntb
needs = ("ntb.node_id",)
failures = ("PCI-06",)
check = compare(
    "ntb.node_id", wrong="host has another number in the PCIe cluster", fix="configure the PCIe cluster anew", hand=True
)
