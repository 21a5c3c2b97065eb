"""Load balancing of the switch

The switch distributes flows over paths of equal cost as planned: the mode, the flowlets and the fields of the hash.

Impact:
    Flows of RDMA are few and large. With another mode or hash several of them use the same uplink while others are
    idle; with a shorter gap between flowlets packets of a connection arrive out of order.

Fix:
    Set the load balancing of the switch.

Example:
    forwarding-options enhanced-hash-key ecmp-dlb flowlet inactivity-interval 16

Source:
    Broadcom 957608-AN210, 2.5.3; Juniper, Dynamic Load Balancing for AI/ML networks
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Switch

subject = Switch
needs = (
    "switch.load_balancing.mode",
    "switch.load_balancing.flowlet_gap",
    "switch.load_balancing.flowlet_table",
    "switch.load_balancing.hash_fields",
)
failures = ("RT-07",)
check = compare(*needs, wrong="load balancing is not as planned", fix="set the load balancing of the switch")
