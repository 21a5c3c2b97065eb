"""BGP instance of a switch: AS number and router ID

BGP on the switch has the planned autonomous system (AS) number and router ID.

Impact:
    Neighbours refuse a session with an AS number that they do not expect. A leaf with the AS number of another leaf
    drops its routes as loops. Two switches with the same router ID cannot be distinguished.

Fix:
    Set both. A change of the AS number drops all sessions of the switch.

Example:
    $ show ip bgp summary
    Router identifier 10.255.0.1, local AS number 4200010000

Source:
    RFC 4271, sections 4.2 and 9.1.2; RFC 7938, section 5.2.1
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Switch

subject = Switch
needs = ("switch.bgp.asn", "switch.bgp.router_id")
failures = ("RT-10",)
check = compare(
    *needs,
    wrong="the BGP AS number or router ID is not as planned",
    fix="set the AS number and the router ID",
    consequence="all sessions of the switch are dropped",
)
