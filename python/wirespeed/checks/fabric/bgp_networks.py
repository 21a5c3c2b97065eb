"""Prefixes a switch announces

The switch announces every prefix planned: its loopback and the subnets of its hosts.

Why it hurts:
    What a leaf does not announce, no other switch can reach: hosts under the leaf talk among themselves, and to nobody
    else. The connection setup of a job then runs into its timeout on some pairs only.

How to fix:
    Announce the prefix; most systems do so only while it stands in the routing table, so look at the port too.

Example:
    $ show running-config section bgp
    network 10.1.0.0/31

Source:
    RFC 7938, section 5.2.3
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Switch

over = Switch
needs = ("switch.bgp.networks",)
failures = ("RT-10",)
check = compare(*needs, wrong="prefixes are not announced", fix="announce the prefixes")
