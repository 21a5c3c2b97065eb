"""Node ID of the host in the PCIe cluster

The bridge has the planned node ID. Device names contain the node ID of their host, and lenders connect to it.

Impact:
    With another node ID the commands of the loan refer to a device or host that does not exist.

Fix:
    Assign the node ID when the PCIe cluster is configured, or change the cluster file.

Example:
    $ dis_config -gn
    Card 1 - NodeId:  8

Source:
    Johansen, Fast Multi-GPU communication over PCI Express, appendix A.3.6 and A.3.10
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Ntb

subject = Ntb
needs = ("ntb.node_id",)
failures = ("PCI-06",)
check = compare(
    "ntb.node_id",
    wrong="the host has another node ID in the PCIe cluster",
    fix="configure the PCIe cluster again",
    by_hand=True,
)
