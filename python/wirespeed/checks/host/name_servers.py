"""Name servers

The host uses the planned DNS servers, and searches host names in the planned domains.

Impact:
    A name that does not resolve stops ssh, job start and every program that is given a name. A server that does not
    reply delays each of them by seconds, although all addresses are reachable.

Fix:
    Apply the rendered network configuration.

Example:
    $ grep -rsE "^(nameserver|search)" /etc/resolv.conf /run/systemd/resolve/resolv.conf
    /etc/resolv.conf:nameserver 127.0.0.53
    /run/systemd/resolve/resolv.conf:nameserver 172.16.16.57

Source:
    A. K. Johansen, Fast Multi-GPU communication over PCI Express, A.3.5; resolv.conf(5); systemd-resolved.service(8)
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

subject = Host
needs = ("host.resolver.servers", "host.resolver.domains")
failures = ("OS-22",)
check = compare(
    *needs, wrong="the name servers are not as planned", fix="apply the rendered network configuration", by_hand=True
)
