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

from dataclasses import replace

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, Outcome
from wirespeed.checks.peers import find_peer_port
from wirespeed.results.findings import Fix
from wirespeed.settings import BgpPeer, Place

subject = BgpPeer
needs = ("peer.state",)
failures = ("RT-07",)
causes = ("port.up", "link.up")
_compare_state = compare(*needs, wrong="the BGP session is not established", fix="check the session", by_hand=True)


def check(context: CheckContext) -> Outcome:
    """The fix names both ends of the session; a dead port below it is the cause."""
    outcome = _compare_state(context)
    peer_port = find_peer_port(context.plan, context.place.device, context.place.name)
    if not outcome.fix or peer_port is None:
        return outcome
    port, far = peer_port
    ends = f"{context.place.device}:{port} and {far.device}:{far.port}"
    is_unnumbered = context.plan.switches[context.place.device].ports[port].unnumbered
    address = "the IPv6 link-local address and router advertisements" if is_unnumbered else "the address"
    fix = Fix(
        f"check the cable, the link and {address} of {ends}, then the neighbour and AS number that {far.device} has"
        f" configured for {context.place.device}"
    )
    return replace(outcome, fix=(fix,), cause_place=Place(context.place.device).child("port", port))
