"""BGP neighbour

Every planned BGP session is configured with the planned autonomous system of the neighbour, address families and BFD.

Impact:
    Without the neighbour, or with the wrong autonomous system, there is no session. Without an address family its
    prefixes are unknown on the other side: the link is up and pings between switches work, but hosts behind them are
    unreachable.

Fix:
    Configure the neighbour as planned on both ends.

Example:
    $ show running-config section bgp
    neighbor 10.2.0.1 remote-as 65001

Source:
    RFC 7938, section 5.2.1; RFC 8950 for IPv4 prefixes over IPv6 next hops
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import BgpPeer

subject = BgpPeer
needs = ("peer.asn", "peer.unnumbered", "peer.ipv4", "peer.ipv6", "peer.bfd", "switch.peers")
failures = ("RT-10",)
presence = True
check = compare(*needs[:5], wrong="the neighbour is not as planned", fix="configure the neighbour")
