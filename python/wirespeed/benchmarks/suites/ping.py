"""Ping every NIC address from every NIC address of other hosts with one jumbo packet, and read the route, in seconds.

The pings and routes of the suite mesh, without RDMA and with one packet for each pair: the largest that may not be
fragmented, from the NIC's address. A pair without a reply is pinged again with a small packet. This
distinguishes a path with a small MTU from a link that is down. The kernel's route is compared with the planned rules
and routes, since pings do not show a missing rule.

The suite reports what bad pairs have in common: a NIC, its port, a rail, a leaf, a host.
"""

from __future__ import annotations

from wirespeed.benchmarks.steps.ping_scripts import pings
from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.benchmarks.suites.mesh import add_pings

TITLE = "one jumbo ping and the route from every NIC address to every other; a matrix of each test, in seconds"
KERNEL_ONLY = True
OVER_SOCKETS = True

COUNT = 1
_WAIT_S = 1
_TRIES = 3  # large pings are repeated while small ones are answered
_AT_ONCE = 64  # concurrent pairs of a host; each is a process that mostly waits
_PAIR_S = 0.02  # expected time of a pair with several at the same time: measured between network namespaces, 2 cores


def make(request: Request) -> Steps:
    """Add pings of all pairs of hosts."""
    steps = Steps()
    add_pings(request, steps, pings(COUNT, _WAIT_S, _AT_ONCE, _TRIES), _PAIR_S)
    return steps
