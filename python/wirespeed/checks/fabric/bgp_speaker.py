"""Autonomous system and identifier of a switch

The switch speaks BGP with the planned autonomous system number and identifier.

Why it hurts:
    Neighbours refuse a session with another number than the one they expect. A leaf with the number of another leaf
    drops that leaf's routes as loops; two switches with one identifier cannot be told apart.

How to fix:
    Set both; changing the number of a running speaker drops all its sessions.

Example:
    $ show ip bgp summary
    Router identifier 10.255.0.1, local AS number 4200010000

Source:
    RFC 4271, sections 4.2 and 9.1.2; RFC 7938, section 5.2.1
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Switch

over = Switch
needs = ("switch.bgp.asn", "switch.bgp.router_id")
failures = ("RT-10",)
check = compare(
    *needs,
    wrong="BGP runs with another number or identifier",
    fix="set autonomous system number and identifier",
    consequence="all sessions of the switch are dropped",
)
