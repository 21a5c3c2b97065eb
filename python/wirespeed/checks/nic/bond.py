"""Bond and its ports

A bond has the planned mode and link monitoring, and each planned port belongs to it.

Impact:
    A port outside the bond, or a bond without link monitoring, gives no redundancy: when the active port fails, the
    host loses its connection. With another mode the switch and the host may not agree which port carries a packet.

Fix:
    Apply the rendered network configuration.

Example:
    $ ip -d link show bond0
    4: bond0: <BROADCAST,MULTICAST,MASTER,UP,LOWER_UP> mtu 1500 ...
        bond mode balance-rr miimon 0 ...

Source:
    A. K. Johansen, Fast Multi-GPU communication over PCI Express, A.3.7; Linux kernel, networking/bonding.rst
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.bond.mode", "nic.bond.monitor", "nic.controller")
failures = ("OS-21",)
check = compare(*needs, wrong="the bond is not as planned", fix="apply the rendered network configuration")
