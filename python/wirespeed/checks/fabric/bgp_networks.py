"""BGP prefixes of a switch

The switch announces every planned prefix: its loopback and the subnets of its hosts.

Impact:
    Other switches have no route to a prefix that a leaf does not announce: hosts under the leaf reach each other and no
    other host. The connection setup of a job then times out for some pairs only.

Fix:
    Announce the prefix. Most systems announce it only while it is in the routing table, so check the port too.

Example:
    $ show running-config section bgp
    network 10.1.0.0/31

Source:
    RFC 7938, section 5.2.3
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Switch

subject = Switch
needs = ("switch.bgp.networks",)
failures = ("RT-10",)
check = compare(*needs, wrong="prefixes are not announced", fix="announce the prefixes")
