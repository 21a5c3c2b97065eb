"""BGP session state

Every planned BGP session is established.

Impact:
    A session that is not established learns no routes: no traffic on its cable, although the link may be up. The
    other uplinks take the traffic, and the bandwidth between leaves falls by the share of one cable.

Fix:
    Read the reason that the switch prints. Idle or Active: the neighbour does not answer, or has another autonomous
    system (fabric.bgp-peer, fabric.bgp-instance). An unnumbered port needs the neighbour's router advertisements.

Example:
    $ show ip bgp summary
    Neighbor         V    AS          MsgRcvd  MsgSent  InQ OutQ Up/Down  State
    10.2.0.1         4    4200000000        0        0    0    0 00:02:11 Active

Source:
    RFC 4271, section 8.2.2; RFC 7938, section 5.2.1
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import BgpPeer

over = BgpPeer
needs = ("peer.state",)
failures = ("RT-07",)
check = compare(
    *needs, wrong="the BGP session is not established", fix="find out why the neighbour does not answer", by_hand=True
)
