"""The time of a collective of a few bytes, by the model from which NCCL chooses its algorithm.

NCCL adds the latency of its steps for each algorithm and takes the fastest one (`ncclTopoTuneModel` in
src/graph/tuning.cc, NCCL 2.30; low-latency protocol, links between GPUs by NVLink). Point-to-point collectives have no
row in that table: their time is that of one connection for each peer. The model is an estimate: healthy runs take up to
three times as long, so a profile multiplies it (`Floors`).
"""

from __future__ import annotations

import math

from wirespeed.limits.bound import number
from wirespeed.limits.group import Collective, Group
from wirespeed.limits.latency import MICROSECONDS
from wirespeed.results.verdicts import Term

_SOURCE = "NCCL 2.30, src/graph/tuning.cc: latencies of the LL protocol"
_TREE_START, _RING_START = 6.8, 6.6  # µs: baseLatencies
_LINK_STEP = 0.6  # µs: a step over NVLink
_TREE_NETWORK_STEP, _RING_NETWORK_STEP = 5.0, 2.7  # µs
_HOST_WORK = 2.0  # µs: work of a proxy thread for each step of a ring across hosts (getNetOverhead)
_PEER = 5.7  # µs
_PEER_SOURCE = "smallest all-to-all over 32 MI300X takes 181 µs: Broadcom 957608-AN210 section 8.7.2"

_ONE_PASS = (Collective.ALL_GATHER, Collective.REDUCE_SCATTER, Collective.BROADCAST, Collective.REDUCE)


def estimate_latency(collective: Collective, group: Group) -> Term:
    """The time of the smallest operation, in µs."""
    ranks, hosts = group.ranks, max(len(group.members), 1)
    if collective is Collective.ALL_REDUCE:
        tree = _TREE_START + 2 * ((ranks / hosts - 1) * _LINK_STEP + math.log2(hosts) * _TREE_NETWORK_STEP)
        ring = _compute_ring_time(2 * (ranks - 1), 2 * (hosts - 1))
        return _build_term(min(tree, ring), f"{'tree' if tree <= ring else 'ring'} of {ranks} ranks on {hosts} hosts")
    if collective in _ONE_PASS:
        time = _compute_ring_time(ranks - 1, hosts - 1)
        return _build_term(time, f"ring of {ranks} ranks on {hosts} hosts")
    return Term("latency", ranks * _PEER, MICROSECONDS, f"{ranks} ranks × {number(_PEER)} µs", _PEER_SOURCE)


def _compute_ring_time(steps: int, network_steps: int) -> float:
    link_step = max(_LINK_STEP, _HOST_WORK) if network_steps else _LINK_STEP
    return _RING_START + (steps - network_steps) * link_step + network_steps * _RING_NETWORK_STEP


def _build_term(value: float, formula: str) -> Term:
    return Term("latency", value, MICROSECONDS, formula, _SOURCE)
