"""Firewall

No firewall filters traffic on the host.

Impact:
    Benchmarks and launchers set up RDMA connections over TCP ports that are not known in advance. A firewall makes them
    hang or time out, although the fabric works.

Fix:
    Disable the firewall, or allow all traffic between the addresses of the rails and of the management network.

Example:
    $ systemctl is-active ufw firewalld nftables
    active

Source:
    Broadcom 957608-AN210, 2.6 item 15
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

subject = Host
needs = ("host.firewall",)
failures = ("OS-06",)
check = compare("host.firewall", wrong="a firewall is active", fix="disable the firewall on this host")
