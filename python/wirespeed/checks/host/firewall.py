"""Firewall

No firewall filters traffic on the host.

Why it hurts:
    Benchmarks and launchers set RDMA connections up over TCP ports that nobody listed. A filter there makes them
    hang or time out, with nothing wrong to see on the fabric.

How to fix:
    Switch the firewall off, or let everything pass between the addresses of the rails and of the management
    network.

Example:
    $ systemctl is-active ufw firewalld nftables
    active

Source:
    Broadcom 957608-AN210, 2.6 item 15
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

over = Host
needs = ("host.firewall",)
failures = ("OS-06",)
check = compare("host.firewall", wrong="a firewall is active", fix="switch the firewall off on this host")
