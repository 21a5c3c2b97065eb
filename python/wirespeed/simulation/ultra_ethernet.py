"""The network that Ultra Ethernet's congestion control expects, computed from the scenario.

Packets are sprayed by entropy value, and trimmed rather than paused (Ultra Ethernet Specification 1.0, section 4.1).
Queues, marks and timers follow from the RTT of the longest path without queues, and from the bandwidth-delay product
(BDP) of that RTT and a host's link, as in the consortium's own model, uet-htsim (`htsim/sim/datacenter/main_uec.cpp`):

* a queue holds one BDP in whole packets (`calculate_bdp_pkt`, `DEFAULT_TRIMMING_QUEUESIZE_FACTOR`);
* marking begins at a fifth of it and is complete at four fifths, in whole packets (`ecn_low`, `ecn_high`);
* a loss that no trimmed packet reports is detected after 15 us and six full queues (`_min_rto`: two priorities and
  three hops of an incast). A receiver waits this long before it treats a packet as lost, a sender without credit
  before it requests credit again; the sender's timer is the next of InfiniBand's (4.096 us times a power of two).

Queue sizes in bytes there hold here for each link at its rate. If `congestion.config_base_rtt_ns` is set, it is the
RTT.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import cast

from wirespeed import _core
from wirespeed.errors import Refusal
from wirespeed.simulation.scenario_types import CongestionRccc, Parameters, Scenario

_TRIMMED_PRIORITY = 5
"""A priority without data: trimmed packets must not wait behind full packets."""
_TRIMMED_BYTES = 64
"""`trimsize` of main_uec.cpp."""
_MARKS_FROM, _MARKS_ALL = 0.2, 0.8
"""Shares of a BDP."""
_LEAST_TIMEOUT_NS = 15_000
_QUEUES_IN_TIMEOUT = 6
_ACK_TIMEOUT_NS = 4096
"""IBTA volume 1, 9.7.6.1.3: the local ACK timeout is this times a power of two."""


FIXED: Parameters = {
    "ecmp": {"balance": "entropy"},
    "pfc": {"lossless_priorities": 0},
    "marking": {"enabled": True, "pmax": 1.0},
    "transport": {"recovery": "selective-repeat", "ack_priority": 7, "rx_depth": None},
}
"""Parameters that do not depend on the network, by group."""


def read(scenario: Scenario, preset: str) -> _core.Scenario | None:
    """Read a scenario with the core; None if the core refuses it."""
    try:
        return _core.Scenario(json.dumps(scenario), preset, 0)
    except Refusal:
        return None


def derive_parameters(parameters: Parameters, idle_network: tuple[int, int, int] | None) -> Parameters:
    """Parameters that follow from the longest path, by group; empty if nothing is acknowledged.

    Args:
        parameters: those of the scenario, including `FIXED`.
        idle_network: RTT, slowest port and packet size that the core reports for this scenario.
    """
    if idle_network is None:
        return {}
    congestion = cast(CongestionRccc, parameters.get("congestion", {}))  # or the one of NSCC, with fewer keys
    rtt_ps, slowest, packet = idle_network
    rtt_ps = 1000 * (congestion.get("config_base_rtt_ns") or -(-rtt_ps // 1000))
    gbps = max(1, round(slowest / 10**9))  # a link's own rate decides; in whole Gb/s it is a scenario's reference
    packets = -(-rtt_ps * gbps // (8000 * packet))
    queue_ns = -(-packets * packet * 8 // gbps)
    timeout_ns = _LEAST_TIMEOUT_NS + _QUEUES_IN_TIMEOUT * queue_ns
    groups: Parameters = {
        "switch": {
            "trimming": {"priority": _TRIMMED_PRIORITY, "trimmed_bytes": _TRIMMED_BYTES, "queue_ns": queue_ns},
        },
        "marking": {
            "kmin_bytes": _round_share(packets, _MARKS_FROM) * packet,
            "kmax_bytes": _round_share(packets, _MARKS_ALL) * packet,
            "reference_gbps": gbps,
        },
        "transport": {
            "reordering": {"rule": "time", "ns": timeout_ns},
            "ack_timeout": (-(-timeout_ns // _ACK_TIMEOUT_NS) - 1).bit_length(),
        },
    }
    if congestion.get("algorithm") == "rccc" and "credit_timeout_ns" not in congestion:
        groups["congestion"] = {"credit_timeout_ns": timeout_ns}
    return groups


def _round_share(packets: int, share: float) -> int:
    """A share of this number of packets, as whole packets."""
    return -(-packets * round(share * 10) // 10)


def downlinks(scenario: Scenario) -> Iterator[int]:
    """The switch ports that face hosts, in a scenario that the core has read."""
    for number, link in enumerate(scenario["links"]):
        a, b = link if isinstance(link, list) else (link["a"], link["b"])
        if a >= scenario["hosts"] > b:
            yield 2 * number
        if b >= scenario["hosts"] > a:
            yield 2 * number + 1
