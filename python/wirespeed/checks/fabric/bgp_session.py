"""State of a BGP session

Every planned BGP session is established.

Why it hurts:
    Over a session that is not established no route is learned: its cable carries nothing, though the link may be up.
    The other uplinks take the traffic, and what the leaves can move between them falls by one cable's share.

How to fix:
    See the reason the switch names. Idle or Active: the neighbour does not answer, or names another autonomous system
    (fabric.bgp-peer, fabric.bgp-speaker). On an unnumbered port the neighbour's router advertisements must arrive.

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
    *needs, wrong="the session is not established", fix="find out why the neighbour is not heard", hand=True
)
