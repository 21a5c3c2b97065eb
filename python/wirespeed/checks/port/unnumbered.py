"""Unnumbered port between switches

A port that routes without addresses of its own has IPv6 link-local addresses on.

Why it hurts:
    Without them the neighbour's router advertisements are neither sent nor heard: the BGP session on the port never
    starts, though the link is up.

How to fix:
    Switch IPv6 on at the port; nothing else need be given.

Example:
    $ show running-config interfaces Ethernet64/1
    no switchport

Source:
    RFC 8950; RFC 4861, section 6.2
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Port

over = Port
needs = ("port.unnumbered",)
failures = ("RT-10",)
check = compare(*needs, wrong="the port has no link-local address", fix="switch IPv6 on at the port")
