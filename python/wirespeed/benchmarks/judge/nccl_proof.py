"""What NCCL's debug lines prove of a run, for the judge: the algorithm of each size, and what explains a loss.

The log comes before what the user says or the library usually does. Where it contradicts the user, that is said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from wirespeed.benchmarks.judge.nccl_evidence import Evidence
from wirespeed.limits.algorithms import Algorithm
from wirespeed.plan import Plan

_ALGORITHMS: Mapping[str, Algorithm] = {
    "RING": Algorithm.RING,
    "TREE": Algorithm.TREE,
    "NVLS": Algorithm.NVLS,
    "NVLS_TREE": Algorithm.NVLS_TREE,
}
_SUMMING = ("COLLNET_DIRECT", "COLLNET_CHAIN")
_SLOW_PROTOCOLS = {"LL": "half of each 8 bytes are flags", "LL128": "8 of each 128 bytes are flags"}


@dataclass(frozen=True, slots=True)
class Proof:
    """What is proven. ``algorithms`` is by message size; ``causes`` explain a loss; ``notes`` are for the reader."""

    algorithms: Mapping[int, Algorithm] = field(default_factory=dict)
    forced: Algorithm | None = None
    summing: bool = False  # the switches of the network reduce
    causes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def algorithm(self, size: int | None) -> Algorithm | None:
        """How a size was moved, as far as the log says."""
        return self.algorithms.get(size or 0, self.forced)


def proof_of(evidence: Evidence | None, plan: Plan, asked: Algorithm | None) -> Proof:
    """What the debug lines of a run prove; nothing where there are none."""
    if evidence is None:
        return Proof()
    said = {size: _ALGORITHMS[name] for size, name in evidence.algorithms.items() if name in _ALGORITHMS}
    forced = _ALGORITHMS.get(evidence.forced_algorithm or "")
    names = {*evidence.algorithms.values(), evidence.forced_algorithm}
    causes = tuple(_causes(evidence, plan))
    return Proof(
        algorithms=said,
        forced=forced,
        summing=any(name in _SUMMING for name in names),
        causes=causes,
        notes=(*(f"the log proves: {cause}" for cause in causes), *_contradictions(said, forced, asked)),
    )


def _causes(evidence: Evidence, plan: Plan) -> list[str]:
    found = []
    over_sockets = (evidence.network or "").lower() == "socket"
    if over_sockets:
        found.append("NCCL used TCP sockets between hosts, not RDMA (NET/Socket)")
    elif evidence.gdrdma == "none":
        found.append("no connection between hosts used GPUDirect RDMA: data were staged in host memory")
    elif evidence.gdrdma == "some":
        found.append("only some connections between hosts used GPUDirect RDMA")
    if evidence.link == "IB":
        found.append("the NICs were on InfiniBand, not RoCE")
    found += [] if over_sockets else _nics(evidence, plan)
    protocol = _largest(evidence.protocols) or evidence.forced_protocol
    if protocol in _SLOW_PROTOCOLS:
        found.append(f"the largest messages went by protocol {protocol}: {_SLOW_PROTOCOLS[protocol]}")
    return found


def _nics(evidence: Evidence, plan: Plan) -> list[str]:
    """Hosts on which fewer NICs were used than planned, and than ranks ran there: a rank has a NIC of its own."""
    if not evidence.nics or not plan.hosts:
        return []
    planned = next(iter(plan.hosts.values()))
    count = len(planned.launch.rdma_devices or [nic for nic in planned.nics.values() if nic.rail is not None])
    ranks = max(evidence.communicator.ranks_per_node or (0,))
    count = min(count, ranks) if ranks else count
    fewer = {host: len(names) for host, names in evidence.nics.items() if len(names) < count}
    if not fewer:
        return []
    least = min(fewer, key=lambda host: fewer[host])
    more = f", and too few on {len(fewer) - 1} more" if len(fewer) > 1 else ""
    return [f"{fewer[least]} of {count} NICs were used on {least}{more}"]


def _largest(by_size: Mapping[int, str]) -> str | None:
    return by_size[max(by_size)] if by_size else None


def _contradictions(said: Mapping[int, Algorithm], forced: Algorithm | None, asked: Algorithm | None) -> list[str]:
    proven = said[max(said)] if said else forced
    if proven is None or asked is None or proven is asked:
        return []
    return [f"the log proves {proven.value} for the largest messages, not {asked.value} as --algorithm says"]
