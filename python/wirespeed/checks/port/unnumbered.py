"""Unnumbered port between switches

A routed port without addresses (unnumbered) has an IPv6 link-local address.

Impact:
    Without it router advertisements are neither sent nor received: the BGP session on the port never starts, although
    the link is up.

Fix:
    Enable IPv6 on the port; no address is needed.

Example:
    $ show running-config interfaces Ethernet64/1
    no switchport

Source:
    RFC 8950; RFC 4861, section 6.2
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Port

subject = Port
needs = ("port.unnumbered",)
failures = ("RT-10",)
check = compare(*needs, wrong="the port has no link-local address", fix="enable IPv6 on the port")
